"""Findings of a verification: one difference of one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.conformance.data.digests import Digest, ordered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.conformance.data.digests import Figures
    from lakepact.conformance.data.truth import Version, WrittenTable


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    table: str
    door: str
    what: str
    expected: str
    actual: str
    is_offered: bool = True  #: False where the server does not have it, so that nothing is said

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong about it."""
        return not self.is_offered or self.expected == self.actual


def held(table: WrittenTable, version: int, what: str, actual: Digest) -> Finding:
    """Return whether the rows of a version are all there, once, and as they were written."""
    return Finding(table.name, table.door, f"version {version}: {what}", str(table.digests[version]), str(actual))


def counted(table: WrittenTable, what: str, expected: int, actual: int) -> Finding:
    """Return whether a number is right."""
    return Finding(table.name, table.door, what, str(expected), str(actual))


def not_offered(table: WrittenTable, what: str, why: str) -> Finding:
    """Something that the server does not have."""
    return Finding(table.name, table.door, what, "", why, is_offered=False)


def bounded(table: WrittenTable, version: Version, told: Mapping[str, Figures], *, what: str) -> Iterator[Finding]:
    """Yield whether what statistics say of the columns holds for the rows: nulls exactly, bounds as such, for they may be cut.

    Args:
        table: whose statistics they are.
        version: the rows.
        told: the figures by column, of all files together; a column that is not there has none.
        what: where they were told.
    """
    wrong: dict[str, tuple[Any, Any]] = {}
    for name, truth in version.figures(table.columns).items():
        said = told.get(name)
        if said is None:
            continue
        if said.nulls != truth.nulls:
            wrong[f"nulls of {name}"] = (truth.nulls, said.nulls)
        if ordered(table.columns.schema.field(name).type) and truth.least is not None:
            if said.least is not None and said.least > truth.least:
                wrong[f"least of {name}"] = (f"at most {truth.least}", said.least)
            if said.greatest is not None and said.greatest < truth.greatest:
                wrong[f"greatest of {name}"] = (f"at least {truth.greatest}", said.greatest)
    yield Finding(table.name, table.door, f"statistics of {what} ({len(told)} columns)", "", "")
    for member, (expected, actual) in wrong.items():
        yield Finding(table.name, table.door, f"statistics of {what}: {member}", str(expected), str(actual))
