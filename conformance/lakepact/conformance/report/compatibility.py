"""A compatibility matrix: a row per area, requirement or operation, a column per report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.looks import LOOKS
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from lakepact.generated.report import Line, ResultLine

AREA, REQUIREMENT, OPERATION = ("area", "requirement", "operation")
BY = (AREA, REQUIREMENT, OPERATION)
ANY_OPERATION = "any operation"  #: the row of requirements for all operations
UNJUDGED = (Outcome.ERROR, Outcome.BLOCKED)
NOT_ASKED = "(none)"  #: in a cell: not in that report
NOTHING = LOOKS[Outcome.NOT_OFFERED].sign


class NotComparable(ValueError):
    """Reports of different contracts or versions, which cannot share a matrix."""


@dataclass(frozen=True)
class Column:
    """One report.

    Args:
        name: heading of its column.
        url: the target.
        ended_at: when the run ended.
        verdict: the report's verdict.
        incomplete: why the report is incomplete; empty if it is complete.
        outcomes: requirements by outcome.
        causes: causes of failures by severity.
    """

    name: str
    url: str
    ended_at: str
    verdict: str
    incomplete: str
    outcomes: Counter[str]
    causes: Mapping[str, int]


@dataclass(frozen=True)
class Row:
    """A row: counts of outcomes by column; a column without an entry does not cover it."""

    name: str
    sentence: str
    cells: Mapping[str, Counter[str]]

    @property
    def differs(self) -> bool:
        """Whether the columns differ."""
        return len({frozenset(cell.items()) for cell in self.cells.values()}) > 1


@dataclass(frozen=True)
class Matrix:
    """The matrix of several reports of one contract."""

    title: str
    contract: str
    version: str
    by: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]  #: remarks about comparability

    @property
    def whole(self) -> bool:
        """Whether every report is complete."""
        return not any(column.incomplete for column in self.columns)


def matrix(
    reports: Mapping[str, Sequence[Line]], *, by: str = AREA, differing: bool = False
) -> Matrix:
    """Build the matrix of several reports.

    Args:
        reports: lines of each, by the name of its column; at least one.
        by: the kind of rows.
        differing: only rows in which the reports differ.

    Raises:
        NotComparable: the reports are of different contracts or versions.
    """
    outlines = {name: Outline.of(report) for name, report in reports.items()}
    first, header = next((name, outline.header) for name, outline in outlines.items())
    for name, outline in outlines.items():
        other = outline.header
        if (other["contract"], other["version"]) != (header["contract"], header["version"]):
            raise NotComparable(
                f"{name} judges {other['contract']} {other['version']}, {first} judges"
                f" {header['contract']} {header['version']}: a matrix compares reports of one"
                " version of one contract; --contract and --contract-version choose it"
            )
    rows = _rows(outlines, by)
    return Matrix(
        title=header["title"],
        contract=header["contract"],
        version=header["version"],
        by=by,
        columns=tuple(_column(name, outline) for name, outline in outlines.items()),
        rows=tuple(
            row for row in rows if not differing or row.differs or len(row.cells) < len(reports)
        ),
        notes=tuple(_notes(outlines)),
    )


def column(name: str, report: Sequence[Line]) -> Column:
    """Return the column of a report."""
    return _column(name, Outline.of(report))


def _column(name: str, outline: Outline) -> Column:
    header, footer, outcomes = outline.header, outline.footer, outline.areas["all"]
    open_ones = sum(outcomes[outcome] for outcome in UNJUDGED)
    incomplete = ""
    if "stopped" in footer:
        incomplete = f"{'not everything was' if outcomes else 'nothing could be'} checked: {footer['stopped']}"
    elif open_ones:
        incomplete = (
            f"{open_ones} {'requirement' if open_ones == 1 else 'requirements'} could not be judged"
        )
    elif not outcomes:
        incomplete = "nothing was judged"
    return Column(
        name,
        header["target"],
        header["ended"],
        footer["verdict"],
        incomplete,
        outcomes,
        footer.get("causes", {}),
    )


def _rows(outlines: Mapping[str, Outline], by: str) -> Iterator[Row]:
    sentence: dict[str, str] = {}
    cells: dict[str, dict[str, Counter[str]]] = {}
    for column, outline in outlines.items():
        for result in outline.results:
            for name in _names(result, by):
                sentence[name] = (
                    f"{result['level']}: {result['sentence']}" if by == REQUIREMENT else ""
                )
                cells.setdefault(name, {}).setdefault(column, Counter())[result["outcome"]] += 1
    names = sorted(cells, key=lambda name: name == ANY_OPERATION)
    return (Row(name, sentence[name], cells[name]) for name in names)


def _names(result: ResultLine, by: str) -> Sequence[str]:
    """Return the rows that a result counts in."""
    if by == OPERATION:
        return result["operations"] or (ANY_OPERATION,)
    return (result["area"] if by == AREA else result["requirement"],)


def _notes(outlines: Mapping[str, Outline]) -> Iterator[str]:
    """Yield remarks about what makes the reports hard to compare."""
    headers = {name: outline.header for name, outline in outlines.items()}
    parts = {name: ", ".join(header["only"]) for name, header in headers.items() if header["only"]}
    if len(set(parts.values())) == 1 and len(parts) == len(headers):
        yield f"limited to {next(iter(parts.values()))}"
    else:
        yield from (f"{name}: limited to {part}" for name, part in parts.items())
    makers = {header["lakepact"] for header in headers.values()}
    if len(makers) > 1:
        yield (
            f"the reports are from different versions of lakepact ({', '.join(sorted(makers))}),"
            " whose checks may differ"
        )


def passing_and_applicable(cell: Mapping[str, int]) -> tuple[int, int]:
    """Return how many requirements of a cell pass, and how many apply."""
    return cell.get(Outcome.PASS, 0), sum(cell.values()) - cell.get(Outcome.NOT_OFFERED, 0)


def outcome_of(cell: Mapping[str, int]) -> Outcome:
    """Return the outcome in the cell of one requirement."""
    return Outcome(next(iter(cell)))


def marks(cell: Mapping[str, int]) -> Iterator[tuple[Outcome, int]]:
    """Return the counts of a cell's outcomes other than pass and not-offered, worst first."""
    return (
        (o, cell[o])
        for o in Outcome
        if cell.get(o) and o not in (Outcome.PASS, Outcome.NOT_OFFERED)
    )


def cell_text(cell: Mapping[str, int] | None, by: str) -> str:
    """Return a cell as text."""
    if cell is None:
        return NOT_ASKED
    if by == REQUIREMENT:
        return LOOKS[outcome_of(cell)].sign
    passing, applicable = passing_and_applicable(cell)
    return (
        " ".join((f"{passing}/{applicable}", *(f"{LOOKS[o].sign}{n}" for o, n in marks(cell))))
        if applicable
        else NOTHING
    )


def signs(matrix: Matrix) -> str:
    """Return the legend of the signs."""
    outcomes = {o for column in matrix.columns for o in column.outcomes}
    legend = [
        f"{look.sign} {look.sentence}" for outcome, look in LOOKS.items() if outcome in outcomes
    ]
    return "; ".join(([] if matrix.by == REQUIREMENT else ["passed/applicable"]) + legend)


def as_json(matrix: Matrix) -> dict[str, Any]:
    """Return a matrix as a JSON document."""
    return {
        "contract": matrix.contract,
        "version": matrix.version,
        "by": matrix.by,
        "notes": list(matrix.notes),
        "reports": [_report(column) for column in matrix.columns],
        "rows": [
            {"name": row.name, "cells": {name: dict(cell) for name, cell in row.cells.items()}}
            for row in matrix.rows
        ],
    }


def _report(column: Column) -> dict[str, Any]:
    about = {
        "name": column.name,
        "target": column.url,
        "ended": column.ended_at,
        "verdict": column.verdict,
        "incomplete": column.incomplete,
    }
    return {
        **about,
        "counts": dict(column.outcomes),
        "causes": dict(column.causes),
    }


def incomplete(columns: Iterable[Column]) -> Iterator[str]:
    """Return a line for each incomplete report."""
    return (
        f"{column.name} is incomplete: {column.incomplete}"
        for column in columns
        if column.incomplete
    )
