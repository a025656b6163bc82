"""Requests that are answered in lines, in either format, for tables that differ from each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.checks.delta_sharing.kit import lines as ndjson
from lakepact.conformance.checks.delta_sharing.kit.answers import version_of
from lakepact.conformance.checks.delta_sharing.kit.catalog import SharedTable
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
from lakepact.conformance.checks.delta_sharing.kit.times import EPOCH
from lakepact.conformance.evidence.exchanges import Document, Reply
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op

MOST_TABLES = 10  #: as many kinds as the fixture pack has
MOST_VERSIONS = 8  #: whose changes are requested
MANY = 1000  #: rows, so that a large table does not send all of its files
WITH_END = ";includeendstreamaction=true"
TWO = ["protocol", "metaData"]


@dataclass(frozen=True)
class Question:
    """One request about a table that is answered in lines."""

    operation: OperationId
    what: str  #: for a report
    arguments: Document

    @property
    def is_of_changes(self) -> bool:
        """Whether it requests changes, by any operation."""
        return self.operation == ndjson.CHANGES or "startingVersion" in self.arguments.get(
            "body", {}
        )


def sample_tables(lab: SharingLab, most: int = MOST_TABLES) -> list[SharedTable]:
    """Return readable tables, one of each kind first."""
    kinds: set[Any] = set()
    first: list[SharedTable] = []
    rest: list[SharedTable] = []
    for table in lab.tables():
        kind = (table.format, table.changes, table.reader_features, table.access_modes)
        (rest if kind in kinds else first).append(table)
        kinds.add(kind)
    return [*first, *rest][:most]


def by_url(lab: SharingLab, most: int = MOST_TABLES) -> list[SharedTable]:
    """Return sample tables that are read by URLs of files.

    Raises:
        NotOffered: there are none.
    """
    tables = [
        table for table in sample_tables(lab, len(lab.tables())) if "url" in table.access_modes
    ][:most]
    if not tables:
        raise NotOffered("no table is read by URLs of files")
    return tables


def ask(
    lab: SharingLab,
    table: SharedTable,
    question: Question,
    header: str | None,
    *,
    is_shared: bool = False,
) -> Reply:
    """Return the answer to a question about a table; a shared one may be that of another check."""
    return (lab.read if is_shared else lab.send)(
        question.operation, delta_sharing_capabilities=header, **table.address, **question.arguments
    )


def version(lab: SharingLab, table: SharedTable, since: str | None = None) -> int | None:
    """Return the current version of a table, or the first since a time; `None` if it is refused."""
    reply = lab.read(op.get_table_version, starting_timestamp=since, **table.address)
    return version_of(reply) if reply.status == 200 else None


def questions(lab: SharingLab, table: SharedTable) -> Iterator[Question]:
    """Yield the questions about a sample table."""
    yield Question(ndjson.METADATA, "metadata", {})
    if "url" not in table.access_modes:
        return
    yield Question(ndjson.QUERY, "a query", {"body": {"limitHint": MANY}})
    first, last = version(lab, table, EPOCH), version(lab, table)
    if first is None or last is None:
        return
    first = max(first, last - MOST_VERSIONS)
    yield Question(
        ndjson.QUERY, "a query with time travel", {"body": {"version": first, "limitHint": MANY}}
    )
    yield Question(
        ndjson.QUERY,
        "a query with startingVersion",
        {"body": {"startingVersion": first, "endingVersion": last}},
    )
    if table.changes and lab.offers(ndjson.CHANGES):
        yield Question(ndjson.CHANGES, "changes", {"starting_version": last})
        yield Question(
            ndjson.CHANGES,
            "changes",
            {"starting_version": first, "include_historical_metadata": True},
        )
