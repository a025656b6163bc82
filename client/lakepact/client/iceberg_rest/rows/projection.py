"""Columns of one schema of Iceberg as those of another, by their ids.

A missing column gets its default value or null, and a narrower type is widened. Everything else
that does not fit is an error: no value is changed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types as t
from pyiceberg.conversions import from_json
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyiceberg.types import IcebergType, NestedField

_FIELD_ID = b"PARQUET:field_id"
_KINDS = pa.types


def arrow_schema(schema: Schema, *, has_ids: bool = False) -> Any:
    """Return a schema as Arrow has it, with the ids of fields if files are written."""
    return pa.schema([_field(one, has_ids=has_ids) for one in schema.fields])


def arrow_type(kind: IcebergType, *, has_ids: bool = False) -> Any:
    """Return the type of Arrow; texts, bytes and lists are those with 32-bit offsets."""
    if isinstance(kind, t.StructType):
        return pa.struct([_field(one, has_ids=has_ids) for one in kind.fields])
    if isinstance(kind, t.ListType):
        return pa.list_(_field(kind.element_field, has_ids=has_ids))
    if isinstance(kind, t.MapType):
        key, value = (_field(one, has_ids=has_ids) for one in (kind.key_field, kind.value_field))
        return pa.map_(key, value)
    if isinstance(kind, t.StringType):
        return pa.string()
    result: Any = schema_to_pyarrow(kind)
    return pa.binary() if _KINDS.is_large_binary(result) else result


def _field(one: NestedField, *, has_ids: bool) -> Any:
    metadata = {_FIELD_ID: str(one.field_id)} if has_ids else None
    kind = arrow_type(one.field_type, has_ids=has_ids)
    return pa.field(one.name, kind, nullable=not one.required, metadata=metadata)


@dataclass(frozen=True)
class Projection:
    """The way from batches of one schema to those of another."""

    source: Schema
    result: Schema
    #: Values of columns that the source lacks, by their ids.
    constants: dict[int, Any] = field(default_factory=dict[int, Any])
    #: Whether the rows are written: then zones have to fit, and defaults are those of new rows.
    is_write: bool = False

    @cached_property
    def schema(self) -> Any:
        """The schema of the batches that are returned."""
        return arrow_schema(self.result, has_ids=self.is_write)

    @cached_property
    def _structs(self) -> tuple[t.StructType, t.StructType]:
        return self.source.as_struct(), self.result.as_struct()

    @cached_property
    def _plain_columns(self) -> frozenset[int]:
        """The columns that are read as they are, nested ones too, if Arrow's types are equal."""
        source, result = ({one.field_id: one for one in struct.fields} for struct in self._structs)
        return frozenset(
            number
            for number, one in result.items()
            if not self.is_write
            and number in source
            and source[number].field_type == one.field_type
        )

    def batch(self, rows: Any) -> Any:
        """Return a record batch in the other schema.

        Raises:
            ValueError: A column does not fit.
        """
        source, result = self._structs
        if self.is_write:
            _check_required(rows, source, result, "")
        columns = self._columns(rows.columns, source, result, self.schema, "", count=rows.num_rows)
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _columns(
        self,
        columns: Any,
        source: t.StructType,
        result: t.StructType,
        kinds: Any,
        place: str,
        *,
        count: int,
    ) -> list[Any]:
        places = {one.field_id: number for number, one in enumerate(source.fields)}
        arrays = []
        for one, kind in zip(result.fields, kinds, strict=True):
            number, name = places.get(one.field_id), f"{place}{one.name}"
            if number is None:
                values = self._missing(one, kind.type, count, name)
            else:
                values, kind_read = columns[number], source.fields[number].field_type
                if one.field_id not in self._plain_columns or not values.type.equals(kind.type):
                    values = self._values(values, kind_read, one.field_type, kind.type, name)
            arrays.append(values)
        return arrays

    def _missing(self, one: NestedField, kind: Any, count: int, place: str) -> Any:
        default = one.write_default if self.is_write else one.initial_default
        value = self.constants.get(one.field_id, default)
        if value is None and one.required:
            raise ValueError(f"column {place} is required, and is missing")
        if value is None:
            return pa.nulls(count, kind)
        return self._primitive(
            pa.repeat(scalar(value, one.field_type), count), one.field_type, kind, place
        )

    def _values(
        self, values: Any, source: IcebergType, result: IcebergType, kind: Any, place: str
    ) -> Any:
        if _KINDS.is_dictionary(values.type):
            values = values.dictionary_decode()
        if isinstance(result, t.PrimitiveType):
            return self._primitive(values, result, kind, place)
        if values.offset:
            # A slice of a longer array has children with other offsets.
            values = pa.concat_arrays([values, values[:0]])
        if isinstance(result, t.StructType) and isinstance(source, t.StructType):
            return self._struct(values, source, result, kind, place)
        if isinstance(result, t.ListType) and isinstance(source, t.ListType):
            return self._list(values, source, result, kind, place)
        if isinstance(result, t.MapType) and isinstance(source, t.MapType):
            return self._map(values, source, result, kind, place)
        raise ValueError(f"column {place} is {source}, and {result} in the schema of the table")

    def _struct(
        self,
        values: Any,
        source: t.StructType,
        result: t.StructType,
        kind: Any,
        place: str,
    ) -> Any:
        if self.is_write:
            _check_required(values.drop_null(), source, result, f"{place}.")
        columns = [values.field(number) for number in range(values.type.num_fields)]
        parts = self._columns(columns, source, result, kind, f"{place}.", count=len(values))
        if not parts:
            return pa.nulls(len(values), kind)
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=_nulls(values))

    def _list(
        self, values: Any, source: t.ListType, result: t.ListType, kind: Any, place: str
    ) -> Any:
        if _KINDS.is_fixed_size_list(values.type):
            values = values.cast(pa.list_(values.type.value_field))
        if self.is_write and result.element_required and values.flatten().null_count:
            raise ValueError(f"column {place}.element is required, and has nulls")
        elements = self._values(
            values.values,
            source.element_type,
            result.element_type,
            kind.value_type,
            f"{place}.element",
        )
        return pa.ListArray.from_arrays(
            values.offsets.cast(pa.int32()), elements, type=kind, mask=_nulls(values)
        )

    def _map(self, values: Any, source: t.MapType, result: t.MapType, kind: Any, place: str) -> Any:
        if self.is_write and result.value_required and values.drop_null().items.null_count:
            raise ValueError(f"column {place}.value is required, and has nulls")
        keys = self._values(
            values.keys, source.key_type, result.key_type, kind.key_type, f"{place}.key"
        )
        items = self._values(
            values.items, source.value_type, result.value_type, kind.item_type, f"{place}.value"
        )
        return pa.MapArray.from_arrays(values.offsets, keys, items, type=kind, mask=_nulls(values))

    def _primitive(self, values: Any, result: IcebergType, kind: Any, place: str) -> Any:
        source = values.type
        if source.equals(kind):
            return values
        if _KINDS.is_null(source):
            return pa.nulls(len(values), kind)
        if isinstance(kind, pa.BaseExtensionType) and _KINDS.is_fixed_size_binary(source):
            return pa.ExtensionArray.from_storage(kind, values.cast(kind.storage_type))
        if self.is_write:
            return _convert(values, kind, place)
        if _KINDS.is_timestamp(source) and _KINDS.is_timestamp(kind):
            if source.tz in {None, "UTC", "Etc/UTC", "+00:00", "Z"} or kind.tz is not None:
                # Nanoseconds are cut where the table has none.
                return values.cast(kind, safe=False)
        elif _is_wider(source, kind) or _KINDS.is_date32(source):
            return values.cast(kind)
        raise ValueError(f"column {place} is {source}, and {result} in the schema of the table")


def _nulls(values: Any) -> Any:
    return values.is_null() if values.null_count else None


def _check_required(rows: Any, source: t.StructType, result: t.StructType, place: str) -> None:
    """Check that required columns of a batch, or of an array without nulls, have no nulls.

    Raises:
        ValueError: One has.
    """
    places = {one.field_id: number for number, one in enumerate(source.fields)}
    for one in result.fields:
        number = places.get(one.field_id)
        if one.required and number is not None:
            values = rows.columns[number] if hasattr(rows, "columns") else rows.field(number)
            if values.null_count:
                raise ValueError(
                    f"the column {json.dumps(place + one.name)} is required,"
                    f" and {values.null_count} values are null"
                )


def source_schema(columns: pa.Schema, schema: Schema) -> Schema:
    """Return the columns of a table that rows have, by their names, nested ones too.

    Raises:
        ValueError: The table has another column in place of one of the rows.
    """
    return Schema(*_sources(columns, schema.fields, ""))


def _sources(
    columns: Iterable[Any], fields: tuple[NestedField, ...], place: str
) -> Iterator[NestedField]:
    by_name = {one.name: one for one in fields}
    for column in columns:
        name = f"{place}{column.name}"
        if column.name not in by_name:
            raise ValueError(f"the table has no column {json.dumps(name)}")
        one = by_name[column.name]
        kind = _source(column.type, one.field_type, name)
        yield t.NestedField(one.field_id, one.name, kind, required=one.required)


def _source(kind: Any, own: IcebergType, place: str) -> IcebergType:
    if isinstance(own, t.StructType) and _KINDS.is_struct(kind):
        return t.StructType(*_sources(kind, own.fields, f"{place}."))
    if isinstance(own, t.ListType) and _kind(kind) == "list":
        element = _source(kind.value_type, own.element_type, f"{place}.element")
        return t.ListType(own.element_id, element, own.element_required)
    if isinstance(own, t.MapType) and _KINDS.is_map(kind):
        key = _source(kind.key_type, own.key_type, f"{place}.key")
        value = _source(kind.item_type, own.value_type, f"{place}.value")
        return t.MapType(own.key_id, key, own.value_id, value, own.value_required)
    if isinstance(own, t.PrimitiveType) or _KINDS.is_null(kind):
        return own
    raise _unfit(kind, arrow_type(own), place, "one kind is not converted into the other")


def _unfit(kind: Any, own: Any, place: str, reason: str) -> ValueError:
    return ValueError(
        f"the column {json.dumps(place)} is {kind} in the rows and {own} in the table: {reason}"
    )


def _convert(values: Any, kind: Any, place: str) -> Any:
    """Return values of rows in the type of a table.

    Raises:
        ValueError: Values would be lost, or one kind is not converted into the other.
    """
    source = values.type
    kinds = _kind(source), _kind(kind)
    if kinds[0] != kinds[1] and not (_KINDS.is_integer(source) and _KINDS.is_decimal(kind)):
        raise _unfit(source, kind, place, "one kind is not converted into the other")
    try:
        if kinds[1] == "decimal" and kinds[0] == "number":  # Arrow wants room for any integer
            values = values.cast(pa.decimal128(38, kind.scale))
        if isinstance(kind, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(kind, values.cast(kind.storage_type))
        result = values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _unfit(source, kind, place, str(error)) from error
    if _KINDS.is_floating(kind):
        differs = pc.and_(pc.is_finite(values), pc.not_equal(values, result.cast(source)))
        if pc.any(differs).as_py():
            raise _unfit(source, kind, place, "a number would be rounded")
    return result


def _kind(kind: Any) -> str:
    """Return the kind of a type; values are converted within it where nothing is lost."""
    if _KINDS.is_timestamp(kind):
        return "timestamp" if kind.tz is None else "time with a zone"
    if isinstance(kind, pa.BaseExtensionType):
        return "bytes"
    return next(
        (name for name, tests in _OF_KIND.items() if any(is_(kind) for is_ in tests)), str(kind)
    )


_OF_KIND: dict[str, tuple[Callable[[Any], bool], ...]] = {
    "number": (_KINDS.is_integer, _KINDS.is_floating),
    "decimal": (_KINDS.is_decimal,),
    "text": (_KINDS.is_string, _KINDS.is_large_string, _KINDS.is_string_view),
    "bytes": (
        _KINDS.is_binary,
        _KINDS.is_large_binary,
        _KINDS.is_binary_view,
        _KINDS.is_fixed_size_binary,
    ),
    "date": (_KINDS.is_date,),
    "time": (_KINDS.is_time,),
    "list": (_KINDS.is_list, _KINDS.is_large_list, _KINDS.is_fixed_size_list),
}


def _is_wider(narrow: Any, kind: Any) -> bool:
    """Return whether a cast changes no value of a type."""
    if _kind(narrow) != _kind(kind):
        return False
    if _KINDS.is_decimal(kind):
        return bool(narrow.scale == kind.scale and narrow.precision <= kind.precision)
    if _kind(kind) == "number":
        is_integer = _KINDS.is_integer(kind)
        return bool(_KINDS.is_integer(narrow) == is_integer and narrow.bit_width <= kind.bit_width)
    return True


def scalar(value: Any, kind: Any) -> Any:
    """Return a value, as JSON or the bounds of files have it, as a scalar of Arrow."""
    if isinstance(value, str) and not isinstance(kind, t.StringType):
        value = from_json(kind, value)
    result = arrow_type(kind)
    if isinstance(kind, t.UUIDType):
        return pa.scalar(getattr(value, "bytes", value), pa.binary(16))
    if isinstance(value, int) and not isinstance(value, bool) and _KINDS.is_temporal(result):
        return pa.scalar(value, pa.int32() if _KINDS.is_date(result) else pa.int64()).cast(result)
    return pa.scalar(value, result)
