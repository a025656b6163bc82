"""What changed in a range of versions: which actions of each commit say so, to readers of changed rows and to those of changed files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .queries import malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .log import Log
    from .log.actions import Commit

    Rules = Mapping[str, Callable[..., Any]]

ENABLED = "delta.enableChangeDataFeed"


class Change(NamedTuple):
    """One action that is sent, and the commit that it belongs to."""

    kind: str  #: add, remove, cdc or metaData
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


def changes(
    log: Log,
    versions: range,
    *,
    of_commit: Callable[[Commit], Iterable[tuple[str, dict[str, Any]]]],
    with_metadata: bool,
    first: int,
) -> Iterator[Change]:
    """The changes of a range, commit by commit.

    Args:
        log: the table's log.
        versions: the versions to read.
        of_commit: which actions of a commit are sent.
        with_metadata: whether metadata is sent where it changes.
        first: the version whose metadata has been sent already.
    """
    for commit in log.commits(versions[0], versions[-1]):
        if with_metadata and commit.metadata and commit.version > first:
            yield Change("metaData", commit.metadata, commit.version, commit.timestamp)
        for kind, action in of_commit(commit):
            yield Change(kind, action, commit.version, commit.timestamp)


#: Decisions about changes that a fault may replace.
RULES: dict[str, Callable[..., Any]] = {
    "file-changes": file_changes,
    "row-changes": row_changes,
    "feed-is-on": feed_is_on,
    "feed-covers": feed_covers,
}
