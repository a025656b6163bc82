"""The queries of a comparison, one text for DuckDB and Spark, over the relations `side_a` and
`side_b`.

| relation    | holds                                                                                    |
|-------------|------------------------------------------------------------------------------------------|
| `groups_a`  | a row for each partition of side A: its rows, and the figures and digest of each column  |
| `groups_b`  | the same of side B                                                                       |
| `bad`       | the partitions that differ, with the figures of both sides                               |
| `differing` | keys and hashes of rows that one side has more often; `n` is how often, negative for B   |
| `chosen`    | the rows of `differing` that a report shows                                              |
"""

# ruff: noqa: S608 - names of columns are quoted

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lakepact.conformance.evidence.arrow import pa
from lakepact.data.compare.expressions import (
    Dialect,
    Kinds,
    Normal,
    is_nested,
    is_ordered,
    label,
)
from lakepact.data.compare.model import CannotCompare, PartitionField, PinnedTable

SIDES = ("a", "b")
SAMPLED = 10_000  #: parts of which `--sample` takes some
SHOWN = 200  #: characters of a least or greatest value
TRUNCATE = re.compile(r"truncate\[(\d+)\]")
PERIODS = ("year", "month", "day", "hour")


@dataclass(frozen=True)
class SharedColumn:
    """A column that both sides have, in one form."""

    name: str
    values: tuple[str, str]  #: the expressions of its values on both sides
    kinds: Kinds


@dataclass(frozen=True)
class Queries:
    """The queries about one table."""

    dialect: Dialect
    columns: tuple[SharedColumn, ...]
    key: tuple[int, ...]  #: the places of the key columns
    parts: tuple[
        tuple[str, str], ...
    ]  #: expressions of the partition values, of `v0`, `v1` …, after their names
    sample: int = SAMPLED  #: parts of the rows to look at
    prefix: str = ""  #: of the relations

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def relation(self, name: str) -> str:
        """Return the name of a relation as the engine knows it."""
        return f"{self.prefix}{name}"

    def groups(self, side: str) -> str:
        """Return the query of `groups_a` or `groups_b`."""
        figures = ", ".join(self._figures(n, column) for n, column in enumerate(self.columns))
        parts = "".join(f"{expression} AS p{n}, " for n, (_, expression) in enumerate(self.parts))
        by = (
            f" GROUP BY {', '.join(expression for _, expression in self.parts)}"
            if self.parts
            else ""
        )
        groups = (
            f"SELECT {parts}count(*) AS n, {self.dialect.digest.format('h')} AS d, {figures} FROM"
            f" ({self._rows(side)}) AS r{by}"
        )
        return (
            f"SELECT {self._label(f'p{n}' for n, _ in enumerate(self.parts))} AS part, g.* FROM"
            f" ({groups}) AS g"
        )

    def bad(self) -> str:
        """Return the query of `bad`."""
        members = [
            name
            for n, _ in enumerate(self.columns)
            for name in (f"n{n}", f"lo{n}", f"hi{n}", f"d{n}")
        ]
        both = ", ".join(
            f"{side}.{name} AS {side}_{name}" for name in ("n", *members) for side in SIDES
        )
        left, right = (self.relation(f"groups_{side}") for side in SIDES)
        join = f"{left} AS a FULL JOIN {right} AS b ON a.part = b.part"
        unequal = "coalesce(a.n, 0) <> coalesce(b.n, 0) OR a.d IS DISTINCT FROM b.d"
        return f"SELECT coalesce(a.part, b.part) AS part, {both} FROM {join} WHERE {unequal}"

    def bad_columns(self) -> str:
        """Return a query: in how many partitions with equally many rows the values of each column
        differ.
        """
        unequal = "count(CASE WHEN a_n = b_n AND a_d{0} IS DISTINCT FROM b_d{0} THEN 1 END) AS c{0}"
        counts = ", ".join(unequal.format(n) for n, _ in enumerate(self.columns))
        return f"SELECT {counts} FROM {self.relation('bad')}"

    def differing(self) -> str:
        """Return the query of `differing`."""
        key = "".join(f"v{n}, " for n in self.key)
        where = self._in_bad()
        sides = " UNION ALL ".join(
            f"SELECT {key}h, CAST({sign} AS BIGINT) AS n FROM ({self._rows(side)}) AS r WHERE"
            f" {where}"
            for side, sign in zip(SIDES, (1, -1), strict=True)
        )
        return f"SELECT {key}h, sum(n) AS n FROM ({sides}) AS s GROUP BY {key}h HAVING sum(n) <> 0"

    def distinct(self, side: str) -> str:
        """Return a query: how many rows with differences a side has, and about how many values in
        each column.
        """
        about = ", ".join(
            f"approx_count_distinct(v{n}) AS u{n}"
            for n, column in enumerate(self.columns)
            if is_ordered(column.kinds[0])
        )
        members = f"count(*) AS n{', ' + about if about else ''}"
        return f"SELECT {members} FROM ({self._rows(side)}) AS r WHERE {self._in_bad()}"

    def _in_bad(self) -> str:
        part = self._label(part for _, part in self.parts)
        return f"{part} IN (SELECT part FROM {self.relation('bad')})"

    def counts(self) -> str:
        """Return a query: how many rows each side has more, and for how many keys both have
        some.
        """
        more = "sum(CASE WHEN n > 0 THEN n END) AS a, -sum(CASE WHEN n < 0 THEN n END) AS b"
        key = ", ".join(f"v{n}" for n in self.key)
        differing, both = self.relation("differing"), "HAVING min(n) < 0 AND max(n) > 0"
        keys = f"SELECT 1 AS x FROM {differing} GROUP BY {key} {both}"
        keys_of_both = f"(SELECT count(*) FROM ({keys}) AS k)" if key else "0"
        return f"SELECT {more}, {keys_of_both} AS changed FROM {differing}"

    def selection(self, first: int) -> str:
        """Return the query of `chosen`: the rows of the first keys, or without a key some of either
        side.
        """
        key = ", ".join(f"v{n}" for n in self.key)
        differing = self.relation("differing")
        if key:
            same = " AND ".join(f"d.v{n} IS NOT DISTINCT FROM k.v{n}" for n in self.key)
            firsts = f"SELECT DISTINCT {key} FROM {differing} ORDER BY {key} LIMIT {first}"
            return (
                f"SELECT d.h, d.n FROM {differing} AS d JOIN ({firsts}) AS k ON {same} LIMIT"
                f" {100 * first}"
            )
        some = (
            f"SELECT h, n FROM (SELECT h, n FROM {differing} WHERE n {sign} 0 ORDER BY h LIMIT"
            f" {first}) AS x"
            for sign in "><"
        )
        return " UNION ALL ".join(some)

    def texts(self, side: str) -> str:
        """Return a query of the values of chosen rows of a side, as text, with their hashes."""
        values = ", ".join(
            f"CAST({self._readable(n)} AS {self.dialect.text}) AS t{n}"
            for n, _ in enumerate(self.columns)
        )
        return (
            f"SELECT DISTINCT h, {values} FROM ({self._rows(side)}) AS r WHERE h IN (SELECT h FROM"
            f" {self.relation('chosen')})"
        )

    def _rows(self, side: str) -> str:
        """Return a query of rows: values `v0` …, their hashes `h0` …, and the hash of the whole
        row.
        """
        place = SIDES.index(side)
        values = ", ".join(f"{each.values[place]} AS v{n}" for n, each in enumerate(self.columns))
        relation = self.relation(f"side_{side}")
        hashes = ", ".join(f"{self._hash(n)} AS h{n}" for n, _ in enumerate(self.columns))
        whole = self.dialect.hash.format(", ".join(f"h{n}" for n, _ in enumerate(self.columns)))
        rows = (
            f"SELECT *, {whole} AS h FROM (SELECT *, {hashes} FROM (SELECT {values} FROM"
            f" {relation}) AS x) AS y"
        )
        if self.sample == SAMPLED:
            return rows
        # The hash of the key if there is one: then both sides sample a changed row, or neither
        # does.
        sample_hash = (
            self.dialect.hash.format(", ".join(f"h{n}" for n in self.key)) if self.key else "h"
        )
        return (
            f"SELECT * FROM ({rows}) AS z WHERE {sample_hash} % {SAMPLED} BETWEEN {-self.sample + 1}"
            f" AND {self.sample - 1}"
        )

    def _hash(self, place: int) -> str:
        value = f"v{place}"
        return self.dialect.hash.format(
            self.dialect.json.format(value) if is_nested(self.columns[place].kinds[0]) else value
        )

    def _figures(self, place: int, column: SharedColumn) -> str:
        digest = self.dialect.digest.format(f"h{place}")
        ends = ("min", "max") if is_ordered(column.kinds[0]) else ()
        texts = [
            f"substr(CAST({end}(v{place}) AS {self.dialect.text}), 1, {SHOWN})" for end in ends
        ] or ["NULL", "NULL"]
        return (
            f"count(v{place}) AS n{place}, {texts[0]} AS lo{place}, {texts[1]} AS hi{place},"
            f" {digest} AS d{place}"
        )

    def _label(self, values: Iterable[str]) -> str:
        """Return the expression of the name of a partition, the same for partitions with the same
        values alone.
        """
        texts = [
            f"replace(replace(CAST({value} AS {self.dialect.text}), '%', '%25'), '/', '%2F')"
            for value in values
        ]
        pairs = zip((name for name, _ in self.parts), texts, strict=True)
        labels = [
            f"coalesce({label(name + '=')} || {text}, {label(name + ' is null')})"
            for name, text in pairs
        ]
        return f"concat_ws('/', {', '.join(labels)})" if labels else "''"

    def _readable(self, place: int) -> str:
        column = self.columns[place]
        if is_nested(column.kinds[0]):
            return self.dialect.json.format(f"v{place}")
        return f"v{place}" if is_ordered(column.kinds[0]) else f"hex(v{place})"


def queries_of(
    a: PinnedTable,
    b: PinnedTable,
    dialect: Dialect,
    *,
    key: Sequence[str] = (),
    sample: int = SAMPLED,
    prefix: str = "",
) -> Queries:
    """Return the queries about the columns that both sides have in comparable types.

    Raises:
        CannotCompare: there is no such column, or a column of the key is none of them.
    """
    columns = []
    for place, name in enumerate(a.schema.names):
        if name not in b.schema.names:
            continue
        places = (place, b.schema.names.index(name))
        kinds = (a.schema.field(places[0]).type, b.schema.field(places[1]).type)
        values = [
            Normal(dialect, side).expression(f"c{places[side]}", kinds)
            for side, _ in enumerate(SIDES)
        ]
        if values[0] and values[1]:
            columns.append(SharedColumn(name, (values[0], values[1]), kinds))
    names = [column.name for column in columns]
    missing = [name for name in key if name not in names]
    if not columns or missing:
        raise CannotCompare(
            f"no column {missing[0]} for the key on both sides"
            if missing
            else "no column that both sides have"
        )
    spec = a.layout.partition or b.layout.partition
    parts = tuple(
        part
        for field in spec
        if field.source in names
        for part in _part(field, names.index(field.source), columns)
    )
    by = tuple(names.index(name) for name in key)
    return Queries(dialect, tuple(columns), by, parts, sample, prefix)


def _part(
    field: PartitionField, place: int, columns: Sequence[SharedColumn]
) -> Iterator[tuple[str, str]]:
    """Yield a partition field as an expression; engines do not compute the others, which only makes
    partitions larger.
    """
    kind, value, name = columns[place].kinds[0], f"v{place}", str(field)
    width = TRUNCATE.fullmatch(field.transform)
    if field.transform == "identity" and is_ordered(kind):
        yield name, value
    elif field.transform in PERIODS:
        cut = f"date_trunc('{field.transform}', {value})"
        yield name, cut if field.transform == "hour" else f"CAST({cut} AS DATE)"
    elif width and pa.types.is_integer(kind):
        yield name, f"({value} - (({value} % {width[1]}) + {width[1]}) % {width[1]})"
    elif width and pa.types.is_string(kind):
        yield name, f"substr({value}, 1, {width[1]})"
