"""Additions that are taken for what the table has already, or that lose a part on the way."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault
from lakepact.reference_server.iceberg_rest.faults.ways.updates import afterwards, in_place_of, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.updates import Update
    from lakepact.reference_server.iceberg_rest.updates import Draft

DEFAULTS = ("initial-default", "write-default")


def _alike(kind: str, member: str, added: str, told_by: Callable[[Document], object]) -> Callable[[Update, Draft, Document], None]:
    """What is told by the same as one that the table has is that one.

    Args:
        kind: the member of the update, and the beginning of the member that has its id.
        member: where the table keeps them.
        added: what -1 stands for.
        told_by: what one is told by.
    """

    def act(update: Update, draft: Draft, document: Document) -> None:
        for known in draft.items(member):
            if told_by(known) == told_by(document[kind]):
                setattr(draft, added, known[f"{kind.rpartition('-')[2]}-id"])
                return
        update(draft, document)

    return act


def _names_and_types(schema: Document) -> object:
    return [(field["name"], str(field["type"])) for field in schema["fields"]]


def _fields(schema: Document) -> object:
    return schema["fields"]


def _columns(order: Document) -> object:
    return [field["source-id"] for field in order["fields"]]


def _methods(spec: Document) -> object:
    return sorted((field["source-id"], field["transform"].partition("[")[0]) for field in spec["fields"])


def _unnamed(spec: Document) -> object:
    return [(field["source-id"], field["transform"]) for field in spec["fields"]]


def _named(spec: Document) -> object:
    return sorted((field["source-id"], field["name"]) for field in spec["fields"])


def _by_names_without_ids(update: Update, draft: Draft, document: Document) -> None:
    has_ids = any("field-id" in field for field in document["spec"]["fields"])
    (update if has_ids else partial(_alike("spec", "partition-specs", "added_spec", _named), update))(draft, document)


def _in_any_turn(order: Document) -> object:
    return sorted(tuple(field[member] for member in ("source-id", "transform", "direction", "null-order")) for field in order["fields"])


def _without_defaults(_: Draft, document: Document) -> Document:
    fields = [{member: value for member, value in field.items() if member not in DEFAULTS} for field in document["schema"]["fields"]]
    return {**document, "schema": {**document["schema"], "fields": fields}}


def _as_said(draft: Draft, document: Document) -> None:
    said = document.get("last-column-id")
    if said is not None:
        draft.set("last-column-id", said)


def _without_inner_defaults(_: Draft, update: Document) -> Document:
    schema = update.get("schema")
    if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
        return update
    return {**update, "schema": {**schema, "fields": [{**field, "type": _plain(field.get("type"))} for field in schema["fields"]]}}


def _plain(column_type: Any) -> Any:
    if not isinstance(column_type, dict) or "fields" not in column_type:
        return column_type
    fields = [{member: value for member, value in field.items() if member not in DEFAULTS} for field in column_type["fields"]]
    return {**column_type, "fields": fields}


FAULTS = (
    Fault(
        "added-structs-lose-defaults",
        "Default values within columns are lost.",
        ("IRC-UPD-010",),
        rewritten("add-schema", _without_inner_defaults),
    ),
    Fault(
        "schemas-told-by-names",
        "A schema whose columns have the names and types of a known one is that one.",
        ("IRC-UPD-010",),
        in_place_of("add-schema", _alike("schema", "schemas", "added_schema", _names_and_types)),
    ),
    Fault(
        "identifier-fields-overlooked",
        "A schema that differs in identifier fields alone is a known one.",
        ("IRC-UPD-010",),
        in_place_of("add-schema", _alike("schema", "schemas", "added_schema", _fields)),
    ),
    Fault(
        "defaults-lost-in-commits",
        "Columns that are added have no default values.",
        ("IRC-UPD-010",),
        rewritten("add-schema", _without_defaults),
    ),
    Fault(
        "last-column-id-as-said",
        "The last column id is the one that the request says.",
        ("IRC-UPD-012",),
        afterwards("add-schema", _as_said),
    ),
    Fault(
        "specs-told-by-columns",
        "A spec that divides the columns of a known one by other widths, or in another order, is that one.",
        ("IRC-UPD-026",),
        in_place_of("add-spec", _alike("spec", "partition-specs", "added_spec", _methods)),
    ),
    Fault(
        "specs-told-without-names",
        "A spec that differs from a known one in the names of its fields alone is that one.",
        ("IRC-UPD-026",),
        in_place_of("add-spec", _alike("spec", "partition-specs", "added_spec", _unnamed)),
    ),
    Fault(
        "specs-told-by-names",
        "A spec whose fields have no ids, and columns and names of a known one, is that one.",
        ("IRC-UPD-026",),
        in_place_of("add-spec", _by_names_without_ids),
    ),
    Fault(
        "orders-told-without-turn",
        "An order that sorts by the fields of a known one in another turn is that one.",
        ("IRC-UPD-032",),
        in_place_of("add-sort-order", _alike("sort-order", "sort-orders", "added_order", _in_any_turn)),
    ),
    Fault(
        "orders-told-by-columns",
        "An order that sorts by the columns of a known one is that one.",
        ("IRC-UPD-032",),
        in_place_of("add-sort-order", _alike("sort-order", "sort-orders", "added_order", _columns)),
    ),
)
