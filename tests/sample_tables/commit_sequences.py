"""Hypothesis strategies of random commits that are valid for their table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td

Document = dict[str, Any]

PROPERTIES = st.dictionaries(
    st.text("abc.", min_size=1, max_size=4), st.text(max_size=5), max_size=3
)
RETENTION = st.fixed_dictionaries(
    {},
    optional={
        member: st.integers(1, 10**12)
        for member in ("max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep")
    },
)
PRIMITIVES = st.sampled_from(
    [
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "date",
        "timestamptz",
        "string",
        "uuid",
        "decimal(9, 2)",
        "fixed[4]",
    ]
)


@st.composite
def tables(draw: DrawFn, versions: tuple[int, ...] = (1, 2, 3)) -> Document:
    """Draw a new table, with or without partitions, sort order and properties."""
    more: Document = {}
    if draw(st.booleans()):
        more["partition_spec"] = {
            "fields": [
                td.partition_field(1, "bucket[8]", "id_bucket"),
                td.partition_field(2, "day", "placed_day"),
            ]
        }
    if draw(st.booleans()):
        more["write_order"] = {
            "order-id": 1,
            "fields": [td.sort_field(2, "hour", "desc", "nulls-last")],
        }
    return td.table(version=draw(st.sampled_from(versions)), properties=draw(PROPERTIES), **more)


@dataclass
class Sequence:
    """The updates of a commit so far, and the table after them."""

    draw: DrawFn
    before: Document
    metadata: Document
    updates: list[Document] = field(default_factory=list)

    def add(self, *updates: Document) -> None:
        """Append these updates."""
        self.updates.extend(updates)
        self.metadata = apply_updates(self.before, self.updates, now_ms=td.LATER)

    def one_of(self, values: Any) -> Any:
        """Draw one of these."""
        return self.draw(st.sampled_from(sorted(values)))

    def fresh_id(self, member: str, id_member: str) -> int:
        """Return the next free id of a list."""
        return max((item[id_member] for item in self.metadata[member]), default=-1) + 1

    def by_id(self, member: str, id_member: str, wanted: int) -> Document:
        """Return the item of a list with an id."""
        return next(item for item in self.metadata[member] if item[id_member] == wanted)

    @property
    def schema(self) -> Document:
        """The current schema."""
        return self.by_id("schemas", "schema-id", self.metadata["current-schema-id"])

    def sources(self, *, default: bool) -> set[int]:
        """Return the source columns for specs and orders: the default ones, or all."""
        specs, orders = self.metadata["partition-specs"], self.metadata["sort-orders"]
        if default:
            specs = [spec for spec in specs if spec["spec-id"] == self.metadata["default-spec-id"]]
            orders = [
                order
                for order in orders
                if order["order-id"] == self.metadata["default-sort-order-id"]
            ]
        return {item["source-id"] for holder in (*specs, *orders) for item in holder["fields"]}

    def snapshot_ids(self) -> list[int]:
        """Return the ids of all snapshots."""
        return [snapshot["snapshot-id"] for snapshot in self.metadata["snapshots"]]


def column_ids(schema: Document) -> set[int]:
    return {column["id"] for column in schema["fields"]}


def add_column(s: Sequence) -> None:
    number = s.metadata["last-column-id"] + 1
    column = td.field(
        number, f"column_{number}", s.draw(PRIMITIVES), doc=s.draw(st.text(max_size=3))
    )
    if s.draw(st.booleans()):
        element = {
            "type": "list",
            "element-id": number + 1,
            "element": s.draw(PRIMITIVES),
            "element-required": s.draw(st.booleans()),
        }
        column = td.field(number, f"column_{number}", element)
    _evolve(s, [*s.schema["fields"], column])


def rename_column(s: Sequence) -> None:
    number = s.one_of(column_ids(s.schema))
    name = f"renamed_{number}_{s.fresh_id('schemas', 'schema-id')}"
    _evolve(
        s,
        [
            {**column, "name": name} if column["id"] == number else column
            for column in s.schema["fields"]
        ],
    )


def drop_column(s: Sequence) -> None:
    spare = column_ids(s.schema) - s.sources(default=False)
    if len(spare) > 1:
        _evolve(s, [column for column in s.schema["fields"] if column["id"] != max(spare)])


def promote_column(s: Sequence) -> None:
    wider = {"int": "long", "float": "double", "decimal(9, 2)": "decimal(18, 2)"}
    fields = [
        {**column, "type": wider[column["type"]]} if str(column["type"]) in wider else column
        for column in s.schema["fields"]
    ]
    if fields != s.schema["fields"]:
        _evolve(s, fields)


def _evolve(s: Sequence, fields: list[Document]) -> None:
    if any(schema["fields"] == fields for schema in s.metadata["schemas"]):
        return  # it would be a duplicate
    schema_id = s.fresh_id("schemas", "schema-id")
    s.add(
        td.update(
            "add-schema",
            schema={"schema-id": schema_id, **td.struct(*fields)},
            last_column_id=s.metadata["last-column-id"],
        ),
        td.update("set-current-schema", schema_id=s.one_of([-1, schema_id])),
    )


def set_current_schema(s: Sequence) -> None:
    fitting = [
        schema["schema-id"]
        for schema in s.metadata["schemas"]
        if s.sources(default=True) <= column_ids(schema)
    ]
    s.add(td.update("set-current-schema", schema_id=s.one_of(fitting)))


def remove_schemas(s: Sequence) -> None:
    used = {s.metadata["current-schema-id"]} | {
        snapshot["schema-id"] for snapshot in s.metadata["snapshots"]
    }
    spare = {schema["schema-id"] for schema in s.metadata["schemas"]} - used
    if spare:
        s.add(td.update("remove-schemas", schema_ids=[s.one_of(spare)]))


def first_column_is_as_made(s: Sequence) -> bool:
    """Return whether the source column of specs and orders is unchanged; a spoiled commit may have
    replaced it.
    """
    return any(column["id"] == 1 and column["type"] == "long" for column in s.schema["fields"])


def add_spec(s: Sequence) -> None:
    if not first_column_is_as_made(s):
        return
    spec_id = s.fresh_id("partition-specs", "spec-id")
    first = 1000 if s.metadata["format-version"] == 1 else s.metadata["last-partition-id"] + 1
    transforms = s.draw(
        st.lists(st.sampled_from(["bucket[4]", "truncate[3]", "identity", "void"]), max_size=3)
    )
    fields = [
        td.partition_field(1, transform, f"p{spec_id}_{n}", **{"field-id": first + n})
        for n, transform in enumerate(transforms)
    ]
    if not fields and any(not spec["fields"] for spec in s.metadata["partition-specs"]):
        return  # it would be a duplicate
    s.add(
        td.update("add-spec", spec={"spec-id": spec_id, "fields": fields}),
        td.update("set-default-spec", spec_id=s.one_of([-1, spec_id])),
    )


def set_default_spec(s: Sequence) -> None:
    columns = column_ids(s.schema)
    fitting = [
        spec["spec-id"]
        for spec in s.metadata["partition-specs"]
        if {item["source-id"] for item in spec["fields"]} <= columns
    ]
    s.add(td.update("set-default-spec", spec_id=s.one_of(fitting)))


def remove_partition_specs(s: Sequence) -> None:
    spare = {spec["spec-id"] for spec in s.metadata["partition-specs"]} - {
        s.metadata["default-spec-id"]
    }
    if spare:
        s.add(td.update("remove-partition-specs", spec_ids=[s.one_of(spare)]))


def add_sort_order(s: Sequence) -> None:
    if not first_column_is_as_made(s):
        return
    order_id = max(s.fresh_id("sort-orders", "order-id"), 1)
    # A unique number makes each order new.
    fields = [
        td.sort_field(
            1,
            f"bucket[{order_id + 1}]",
            s.one_of(["asc", "desc"]),
            s.one_of(["nulls-first", "nulls-last"]),
        )
    ]
    s.add(
        td.update("add-sort-order", sort_order={"order-id": order_id, "fields": fields}),
        td.update("set-default-sort-order", sort_order_id=s.one_of([-1, order_id])),
    )


def append(s: Sequence) -> None:
    if _has_numbers_left(s):
        s.add(_new_snapshot(s), td.branch("main", _next_snapshot_id(s)))


def add_snapshot(s: Sequence) -> None:
    if _has_numbers_left(s):
        s.add(_new_snapshot(s))


def _has_numbers_left(s: Sequence) -> bool:
    """Return whether the table has numbers for another snapshot; a spoiled commit may have taken
    the last one.
    """
    return (
        max(
            s.metadata["last-sequence-number"],
            s.metadata.get("next-row-id", 0),
            _next_snapshot_id(s),
        )
        < 2**63 - 10
    )


def _next_snapshot_id(s: Sequence) -> int:
    # Ids exceed the exact range of floats and differ in their lowest bits only; an id removed in a
    # commit is not used again in it.
    before = [snapshot["snapshot-id"] for snapshot in s.before["snapshots"]]
    added = [
        update["snapshot"]["snapshot-id"]
        for update in s.updates
        if update["action"] == "add-snapshot"
    ]
    return max([2**53 + 1000, *before, *added]) + 1


def _new_snapshot(s: Sequence) -> Document:
    version = s.metadata["format-version"]
    more: Document = {}
    if version == 3:
        more = {"first_row_id": s.metadata["next-row-id"], "added_rows": s.draw(st.integers(0, 5))}
    number = (
        None if version == 1 else s.metadata["last-sequence-number"] + s.draw(st.integers(1, 3))
    )
    at = td.CREATED + s.draw(st.integers(0, 10**6))
    added = td.snapshot(
        _next_snapshot_id(s), number, parent=s.metadata.get("current-snapshot-id"), at=at, **more
    )
    return td.update(
        "add-snapshot", snapshot={**added, "schema-id": s.metadata["current-schema-id"]}
    )


def set_reference(s: Sequence) -> None:
    if not s.snapshot_ids():
        return
    name, retention = s.one_of(["main", "audit", "v1"]), s.draw(RETENTION)
    make = td.branch
    if name == "v1":
        make, retention = (
            td.tag,
            {key: value for key, value in retention.items() if key == "max-ref-age-ms"},
        )
    s.add(make(name, s.one_of(s.snapshot_ids()), **retention))


def remove_reference(s: Sequence) -> None:
    s.add(td.update("remove-snapshot-ref", ref_name=s.one_of(["main", "audit", "v1"])))


def remove_snapshots(s: Sequence) -> None:
    if s.snapshot_ids():
        s.add(td.update("remove-snapshots", snapshot_ids=[s.one_of(s.snapshot_ids())]))


def set_properties(s: Sequence) -> None:
    s.add(td.update("set-properties", updates=s.draw(PROPERTIES)))


def remove_properties(s: Sequence) -> None:
    if s.metadata["properties"]:
        s.add(td.update("remove-properties", removals=[s.one_of(s.metadata["properties"])]))


def set_location(s: Sequence) -> None:
    s.add(td.update("set-location", location=f"{td.LOCATION}/{s.draw(st.integers(0, 9))}"))


def assign_same_uuid(s: Sequence) -> None:
    s.add(td.update("assign-uuid", uuid=td.UUID))


def upgrade_to_second_version(s: Sequence) -> None:
    if s.metadata["format-version"] <= 2:
        s.add(td.update("upgrade-format-version", format_version=2))


def set_statistics(s: Sequence) -> None:
    if s.snapshot_ids():
        snapshot_id = s.one_of(s.snapshot_ids())
        s.add(
            td.update(
                "set-statistics",
                statistics=td.statistics(snapshot_id, size=s.draw(st.integers(0, 9))),
            )
        )


def set_partition_statistics(s: Sequence) -> None:
    if s.snapshot_ids():
        snapshot_id = s.one_of(s.snapshot_ids())
        s.add(
            td.update(
                "set-partition-statistics",
                partition_statistics=td.partition_statistics(
                    snapshot_id, size=s.draw(st.integers(0, 9))
                ),
            )
        )


def remove_statistics(s: Sequence) -> None:
    for kind in ("statistics", "partition-statistics"):
        if s.metadata[kind]:
            s.add(
                td.update(
                    f"remove-{kind}",
                    snapshot_id=s.one_of(file["snapshot-id"] for file in s.metadata[kind]),
                )
            )


STEPS: list[Callable[[Sequence], None]] = [
    append,
    append,
    add_snapshot,
    set_reference,
    set_reference,
    remove_reference,
    remove_snapshots,
    add_column,
    rename_column,
    drop_column,
    promote_column,
    set_current_schema,
    remove_schemas,
    add_spec,
    set_default_spec,
    remove_partition_specs,
    add_sort_order,
    set_properties,
    remove_properties,
    set_location,
    assign_same_uuid,
    upgrade_to_second_version,
    set_statistics,
    set_partition_statistics,
    remove_statistics,
]


@st.composite
def commits(draw: DrawFn, metadata: Document, *, longest: int = 8) -> list[Document]:
    """Draw the updates of one commit that is valid for this table."""
    sequence = Sequence(draw, metadata, metadata)
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=longest)):
        step(sequence)
    return sequence.updates
