"""Scans that go wrong where a request says several things at once, or says them to the last digit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, on_call
from lakepact.reference_server.iceberg_rest.faults.ways.scans import (
    FETCH,
    PLAN,
    TASKS,
    asked_as,
    data_told,
    deletes_told,
    filtered_as,
    kinds_in,
    set_to,
    tasks_told,
    without,
)
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.replies import json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

MOST_VALUES = 200


def _few_values(one: Any) -> Any:
    return {**one, "values": one["values"][:MOST_VALUES]} if isinstance(one, dict) and one.get("type") == "in" else one


def literals_as(kind: type, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Literals of one kind are taken for others."""

    def edit(one: Any) -> Any:
        return {**one, "value": change(one["value"])} if isinstance(one, dict) and type(one.get("value")) is kind else one

    return edit


def _to_milliseconds(text: str) -> str:
    moment, dot, fraction = text.partition(".")
    return f"{moment}.{fraction[:3]}{fraction[6:]}" if dot and "T" in moment else text


def _filters_are_of_main(_: Document, body: Document) -> Document:
    return without(body, "snapshot-id") if "filter" in body else body


def _selections_have_no_start(_: Document, body: Document) -> Document:
    return without(body, "start-snapshot-id") if "select" in body else body


def _case_counts_within(_: Document, body: Document) -> Document:
    combined = "filter" in body and kinds_in(body["filter"]) & {"and", "or", "not"}
    return without(body, "case-sensitive") if combined else body


def losing_deletes(where: Callable[[Document], Any]) -> Callable[[Handler, Arguments], Reply]:
    """Plans of some requests have no delete files."""

    def answer(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if not where(arguments.get("body") or {}):
            return reply
        document = reply.document
        document.pop("delete-files", None)
        for task in document.get("file-scan-tasks") or []:
            task.pop("delete-file-references", None)
        return json_reply(document)

    return answer


def _eager_in_the_background(service: Service) -> None:
    """Leave the first file out of what a filter is asked for in the background."""
    filtered: set[str] = set()

    def planned(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[PLAN](**arguments)
        if "filter" in (arguments.get("body") or {}):
            filtered.add(reply.document.get("plan-id", ""))
        return reply

    def fetched(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[FETCH](**arguments)
        document = reply.document
        if arguments["plan_id"] in filtered and document.get("file-scan-tasks"):
            del document["file-scan-tasks"][0]
        return json_reply(document)

    given(PLAN, planned)(service)
    given(FETCH, fetched)(service)


def _crossed(file: Document) -> None:
    if "lower-bounds" in file and "upper-bounds" in file:
        file["lower-bounds"], file["upper-bounds"] = file["upper-bounds"], file["lower-bounds"]


FAULTS = (
    Fault("sets-are-cut-off", "Of a set, two hundred values count.", ("IRC-SCAN-PLAN-015",), filtered_as(_few_values)),
    Fault(
        "numbers-of-filters-are-doubles",
        "Whole numbers of filters lose what no double has.",
        ("IRC-SCAN-PLAN-015",),
        filtered_as(literals_as(int, lambda number: int(float(number)))),
    ),
    Fault(
        "moments-of-filters-are-milliseconds",
        "Microseconds of filters are lost.",
        ("IRC-SCAN-PLAN-015",),
        filtered_as(literals_as(str, _to_milliseconds)),
    ),
    Fault("filtered-scans-are-of-main", "With a filter, main is planned.", ("IRC-SCAN-PLAN-009",), asked_as(_filters_are_of_main)),
    Fault(
        "selected-columns-have-no-start",
        "A scan of some columns between two snapshots has all up to the end.",
        ("IRC-SCAN-PLAN-010",),
        asked_as(_selections_have_no_start),
    ),
    Fault(
        "filtered-files-lose-deletes",
        "With a filter, delete files are lost.",
        ("IRC-SCAN-SCH-003",),
        on_call(PLAN, losing_deletes(lambda body: "filter" in body)),
    ),
    Fault(
        "former-files-lose-deletes",
        "Of a snapshot that is asked for, delete files are lost.",
        ("IRC-SCAN-SCH-003",),
        on_call(PLAN, losing_deletes(lambda body: "snapshot-id" in body)),
    ),
    Fault(
        "filters-in-the-background-are-eager",
        "With a filter, plans in the background lose a file.",
        ("IRC-SCAN-FETCH-002",),
        _eager_in_the_background,
    ),
    Fault(
        "plan-tasks-match-no-row",
        "What plan tasks stand for has residuals that hold for no row.",
        ("IRC-SCAN-SCH-017",),
        tasks_told(set_to("residual-filter", {"type": "false"}, where=lambda task: "residual-filter" in task), TASKS),
    ),
    Fault(
        "delete-files-have-no-partition",
        "The partition of delete files is empty.",
        ("IRC-SCAN-SCH-008",),
        deletes_told(set_to("partition", [])),
    ),
    Fault("delete-files-delete-once", "All delete files hold one record.", ("IRC-SCAN-SCH-009",), deletes_told(set_to("record-count", 1))),
    Fault("bounds-are-crossed", "Lower bounds are told as upper ones.", ("IRC-SCAN-PLAN-021",), data_told(_crossed)),
    Fault(
        "letter-case-counts-within",
        "Letter case counts in filters of several parts, whatever is said.",
        ("IRC-SCAN-PLAN-018",),
        asked_as(_case_counts_within),
    ),
)
