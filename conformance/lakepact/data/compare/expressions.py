"""Expressions of SQL in which DuckDB and Spark differ, and the one form of values of both sides, so that sound copies are equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lakepact.conformance.evidence.arrow import pa

DIGITS, DIGITS_OF_LONG = 38, 19  #: of the widest decimals, and of integers
TEXTS = ("is_string", "is_large_string", "is_string_view", "is_null")
BYTES = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view")


@dataclass(frozen=True)
class Dialect:
    """The fragments of one engine; `{}` stands for an expression."""

    quote: str  #: around names
    hash: str  #: of 64 bits, of several expressions
    digest: str  #: the sum of hashes as text, in any order
    text: str
    binary: str
    utc: str  #: a timestamp with zone as one without
    nanoseconds: str  #: a timestamp of any unit as one of nanoseconds
    json: str  #: a nested value without maps as text
    member: str  #: of a struct; its name is `{1}` as text, `{2}` as a name
    struct: str  #: of pairs
    pair: str  #: `{2}` with its name
    mapped: str  #: a list, each item `{2}` replaced by `{1}`
    entries: str  #: those of a map in order, each `{2}` replaced by `{1}`

    def name(self, name: str) -> str:
        """Return a name as the engine writes it."""
        return f"{self.quote}{name.replace(self.quote, self.quote * 2)}{self.quote}"


DUCKDB = Dialect(
    quote='"',
    hash="hash({})",
    digest="CAST(sum({}) AS VARCHAR)",  # of 64 bits each, in 128
    text="VARCHAR",
    binary="BLOB",
    utc="make_timestamp(epoch_us({}))",
    nanoseconds="CAST({} AS TIMESTAMP_NS)",
    json="to_json({})",  # hash() takes [null], [] and null for the same
    member="struct_extract({0}, {1})",
    struct="struct_pack({})",
    pair="{1} := {2}",
    mapped="list_transform({0}, lambda {2}: {1})",
    entries="list_sort(list_transform(map_entries({0}), lambda {2}: {1}))",
)
SPARK = Dialect(
    quote="`",
    hash="xxhash64({})",
    digest="concat(sum({0} & 268435455), ':', sum(shiftright({0}, 36)))",  # longs for 34 billion rows; decimals take many times as long
    text="STRING",
    binary="BINARY",
    utc="CAST({} AS TIMESTAMP)",
    nanoseconds="CAST({} AS TIMESTAMP)",
    json="to_json({}, map('ignoreNullFields', 'false'))",  # xxhash64 passes over nulls
    member="{0}.{2}",
    struct="named_struct({})",
    pair="{0}, {2}",
    mapped="transform({0}, {2} -> {1})",
    entries="array_sort(transform(map_entries({0}), {2} -> {1}))",
)


class Normal:
    """Makes expressions that return equal values for equal values of two types, NaN and both zeros included."""

    def __init__(self, dialect: Dialect) -> None:
        self._sql = dialect

    def expression(self, value: str, a: Any, b: Any, depth: int = 0) -> str | None:
        """Return the form of a value of either type, `depth` lists and maps deep; None if the types have none in common."""
        a, b = (kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (a, b))
        if is_nested(a) or is_nested(b):
            return self._nested(value, a, b, depth)
        if all(_is(kind, "is_integer", "is_floating", "is_decimal") for kind in (a, b)):
            return _number(value, a, b)
        if pa.types.is_timestamp(a) and pa.types.is_timestamp(b):
            return (self._sql.nanoseconds if "ns" in (a.unit, b.unit) else self._sql.utc).format(
                value
            )
        if _is_text(a) and _is_text(b):
            return f"CAST({value} AS {self._sql.text})"
        if _is(a, *BYTES) and _is(b, *BYTES):
            return f"CAST({value} AS {self._sql.binary})"
        return (
            value
            if any(
                _is(a, check) and _is(b, check) for check in ("is_boolean", "is_date", "is_time")
            )
            else None
        )

    def _nested(self, value: str, a: Any, b: Any, depth: int) -> str | None:
        item = f"e{depth}"
        if _is(a, *LISTS) and _is(b, *LISTS):
            inner = self.expression(item, a.value_type, b.value_type, depth + 1)
            return inner and self._sql.mapped.format(value, inner, item)
        if pa.types.is_map(a) and pa.types.is_map(b):
            key = self.expression(self._member(item, "key"), a.key_type, b.key_type, depth + 1)
            inner = self.expression(
                self._member(item, "value"), a.item_type, b.item_type, depth + 1
            )
            return (
                key
                and inner
                and self._sql.entries.format(
                    value, self._packed({"key": key, "value": inner}), item
                )
            )
        if not (pa.types.is_struct(a) and pa.types.is_struct(b)):
            return None
        left, right = ({field.name: field.type for field in kind} for kind in (a, b))
        shared = [name for name in left if name in right]
        members = {
            name: self.expression(self._member(value, name), left[name], right[name], depth)
            for name in shared
        }
        known = {name: member for name, member in members.items() if member}
        return f"CASE WHEN {value} IS NOT NULL THEN {self._packed(known)} END" if known else None

    def _member(self, value: str, name: str) -> str:
        return self._sql.member.format(value, text(name), self._sql.name(name))

    def _packed(self, members: dict[str, str]) -> str:
        return self._sql.struct.format(
            ", ".join(
                self._sql.pair.format(label(name), self._sql.name(name), member)
                for name, member in members.items()
            )
        )


def text(value: str) -> str:
    """Return a text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def label(name: str) -> str:
    """Return a name as a text that every engine reads alike."""
    return text(name.replace("'", "_").replace("\\", "_"))


def is_nested(kind: Any) -> bool:
    """Return whether values of a type have parts."""
    return bool(pa.types.is_nested(kind))


def is_ordered(kind: Any) -> bool:
    """Return whether values of a type have a least and a greatest that a person can read."""
    return not (is_nested(kind) or _is(kind, *BYTES))


def _number(value: str, a: Any, b: Any) -> str | None:
    if pa.types.is_floating(a) or pa.types.is_floating(b):
        wide = f"CAST({value} AS DOUBLE)"
        return f"CASE WHEN {wide} = 0 THEN CAST(0 AS DOUBLE) WHEN isnan({wide}) THEN CAST('NaN' AS DOUBLE) ELSE {wide} END"
    if pa.types.is_integer(a) and pa.types.is_integer(b):
        return f"CAST({value} AS BIGINT)"
    shapes = [
        (kind.precision - kind.scale, kind.scale)
        if pa.types.is_decimal(kind)
        else (DIGITS_OF_LONG, 0)
        for kind in (a, b)
    ]
    whole, scale = (max(shape[n] for shape in shapes) for n in (0, 1))
    return (
        f"CAST({value} AS DECIMAL({whole + scale}, {scale}))" if whole + scale <= DIGITS else None
    )


def _is(kind: Any, *checks: str) -> bool:
    return any(getattr(pa.types, check)(kind) for check in checks)


def _is_text(kind: Any) -> bool:
    return _is(kind, *TEXTS) or (
        isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"
    )
