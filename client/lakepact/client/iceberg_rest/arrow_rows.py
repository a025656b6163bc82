"""Rows of pandas, polars, DuckDB and Arrow as a table of Iceberg takes them: no value is changed, and what does not fit is an error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io.pyarrow import schema_to_pyarrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyiceberg.schema import Schema

_T = pa.types
#: Types by kind: values of one kind are converted into each other where that loses nothing.
_KINDS: dict[str, tuple[Callable[[pa.DataType], bool], ...]] = {
    "number": (_T.is_integer, _T.is_floating),
    "decimal": (_T.is_decimal,),
    "text": (_T.is_string, _T.is_large_string, _T.is_string_view),
    "bytes": (_T.is_binary, _T.is_large_binary, _T.is_binary_view, _T.is_fixed_size_binary),
    "date": (_T.is_date,),
    "time": (_T.is_time,),
    "list": (_T.is_list, _T.is_large_list, _T.is_fixed_size_list),
    "struct": (_T.is_struct,),
    "map": (_T.is_map,),
}
#: Types that are written as they are, whatever the size of their offsets.
_OFFSETS = frozenset({"string", "large_string", "binary", "large_binary"})


def arrow_rows(rows: Any, schema: Schema) -> pa.Table | pa.RecordBatchReader:
    """Return rows with the types of a table: a `RecordBatchReader` as a stream, all others as a table of Arrow.

    Raises:
        TypeError: The rows are of a kind without columns.
        ValueError: A column is missing, is not one of the table, or has values that the table cannot hold.
    """
    if isinstance(rows, pa.RecordBatchReader):
        target = _target(rows.schema, schema)
        return pa.RecordBatchReader.from_batches(target, _batches(rows, target))
    table = _table(rows)
    target = _target(table.schema, schema)
    return pa.table(_columns(table, target), schema=target)


def _batches(stream: pa.RecordBatchReader, target: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in stream:
        yield pa.record_batch(_columns(batch, target), schema=target)


def _table(rows: Any) -> pa.Table:
    if hasattr(rows, "index") and hasattr(rows, "columns"):
        return _without_index(rows)
    try:
        # A stream of polars has views, which pyiceberg cannot join.
        return rows.to_arrow() if hasattr(rows, "to_arrow") else pa.table(rows)
    except (TypeError, ValueError) as unfit:
        kind = type(rows).__name__
        message = f"expected a table of Arrow, a frame, or columns by name; given {kind}: {unfit}"
        raise TypeError(message) from unfit


def _without_index(frame: Any) -> pa.Table:
    """Return a frame of pandas without its index, unless the index may be data."""
    index = frame.index
    if index.names != [None] or index.dtype.kind not in "iu":
        names = json.dumps([None if name is None else str(name) for name in index.names])
        raise ValueError(
            f"the frame has the index {names}, which a table has no place for: reset_index() makes columns of it,"
            " reset_index(drop=True) drops it"
        )
    return pa.Table.from_pandas(frame, preserve_index=False)


def _target(given: pa.Schema, schema: Schema) -> pa.Schema:
    """Return the columns of the rows with types of the table."""
    own = schema_to_pyarrow(schema, include_field_ids=False)
    required = {field.name for field in schema.fields if field.required}
    check_names(given, schema)
    return pa.schema(
        own.field(name).with_nullable(name not in required)
        if _differs(given.field(name), own.field(name).with_nullable(True))
        else given.field(name).with_nullable(name not in required)
        for name in given.names
    )


def check_names(given: pa.Schema, schema: Schema) -> None:
    """Check that rows have the columns of a table.

    Raises:
        ValueError: A column is missing, is not one of the table, or is there twice.
    """
    own = [field.name for field in schema.fields]
    if unknown := [name for name in given.names if name not in own]:
        raise ValueError(
            f"the table has no column {json.dumps(unknown[0])}: leave it out of the rows, or add it"
            " with change(table).union_by_name(rows.schema)"
        )
    required = {field.name for field in schema.fields if field.required}
    absent = {field.name for field in schema.fields if field.write_default is None} & required
    if missing := sorted(absent - set(given.names)):
        raise ValueError(
            f"the rows have no column {json.dumps(missing[0])}, which the table requires"
        )
    if len(set(given.names)) < len(given.names):
        raise ValueError(f"two columns of the rows have one name: {json.dumps(given.names)}")


def _columns(rows: Any, target: pa.Schema) -> list[Any]:
    return [_column(column, field) for column, field in zip(rows.columns, target, strict=True)]


def _column(column: Any, field: Any) -> Any:
    """Return a column with the type of a field.

    Raises:
        ValueError: Values would be lost, or the field is required and some rows have none.
    """
    name = json.dumps(field.name)
    if not field.nullable and column.null_count:
        raise ValueError(f"the column {name} is required, and {column.null_count} rows have none")
    given = column.type
    if given == field.type:
        return column
    if _T.is_dictionary(given):
        column = column.cast(given.value_type)
    converted, reason = _conversion(column, field.type)
    if reason:
        raise ValueError(
            f"the column {name} is {given} in the rows and {field.type} in the table: {reason}"
        )
    return converted


def _conversion(column: Any, type_: Any) -> tuple[Any, str]:
    """Return a column with another type, or why it cannot have that."""
    if not _is_convertible(column.type, type_):
        return column, "one kind is not converted into the other"
    try:
        if _T.is_integer(column.type) and _T.is_decimal(type_):  # Arrow wants room for any integer
            column = column.cast(pa.decimal128(38, type_.scale))
        converted = column.cast(type_)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as unfit:
        return column, str(unfit)
    if _T.is_floating(type_) and _is_rounded(column, converted.cast(column.type)):
        return column, "a number would be rounded"
    return converted, ""


def _is_rounded(before: Any, after: Any) -> bool:
    return bool(pc.any(pc.and_(pc.is_finite(before), pc.not_equal(before, after))).as_py())


def _kind(type_: Any) -> str:
    if _T.is_timestamp(type_):
        return "timestamp" if type_.tz is None else "time with a zone"
    if str(type_) == "extension<arrow.uuid>":
        return "bytes"
    kinds = (kind for kind, tests in _KINDS.items() if any(test(type_) for test in tests))
    return next(kinds, str(type_))


def _members(type_: Any) -> dict[str, Any]:
    """Return the fields of a nested type by name or role."""
    match _kind(type_):
        case "list":
            return {"element": type_.value_field}
        case "map":
            return {"key": type_.key_field, "value": type_.item_field}
        case "struct":
            return {field.name: field for field in type_}
        case _:
            return {}


def _differs(given: Any, own: Any) -> bool:
    """Return whether a column of the rows is to be converted before it is written."""
    if given.nullable and not own.nullable:
        return True
    members, others = _members(given.type), _members(own.type)
    kind = _kind(given.type)
    if kind != _kind(own.type) or list(members) != list(others):
        return True
    is_alike = bool(members) or {str(given.type), str(own.type)} <= _OFFSETS
    return (not is_alike and given.type != own.type) or any(
        _differs(members[name], others[name]) for name in members
    )


def _is_convertible(given: Any, own: Any) -> bool:
    """Return whether values can have another type and stay the same; the conversion checks each value."""
    if _T.is_null(given) or (_T.is_integer(given) and _T.is_decimal(own)):
        return True
    members, others = _members(given), _members(own)
    return _kind(given) == _kind(own) and all(
        name in others
        and _is_convertible(field.type, others[name].type)
        and not (_T.is_floating(others[name].type) and field.type != others[name].type)
        for name, field in members.items()
    )
