"""Comparison of rows as multisets, with a sentence about missing and surplus rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lakepact.conformance.evidence.differences import Difference, Kind, kind_of
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

UNPLACED = Difference("", Kind.VALUE)
SHOWN = 160  #: characters of a row that a sentence quotes


def same(
    expected: Iterable[Mapping[str, Any]], actual: Iterable[Mapping[str, Any]], what: str
) -> None:
    """Rows are the same, in any order, each as often.

    Raises:
        Unmet: some are missing, or too many.
    """
    expected_counts, actual_counts = count(expected), count(actual)
    missing, extra = expected_counts - actual_counts, actual_counts - expected_counts
    if missing or extra:
        text = f"{_rows(actual_counts.total())}, {_difference(missing, extra)}"
        raise Unmet(
            f"{what}: {_rows(expected_counts.total())}",
            text,
            difference=column_that_differs(missing, extra),
        )


def includes(
    expected: Iterable[Mapping[str, Any]], actual: Iterable[Mapping[str, Any]], what: str
) -> None:
    """Rows are all there, each as often at least; there may be others.

    Raises:
        Unmet: some are missing.
    """
    expected_counts, actual_counts = count(expected), count(actual)
    missing = expected_counts - actual_counts
    if missing:
        all_of_them = f"{what}: {_rows(expected_counts.total())} among those of the files"
        raise Unmet(all_of_them, _difference(missing, Counter()), difference=UNPLACED)


def column_that_differs(missing: Counter[Any], extra: Counter[Any]) -> Difference:
    """Return the difference of rows that are the same without one column; of other rows, a
    difference without a place.
    """
    first: tuple[tuple[str, Any], ...] = next(iter(missing), ())
    for position, (name, value) in enumerate(first):
        without = [
            Counter({row[:position] + row[position + 1 :]: count for row, count in rows.items()})
            for rows in (missing, extra)
        ]
        if without[0] == without[1]:
            return Difference(f"/rows/{name}", kind_of(value, next(iter(extra))[position][1]))
    return UNPLACED


def count(rows: Iterable[Mapping[str, Any]]) -> Counter[Any]:
    """Return how often each row is there."""
    return Counter(tuple((name, hashable(row[name])) for name in sorted(row)) for row in rows)


def hashable(value: Any) -> Any:
    """Return a value that can be counted, equal for equal values; a NaN is equal to a NaN, and a
    boolean is not a number.
    """
    if isinstance(value, float) and math.isnan(value):
        return "NaN", "NaN"
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, dict):
        return tuple((name, hashable(value[name])) for name in sorted(value))
    if isinstance(value, (list, tuple)):
        return tuple(hashable(item) for item in value)
    return value


def _difference(missing: Counter[Any], extra: Counter[Any]) -> str:
    parts = []
    for rows, word in ((missing, "missing"), (extra, "too many")):
        if rows:
            parts.append(f"{_rows(rows.total())} {word}, like {_row_text(min(rows, key=repr))}")
    return "; ".join(parts)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _row_text(row: Any) -> str:
    text = ", ".join(f"{name}={expect.excerpt(_plain(value))}" for name, value in row)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _plain(value: Any) -> Any:
    return (
        value[1]
        if isinstance(value, tuple) and len(value) == 2 and value[0] in ("bool", "NaN")
        else value
    )
