"""The first rows that differ, with the columns and the paths in which they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakepact.data.compare.engines import Session
from lakepact.data.compare.model import Difference
from lakepact.data.compare.queries import SIDES, Queries
from lakepact.data.compare.values import cell_differences, display

Row = Mapping[str, Any]
LONGEST = 1000  #: characters of a row that is shown
NAMED = 3  #: columns that name a row without a key


def examples(
    session: Session, queries: Queries, *, first: int, shows_values: bool
) -> Iterator[Difference]:
    """Yield the rows of the relation `chosen`: the columns of changed rows, other rows as a whole.

    Args:
        session: Of the engine.
        queries: Of the table; their key finds a row on the other side, else the nearest row is it.
        first: The most rows without a key that are shown.
        shows_values: False to name columns alone.
    """
    selection = session.rows(f"SELECT h, n FROM {queries.relation('chosen')}")  # noqa: S608 - a name of our own
    surplus = {row["h"]: int(row["n"]) for row in selection}
    keys: dict[tuple[str | None, ...], tuple[list[Row], list[Row]]] = {}
    for place, side in enumerate(SIDES):
        for row in session.rows(queries.texts(side)):
            if (surplus[row["h"]] > 0) == (side == "a"):
                key = tuple(row[f"t{n}"] for n in queries.key)
                keys.setdefault(key, ([], []))[place].append(row)
    count = 0
    for key in sorted(keys, key=lambda key: [(len(part or ""), part or "") for part in key]):
        left, right = keys[key]
        for pair in _pairs(left, right, queries):
            count += 1
            if not queries.key and count > first:
                return
            times = max(abs(surplus[row["h"]]) for row in pair if row)
            yield from _difference(pair, times, queries, shows_values=shows_values)


def _pairs(
    left: Sequence[Row], right: Sequence[Row], queries: Queries
) -> Iterator[tuple[Row | None, Row | None]]:
    """Yield each row with its counterpart: the only one of its key, or the one with most equal
    columns.
    """
    if queries.key and len(left) == len(right) == 1:
        yield left[0], right[0]
        return
    others = list(right)
    for row in left:
        near = max(others, key=lambda other: _equal(row, other, queries), default=None)
        if near is not None and _equal(row, near, queries) * 2 >= len(queries.names):
            others.remove(near)
            yield row, near
        else:
            yield row, None
    yield from ((None, row) for row in others)


def _equal(row: Row, other: Row, queries: Queries) -> int:
    return sum(row[f"t{n}"] == other[f"t{n}"] for n, _ in enumerate(queries.names))


def _difference(
    pair: tuple[Row | None, Row | None], times: int, queries: Queries, *, shows_values: bool
) -> Iterator[Difference]:
    a, b = pair
    if a and b:
        name = _name(a, b, queries) if shows_values else ""
        for n, column in enumerate(queries.columns):
            for path, *values in cell_differences(column.kinds, a[f"t{n}"], b[f"t{n}"]):
                what = f"{name}, column {column.name}{path}".removeprefix(", ")
                left, right = values if shows_values else (None, None)
                yield Difference("row", what, left, right, f"{column.name}{path}", name)
        return
    row = a or b
    if row is None or not shows_values:
        return
    name = _name(row, row, queries) if queries.key else ""
    text = ", ".join(
        f"{column.name}={display(column.kinds, row[f't{n}'])}"
        for n, column in enumerate(queries.columns)
    )
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    what = f"{name or 'row'}{f', {times:,} times' if times > 1 else ''}"
    yield Difference("row", what, text if a else None, None if a else text, row=name)


def _name(a: Row, b: Row, queries: Queries) -> str:
    """Return the key of a row, or without one the first columns that both sides have alike."""
    places = (
        queries.key
        or [n for n, _ in enumerate(queries.names) if a[f"t{n}"] == b[f"t{n}"] is not None][:NAMED]
    )
    return ", ".join(
        f"{queries.names[n]}={display(queries.columns[n].kinds, a[f't{n}'])}" for n in places
    )
