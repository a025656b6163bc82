"""Snapshots by id, by the name of a branch or tag, or by time, in the metadata of the client and of
pyiceberg.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lakepact.client.moments import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime


def snapshot_id(
    metadata: Any, snapshot: int | str | None, timestamp: datetime | str | None
) -> int | None:
    """Return the id of a snapshot; None for the current one.

    Raises:
        ValueError: The table has no such snapshot, branch or tag, or two of them are asked for.
    """
    refs: Mapping[str, Any] = metadata.refs
    if timestamp is not None:
        if snapshot is not None:
            raise ValueError("a snapshot is chosen by snapshot= or by timestamp=: give one of them")
        return _at(metadata.snapshot_log, timestamp)
    if isinstance(snapshot, str):
        if snapshot not in refs:
            raise unknown_ref(snapshot, refs)
        return int(refs[snapshot].snapshot_id)
    if snapshot is not None and all(one.snapshot_id != snapshot for one in metadata.snapshots):
        raise ValueError(f"the table has no snapshot {snapshot}")
    return snapshot


def unknown_ref(name: str, refs: Iterable[str]) -> ValueError:
    """Return the error for a branch or tag that is not among those of the table."""
    return ValueError(
        f"the table has no branch or tag {json.dumps(name)}; it has {json.dumps(sorted(refs))}"
    )


def _at(log: Sequence[Any], timestamp: datetime | str) -> int:
    """Return the id of the snapshot that was current at a time."""
    at = moment(timestamp)
    earlier = [one for one in log if one.timestamp_ms <= at.timestamp() * 1000]
    if not earlier:
        raise ValueError(f"the history of the table has no snapshot at {at.isoformat()}")
    return int(max(earlier, key=lambda one: one.timestamp_ms).snapshot_id)
