"""What changed in a range of versions: which actions of each commit say so, to readers of changed rows and to those of changed files."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .log.refusals import DamagedLog
from .queries import malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .log import Commit, Log, Snapshot

    Rules = Mapping[str, Callable[..., Any]]

METADATA = "metaData"
ENABLED = "delta.enableChangeDataFeed"


class Change(NamedTuple):
    """One action that is sent, and the commit that it belongs to."""

    kind: str  #: add, remove, cdc, or METADATA
    action: dict[str, Any]
    version: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class Heading:
    """What a table says of itself from a version on."""

    version: int
    protocol: Mapping[str, Any]
    metadata: Mapping[str, Any]


def _changes_data(action: Mapping[str, Any]) -> bool:
    """Whether a file was added or removed because rows changed, and not only because files were rewritten."""
    return action.get("dataChange", True) is not False


def file_changes(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    """The files that a commit added and removed because rows changed."""
    for kind, actions in (("add", commit.adds), ("remove", commit.removes)):
        yield from ((kind, action) for action in actions if _changes_data(action))


def row_changes(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    """The files from which the changed rows of a commit are read: files of changes if it wrote them, else what it added and removed."""
    if commit.cdcs:
        yield from (("cdc", action) for action in commit.cdcs)
    else:
        yield from file_changes(commit)


def headings(log: Log, first: int, last: int) -> list[Heading]:
    """What the table said of itself at the start of a range, and from each version on that changed it."""
    protocol, metadata = log.heading(first)
    found = [Heading(first, protocol, metadata)]
    for commit in log.commits(first, last):
        if commit.version > first and (commit.protocol or commit.metadata):
            protocol, metadata = commit.protocol or protocol, commit.metadata or metadata
            found.append(Heading(commit.version, protocol, metadata))
    return found


def partition_columns(found: Sequence[Heading], version: int) -> Sequence[str]:
    """The partition columns of a version, given what the table said of itself in the range that it lies in."""
    columns: Sequence[str] = found[bisect_right(found, version, key=lambda heading: heading.version) - 1].metadata["partitionColumns"]
    return columns


def feed_is_on(heading: Heading) -> bool:
    """Whether commits note which rows they change."""
    configuration: Mapping[str, str] = heading.metadata.get("configuration") or {}
    return configuration.get(ENABLED, "false").lower() == "true"


def feed_covers(found: Iterable[Heading], rules: Rules) -> None:
    """Changes of rows are known for a range only if they were noted all through it.

    Raises:
        Problem: they were not.
    """
    for heading in found:
        if not rules["feed-is-on"](heading):
            raise malformed(f"changes of rows were not recorded in version {heading.version}: {ENABLED} is not true there")


@dataclass(frozen=True, slots=True)
class Range:
    """What changes a request asks for.

    Args:
        first: the version that they start with.
        last: the version that they end with.
        of_rows: whether changed rows are asked for, and not changed files.
        with_metadata: whether metadata is sent where it changes.
    """

    first: int
    last: int
    of_rows: bool
    with_metadata: bool


class Page:
    """The changes of a range, commit by commit, or a part of them.

    Args:
        log: the table's log.
        wanted: the range.
        rules: the decisions.
        at: the version to begin with, and how many of its changes come before.
        most: how many files there may be; None for all.
    """

    def __init__(self, log: Log, wanted: Range, rules: Rules, *, at: tuple[int, int] | None = None, most: int | None = None) -> None:
        self._log, self._wanted, self._most = log, wanted, most
        self._of_commit = rules["row-changes" if wanted.of_rows else "file-changes"]
        self._at = at or (wanted.first, 0)
        self.files = 0  #: that there were
        self.following: tuple[int, int] | None = None  #: where the next page begins, once this one has been read

    def __iter__(self) -> Iterator[Change]:
        version, before = self._at
        for commit in self._log.commits(version, self._wanted.last):
            for index, (kind, action) in enumerate(self._actions(commit)):
                if index < before:
                    continue
                if kind != METADATA:
                    if self.files == self._most:
                        self.following = (commit.version, index)
                        return
                    self.files += 1
                yield Change(kind, action, commit.version, commit.timestamp)
            before = 0

    def _actions(self, commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
        # That of the first version stands at the head of every answer.
        if self._wanted.with_metadata and commit.metadata and commit.version > self._wanted.first:
            yield METADATA, commit.metadata
        yield from self._of_commit(commit)


class Removed:
    """Completes remove actions of writers that note neither the size nor the partition values of what they remove.

    Args:
        snapshot: gives the table as it was at a version.
    """

    def __init__(self, snapshot: Callable[[int], Snapshot]) -> None:
        self._snapshot = snapshot
        self._version = -1
        self._known: dict[str, Mapping[str, Any]] = {}

    def complete(self, change: Change) -> dict[str, Any]:
        """The action of a change, with size and partition values.

        Raises:
            DamagedLog: they stand nowhere.
        """
        action = change.action
        if change.kind != "remove" or (action.get("size") is not None and action.get("partitionValues") is not None):
            return action
        if self._version != change.version:
            self._known = {file["path"]: file for file in self._snapshot(change.version - 1).files}
            self._version = change.version
        try:
            added = self._known[action["path"]]
        except KeyError:
            raise DamagedLog(f"version {change.version} removes {action['path']!r}, which no version before it has") from None
        return {**action, "size": added["size"], "partitionValues": added["partitionValues"]}


#: Decisions about changes that a fault may replace.
RULES: dict[str, Callable[..., Any]] = {
    "file-changes": file_changes,
    "row-changes": row_changes,
    "feed-is-on": feed_is_on,
    "feed-covers": feed_covers,
}
