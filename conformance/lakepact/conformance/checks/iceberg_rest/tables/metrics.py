"""Checks of metrics reports: valid ones are accepted, invalid ones are refused, and the table does
not change.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Place,
    Table,
    Wrong,
    check,
    expect,
    op,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_tables
from lakepact.conformance.checks.iceberg_rest.kit.metrics_reports import (
    BYTES,
    COUNTER,
    TIMER,
    report,
    report_about,
    scan_report,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import VIEW_AS_TABLE

#: A metric of scans and one of commits under which clients send a counter, so that servers may look
#: into it.
COUNTED = {"scan-report": "result-data-files", "commit-report": "added-data-files"}

#: Metrics that are neither a counter nor a timer.
NO_METRICS: tuple[Any, ...] = (
    {},
    {"unit": "count"},
    {"value": 3},
    {"unit": "count", "value": "many"},
    {"time-unit": "nanoseconds", "count": 1},
    {"time-unit": "nanoseconds", "total-duration": 1},
    {"count": 1, "total-duration": 1},
    17,
    "many",
    [COUNTER],
)


def commit_report(table: Table, **members: Any) -> Document:
    """Return a report about a commit to a table; `members` as for scans."""
    metrics = {
        "total-duration": TIMER,
        "attempts": {"unit": "count", "value": 1},
        "added-data-files": COUNTER,
    }
    number = table.metadata.get("last-sequence-number", 0)
    content = {
        "report-type": "commit-report",
        "sequence-number": number,
        "operation": "append",
        "metrics": metrics,
    }
    return report_about(table, content, members)


@check("IRC-TBL-MET-001", "IRC-TBL-MET-002", "IRC-TBL-MET-010")
def metrics_reports_return_204(lab: CatalogLab) -> None:
    """Reporting scan or commit metrics of a current or earlier snapshot returns 204 and leaves the
    table unchanged.
    """
    first = lab.table_with_snapshot()
    table = lab.append(first)
    before = lab.load(table)

    with lab.judge("IRC-TBL-MET-001") as case:
        for of in (table, first):
            with case():
                expect.status(
                    report(lab, table, scan_report(of)), 204, about="for a report of a scan"
                )
        everything = scan_report(
            table, metrics={}, projected_field_ids=[], projected_field_names=[]
        )
        expect.status(
            report(lab, table, everything),
            204,
            about="for a report of a scan without fields and metrics",
        )
    with lab.judge("IRC-TBL-MET-002") as case:
        for of in (table, first):
            with case():
                expect.status(
                    report(lab, table, commit_report(of)), 204, about="for a report of a commit"
                )
        empty = commit_report(table, operation="overwrite", metrics={})
        expect.status(
            report(lab, table, empty), 204, about="for a report of a commit without metrics"
        )
    with lab.judge("IRC-TBL-MET-010"):
        after = lab.load(table)
        expect.equal(
            before.metadata_location,
            after.metadata_location,
            "metadata-location",
            at=after.reply.place("metadata-location"),
        )
        states.expect_no_change(lab, before)


@check("IRC-TBL-MET-003", "IRC-TBL-MET-004", "IRC-TBL-MET-007")
def incomplete_reports_return_400(lab: CatalogLab) -> None:
    """A report without `report-type` or a required member, or with an invalid metric, returns
    400.
    """
    table = lab.table_with_snapshot()
    whole = {"scan-report": scan_report, "commit-report": commit_report}

    with lab.judge_each("IRC-TBL-MET-003") as case:
        for kind, make in whole.items():
            with case():
                expect.status(
                    report(lab, table, make(table, report_type=None)),
                    400,
                    about=f"for a {kind} without report-type",
                    mutation=Wrong.MISSING("/report-type"),
                )
    with lab.judge_each("IRC-TBL-MET-004") as case:
        for kind, make in whole.items():
            for member in ("table_name", "snapshot_id", "metrics"):
                with case():
                    reply = report(lab, table, make(table, **{member: None}))
                    name = member.replace("_", "-")
                    expect.status(
                        reply,
                        400,
                        about=f"for a {kind} without {name}",
                        mutation=Wrong.MISSING(f"/{name}"),
                    )
    with lab.judge_each("IRC-TBL-MET-007") as case:
        for kind, make in whole.items():
            for metric in NO_METRICS:
                with case():
                    reply = report(lab, table, make(table, metrics={COUNTED[kind]: metric}))
                    expect.status(
                        reply,
                        400,
                        about=f"for a {kind} with the metric {metric}",
                        mutation=Wrong.VALUE("/metrics/*"),
                    )


@check("IRC-TBL-MET-005")
def reports_of_missing_tables_return_404(lab: CatalogLab) -> None:
    """Reporting metrics of a missing or dropped table returns 404."""
    table = lab.table_with_snapshot()
    never: tuple[Document, ...] = (
        {**table.at, "table": lab.name()},
        {**table.at, "namespace": (lab.name(),)},
    )

    with lab.judge_each("IRC-TBL-MET-005") as case:
        for at in chain(never, (one.at for one in former_tables(lab, table.namespace))):
            for body in (scan_report(table), commit_report(table)):
                with case():
                    reply = lab.send(op.report_metrics, body=body, **at)
                    expect.not_found(reply, "table")


@check("IRC-TBL-MET-005")
def reports_of_views_return_404(lab: CatalogLab) -> None:
    """Reporting table metrics under the name of a view returns 404."""
    table = lab.table_with_snapshot()
    view = lab.make_view(table.namespace)

    with lab.judge_each("IRC-TBL-MET-005") as case:
        for body in (scan_report(table), commit_report(table)):
            with case():
                reply = lab.send(
                    op.report_metrics, body=body, namespace=table.namespace, table=view
                )
                expect.status(reply, 404, mutation=VIEW_AS_TABLE)


@check("IRC-TBL-MET-006")
def unknown_metrics_return_204(lab: CatalogLab) -> None:
    """Reports with unknown counters, timers or `metadata` return 204."""
    table = lab.table_with_snapshot()
    metrics = {"lakepact-counted": COUNTER, "lakepact-timed": TIMER, "lakepact-sized": BYTES}
    facts = {"engine-name": "lakepact", "engine-version": "1", "größe": ""}

    with lab.judge_each("IRC-TBL-MET-006") as case:
        for make in (scan_report, commit_report):
            body = make(table)
            for members in (
                {"metrics": {**body["metrics"], **metrics}},
                {"metadata": facts},
                {"metrics": metrics, "metadata": facts},
            ):
                with case():
                    reply = report(lab, table, make(table, **members))
                    expect.status(
                        reply,
                        204,
                        about=f"for a {body['report-type']} with {' and '.join(members)}",
                    )


@check("IRC-TBL-MET-008")
def true_filters_return_204(lab: CatalogLab) -> None:
    """A scan report whose filter is always true returns 204, written as an object or as a
    boolean.
    """
    table = lab.table_with_snapshot()

    with lab.judge_each("IRC-TBL-MET-008") as case:
        for always in ({"type": "true"}, True):
            with case():
                expect.status(
                    report(lab, table, scan_report(table, filter=always)),
                    204,
                    about=f"for the filter {expect.excerpt(always)}",
                )


@check("IRC-TBL-MET-009")
def unknown_report_types_return_no_5xx(lab: CatalogLab) -> None:
    """A metrics report of an unknown type is accepted or refused, without a 5xx."""
    table = lab.table_with_snapshot()

    with lab.judge_each("IRC-TBL-MET-009") as case:
        for kind in ("lakepact-report", "", "SCAN-REPORT"):
            for make in (scan_report, commit_report):
                with case():
                    reply = report(lab, table, make(table, report_type=kind))
                    unknown = f"no 5xx status for the report-type {expect.excerpt(kind)}"
                    expect.true(
                        reply.status < 500,
                        unknown,
                        reply.summary,
                        at=Place(reply.exchange, "/status"),
                    )
