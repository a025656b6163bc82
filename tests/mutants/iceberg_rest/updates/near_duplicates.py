"""Additions that are taken for what the table has already, or that lose a part on the way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators.updates import Update, afterwards, in_place_of, rewritten

DEFAULTS = ("initial-default", "write-default")


def _alike(
    kind: str, member: Member, added: str, told_by: Callable[[Document], object]
) -> Callable[[Update, Draft, Document], None]:
    """An added item that is similar to an existing one is taken for it.

    Args:
        kind: the member of the update, and the prefix of the member with its id.
        member: the table's list of items.
        added: the meaning of -1.
        told_by: returns the compared members.
    """

    def act(update: Update, draft: Draft, document: Document) -> None:
        for known in draft.items(member):
            if told_by(known) == told_by(document[kind]):
                setattr(draft, added, known[f"{kind.rpartition('-')[2]}-id"])
                return
        update(draft, document)

    return act


def _named(spec: Document) -> object:
    return sorted((field["source-id"], field["name"]) for field in spec["fields"])


def _plain(column_type: Any) -> Any:
    if not isinstance(column_type, dict) or "fields" not in column_type:
        return column_type
    fields = [
        {member: value for member, value in field.items() if member not in DEFAULTS}
        for field in column_type["fields"]
    ]
    return {**column_type, "fields": fields}


@fault("IRC-UPD-010", by=partial(rewritten, "add-schema"))
def added_structs_lose_defaults(_: Draft, update: Document) -> Document:
    schema = update.get("schema")
    if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
        return update
    return {
        **update,
        "schema": {
            **schema,
            "fields": [{**field, "type": _plain(field.get("type"))} for field in schema["fields"]],
        },
    }


@fault(
    "IRC-UPD-010",
    by=lambda act: in_place_of("add-schema", _alike("schema", "schemas", "added_schema", act)),
)
def schemas_compared_by_names(schema: Document) -> object:
    return [(field["name"], str(field["type"])) for field in schema["fields"]]


@fault("IRC-UPD-010", by=partial(rewritten, "add-schema"))
def defaults_lost_in_commits(_: Draft, document: Document) -> Document:
    fields = [
        {member: value for member, value in field.items() if member not in DEFAULTS}
        for field in document["schema"]["fields"]
    ]
    return {**document, "schema": {**document["schema"], "fields": fields}}


@fault("IRC-UPD-012", by=partial(afterwards, "add-schema"))
def last_column_id_as_requested(draft: Draft, document: Document) -> None:
    said = document.get("last-column-id")
    if said is not None:
        draft.set("last-column-id", said)


@fault(
    "IRC-UPD-026",
    by=lambda act: in_place_of("add-spec", _alike("spec", "partition-specs", "added_spec", act)),
)
def specs_compared_by_columns(spec: Document) -> object:
    return sorted(
        (field["source-id"], field["transform"].partition("[")[0]) for field in spec["fields"]
    )


@fault(
    "IRC-UPD-026",
    by=lambda act: in_place_of("add-spec", _alike("spec", "partition-specs", "added_spec", act)),
)
def specs_compared_without_names(spec: Document) -> object:
    return [(field["source-id"], field["transform"]) for field in spec["fields"]]


@fault("IRC-UPD-026", by=partial(in_place_of, "add-spec"))
def specs_compared_by_names(update: Update, draft: Draft, document: Document) -> None:
    has_ids = any("field-id" in field for field in document["spec"]["fields"])
    (
        update
        if has_ids
        else partial(_alike("spec", "partition-specs", "added_spec", _named), update)
    )(draft, document)


@fault(
    "IRC-UPD-032",
    by=lambda act: in_place_of(
        "add-sort-order", _alike("sort-order", "sort-orders", "added_order", act)
    ),
)
def orders_compared_without_direction(order: Document) -> object:
    return sorted(
        tuple(field[member] for member in ("source-id", "transform", "direction", "null-order"))
        for field in order["fields"]
    )


@fault(
    "IRC-UPD-032",
    by=lambda act: in_place_of(
        "add-sort-order", _alike("sort-order", "sort-orders", "added_order", act)
    ),
)
def orders_compared_by_columns(order: Document) -> object:
    return [field["source-id"] for field in order["fields"]]


FAULTS = {
    "identifier-fields-overlooked IRC-UPD-010": in_place_of(
        "add-schema", _alike("schema", "schemas", "added_schema", lambda schema: schema["fields"])
    ),
}
