"""Checks of the catalog configuration."""

from __future__ import annotations

import re
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    OperationId,
    Reply,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.detection import declared_operations, detection_of
from lakepact.conformance.checks.iceberg_rest.kit.endpoints import operation_of
from lakepact.conformance.checks.iceberg_rest.kit.probes import PROBES


@check("IRC-CFG-001", "IRC-CFG-002", "IRC-CFG-007")
def configuration_has_defaults_and_overrides(lab: CatalogLab) -> None:
    """GET /v1/config returns 200 with `defaults` and `overrides` as objects of strings."""
    reply = lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse"))

    with lab.judge("IRC-CFG-007"):
        expect.status(reply, 200)
    with lab.judge_each("IRC-CFG-001") as case:
        for member in ("defaults", "overrides"):
            with case():
                expect.true(
                    isinstance(reply.at(member), dict),
                    f"`{member}` to be an object",
                    reply.at(member),
                    at=reply.place(member),
                )
    with lab.judge_each(
        "IRC-CFG-002", without="the configuration has no defaults or overrides"
    ) as case:
        for member in ("defaults", "overrides"):
            for key, value in _map(reply.document, member).items():
                with case():
                    expect.true(
                        isinstance(value, str),
                        f"`{member}.{key}` to be a string",
                        value,
                        at=reply.place(member, key),
                    )


@check("IRC-CFG-008", "IRC-CFG-009", "IRC-CFG-017")
def endpoints_are_well_formed(lab: CatalogLab) -> None:
    """Each entry of `endpoints` is a verb, one space and a path template, and none occurs twice."""
    reply = lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse"))
    endpoints, at = reply.document.get("endpoints"), reply.place("endpoints")
    if endpoints is None:
        for requirement in ("IRC-CFG-008", "IRC-CFG-009", "IRC-CFG-017"):
            lab.skip(requirement, "the target sends no endpoints")
        return

    with lab.judge("IRC-CFG-008"):
        expect.true(
            isinstance(endpoints, list) and all(isinstance(e, str) for e in endpoints),
            "an array of strings",
            endpoints,
            at=at,
        )
    texts = [e for e in endpoints if isinstance(e, str)] if isinstance(endpoints, list) else []
    with lab.judge_each("IRC-CFG-009", without="no endpoint is a string (IRC-CFG-008)") as case:
        for endpoint in texts:
            with case():
                # The path of an operation of the contract is checked by IRC-CFG-010; a server may
                # declare others.
                if not re.fullmatch(r"[A-Z]+ /\S*", endpoint):
                    unlike = {"not": {"mentions": endpoint}}
                    raise expect.unmet(
                        "`<VERB> /<path template>` with one space", endpoint, at=at, schema=unlike
                    )
    if len(texts) != len(endpoints):
        lab.skip("IRC-CFG-017", "the endpoints are not strings (IRC-CFG-008)")
        return
    with lab.judge("IRC-CFG-017"):
        expect.equal(
            len(set(endpoints)), len(endpoints), "as many different endpoints as entries:", at=at
        )


def configuration(lab: CatalogLab) -> Reply:
    """Return the configuration as the target answers it for the chosen warehouse.

    Raises:
        Blocked: the target answers none.
    """
    return lab.require(
        lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse")), 200
    )


@check("IRC-CFG-004", "IRC-CFG-005", "IRC-CFG-006")
def unknown_warehouses_are_refused(lab: CatalogLab) -> None:
    """GET /v1/config returns 200 or 400 without a warehouse, and 400 or 404 for an unknown one."""
    without = lab.send(op.get_config)
    unknown = lab.send(op.get_config, warehouse=f"s3://{lab.name()}/żółć surely missing")

    with lab.judge("IRC-CFG-004"):
        expect.status(without, 200, 400)
    with lab.judge("IRC-CFG-005"):
        expect.status(unknown, 400, 404, mutation=Wrong.ABSENT("warehouse"))
    warehouse = lab.target.parameters.get("warehouse")
    if not warehouse:
        lab.skip("IRC-CFG-006", "no warehouse was chosen for this run (--warehouse NAME)")
        return
    with lab.judge("IRC-CFG-006"):
        query = "".join(f"%{byte:02x}" for byte in warehouse.encode())
        reply = lab.send_raw("GET", f"/v1/config?warehouse={query}", operation=op.get_config)
        expect.status(reply, 200)
        expect.equal(
            configuration(lab).document,
            reply.document,
            "the same configuration",
            at=reply.place(),
        )


@check("IRC-CFG-021")
def warehouses_are_distinct(lab: CatalogLab) -> None:
    """A namespace of one warehouse returns 404 at the path of another warehouse."""
    other = lab.target.parameters.get("other-warehouse")
    if not other:
        lab.skip("IRC-CFG-021", "no second warehouse was named (--parameter other-warehouse=…)")
        return
    document = lab.require(lab.send(op.get_config, warehouse=other), 200).document
    prefix = {**_map(document, "defaults"), **_map(document, "overrides")}.get("prefix")
    root = f"/v1/{prefix}/namespaces" if prefix else "/v1/namespaces"
    lab.require(lab.send_raw("GET", root, operation=op.list_namespaces), 200)
    namespace = lab.make_namespace()
    lab.require(lab.send(op.load_namespace_metadata, namespace=namespace), 200)
    reply = lab.send_raw("GET", f"{root}/{namespace[0]}", operation=op.load_namespace_metadata)

    with lab.judge("IRC-CFG-021"):
        expect.not_found(
            reply, "namespace", about=f"for a namespace of another warehouse than {other}"
        )


@check("IRC-CFG-010")
def endpoints_are_templates_of_the_contract(lab: CatalogLab) -> None:
    """A declared endpoint for an operation of the contract has the contract's path template."""
    reply = configuration(lab)
    endpoints = reply.document.get("endpoints")
    if not isinstance(endpoints, list):
        lab.skip("IRC-CFG-010", "the target sends no endpoints")
        return
    with lab.judge_each(
        "IRC-CFG-010", without="no endpoint has the path of an operation of the contract"
    ) as case:
        for number, endpoint in enumerate(endpoints):
            operation = operation_of(endpoint, lab.offer.segments.get("prefix"))
            path = str(endpoint).split()[-1:]
            if operation is None or not "".join(path).startswith("/"):
                continue  # it names no operation, or is no path template (IRC-CFG-009)
            with case():
                expect.true(
                    path == [operation.path],
                    f"`{operation.path}`, as in the contract",
                    endpoint,
                    at=reply.place("endpoints", number),
                )


def _probe(lab: CatalogLab, operation: OperationId) -> Reply:
    """Return the answer of an operation about names that do not exist."""
    missing = lab.name()
    absent: Document = {
        "namespace": (lab.name(),),
        "table": missing,
        "view": missing,
        "plan_id": missing,
    }
    return lab.send(operation, declared=False, **PROBES[operation], **absent)


@check("IRC-CFG-011", "IRC-CFG-012", "IRC-CFG-014")
def configuration_lists_true_endpoints(lab: CatalogLab) -> None:
    """The server serves every operation that `endpoints` declare, and declares every operation that
    it serves.
    """
    detection, declared = detection_of(lab), declared_operations(lab)
    beyond = sorted(detection.operations - declared)

    if not configuration(lab).document.get("endpoints"):
        lab.skip("IRC-CFG-011", "the target sends no endpoints")
        lab.skip("IRC-CFG-012", "the target sends no endpoints")
        if beyond:
            # Clients do not use these operations, so the reader of the report decides.
            lab.warn(
                "IRC-CFG-014",
                expected="`endpoints` with the operations served beyond the defaults",
                actual=f"none; served: {', '.join(beyond)}",
            )
        else:
            lab.note("IRC-CFG-014", "nothing beyond the defaults is served")
        return
    lab.note("IRC-CFG-014", "the target declares its endpoints")
    with lab.judge_each("IRC-CFG-011") as case:
        for operation in sorted(
            declared
            & (detection.operations | detection.missing)
            & PROBES.keys()
            & lab.contract.operations.keys()
        ):
            with case():
                reply = _probe(lab, operation)
                expect.serves(
                    reply,
                    operation not in detection.missing,
                    f"{operation} to be served, because `endpoints` lists it",
                )
    if not beyond:
        lab.note("IRC-CFG-012", "no undeclared operation is served")
        return
    replies = {operation: _probe(lab, operation) for operation in beyond}
    at = configuration(lab).place("endpoints")
    with lab.judge_each("IRC-CFG-012") as case:
        for operation, reply in replies.items():
            with case():
                definition = lab.contract.operations[operation]
                line = f"{definition.method} {definition.path}"
                raise expect.unmet(
                    f"`{line}` in `endpoints`, because it is served",
                    f"no such entry; the operation returned {reply.summary}",
                    at=at,
                    kind=Kind.MISSING,
                    schema={"mentions": line},
                )


@check("IRC-CFG-013")
def default_endpoints_are_served(lab: CatalogLab) -> None:
    """A server whose configuration has no `endpoints` serves the fourteen operations that the
    contract assumes.
    """
    if configuration(lab).document.get("endpoints"):
        lab.skip("IRC-CFG-013", "the target declares its endpoints")
        return
    missing = detection_of(lab).missing

    with lab.judge_each("IRC-CFG-013") as case:
        for operation in sorted(declared_operations(lab) & PROBES.keys()):
            with case():
                reply = _probe(lab, operation)
                expect.serves(reply, operation not in missing, f"{operation} to be served")


@check("IRC-CFG-015")
def head_and_get_agree(lab: CatalogLab) -> None:
    """GET and HEAD of a namespace or table agree on whether it exists."""
    table = lab.make_table()
    pairs: list[tuple[str, OperationId, OperationId, Document, Document]] = [
        (
            "namespace",
            op.namespace_exists,
            op.load_namespace_metadata,
            {"namespace": table.namespace},
            {"namespace": (lab.name(),)},
        ),
        ("table", op.table_exists, op.load_table, table.at, {**table.at, "table": lab.name()}),
    ]

    with lab.judge_each("IRC-CFG-015") as case:
        for thing, head, get, here, absent in pairs:
            for operation in (get, *((head,) if lab.offers(head) else ())):
                with case():  # IRC-TBL-HEAD-001 and IRC-NS-HEAD-001 tell 204 from 200
                    expect.status(
                        lab.send(operation, **here), *((200,) if operation == get else (200, 204))
                    )
                with case():
                    expect.not_found(lab.send(operation, **absent), thing)


@check("IRC-CFG-016", "IRC-CFG-018", "IRC-CFG-019", "IRC-CFG-020")
def configuration_is_stable_and_without_secrets(lab: CatalogLab) -> None:
    """The configuration is the same in each response, holds no secret, and has no empty
    `endpoints`.
    """
    replies = [configuration(lab) for _ in range(5)]
    first = replies[0].document

    with lab.judge("IRC-CFG-016"):
        expect.true(
            first.get("endpoints") != [],
            "endpoints that are not an empty array",
            first.get("endpoints"),
            at=replies[0].place("endpoints"),
        )
    with lab.judge_each("IRC-CFG-018") as case:
        for reply in replies:
            with case():
                expect.equal(
                    first.get("endpoints"),
                    reply.document.get("endpoints"),
                    "endpoints",
                    at=reply.place("endpoints"),
                )
                expect.equal(
                    _prefix(first),
                    _prefix(reply.document),
                    "prefix",
                    at=reply.place("overrides", "prefix"),
                )
    lab.note(
        "IRC-CFG-019",
        "keys:"
        f" {', '.join(sorted({*_map(first, 'defaults'), *_map(first, 'overrides')})) or 'none'}",
    )
    with lab.judge("IRC-CFG-020") as case:
        for member in ("defaults", "overrides"):
            for key in _map(first, member):
                with case():
                    at = replies[0].place(member, key)
                    expect.true(
                        not is_secret(key),
                        "no secret among the settings",
                        f"`{member}.{key}`",
                        at=at,
                        kind=Kind.SURPLUS,
                    )


#: Settings of clients whose values are secrets; those of storage accounts have the name of the
#: account behind them.
SECRET_KEYS = frozenset(
    {
        *(
            "credential",
            "token",
            "header.authorization",
            "rest.secret-access-key",
            "rest.session-token",
        ),
        *(
            "s3.secret-access-key",
            "s3.session-token",
            "gcs.oauth2.token",
            "client.access-key-secret",
        ),
        *("adls.sas-token", "adls.auth.shared-key.account.key", "adls.connection-string"),
    }
)
OF_ACCOUNTS = ("adls.sas-token.", "adls.connection-string.")


def is_secret(key: str) -> bool:
    """Return whether a setting of clients is a secret."""
    name = key.casefold()
    return name in SECRET_KEYS or name.startswith(OF_ACCOUNTS)


def _map(document: Document, member: str) -> Document:
    value = document.get(member)
    return value if isinstance(value, dict) else {}


def _prefix(document: Document) -> Any:
    return _map(document, "overrides").get("prefix")
