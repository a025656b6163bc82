"""Verification of written tables: the rows of each version as a reader gets them, and facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.client import LakepactError
from lakepact.conformance.evidence.arrow import pa, pc
from lakepact.data import facts
from lakepact.data.compare.iceberg_side import IcebergSide
from lakepact.data.compare.model import CannotCompare, Compared, Difference, PinnedTable, message
from lakepact.data.compare.shared_side import SharedSide
from lakepact.data.compare.tables import Choices, compare
from lakepact.data.delta import SHARE
from lakepact.data.facts import MAINTENANCE, NOT_OFFERED
from lakepact.data.truth_side import truth

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import Format
    from lakepact.data.truth import Written, WrittenTable

#: Kinds of differences from the truth that count, and those that count with `--rows-only`.
ROWS = ("table", "column", "rows", "values", "row")
ALL = (*ROWS, "type", "required", "partition", "field-id", "format", facts.LASTING, MAINTENANCE)
FORMATS: tuple[Format, ...] = ("parquet", "delta")


@dataclass(frozen=True)
class Verification:
    """Compares versions of written tables with the truth.

    Args:
        engine: Compares the rows.
        choices: Kinds that count, the key, the sample.
        allows_maintenance: Versions may be gone and new ones there, while rows are the same.
    """

    engine: Any
    choices: Choices
    allows_maintenance: bool

    def of_iceberg(
        self, side: IcebergSide, record: Written, table: WrittenTable
    ) -> Iterator[Compared]:
        """Yield the comparison of each version of an Iceberg table, and its facts."""
        name, last = f"{record.namespace}.{table.name}", len(table.versions) - 1
        if not side.exists(name):
            absent = Difference("table", f"table {name}", "exists", None)
            yield Compared(f"iceberg {table.name}", name, differences=(absent,))
            return
        yield self._version(table, last, partial(side.table, name), "current")
        for number, snapshot in enumerate(table.snapshots):
            read = partial(side.table, name, at=snapshot)
            yield self._version(table, number, read, f"version {number}")
        identifier = (record.namespace, table.name)
        differences = facts.of_iceberg(side.catalog, identifier, table)
        yield self._facts(f"iceberg {table.name}, facts", differences)

    def of_share(
        self, side: SharedSide, record: Written, table: WrittenTable
    ) -> Iterator[Compared]:
        """Yield the comparison of each version of a shared table in both formats, its changes and
        its facts.
        """
        name, last = f"{record.namespace}.{table.name}", len(table.versions) - 1
        shared = side.client.table(SHARE, record.namespace, table.name)
        for form in FORMATS[1:] if table.shape_of(last).has_reader_features else FORMATS:
            for at, number in ((None, last), *zip(table.snapshots, range(last + 1), strict=True)):
                which = "current" if at is None else f"version {number}"
                read = partial(side.table, name, at=at, formats=(form,))
                yield self._version(table, number, read, f"{which} in {form} format")
        for number in range(1, last + 1):
            for change, rows in (
                ("insert", table.inserts(number)),
                ("delete", table.removals(number)),
            ):
                yield self._compare(
                    truth(table, number, rows=rows),
                    partial(_changes, side, name, number, change),
                    f"{table.protocol} {table.name}, version {number}: changes of kind {change}",
                    kinds=ROWS,
                )
        yield self._facts(f"delta {table.name}, facts", facts.of_share(shared, table))

    def _version(
        self, table: WrittenTable, number: int, read: Callable[[], PinnedTable], which: str
    ) -> Compared:
        name = f"{table.protocol} {table.name}, {which}"
        is_current = which.startswith("current")
        return self._compare(truth(table, number), read, name, may_be_missing=not is_current)

    def _compare(
        self,
        expected: PinnedTable,
        read: Callable[[], PinnedTable],
        name: str,
        *,
        kinds: tuple[str, ...] = ALL,
        may_be_missing: bool = True,
    ) -> Compared:
        start = time.monotonic()
        failing = tuple(kind for kind in kinds if kind in self.choices.failing)
        try:
            result = compare(self.engine, expected, read(), replace(self.choices, failing=failing))
        except (CannotCompare, LakepactError, OSError, ValueError) as wrong:
            result = Compared(name, name, error=message(wrong, ()))
        result = self._without_error(replace(result, information=()), may_be_missing=may_be_missing)
        seconds = round(time.monotonic() - start, 2)
        return replace(result, table=name, other=name, seconds=seconds)

    def _without_error(self, result: Compared, *, may_be_missing: bool) -> Compared:
        """Return a result in which unreadable rows are a difference, or information if they may be
        missing.
        """
        if not result.error:
            return result
        unread = Difference("rows", "rows that can be read", "all", result.error)
        if self.allows_maintenance and may_be_missing:
            return replace(result, error="", differences=(), information=(unread,))
        return replace(result, error="", differences=(*result.differences, unread))

    def _facts(self, name: str, differences: Iterator[Difference]) -> Compared:
        try:
            all_differences = tuple(differences)
        except (LakepactError, OSError, ValueError, pa.ArrowException) as wrong:
            unread = Compared(name, name, error=message(wrong, ()))
            return self._without_error(unread, may_be_missing=True)
        allowed = {NOT_OFFERED, *((MAINTENANCE,) if self.allows_maintenance else ())}
        return Compared(
            name,
            name,
            differences=tuple(
                each for each in all_differences if each.kind in {*self.choices.failing} - allowed
            ),
            information=tuple(each for each in all_differences if each.kind in allowed),
        )


def _changes(side: SharedSide, name: str, version: int, change: str) -> PinnedTable:
    """Return the rows that the changes of a version name as inserted or deleted."""
    schema, _, table = name.partition(".")
    shared = side.client.table(SHARE, schema, table)
    listing = shared.changes(starting_version=version, ending_version=version)
    changes = listing.to_arrow()
    snapshot = side.table(name, at=version)
    rows = changes.filter(pc.equal(changes.column("_change_type"), change))
    rows = rows.select(snapshot.schema.names).cast(snapshot.schema)
    frame = lambda session: session.createDataFrame(rows)  # noqa: E731 - a member
    return replace(snapshot, batches=lambda: iter(rows.to_batches()), frame=frame)
