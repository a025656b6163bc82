"""Columns, values and filters of random tables, and the answers that SQL gives."""

from __future__ import annotations

import itertools
import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from pyiceberg import expressions as e

from lakepact.client import column
from lakepact.client.rows.predicates import And, Or, Predicate

Row = dict[int, Any]


def single(number: float) -> float:
    """Return a number in 32 bits."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


NAN, INF = math.nan, math.inf
_DAY = date(2024, 2, 28)
_MOMENT = datetime(2024, 2, 28, 23, 59, 59, 999999)  # noqa: DTZ001 - a zone is added below
_DAYS = [_DAY + timedelta(days) for days in (-60, 0, 1, 2, 400)] + [date(1969, 12, 31)]
_MOMENTS = [_MOMENT + timedelta(microseconds=n) for n in (0, 1, 86_400_000_000, -(10**15))]
_TEXTS = ["", "a", "ab", "b", "ä", "\U0001f600", "a" * 20, "a" * 15 + "z" * 5, "%", "it's"]
_REALS = [0.0, -0.0, 0.5, -1.5, 3.0, 0.1, NAN, INF, -INF, 1000000.0]
POOLS: dict[str, list[Any]] = {
    "boolean": [True, False],
    "int": [0, 1, 2, 5, -3, 2**31 - 1, -(2**31)],
    "long": [0, 1, 2, 5, -3, 5_000_000_000, 2**63 - 1],
    "float": [single(number) for number in _REALS],
    "double": [*_REALS, single(0.1), 1.5e300],
    "decimal(9, 2)": [Decimal(text) for text in ("0.00", "1.50", "-2.25", "1234567.89")],
    "decimal(20, 2)": [Decimal(text) for text in ("0.00", "1.50", "999999999999999999.99")],
    "date": _DAYS,
    "time": [time(0), time(12, 30, 1, 5), time(23, 59, 59, 999999)],
    "timestamp": _MOMENTS,
    "timestamptz": [moment.replace(tzinfo=UTC) for moment in _MOMENTS],
    "string": _TEXTS,
    "uuid": [UUID(int=number) for number in (0, 1, 2**127, 2**128 - 1)],
    "binary": [b"", b"a", b"ab", b"\xff", b"\x00\x01"],
    "fixed[2]": [b"\x00\x01", b"ab", b"\xff\xff"],
}
WIDER = {"int": "long", "float": "double", "decimal(9, 2)": "decimal(20, 2)"}
#: Types that filters compare.
COMPARED = [kind for kind in POOLS if kind not in {"time", "uuid", "fixed[2]"}]
NESTED: dict[str, Any] = {
    "list": {"type": "list", "element": "int"},
    "list of structs": {"type": "list", "element": {"a": "int", "b": "string"}},
    "map": {"type": "map", "value": "long"},
    "map of structs": {"type": "map", "value": {"a": "int", "b": "string"}},
    "struct": {"a": "int", "b": "string"},
}


@dataclass(frozen=True)
class Column:
    """A column of the model; the id is that of the table."""

    id: int
    name: str
    kind: str
    required: bool = False
    default: Any = None

    def value(self, random: Random) -> Any:
        """Return a random value, sometimes null."""
        if not self.required and random.random() < 0.25:
            return None
        return _value(NESTED.get(self.kind, self.kind), random)


def _value(kind: Any, random: Random) -> Any:
    if isinstance(kind, str):
        return random.choice(POOLS[kind])
    if "type" not in kind:
        return {name: _optional(part, random) for name, part in kind.items()}
    count = random.choice([0, 1, 2, 3])
    if kind["type"] == "list":
        return [_optional(kind["element"], random) for _ in range(count)]
    keys = random.sample(_TEXTS, count)
    return [(key, _optional(kind["value"], random)) for key in keys]


def _optional(kind: Any, random: Random) -> Any:
    return None if random.random() < 0.25 else _value(kind, random)


_IDS = itertools.count(1000)


def document(kind: str) -> Any:
    """Return a type as JSON, with ids that the server replaces."""
    return _document(NESTED.get(kind, kind), _IDS)


def _document(kind: Any, ids: Any) -> Any:
    if isinstance(kind, str):
        return kind
    if "type" not in kind:
        fields = [
            {"id": next(ids), "name": name, "type": part, "required": False}
            for name, part in kind.items()
        ]
        return {"type": "struct", "fields": fields}
    part = "element" if kind["type"] == "list" else "value"
    result = {f"{part}-id": next(ids), f"{part}-required": False, part: _document(kind[part], ids)}
    key = {} if part == "element" else {"key-id": next(ids), "key": "string"}
    return {"type": kind["type"], **key, **result}


@dataclass(frozen=True)
class Filter:
    """A filter: its answer for each row, and the forms in which it is written."""

    test: Callable[[Row], bool | None]
    tree: Predicate
    expression: Any
    text: str | None


def negation(one: Filter) -> Filter:
    """Return the contrary of a filter."""

    def test(row: Row) -> bool | None:
        value = one.test(row)
        return None if value is None else not value

    text = None if one.text is None else f"not ({one.text})"
    return Filter(test, ~one.tree, e.Not(one.expression), text)


def conjunction(one: Filter, other: Filter, *, is_or: bool) -> Filter:
    """Return two filters joined."""

    def test(row: Row) -> bool | None:
        values = (one.test(row), other.test(row))
        if is_or in values:
            return is_or
        return None if None in values else not is_or

    word = "or" if is_or else "and"
    texts = None if None in (one.text, other.text) else f"({one.text}) {word} ({other.text})"
    tree = one.tree | other.tree if is_or else one.tree & other.tree
    return Filter(test, tree, (e.Or if is_or else e.And)(one.expression, other.expression), texts)


_COMPARISONS: dict[str, tuple[Any, Any]] = {
    "=": (lambda a, b: a == b, e.EqualTo),
    "!=": (lambda a, b: a != b, e.NotEqualTo),
    "<": (lambda a, b: a < b, e.LessThan),
    "<=": (lambda a, b: a <= b, e.LessThanOrEqual),
    ">": (lambda a, b: a > b, e.GreaterThan),
    ">=": (lambda a, b: a >= b, e.GreaterThanOrEqual),
}


def leaf(columns: list[Column], random: Random) -> Filter:
    """Return a random filter of one column."""
    chosen = random.choice(columns)
    name, kind, read = chosen.name, chosen.kind, _reading(chosen.id)
    if kind == "struct" and random.random() < 0.8:
        part = random.choice(["a", "b"])
        name, kind, read = f"{name}.{part}", NESTED["struct"][part], _reading(chosen.id, part)
    choice = random.random()
    if kind not in COMPARED or choice < 0.15:
        null = Filter(
            lambda row: read(row) is None,
            column(name).is_null(),
            e.IsNull(e.Reference(name)),
            f"{name} is null",
        )
        return null if random.random() < 0.5 else _nonnull(null, name)
    if kind in {"float", "double"} and choice < 0.3:
        return Filter(
            lambda row: None if read(row) is None else math.isnan(read(row)),
            column(name).is_nan(),
            e.IsNaN(e.Reference(name)),
            f"{name} is nan",
        )
    if kind == "string" and choice < 0.35:
        prefix = random.choice([text for text in _TEXTS if text])
        quoted = prefix.replace("'", "''").replace("%", "\\%")
        return Filter(
            lambda row: None if read(row) is None else read(row).startswith(prefix),
            column(name).starts_with(prefix),
            e.StartsWith(name, prefix),
            f"{name} like '{quoted}%'",
        )
    if choice < 0.5:
        return _membership(name, kind, read, random)
    return _comparison(name, random.choice(list(_COMPARISONS)), _constant(kind, random), read)


def _nonnull(null: Filter, name: str) -> Filter:
    negated = negation(null)
    return replace(
        negated,
        tree=column(name).is_not_null(),
        expression=e.NotNull(e.Reference(name)),
        text=f"{name} is not null",
    )


def _reading(number: int, part: str | None = None) -> Callable[[Row], Any]:
    def read(row: Row) -> Any:
        value = row[number]
        return value if part is None or value is None else value[part]

    return read


def _constant(kind: str, random: Random) -> Any:
    """Return a value that a column is compared with; numbers may be of another type."""
    if kind in {"int", "long"} and random.random() < 0.3:
        return random.choice([5_000_000_000, -(2**40), 2**70, Decimal("1.5"), Decimal("-2.0")])
    if kind.startswith("decimal") and random.random() < 0.4:
        return random.choice([1, Decimal("1.505"), Decimal(10) ** 25, -3, 2])
    values = POOLS[WIDER.get(kind, kind)] if random.random() < 0.2 else POOLS[kind]
    return random.choice([value for value in values if not _is_nan(value)])


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _comparison(name: str, operator: str, value: Any, read: Callable[[Row], Any]) -> Filter:
    compare, kind = _COMPARISONS[operator]

    def test(row: Row) -> bool | None:
        stored = read(row)
        return None if stored is None else compare(stored, value)

    literal = _literal(value)
    return Filter(
        test,
        compare(column(name), value),
        kind(name, value),
        None if literal is None else f"{name} {operator} {literal}",
    )


def _membership(name: str, kind: str, read: Callable[[Row], Any], random: Random) -> Filter:
    values = [_constant(kind, random) for _ in range(random.choice([1, 2, 3]))]
    values = [value for value in values if type(value) is type(values[0])]
    literals = [_literal(value) for value in values]
    result = Filter(
        lambda row: None if read(row) is None else read(row) in values,
        column(name).is_in(values),
        e.In(name, values),
        None if None in literals else f"{name} in ({', '.join(map(str, literals))})",
    )
    if random.random() < 0.5:
        return result
    text = None if result.text is None else result.text.replace(" in (", " not in (", 1)
    return replace(negation(result), expression=e.NotIn(name, values), text=text)


def _literal(value: Any) -> str | None:
    """Return a value as SQL text; None if there is no such text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, Decimal)):
        return f"{value:.3f}" if isinstance(value, Decimal) else str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) and "e" not in repr(value) else None
    if isinstance(value, str):
        return f"""'{value.replace("'", "''")}'"""
    return f"'{value.isoformat()}'" if isinstance(value, (date, datetime)) else None


def filter_of(columns: list[Column], random: Random, depth: int = 2) -> Filter:
    """Return a random filter."""
    choice = random.random()
    if depth == 0 or choice < 0.35:
        return leaf(columns, random)
    if choice < 0.5:
        return negation(filter_of(columns, random, depth - 1))
    one, other = (filter_of(columns, random, depth - 1) for _ in range(2))
    return conjunction(one, other, is_or=choice < 0.75)


ALL = Filter(lambda _: True, And(()), e.AlwaysTrue(), "true")
NONE = Filter(lambda _: False, Or(()), e.AlwaysFalse(), "false")


def canonical(value: Any) -> Any:
    """Return a value in a form that compares: NaN equals itself, and zeros have signs."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return tuple((key, canonical(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(canonical(part) for part in value)
    if isinstance(value, datetime) and value.tzinfo:
        return value.astimezone(UTC).isoformat()
    return value.bytes if isinstance(value, UUID) else value


def bag(rows: list[list[Any]]) -> list[str]:
    """Return rows in an order of their own."""
    return sorted(repr(canonical(row)) for row in rows)


def show(value: Any) -> str:
    """Return a value for a message."""
    return json.dumps(value, default=str, ensure_ascii=False)
