"""Tables for checks that need no known content: of the fixture pack if it is shared, else listed
ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lakepact.conformance.checks.delta_sharing.kit import reading
from lakepact.conformance.checks.delta_sharing.kit.catalog import SharedTable
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

MANY, CHANGING = "many_files", reading.CHANGING


@dataclass(frozen=True)
class Subject:
    """A table and its current version."""

    table: AnyTable
    last: int


def with_history(lab: SharingLab) -> Subject:
    """Return a table whose history is shared, with several versions if there is one.

    Raises:
        NotOffered: there is none.
        Blocked: its version is not returned.
    """
    return _subject(lab, lab.fixture("partitioned") if lab.knows_content else lab.with_history())


def with_changes(lab: SharingLab) -> Subject:
    """Return a table with a change data feed.

    Raises:
        NotOffered: there is none.
        Blocked: its version is not returned.
    """
    if lab.knows_content:
        return _subject(lab, lab.fixture("changes"))
    table: SharedTable | None = lab.offer.result("changes")
    if table is None:
        raise NotOffered("no table that is listed has a change data feed that is answered")
    return _subject(lab, table)


def any_table(lab: SharingLab) -> AnyTable:
    """Return a table that can be read by URLs."""
    return lab.fixture("times") if lab.knows_content else lab.table()


def _subject(lab: SharingLab, table: AnyTable) -> Subject:
    version = reading.version_header(
        lab.require(lab.send(op.get_table_version, **table.address), 200)
    )
    if not version.isdigit():
        raise Blocked(f"the version of a table is said to be {expect.excerpt(version)}")
    return Subject(table, int(version))


def readable(lab: SharingLab, form: str) -> Iterator[PackTable]:
    """Yield the unchanging tables of the pack that can be read in a format by URLs.

    Raises:
        NotOffered: the target offers no such format.
    """
    if form == reading.DELTA and not lab.feature("delta-format"):
        raise NotOffered("the target does not answer in delta format")
    if form == reading.PARQUET:
        lab.needs_parquet()
    for table in lab.manifest.tables.values():
        by_url = not table.access_modes or "url" in table.access_modes
        if by_url and table.name not in {MANY, CHANGING} and form in reading.formats(lab, table):
            yield table
