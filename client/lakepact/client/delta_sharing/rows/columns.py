"""Columns of a data file as columns of the schema of the table.

Parts of a file are found by name, by mapped name or by mapped number; what a file does not have is
null; what it has in a narrower
type is widened. Anything else that does not fit is an error: no value is changed.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakepact.client.delta_sharing.rows.types import arrow_type
from lakepact.client.delta_sharing.schemas import Array, Field, Map, Primitive, Struct, Type

_FIELD_ID = b"PARQUET:field_id"
_INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
#: Digits that an integer of so many bits may have.
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}


def name_in_file(fields: Any, column: Field, mapping: str) -> str | None:
    """Return the name under which a file has a column; None if it does not have it."""
    if mapping == "id":
        field_id = str(column.field_id).encode() if column.field_id is not None else None
        return next(
            (
                field.name
                for field in fields
                if field_id and (field.metadata or {}).get(_FIELD_ID) == field_id
            ),
            None,
        )
    physical = column.physical_name(mapping)
    return physical if any(field.name == physical for field in fields) else None


def conform(values: Any, target: Type, mapping: str, place: str) -> Any:
    """Return an array, or a chunked one, in the type that the schema says.

    Raises:
        ValueError: It is of a type that does not fit.
    """
    kind = arrow_type(target)
    if values.type.equals(kind):
        return values
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array(
            [conform(chunk, target, mapping, place) for chunk in values.chunks], kind
        )
    if pa.types.is_dictionary(values.type):
        return conform(values.dictionary_decode(), target, mapping, place)
    if isinstance(target, Primitive):
        return _primitive(values, target, kind, place)
    return _conform_nested(values, target, mapping, place)


def _conform_nested(values: Any, target: Type, mapping: str, place: str) -> Any:
    if values.offset:
        # A slice of a longer array has children with other offsets.
        values = pa.concat_arrays([values, values[:0]])
    missing = values.is_null() if values.null_count else None
    if isinstance(target, Struct) and pa.types.is_struct(values.type):
        parts = [_part(values, part, mapping, f"{place}.{part.name}") for part in target.fields]
        if not parts:
            return pa.nulls(len(values), arrow_type(target))
        fields = [pa.field(part.name, arrow_type(part.type)) for part in target.fields]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=missing)
    if isinstance(target, Array) and (
        pa.types.is_list(values.type) or pa.types.is_large_list(values.type)
    ):
        elements = conform(values.values, target.element, mapping, f"{place}.element")
        array = pa.ListArray.from_arrays(values.offsets.cast(pa.int32()), elements, mask=missing)
        return array.cast(arrow_type(target))
    if isinstance(target, Map) and pa.types.is_map(values.type):
        keys = conform(values.keys, target.key, mapping, f"{place}.key")
        items = conform(values.items, target.value, mapping, f"{place}.value")
        return pa.MapArray.from_arrays(values.offsets, keys, items, mask=missing).cast(
            arrow_type(target)
        )
    raise _unfit(values, target, place)


def _part(values: Any, part: Field, mapping: str, place: str) -> Any:
    name = name_in_file(
        [values.type.field(number) for number in range(values.type.num_fields)], part, mapping
    )
    if name is None:
        return pa.nulls(len(values), arrow_type(part.type))
    return conform(values.field(name), part.type, mapping, place)


def _primitive(values: Any, target: Primitive, kind: Any, place: str) -> Any:
    if pa.types.is_null(values.type):
        return pa.nulls(len(values), kind)
    if pa.types.is_timestamp(values.type) and target.name in {"timestamp", "timestamp_ntz"}:
        if target.name == "timestamp" and values.type.tz is None:
            # Moments without a zone are in UTC: that is how old writers wrote them.
            return values.cast(pa.timestamp("us")).cast(kind)
        if (target.name == "timestamp") == (values.type.tz is not None):
            return values.cast(kind)
    elif _is_wider(values.type, target):
        return values.cast(kind)
    raise _unfit(values, target, place)


def _is_wider(narrow: Any, target: Primitive) -> bool:
    """Return whether every value of a type of Arrow is one of a type of Delta."""
    kinds = pa.types
    name = target.name
    if kinds.is_signed_integer(narrow):
        bits = _INTEGERS.get(name, 32 if name == "double" else 0)
        if name == "decimal":
            return bool(target.precision - target.scale >= _DIGITS[narrow.bit_width])
        return bool(narrow.bit_width <= bits)
    if kinds.is_decimal(narrow):
        whole = narrow.precision - narrow.scale
        return bool(
            name == "decimal"
            and narrow.scale <= target.scale
            and whole <= target.precision - target.scale
        )
    if kinds.is_date(narrow):
        return name in {"date", "timestamp_ntz"}
    if name in {"string", "binary"}:
        # Texts whose file does not say that they are texts are checked when they are cast.
        return bool(kinds.is_binary(narrow) or kinds.is_string(narrow) or _is_long_text(narrow))
    return bool(kinds.is_float32(narrow) or kinds.is_float16(narrow)) and name in {
        "float",
        "double",
    }


def _is_long_text(kind: Any) -> bool:
    kinds = pa.types
    return bool(
        kinds.is_large_string(kind)
        or kinds.is_large_binary(kind)
        or kinds.is_fixed_size_binary(kind)
        or kinds.is_string_view(kind)
        or kinds.is_binary_view(kind)
    )


def _unfit(values: Any, target: Type, place: str) -> ValueError:
    return ValueError(
        f"column {place} is {values.type} in the file, and {target} in the schema of the table"
    )
