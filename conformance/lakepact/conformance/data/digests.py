"""Digests of rows: their number, an order-independent checksum, and figures of each column."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lakepact.conformance.evidence.arrow import Array, pa, pc

if TYPE_CHECKING:
    from collections.abc import Iterable

WORD = 1 << 64
SPREAD = np.uint64(0x9E3779B97F4A7C15)  #: an odd number
#: The kinds of types by the names of the predicates of `pyarrow.types`.
KINDS = {
    "whole number": ("is_integer",),
    "fraction": ("is_floating",),
    "decimal": ("is_decimal",),
    "date": ("is_date",),
    "text": ("is_string", "is_large_string", "is_string_view"),
    "bytes": ("is_binary", "is_large_binary", "is_binary_view", "is_fixed_size_binary"),
}
NOTHING = np.uint64(0xA5A5A5A5A5A5A5A5)


@dataclass(frozen=True)
class Digest:
    """Rows, counted and summed up: digests of parts add up to that of the whole, whatever their order."""

    rows: int = 0
    checksum: int = 0

    def __add__(self, other: Self) -> Digest:
        return Digest(self.rows + other.rows, (self.checksum + other.checksum) % WORD)

    def __sub__(self, other: Self) -> Digest:
        return Digest(self.rows - other.rows, (self.checksum - other.checksum) % WORD)

    def __str__(self) -> str:
        return f"{self.rows} rows, checksum {self.checksum:016x}"


def digest(batches: Iterable[Any]) -> Digest:
    """Return the digest of some record batches or tables, their by the names of their columns."""
    total = Digest()
    for batch in batches:
        total += Digest(batch.num_rows, _checksum(batch))
    return total


def _checksum(batch: Any) -> int:
    if not batch.num_rows:
        return 0
    mixed = np.zeros(batch.num_rows, np.uint64)
    with np.errstate(over="ignore"):
        for name in batch.schema.names:
            mixed += hashes(batch.column(name)) * np.uint64(_word(name.encode()) | 1)
        mixed ^= mixed >> np.uint64(31)
        mixed *= SPREAD
        return int((mixed ^ (mixed >> np.uint64(29))).sum(dtype=np.uint64))


def hashes(column: Array) -> Any:
    """Return a number for each value of a column, the same for equal values of one kind of type, whatever its width."""
    values = _whole(column)
    name, type_ = kind(values.type), values.type
    with np.errstate(over="ignore"):
        if name in {"whole number", "boolean"}:
            found = _bits(values.cast(pa.int64()))
        elif name == "fraction":
            found = _bits(values.cast(pa.float64()))
        elif name == "date":
            found = _bits(values.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()))
        elif pa.types.is_timestamp(type_):
            found = _bits(values.cast(pa.timestamp("us", type_.tz)).cast(pa.int64()))
        elif name in {"text", "bytes"}:
            found = _hashes_of_texts(values.cast(pa.large_string() if name == "text" else pa.large_binary()))
        else:
            found = np.array([_word(repr(_plain(value)).encode()) for value in values.to_pylist()], np.uint64)
        return np.where(np.asarray(pc.is_null(values)), NOTHING, found) ^ np.uint64(_word(name.encode()))


def kind(type_: Any) -> str:
    """Return the kind of a type, which its hashes cover: a date is not its number, a timestamp with a zone not one without."""
    if pa.types.is_timestamp(type_):
        return "timestamp with zone" if type_.tz else "timestamp"
    if pa.types.is_boolean(type_):
        return "boolean"
    if pa.types.is_nested(type_):
        inner = [type_.field(n) for n in range(type_.num_fields)]
        outer = "struct" if pa.types.is_struct(type_) else "map" if pa.types.is_map(type_) else "list"
        return f"{outer} of {sorted((field.name if outer == 'struct' else '', kind(field.type)) for field in inner)}"
    return next((name for name, tests in KINDS.items() if any(getattr(pa.types, test)(type_) for test in tests)), str(type_))


def _whole(column: Any) -> Array:
    values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _bits(values: Array) -> Any:
    bits: Any = np.asarray(pc.fill_null(values, 0)).view(np.uint64)
    mixed = bits * SPREAD
    return mixed ^ (mixed >> np.uint64(30))


def _hashes_of_texts(values: Array) -> Any:
    encoded = values.dictionary_encode()
    words = [_word(word if isinstance(word, bytes) else str(word).encode()) for word in encoded.dictionary.to_pylist()]
    places = np.asarray(pc.fill_null(encoded.indices, 0)).astype(np.int64)
    return np.array([*words, 0], np.uint64)[places]


def _plain(value: Any) -> Any:
    """Return a nested value in one form: members and entries sorted, times with a zone in UTC."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        inner = [_plain(item) for item in value]
        return sorted(inner, key=repr) if inner and isinstance(value[0], tuple) else inner  # only entries of maps are tuples
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.astimezone(dt.UTC) if isinstance(value, dt.datetime) and value.tzinfo else value


def _word(said: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big")


@dataclass(frozen=True)
class Figures:
    """The figures of one column: number of nulls, and least and greatest value as text; `None` for unordered types."""

    nulls: int = 0
    least: Any = None
    greatest: Any = None

    def __add__(self, other: Self) -> Figures:
        ends = [end for end in (self.least, other.least) if end is not None]
        tops = [top for top in (self.greatest, other.greatest) if top is not None]
        return Figures(self.nulls + other.nulls, min(ends, default=None), max(tops, default=None))


def figures(batches: Iterable[Any]) -> dict[str, Figures]:
    """Return the figures of each column of some record batches."""
    found: dict[str, Figures] = {}
    for batch in batches:
        for name in batch.schema.names:
            found[name] = found.get(name, Figures()) + _figures(_whole(batch.column(name)))
    return found


def ordered(kind: Any) -> bool:
    """Return whether values of a type have a least and a greatest here."""
    return not (pa.types.is_nested(kind) or pa.types.is_boolean(kind) or pa.types.is_binary(kind))


def _figures(values: Array) -> Figures:
    if not ordered(values.type) or values.null_count == len(values):
        return Figures(values.null_count)
    ends = pc.min_max(values).as_py()
    return Figures(values.null_count, ends["min"], ends["max"])
