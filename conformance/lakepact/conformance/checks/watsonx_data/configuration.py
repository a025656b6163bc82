"""The configuration of a catalog, and its undeclared operations."""

from __future__ import annotations

import re

from lakepact.conformance.checks.iceberg_rest.api import Document, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.detection import detection_of
from lakepact.conformance.checks.iceberg_rest.kit.probes import PROBES
from lakepact.conformance.checks.iceberg_rest.protocol.configuration import configuration
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import OMITTED, OPERATIONS, check

URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


@check("WXD-CFG-001", "WXD-CFG-002")
def configuration_is_found_by_catalog_name(lab: WatsonxLab) -> None:
    """GET v1/config below the base path returns 200 for the catalog's name as warehouse."""
    reply = lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse"))

    with lab.judge("WXD-CFG-001"):
        expect.serves(reply, reply.status != 404, f"the configuration below {lab.target.url}")
    if not lab.target.parameters.get("warehouse"):
        lab.skip("WXD-CFG-002", "the catalog was not named (--warehouse NAME)")
        return
    with lab.judge("WXD-CFG-002"):
        expect.status(reply, 200)


@check("WXD-CFG-003", "WXD-CFG-004", "WXD-CFG-005")
def configuration_has_overrides_and_defaults(lab: WatsonxLab) -> None:
    """The configuration has `overrides` and `defaults` as objects, and a warehouse in `overrides`
    is a URI.
    """
    reply = configuration(lab)
    document = reply.document

    with lab.judge_each("WXD-CFG-004") as case:
        for member in ("overrides", *(["defaults"] if "defaults" in document else [])):
            with case():
                expect.true(
                    isinstance(document.get(member), dict),
                    f"`{member}` as an object",
                    document.get(member),
                    at=reply.place(member),
                )
    with lab.judge("WXD-CFG-005"):
        reply.at("defaults")
    warehouse = (document.get("overrides") or {}).get("warehouse")
    if warehouse is None:
        lab.skip("WXD-CFG-003", "the configuration overrides no warehouse")
        return
    with lab.judge("WXD-CFG-003"):
        fits = isinstance(warehouse, str) and URI.fullmatch(warehouse) is not None
        expect.true(
            fits, "the URI of a location", warehouse, at=reply.place("overrides", "warehouse")
        )


@check("WXD-CFG-006", "WXD-CFG-007")
def catalogs_without_endpoints_serve_all_operations(lab: WatsonxLab) -> None:
    """A catalog whose configuration has no `endpoints` serves all operations."""
    if configuration(lab).document.get("endpoints"):
        for requirement in ("WXD-CFG-006", "WXD-CFG-007"):
            lab.skip(requirement, "the target declares its endpoints")
        return
    values: Document = {"namespace": (lab.name(),), "table": lab.name(), "view": lab.name()}
    missing = detection_of(lab).missing

    for requirement, operations in lab.each(
        (("WXD-CFG-006", OPERATIONS - OMITTED), ("WXD-CFG-007", OMITTED))
    ):
        with lab.judge_each(requirement) as case:
            for operation in sorted(operations & PROBES.keys()):
                reply = lab.send(operation, declared=False, **PROBES[operation], **values)
                with case():
                    expect.serves(
                        reply,
                        operation not in missing,
                        f"{operation} to be served, because the configuration has no `endpoints`",
                    )
