"""What several reports of one contract say side by side: a row for each area, requirement or operation, a column for each report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.conformance.outcome import Outcome
from lakepact.conformance.report.looks import LOOKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

AREA, REQUIREMENT, OPERATION = ("area", "requirement", "operation")
BY = (AREA, REQUIREMENT, OPERATION)
ANY_OPERATION = "any operation"  #: the row of what is demanded of all of them
UNJUDGED = (Outcome.ERROR, Outcome.BLOCKED)
NOT_ASKED = "(none)"  #: in a cell: that report says nothing of it
NOTHING = LOOKS[Outcome.NOT_OFFERED].sign


class NotComparable(ValueError):
    """Reports that do not belong into one matrix; the message says why in one line."""


@dataclass(frozen=True)
class Column:
    """One report.

    Args:
        name: what its column is called.
        url: the target that was judged.
        ended: when.
        verdict: as the report has it.
        incomplete: why the report does not say everything; empty if it does.
        seen: requirements by outcome.
    """

    name: str
    url: str
    ended: str
    verdict: str
    incomplete: str
    seen: Counter[str]


@dataclass(frozen=True)
class Row:
    """One area, requirement or operation: outcomes by the name of a column; a column that has none says nothing of it."""

    name: str
    sentence: str
    cells: Mapping[str, Counter[str]]

    @property
    def differs(self) -> bool:
        """Whether not all columns say the same."""
        return len({frozenset(cell.items()) for cell in self.cells.values()}) > 1


@dataclass(frozen=True)
class Matrix:
    """What several reports say of one contract."""

    title: str
    contract: str
    version: str
    by: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]  #: what a reader should know before comparing

    @property
    def whole(self) -> bool:
        """Whether every report says everything."""
        return not any(column.incomplete for column in self.columns)


def matrix(reports: Mapping[str, Sequence[dict[str, Any]]], *, by: str = AREA, differing: bool = False) -> Matrix:
    """Put reports side by side.

    Args:
        reports: lines of each, by the name of its column; at least one.
        by: what the rows are.
        differing: leave out rows of which all reports say the same.

    Raises:
        NotComparable: they are of different contracts or versions.
    """
    headers = {name: report[0] for name, report in reports.items()}
    first, header = next(iter(headers.items()))
    for name, other in headers.items():
        if (other["contract"], other["version"]) != (header["contract"], header["version"]):
            raise NotComparable(
                f"{name} judges {other['contract']} {other['version']}, {first} judges {header['contract']} {header['version']}: "
                "a matrix is of one version of one contract"
            )
    rows = _rows(reports, by)
    return Matrix(
        title=header["title"],
        contract=header["contract"],
        version=header["version"],
        by=by,
        columns=tuple(_column(name, report) for name, report in reports.items()),
        rows=tuple(row for row in rows if not differing or row.differs or len(row.cells) < len(reports)),
        notes=tuple(_notes(headers)),
    )


def _column(name: str, report: Sequence[dict[str, Any]]) -> Column:
    header, footer = report[0], report[-1]
    seen = Counter(line["outcome"] for line in report if line["line"] == "result")
    unjudged = sum(seen[outcome] for outcome in UNJUDGED)
    incomplete = ""
    if "stopped" in footer:
        incomplete = f"{'not everything was' if seen else 'nothing could be'} judged: {footer['stopped']}"
    elif unjudged:
        incomplete = f"{unjudged} {'requirement' if unjudged == 1 else 'requirements'} could not be judged"
    elif not seen:
        incomplete = "nothing was judged"
    return Column(name, header["target"], header["ended"], footer["verdict"], incomplete, seen)


def _rows(reports: Mapping[str, Sequence[dict[str, Any]]], by: str) -> Iterator[Row]:
    sentence: dict[str, str] = {}
    cells: dict[str, dict[str, Counter[str]]] = {}
    for column, report in reports.items():
        for result in report:
            for name in _names(result, by) if result["line"] == "result" else ():
                sentence[name] = f"{result['level']}: {result['sentence']}" if by == REQUIREMENT else ""
                cells.setdefault(name, {}).setdefault(column, Counter())[result["outcome"]] += 1
    names = sorted(cells, key=lambda name: name == ANY_OPERATION)
    return (Row(name, sentence[name], cells[name]) for name in names)


def _names(result: Mapping[str, Any], by: str) -> Sequence[str]:
    """The rows that a result counts in."""
    if by == OPERATION:
        return result["operations"] or (ANY_OPERATION,)
    return (result[by],)


def _notes(headers: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What makes reports of one contract hard to compare."""
    parts = {name: ", ".join(header["only"]) for name, header in headers.items() if header["only"]}
    if len(set(parts.values())) == 1 and len(parts) == len(headers):
        yield f"only {next(iter(parts.values()))} was asked for"
    else:
        yield from (f"{name}: only {part} was asked for" for name, part in parts.items())
    makers = {header["lakepact"] for header in headers.values()}
    if len(makers) > 1:
        yield f"judged by different versions of lakepact ({', '.join(sorted(makers))}), which may judge otherwise"


def counted(cell: Mapping[str, int]) -> tuple[int, int]:
    """How many requirements of a cell are kept, and how many apply."""
    return cell.get(Outcome.PASS, 0), sum(cell.values()) - cell.get(Outcome.NOT_OFFERED, 0)


def outcome_of(cell: Mapping[str, int]) -> Outcome:
    """The outcome in the cell of one requirement."""
    return Outcome(next(iter(cell)))


def marks(cell: Mapping[str, int]) -> Iterator[tuple[Outcome, int]]:
    """Outcomes of a cell that are neither kept nor not offered, with their numbers, the worst first."""
    return ((o, cell[o]) for o in Outcome if cell.get(o) and o not in (Outcome.PASS, Outcome.NOT_OFFERED))


def cell_text(cell: Mapping[str, int] | None, by: str) -> str:
    """A cell in letters and signs."""
    if cell is None:
        return NOT_ASKED
    if by == REQUIREMENT:
        return LOOKS[outcome_of(cell)].sign
    kept, judged = counted(cell)
    return " ".join((f"{kept}/{judged}", *(f"{LOOKS[o].sign}{n}" for o, n in marks(cell)))) if judged else NOTHING


def signs(matrix: Matrix) -> str:
    """What the signs of a matrix stand for."""
    seen = {o for column in matrix.columns for o in column.seen}
    shown = [f"{look.sign} {look.sentence}" for outcome, look in LOOKS.items() if outcome in seen]
    return "; ".join(([] if matrix.by == REQUIREMENT else ["kept/those that apply"]) + shown)


def as_json(matrix: Matrix) -> dict[str, Any]:
    """A matrix for programs."""
    return {
        "contract": matrix.contract,
        "version": matrix.version,
        "by": matrix.by,
        "notes": list(matrix.notes),
        "reports": [
            {"name": c.name, "target": c.url, "ended": c.ended, "verdict": c.verdict, "incomplete": c.incomplete, "counts": dict(c.seen)}
            for c in matrix.columns
        ],
        "rows": [{"name": row.name, "cells": {name: dict(cell) for name, cell in row.cells.items()}} for row in matrix.rows],
    }


def incomplete(columns: Iterable[Column]) -> Iterator[str]:
    """A line for each report that does not say everything."""
    return (f"{column.name} is incomplete: {column.incomplete}" for column in columns if column.incomplete)
