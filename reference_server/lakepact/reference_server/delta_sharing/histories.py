"""The sources of a shared table's versions: the log of a Delta table, or a table of the Iceberg
catalog on the same server.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lakepact.reference_server.delta_sharing.log import Log, NoTable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lakepact.generated.delta_sharing.documents import DeltaMetadataAction, DeltaProtocolAction
    from lakepact.reference_server.delta_sharing.log import Commit, Snapshot

    Document = dict[str, Any]
    Source = Path | tuple[str, ...]  # the folder of a Delta table, or the name of an Iceberg table


class History(Protocol):
    """The versions of one table, as they were when it was looked up; `log.Log` says what each
    method promises.
    """

    @property
    def lineage(self) -> object:
        """An object that a history shares with its continuation."""
        ...

    @property
    def checkpoints(self) -> Collection[int]:
        """The versions that need not be rebuilt from older ones."""
        ...

    def refresh(self) -> History:
        """Return the history as it is now."""
        ...

    def latest(self) -> int:
        """Return the newest version."""
        ...

    def earliest(self) -> int:
        """Return the oldest version that can be read."""
        ...

    def existing(self, version: int) -> int:
        """Return a version."""
        ...

    def timestamp(self, version: int) -> int:
        """Return the time of a version, in milliseconds since 1970."""
        ...

    def at_or_before(self, timestamp: int) -> int:
        """Return the newest version that was there at a time."""
        ...

    def at_or_after(self, timestamp: int) -> int:
        """Return the oldest version that is not older than a time."""
        ...

    def heading(
        self, version: int | None = None
    ) -> tuple[DeltaProtocolAction, DeltaMetadataAction]:
        """Protocol and metadata of a version."""
        ...

    def snapshot(self, version: int | None = None, *, base: Snapshot | None = None) -> Snapshot:
        """Return a version, the newest one if none is named."""
        ...

    def commits(self, first: int, last: int) -> Iterator[Commit]:
        """Yield the changes of each version from `first` to `last`."""
        ...


def delta_log(source: Source) -> History:
    """Return the log of the Delta table in a folder.

    Raises:
        NoTable: it is no Delta table.
    """
    if not isinstance(source, Path):
        raise NoTable(f"no Iceberg catalog is served beside that has {'.'.join(source)}")
    return Log(source)
