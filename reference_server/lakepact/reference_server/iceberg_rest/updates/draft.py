"""A table metadata document while the updates of one commit are applied to it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import INT32, integer, refused
from lakepact.reference_server.iceberg_rest.metadata import empty_table_metadata, with_id
from lakepact.reference_server.iceberg_rest.schemas import columns

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.schemas import Column

LAST_ADDED = -1  #: instead of an id: what was added last in the same commit


class Draft:
    """The document of one commit: what an update touches is copied once, everything else stays shared with the one before.

    Args:
        metadata: the document that the commit starts from; it is never changed. An empty one stands for a table that does not exist yet.
        now_ms: the time of the commit.
    """

    def __init__(self, metadata: Document, *, now_ms: int) -> None:
        self.document = dict(metadata) if metadata else empty_table_metadata()
        self.now_ms = now_ms
        self.creating = not metadata.get("schemas")  #: the commit makes its table
        self.position = 0  #: of the update that is being applied
        self.touched: set[str] = set()  #: members that are no longer those of the document before
        self.added_schema: int | None = None  #: what -1 stands for in set-current-schema
        self.added_spec: int | None = None
        self.added_order: int | None = None
        self.added_snapshots: set[int] = set()
        self.main_removed = False

    @property
    def where(self) -> str:
        """The place of the current update in the request."""
        return f"/updates/{self.position}"

    @property
    def format_version(self) -> int:
        """Of the table, as it is by now."""
        version: int = self.document["format-version"]
        return version

    def get(self, member: str) -> Any:
        """A member as it is by now, or None."""
        return self.document.get(member)

    def items(self, member: str) -> list[Any]:
        """A list member as it is by now, for reading."""
        return self.document.get(member) or []

    def set(self, member: str, value: Any) -> None:
        """Give a member another value."""
        self.document[member] = value
        self.touched.add(member)

    def remove(self, member: str) -> None:
        """Take a member away."""
        if member in self.document:
            del self.document[member]
            self.touched.add(member)

    def own_list(self, member: str) -> list[Any]:
        """A list member that this commit may change in place."""
        if member not in self.touched:
            self.set(member, list(self.items(member)))
        owned: list[Any] = self.document[member]
        return owned

    def own_object(self, member: str) -> dict[str, Any]:
        """An object member that this commit may change in place."""
        if member not in self.touched:
            self.set(member, dict(self.document.get(member) or {}))
        owned: dict[str, Any] = self.document[member]
        return owned

    @cached_property
    def snapshots(self) -> dict[int, Document]:
        """The snapshots by id; whoever changes the member `snapshots` changes this too."""
        return {snapshot["snapshot-id"]: snapshot for snapshot in self.items("snapshots")}

    def columns(self, where: str) -> dict[int, Column]:
        """The columns that new specs and sort orders refer to: of the current schema or, while there is none, of the one added last.

        Raises:
            Problem: 400, there is no schema yet.
        """
        schema_id = self.get("current-schema-id")
        schema = with_id(self.items("schemas"), "schema-id", self.added_schema if schema_id is None else schema_id)
        if schema is None:
            raise refused(where, "the table has no schema yet; add one before")
        return columns(schema, where, format_version=self.format_version)


def chosen_id(draft: Draft, update: Document, member: str, *, added: int | None, kind: str) -> int:
    """The id that an update chooses by a member; -1 stands for what was added last.

    Args:
        draft: the document as it is by now.
        update: what is applied to it.
        member: the one that holds the id.
        added: the id of what this commit added last, or None.
        kind: what has the id, for messages.

    Raises:
        Problem: 400, it is no id, or it is -1 and nothing was added.
    """
    chosen = integer(update, member, draft.where, within=INT32)
    if chosen != LAST_ADDED:
        return chosen
    if added is None:
        raise refused(f"{draft.where}/{member}", f"-1 stands for the last added {kind}, but this commit has added none before")
    return added
