"""One table's log, read from its folder: versions and their times, commits, and snapshots rebuilt
from them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from lakepact.reference_server.delta_sharing.log.actions import (
    actions,
    check_file,
    check_metadata,
    check_protocol,
    check_support,
    commit_of,
    key_of,
)
from lakepact.reference_server.delta_sharing.log.active_files import ActiveFiles, Changes
from lakepact.reference_server.delta_sharing.log.checkpoints import read_checkpoint
from lakepact.reference_server.delta_sharing.log.listing import LogFolder, Vanished, commit_name
from lakepact.reference_server.delta_sharing.log.refusals import (
    DamagedLog,
    NoSuchVersion,
    UnsupportedTable,
)
from lakepact.reference_server.delta_sharing.log.times import CommitTimes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from lakepact.generated.delta_sharing.documents import DeltaMetadataAction, DeltaProtocolAction
    from lakepact.reference_server.delta_sharing.log.actions import Commit
    from lakepact.reference_server.delta_sharing.log.listing import Identity, Listing

T = TypeVar("T")

#: commits that are noticed one by one before the whole folder is listed again, for checkpoints may
#: have come
LOOK_AGAIN = 64


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A version of a table: what it says of itself, and its files."""

    version: int
    timestamp: int  #: milliseconds since 1970
    protocol: DeltaProtocolAction
    metadata: DeltaMetadataAction
    files: ActiveFiles


@dataclass(frozen=True, slots=True)
class Start:
    """The state of a table before a commit, from which the next version is built."""

    commit: int
    protocol: DeltaProtocolAction | None
    metadata: DeltaMetadataAction | None
    files: ActiveFiles


class Log:
    """One table's log, as it was when it was first looked into.

    Args:
        folder: the folder of the table, which holds `_delta_log`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = LogFolder(folder / "_delta_log")
        self.lineage = object()  #: shared by a log and its continuation
        self._newest_metadata: DeltaMetadataAction | None = None
        self._newest: Identity | None = None
        self._before: CommitTimes | None = None
        self._added = 0

    @cached_property
    def listing(self) -> Listing:
        """Return the content of the log.

        Raises:
            NoTable: there is no log.
        """
        listing = self.folder.read_listing()
        self._newest = self.folder.identity(listing.newest())
        return listing

    def refresh(self) -> Log:
        """Return the log as it is now: this one, if the end of it is what it was, else one that
        continues it, or one of another table.
        """
        listing = self.listing
        newest = self.folder.identity(listing.newest())
        if newest is None or newest != self._newest:
            return Log(self.folder.path.parent)
        newer = self.folder.newer(listing.latest)
        if not newer:
            return self
        log = Log(self.folder.path.parent)
        log.lineage = self.lineage
        log._added = self._added + len(newer)
        if log._added <= LOOK_AGAIN:
            log.listing = replace(listing, commits=listing.commits | frozenset(newer))
            log._newest = log.folder.identity(log.listing.newest())
            log._before = self.__dict__.get("_times")
        else:
            log._added = 0
        return log

    @cached_property
    def _times(self) -> CommitTimes:
        return CommitTimes(self.folder, self.listing, self._metadata_of_newest, before=self._before)

    def _metadata_of_newest(self) -> DeltaMetadataAction:
        if self._newest_metadata is None:
            self._newest_metadata = self._heading(self.latest())[1]
        return self._newest_metadata

    @property
    def checkpoints(self) -> Collection[int]:
        """The versions that need not be rebuilt from older ones."""
        return self.listing.checkpoints

    def latest(self) -> int:
        """Return the newest version."""
        return self.listing.latest

    def earliest(self) -> int:
        """Return the oldest version that can be rebuilt.

        Raises:
            DamagedLog: none can.
        """
        listing = self.listing
        if 0 not in listing.commits and not listing.checkpoints:
            raise DamagedLog(f"{commit_name(0)} is missing, and there is no checkpoint")
        return listing.earliest

    def existing(self, version: int) -> int:
        """Return a version.

        Raises:
            NoSuchVersion: the table does not have it, or it can no longer be rebuilt.
        """
        earliest, latest = self.earliest(), self.latest()
        if version > latest:
            raise NoSuchVersion(f"the table has no version {version}; the newest is {latest}")
        if version < earliest:
            raise NoSuchVersion(
                f"version {version} of the table cannot be read; the oldest that can be is"
                f" {earliest}"
            )
        return version

    def commit(self, version: int) -> Commit:
        """Return the changes of one version.

        Raises:
            NoSuchVersion: the commit does not exist or was removed.
            DamagedLog: its file holds no commit.
        """
        return next(self.commits(version, version))

    def commits(self, first: int, last: int) -> Iterator[Commit]:
        """Yield the changes of each version from `first` to `last`, in order.

        Raises:
            NoSuchVersion: a commit is missing; raised before the first one is yielded.
            DamagedLog: a file holds no commit.
        """
        there = self.listing.commits
        for version in range(first, last + 1):
            if version > self.latest() or version < 0:
                raise NoSuchVersion(
                    f"the table has no version {version}; the newest is {self.latest()}"
                )
            if version not in there:
                if any(older < version for older in there):
                    raise DamagedLog(f"{commit_name(version)} is missing")
                raise NoSuchVersion(f"the commit of version {version} was removed from the log")
        return map(self._commit, range(first, last + 1))

    def _commit(self, version: int) -> Commit:
        try:
            return commit_of(version, self._times.of(version), self.folder)
        except Vanished:
            raise NoSuchVersion(
                f"the commit of version {version} was removed from the log"
            ) from None

    def _all_times(self) -> tuple[list[int], list[int]]:
        return self._times.all()

    def timestamp(self, version: int) -> int:
        """Return the time of a version, in milliseconds since 1970.

        Raises:
            NoSuchVersion: the table does not have it.
        """
        return self._still_there(lambda: self._times.of(version))

    def at_or_before(self, timestamp: int) -> int:
        """Return the newest version that was there at a time.

        Raises:
            NoSuchVersion: the table was not there yet, or what it was then cannot be rebuilt.
        """
        versions, times = self._still_there(self._all_times)
        index = bisect_right(times, timestamp) - 1
        earliest = self.earliest()
        if index < 0 or versions[index] < earliest:
            raise NoSuchVersion(
                f"the time is before that of version {earliest}, the oldest that can be read"
            )
        return versions[index]

    def at_or_after(self, timestamp: int) -> int:
        """Return the oldest version that is not older than a time.

        Raises:
            NoSuchVersion: all versions are.
        """
        versions, times = self._still_there(self._all_times)
        index = bisect_left(times, timestamp)
        if index == len(times):
            raise NoSuchVersion(f"the time is after that of version {self.latest()}, the newest")
        return max(versions[index], self.earliest())

    def heading(
        self, version: int | None = None
    ) -> tuple[DeltaProtocolAction, DeltaMetadataAction]:
        """Protocol and metadata of a version, found without looking at its files.

        Raises:
            NoSuchVersion: the table does not have it, or it cannot be rebuilt any more.
            DamagedLog: the log does not say it.
            UnsupportedTable: it needs a reader feature that this server does not know.
        """
        return self._still_there(lambda: self._heading(self._version_or_latest(version)))

    def snapshot(self, version: int | None = None, *, base: Snapshot | None = None) -> Snapshot:
        """Return a version of the table, the newest one if none is named.

        Args:
            version: which one.
            base: an older version of the same table, to start from.

        Raises:
            NoSuchVersion: the table does not have it, or it cannot be rebuilt any more.
            DamagedLog: it cannot be rebuilt from what stands in the log; the message names the
                file.
            UnsupportedTable: it needs a reader feature that this server does not know.
        """
        return self._still_there(lambda: self._snapshot(self._version_or_latest(version), base))

    def _version_or_latest(self, version: int | None) -> int:
        return self.existing(self.latest() if version is None else version)

    def _still_there(self, read: Callable[[], T]) -> T:
        """Return the result of a read, repeated with a fresh listing if files vanished during the
        first one.
        """
        try:
            return read()
        except Vanished:
            self._newest_metadata = self._before = None
            self.__dict__.pop("listing", None)
            self.__dict__.pop("_times", None)
        try:
            return read()
        except Vanished as vanished:
            raise DamagedLog(f"{vanished} is missing") from None

    def _starts(self, version: int, *, files: bool) -> Iterator[Start]:
        """Yield the states from which a version can be rebuilt, best first: checkpoints, then the
        empty state.

        Raises:
            DamagedLog: no state is left; the message names the first damaged file.
        """
        complete_from = self.listing.first_commit_for(version)
        damage: DamagedLog | Vanished | None = None
        for checkpoint in self.listing.checkpoints_until(version):
            if checkpoint.version + 1 < complete_from:
                break
            try:
                yield Start(
                    checkpoint.version + 1, *read_checkpoint(self.folder, checkpoint, files=files)
                )
            except (DamagedLog, Vanished) as error:
                damage = damage or error
        if complete_from > 0:
            raise damage or DamagedLog(f"{commit_name(complete_from - 1)} is missing")
        yield Start(0, None, None, ActiveFiles())

    def _snapshot(self, version: int, base: Snapshot | None) -> Snapshot:
        if (
            base
            and base.version <= version
            and self.listing.first_commit_for(version) <= base.version + 1
        ):
            start = Start(base.version + 1, base.protocol, base.metadata, base.files)
        else:
            start = next(self._starts(version, files=True))
        protocol, metadata = start.protocol, start.metadata
        changes = Changes()
        for number in range(start.commit, version + 1):
            for kind, action, where in actions(self.folder, commit_name(number)):
                if kind == "add":
                    changes.add(action, where)
                elif kind == "remove":
                    changes.remove(
                        key_of(
                            check_file(kind, action, where)["path"], action.get("deletionVector")
                        )
                    )
                elif kind == "protocol":
                    protocol = check_protocol(action, where)
                elif kind == "metaData":
                    metadata = check_metadata(action, where)
        protocol, metadata = complete(protocol, metadata, version)
        files = start.files.with_changes(changes.gone, changes.come())
        if twice := files.twice():
            raise DamagedLog(
                f"version {version} has {twice!r} twice, with different deletion vectors"
            )
        if version == self.latest():
            self._newest_metadata = metadata
        return Snapshot(version, self._time_of(version, metadata), protocol, metadata, files)

    def _time_of(self, version: int, metadata: DeltaMetadataAction) -> int:
        """Return the time of a version, by its own metadata if that of the newest version cannot be
        read.
        """
        try:
            return self._times.of(version)
        except (DamagedLog, UnsupportedTable):
            if version == self.latest():
                raise
            return CommitTimes(self.folder, self.listing, lambda: metadata).of(version)

    def _heading(self, version: int) -> tuple[DeltaProtocolAction, DeltaMetadataAction]:
        start = next(self._starts(version, files=False))
        protocol, metadata = start.protocol, start.metadata
        for number in range(start.commit, version + 1):
            for kind, action, where in actions(
                self.folder, commit_name(number), only=(b'"protocol"', b'"metaData"')
            ):
                if kind == "protocol":
                    protocol = check_protocol(action, where)
                elif kind == "metaData":
                    metadata = check_metadata(action, where)
        return complete(protocol, metadata, version)


def complete(
    protocol: DeltaProtocolAction | None, metadata: DeltaMetadataAction | None, version: int
) -> tuple[DeltaProtocolAction, DeltaMetadataAction]:
    """Protocol and metadata of a version, both there and understood.

    Raises:
        DamagedLog: one is missing.
        UnsupportedTable: they ask for what this server does not know.
    """
    if protocol is None or metadata is None:
        raise DamagedLog(
            f"no commit up to version {version} has a"
            f" {'protocol' if protocol is None else 'metaData'} action"
        )
    check_support(protocol)
    return protocol, metadata
