"""A table under edit: its changes become updates of a commit, and their preconditions become
requirements.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from lakepact.client.iceberg_rest.bodies import (
    LAST_BEFORE_PARTITION_IDS,
    schema_document,
    statistics_file,
)
from lakepact.client.iceberg_rest.column_defaults import json_default
from lakepact.client.iceberg_rest.schema_edits import SchemaDraft, ids_of
from lakepact.client.iceberg_rest.snapshots import snapshot_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lakepact.client.iceberg_rest.column_defaults import DefaultValue
    from lakepact.client.iceberg_rest.schema_edits import Column
    from lakepact.generated.iceberg_rest.models import PartitionSpec, TableMetadata


class TableDraft:
    """The current state of a table, and the changes that edits make to it."""

    def __init__(self, metadata: TableMetadata) -> None:
        self.metadata = metadata
        self.format_version = metadata.format_version
        self.others: list[dict[str, Any]] = []
        self.sort_fields: list[dict[str, Any]] | None = None
        self._refs: dict[str, int | None] = {}

    @cached_property
    def schema(self) -> SchemaDraft:
        """The current schema, to be edited.

        Raises:
            ValueError: The metadata lacks it.
        """
        ever = (
            ids_of(schema.to_wire()) for schema in self.metadata.schemas
        )  # some servers count no nested ids
        return SchemaDraft(
            self.metadata.current_schema.to_wire(),
            max(self.metadata.last_column_id, *set().union(*ever)),
        )

    @cached_property
    def partition_fields(self) -> list[dict[str, Any]]:
        """The fields of the default partition spec, to be edited.

        Raises:
            ValueError: The metadata lacks it.
        """
        return _fields(self.metadata.default_partition_spec)

    def ref(self, name: str) -> int | None:
        """Return the snapshot id of a branch or tag, None without one, and require that it stays so
        until the commit.
        """
        self._refs[name] = self.ref_now(name)
        return self._refs[name]

    def ref_now(self, name: str) -> int | None:
        """Return the snapshot id of a branch or tag, None without one."""
        ref = self.metadata.refs.get(name)
        return ref.snapshot_id if ref else self._main() if name == "main" else None

    def _main(self) -> int | None:
        current = self.metadata.current_snapshot_id
        return None if current == -1 else current  # older servers write -1 for none

    def upgrade(self, version: int) -> None:
        """Upgrade the format version.

        Raises:
            ValueError: The table has a later one.
        """
        if type(version) is not int:
            raise TypeError(f"a format version is an int: given {type(version).__name__}")
        if version < self.format_version:
            raise ValueError(
                f"the table has format version {self.format_version} and cannot go back to"
                f" {version}"
            )
        self.format_version = version

    def add_column(
        self,
        column: Column,
        type_: Any,
        *,
        doc: str | None,
        required: bool,
        default: DefaultValue | None,
    ) -> None:
        """Add a column, with a default value for the rows that the table has and for those that are
        written without one.
        """
        value = None if default is None else json_default(type_, default, self.format_version)
        if required and value is None:
            raise ValueError(
                f"the column {column!r} can be required only with a default value for the rows that"
                " the table has"
            )
        self.schema.add(
            column,
            type_,
            doc=doc,
            required=required,
            **{"initial-default": value, "write-default": value},
        )

    def set_default(self, column: Column, default: DefaultValue | None) -> int:
        """Set or remove the value of a column that is written without one, and return its id."""
        field = self.schema.field(column)
        if default is not None:
            field["write-default"] = json_default(field["type"], default, self.format_version)
        elif field["required"]:
            raise ValueError(f"the column {column!r} is required and keeps a default value")
        else:
            field.pop("write-default", None)
        return int(field["id"])

    def require_column(self, column: Column, *, allow_incompatible: bool) -> int:
        """Require a column, and return its id."""
        field = self.schema.field(column)
        if (
            not field["required"]
            and not allow_incompatible
            and (self.ref("main") is not None or self.metadata.refs)
        ):
            raise ValueError(
                f"the column {column!r} may be null in rows that the table has; if it never is,"
                " allow_incompatible=True"
            )
        field["required"] = True
        return int(field["id"])

    def update_column(
        self, column: Column, type_: str | None, *, doc: str | None, make_optional: bool
    ) -> dict[str, Any]:
        """Change a column, and return its field as it was."""
        before = self.schema.update(
            column, type_, doc=doc, make_optional=make_optional, format_version=self.format_version
        )
        self._check_partition_values()
        return before

    def unite(self, schema: Any) -> None:
        """Add and widen columns, so that the table takes rows of a schema too."""
        self.schema.unite(schema_document(schema, self.format_version), self.format_version)
        self._check_partition_values()

    def _check_partition_values(self) -> None:
        """Refuse another type for a column whose partition values it would change."""
        types = {field["id"]: field["type"] for field in self.schema.document["fields"]}
        dates = {
            field.id
            for field in self.metadata.current_schema.fields
            if field.type == "date" and types.get(field.id, "date") != "date"
        }
        used = [
            field["name"] for field in self.partition_fields if _changes_with_type(field, dates)
        ]
        if used:
            raise ValueError(
                f"a date cannot be widened where the partition field {used[0]!r} has its values"
            )

    def set_statistics(self, member: str, file: Any) -> dict[str, Any] | None:
        """Set a statistics file of its snapshot, and return the one before."""
        document = statistics_file(member, file)
        id_ = document["snapshot-id"]
        snapshot_id(self.metadata, id_, None)
        extra = (
            {"snapshot-id": id_} if member == "statistics" else {}
        )  # deprecated, and required by Nessie
        self.others.append({"action": f"set-{member}", **extra, member: document})
        return statistics(self.metadata, member, id_)

    def snapshot(self, snapshot: int | str) -> int:
        """Return the id of a snapshot, or the one that a branch or tag has now; the server looks
        for an id.
        """
        if not isinstance(snapshot, str):
            return snapshot
        id_ = snapshot_id(self.metadata, snapshot, None)
        assert id_ is not None  # noqa: S101 - it is None for none alone
        return id_

    def remove_statistics(self, member: str, snapshot: int | str) -> dict[str, Any]:
        """Remove the statistics file of a snapshot, and return it."""
        id_ = self.snapshot(snapshot)
        before = statistics(self.metadata, member, id_)
        if before is None:
            raise ValueError(f"the table has no {member} of the snapshot {id_}")
        self.others.append({"action": f"remove-{member}", "snapshot-id": id_})
        return before

    def drop_column(self, column: Column) -> int:
        """Drop a column that neither the partition spec nor the sort order uses, and return its
        id.
        """
        field = self.schema.field(column)
        ids = self.schema.drop(column)
        order = next(
            (
                order
                for order in self.metadata.sort_orders
                if order.order_id == self.metadata.default_sort_order_id
            ),
            None,
        )
        sort_columns = {field.source_id for field in (order.fields if order else ())}
        if self.sort_fields is not None:
            sort_columns = {field["source-id"] for field in self.sort_fields}
        used = {field["source-id"] for field in self.partition_fields} | sort_columns
        if ids & used:
            raise ValueError(
                f"the column {column!r} is used by the partition spec or the sort order and cannot"
                " be dropped"
            )
        return int(field["id"])

    def new_order(self) -> list[dict[str, Any]]:
        """Return the fields of the sort order that replaces the default one, to be filled."""
        self.sort_fields = [] if self.sort_fields is None else self.sort_fields
        return self.sort_fields

    def sort_by(self, column: Column, how: dict[str, Any]) -> int:
        """Add a column to the new sort order, and return its id."""
        id_ = int(self.schema.field(column)["id"])
        self.new_order().append({"source-id": id_, **how})
        return id_

    def expire(self, before: float) -> None:
        """Remove snapshots from before so many milliseconds since 1970, except those of branches
        and tags.
        """
        heads = {self._main(), *(ref.snapshot_id for ref in self.metadata.refs.values())}
        old = [
            snapshot.snapshot_id
            for snapshot in self.metadata.snapshots
            if snapshot.timestamp_ms < before and snapshot.snapshot_id not in heads
        ]
        if old:
            self.others.append({"action": "remove-snapshots", "snapshot-ids": old})

    def rollback(self, snapshot: int | str | None, timestamp: datetime | str | None) -> int:
        """Move `main` back to one of its earlier snapshots, keep the rules of its retention, and
        return the snapshot that it leaves.
        """
        target, before = snapshot_id(self.metadata, snapshot, timestamp), self.ref("main")
        if target is None:
            raise ValueError("expected a snapshot to roll back to: give snapshot= or timestamp=")
        parents = {one.snapshot_id: one.parent_snapshot_id for one in self.metadata.snapshots}
        at = None if before is None else parents.get(before)
        while at is not None and at != target:
            at = parents.pop(at, None)
        if before is None or target not in (at, before):
            raise ValueError(
                f"{target} is no earlier snapshot of main; set_branch('main', …) moves it to any"
            )
        main = self.metadata.refs.get("main")
        ref = {"type": "branch", **(main.to_wire() if main else {}), "snapshot-id": target}
        self.others.append({"action": "set-snapshot-ref", "ref-name": "main", **ref})
        return before

    def add_partition_field(self, column: Column, transform: str, name: str | None) -> int:
        """Add a field to the partition spec, and return the id of its column."""
        field = self.schema.field(column)
        new_field = {
            "source-id": field["id"],
            "transform": transform,
            "name": name or _default_name(field["name"], transform),
        }
        if any(field["name"] == new_field["name"] for field in self.partition_fields):
            raise ValueError(f"the partition spec has a field {new_field['name']!r} already")
        if any(_means(field) == _means(new_field) for field in self.partition_fields):
            raise ValueError(f"the table is partitioned by {transform} of {column!r} already")
        self.partition_fields.append({**new_field, "field-id": self._partition_id(new_field)})
        return int(field["id"])

    def remove_partition_field(self, name: str) -> Any:
        """Remove a field of the partition spec, and return its source and transform."""
        match = next(
            (
                field
                for field in self.partition_fields
                if field["name"] == name and field["transform"] != "void"
            ),
            None,
        )
        if match is None:
            raise ValueError(f"the partition spec has no field {name!r}")
        meaning = _means(match)
        if self.format_version == 1:
            match["transform"] = "void"  # specs of version 1 keep every field at its place
        else:
            self.partition_fields.remove(match)
        return meaning

    def _partition_id(self, new_field: Mapping[str, Any]) -> int:
        """Return the id that an earlier spec gave to the same field, or a new one."""
        earlier = [field for spec in self.metadata.partition_specs for field in _fields(spec)]
        id_ = next((one["field-id"] for one in earlier if _means(one) == _means(new_field)), None)
        used = [field["field-id"] for field in self.partition_fields]
        last = max(
            self.metadata.last_partition_id,
            LAST_BEFORE_PARTITION_IDS,
            *used,
            *(one["field-id"] for one in earlier),
        )
        return last + 1 if id_ is None or id_ in used else int(id_)

    def updates(self) -> list[dict[str, Any]]:
        """Return the updates of a commit: the format version, the schema that needs it, the spec
        that uses the schema, and all others.
        """
        updates: list[dict[str, Any]] = []
        if self.format_version != self.metadata.format_version:
            updates.append(
                {"action": "upgrade-format-version", "format-version": self.format_version}
            )
        if self.changes_schema:
            updates += self._schema_updates()
        if self.changes_spec:
            updates += self._spec_updates()
        if self.sort_fields is not None:
            updates += self._order_updates(self.sort_fields)
        return updates + self.others

    def _schema_updates(self) -> list[dict[str, Any]]:
        """Return updates that make the schema the current one; servers refuse -1 after the addition
        of an equal one.
        """
        schemas = {schema.schema_id or 0: schema.to_wire() for schema in self.metadata.schemas}
        equal = next(
            (id_ for id_, schema in schemas.items() if _same_schema(schema, self.schema.document)),
            None,
        )
        if equal is not None:
            return [{"action": "set-current-schema", "schema-id": equal}]
        new_schema = {**self.schema.document, "schema-id": max(schemas) + 1}
        return [
            {
                "action": "add-schema",
                "schema": new_schema,
                "last-column-id": self.schema.last_id,
            },  # deprecated, and required by Nessie
            {"action": "set-current-schema", "schema-id": -1},
        ]

    def _spec_updates(self) -> list[dict[str, Any]]:
        specs = {spec.spec_id or 0: _fields(spec) for spec in self.metadata.partition_specs}
        target = [(*_means(field), field["name"]) for field in self.partition_fields]
        equal = next(
            (
                id_
                for id_, fields in specs.items()
                if [(*_means(field), field["name"]) for field in fields] == target
            ),
            None,
        )
        if equal is not None:
            return [{"action": "set-default-spec", "spec-id": equal}]
        new_spec = {"spec-id": max(specs) + 1, "fields": self.partition_fields}
        return [
            {"action": "add-spec", "spec": new_spec},
            {"action": "set-default-spec", "spec-id": -1},
        ]

    def _order_updates(self, target: list[dict[str, Any]]) -> list[dict[str, Any]]:
        orders = {
            order.order_id: [field.to_wire() for field in order.fields]
            for order in self.metadata.sort_orders
        }
        equal = next((id_ for id_, fields in orders.items() if fields == target), None)
        if equal is not None:
            return [{"action": "set-default-sort-order", "sort-order-id": equal}]
        new_order = {"order-id": max(orders, default=0) + 1 if target else 0, "fields": target}
        return [
            {"action": "add-sort-order", "sort-order": new_order},
            {"action": "set-default-sort-order", "sort-order-id": -1},
        ]

    def requirements(self) -> list[dict[str, Any]]:
        """Return what has to hold so that the updates mean what they meant for this state."""
        now = self.metadata
        requirements: list[dict[str, Any]] = [{"type": "assert-table-uuid", "uuid": now.table_uuid}]
        if self.changes_schema:
            requirements.append(
                {"type": "assert-current-schema-id", "current-schema-id": now.current_schema_id}
            )
            requirements.append(
                {
                    "type": "assert-last-assigned-field-id",
                    "last-assigned-field-id": now.last_column_id,
                }
            )
        if self.changes_spec:
            requirements.append(
                {"type": "assert-default-spec-id", "default-spec-id": now.default_spec_id}
            )
            requirements.append(
                {
                    "type": "assert-last-assigned-partition-id",
                    "last-assigned-partition-id": now.last_partition_id,
                }
            )
        if self.sort_fields is not None:
            requirements.append(
                {
                    "type": "assert-default-sort-order-id",
                    "default-sort-order-id": now.default_sort_order_id,
                }
            )
        if (
            self.changes_spec or self.sort_fields
        ) and not self.changes_schema:  # the ids of the source columns are those of this schema
            requirements.append(
                {"type": "assert-current-schema-id", "current-schema-id": now.current_schema_id}
            )
        requirements.extend(
            {"type": "assert-ref-snapshot-id", "ref": name, "snapshot-id": id_}
            for name, id_ in self._refs.items()
        )
        return requirements

    @property
    def changes_schema(self) -> bool:
        """Whether the edits make another schema the current one."""
        return (
            "schema" in vars(self)
            and self.schema.document != self.metadata.current_schema.to_wire()
        )

    @property
    def changes_spec(self) -> bool:
        """Whether the edits make another partition spec the default."""
        return "partition_fields" in vars(self) and self.partition_fields != _fields(
            self.metadata.default_partition_spec
        )


def _fields(spec: PartitionSpec) -> list[dict[str, Any]]:
    """Return the fields of a spec; those without ids are numbered as Iceberg's library does."""
    return [
        {"field-id": LAST_BEFORE_PARTITION_IDS + place, **field.to_wire()}
        for place, field in enumerate(spec.fields, 1)
    ]


def _same_schema(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    keys = [set(schema.get("identifier-field-ids") or ()) for schema in (one, other)]
    return one["fields"] == other["fields"] and keys[0] == keys[1]


def _changes_with_type(field: Mapping[str, Any], sources: set[int]) -> bool:
    return field["source-id"] in sources and field["transform"].partition("[")[0] in {
        "identity",
        "bucket",
    }


def statistics(metadata: TableMetadata, member: str, snapshot_id: int) -> dict[str, Any] | None:
    """Return the `statistics` or `partition-statistics` of a snapshot."""
    files = metadata.statistics if member == "statistics" else metadata.partition_statistics
    return next((file.to_wire() for file in files if file.snapshot_id == snapshot_id), None)


def _means(field: Mapping[str, Any]) -> tuple[int, str]:
    return field["source-id"], field["transform"]


def _default_name(column: str, transform: str) -> str:
    """Return the name that Iceberg's own libraries give a partition field."""
    kind, _, argument = transform.partition("[")
    if kind == "identity":
        return column
    suffix = {"truncate": "trunc"}.get(kind, kind)
    return (
        f"{column}_{suffix}_{argument.rstrip(']')}" if kind == "truncate" else f"{column}_{suffix}"
    )
