"""Expressions of SQL in which DuckDB and Spark differ, and the one form of values of both sides, so
that sound copies are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from lakepact.conformance.evidence.arrow import pa

#: The types of a value on both sides.
Kinds: TypeAlias = tuple[Any, Any]
DIGITS, DIGITS_OF_LONG = 38, 19  #: of the widest decimals, and of integers
TEXTS = ("is_string", "is_large_string", "is_string_view", "is_null")
BYTES = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view")


@dataclass(frozen=True)
class Dialect:
    """The fragments of one engine; `{}` stands for an expression."""

    hash: str  #: of 64 bits, of several expressions
    digest: str  #: the sum of hashes as text, in any order
    text: str
    binary: str
    utc: str  #: a timestamp with zone as one without
    nanoseconds: str  #: a timestamp of any unit as one of nanoseconds
    json: str  #: a nested value without maps as text
    member: str  #: of a struct; its name is `{1}`
    struct: str  #: of pairs
    pair: str  #: `{1}` with its name
    transform: str  #: a list, each item `{2}` replaced by `{1}`
    entries: str  #: those of a map in order, each `{2}` replaced by `{1}`


DUCKDB = Dialect(
    hash="hash({})",
    digest="CAST(sum({}) AS VARCHAR)",  # of 64 bits each, in 128
    text="VARCHAR",
    binary="BLOB",
    utc="make_timestamp(epoch_us({}))",
    nanoseconds="CAST({} AS TIMESTAMP_NS)",
    json="to_json({})",  # hash() takes [null], [] and null for the same
    member="struct_extract({0}, '{1}')",
    struct="struct_pack({})",
    pair="{0} := {1}",
    transform="list_transform({0}, lambda {2}: {1})",
    entries="list_sort(list_transform(map_entries({0}), lambda {2}: {1}))",
)
SPARK = Dialect(
    hash="xxhash64({})",
    # longs for 34 billion rows; decimals take many times as long
    digest="concat(sum({0} & 268435455), ':', sum(shiftright({0}, 36)))",
    text="STRING",
    binary="BINARY",
    utc="CAST({} AS TIMESTAMP)",
    nanoseconds="CAST({} AS TIMESTAMP)",
    # xxhash64 passes over nulls, and to_json cuts times to milliseconds.
    json=(
        "to_json({}, map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd"
        " HH:mm:ss.SSSSSS', 'timestampNTZFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'))"
    ),
    member="{0}.{1}",
    struct="named_struct({})",
    pair="'{0}', {1}",
    transform="transform({0}, {2} -> {1})",
    entries="array_sort(transform(map_entries({0}), {2} -> {1}))",
)


class Normal:
    """Makes expressions that return equal values for equal values of two types, NaN and both zeros
    included.

    Args:
        dialect: Of the engine.
        side: 0 for the values of side A, 1 for those of side B: members of structs have positions.
    """

    def __init__(self, dialect: Dialect, side: int) -> None:
        self._sql, self._side = dialect, side

    def expression(self, value: str, kinds: Kinds, depth: int = 0) -> str | None:
        """Return the form of a value, `depth` lists and maps deep; None if the types have none in
        common.
        """
        a, b = kinds
        if pa.types.is_dictionary(a) or pa.types.is_dictionary(b):
            plain = (kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds)
            return self.expression(value, (next(plain), next(plain)), depth)
        if is_nested(a) or is_nested(b):
            return self._nested(value, kinds, depth)
        if all(_is(kind, "is_integer", "is_floating", "is_decimal") for kind in kinds):
            return _number(value, a, b)
        if pa.types.is_timestamp(a) and pa.types.is_timestamp(b):
            form = self._sql.nanoseconds if "ns" in (a.unit, b.unit) else self._sql.utc
            return form.format(value) if bool(a.tz) == bool(b.tz) else None
        if (is_text(a) and is_text(b)) or (_is(a, *BYTES) and _is(b, *BYTES)):
            return f"CAST({value} AS {self._sql.text if is_text(a) else self._sql.binary})"
        same = ("is_boolean", "is_date", "is_time")
        return value if any(_is(a, check) and _is(b, check) for check in same) else None

    def _nested(self, value: str, kinds: Kinds, depth: int) -> str | None:
        a, b = kinds
        item = f"e{depth}"
        if is_list(a) and is_list(b):
            inner = self.expression(item, (a.value_type, b.value_type), depth + 1)
            return inner and self._sql.transform.format(value, inner, item)
        if pa.types.is_map(a) and pa.types.is_map(b):
            keys, values = (a.key_type, b.key_type), (a.item_type, b.item_type)
            key = self.expression(self._sql.member.format(item, "key"), keys, depth + 1)
            inner = self.expression(self._sql.member.format(item, "value"), values, depth + 1)
            if not key or not inner:
                return None
            return self._sql.entries.format(value, self._pack((key, inner)), item)
        if not (pa.types.is_struct(a) and pa.types.is_struct(b)):
            return None
        members = []
        for name, inner_kinds in shared_members(kinds):
            place = f"m{kinds[self._side].get_field_index(name)}"
            member = self.expression(self._sql.member.format(value, place), inner_kinds, depth)
            members.append(member or "NULL")
        struct = self._pack(members)
        return f"CASE WHEN {value} IS NOT NULL THEN {struct} END" if struct else None

    def _pack(self, members: Iterable[str]) -> str:
        pairs = (self._sql.pair.format(f"m{n}", member) for n, member in enumerate(members))
        return self._sql.struct.format(", ".join(pairs))


def shared_members(kinds: Kinds) -> Iterator[tuple[str, Kinds]]:
    """Yield the members that two structs have by the same name, with their types, in the order of
    side A.
    """
    fields = [
        {kind.field(n).name: kind.field(n).type for n in range(kind.num_fields)} for kind in kinds
    ]
    yield from (
        (name, (fields[0][name], fields[1][name])) for name in fields[0] if name in fields[1]
    )


def label(name: str) -> str:
    """Return a name as a text of SQL that every engine reads alike."""
    return "'" + name.replace("'", "_").replace("\\", "_") + "'"


def is_nested(kind: Any) -> bool:
    """Return whether values of a type have parts."""
    return bool(pa.types.is_nested(kind))


def is_ordered(kind: Any) -> bool:
    """Return whether values of a type have a least and a greatest that a person can read."""
    return not (is_nested(kind) or _is(kind, *BYTES))


def _number(value: str, a: Any, b: Any) -> str | None:
    if pa.types.is_floating(a) or pa.types.is_floating(b):
        wide = f"CAST({value} AS DOUBLE)"
        return (
            f"CASE WHEN {wide} = 0 THEN CAST(0 AS DOUBLE) WHEN isnan({wide}) THEN CAST('NaN' AS"
            f" DOUBLE) ELSE {wide} END"
        )
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


def is_floating(kind: Any) -> bool:
    """Return whether values of a type are fractions, which keys are not."""
    return _is(kind, "is_floating")


def is_list(kind: Any) -> bool:
    """Return whether values of a type are lists."""
    return _is(kind, *LISTS)


def is_text(kind: Any) -> bool:
    """Return whether values of a type are texts; a UUID is one."""
    return _is(kind, *TEXTS) or (
        isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"
    )
