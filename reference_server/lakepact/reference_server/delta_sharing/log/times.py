"""Times of the versions of a table: those in the commits, or else those of the files, made strictly
increasing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from lakepact.reference_server.delta_sharing.log.actions import actions
from lakepact.reference_server.delta_sharing.log.listing import Listing, LogFolder, commit_name
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog, NoSuchVersion


def in_commit_since(metadata: Mapping[str, Any]) -> int | None:
    """Return the version from which on commits say their time themselves, None if they do not."""
    configuration = metadata.get("configuration") or {}
    if str(configuration.get("delta.enableInCommitTimestamps", "")).lower() != "true":
        return None
    since = configuration.get("delta.inCommitTimestampEnablementVersion")
    try:
        return 0 if since is None else int(since)
    except ValueError:
        raise DamagedLog(
            f"delta.inCommitTimestampEnablementVersion is {since!r} and not a version"
        ) from None


def in_commit_timestamp(folder: LogFolder, name: str) -> int:
    """Return the time that a commit says of itself.

    Raises:
        DamagedLog: it says none.
    """
    for kind, action, _ in actions(folder, name):
        if kind == "commitInfo":
            timestamp = action.get("inCommitTimestamp")
            if type(timestamp) is int:
                return timestamp
            break
    raise DamagedLog(
        f"{name} has no inCommitTimestamp, though the table says that its commits have one"
    )


def increasing(times: Iterable[int]) -> list[int]:
    """Return times in increasing order, each at least a millisecond after the one before."""
    result: list[int] = []
    for time in times:
        result.append(max(time, result[-1] + 1) if result else time)
    return result


class CommitTimes:
    """The times of a table's versions, each looked up when it is asked for.

    Args:
        folder: the log.
        listing: what lies in it.
        metadata: gives the metadata of the newest version, which says whose times count.
        before: the times as they were known when the log was shorter.
    """

    def __init__(
        self,
        folder: LogFolder,
        listing: Listing,
        metadata: Callable[[], Mapping[str, Any]],
        *,
        before: CommitTimes | None = None,
    ) -> None:
        self._folder, self._listing, self._metadata = folder, listing, metadata
        self._said: dict[int, int] = before._said if before else {}  # noqa: SLF001 of the same kind
        self._before = before.__dict__.get("_of_files") if before else None

    def of(self, version: int) -> int:
        """Return the time of one version.

        Raises:
            NoSuchVersion: the log does not have it.
            DamagedLog: the version should say its time, and does not.
        """
        if self._since is not None and version >= self._since and version in self._listing.commits:
            if version not in self._said:
                self._said[version] = in_commit_timestamp(self._folder, commit_name(version))
            return self._said[version]
        versions, times = self._of_files
        place = bisect_left(versions, version)
        if versions[place : place + 1] != [version]:
            raise NoSuchVersion(f"the log does not say when version {version} was committed")
        return times[place]

    def all(self) -> tuple[list[int], list[int]]:
        """Return the versions whose times are known, and these."""
        versions, times = self._of_files
        return versions, times if self._since is None else [
            self.of(version) for version in versions
        ]

    @cached_property
    def _since(self) -> int | None:
        return in_commit_since(self._metadata())

    @cached_property
    def _of_files(self) -> tuple[list[int], list[int]]:
        names = {
            version: checkpoints[0].names[0]
            for version, checkpoints in self._listing.checkpoints.items()
        }
        names |= {version: commit_name(version) for version in self._listing.commits}
        versions, times = self._before or ([], [])
        last = versions[-1] if versions else -1
        further = sorted(version for version in names if version > last)
        newer = [self._folder.modification_time(names[version]) for version in further]
        return versions + further, increasing([*times, *newer])
