"""The shapes of tables: columns whose value in a row follows from the row's number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lakepact.conformance.evidence.arrow import Array, Schema, pa, pc

BATCH = 50_000  #: rows that are made at a time
STEP = 0x9E3779B97F4A7C15  #: an odd number that spreads neighbouring rows
EPOCH = 1_700_000_000_000_000  #: microseconds since 1970 of the first row
NUMBER = pa.int64()
ICEBERG, DELTA = "iceberg", "delta"
PROTOCOLS = (ICEBERG, DELTA)
POSITIONS, VECTORS = "positions", "vectors"


@dataclass(frozen=True)
class Column:
    """One column of a shape."""

    name: str
    type: Any
    make: Callable[[Any], Array]
    nulls: int = 0  #: one row in so many is null; 0 for none
    since: int = 0  #: the first row written after the column was added; those before it are null

    def values(self, numbers: Any) -> Array:
        """Return the values of some rows."""
        values = self.make(numbers)
        absent = numbers < self.since
        if self.nulls:
            absent |= numbers % self.nulls == self.nulls - 1
        if absent.any():
            values = pc.if_else(pa.array(absent), pa.scalar(None, values.type), values)
        return values.cast(self.type)


@dataclass(frozen=True)
class Shape:
    """Columns that go together, the number of the row, `id`, the first of them."""

    name: str
    columns: tuple[Column, ...]
    former: tuple[
        Column, ...
    ] = ()  #: those of the first version in the same places, if they were others
    partition: tuple[
        tuple[str, str], ...
    ] = ()  #: columns with transforms of Iceberg; Delta tables have those with `identity`
    deletes: str = (
        ""  #: how rows are deleted without writing files again: by `positions` or by `vectors`
    )
    protocols: tuple[str, ...] = PROTOCOLS

    def at(self, version: int, protocol: str, *, growth_start: int) -> Shape:
        """Return the shape of a version of a table.

        Args:
            version: its number.
            protocol: of the table; Delta tables get further columns, but deltalake neither renames
                nor widens.
            growth_start: the first row that was written after the first version.
        """
        if not self.former:
            return self
        count = len(self.former)
        if not version:
            return replace(
                self, columns=self.former if protocol == ICEBERG else self.columns[:count]
            )
        return replace(
            self,
            columns=(
                *self.columns[:count],
                *(replace(column, since=growth_start) for column in self.columns[count:]),
            ),
        )

    @property
    def has_reader_features(self) -> bool:
        """Whether its Delta tables can be read only by readers that know more than version 1 of the
        protocol.
        """
        return bool(self.deletes) or any(
            pa.types.is_timestamp(column.type) and not column.type.tz for column in self.columns
        )

    @property
    def format_version(self) -> int:
        """The format version of its Iceberg tables."""
        return 3 if self.deletes == VECTORS else 2

    @property
    def schema(self) -> Schema:
        """The columns as Arrow knows them."""
        return pa.schema(
            [
                pa.field("id", NUMBER, nullable=False),
                *(pa.field(column.name, column.type) for column in self.columns),
            ]
        )

    def batch(self, first: int, count: int) -> Any:
        """Return the rows from one number on, as a record batch."""
        return self.rows(np.arange(first, first + count, dtype=np.int64))

    def rows(self, numbers: Any) -> Any:
        """Return the rows with these numbers, as a record batch."""
        arrays = [pa.array(numbers), *(column.values(numbers) for column in self.columns)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def batches(self, first: int, last: int) -> Iterator[Any]:
        """Yield the rows from one number to before another, some at a time."""
        for start in range(first, last, BATCH):
            yield self.batch(start, min(BATCH, last - start))


def _spread(numbers: Any) -> Any:
    """Return numbers that look like drawn at random, the same for the same rows."""
    with np.errstate(over="ignore"):
        product = numbers.astype(np.uint64) * np.uint64(STEP)
        return product ^ (product >> np.uint64(29))


def _texts(choices: int, stem: str) -> Callable[[Any], Array]:
    texts = pa.array([f"{stem} {n} äß🧊"[: 6 + n % 23] for n in range(choices)])
    return lambda numbers: texts.take(
        pa.array((_spread(numbers) % np.uint64(choices)).astype(np.int64))
    )


def _unique(numbers: Any) -> Array:
    return pc.binary_join_element_wise(pa.array(numbers).cast(pa.string()), "row", "-")


def _whole(kind: str, bound: int) -> Callable[[Any], Array]:
    return lambda numbers: pa.array(
        (_spread(numbers) % np.uint64(bound)).astype(kind) - np.array(bound // 2, kind)
    )


def _double(numbers: Any) -> Array:
    return pa.array((_spread(numbers) % np.uint64(1 << 40)).astype(np.float64) / 1024.0)


def _float(numbers: Any) -> Array:
    return pa.array(((_spread(numbers) % np.uint64(1 << 20)).astype(np.float32)) / np.float32(64.0))


def _decimal(numbers: Any) -> Array:
    whole = pa.array((_spread(numbers) % np.uint64(10**12)).astype(np.int64))
    return whole.cast(pa.decimal128(38, 3)).cast(pa.decimal128(18, 3))


def _boolean(numbers: Any) -> Array:
    return pa.array(_spread(numbers) % np.uint64(3) == 0)


def _binary(numbers: Any) -> Array:
    return pa.array([int(one).to_bytes(8, "big") for one in _spread(numbers)], pa.binary())


def _date(numbers: Any) -> Array:
    return pa.array((_spread(numbers) % np.uint64(20_000)).astype(np.int32)).cast(pa.date32())


def _instant(numbers: Any) -> Array:
    return pa.array(numbers * 1_000_003 + EPOCH).cast(pa.timestamp("us", "UTC"))


def _local(numbers: Any) -> Array:
    return pa.array(numbers * 1_000_003 + EPOCH).cast(pa.timestamp("us"))


def _structs(numbers: Any) -> Array:
    return pa.StructArray.from_arrays(
        [_whole("int32", 1000)(numbers), _texts(20, "inner")(numbers)], names=["count", "label"]
    )


def _lists(numbers: Any) -> Array:
    lengths = (_spread(numbers) % np.uint64(4)).astype(np.int32)
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
    items = np.repeat(numbers, lengths) * 3
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(items))


def _maps(numbers: Any) -> Array:
    lists = _lists(numbers)
    offsets = np.asarray(lists.offsets).astype(np.int64)
    places = np.arange(len(lists.values)) - np.repeat(offsets[:-1], offsets[1:] - offsets[:-1])
    return pa.MapArray.from_arrays(
        lists.offsets, pa.array([f"key {place}" for place in places], pa.string()), lists.values
    )


NARROW = Shape(
    "narrow",
    (Column("amount", pa.float64(), _double), Column("word", pa.string(), _texts(50, "word"))),
)
TYPES = Shape(
    "types",
    (
        Column("flag", pa.bool_(), _boolean, nulls=7),
        Column("small", pa.int32(), _whole("int32", 1 << 30)),
        Column("big", pa.int64(), _whole("int64", 1 << 62), nulls=11),
        Column("single", pa.float32(), _float, nulls=5),
        Column("double", pa.float64(), _double),
        Column("price", pa.decimal128(18, 3), _decimal, nulls=13),
        Column("text", pa.string(), _unique, nulls=17),
        Column("bytes", pa.binary(), _binary, nulls=19),
        Column("day", pa.date32(), _date, nulls=3),
        Column("instant", pa.timestamp("us", "UTC"), _instant),
        Column("nothing", pa.string(), _unique, nulls=1),
    ),
)
NESTED = Shape(
    "nested",
    (
        Column(
            "pair", pa.struct([("count", pa.int32()), ("label", pa.string())]), _structs, nulls=9
        ),
        Column("numbers", pa.list_(pa.int64()), _lists, nulls=6),
        Column("tags", pa.map_(pa.string(), pa.int64()), _maps, nulls=4),
    ),
)
WIDE = Shape(
    "wide",
    tuple(
        Column(
            f"column_{n:02d}",
            pa.int64() if n % 2 else pa.string(),
            _whole("int64", 1000 + n) if n % 2 else _texts(5 + n, f"c{n}"),
            nulls=n % 5,
        )
        for n in range(40)
    ),
)
TIMES = Shape(
    "times",
    (
        Column("day", pa.date32(), _date),
        Column("instant", pa.timestamp("us", "UTC"), _instant, nulls=8),
        Column("local", pa.timestamp("us"), _local, nulls=5),
    ),
)
PARTITIONED = Shape(
    "partitioned",
    (
        Column("region", pa.string(), _texts(3, "region"), nulls=10),
        Column("text", pa.string(), _unique, nulls=17),
        Column("instant", pa.timestamp("us", "UTC"), _instant),
    ),
    partition=(("region", "identity"), ("text", "bucket[2]"), ("instant", "month")),
)
EVOLVED = Shape(
    "evolved",
    (
        Column("count", pa.int64(), _whole("int32", 1 << 30)),
        Column("label", pa.string(), _unique, nulls=17),
        Column("amount", pa.float64(), _double, nulls=5),
    ),
    former=(
        Column("count", pa.int32(), _whole("int32", 1 << 30)),
        Column("text", pa.string(), _unique, nulls=17),
    ),
)
AMOUNTS = (Column("amount", pa.float64(), _double), Column("text", pa.string(), _unique, nulls=17))
POSITION_DELETES = Shape("position_deletes", AMOUNTS, deletes=POSITIONS, protocols=(ICEBERG,))
DELETION_VECTORS = Shape(
    "deletion_vectors",
    AMOUNTS,
    deletes=VECTORS,
    protocols=(ICEBERG,),
)
SHAPES = {
    shape.name: shape
    for shape in (
        NARROW,
        TYPES,
        NESTED,
        WIDE,
        TIMES,
        PARTITIONED,
        EVOLVED,
        POSITION_DELETES,
        DELETION_VECTORS,
    )
}
