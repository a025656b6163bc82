"""Requests for new tables: creations, stages, and requests that every server must refuse."""

from __future__ import annotations

import copy
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.commits import updates as upd
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import ASSERT_CREATE
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SCHEMA,
    CatalogLab,
    Namespace,
    Table,
    with_hyphens,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import members, objects
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import Document, Members, Reply
from lakepact.conformance.evidence.outcome import Blocked, Unmet
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

# -- requests --------------------------------------------------------------------------------------


def field(
    identifier: int, name: str, kind: Any, *, required: bool = False, **further: Any
) -> Document:
    """Return a column, or a field of a struct; `further` are more members, named with underscores
    for hyphens.
    """
    return {
        "id": identifier,
        "name": name,
        "type": kind,
        "required": required,
        **with_hyphens(further),
    }


def struct(*fields: Members) -> Document:
    """Return a struct type; a schema is one."""
    return {"type": "struct", "fields": [dict(inner) for inner in fields]}


def array(identifier: int, element: Any, *, required: bool = False) -> Document:
    """Return a list type."""
    return {
        "type": "list",
        "element-id": identifier,
        "element": element,
        "element-required": required,
    }


def mapping(
    identifiers: tuple[int, int], key: Any, value: Any, *, required: bool = False
) -> Document:
    """Return a map type; `identifiers` are those of key and value."""
    return {
        "type": "map",
        "key-id": identifiers[0],
        "key": key,
        "value-id": identifiers[1],
        "value": value,
        "value-required": required,
    }


def spec(*fields: Members, **further: Any) -> Document:
    """Return a partition spec as a request has it: without ids, unless `further` members name
    them.
    """
    return {
        **with_hyphens(further),
        "fields": [dict(inner) for inner in fields],
    }


def order(*fields: Members, order_id: int = 1) -> Document:
    """Return a sort order as a request has it."""
    return {"order-id": order_id, "fields": [dict(inner) for inner in fields]}


def extend_schema(**further: Any) -> Document:
    """Return `SCHEMA` with further members, named with underscores for hyphens."""
    return {
        **copy.deepcopy(SCHEMA),
        **with_hyphens(further),
    }


# -- what a target does with them ------------------------------------------------------------------


def request_creation(lab: CatalogLab, namespace: Namespace, name: str, **further: Any) -> Reply:
    """Return the answer to creating a table; the clean-up drops it."""
    lab.drop_afterwards(namespace, name)
    return lab.try_create_table(namespace, name, **further)


def created(lab: CatalogLab, namespace: Namespace | None = None, **further: Any) -> Table:
    """Return a new table, whose creation must return 200.

    Raises:
        Unmet: it returns another status.
    """
    home, name = namespace or lab.make_namespace(), lab.name()
    reply = request_creation(lab, home, name, **further)
    expect.status(reply, 200)
    return Table(home, name, reply)


def stage_table(
    lab: CatalogLab, namespace: Namespace | None = None, *, name: str | None = None, **further: Any
) -> Table:
    """Return a staged table.

    Raises:
        Blocked: it cannot be staged.
    """
    home, table_name = namespace or lab.make_namespace(), name or lab.name()
    request = lab.table_request(table_name, stage_create=True, **further)
    reply = lab.require(lab.send(op.create_table, namespace=home, body=request), 200)
    lab.drop_afterwards(home, table_name)
    return Table(home, table_name, reply)


def initial_updates(table: Table) -> list[Members]:
    """Return the updates that make a staged table, in the way of clients: all of it, one after the
    other.

    Raises:
        Blocked: the stage was answered without something that a table needs.
    """
    try:
        return _initial_updates(table)
    except Unmet as unmet:
        raise Blocked(
            f"the stage cannot be committed, because its answer lacks what a table needs: {unmet}"
        ) from unmet


def _initial_updates(table: Table) -> list[Members]:
    order_now = default_order(table)
    return [
        upd.assign_uuid(table.uuid),
        upd.upgrade_format_version(table.member("format-version")),
        upd.add_schema(upd.current_schema(table), last_column_id=table.member("last-column-id")),
        upd.set_current_schema(upd.LAST_ADDED),
        upd.add_spec(*default_spec(table)["fields"], spec_id=table.member("default-spec-id")),
        upd.set_default_spec(upd.LAST_ADDED),
        upd.add_sort_order(*order_now["fields"], order_id=order_now["order-id"]),
        upd.set_default_sort_order(upd.LAST_ADDED),
        upd.set_location(table.location),
        {"action": "set-properties", "updates": table.metadata.get("properties") or {}},
    ]


def commit_stage(lab: CatalogLab, table: Table, *further: Members) -> Reply:
    """Return the answer to the commit that creates a staged table; `further` updates come after the
    initial ones, properties with those.
    """
    updates = initial_updates(table)
    for update in further:
        if update["action"] == updates[-1]["action"] == "set-properties":
            updates[-1] = {**update, "updates": {**updates[-1]["updates"], **update["updates"]}}
        else:
            updates.append(dict(update))
    return lab.try_commit(table, *updates, requirements=[ASSERT_CREATE])


# -- what a new table is made of -------------------------------------------------------------------


def default_spec(table: Table) -> Document:
    """Return the default partition spec.

    Raises:
        Unmet: there is none.
    """
    return _default(table, "partition-specs", default="default-spec-id", key="spec-id")


def default_order(table: Table) -> Document:
    """Return the default sort order.

    Raises:
        Unmet: there is none.
    """
    return _default(table, "sort-orders", default="default-sort-order-id", key="order-id")


def _default(table: Table, member: str, *, default: str, key: str) -> Document:
    default_id = table.member(default)
    for one in table.member(member):
        if one.get(key) == default_id:
            entry: Document = one
            return entry
    wrong = (
        f"one of `{member}` with the {key} {default_id}, which is the default",
        expect.excerpt(table.member(member)),
    )
    raise expect.unmet(*wrong, at=table.place(member), kind=Kind.MISSING)


def sources(schema: Members) -> dict[Any, str]:
    """Return names of all fields of a schema by their ids, levels joined by dots."""
    names: dict[Any, str] = {}
    todo: list[tuple[str, Members]] = [("", schema)]
    while todo:
        above, outer = todo.pop()
        parts = [
            (part.get("id"), part.get("name"), part.get("type"))
            for part in objects(outer, "fields")
        ]
        parts += [
            (outer.get(f"{part}-id"), part, outer[part])
            for part in ("element", "key", "value")
            if part in outer
        ]
        for identifier, name, kind in parts:
            names[identifier] = f"{above}{name}"
            todo.append((f"{above}{name}.", members(kind)))
    return names


def partitioning(fields: list[Members], schema: Members) -> list[list[Any]]:
    """Partition fields without ids: the column's name, the transform, and the name that the field
    has.
    """
    names = sources(schema)
    return [
        [names.get(one.get("source-id")), one.get("transform"), one.get("name")] for one in fields
    ]


def sorting(fields: list[Members], schema: Members) -> list[list[Any]]:
    """Sort fields without ids: the column's name, the transform, the direction and the place of
    nulls.
    """
    names = sources(schema)
    rest = ("transform", "direction", "null-order")
    return [
        [names.get(one.get("source-id")), *(one.get(member) for member in rest)] for one in fields
    ]


def shape(kind: Any) -> Any:
    """Return a type without ids and without differences of spelling: names, types, `required` flags
    and docs.
    """
    if not isinstance(kind, dict):
        return str(kind).replace(" ", "")
    outer = members(kind)
    if outer.get("type") == "struct":
        return [
            [one.get("name"), shape(one.get("type")), one.get("required"), one.get("doc")]
            for one in objects(outer, "fields")
        ]
    parts = ("element", "element-required", "key", "value", "value-required")
    return {
        "type": outer.get("type"),
        **{part: shape(outer[part]) for part in parts if part in outer},
    }
