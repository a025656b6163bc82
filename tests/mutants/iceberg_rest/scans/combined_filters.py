"""Scans that go wrong where a request says several things at once, or says them to the last digit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.replies import json_reply
from mutants.iceberg_rest.operators.scans import (
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
from mutants.iceberg_rest.operators.tables import for_operation

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service
    from mutants.iceberg_rest.operators.tables import Arguments, Handlers

MOST_VALUES = 200


def literals_as(kind: type, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Literals of one kind are taken for others."""

    def edit(one: Any) -> Any:
        return {**one, "value": change(one["value"])} if isinstance(one, dict) and type(one.get("value")) is kind else one

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


@fault("IRC-SCAN-PLAN-015", by=partial(filtered_as))
def sets_are_cut_off(one: Any) -> Any:
    """Of a set, two hundred values count."""
    return {**one, "values": one["values"][:MOST_VALUES]} if isinstance(one, dict) and one.get("type") == "in" else one


@fault("IRC-SCAN-PLAN-015")
def numbers_of_filters_are_doubles() -> Install:
    """Whole numbers of filters lose what no double has."""
    return filtered_as(literals_as(int, lambda number: int(float(number))))


@fault("IRC-SCAN-PLAN-015", by=lambda act: filtered_as(literals_as(str, act)))
def moments_of_filters_are_milliseconds(text: str) -> str:
    """Microseconds of filters are lost."""
    moment, dot, fraction = text.partition(".")
    return f"{moment}.{fraction[:3]}{fraction[6:]}" if dot and "T" in moment else text


@fault("IRC-SCAN-PLAN-009", by=partial(asked_as))
def filtered_scans_are_of_main(_: Document, body: Document) -> Document:
    """With a filter, main is planned."""
    return without(body, "snapshot-id") if "filter" in body else body


@fault("IRC-SCAN-PLAN-010", by=partial(asked_as))
def selected_columns_have_no_start(_: Document, body: Document) -> Document:
    """A scan of some columns between two snapshots has all up to the end."""
    return without(body, "start-snapshot-id") if "select" in body else body


@fault("IRC-SCAN-SCH-003")
def filtered_files_lose_deletes() -> Install:
    """With a filter, delete files are lost."""
    return on_call(PLAN, losing_deletes(lambda body: "filter" in body))


@fault("IRC-SCAN-SCH-003")
def former_files_lose_deletes() -> Install:
    """Of a snapshot that is asked for, delete files are lost."""
    return on_call(PLAN, losing_deletes(lambda body: "snapshot-id" in body))


@fault("IRC-SCAN-FETCH-002")
def filters_in_the_background_are_eager(service: Service) -> None:
    """With a filter, plans in the background lose a file."""
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

    for_operation(PLAN, planned)(service)
    for_operation(FETCH, fetched)(service)


@fault("IRC-SCAN-SCH-017")
def plan_tasks_match_no_row() -> Install:
    """Files of plan tasks have residuals that hold for no row."""
    return tasks_told(set_to("residual-filter", {"type": "false"}, where=lambda task: "residual-filter" in task), TASKS)


@fault("IRC-SCAN-SCH-008")
def delete_files_have_no_partition() -> Install:
    """The partition of delete files is empty."""
    return deletes_told(set_to("partition", []))


@fault("IRC-SCAN-SCH-009")
def delete_files_delete_once() -> Install:
    """All delete files hold one record."""
    return deletes_told(set_to("record-count", 1))


@fault("IRC-SCAN-PLAN-021", by=partial(data_told))
def bounds_are_crossed(file: Document) -> None:
    """Lower and upper bounds are swapped."""
    if "lower-bounds" in file and "upper-bounds" in file:
        file["lower-bounds"], file["upper-bounds"] = file["upper-bounds"], file["lower-bounds"]


@fault("IRC-SCAN-PLAN-018", by=partial(asked_as))
def letter_case_counts_within(_: Document, body: Document) -> Document:
    """Letter case counts in filters of several parts, whatever is said."""
    combined = "filter" in body and kinds_in(body["filter"]) & {"and", "or", "not"}
    return without(body, "case-sensitive") if combined else body
