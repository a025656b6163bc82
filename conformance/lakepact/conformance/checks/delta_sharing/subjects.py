"""Tables on which something can be tried without knowing what they hold: of the fixture pack if it is shared, else what is listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.conformance.checks.delta_sharing import reading
from lakepact.conformance.outcome import Blocked, NotOffered

if TYPE_CHECKING:
    from lakepact.conformance.checks.delta_sharing.catalogue import SharedTable
    from lakepact.conformance.checks.delta_sharing.lab import SharingLab
    from lakepact.conformance.checks.delta_sharing.reading import AnyTable


@dataclass(frozen=True)
class Subject:
    """A table and its current version."""

    table: AnyTable
    last: int


def with_history(lab: SharingLab) -> Subject:
    """A table whose history is shared, with several versions if there is one.

    Raises:
        NotOffered: there is none.
        Blocked: it does not say its version.
    """
    return _subject(lab, lab.fixture("partitioned") if lab.knows_content else lab.with_history())


def with_changes(lab: SharingLab) -> Subject:
    """A table with a change data feed.

    Raises:
        NotOffered: there is none.
        Blocked: it does not say its version.
    """
    if lab.knows_content:
        return _subject(lab, lab.fixture("changes"))
    table: SharedTable | None = lab.offer.found["changes"]
    if table is None:
        raise NotOffered("no table that is listed has a change data feed that is answered")
    return _subject(lab, table)


def any_table(lab: SharingLab) -> AnyTable:
    """A table that can be read by URLs."""
    return lab.fixture("times") if lab.knows_content else lab.table()


def _subject(lab: SharingLab, table: AnyTable) -> Subject:
    version = reading.version_header(lab.works(lab.send("getTableVersion", **table.address), 200))
    if not version.isdigit():
        raise Blocked(f"the version of a table is said to be {version!r}")
    return Subject(table, int(version))
