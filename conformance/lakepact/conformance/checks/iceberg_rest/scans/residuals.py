"""Checks of residual filters: for the rows of a file, the residual is true exactly where the filter
is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    check,
    expect,
    scans,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.scans.filters import (
    both,
    comparison,
    negation,
    table_of_five,
)

#: Filters of several parts, of which partition or bounds of a file decide some.
FILTERS = (
    both("and", comparison("eq", "name", "a"), comparison("gt", "id", 4)),
    both("or", comparison("eq", "name", "b"), comparison("lt", "id", 3)),
    both("and", comparison("gt-eq", "id", 3), comparison("lt-eq", "id", 28)),
    both("or", comparison("is-null", "name"), comparison("not-eq", "id", 25)),
    comparison("in", "id", 2, 12, 22, 32),
    comparison("not-in", "id", 2, 12, 22, 32),
    comparison("lt", "id", 25),
    comparison("starts-with", "name", "a"),
    comparison("not-starts-with", "name", "ab"),
    negation(comparison("gt", "id", 15)),
    negation(both("and", comparison("not-null", "name"), comparison("lt", "id", 5))),
)

#: The rows of such a table, by file name.
NAMES: dict[str, str | None] = {"a0": "a", "a1": "a", "b2": "b", "ab3": "ab", "null4": None}

COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "not-eq": operator.ne,
    "lt": operator.lt,
    "lt-eq": operator.le,
    "gt": operator.gt,
    "gt-eq": operator.ge,
    "starts-with": lambda text, prefix: str(text).startswith(prefix),
    "not-starts-with": lambda text, prefix: not str(text).startswith(prefix),
}


class Undecided(Exception):
    """It is not known here whether an expression holds for a row."""


def holds(expression: Any, row: Document) -> bool:
    """Return whether an expression holds for a row.

    Raises:
        Undecided: it compares a null, or says something in a way that is not known here.
    """
    if isinstance(expression, bool):
        return expression
    kind = expression.get("type") if isinstance(expression, dict) else None
    if kind in {"true", "false"}:
        return bool(kind == "true")
    if kind == "not":
        return not holds(expression.get("child"), row)
    if kind in {"and", "or"}:
        sides = [holds(expression.get(side), row) for side in ("left", "right")]
        return all(sides) if kind == "and" else any(sides)
    return _compares(kind, expression, row)


def _compares(kind: str | None, expression: Any, row: Document) -> bool:
    term = expression.get("term") if isinstance(expression, dict) else None
    if not isinstance(term, str) or term not in row:
        raise Undecided
    value = row[term]
    if kind in {"is-null", "not-null"}:
        return bool(value is None) == (kind == "is-null")
    literals = expression.get("values") if kind in {"in", "not-in"} else [expression.get("value")]
    if (
        value is None
        or not isinstance(literals, list)
        or not all(type(literal) is type(value) for literal in literals)
    ):
        raise Undecided
    if kind in {"in", "not-in"}:
        return bool(value in literals) == (kind == "in")
    if kind not in COMPARED:
        raise Undecided
    return COMPARED[kind](value, literals[0])


def is_decided(expression: Any, row: Document) -> bool:
    """Return whether it is known here if an expression holds for a row."""
    try:
        holds(expression, row)
    except Undecided:
        return False
    return True


def rows_of(name: str) -> Iterator[Document]:
    """Yield the rows that a file of such a table may have."""
    number = list(NAMES).index(name)
    yield from ({"id": id_, "name": NAMES[name]} for id_ in range(10 * number, 10 * number + 10))


@check("IRC-SCAN-SCH-017")
def residuals_match_the_filter(lab: CatalogLab) -> None:
    """The residual filter of a task holds for exactly the rows of its file that match the filter,
    also for a file of a former partition spec.
    """
    current, former = table_of_five(lab), table_of_five(lab)
    plain = upd.add_spec(spec_id=1)
    former.table = lab.commit(former.table, plain, upd.set_default_spec(upd.LAST_ADDED))
    has_rows = False
    for table, expression in lab.each(product((current, former), FILTERS)):
        files = {table.path(name): name for name in NAMES}
        for task, file, _ in lab.each(
            scans.complete_plan(lab, table.table, filter=expression).tasks
        ):
            residual, name = task.get("residual-filter"), files.get(file["file-path"])
            if residual is None or name is None:
                continue
            rows = [
                row
                for row in rows_of(name)
                if is_decided(expression, row) and is_decided(residual, row)
            ]
            has_rows = has_rows or bool(rows)
            with lab.judge_each("IRC-SCAN-SCH-017") as case:
                for row in rows:
                    with case():
                        expected, at = holds(expression, row), task.place("residual-filter")
                        about = (
                            f"for {expect.excerpt(row)} of a scan for {expect.excerpt(expression)}"
                        )
                        what = f"a residual that {'holds' if expected else 'does not hold'} {about}"
                        expect.true(
                            expected == holds(residual, row), what, expect.excerpt(residual), at=at
                        )
    if not has_rows:
        lab.skip(
            "IRC-SCAN-SCH-017",
            "the target sends no residuals, or residuals that this check cannot evaluate",
        )
