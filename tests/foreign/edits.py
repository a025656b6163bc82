"""Every edit of `change()` and `transaction()`, forwards and back, each step compared with the
table as it is loaded afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from lakepact.client.iceberg_rest.table_edits import TableEdits
from lakepact.generated.iceberg_rest.models import TableMetadata

from .catalogs import OpenCatalog

NAMESPACE = "edits"
CITY = {"id": 6, "name": "city", "type": "string", "required": False}
SCHEMA = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "at", "type": "timestamptz", "required": False},
        {"id": 3, "name": "n", "type": "int", "required": False},
        {"id": 4, "name": "x", "type": "float", "required": False},
        {
            "id": 5,
            "name": "address",
            "type": {"type": "struct", "fields": [CITY]},
            "required": False,
        },
    ],
}
COLUMNS = ["id long required", "at timestamptz", "n int", "x float", "address(city string)"]
UNION = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        pa.field("n", pa.int64()),
        pa.field("tags", pa.string()),
    ]
)
ROWS = pa.table({"id": [1]}, schema=pa.schema([pa.field("id", pa.int64(), nullable=False)]))


def columns(metadata: TableMetadata) -> list[str]:
    """Return the columns of the current schema."""
    return _columns(metadata.current_schema.to_wire()["fields"])


def _columns(fields: list[dict[str, Any]]) -> list[str]:
    return [_column(one) for one in fields]


def _column(one: dict[str, Any]) -> str:
    nested = one["type"].get("fields") if isinstance(one["type"], dict) else None
    text = (
        f"{one['name']}({', '.join(_columns(nested))})"
        if nested
        else f"{one['name']} {one['type']}"
    )
    return (
        text + " required" * bool(one["required"]) + (f" '{one['doc']}'" if one.get("doc") else "")
    )


def ids(metadata: TableMetadata) -> list[int]:
    """Return the highest field id, and the number of different ids among all columns."""
    numbers = [one["id"] for one in metadata.current_schema.to_wire()["fields"]]
    return [max(numbers), len(set(numbers))]


def partitions(metadata: TableMetadata) -> list[str]:
    """Return the fields of the default partition spec."""
    return [
        f"{one.name} {one.transform}"
        for one in metadata.default_partition_spec.fields
        if one.transform != "void"
    ]


def orders(metadata: TableMetadata) -> list[str]:
    """Return the fields of the default sort order."""
    return [
        f"{one.source_id} {one.transform} {one.direction}"
        for one in metadata.default_sort_order.fields
    ]


def identifiers(metadata: TableMetadata) -> list[int]:
    """Return the ids of the identifier fields."""
    return list(metadata.current_schema.identifier_field_ids or ())


def refs(metadata: TableMetadata) -> dict[str, str]:
    """Return branches and tags with the number of their snapshot, the oldest first."""
    order = [
        one.snapshot_id
        for one in sorted(metadata.snapshots or (), key=lambda one: one.timestamp_ms)
    ]
    return {
        name: f"{ref.type} {order.index(ref.snapshot_id)}"
        for name, ref in (metadata.refs or {}).items()
    }


def own(metadata: TableMetadata) -> dict[str, str]:
    """Return the properties that the edits set."""
    return {name: value for name, value in metadata.properties.items() if name.startswith("own.")}


def folder(metadata: TableMetadata) -> str:
    """Return the last part of the location."""
    return metadata.location.rstrip("/").rpartition("/")[2]


def version(metadata: TableMetadata) -> int:
    """Return the format version."""
    return metadata.format_version


def defaults(metadata: TableMetadata) -> list[object]:
    """Return the default values of the last column."""
    last = metadata.current_schema.to_wire()["fields"][-1]
    return [last.get("initial-default"), last.get("write-default")]


def statistics(metadata: TableMetadata) -> list[int]:
    """Return the numbers of statistics files and partition statistics files."""
    return [len(metadata.statistics), len(metadata.partition_statistics)]


@dataclass(frozen=True)
class Step:
    """Edits of one commit, and what the table shows afterwards."""

    edit: Callable[[TableEdits, TableMetadata], object]  #: takes the table as it was created too
    look: Callable[[TableMetadata], object]
    expected: object


@dataclass(frozen=True)
class Edits:
    """Steps that are made one after the other."""

    name: str
    steps: tuple[Step, ...]
    snapshots: int = 0  #: of the table before the first step
    created: Mapping[str, Any] = field(default_factory=dict)  #: further arguments of `create_table`


def _snapshot(metadata: TableMetadata, number: int) -> int:
    return sorted(metadata.snapshots or (), key=lambda one: one.timestamp_ms)[number].snapshot_id


def _statistics(metadata: TableMetadata) -> dict[str, Any]:
    return {
        "snapshot-id": _snapshot(metadata, 0),
        "statistics-path": f"{metadata.location}/statistics",
        "file-size-in-bytes": 9,
    }


def _sketches(metadata: TableMetadata) -> dict[str, Any]:
    return {**_statistics(metadata), "file-footer-size-in-bytes": 4, "blob-metadata": []}


def _all(table: TableEdits, _: TableMetadata) -> object:
    table.add_column("note", "string").rename_column("n", "amount").add_partition_field(
        "at", "day"
    ).add_partition_field("note")
    return table.update_column("x", "double").set_properties({"own.a": "1"})


def _all_back(table: TableEdits, _: TableMetadata) -> object:
    table.remove_partition_field("at_day").remove_partition_field("note").rename_column(
        "amount", "n"
    )
    return table.drop_column("note").remove_properties("own.a")


EDITS = (
    Edits(
        "add_column, drop_column",
        (
            Step(
                lambda table, _: table.add_column("note", "string", doc="text"),
                columns,
                [*COLUMNS, "note string 'text'"],
            ),
            Step(lambda table, _: table.drop_column("note"), columns, COLUMNS),
            Step(
                lambda table, _: table.add_column("note", "string"),
                columns,
                [*COLUMNS, "note string"],
            ),
            Step(lambda table, _: table.add_column("more", "date"), ids, [9, 7]),
        ),
    ),
    Edits(
        "add_column, drop_column, nested",
        (
            Step(
                lambda table, _: table.add_column(("address", "zip"), "int"),
                columns,
                [*COLUMNS[:4], "address(city string, zip int)"],
            ),
            Step(lambda table, _: table.drop_column(("address", "zip")), columns, COLUMNS),
        ),
    ),
    Edits(
        "rename_column",
        (
            Step(
                lambda table, _: table.rename_column("n", "amount"),
                lambda metadata: columns(metadata)[2],
                "amount int",
            ),
            Step(lambda table, _: table.rename_column("amount", "n"), columns, COLUMNS),
        ),
    ),
    Edits(
        "update_column: type",
        (
            Step(
                lambda table, _: table.update_column("n", "long"),
                lambda metadata: columns(metadata)[2],
                "n long",
            ),
        ),
    ),
    Edits(
        "update_column: doc",
        (
            Step(
                lambda table, _: table.update_column("n", doc="pieces"),
                lambda metadata: columns(metadata)[2],
                "n int 'pieces'",
            ),
            Step(lambda table, _: table.update_column("n", doc=""), columns, COLUMNS),
        ),
    ),
    Edits(
        "update_column: make_optional",
        (
            Step(
                lambda table, _: table.update_column("id", make_optional=True),
                lambda metadata: columns(metadata)[0],
                "id long",
            ),
        ),
    ),
    Edits(
        "drop_column",
        (
            Step(lambda table, _: table.drop_column("address"), columns, COLUMNS[:4]),
            Step(
                lambda table, _: table.add_column("address", "string"),
                columns,
                [*COLUMNS[:4], "address string"],
            ),
        ),
    ),
    Edits(
        "add_partition_field, remove_partition_field",
        (
            Step(
                lambda table, _: table.add_partition_field("at", "day"), partitions, ["at_day day"]
            ),
            Step(
                lambda table, _: table.add_partition_field("id", "bucket[4]", name="part"),
                partitions,
                ["at_day day", "part bucket[4]"],
            ),
            Step(
                lambda table, _: table.remove_partition_field("at_day"),
                partitions,
                ["part bucket[4]"],
            ),
            Step(lambda table, _: table.remove_partition_field("part"), partitions, []),
            Step(
                lambda table, _: table.add_partition_field("at", "day"), partitions, ["at_day day"]
            ),
        ),
    ),
    Edits(
        "sort_by, remove_sort_order",
        (
            Step(
                lambda table, _: table.sort_by("at", "day", direction="desc").sort_by("id"),
                orders,
                ["2 day desc", "1 identity asc"],
            ),
            Step(lambda table, _: table.remove_sort_order(), orders, []),
        ),
    ),
    Edits(
        "move_column, set_identifier_fields",
        (
            Step(
                lambda table, _: table.move_column("n").set_identifier_fields("id"),
                columns,
                [COLUMNS[2], *COLUMNS[:2], *COLUMNS[3:]],
            ),
            Step(lambda table, _: table.move_column("n", after="at"), columns, COLUMNS),
            Step(lambda table, _: table.set_identifier_fields(), identifiers, []),
        ),
    ),
    Edits(
        "expire_snapshots",
        (
            Step(
                lambda table, _: table.expire_snapshots(datetime.now(UTC)),
                refs,
                {"main": "branch 0"},
            ),
        ),
        snapshots=2,
    ),
    Edits(
        "set_properties, remove_properties",
        (
            Step(
                lambda table, _: table.set_properties({"own.a": "1", "own.b": "2"}),
                own,
                {"own.a": "1", "own.b": "2"},
            ),
            Step(lambda table, _: table.remove_properties("own.a"), own, {"own.b": "2"}),
        ),
    ),
    Edits(
        "set_location",
        (
            Step(
                lambda table, first: table.set_location(f"{first.location}/moved"), folder, "moved"
            ),
            Step(
                lambda table, first: table.set_location(f"{first.location}/moved/again"),
                folder,
                "again",
            ),
        ),
    ),
    Edits(
        "upgrade_format_version: 1 to 2",
        (Step(lambda table, _: table.upgrade_format_version(2), version, 2),),
        created={"properties": {"format-version": "1"}},
    ),
    Edits(
        "upgrade_format_version: 2 to 3",
        (Step(lambda table, _: table.upgrade_format_version(3), version, 3),),
    ),
    Edits(
        "set_branch, remove_ref",
        (
            Step(
                lambda table, _: table.set_branch("audit"),
                refs,
                {"main": "branch 1", "audit": "branch 1"},
            ),
            Step(
                lambda table, first: table.set_branch(
                    "audit", _snapshot(first, 0), max_ref_age_ms=86_400_000
                ),
                refs,
                {"main": "branch 1", "audit": "branch 0"},
            ),
            Step(lambda table, _: table.remove_ref("audit"), refs, {"main": "branch 1"}),
        ),
        snapshots=2,
    ),
    Edits(
        "set_tag, remove_ref",
        (
            Step(
                lambda table, first: table.set_tag("old", _snapshot(first, 0)),
                refs,
                {"main": "branch 1", "old": "tag 0"},
            ),
            Step(lambda table, _: table.remove_ref("old"), refs, {"main": "branch 1"}),
        ),
        snapshots=2,
    ),
    Edits(
        "union_by_name",
        (
            Step(
                lambda table, _: table.union_by_name(UNION),
                columns,
                [*COLUMNS[:2], "n long", *COLUMNS[3:], "tags string"],
            ),
        ),
    ),
    Edits(
        "add_column: default, set_default",
        (
            Step(
                lambda table, _: table.add_column("city", "string", required=True, default="Rome"),
                defaults,
                ["Rome", "Rome"],
            ),
            Step(lambda table, _: table.set_default("city", "Oslo"), defaults, ["Rome", "Oslo"]),
        ),
        created={"properties": {"format-version": "3"}},
    ),
    Edits(
        "require_column",
        (
            Step(
                lambda table, _: table.require_column("n"),
                lambda metadata: columns(metadata)[2],
                "n int required",
            ),
        ),
    ),
    Edits(
        "set_statistics, remove_statistics",
        (
            Step(lambda table, first: table.set_statistics(_sketches(first)), statistics, [1, 0]),
            Step(
                lambda table, first: table.set_partition_statistics(_statistics(first)),
                statistics,
                [1, 1],
            ),
            Step(
                lambda table, first: table.remove_statistics(_snapshot(first, 0)),
                statistics,
                [0, 1],
            ),
            Step(
                lambda table, first: table.remove_partition_statistics(_snapshot(first, 0)),
                statistics,
                [0, 0],
            ),
        ),
        snapshots=1,
    ),
    Edits(
        "several edits at once",
        (
            Step(
                _all, columns, [*COLUMNS[:2], "amount int", "x double", COLUMNS[4], "note string"]
            ),
            Step(_all_back, columns, [*COLUMNS[:3], "x double", COLUMNS[4]]),
        ),
    ),
)


def by_change(foreign_catalog: OpenCatalog, edits: Edits) -> list[str]:
    """Make the edits with `change()`, and return what went wrong."""
    return _failures(foreign_catalog, edits, count=1)


def by_transaction(foreign_catalog: OpenCatalog, edits: Edits) -> list[str]:
    """Make the edits of two tables in transactions, and return what went wrong."""
    return _failures(foreign_catalog, edits, count=2)


def _failures(foreign_catalog: OpenCatalog, edits: Edits, *, count: int) -> list[str]:
    tables = [
        _table(foreign_catalog, edits, f"t{EDITS.index(edits)}_{count}{number}")
        for number in range(count)
    ]
    first = [foreign_catalog.catalog.load_table(table).metadata for table in tables]
    for number, step in enumerate(edits.steps, start=1):
        try:
            _commit(foreign_catalog, step, dict(zip(tables, first, strict=True)))
            for table in tables:
                actual = step.look(foreign_catalog.catalog.load_table(table).metadata)
                assert actual == step.expected, (
                    f"the table shows {actual}, expected {step.expected}"
                )
        except Exception as error:  # noqa: BLE001 - an outcome of the server
            return [f"step {number}: {type(error).__name__}: {error}"]
    return []


def _commit(foreign_catalog: OpenCatalog, step: Step, tables: Mapping[str, TableMetadata]) -> None:
    if len(tables) == 1:
        ((table, first),) = tables.items()
        change = foreign_catalog.catalog.change(table)
        step.edit(change, first)
        change.commit()
        return
    transaction = foreign_catalog.catalog.transaction()
    for table, first in tables.items():
        step.edit(transaction.change(table), first)
    transaction.commit()


def _table(foreign_catalog: OpenCatalog, edits: Edits, name: str) -> str:
    if not foreign_catalog.catalog.namespace_exists(NAMESPACE):
        foreign_catalog.catalog.create_namespace(NAMESPACE)
    table = f"{NAMESPACE}.{name}"
    foreign_catalog.catalog.create_table(table, SCHEMA, **edits.created)
    for _ in range(edits.snapshots):
        foreign_catalog.bridge().load_table(table).append(ROWS)
    return table
