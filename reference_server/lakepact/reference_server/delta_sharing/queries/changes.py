"""Changes of a range of versions: the actions of each commit that matter to readers of changed rows
or changed files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lakepact.reference_server.delta_sharing.histories import History
from lakepact.reference_server.delta_sharing.log import Commit, Snapshot
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog
from lakepact.reference_server.delta_sharing.queries import capabilities
from lakepact.reference_server.delta_sharing.queries.queries import malformed
from lakepact.reference_server.http.service import Rules as ServiceRules

METADATA = "metaData"
PROTOCOL = "protocol"
#: actions of a range that are kept between its survey and its answer; beyond them commits are read
#: again
KEPT = 20_000
ENABLED = "delta.enableChangeDataFeed"


class Change(NamedTuple):
    """One action that is sent, and the commit that it belongs to."""

    kind: str  #: add, remove, cdc, METADATA or PROTOCOL
    action: dict[str, Any]
    version: int
    timestamp: int
    columns: Sequence[str]  #: the partition columns of that version


@dataclass(frozen=True, slots=True)
class Heading:
    """The metadata of a table from a version on."""

    version: int
    protocol: Mapping[str, Any]
    metadata: Mapping[str, Any]


def _changes_data(action: Mapping[str, Any]) -> bool:
    """Return whether a file was added or removed because rows changed, and not only because files
    were rewritten.
    """
    return action.get("dataChange", True) is not False


def file_changes(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files that a commit added and removed because rows changed."""
    for kind, actions in (("add", commit.adds), ("remove", commit.removes)):
        yield from ((kind, action) for action in actions if _changes_data(action))


def row_changes(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files with the changed rows of a commit: its change files, else the files that it
    added and removed.
    """
    if commit.cdcs:
        yield from (("cdc", action) for action in commit.cdcs)
    else:
        yield from file_changes(commit)


def feed_is_on(heading: Heading) -> bool:
    """Return whether commits note which rows they change."""
    configuration: Mapping[str, str] = heading.metadata.get("configuration") or {}
    return configuration.get(ENABLED, "false").lower() == "true"


def feed_covers(headings: Iterable[Heading]) -> None:
    """Check that row changes were recorded for the whole range.

    Raises:
        Problem: 400, they were not.
    """
    for heading in headings:
        if not feed_is_on(heading):
            raise malformed(
                f"changes of rows were not recorded in version {heading.version}: {ENABLED} is not"
                " true there"
            )


@dataclass(frozen=True, slots=True)
class Range:
    """The changes that a request asks for.

    Args:
        first: the first version.
        last: the last version.
        of_rows: whether changed rows are requested rather than changed files.
        with_metadata: whether metadata is sent where it changes.
        with_protocol: whether protocols are sent where they change, in delta format.
    """

    first: int
    last: int
    of_rows: bool
    with_metadata: bool
    with_protocol: bool = False


@dataclass(frozen=True, slots=True)
class Survey:
    """The facts about a range that precede its changes.

    Args:
        protocol: the requirements for readers.
        metadata: the metadata of the table.
        features: the reader features of all versions together.
        commits: the first commits of the range, as far as they were cached.
    """

    protocol: Heading
    metadata: Heading
    features: frozenset[str]
    commits: tuple[Commit, ...] = ()

    def content(self) -> dict[str, Any]:
        """Return the content for a token."""
        return {
            "protocol": self.protocol.version,
            "metadata": self.metadata.version,
            "needed": sorted(self.features),
        }


def survey(log: History, span: Range, rules: Rules, capabilities: capabilities.Rules) -> Survey:
    """Read through a range: whatever is wrong with it is known before the answer begins.

    Raises:
        Problem: the changes that are asked for were not recorded.
        LogError: the log gives no answer.
    """
    headings = [_heading(log, span.first)]
    commits: list[Commit] = []
    actions = 0
    for commit in log.commits(span.first, span.last):
        if commit.version > span.first and (commit.protocol or commit.metadata):
            headings.append(
                Heading(
                    commit.version,
                    commit.protocol or headings[-1].protocol,
                    commit.metadata or headings[-1].metadata,
                )
            )
        actions += len(commit.adds) + len(commit.removes) + len(commit.cdcs)
        if actions <= KEPT:
            commits.append(commit)
    if span.of_rows:
        rules.feed_covers(headings)
    features = frozenset[str]().union(
        *(capabilities.data_features(heading.protocol, heading.metadata) for heading in headings)
    )
    return Survey(
        protocol_of_head(headings), rules.metadata_of_head(headings, span), features, tuple(commits)
    )


def survey_of_token(log: History, content: Mapping[str, Any]) -> Survey:
    """Return the survey that a token holds."""
    return Survey(
        _heading(log, content["protocol"]),
        _heading(log, content["metadata"]),
        frozenset(content["needed"]),
    )


def _heading(log: History, version: int) -> Heading:
    return Heading(version, *log.heading(version))


def metadata_of_head(headings: Sequence[Heading], span: Range) -> Heading:
    """Return the metadata at the head of an answer: where later ones follow that of the start, else
    the newest one.
    """
    return (
        headings[0]
        if span.with_metadata
        else Heading(span.last, headings[-1].protocol, headings[-1].metadata)
    )


def protocol_of_head(headings: Sequence[Heading]) -> Heading:
    """Return the protocol at the head of an answer: the one that asks most, and of those the
    newest.
    """
    return max(
        headings,
        key=lambda h: (
            h.protocol["minReaderVersion"],
            len(h.protocol.get("readerFeatures") or ()),
            h.version,
        ),
    )


class Page:
    """The changes of a range, commit by commit, or a part of them.

    Args:
        log: the table's log.
        wanted: the range.
        rules: the decisions.
        kept: the first commits of the range, as far as they are at hand.
        at: the version to begin with, and how many of its changes come before.
        most: how many files there may be; None for all.
    """

    def __init__(
        self,
        log: History,
        span: Range,
        rules: Rules,
        *,
        commits: Sequence[Commit] = (),
        at: tuple[int, int] | None = None,
        most: int | None = None,
    ) -> None:
        self._log, self._wanted, self._most = log, span, most
        self._of_commit = rules.row_changes if span.of_rows else rules.file_changes
        self._at = at or (span.first, 0)
        self._kept = commits
        self.files = 0  #: that there were
        self.following: tuple[int, int] | None = (
            None  #: where the next page begins, once this one has been read
        )

    def __iter__(self) -> Iterator[Change]:
        version, before = self._at
        columns: Sequence[str] = self._log.heading(version)[1]["partitionColumns"]
        for commit in self._commits(version):
            columns = columns if commit.metadata is None else commit.metadata["partitionColumns"]
            for index, (kind, action) in enumerate(self._actions(commit)):
                if index < before:
                    continue
                if kind not in {METADATA, PROTOCOL}:
                    if self.files == self._most:
                        self.following = (commit.version, index)
                        return
                    self.files += 1
                yield Change(kind, action, commit.version, commit.timestamp, columns)
            before = 0

    def _commits(self, version: int) -> Iterator[Commit]:
        yield from self._kept
        yield from self._log.commits(version + len(self._kept), self._wanted.last)

    def _actions(self, commit: Commit) -> Iterator[tuple[str, Any]]:
        # That of the first version stands at the head of every answer.
        if self._wanted.with_protocol and commit.protocol and commit.version > self._wanted.first:
            yield PROTOCOL, commit.protocol
        if self._wanted.with_metadata and commit.metadata and commit.version > self._wanted.first:
            yield METADATA, commit.metadata
        yield from self._of_commit(commit)


class Removed:
    """Completes remove actions of writers that note neither the size nor the partition values of
    what they remove.

    Args:
        snapshot: gives the table as it was at a version.
    """

    def __init__(self, snapshot: Callable[[int], Snapshot]) -> None:
        self._snapshot = snapshot
        self._version = -1
        self._known: dict[str, Mapping[str, Any]] = {}

    def complete(self, change: Change) -> dict[str, Any]:
        """Return the action of a change, with size and partition values.

        Raises:
            DamagedLog: they stand nowhere.
        """
        action = change.action
        if change.kind != "remove" or (
            action.get("size") is not None and action.get("partitionValues") is not None
        ):
            return action
        if self._version != change.version:
            self._known = {file["path"]: file for file in self._snapshot(change.version - 1).files}
            self._version = change.version
        try:
            addition = self._known[action["path"]]
        except KeyError:
            raise DamagedLog(
                f"version {change.version} removes {action['path']!r}, which no version before"
                " it has"
            ) from None
        return {**action, "size": addition["size"], "partitionValues": addition["partitionValues"]}


class Rules(ServiceRules):
    """Decisions about changes that a fault may replace."""

    file_changes = staticmethod(file_changes)
    row_changes = staticmethod(row_changes)
    feed_covers = staticmethod(feed_covers)
    metadata_of_head = staticmethod(metadata_of_head)
