"""Scans that go wrong where a request says several things at once, or says them to the last
digit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import fault, on_call
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators import scans
from mutants.iceberg_rest.operators.tables import Handlers, for_operation

MOST_VALUES = 200


def literals_as(kind: type, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Literals of one kind are taken for others."""

    def edit(one: Any) -> Any:
        return (
            {**one, "value": change(one["value"])}
            if isinstance(one, dict) and type(one.get("value")) is kind
            else one
        )

    return edit


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


@fault("IRC-SCAN-PLAN-015", by=lambda act: scans.filtered_as(literals_as(str, act)))
def moments_of_filters_are_milliseconds(text: str) -> str:
    moment, dot, fraction = text.partition(".")
    return f"{moment}.{fraction[:3]}{fraction[6:]}" if dot and "T" in moment else text


@fault("IRC-SCAN-FETCH-002")
def filters_in_the_background_are_eager(service: Service) -> None:
    filtered: set[str] = set()

    def planned(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[scans.PLAN](**arguments)
        if "filter" in (arguments.get("body") or {}):
            filtered.add(reply.document.get("plan-id", ""))
        return reply

    def fetched(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[scans.FETCH](**arguments)
        document = reply.document
        if arguments["plan_id"] in filtered and document.get("file-scan-tasks"):
            del document["file-scan-tasks"][0]
        return json_reply(document)

    for_operation(scans.PLAN, planned)(service)
    for_operation(scans.FETCH, fetched)(service)


@fault("IRC-SCAN-PLAN-021", by=scans.data_told)
def bounds_are_crossed(file: Document) -> None:
    if "lower-bounds" in file and "upper-bounds" in file:
        file["lower-bounds"], file["upper-bounds"] = file["upper-bounds"], file["lower-bounds"]


@fault("IRC-SCAN-PLAN-018", by=scans.asked_as)
def letter_case_counts_within(_: Document, body: Document) -> Document:
    combined = "filter" in body and scans.kinds_in(body["filter"]) & {"and", "or", "not"}
    return scans.without(body, "case-sensitive") if combined else body


FAULTS = {
    "sets-are-cut-off IRC-SCAN-PLAN-015": scans.filtered_as(
        lambda one: (
            {**one, "values": one["values"][:MOST_VALUES]}
            if isinstance(one, dict) and one.get("type") == "in"
            else one
        )
    ),
    "numbers-of-filters-are-doubles IRC-SCAN-PLAN-015": scans.filtered_as(
        literals_as(int, lambda number: int(float(number)))
    ),
    "filtered-scans-are-of-main IRC-SCAN-PLAN-009": scans.asked_as(
        lambda _, body: scans.without(body, "snapshot-id") if "filter" in body else body
    ),
    "selected-columns-have-no-start IRC-SCAN-PLAN-010": scans.asked_as(
        lambda _, body: scans.without(body, "start-snapshot-id") if "select" in body else body
    ),
    "filtered-files-lose-deletes IRC-SCAN-SCH-003": on_call(
        scans.PLAN, losing_deletes(lambda body: "filter" in body)
    ),
    "former-files-lose-deletes IRC-SCAN-SCH-003": on_call(
        scans.PLAN, losing_deletes(lambda body: "snapshot-id" in body)
    ),
    "plan-tasks-match-no-row IRC-SCAN-SCH-017": scans.tasks_told(
        scans.set_to(
            "residual-filter", {"type": "false"}, where=lambda task: "residual-filter" in task
        ),
        scans.TASKS,
    ),
    "delete-files-have-no-partition IRC-SCAN-SCH-008": scans.deletes_told(
        scans.set_to("partition", [])
    ),
    "delete-files-delete-once IRC-SCAN-SCH-009": scans.deletes_told(
        scans.set_to("record-count", 1)
    ),
}
