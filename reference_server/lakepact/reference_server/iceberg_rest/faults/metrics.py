"""Wrong ways with reports of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, on_answer, on_call, on_status
from lakepact.reference_server.iceberg_rest.catalog import identifier_key, levels_of
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT
from lakepact.reference_server.iceberg_rest.faults.ways.requests import refused_if, taken_as
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT
from lakepact.reference_server.store import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

REPORT = "reportMetrics"
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


def _of_the_past(service: Service) -> None:
    """Reports are refused unless they are about the current snapshot."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        place = {name: arguments[name] for name in ("namespace", "table")}
        reply = handler(**arguments)
        current = service.handlers["loadTable"](**place).document["metadata"].get("current-snapshot-id")
        if arguments["body"]["snapshot-id"] != current:
            raise Problem(400, "BadRequestException", "the report is not about the current snapshot")
        return reply

    on_call(REPORT, act)(service)


def _in_place(member: str, value: Any) -> Callable[[Document], Document]:
    """Reports without a member are taken as if they had it."""
    return lambda body: {member: value, **body}


def _typed(body: Document) -> Document:
    return {"report-type": "scan-report" if "filter" in body else "commit-report", **body}


def _with_measures(usable: Callable[[Any], bool]) -> Callable[[Document], Document]:
    """Metrics that are not usable are ignored instead of being looked at."""

    def rewrite(body: Document) -> Document:
        metrics = body.get("metrics")
        if not isinstance(metrics, dict):
            return body
        return {**body, "metrics": {name: metric for name, metric in metrics.items() if usable(metric)}}

    return rewrite


def _whole_object(metric: Any) -> bool:
    return not isinstance(metric, dict) or {"unit", "value"} <= metric.keys() or {"time-unit", "count", "total-duration"} <= metric.keys()


def _an_object(metric: Any) -> bool:
    return isinstance(metric, dict)


def _other_kind(error: Document) -> None:
    error["error"]["type"] = "NotFoundException"


def _breaks_on(wrong: Callable[[Document], bool]) -> Install:
    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if wrong(arguments["body"]):
            raise Problem(500, "InternalServerError", "asked for by a fault")
        return handler(**arguments)

    return on_call(REPORT, act)


def _unknown(body: Document) -> bool:
    return body["report-type"] not in {"scan-report", "commit-report"}


def _committed(when: Callable[[Document], bool]) -> Install:
    """Reports are written down in the properties of their table."""

    def install(service: Service) -> None:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            reply = handler(**arguments)
            if when(arguments["body"]):
                update = {"action": "set-properties", "updates": {"last-report": arguments["body"]["report-type"]}}
                place = {name: arguments[name] for name in ("namespace", "table")}
                service.handlers[COMMIT](**place, body={"requirements": [], "updates": [update]})
            return reply

        on_call(REPORT, act)(service)

    return install


def _told_of(service: Service) -> None:
    """Note reports among the properties of their table, without a commit."""
    store, take = service.lends["catalog"].store, service.handlers[REPORT]

    def report(**arguments: Any) -> Reply:
        reply: Reply = take(**arguments)
        key = identifier_key(levels_of(arguments["namespace"]), arguments["table"])
        with store.begin() as transaction:
            former = transaction.get(key)
            metadata = {**former.document["metadata"], "properties": {**former.document["metadata"]["properties"], "last-report": "scan"}}
            document = {**former.document, "metadata": metadata}
            transaction.put(key, Record("table", document, orjson.dumps(document), former.tag))
        return reply

    service.handlers[REPORT] = report


def _of_views(service: Service) -> None:
    views: set[tuple[str, str]] = set()

    def made(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        views.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def reported(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return NO_CONTENT if (arguments["namespace"], arguments["table"]) in views else handler(**arguments)

    on_call("createView", made)(service)
    on_call(REPORT, reported)(service)


FAULTS = (
    Fault("scan-reports-are-refused", "Reports of scans are refused.", ("IRC-TBL-MET-001",), refused_if(REPORT, _is("scan-report"))),
    Fault("commit-reports-are-refused", "Reports of commits are refused.", ("IRC-TBL-MET-002",), refused_if(REPORT, _is("commit-report"))),
    Fault(
        "reports-are-accepted-later",
        "Reports are answered with 202.",
        ("IRC-TBL-MET-001", "IRC-TBL-MET-002", "IRC-TBL-MET-006", "IRC-TBL-MET-008"),
        on_status(REPORT, {204: 202}),
    ),
    Fault(
        "reports-of-the-past-are-refused",
        "Reports of snapshots that are not current are refused.",
        ("IRC-TBL-MET-001", "IRC-TBL-MET-002"),
        _of_the_past,
    ),
    Fault("reports-need-no-type", "Reports without their type are taken.", ("IRC-TBL-MET-003",), taken_as(REPORT, _typed)),
    Fault(
        "reports-need-no-table-name",
        "Reports without the name of the table are taken.",
        ("IRC-TBL-MET-004",),
        taken_as(REPORT, _in_place("table-name", "t")),
    ),
    Fault(
        "reports-need-no-snapshot",
        "Reports without a snapshot are taken.",
        ("IRC-TBL-MET-004",),
        taken_as(REPORT, _in_place("snapshot-id", 1)),
    ),
    Fault(
        "reports-need-no-metrics", "Reports without metrics are taken.", ("IRC-TBL-MET-004",), taken_as(REPORT, _in_place("metrics", {}))
    ),
    Fault("missing-tables-are-reported", "Reports of missing tables are taken.", ("IRC-TBL-MET-005",), on_status(REPORT, {404: 204})),
    Fault("views-are-reported", "Reports of views are taken.", ("IRC-TBL-MET-005",), _of_views),
    Fault(
        "missing-tables-of-reports-are-something",
        "The error type for reports of missing tables is NotFoundException.",
        ("IRC-TBL-MET-005",),
        on_answer(REPORT, _other_kind, status=404),
    ),
    Fault(
        "unknown-metrics-are-refused",
        "Reports with a metric of an unknown name are refused.",
        ("IRC-TBL-MET-006",),
        refused_if(REPORT, lambda body: bool(body["metrics"].keys() - KNOWN_METRICS)),
    ),
    Fault(
        "reports-say-nothing-besides",
        "Reports with entries in `metadata` are refused.",
        ("IRC-TBL-MET-006",),
        refused_if(REPORT, lambda body: bool(body.get("metadata"))),
    ),
    Fault("metrics-are-anything", "Nobody looks at metrics.", ("IRC-TBL-MET-007",), taken_as(REPORT, _with_measures(lambda _: False))),
    Fault(
        "metrics-may-be-half",
        "Counters without a value, and timers without a duration, are ignored.",
        ("IRC-TBL-MET-007",),
        taken_as(REPORT, _with_measures(_whole_object)),
    ),
    Fault(
        "metrics-may-be-bare",
        "Metrics that are no objects are ignored.",
        ("IRC-TBL-MET-007",),
        taken_as(REPORT, _with_measures(_an_object)),
    ),
    Fault(
        "filters-are-objects",
        "Reports whose filter is a bare boolean are refused.",
        ("IRC-TBL-MET-008",),
        refused_if(REPORT, lambda body: isinstance(body.get("filter"), bool)),
    ),
    Fault(
        "filters-that-are-true-are-bare",
        "Reports whose filter is an object of the type true are refused.",
        ("IRC-TBL-MET-008",),
        refused_if(REPORT, lambda body: body.get("filter") == {"type": "true"}),
    ),
    Fault("unknown-reports-break", "Reports of an unknown type are a server error.", ("IRC-TBL-MET-009",), _breaks_on(_unknown)),
    Fault("reports-become-properties", "Tables tell of their last report.", ("IRC-TBL-MET-010",), _told_of),
    Fault("reports-are-commits", "Reports change the table.", ("IRC-TBL-MET-010",), _committed(lambda _: True)),
    Fault(
        "reports-of-commits-are-commits",
        "Reports of commits change the table.",
        ("IRC-TBL-MET-010",),
        _committed(_is("commit-report")),
    ),
)
