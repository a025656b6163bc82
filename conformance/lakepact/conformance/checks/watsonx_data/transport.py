"""Routes: the catalog's name as prefix, and unsupported operations."""

from __future__ import annotations

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    Contract,
    Operation,
    Wrong,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.protocol.configuration import configuration
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import OVERRIDDEN, check

ABSENT = frozenset({404, 405, 406})

#: A report as clients send them after every commit.
REPORT = {
    "report-type": "commit-report",
    "table-name": "t",
    "snapshot-id": 1,
    "sequence-number": 1,
    "operation": "append",
    "metrics": {},
    "metadata": {},
}


@check("WXD-GEN-001", "WXD-GEN-002")
def catalog_name_is_the_prefix(lab: WatsonxLab) -> None:
    """Paths with the catalog's name as prefix are served; paths with the name of no catalog return
    4xx.
    """
    listing = lab.send(op.list_namespaces, declared=False)
    prefix, overridden = lab.offer.segments["prefix"], lab.offer.results.get(OVERRIDDEN)

    with lab.judge_each("WXD-GEN-001") as case:
        with case():
            expect.status(listing, 200, about=f"for the prefix {prefix}")
        if overridden not in {prefix, None}:
            with case():
                reply = lab.send_raw("GET", f"/v1/{overridden}/namespaces")
                expect.status(reply, 200, about=f"for the prefix {overridden} of the configuration")
    lab.require(listing, 200)
    with lab.judge_each("WXD-GEN-002") as case:
        for path in (f"/v1/{lab.name()}/namespaces", f"/v1/{prefix}x/namespaces"):
            with case():
                expect.client_error(lab.send_raw("GET", path), mutation=Wrong.ABSENT("prefix"))


def absent_operations(lab: WatsonxLab) -> dict[str, Operation]:
    """Return the operations of Iceberg REST catalogs that the page lacks, and the target does not
    name among its endpoints.
    """
    others = Contract("iceberg_rest").operations
    endpoints = configuration(lab).document.get("endpoints") or ()
    return {
        name: operation
        for name, operation in others.items()
        if name not in lab.contract.operations
        and f"{operation.method} {operation.path}" not in endpoints
    }


def path_of(lab: WatsonxLab, operation: Operation) -> str:
    """Return the path of an absent operation for an existing table."""
    table = lab.make_table()
    parts = {
        "{namespace}": table.namespace[0],
        "{table}": table.name,
        "{prefix}": str(lab.offer.segments["prefix"]),
        "{plan-id}": lab.name(),
    }
    path = operation.path
    for hole, value in parts.items():
        path = path.replace(hole, value)
    return path


@check("WXD-GEN-003")
def unsupported_operations_are_refused(lab: WatsonxLab) -> None:
    """An operation that neither IBM's page nor `endpoints` has, other than metrics reports, returns
    404, 405 or 406.
    """
    with lab.judge_each("WXD-GEN-003") as case:
        for name, operation in absent_operations(lab).items():
            if name != op.report_metrics:
                with case():
                    body = b"{}" if operation.body else b""
                    headers = (
                        [("Content-Type", operation.body_media_type or "application/json")]
                        if body
                        else []
                    )
                    reply = lab.send_raw(
                        operation.method, path_of(lab, operation), headers=headers, content=body
                    )
                    expect.status(
                        reply,
                        *sorted(ABSENT),
                        about=f"for {name}",
                        mutation=Wrong.ABSENT("path"),
                    )


@check("WXD-GEN-004")
def metrics_reports_return_2xx_or_4xx(lab: WatsonxLab) -> None:
    """Reporting metrics returns 2xx or 4xx."""
    report = Contract("iceberg_rest").operations[op.report_metrics]
    headers = [("Content-Type", "application/json")]
    reply = lab.send_raw(
        report.method, path_of(lab, report), headers=headers, content=orjson.dumps(REPORT)
    )

    with lab.judge("WXD-GEN-004"):
        expect.serves(reply, reply.status < 300 or 400 <= reply.status < 500, "a 2xx or 4xx status")
