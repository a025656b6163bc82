"""Edits of a table as a caller writes them, and their repetition on a table that has changed in the
meantime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from lakepact.client.iceberg_rest.changes import TableChange
from lakepact.client.iceberg_rest.commit_results import is_next, missing_edits
from lakepact.client.iceberg_rest.names import table_identifier
from lakepact.client.iceberg_rest.snapshots import unknown_ref
from lakepact.client.iceberg_rest.table_draft import TableDraft
from lakepact.client.moments import moment
from lakepact.client.several import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from lakepact.client.errors import CommitRejected
    from lakepact.client.iceberg_rest.column_defaults import DefaultValue
    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.iceberg_rest.schema_edits import Column
    from lakepact.client.rows.foreign import AnySchema
    from lakepact.generated.iceberg_rest.models import (
        PartitionStatisticsFile,
        Schema,
        StatisticsFile,
        TableMetadata,
    )
    from lakepact.generated.wire import WireModel


class TableEdits:
    """The edits of one table, made in this order on the table as it is at the commit.

    Every method returns the same object. An edit that does not fit the table raises `ValueError` at
    the commit, and nothing is sent. A column is named by its name; a nested one by the tuple of its
    path, such as `("address", "city")`.
    """

    def __init__(self, table: TableName) -> None:
        self.namespace, self.name = table_identifier(table)
        self._edits: list[Callable[[TableDraft], object]] = []
        self._first: tuple[str, list[object]] | None = None
        self._sent: TableDraft | None = None
        #: The rows that are committed with the edits, and their branch and properties.
        self.rows: tuple[Any, str, Mapping[str, str]] | None = None
        #: The snapshots that the edits need.
        self.snapshots: Literal["all", "refs"] = "refs"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({(*self.namespace, self.name)!r}, {len(self._edits)} edits)"

    def add_column(
        self,
        column: Column,
        type: str | Mapping[str, Any] | WireModel,  # noqa: A002
        *,
        doc: str | None = None,
        required: bool = False,
        default: DefaultValue | None = None,
    ) -> Self:
        """Add a column after the others.

        Args:
            column: Its name, or the path of a nested one.
            type: Its type, such as `"string"`, or the document or model of a struct, list or map;
                ids of nested fields are assigned here.
            doc: Its documentation.
            required: Whether it may hold no nulls; it then needs a default value.
            default: Its value in the rows that the table has, and in those that are written without
                one (format version 3).
        """
        return self._edit(
            lambda draft: draft.add_column(
                column, type, doc=doc, required=required, default=default
            )
        )

    def rename_column(self, column: Column, name: str) -> Self:
        """Rename a column, which keeps its data.

        Args:
            column: The column.
            name: Its new name, without the path.
        """
        return self._edit(lambda draft: draft.schema.rename(column, name))

    def update_column(
        self,
        column: Column,
        type: str | None = None,  # noqa: A002
        *,
        doc: str | None = None,
        make_optional: bool = False,
    ) -> Self:
        """Widen the type of a column, document it, or make it optional.

        Args:
            column: The column.
            type: A wider type: `long` for `int`, `double` for `float`, a `decimal` of higher
                precision.
            doc: Its documentation.
            make_optional: Whether it may hold nulls from now on.
        """
        return self._edit(
            lambda draft: draft.update_column(column, type, doc=doc, make_optional=make_optional)
        )

    def require_column(self, column: Column, *, allow_incompatible: bool = False) -> Self:
        """Let a column hold no nulls from now on; `update_column` makes it optional again.

        Args:
            column: The column.
            allow_incompatible: Whether the table may have rows. Nothing checks them: a null in the
                column makes them unreadable.
        """
        return self._edit(
            lambda draft: draft.require_column(column, allow_incompatible=allow_incompatible)
        )

    def set_default(self, column: Column, default: DefaultValue | None) -> Self:
        """Set the value that a column has in rows that are written without one (format version 3).

        Args:
            column: The column.
            default: The value; None for none.
        """
        return self._edit(lambda draft: draft.set_default(column, default))

    def union_by_name(self, schema: Schema | Mapping[str, Any] | AnySchema) -> Self:
        """Let the table take rows of another schema too: add the columns that it lacks, as optional
        ones, and widen types.

        Columns that are optional in the schema become optional. Types that are narrower in the
        schema stay, and so do all other columns.

        Args:
            schema: The schema: a model, a document, or a schema of pyarrow or pyiceberg. Its field
                ids are not used.
        """
        return self._edit(lambda draft: draft.unite(schema))

    def drop_column(self, column: Column) -> Self:
        """Drop a column that neither the partition spec nor the sort order uses."""
        return self._edit(lambda draft: draft.drop_column(column))

    def move_column(self, column: Column, *, after: str | None = None) -> Self:
        """Move a column within its struct.

        Args:
            column: The column.
            after: The name of the column that it follows; by default it becomes the first.
        """
        return self._edit(lambda draft: draft.schema.move(column, after))

    def set_identifier_fields(self, *columns: Column) -> Self:
        """Let required columns identify rows, in place of those that do so far; none without
        arguments.
        """
        return self._edit(lambda draft: draft.schema.identify(columns))

    def sort_by(
        self,
        column: Column,
        transform: str = "identity",
        *,
        direction: Literal["asc", "desc"] = "asc",
        null_order: Literal["nulls-first", "nulls-last"] | None = None,
    ) -> Self:
        """Sort new data by a column; the first call replaces the sort order, further ones add to
        it.

        Args:
            column: The source column, which may be one that these edits add.
            transform: The transform, such as `day` or `bucket[16]`.
            direction: `asc` or `desc`.
            null_order: The place of nulls; by default first if ascending, last if descending.
        """
        nulls = null_order or ("nulls-last" if direction == "desc" else "nulls-first")
        return self._edit(
            lambda draft: draft.sort_by(
                column, {"transform": transform, "direction": direction, "null-order": nulls}
            )
        )

    def remove_sort_order(self) -> Self:
        """Sort new data no longer."""
        return self._edit(lambda draft: draft.new_order().clear())

    def expire_snapshots(self, older_than: datetime | str) -> Self:
        """Remove snapshots from before a time, except those that branches and tags name; their
        files stay in the storage.

        Args:
            older_than: The time, with a zone.

        Raises:
            ValueError: The time has no zone.
        """
        self.snapshots, before = "all", moment(older_than).timestamp() * 1000
        return self._edit(lambda draft: draft.expire(before))

    def add_partition_field(
        self, column: Column, transform: str = "identity", *, name: str | None = None
    ) -> Self:
        """Partition new data by a column too.

        Args:
            column: The source column, which may be one that these edits add.
            transform: The transform, such as `day` or `bucket[16]`.
            name: The name of the partition field; by default the column's, with the transform.
        """
        return self._edit(lambda draft: draft.add_partition_field(column, transform, name))

    def remove_partition_field(self, name: str) -> Self:
        """Partition new data by this field of the partition spec no longer."""
        return self._edit(lambda draft: draft.remove_partition_field(name))

    def set_statistics(self, file: StatisticsFile | Mapping[str, Any]) -> Self:
        """Set the statistics file of its snapshot, in place of the one it has."""
        self.snapshots = "all"
        return self._edit(lambda draft: draft.set_statistics("statistics", file))

    def remove_statistics(self, snapshot: int | str) -> Self:
        """Remove the statistics file of a snapshot, by id, branch or tag; the file stays in the
        storage.
        """
        return self._edit(lambda draft: draft.remove_statistics("statistics", snapshot))

    def set_partition_statistics(self, file: PartitionStatisticsFile | Mapping[str, Any]) -> Self:
        """Set the partition statistics file of its snapshot, in place of the one it has."""
        self.snapshots = "all"
        return self._edit(lambda draft: draft.set_statistics("partition-statistics", file))

    def remove_partition_statistics(self, snapshot: int | str) -> Self:
        """Remove the partition statistics file of a snapshot, by id, branch or tag; the file stays
        in the storage.
        """
        return self._edit(lambda draft: draft.remove_statistics("partition-statistics", snapshot))

    def set_properties(self, properties: Mapping[str, str | float]) -> Self:
        """Set properties of the table; numbers and booleans become texts."""
        updates = texts("properties", properties)
        return self._append({"action": "set-properties", "updates": updates})

    def remove_properties(self, *names: str) -> Self:
        """Remove properties of the table."""
        return self._append({"action": "remove-properties", "removals": list(names)})

    def set_location(self, location: str) -> Self:
        """Set the location below which new files are written."""
        return self._append({"action": "set-location", "location": location})

    def upgrade_format_version(self, version: int) -> Self:
        """Upgrade the table to a later format version."""
        return self._edit(lambda draft: draft.upgrade(version))

    def set_branch(
        self,
        name: str,
        snapshot: int | str | None = None,
        *,
        min_snapshots_to_keep: int | None = None,
        max_snapshot_age_ms: int | None = None,
        max_ref_age_ms: int | None = None,
    ) -> Self:
        """Create a branch, or move it.

        Args:
            name: Its name.
            snapshot: Its snapshot, by id or by the name of a branch or tag; by default the current
                one of `main`.
            min_snapshots_to_keep: The number of its snapshots that are never expired.
            max_snapshot_age_ms: The age up to which its snapshots are kept, in milliseconds.
            max_ref_age_ms: The age up to which the branch is kept, in milliseconds.
        """
        retention = {
            "min-snapshots-to-keep": min_snapshots_to_keep,
            "max-snapshot-age-ms": max_snapshot_age_ms,
            "max-ref-age-ms": max_ref_age_ms,
        }
        return self._edit(
            lambda draft: _set_ref(
                draft, {"type": "branch", "ref-name": name, "snapshot-id": snapshot, **retention}
            )
        )

    def set_tag(
        self, name: str, snapshot: int | str | None = None, *, max_ref_age_ms: int | None = None
    ) -> Self:
        """Create a tag, or move it.

        Args:
            name: Its name.
            snapshot: Its snapshot, by id or by the name of a branch or tag; by default the current
                one of `main`.
            max_ref_age_ms: The age up to which the tag is kept, in milliseconds.
        """
        ref = {
            "type": "tag",
            "ref-name": name,
            "snapshot-id": snapshot,
            "max-ref-age-ms": max_ref_age_ms,
        }
        return self._edit(lambda draft: _set_ref(draft, ref))

    def rollback(
        self, snapshot: int | str | None = None, *, timestamp: datetime | str | None = None
    ) -> Self:
        """Make an earlier snapshot of `main` the current one; the later ones stay until they are
        expired.

        Args:
            snapshot: Its id, or the name of a branch or tag.
            timestamp: A time; the snapshot that was current then.
        """
        self.snapshots = "all"
        return self._edit(lambda draft: draft.rollback(snapshot, timestamp))

    def remove_ref(self, name: str) -> Self:
        """Remove a branch or tag."""
        return self._edit(lambda draft: _remove_ref(draft, name))

    def _edit(self, edit: Callable[[TableDraft], object]) -> Self:
        self._edits.append(edit)
        return self

    def _append(self, update: dict[str, Any]) -> Self:
        return self._edit(lambda draft: draft.others.append(update))

    def resolve(self, metadata: TableMetadata, after: CommitRejected | None = None) -> TableChange:
        """Return the edits as a change of the table in this state.

        Args:
            metadata: The table as it is now.
            after: The refusal of an earlier commit of the same edits.

        Raises:
            ValueError: There are no edits, or they do not fit the table.
            CommitRejected: `after`, if the table was replaced or a concurrent commit changed what
                the edits rely on.
        """
        if not self._edits and self.rows is None:
            raise ValueError(f"no edits of the table {self.name!r} to commit")
        draft = TableDraft(metadata)
        try:
            state = (metadata.table_uuid, [edit(draft) for edit in self._edits])
        except ValueError as unfit:
            if after is None:
                raise
            raise after from unfit
        if after is None:
            self._first = state
        elif state != self._first:
            raise after
        self._sent = draft
        return TableChange(self.namespace, self.name, draft.updates(), draft.requirements())

    def missing_in(self, result: TableMetadata) -> list[str]:
        """Return each edit that the table lacks after the commit, as a sentence."""
        try:
            return missing_edits(self._sent, result) if self._sent else []
        except ValueError as broken:  # it lacks its current schema or default partition spec
            return [str(broken)]

    def is_applied(self, metadata: TableMetadata) -> bool:
        """Return whether the table has exactly the edits beyond its state before the commit."""
        draft = self._sent
        return draft is not None and is_next(draft, metadata) and not self.missing_in(metadata)


def _set_ref(draft: TableDraft, ref: dict[str, Any]) -> int | None:
    before = draft.ref(ref["ref-name"])
    snapshot = ref["snapshot-id"]
    target = draft.ref_now("main") if snapshot is None else draft.snapshot(snapshot)
    if target is None:
        raise ValueError(f"the table has no snapshot for {ref['ref-name']!r} yet")
    members = {name: value for name, value in ref.items() if value is not None}
    draft.others.append({"action": "set-snapshot-ref", **members, "snapshot-id": target})
    return before


def _remove_ref(draft: TableDraft, name: str) -> int:
    before = draft.ref(name)
    if before is None:
        raise unknown_ref(name, draft.metadata.refs)
    draft.others.append({"action": "remove-snapshot-ref", "ref-name": name})
    return before
