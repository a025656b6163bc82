"""Options of writes of rows, and the queues of those of one client to one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.client.retries import Retries


@dataclass(slots=True)
class WriteQueue:
    """The writes of one client to one table: one commits after the other."""

    lock: Lock = field(default_factory=Lock)
    #: The number of commits, by which a write notices that its table is older than the last.
    commits: int = 0


@dataclass(frozen=True, slots=True)
class RowWrite:
    """Options of one write; properties `commit.retry.*` of the table override `retries`."""

    branch: str
    snapshot_properties: Mapping[str, str]
    retries: Retries
    queue: WriteQueue
