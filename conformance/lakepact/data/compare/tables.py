"""The comparison of one table: its metadata, digests of its rows by partition, and the rows that
differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakepact.data.compare import layouts
from lakepact.data.compare.engines import Engine, Session
from lakepact.data.compare.examples import examples
from lakepact.data.compare.expressions import Kinds, is_floating
from lakepact.data.compare.model import (
    FAILING,
    Compared,
    Difference,
    PinnedTable,
    message,
    quantity,
)
from lakepact.data.compare.queries import SAMPLED, SIDES, Queries, queries_of
from lakepact.data.compare.values import display

PARTITIONS = 20  #: that are shown
NEAREST = 100  #: rows of each side among which a row without a key is looked for
#: of the rows have other values in a unique column, as estimates of engines err by a few percent
UNIQUE = 0.9


@dataclass(frozen=True)
class Choices:
    """Choices about what is compared and shown."""

    keys: Mapping[str, tuple[str, ...]]  #: by table; those of "" for every table that has them
    failing: tuple[str, ...] = FAILING  #: kinds of differences that count
    sample: int = SAMPLED  #: parts of the rows to look at; 0 for metadata alone
    first: int = 10  #: rows that are shown
    shows_values: bool = True

    @property
    def scope(self) -> str:
        """The part of tables that is compared; empty if nothing is left out."""
        percent = f"{self.sample * 100 / SAMPLED:g} % of the rows"
        rows = percent if self.sample else "metadata alone, no rows"
        kinds = ", ".join(kind for kind in FAILING if kind not in self.failing)
        parts = (rows if self.sample != SAMPLED else "", kinds and f"ignoring {kinds}")
        return "; ".join(filter(None, parts))

    def with_addresses(self, a: str, b: str) -> Choices:
        """Return the choices for two addresses: tables of one, as at two times, have their location
        in common.
        """
        if a != b:
            return self
        return replace(self, failing=tuple(kind for kind in self.failing if kind != "location"))

    def divide(
        self, differences: Sequence[Difference]
    ) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
        """Return the differences that count, and the others, which are information."""
        counting = tuple(each for each in differences if each.kind in self.failing)
        return counting, tuple(each for each in differences if each.kind not in self.failing)

    def key(self, a: PinnedTable, b: PinnedTable) -> tuple[str, ...]:
        """Return the key of a table: its own, the one for all tables, or the identifier fields."""
        common = set(a.schema.names) & set(b.schema.names)
        for name in (a.name, ""):
            if name in self.keys and (name or common.issuperset(self.keys[name])):
                return self.keys[name]
        own = a.layout.identifiers or b.layout.identifiers
        return own if common.issuperset(own) else ()


def compare(
    engine: Engine, a: PinnedTable, b: PinnedTable, choices: Choices, *, secrets: Sequence[str] = ()
) -> Compared:
    """Return the differences between two tables; those of their metadata also if rows cannot be
    read.

    Args:
        engine: Reads and compares the rows.
        a: The table of side A.
        b: The table of side B.
        choices: Kinds that count, the key, the sample.
        secrets: Texts that no error may show.
    """
    differences = list(layouts.differences(a.layout, b.layout))
    if choices.sample != SAMPLED:
        differences += layouts.record_differences(a.layout, b.layout)
    rows: tuple[int | None, int | None] = (None, None)
    error, key = "", choices.key(a, b)
    try:
        if choices.sample:
            rows, row_differences = _compare_rows(engine, a, b, choices, key)
            differences += row_differences
    except Exception as wrong:  # noqa: BLE001 - files and engines fail in many ways, each is one line
        error = message(wrong, secrets)
    return Compared(
        a.name,
        b.name,
        (a.pin, b.pin),
        rows,
        *choices.divide(differences),
        error,
        key,
        scope=choices.scope,
    )


def _compare_rows(
    engine: Engine, a: PinnedTable, b: PinnedTable, choices: Choices, key: tuple[str, ...]
) -> tuple[tuple[int, int], list[Difference]]:
    """Return the numbers of rows of both sides, and their differences."""
    with engine.session(a, b) as session:
        queries = queries_of(
            a, b, engine.dialect, key=key, sample=choices.sample, prefix=session.prefix
        )
        differences = [
            Difference("type", f"column {name}: its values are not compared", column=name)
            for name in a.schema.names
            if name in b.schema.names and name not in queries.names
        ]
        for side in SIDES:
            session.keep(queries.relation(f"groups_{side}"), queries.groups(side))
        rows = (_count(session, queries, "a"), _count(session, queries, "b"))
        return rows, [*differences, *_of_rows(session, queries, rows, choices)]


def _count(session: Session, queries: Queries, side: str) -> int:
    groups = queries.relation(f"groups_{side}")
    return int(session.rows(f"SELECT sum(n) AS n FROM {groups}")[0]["n"] or 0)  # noqa: S608 - a name of our own


def _of_rows(
    session: Session, queries: Queries, rows: tuple[int, int], choices: Choices
) -> Iterator[Difference]:
    relation = queries.relation("bad")
    session.keep(relation, queries.bad())
    bad = session.rows(f"SELECT * FROM {relation} ORDER BY part LIMIT {PARTITIONS}")  # noqa: S608 - a name of our own
    if not bad:
        return
    if rows[0] != rows[1]:
        yield Difference("rows", "number of rows", *(f"{count:,}" for count in rows))
    if queries.parts:
        counts = session.rows(queries.bad_columns())[0]
        for place, name in enumerate(queries.names):
            if counts[f"c{place}"]:
                what = f"column {name}, in {quantity(counts[f'c{place}'], 'partition')}"
                yield Difference("values", what, column=name)
    for partition in bad:
        yield from _of_partition(partition, queries, shows_values=choices.shows_values)
    rest = int(session.rows(f"SELECT count(*) AS n FROM {relation}")[0]["n"]) - len(bad)  # noqa: S608 - a name of our own
    if rest > 0:
        yield Difference("rows", f"{quantity(rest, 'more partition')} with differences")
    if not queries.key and choices.sample == SAMPLED:
        queries = replace(queries, key=_unique_column(session, queries))
    session.keep(queries.relation("differing"), queries.differing())
    counts = session.rows(queries.counts())[0]
    keys_of_both = (
        f", {quantity(counts['changed'], 'key')} on both sides" if counts["changed"] else ""
    )
    yield Difference(
        "rows",
        f"rows of one side alone{keys_of_both}",
        *(quantity(int(counts[side] or 0), "row") for side in SIDES),
    )
    if choices.first:
        first = choices.first if queries.key else max(choices.first, NEAREST)
        session.keep(queries.relation("chosen"), queries.selection(first))
        yield from examples(
            session, queries, first=choices.first, shows_values=choices.shows_values
        )


def _unique_column(session: Session, queries: Queries) -> tuple[int, ...]:
    """Return the first column that has another value in each row, as far as estimates show, or no
    column.
    """
    counts = [session.rows(queries.distinct(side))[0] for side in SIDES]
    for place, column in enumerate(queries.columns):
        estimates = [(count.get(f"u{place}") or 0, count["n"]) for count in counts]
        if not is_floating(column.kinds[0]) and all(u >= UNIQUE * n for u, n in estimates):
            return (place,)
    return ()


def _of_partition(
    partition: Mapping[str, Any], queries: Queries, *, shows_values: bool
) -> Iterator[Difference]:
    """Yield what differs in a partition: its rows, or with equally many rows its columns."""
    where = f"partition {partition['part']}"
    if partition["a_n"] != partition["b_n"]:
        if queries.parts:
            yield Difference(
                "rows", where, *(quantity(partition[f"{side}_n"] or 0, "row") for side in SIDES)
            )
        return
    where = f"{where}, " if queries.parts else ""
    places = [
        n for n, _ in enumerate(queries.names) if partition[f"a_d{n}"] != partition[f"b_d{n}"]
    ]
    for n in places:
        kinds = queries.columns[n].kinds if shows_values else None
        a, b = (_figures(partition, side, n, kinds) for side in SIDES)
        name = queries.names[n]
        left, right = (a, b) if a != b else (None, None)
        yield Difference("values", f"{where}column {name}", left, right, name)
    if not places:
        yield Difference("values", f"{where}the same values in other rows")


def _figures(partition: Mapping[str, Any], side: str, place: int, kinds: Kinds | None) -> str:
    """Return the number of nulls, and with types the least and the greatest value."""
    nulls = partition[f"{side}_n"] - partition[f"{side}_n{place}"]
    least, greatest = (partition[f"{side}_{end}{place}"] for end in ("lo", "hi"))
    ends = ""
    if kinds and least is not None:
        ends = f", {display(kinds, str(least))} to {display(kinds, str(greatest))}"
    return quantity(nulls, "null") + ends
