"""Columns as they stand in a file, made into what the table's schema says of them.

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
        wanted = str(column.mapped_id).encode() if column.mapped_id is not None else None
        return next(
            (
                field.name
                for field in fields
                if wanted and (field.metadata or {}).get(_FIELD_ID) == wanted
            ),
            None,
        )
    physical = column.physical_name(mapping)
    return physical if any(field.name == physical for field in fields) else None


def conformed(values: Any, wanted: Type, mapping: str, place: str) -> Any:
    """Return an array, or a chunked one, in the type that the schema says.

    Raises:
        ValueError: It is of a type that does not fit.
    """
    kind = arrow_type(wanted)
    if values.type.equals(kind):
        return values
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array(
            [conformed(chunk, wanted, mapping, place) for chunk in values.chunks], kind
        )
    if pa.types.is_dictionary(values.type):
        return conformed(values.dictionary_decode(), wanted, mapping, place)
    if isinstance(wanted, Primitive):
        return _primitive(values, wanted, kind, place)
    return _nested(values, wanted, mapping, place)


def _nested(values: Any, wanted: Type, mapping: str, place: str) -> Any:
    if values.offset:
        # A slice of a longer array has children with other offsets.
        values = pa.concat_arrays([values, values[:0]])
    missing = values.is_null() if values.null_count else None
    if isinstance(wanted, Struct) and pa.types.is_struct(values.type):
        parts = [_part(values, part, mapping, f"{place}.{part.name}") for part in wanted.fields]
        if not parts:
            return pa.nulls(len(values), arrow_type(wanted))
        fields = [pa.field(part.name, arrow_type(part.type)) for part in wanted.fields]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=missing)
    if isinstance(wanted, Array) and (
        pa.types.is_list(values.type) or pa.types.is_large_list(values.type)
    ):
        elements = conformed(values.values, wanted.element, mapping, f"{place}.element")
        made = pa.ListArray.from_arrays(values.offsets.cast(pa.int32()), elements, mask=missing)
        return made.cast(arrow_type(wanted))
    if isinstance(wanted, Map) and pa.types.is_map(values.type):
        keys = conformed(values.keys, wanted.key, mapping, f"{place}.key")
        items = conformed(values.items, wanted.value, mapping, f"{place}.value")
        return pa.MapArray.from_arrays(values.offsets, keys, items, mask=missing).cast(
            arrow_type(wanted)
        )
    raise _unfit(values, wanted, place)


def _part(values: Any, part: Field, mapping: str, place: str) -> Any:
    name = name_in_file(
        [values.type.field(number) for number in range(values.type.num_fields)], part, mapping
    )
    if name is None:
        return pa.nulls(len(values), arrow_type(part.type))
    return conformed(values.field(name), part.type, mapping, place)


def _primitive(values: Any, wanted: Primitive, kind: Any, place: str) -> Any:
    if pa.types.is_null(values.type):
        return pa.nulls(len(values), kind)
    if pa.types.is_timestamp(values.type) and wanted.name in {"timestamp", "timestamp_ntz"}:
        if wanted.name == "timestamp" and values.type.tz is None:
            # Moments without a zone are in UTC: that is how old writers wrote them.
            return values.cast(pa.timestamp("us")).cast(kind)
        if (wanted.name == "timestamp") == (values.type.tz is not None):
            return values.cast(kind)
    elif _is_wider(values.type, wanted):
        return values.cast(kind)
    raise _unfit(values, wanted, place)


def _is_wider(narrow: Any, wanted: Primitive) -> bool:
    """Return whether every value of a type of Arrow is one of a type of Delta."""
    kinds = pa.types
    name = wanted.name
    if kinds.is_signed_integer(narrow):
        bits = _INTEGERS.get(name, 32 if name == "double" else 0)
        if name == "decimal":
            return bool(wanted.precision - wanted.scale >= _DIGITS[narrow.bit_width])
        return bool(narrow.bit_width <= bits)
    if kinds.is_decimal(narrow):
        whole = narrow.precision - narrow.scale
        return bool(
            name == "decimal"
            and narrow.scale <= wanted.scale
            and whole <= wanted.precision - wanted.scale
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


def _unfit(values: Any, wanted: Type, place: str) -> ValueError:
    return ValueError(
        f"column {place} is {values.type} in the file, and {wanted} in the schema of the table"
    )
