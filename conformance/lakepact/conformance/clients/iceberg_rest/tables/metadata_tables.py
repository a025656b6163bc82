"""Metadata tables of a table whose scans the server plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.clients.iceberg_rest.kit.declared_endpoints import with_endpoints
from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import TABLE, grown
from lakepact.conformance.clients.iceberg_rest.kit.scripts import error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.iceberg_rest.tables.scans import part, planning
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request

PLANS = {"scan-planning-mode": "server"}


def plans_tables_only(request: Request, forward: Forward) -> Answer:
    """Answer as a catalog that plans the scans of its tables, and returns 404 for metadata tables."""
    path = request.target.partition("?")[0]
    if request.operation == op.plan_table_scan:
        known = path.endswith(f"/tables/{TABLE}/plan")
        return planning(part(0, [[]]))(request, forward) if known else error(404, "NoSuchTableException")
    answer = with_endpoints()(request, forward)
    if request.operation != op.load_table or answer.status != 200:
        return answer
    document = answer.document
    return answer.with_document({**document, "config": {**document.get("config", {}), **PLANS}}).with_header("etag", None)


@check("IRC-CLI-051")
def metadata_tables(lab: CatalogClientLab) -> None:
    """A client reads the metadata table `snapshots` of a server that plans scans and returns 404 for metadata tables."""
    table = grown(lab, appends=1)
    lab.does("list-snapshots", list(table.ids), **table.where)
    with lab.judge("IRC-CLI-051"):
        done = lab.performs("list-snapshots", plans_tables_only, **table.where)
        expect.true(done.ended.prints(list(table.ids)), f"the snapshots {expect.shown(list(table.ids))}", done.ended.outcome, at=None)
