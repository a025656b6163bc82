"""Wrong ways with reports of metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, levels_of
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.requests import refused_if, taken_as
from mutants.iceberg_rest.operators.tables import store_of

REPORT = op.report_metrics
KNOWN_METRICS = frozenset(
    {
        "total-planning-duration",
        "result-data-files",
        "total-file-size-in-bytes",
        "total-duration",
        "attempts",
        "added-data-files",
    }
)


def _is(kind: str) -> Callable[[Document], bool]:
    return lambda body: body["report-type"] == kind


def _in_place(member: str, value: Any) -> Callable[[Document], Document]:
    """Reports without a member are taken as if they had it."""
    return lambda body: {member: value, **body}


def _with_measures(usable: Callable[[Any], bool]) -> Callable[[Document], Document]:
    """Metrics that are not usable are ignored instead of being looked at."""

    def rewrite(body: Document) -> Document:
        metrics = body.get("metrics")
        if not isinstance(metrics, dict):
            return body
        return {
            **body,
            "metrics": {name: metric for name, metric in metrics.items() if usable(metric)},
        }

    return rewrite


def _breaks_on(wrong: Callable[[Document], bool]) -> Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        if wrong(arguments["body"]):
            raise Problem(500, "InternalServerError", "asked for by a fault")
        return handler(**arguments)

    return on_call(REPORT, act)


def _unknown(body: Document) -> bool:
    return body["report-type"] not in {"scan-report", "commit-report"}


def _committed(when: Callable[[Document], bool]) -> Install:
    """Reports are written down in the properties of their table."""

    def install(service: Service) -> None:
        def act(handler: Handler, arguments: Arguments) -> Reply:
            reply = handler(**arguments)
            if when(arguments["body"]):
                update = {
                    "action": "set-properties",
                    "updates": {"last-report": arguments["body"]["report-type"]},
                }
                place = {name: arguments[name] for name in ("namespace", "table")}
                service.handlers[COMMIT](**place, body={"requirements": [], "updates": [update]})
            return reply

        on_call(REPORT, act)(service)

    return install


@fault("IRC-TBL-MET-001", "IRC-TBL-MET-002")
def reports_of_the_past_are_refused(service: Service) -> None:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        place = {name: arguments[name] for name in ("namespace", "table")}
        reply = handler(**arguments)
        current = (
            service.handlers[op.load_table](**place).document["metadata"].get("current-snapshot-id")
        )
        if arguments["body"]["snapshot-id"] != current:
            raise Problem(
                400, "BadRequestException", "the report is not about the current snapshot"
            )
        return reply

    on_call(REPORT, act)(service)


@fault("IRC-TBL-MET-005")
def views_are_reported(service: Service) -> None:
    views: set[tuple[str, str]] = set()

    def made(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        views.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def reported(handler: Handler, arguments: Arguments) -> Reply:
        return (
            NO_CONTENT
            if (arguments["namespace"], arguments["table"]) in views
            else handler(**arguments)
        )

    on_call(op.create_view, made)(service)
    on_call(REPORT, reported)(service)


@fault("IRC-TBL-MET-007", by=lambda act: taken_as(REPORT, _with_measures(act)))
def metrics_may_be_half(metric: Any) -> bool:
    return (
        not isinstance(metric, dict)
        or {"unit", "value"} <= metric.keys()
        or {"time-unit", "count", "total-duration"} <= metric.keys()
    )


@fault("IRC-TBL-MET-010")
def reports_become_properties(service: Service) -> None:
    store, take = store_of(service), service.handlers[REPORT]

    def report(**arguments: Any) -> Reply:
        reply: Reply = take(**arguments)
        key = identifier_key(levels_of(arguments["namespace"]), arguments["table"])
        with store.begin() as transaction:
            former = transaction.get(key)
            metadata = {
                **former.document["metadata"],
                "properties": {**former.document["metadata"]["properties"], "last-report": "scan"},
            }
            document = {**former.document, "metadata": metadata}
            transaction.put(key, Record("table", document, orjson.dumps(document), former.tag))
        return reply

    service.handlers[REPORT] = report


FAULTS = {
    "scan-reports-are-refused IRC-TBL-MET-001": refused_if(REPORT, _is("scan-report")),
    "commit-reports-are-refused IRC-TBL-MET-002": refused_if(REPORT, _is("commit-report")),
    "reports-are-accepted-later IRC-TBL-MET-001 IRC-TBL-MET-002 IRC-TBL-MET-006 IRC-TBL-MET-008": on_status(
        REPORT, {204: 202}
    ),
    "reports-need-no-type IRC-TBL-MET-003": taken_as(
        REPORT,
        lambda body: {
            "report-type": "scan-report" if "filter" in body else "commit-report",
            **body,
        },
    ),
    "reports-need-no-table-name IRC-TBL-MET-004": taken_as(REPORT, _in_place("table-name", "t")),
    "reports-need-no-snapshot IRC-TBL-MET-004": taken_as(REPORT, _in_place("snapshot-id", 1)),
    "reports-need-no-metrics IRC-TBL-MET-004": taken_as(REPORT, _in_place("metrics", {})),
    "missing-tables-are-reported IRC-TBL-MET-005": on_status(REPORT, {404: 204}),
    "missing-tables-of-reports-are-something IRC-ERR-008": on_answer(
        REPORT, lambda error: error["error"].update(type="NotFoundException"), status=404
    ),
    "unknown-metrics-are-refused IRC-TBL-MET-006": refused_if(
        REPORT, lambda body: bool(body["metrics"].keys() - KNOWN_METRICS)
    ),
    "reports-say-nothing-else IRC-TBL-MET-006": refused_if(
        REPORT, lambda body: bool(body.get("metadata"))
    ),
    "metrics-are-anything IRC-TBL-MET-007": taken_as(REPORT, _with_measures(lambda _: False)),
    "metrics-may-be-bare IRC-TBL-MET-007": taken_as(
        REPORT, _with_measures(lambda metric: isinstance(metric, dict))
    ),
    "filters-are-objects IRC-TBL-MET-008": refused_if(
        REPORT, lambda body: isinstance(body.get("filter"), bool)
    ),
    "filters-that-are-true-are-bare IRC-TBL-MET-008": refused_if(
        REPORT, lambda body: body.get("filter") == {"type": "true"}
    ),
    "unknown-reports-break IRC-TBL-MET-009": _breaks_on(_unknown),
    "reports-are-commits IRC-TBL-MET-010": _committed(lambda _: True),
    "reports-of-commits-are-commits IRC-TBL-MET-010": _committed(_is("commit-report")),
}
