"""Random tables with known rows, and random predicates with independent evaluation, as a reference
for data skipping.

Nothing here is shared with the code under test. A `Reader` stands for each interpretation of
predicates on which readers differ.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Context, Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from sample_tables import shared_snapshots

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
MICROSECOND = timedelta(microseconds=1)
EXACTLY = Context(prec=60)
INTEGERS = {"byte": 7, "short": 15, "integer": 31, "long": 63}
DECIMALS = {"decimal(8,2)": (8, 2), "decimal(30,4)": (30, 4), "decimal(38,0)": (38, 0)}
TYPES = (
    *INTEGERS,
    "float",
    "double",
    *DECIMALS,
    "string",
    "boolean",
    "date",
    "timestamp",
    "timestamp_ntz",
)
#: Types that a column may have had before Delta widened it.
FORMER = {
    "short": ("byte",),
    "integer": ("byte", "short"),
    "long": ("integer",),
    "double": ("float", "integer"),
    "decimal(30,4)": ("decimal(8,2)", "byte"),
    "timestamp_ntz": ("date",),
}
JSON_TYPES = {
    "boolean": "bool",
    "integer": "int",
    "long": "long",
    "string": "string",
    "date": "date",
    "float": "float",
    "double": "double",
    "timestamp": "timestamp",
}
STEMS = (
    "",
    "a",
    "ab",
    "zebra",
    "Zürich",
    "日本",
    "x" * 31,
    "x" * 40,
    "😀" * 33,
    "é" * 32 + "1",
    "it's",
    'a"b',
    "\u2028",
    "back\\slash",
    "\uffff",
)


@dataclass(frozen=True)
class Reader:
    """The interpretations of a reader where the protocol is ambiguous."""

    zone: Any
    nan_is_largest: bool
    doubles: bool  #: numbers of different types are compared as doubles
    empty_is_null: bool  #: of text in partition values
    widens: (
        bool  #: a partition value from before its column was widened is read as the type of then
    )


READERS = (
    Reader(timezone.utc, nan_is_largest=True, doubles=False, empty_is_null=True, widens=False),  # noqa: UP017
    Reader(
        ZoneInfo("America/New_York"),
        nan_is_largest=True,
        doubles=True,
        empty_is_null=False,
        widens=True,
    ),
    Reader(
        timezone(timedelta(hours=14)),
        nan_is_largest=False,
        doubles=False,
        empty_is_null=False,
        widens=True,
    ),
    Reader(
        timezone(timedelta(hours=-12)),
        nan_is_largest=False,
        doubles=True,
        empty_is_null=True,
        widens=False,
    ),
)


def single(number: float) -> float:
    return struct.unpack("f", struct.pack("f", number))[0]


def value_of(random: Random, type_: str) -> Any:
    """Return a value as in rows: timestamps are microseconds, dates are dates."""
    if type_ in INTEGERS:
        limit = 2 ** INTEGERS[type_]
        return random.choice(
            (
                random.randint(-3, 12),
                random.randint(-limit, limit - 1),
                limit - 1 - random.randint(0, 3),
                -limit,
            )
        )
    if type_ in {"float", "double"}:
        number = random.choice(
            (
                0.0,
                -0.0,
                0.1,
                math.nan,
                math.inf,
                -math.inf,
                random.randint(-5, 5) / 4,
                random.gauss(0, 100),
                1e300,
                5e-324,
            )
        )
        return (
            number
            if type_ == "double"
            else single(max(-3e38, min(3e38, number)) if math.isfinite(number) else number)
        )
    if type_ in DECIMALS:
        precision, scale = DECIMALS[type_]
        digits = random.choice(
            (
                random.randint(-500, 500),
                random.randint(-(10**precision) + 1, 10**precision - 1),
                10**precision - 1,
            )
        )
        return Decimal(digits).scaleb(-scale, EXACTLY)
    if type_ == "string":
        return random.choice(STEMS) + random.choice(("", "", "a", "b", "z"))
    if type_ == "boolean":
        return random.random() < 0.5
    if type_ == "date":
        return date(
            random.choice((1969, 2021, 2021)), random.choice((3, 11)), random.randint(10, 16)
        )
    days = (
        date(random.choice((1969, 2021, 2021)), 3, random.randint(12, 16)) - date(1970, 1, 1)
    ).days
    return days * 86_400_000_000 + random.choice(
        (0, 7_200_000_000 + 1_800_000_000, random.randrange(86_400_000_000))
    )


def clock(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def instant(local: int, zone: Any) -> int:
    """Return the instant of a local time in a zone."""
    aware = clock(local).replace(tzinfo=zone)
    return (aware.replace(tzinfo=None) - aware.utcoffset() - EPOCH) // MICROSECOND


def timestamp_text(micros: int, *, separator: str = " ", digits: int = 6) -> str:
    moment = clock(micros)
    fraction = f"{moment.microsecond:06}"[:digits]
    return f"{moment:%Y-%m-%d}{separator}{moment:%H:%M:%S}{'.' + fraction if fraction else ''}"


def partition_text(random: Random, type_: str, value: Any) -> str | None:
    if value is None:
        return random.choice((None, "")) if type_ != "string" else None
    if type_ == "boolean":
        return str(value).lower()
    if type_ in {"timestamp", "timestamp_ntz"}:
        if type_ == "timestamp" and random.random() < 0.5:
            return timestamp_text(value, separator="T") + "Z"
        return timestamp_text(value)
    if type_ == "float" and math.isfinite(value):
        return str(shortest(value))
    return str(value)


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    physical: str
    partition: bool
    former: str | None  #: its type in old files, if it was widened

    def type_in(self, *, old: bool) -> str:
        """Return its type in a file."""
        return self.former if old and self.former else self.type


def widened(value: Any, type_: str) -> Any:
    """Return a value of a former type in the type of its column."""
    if type_ == "double":
        return float(value)
    if type_ in DECIMALS:
        return Decimal(value)
    return (
        (value - date(1970, 1, 1)).days * 86_400_000_000
        if type(value) is date and type_ == "timestamp_ntz"
        else value
    )


@dataclass
class Part:
    """A file: its partition values as text, and its rows, including deleted rows."""

    partition: dict[str, str | None]
    rows: list[dict[str, Any]]
    alive: list[bool]
    stats: str | None
    old: bool  #: written before the columns were widened


@dataclass
class Table:
    columns: list[Column]
    parts: list[Part] = field(default_factory=list)
    mapped: bool = False

    def snapshot(self) -> Any:
        named: dict[str, dict[str, Any]] = {
            c.name: {"delta.columnMapping.physicalName": c.physical} for c in self.columns
        }
        for c in self.columns:
            if c.former:
                named[c.name]["delta.typeChanges"] = [{"fromType": c.former, "toType": c.type}]
        files = [
            shared_snapshots.file(
                part.partition,
                part.stats,
                deleted=None if all(part.alive) else part.alive.count(False),
            )
            for part in self.parts
        ]
        return shared_snapshots.snapshot(
            {c.name: c.type for c in self.columns},
            *files,
            partitioned=[c.name for c in self.columns if c.partition],
            metadata=named,
            configuration={"delta.columnMapping.mode": "name"} if self.mapped else {},
        )

    def live_rows(self, part: Part, reader: Reader) -> list[dict[str, Any]]:
        held = {
            c.name: read_partition(
                c, part.partition[c.physical if self.mapped else c.name], reader, old=part.old
            )
            for c in self.columns
            if c.partition
        }
        return [{**row, **held} for row, alive in zip(part.rows, part.alive, strict=True) if alive]


def read_partition(column: Column, text: str | None, reader: Reader, *, old: bool) -> Any:
    type_ = column.type_in(old=old and reader.widens)
    if text is None or (text == "" and (type_ != "string" or reader.empty_is_null)):
        return None
    readings: dict[str, Callable[[str], Any]] = {
        "float": lambda text: single(float(text)),
        "double": float,
        "string": str,
        "boolean": lambda text: text == "true",
        "date": date.fromisoformat,
        **dict.fromkeys(INTEGERS, int),
        **dict.fromkeys(DECIMALS, Decimal),
    }
    if type_ in readings:
        return widened(readings[type_](text), column.type)
    local = (datetime.fromisoformat(text.removesuffix("Z")) - EPOCH) // MICROSECOND
    return local if type_ == "timestamp_ntz" or text.endswith("Z") else instant(local, reader.zone)


def random_table(random: Random) -> Table:
    mapped = random.random() < 0.3
    columns = []
    for number, type_ in enumerate(random.sample(TYPES, random.randint(3, 7))):
        name = f"{random.choice(('col', 'Col', 'c d', 'x.y'))}{number}"
        former = random.choice(FORMER[type_]) if type_ in FORMER and random.random() < 0.5 else None
        columns.append(
            Column(
                name, type_, f"physical-{number}", partition=random.random() < 0.35, former=former
            )
        )
    table = Table(columns, mapped=mapped)
    for _ in range(random.randint(2, 7)):
        table.parts.append(random_part(random, table))
    return table


def random_part(random: Random, table: Table) -> Part:
    partition, old = {}, random.random() < 0.6
    pools = {
        c.name: [value_of(random, c.type_in(old=old)) for _ in range(random.randint(1, 2))]
        for c in table.columns
    }
    nulls = {c.name: random.choice((0, 0, 0.3, 1)) for c in table.columns}
    for c in table.columns:
        if c.partition:
            value = None if random.random() < 0.2 else value_of(random, c.type_in(old=old))
            partition[c.physical if table.mapped else c.name] = partition_text(
                random, c.type_in(old=old), value
            )
    rows = [
        {
            c.name: None if random.random() < nulls[c.name] else random.choice(pools[c.name])
            for c in table.columns
            if not c.partition
        }
        for _ in range(random.randint(0, 4))
    ]
    alive = [random.random() < 0.6 for _ in rows] if random.random() < 0.3 else [True] * len(rows)
    part = Part(partition, rows, alive, None, old)
    part.stats = random_stats(random, table, part)
    for row in rows:
        row.update(
            {
                c.name: widened(row[c.name], c.type)
                for c in table.columns
                if old and c.former and row.get(c.name) is not None
            }
        )
    return part


def random_stats(random: Random, table: Table, part: Part) -> str | None:
    """Return statistics of one of several writers, over all rows of the file, including deleted
    rows.
    """
    if random.random() < 0.1:
        return random.choice((None, "", "{}", "not json", "[]", "null"))
    document: dict[str, Any] = {"minValues": {}, "maxValues": {}, "nullCount": {}}
    if random.random() < 0.95:
        document["numRecords"] = len(part.rows)
    for c in table.columns:
        if c.partition or random.random() < 0.15:
            continue
        key = c.physical if table.mapped else c.name
        values = [row[c.name] for row in part.rows if row[c.name] is not None]
        if random.random() < 0.9:
            document["nullCount"][key] = len(part.rows) - len(values)
        values = [value for value in values if value == value]  # NaN is left out
        if not values or (c.type == "boolean" and random.random() < 0.5):
            continue
        low, high = stats_bounds(random, c.type_in(old=part.old), min(values), max(values))
        if random.random() < 0.95:
            document["minValues"][key] = low
        if random.random() < 0.95:
            document["maxValues"][key] = high
    return json.dumps(document, ensure_ascii=random.random() < 0.5)


def shortest(number: float) -> float:
    """Return the number that the shortest text of a float spells."""
    return next(
        short for digits in range(1, 10) if single(short := float(f"{number:.{digits}g}")) == number
    )


def stats_bounds(random: Random, type_: str, low: Any, high: Any) -> tuple[Any, Any]:
    if type_ == "string":
        width = random.choice((5, 32, 1000))
        behind = random.choice(("", "\uffff", "\U0010ffff"))
        return low[:width], high if len(high) <= width else high[:width] + behind
    if type_ == "date":
        return low.isoformat(), high.isoformat()
    if type_ in {"timestamp", "timestamp_ntz"}:
        digits, zone = (
            random.choice((3, 6)),
            "Z" if type_ == "timestamp" else random.choice(("", "Z")),
        )
        return timestamp_text(low, separator="T", digits=digits) + zone, timestamp_text(
            high, separator="T", digits=digits
        ) + zone
    if type_ in DECIMALS:
        spelled = random.choice((float, str))
        return spelled(low), spelled(high)
    if type_ in {"float", "double"}:
        shorten = type_ == "float" and random.random() < 0.5
        return tuple(
            str(v).replace("inf", "Infinity")
            if not math.isfinite(v)
            else shortest(v)
            if shorten
            else v
            for v in (low, high)
        )  # type: ignore[return-value]
    return low, high


# Predicates: tuples of a name and parts, rendered as JSON and SQL, and evaluated.

SIGNS = {
    "=": "equal",
    "<": "lessThan",
    "<=": "lessThanOrEqual",
    ">": "greaterThan",
    ">=": "greaterThanOrEqual",
}
NEAR = {"byte": "integer", "short": "integer"}


def random_predicate(random: Random, table: Table, depth: int = 0) -> tuple[Any, ...]:
    choice = random.random()
    if depth < 3 and choice < 0.35:
        return (
            random.choice(("and", "or")),
            *(random_predicate(random, table, depth + 1) for _ in range(random.randint(2, 3))),
        )
    if depth < 3 and choice < 0.5:
        return ("not", random_predicate(random, table, depth + 1))
    column = random.choice(table.columns)
    if choice < 0.6:
        return ("null", column)
    return (
        "compare",
        random.choice(list(SIGNS)),
        column,
        near_value(random, table, column),
        random.random() < 0.3,
    )


def near_value(random: Random, table: Table, column: Column) -> Any:
    """Return mostly a value of the table, or a value next to it."""
    found = [
        row[column.name]
        for part in table.parts
        for row in table.live_rows(part, READERS[0])
        if row[column.name] is not None
    ]
    value = (
        random.choice(found) if found and random.random() < 0.8 else value_of(random, column.type)
    )
    if random.random() < 0.4:
        if column.type in INTEGERS:
            return value + random.choice((-1, 1))
        if column.type == "date":
            return value + timedelta(days=random.choice((-1, 1)))
        if column.type in {"timestamp", "timestamp_ntz"}:
            return value + random.choice((-1, 1, 400, -400, 1500, 3_600_000_000, -3_600_000_000))
    return value


def holds(predicate: tuple[Any, ...], row: Mapping[str, Any], reader: Reader) -> bool | None:
    """Return the three-valued result of a predicate for a row."""
    name, *parts = predicate
    if name in {"and", "or"}:
        found = [holds(part, row, reader) for part in parts]
        decisive = name == "or"
        return decisive if decisive in found else None if None in found else not decisive
    if name == "not":
        inner = holds(parts[0], row, reader)
        return None if inner is None else not inner
    if name == "null":
        return row[parts[0].name] is None
    sign, column, literal, _ = parts
    value = row[column.name]
    if value is None:
        return None
    return compared(sign, column.type, value, literal, reader)


def compared(sign: str, type_: str, value: Any, literal: Any, reader: Reader) -> bool:
    if isinstance(value, float) or isinstance(literal, float):
        if math.isnan(value) or math.isnan(literal):
            if not reader.nan_is_largest:
                return False
            value, literal = (
                (math.isnan(value), 0 if math.isnan(value) else value),
                (math.isnan(literal), 0 if math.isnan(literal) else literal),
            )
    elif type_ in DECIMALS and reader.doubles:
        value, literal = float(value), float(literal)
    return {
        "=": value == literal,
        "<": value < literal,
        "<=": value <= literal,
        ">": value > literal,
        ">=": value >= literal,
    }[sign]


def as_json(random: Random, predicate: tuple[Any, ...]) -> dict[str, Any] | None:
    """Return the predicate as a JSON tree, or None if the value types of trees lack its type."""
    name, *parts = predicate
    if name in {"and", "or", "not"}:
        children = [as_json(random, part) for part in parts]
        return None if None in children else {"op": name, "children": children}
    column = parts[0] if name == "null" else parts[1]
    type_ = NEAR.get(column.type, column.type)
    if type_ not in JSON_TYPES:
        return None
    value_type = JSON_TYPES[type_]
    leaf = {
        "op": "column",
        "name": random.choice((column.name, column.name.upper())),
        "valueType": value_type,
    }
    if name == "null":
        return {"op": "isNull", "children": [leaf]}
    sign, _, value, turned = parts
    if type_ == "integer" and not -(2**31) <= value < 2**31:
        return None
    if type_ == "timestamp":  # as Spark's connector sends it, or the whole predicate
        spelled: Any = timestamp_text(value, separator="T", digits=random.choice((3, 6))) + "Z"
    elif type_ == "boolean":
        spelled = str(value).lower()
    else:
        spelled = random.choice((str(value), value)) if isinstance(value, int) else str(value)
    literal = {"op": "literal", "value": spelled, "valueType": value_type}
    flipped = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
    if turned:
        return {"op": SIGNS[flipped[sign]], "children": [literal, leaf]}
    return {"op": SIGNS[sign], "children": [leaf, literal]}


SQL_TYPES = {
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INT",
    "long": "BIGINT",
    "decimal(8,2)": "DECIMAL(8,2)",
    "decimal(30,4)": "DECIMAL(30, 4)",
    "decimal(38,0)": "DECIMAL(38,0)",
}


def as_sql(random: Random, predicate: tuple[Any, ...]) -> str | None:
    name, *parts = predicate
    if name in {"and", "or", "not"}:
        children = [as_sql(random, part) for part in parts]
        if None in children:
            return None
        return (
            f"NOT ({children[0]})" if name == "not" else f"({f' {name.upper()} '.join(children)})"
        )  # type: ignore[arg-type]
    column = parts[0] if name == "null" else parts[1]
    spelled = (
        f"`{column.name}`"
        if random.random() < 0.7 or not column.name.isidentifier()
        else column.name.lower()
    )
    if column.partition and random.random() < 0.5:
        spelled = (
            f"CAST(partitionValues.{spelled} AS {SQL_TYPES.get(column.type, column.type.upper())})"
        )
    if name == "null":
        return f"{spelled} IS NULL" if random.random() < 0.5 else f"not {spelled} is not null"
    sign, _, value, turned = parts
    literal = sql_literal(random, column.type, value)
    if literal is None:
        return None
    if sign == "=" and random.random() < 0.2:
        return f"{spelled} IN ({literal}, {literal})"
    flipped = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
    return f"{literal} {flipped[sign]} {spelled}" if turned else f"({spelled} {sign} {literal})"


def sql_literal(random: Random, type_: str, value: Any) -> str | None:
    if type_ in INTEGERS:
        return f"{value}{random.choice(('', 'L'))}" if -(2**63) <= value < 2**63 else None
    if type_ in {"float", "double"}:
        return (
            f"{value!r}D"
            if math.isfinite(value) and type_ == "double"
            else f"'{value!r}'"
            if math.isfinite(value)
            else None
        )
    if type_ in DECIMALS:
        return f"{value:f}{random.choice(('', 'BD'))}"
    if type_ == "boolean":
        return random.choice((str(value).upper(), str(value).lower()))
    if type_ == "date":
        return random.choice((f"'{value}'", f"DATE '{value}'"))
    if type_ == "timestamp":
        return (
            random.choice(("", "TIMESTAMP "))
            + f"'{timestamp_text(value, separator=random.choice(' T'))}Z'"
        )
    if type_ == "timestamp_ntz":
        return random.choice(("", "TIMESTAMP_NTZ ")) + f"'{timestamp_text(value)}'"
    quoted = (
        value.replace("\\", "\\\\").replace("'", "\\'")
        if random.random() < 0.5
        else value.replace("'", "''")
    )
    return f"'{quoted}'"
