"""The changes of a transaction to one of its tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.client.iceberg_rest.names import Levels
    from lakepact.generated.iceberg_rest.models import TableRequirement, TableUpdate


@dataclass(frozen=True, slots=True)
class TableChange:
    """A change to one table, as `commit_table` would make it."""

    namespace: Levels  #: the namespace that the table is in
    name: str  #: its name
    updates: Sequence[
        TableUpdate | Mapping[str, Any]
    ] = ()  #: what to change, in this order; nothing, where a requirement is all
    requirements: Sequence[
        TableRequirement | Mapping[str, Any]
    ] = ()  #: what has to hold of this table


def with_snapshot(change: TableChange, branch: str) -> TableChange:
    """Return a change with the snapshot of appended rows, which are not written yet."""
    snapshot = {"action": "add-snapshot", "snapshot": {"summary": {"operation": "append"}}}
    ref = {"action": "set-snapshot-ref", "ref-name": branch, "type": "branch"}
    return replace(change, updates=[*change.updates, snapshot, ref])
