"""The content of a `_delta_log` folder, by file names only."""

from __future__ import annotations

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog, NoTable

Identity = tuple[int, int, int]

COMMIT = re.compile(r"([0-9]{20})\.json")
CHECKPOINT = re.compile(
    r"([0-9]{20})\.checkpoint"
    r"(?:\.(?P<part>[0-9]{10})\.(?P<parts>[0-9]{10})(?=\.parquet$)|\.(?P<id>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}))?"
    r"\.(?P<type>parquet|json)"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One complete checkpoint: a file, or all parts of one."""

    version: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The commits and checkpoints of a log."""

    commits: frozenset[int]
    checkpoints: Mapping[int, tuple[Checkpoint, ...]]  #: by version

    @property
    def latest(self) -> int:
        """The newest version."""
        return max(max(self.commits, default=-1), max(self.checkpoints, default=-1))

    @property
    def earliest(self) -> int:
        """The oldest version that can be built."""
        return 0 if 0 in self.commits else min(self.checkpoints)

    def checkpoints_until(self, version: int) -> list[Checkpoint]:
        """Return the checkpoints of a version and before it, the newest first."""
        return [
            c
            for number in sorted((v for v in self.checkpoints if v <= version), reverse=True)
            for c in self.checkpoints[number]
        ]

    def newest(self) -> str:
        """Return the file of the newest version."""
        return (
            commit_name(self.latest)
            if self.latest in self.commits
            else self.checkpoints[self.latest][0].names[0]
        )

    def first_commit_for(self, version: int) -> int:
        """Return the oldest commit from which all commits up to a version are there, the version
        after it if its own is not.
        """
        first = version + 1
        while first - 1 in self.commits:
            first -= 1
        return first


def commit_name(version: int) -> str:
    """Return the file of a commit."""
    return f"{version:020}.json"


class Vanished(Exception):
    """A file that was listed is not there any more: old commits are removed while others read."""


@dataclass(frozen=True, slots=True)
class LogFolder:
    """The folder `_delta_log` of a table."""

    path: Path

    def read_listing(self) -> Listing:
        """Return the content of a log folder.

        Raises:
            NoTable: the folder is missing, or has neither commit nor checkpoint.
        """
        try:
            listing = listing_of(path.name for path in self.path.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            raise NoTable("there is no Delta table: the folder has no _delta_log") from None
        if not listing.commits and not listing.checkpoints:
            raise NoTable(
                "there is no Delta table: _delta_log holds neither a commit nor a checkpoint"
            )
        return listing

    def open(self, name: str) -> BinaryIO:
        """Return a file of it, to be read.

        Raises:
            Vanished: it is not there.
            DamagedLog: it cannot be read, is no regular file, or a link leads out of the table's
                folder.
        """
        table, real = os.path.realpath(self.path.parent), os.path.realpath(self.path / name)
        if not real.startswith(table.rstrip("/") + "/"):
            raise DamagedLog(f"{name} cannot be read (a link leads out of the table's folder)")
        try:
            # Without waiting for a writer of a pipe.
            descriptor = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            raise Vanished(name) from None
        except OSError as error:
            raise DamagedLog(f"{name} cannot be read ({error.strerror})") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise DamagedLog(f"{name} cannot be read (it is no regular file)")
        return os.fdopen(descriptor, "rb")

    def modification_time(self, name: str) -> int:
        """Return the time at which a file was modified, in milliseconds since 1970.

        Raises:
            Vanished: it is not there.
        """
        try:
            return (self.path / name).stat().st_mtime_ns // 1_000_000
        except FileNotFoundError:
            raise Vanished(name) from None

    def identity(self, name: str) -> Identity | None:
        """Return a value that changes if the file is replaced; `None` if it does not exist."""
        try:
            stat = (self.path / name).stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def newer(self, version: int) -> list[int]:
        """Return the commits that follow a version without a gap."""
        versions: list[int] = []
        while (self.path / commit_name(version + 1 + len(versions))).exists():
            versions.append(version + 1 + len(versions))
        return versions


def listing_of(names: Iterable[str]) -> Listing:
    """Return the commits and complete checkpoints among the names of files."""
    commits: set[int] = set()
    complete: defaultdict[int, list[Checkpoint]] = defaultdict(list)
    parts: defaultdict[tuple[int, int], dict[int, str]] = defaultdict(dict)
    for name in names:
        if match := COMMIT.fullmatch(name):
            commits.add(int(match[1]))
        elif match := CHECKPOINT.fullmatch(name):
            version = int(match[1])
            if match["part"]:
                parts[version, int(match["parts"])][int(match["part"])] = name
            elif match["type"] == "parquet" or match["id"]:
                complete[version].append(Checkpoint(version, (name,)))
    for (version, count), by_part in parts.items():
        if sorted(by_part) == list(range(1, count + 1)):
            complete[version].append(
                Checkpoint(version, tuple(by_part[part] for part in sorted(by_part)))
            )
    in_order = {
        version: tuple(
            sorted(checkpoints, key=lambda checkpoint: (len(checkpoint.names), checkpoint.names))
        )
        for version, checkpoints in complete.items()
    }
    return Listing(frozenset(commits), in_order)
