"""The comparison of one table: its metadata, digests of its rows by partition, and the rows that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.evidence.escaping import json
from lakepact.data.compare import layouts
from lakepact.data.compare.model import (
    FAILING,
    Compared,
    Difference,
    PinnedTable,
    counted,
)
from lakepact.data.compare.queries import SAMPLED, SIDES, Queries, queries_of

PARTITIONS = 20  #: that are shown
LONGEST = 1000  #: characters of a row that is shown


@dataclass(frozen=True)
class Choices:
    """Choices about what is compared and shown."""

    keys: Mapping[str, tuple[str, ...]]  #: by table; those of "" for every table that has them
    failing: tuple[str, ...] = FAILING  #: kinds of differences that count
    sample: int = SAMPLED  #: parts of the rows to look at; 0 for metadata alone
    first: int = 10  #: rows that are shown
    shows_values: bool = True

    def key(self, a: PinnedTable, b: PinnedTable) -> tuple[str, ...]:
        """Return the key of a table: its own, the one for all tables, or the identifier fields."""
        common = set(a.schema.names) & set(b.schema.names)
        for name in (a.name, ""):
            if name in self.keys and (name or common.issuperset(self.keys[name])):
                return self.keys[name]
        own = a.layout.identifiers or b.layout.identifiers
        return own if common.issuperset(own) else ()


def compare(engine: Any, a: PinnedTable, b: PinnedTable, choices: Choices) -> Compared:
    """Return the differences between two tables.

    Raises:
        CannotCompare: they have no columns in common, or no such key.
    """
    found = list(layouts.differences(a.layout, b.layout))
    rows: tuple[int | None, int | None] = (None, None)
    if choices.sample:
        queries = queries_of(a, b, engine.dialect, key=choices.key(a, b), sample=choices.sample)
        skipped = [
            name for name in a.schema.names if name in b.schema.names and name not in queries.names
        ]
        found += [
            Difference("type", f"column {name}: its values are not compared") for name in skipped
        ]
        with engine.session({"side_a": a, "side_b": b}) as session:
            for side in SIDES:
                session.keep(f"groups_{side}", queries.groups(side))
            rows = (_count(session, "groups_a"), _count(session, "groups_b"))
            found += _of_rows(session, queries, rows, choices)
    differences = tuple(difference for difference in found if difference.kind in choices.failing)
    information = tuple(
        difference for difference in found if difference.kind not in choices.failing
    )
    return Compared(a.name, b.name, (a.pin, b.pin), rows, differences, information)


def _count(session: Any, groups: str) -> int:
    return int(session.rows(f"SELECT sum(n) AS n FROM {groups}")[0]["n"] or 0)  # noqa: S608 - a name of our own


def _of_rows(
    session: Any, queries: Queries, rows: tuple[int | None, int | None], choices: Choices
) -> Iterator[Difference]:
    session.keep("bad", queries.bad())
    bad = session.rows(f"SELECT * FROM bad ORDER BY part LIMIT {PARTITIONS}")  # noqa: S608
    if not bad:
        return
    if rows[0] != rows[1]:
        yield Difference("rows", "number of rows", *(f"{count:,}" for count in rows))
    if queries.parts:
        counts = session.rows(queries.bad_columns())[0]
        for place, name in enumerate(queries.names):
            if counts[f"c{place}"]:
                yield Difference(
                    "values", f"column {name}, in {counted(counts[f'c{place}'], 'partition')}"
                )
    for partition in bad:
        yield from _of_partition(partition, queries, shows_values=choices.shows_values)
    rest = int(session.rows("SELECT count(*) AS n FROM bad")[0]["n"]) - len(bad)
    if rest > 0:
        yield Difference("rows", f"{counted(rest, 'more partition')} with differences")
    session.keep("differing", queries.differing())
    counts = session.rows(queries.counts())[0]
    changed = f", {counted(counts['changed'], 'key')} on both sides" if counts["changed"] else ""
    yield Difference(
        "rows",
        f"rows of one side alone{changed}",
        *(counted(int(counts[side] or 0), "row") for side in SIDES),
    )
    if choices.first:
        session.keep("chosen", queries.chosen(choices.first))
        yield from _examples(session, queries, shows_values=choices.shows_values)


def _of_partition(
    partition: Mapping[str, Any], queries: Queries, *, shows_values: bool
) -> Iterator[Difference]:
    """Yield what differs in a partition: its rows, or with equally many rows its columns."""
    where = f"partition {partition['part']}" if queries.parts else "table"
    if partition["a_n"] != partition["b_n"]:
        if queries.parts:
            yield Difference(
                "rows", where, *(counted(partition[f"{side}_n"] or 0, "row") for side in SIDES)
            )
        return
    places = [
        n for n, _ in enumerate(queries.names) if partition[f"a_d{n}"] != partition[f"b_d{n}"]
    ]
    for n in places:
        figures = [_figures(partition, f"{side}_", n, shows_values=shows_values) for side in SIDES]
        digests = [
            f", digest {partition[f'{side}_d{n}']}" if figures[0] == figures[1] else ""
            for side in SIDES
        ]
        yield Difference(
            "values",
            f"{where}, column {queries.names[n]}",
            figures[0] + digests[0],
            figures[1] + digests[1],
        )
    if not places:
        yield Difference("values", f"{where}: the same values in other rows")


def _figures(partition: Mapping[str, Any], side: str, place: int, *, shows_values: bool) -> str:
    nulls = partition[f"{side}n"] - partition[f"{side}n{place}"]
    least, greatest = (partition[f"{side}{end}{place}"] for end in ("lo", "hi"))
    ends = f", {least} to {greatest}" if shows_values and least is not None else ""
    return counted(nulls, "null") + ends


def _examples(session: Any, queries: Queries, *, shows_values: bool) -> Iterator[Difference]:
    """Yield the first rows that differ; a key that has one row on each side gives the columns that differ."""
    surplus = {row["h"]: int(row["n"]) for row in session.rows("SELECT h, n FROM chosen")}
    keys: dict[tuple[str | None, ...], tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {}
    for place, side in enumerate(SIDES):
        for row in session.rows(queries.shown(side)):
            if (surplus[row["h"]] > 0) == (side == "a"):
                keys.setdefault(tuple(row[f"t{n}"] for n in queries.key), ([], []))[place].append(
                    row
                )
    for key in sorted(keys, key=lambda key: [(len(part or ""), part or "") for part in key]):
        named = (
            ", ".join(
                f"{queries.names[n]}={part}" for n, part in zip(queries.key, key, strict=True)
            )
            if shows_values
            else ""
        )
        left, right = keys[key]
        if queries.key and len(left) == len(right) == 1:
            yield from _changed(
                named, left[0], right[0], queries=queries, shows_values=shows_values
            )
        elif shows_values:
            for place, row in [(0, row) for row in left] + [(1, row) for row in right]:
                times = abs(surplus[row["h"]])
                text = json({name: row[f"t{n}"] for n, name in enumerate(queries.names)})[:LONGEST]
                what = f"{named or 'row'}{f', {times:,} times' if times > 1 else ''}"
                yield Difference("row", what, *((None, text) if place else (text, None)))


def _changed(
    what: str,
    left: Mapping[str, Any],
    right: Mapping[str, Any],
    *,
    queries: Queries,
    shows_values: bool,
) -> Iterator[Difference]:
    for n, name in enumerate(queries.names):
        values = [row[f"t{n}"] for row in (left, right)]
        if values[0] != values[1]:
            shown = (
                ["null" if value is None else value[:LONGEST] for value in values]
                if shows_values
                else ()
            )
            yield Difference("row", f"{what}, column {name}".removeprefix(", "), *shown)
