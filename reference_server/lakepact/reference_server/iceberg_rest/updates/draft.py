"""A table metadata document while the updates of one commit are applied to it."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from lakepact.reference_server.iceberg_rest.documents import INT32, integer, kind_in, refusal
from lakepact.reference_server.iceberg_rest.tables.metadata import empty_table_metadata
from lakepact.reference_server.iceberg_rest.tables.partitioning import PartitionFields, spec_meaning
from lakepact.reference_server.iceberg_rest.tables.schemas import (
    columns,
    schema_meaning,
    schema_sketch,
)
from lakepact.reference_server.iceberg_rest.tables.sorting import order_meaning
from lakepact.reference_server.iceberg_rest.updates.fields import FieldTypes
from lakepact.reference_server.iceberg_rest.updates.members import Alike, Members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import (
        Schema,
        Snapshot,
        SnapshotReference,
        TableMetadata,
        TableUpdate,
        ViewMetadata,
        ViewUpdate,
    )
    from lakepact.reference_server.iceberg_rest.tables.schemas import Columns

_OfHistory = Literal[
    "snapshots", "snapshot-log", "statistics", "partition-statistics", "versions", "version-log"
]
_WithId = Literal["schemas", "partition-specs", "sort-orders", "encryption-keys"]
_Chosen = Literal[
    "current-schema-id",
    "default-spec-id",
    "default-sort-order-id",
    "current-snapshot-id",
    "current-version-id",
]
_Counter = Literal[
    "last-column-id", "last-partition-id", "last-sequence-number", "last-updated-ms", "next-row-id"
]
_Other = Literal[
    "format-version",
    "table-uuid",
    "view-uuid",
    "location",
    "properties",
    "refs",
    "schema",
    "partition-spec",
]
Member = (
    _OfHistory | _WithId | _Chosen | _Counter | _Other
)  #: of table or view metadata: what updates change

LAST_ADDED = -1  #: instead of an id: what was added last in the same commit
#: Of each list whose items are looked for: the member that holds an item's id, and what makes two
#: items the same.
LISTS: dict[Member, tuple[str, Alike | None]] = {
    "schemas": ("schema-id", Alike(schema_meaning, schema_sketch)),
    "partition-specs": ("spec-id", Alike(spec_meaning, spec_meaning)),
    "sort-orders": ("order-id", Alike(order_meaning, order_meaning)),
    "snapshots": ("snapshot-id", None),
    "snapshot-log": ("snapshot-id", None),
    "statistics": ("snapshot-id", None),
    "partition-statistics": ("snapshot-id", None),
    "encryption-keys": ("key-id", None),
}
#: Indices of members, made again when a member is replaced.
_DERIVED = {
    "schemas": "field_types",
    "partition-specs": "partition_fields",
    "snapshots": "written_with",
    "refs": "referring",
}


class Draft:
    """The document of one commit: what an update touches is copied once, everything else stays
    shared with the one before.

    Args:
        metadata: the document that the commit starts from; it is never changed. An empty one stands
            for a table that does not exist yet.
        now_ms: the time of the commit.
    """

    lists = LISTS

    def __init__(self, metadata: TableMetadata | ViewMetadata, *, now_ms: int) -> None:
        self.document: Any = dict(metadata) if metadata else empty_table_metadata()
        self.now_ms = now_ms
        self.creating = not metadata.get("schemas")  #: the commit makes its table
        self.position = 0  #: of the update that is being applied
        self.touched: set[Member] = (
            set()
        )  #: members that are no longer those of the document before
        self._members: dict[Member, Members] = {}  # lists whose items were looked for
        self._columns: dict[
            tuple[int, int], tuple[Schema, Columns]
        ] = {}  # by schema and format version
        self.added_schema: int | None = None  #: what -1 stands for in set-current-schema
        self.added_spec: int | None = None
        self.added_order: int | None = None
        self.added_snapshots: set[int] = set()
        self.main_removed = False

    def apply(
        self,
        updates: Sequence[TableUpdate | ViewUpdate],
        table: Mapping[str, Callable[..., None]],
        *,
        of: str,
    ) -> None:
        """Apply updates in order.

        Args:
            updates: the updates.
            table: what each kind of update does.
            of: `tables` or `views`.

        Raises:
            Problem: 400, an update is unknown or cannot be applied; an unknown one is found before
                any is applied.
        """
        kinds = [
            kind_in(table, update, "action", f"/updates/{index}", noun="update", of=of)
            for index, update in enumerate(updates)
        ]
        for position, (kind, update) in enumerate(zip(kinds, updates, strict=True)):
            self.position = position
            table[kind](self, update)

    @property
    def where(self) -> str:
        """The place of the current update in the request."""
        return f"/updates/{self.position}"

    @property
    def format_version(self) -> int:
        """Of the table, as it is by now."""
        version: int = self.document["format-version"]
        return version

    def get(self, member: Member) -> Any:
        """Return a member as it is by now, or None."""
        if member in self._members:
            self._list(member)
        return self.document.get(member)

    def items(self, member: Member) -> list[Any]:
        """Return a list member as it is by now, for reading."""
        return self.get(member) or []

    def set(self, member: Member, value: Any) -> None:
        """Give a member another value."""
        self._forget(member)
        self.document[member] = value
        self.touched.add(member)

    def remove(self, member: Member) -> None:
        """Take a member away."""
        self._forget(member)
        if member in self.document:
            del self.document[member]
            self.touched.add(member)

    def own_list(self, member: Member) -> list[Any]:
        """Return a list member that this commit may change in place."""
        items = self._copy_list(member)
        self._forget(member)
        return items

    def members(self, member: Member) -> Members:
        """Return the items of a list member by id; `append`, `discard` and `cut` change them."""
        if member not in self._members:
            self._members[member] = Members(self.items(member), *self.lists[member])
        return self._members[member]

    def append(self, member: Member, item: Any) -> None:
        """Add an item to a list member."""
        if _DERIVED.get(member) in self.__dict__:
            self._note_item(member, item)
        if member in self._members:
            self._members[member].append(item)
            self.touched.add(member)
        else:
            self._copy_list(member).append(item)

    def discard(self, member: Member, ids: Iterable[Any]) -> None:
        """Take the items with these ids out of a list member."""
        if self.members(member).remove(ids):
            self.touched.add(member)

    def cut(self, member: Member, ids: Iterable[Any]) -> None:
        """Take the items with these ids, and all items before them, out of a list member."""
        if self.members(member).cut(ids):
            self.touched.add(member)

    def last(self, member: Member) -> Any:
        """Return the last item of a list member that is only appended to or cut, or None."""
        if member in self._members:
            return self._members[member].last()
        items = self.items(member)
        return items[-1] if items else None

    def list_members(self) -> None:
        """Write the lists whose items were changed into the document."""
        for member in self._members:
            self._list(member)

    def _note_item(self, member: Member, item: Any) -> None:
        if member == "schemas":
            self.field_types.add(item)
        elif member == "partition-specs":
            self.partition_fields.add(item)
        elif member == "snapshots":
            self.snapshots_by_schema[item.get("schema-id")].append(item)

    def _list(self, member: Member) -> None:
        if self._members[member].changed:
            self.document[member] = self._members[member].as_list()

    def _copy_list(self, member: Member) -> list[Any]:
        items = self.items(member)
        if member not in self.touched:
            self.document[member] = list(items)
            self.touched.add(member)
        copy: list[Any] = self.document[member]
        return copy

    def _forget(self, member: Member) -> None:
        self._members.pop(member, None)
        self.__dict__.pop(_DERIVED.get(member, ""), None)

    def refer(self, name: str, reference: SnapshotReference) -> None:
        """Set a branch or tag."""
        self.own_object("refs")[name] = reference
        if "referring" in self.__dict__:
            self.referring[reference["snapshot-id"]][name] = None

    def own_object(self, member: Member) -> dict[str, Any]:
        """Return an object member that this commit may change in place."""
        if member not in self.touched:
            self.set(member, dict(self.document.get(member) or {}))
        members: dict[str, Any] = self.document[member]
        return members

    @cached_property
    def snapshots(self) -> dict[int, Snapshot]:
        """The snapshots by id; whoever changes the member `snapshots` changes this too."""
        return {snapshot["snapshot-id"]: snapshot for snapshot in self.items("snapshots")}

    @cached_property
    def snapshots_by_schema(self) -> defaultdict[Any, list[Snapshot]]:
        """The snapshots, perhaps with some that are gone, by the id of the schema that they were
        written with.
        """
        result: defaultdict[Any, list[Snapshot]] = defaultdict(list)
        for snapshot in self.items("snapshots"):
            result[snapshot.get("schema-id")].append(snapshot)
        return result

    @cached_property
    def referring(self) -> defaultdict[int, dict[str, None]]:
        """The names of branches and tags, perhaps with some that have moved or are gone, by the id
        of their snapshot.
        """
        result: defaultdict[int, dict[str, None]] = defaultdict(dict)
        for name, reference in (self.get("refs") or {}).items():
            result[reference["snapshot-id"]][name] = None
        return result

    @cached_property
    def field_types(self) -> FieldTypes:
        """The types of the fields of all schemas."""
        return FieldTypes(self.items("schemas"))

    @cached_property
    def partition_fields(self) -> PartitionFields:
        """The fields of all partition specs."""
        return PartitionFields(self.items("partition-specs"))

    def columns(self, where: str) -> Columns:
        """Return the columns that new specs and sort orders refer to: of the current schema or,
        while there is none, of the one added last.

        Raises:
            Problem: 400, there is no schema yet.
        """
        schema_id = self.get("current-schema-id")
        schema = self.members("schemas").get(self.added_schema if schema_id is None else schema_id)
        if schema is None:
            raise refusal(where, "the table has no schema yet; add one before")
        key = id(schema), self.format_version
        if key not in self._columns:
            self._columns[key] = schema, columns(schema, where, format_version=self.format_version)
        return self._columns[key][1]


def resolve_id(
    draft: Draft, update: Mapping[str, Any], member: str, *, newest: int | None, kind: str
) -> int:
    """Return the id that an update chooses by a member; -1 stands for what was added last.

    Args:
        draft: the document as it is by now.
        update: what is applied to it.
        member: the one that holds the id.
        newest: the id of what this commit added last, or None.
        kind: what has the id, for messages.

    Raises:
        Problem: 400, it is no id, or it is -1 and nothing was added.
    """
    id_ = integer(update, member, draft.where, within=INT32)
    if id_ != LAST_ADDED:
        return id_
    if newest is None:
        raise refusal(
            f"{draft.where}/{member}",
            f"-1 stands for the last added {kind}, but this commit has added none before",
        )
    return newest
