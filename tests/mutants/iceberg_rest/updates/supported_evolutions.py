"""Updates that the table format allows, and that are refused or changed all the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators.updates import refused_when, rewritten


def _fields(update: Document, member: str) -> list[Any]:
    held = update.get(member)
    fields = held.get("fields") if isinstance(held, dict) else None
    return fields if isinstance(fields, list) else []


def _widens(narrow: str) -> Callable[[Draft, Document], bool]:
    """Whether a column of a type becomes one of another."""

    def widens(draft: Draft, update: Document) -> bool:
        known: dict[int, Any] = {}
        for schema in draft.items("schemas"):
            known.update(types_by_id(schema))
        return any(
            str(known.get(field.get("id"), field.get("type"))).startswith(narrow)
            and known[field["id"]] != field.get("type")
            for field in _fields(update, "schema")
            if field.get("id") in known
        )

    return widens


def _within_others(member: str) -> Callable[[Draft, Document], bool]:
    """Whether a field is made from what is no column at the top."""

    def within(draft: Draft, update: Document) -> bool:
        top = {field["id"] for schema in draft.items("schemas") for field in schema["fields"]}
        inner = {
            number for schema in draft.items("schemas") for number in types_by_id(schema)
        } - top
        return any(field.get("source-id") in inner for field in _fields(update, member))

    return within


def _transforms(*names: str) -> Callable[[Draft, Document], bool]:
    return lambda _, update: any(
        field.get("transform") in names for field in _fields(update, "spec")
    )


def _is_operation(*names: str) -> Callable[[Draft, Document], bool]:
    return lambda _, update: (update["snapshot"].get("summary") or {}).get("operation") in names


@fault("IRC-UPD-010", by=partial(rewritten, "add-schema"))
def columns_are_added_in_small_letters(_: Draft, update: Document) -> Document:
    fields = _fields(update, "schema")
    if not all(isinstance(field.get("name"), str) for field in fields):
        return update
    return {
        **update,
        "schema": {
            **update["schema"],
            "fields": [{**field, "name": field["name"].lower()} for field in fields],
        },
    }


@fault("IRC-UPD-022", by=partial(refused_when, "add-spec"))
def divides_once_by_a_column(_: Draft, update: Document) -> bool:
    sources = [field.get("source-id") for field in _fields(update, "spec")]
    return len(sources) > len(set(sources))


FAULTS = {
    "floats-stay-floats IRC-UPD-010": refused_when("add-schema", _widens("float")),
    "decimals-stay-as-they-are IRC-UPD-010": refused_when("add-schema", _widens("decimal")),
    "divides-by-no-inner-columns IRC-UPD-022": refused_when("add-spec", _within_others("spec")),
    "knows-no-void IRC-UPD-022": refused_when("add-spec", _transforms("void")),
    "knows-no-hours IRC-UPD-022": refused_when("add-spec", _transforms("hour")),
    "sorts-by-no-inner-columns IRC-UPD-029": refused_when(
        "add-sort-order", _within_others("sort-order")
    ),
    "snapshots-never-delete IRC-UPD-035": refused_when(
        "add-snapshot", _is_operation("replace", "delete")
    ),
}
