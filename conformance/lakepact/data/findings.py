"""Findings of a verification: one difference of one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lakepact.client import LakepactError
from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.data.figures import Figures, ordered
from lakepact.data.row_differences import differences
from lakepact.data.schemas import described
from lakepact.data.truth import Version, WrittenTable


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    table: str
    protocol: str
    what: str
    expected: str
    actual: str
    is_offered: bool = True  #: False where the server does not have it, so that nothing is said
    column: str | None = None  #: the column that differs
    row: int | None = None  #: `id` of the first row in which it differs

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong about it."""
        return not self.is_offered or self.expected == self.actual


def held(
    table: WrittenTable,
    what: str,
    batches: Iterable[Any],
    *,
    version: int,
    rows: Version | None = None,
) -> Iterator[Finding]:
    """Yield whether rows are all there, once, and as they were written; if not, the first difference of each column.

    Args:
        table: whose rows they are.
        what: which rows they are.
        batches: the rows.
        version: the version whose columns they have.
        rows: the rows that must be there, if not those of the version.
    """
    rows = rows or table.versions[version]
    expected = f"{rows.count} rows"
    try:
        found = differences(table.shape_of(version), rows, batches)
    except (Unmet, LakepactError, OSError, ValueError, pa.ArrowException) as unread:
        yield Finding(
            table.name, table.protocol, what, expected, f"rows that cannot be read: {plain(unread)}"
        )
        return
    if not found:
        yield Finding(table.name, table.protocol, what, expected, expected)
    for one in found:
        where = f"{what}: column {one.column}" + (
            "" if one.row is None else f", row with id {one.row}"
        )
        yield Finding(
            table.name,
            table.protocol,
            where,
            one.expected,
            one.actual,
            column=one.column,
            row=one.row,
        )


def shaped(table: WrittenTable, what: str, actual: Schema, *, version: int) -> Iterator[Finding]:
    """Yield whether a schema is that of a version; if not, the columns that differ.

    Args:
        table: whose schema it is.
        what: where the schema was.
        actual: the schema.
        version: the version whose schema it must be.
    """
    expected = described(table.shape_of(version).schema, table.ids[version] if table.ids else {})
    found = described(actual)
    if expected == found:
        yield Finding(table.name, table.protocol, f"{what} ({len(found)} fields)", "", "")
    for path in sorted(expected.keys() | found.keys()):
        meant, seen = expected.get(path, "no column"), found.get(path, "no column")
        if meant != seen:
            yield Finding(
                table.name, table.protocol, f"{what}: column {path}", meant, seen, column=path
            )


def counted(table: WrittenTable, what: str, expected: int, actual: int) -> Finding:
    """Return whether a number is right."""
    return Finding(table.name, table.protocol, what, str(expected), str(actual))


def not_offered(table: WrittenTable, what: str, why: str) -> Finding:
    """Something that the server does not have."""
    return Finding(table.name, table.protocol, what, "", why, is_offered=False)


def bounded(
    table: WrittenTable, version: int, told: Mapping[str, Figures], *, what: str
) -> Iterator[Finding]:
    """Yield whether what statistics say of the columns holds for the rows: nulls exactly, bounds as such, for they may be cut.

    Args:
        table: whose statistics they are.
        version: the version of the rows.
        told: the figures by column, of all files together; a column that is not there has none.
        what: where they were told.
    """
    wrong: dict[str, tuple[Any, Any]] = {}
    shape = table.shape_of(version)
    for name, truth in table.versions[version].figures(shape).items():
        said = told.get(name)
        if said is None:
            continue
        if said.nulls != truth.nulls:
            wrong[f"nulls of {name}"] = (truth.nulls, said.nulls)
        if ordered(shape.schema.field(name).type) and truth.least is not None:
            if said.least is not None and _exceeds(said.least, truth.least):
                wrong[f"least of {name}"] = (f"at most {truth.least}", said.least)
            if said.greatest is not None and _exceeds(truth.greatest, said.greatest):
                wrong[f"greatest of {name}"] = (f"at least {truth.greatest}", said.greatest)
    if not wrong:
        yield Finding(
            table.name, table.protocol, f"statistics of {what} ({len(told)} columns)", "", ""
        )
    for member, (expected, actual) in wrong.items():
        column = member.rpartition(" of ")[2]
        yield Finding(
            table.name,
            table.protocol,
            f"statistics of {what}: {member}",
            str(expected),
            str(actual),
            column=column,
        )


def _exceeds(one: Any, other: Any) -> bool:
    """Return whether a value is greater than another, or of a type that cannot be compared with it."""
    try:
        return bool(one > other)
    except TypeError:
        return True
