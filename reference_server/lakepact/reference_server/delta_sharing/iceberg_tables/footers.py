"""Parquet files looked into: whether reading them by the names of columns gives the columns of the
table.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from lakepact.reference_server.delta_sharing.iceberg_tables.schemas import DECIMAL
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog, UnsupportedTable

Document = Mapping[str, Any]

FIELD_ID = b"PARQUET:field_id"


def check_footer(
    file: Path, schema: Document, *, but: Collection[str], required: Collection[str]
) -> None:
    """Refuse a file whose columns are not, name by name, those of the table.

    Args:
        file: the file.
        schema: the schema of the table.
        but: columns that are read from partition values.
        required: columns that the file has to hold.

    Raises:
        UnsupportedTable: its columns are others.
        DamagedLog: it cannot be read.
    """
    import pyarrow as pa  # noqa: PLC0415 - most servers share no Iceberg table
    import pyarrow.parquet as pq  # noqa: PLC0415

    if os.path.realpath(file) != str(file):
        raise UnsupportedTable(
            f"the data file {file.name!r} is reached by a link"
        )  # a message could tell of another table's columns
    try:
        file_schema = pq.read_schema(file)
    except (OSError, pa.ArrowException) as error:
        raise DamagedLog(
            f"the data file {file.name!r} cannot be read ({type(error).__name__})"
        ) from None
    if not any(FIELD_ID in (field.metadata or {}) for field in file_schema):
        raise UnsupportedTable(
            f"the data file {file.name!r} has no field ids, so its columns are not certain to be"
            " those of the table"
        )
    missing = set(required) - set(file_schema.names)
    if missing:
        raise UnsupportedTable(
            f"the data file {file.name!r} does not hold the column {min(missing)!r}, only its"
            " partition does"
        )
    _check_fields(
        [field for field in schema["fields"] if field["name"] not in but],
        list(file_schema),
        file.name,
    )


def _check_fields(fields: Iterable[Document], file_fields: list[Any], file: str) -> None:
    by_id = {
        int(field.metadata[FIELD_ID]): field
        for field in file_fields
        if FIELD_ID in (field.metadata or {})
    }
    by_name = {field.name: field for field in file_fields}
    for field in fields:
        name = field["name"]
        column = by_id.get(field["id"])
        if column is None:
            if name in by_name:
                raise UnsupportedTable(
                    f"{name!r} is another column in the data file {file!r}; rewrite that file to"
                    " share the table"
                )
            continue
        if column.name != name:
            raise UnsupportedTable(
                f"{name!r} is called {column.name!r} in the data file {file!r}; rewrite that file"
                " to share the table"
            )
        _check_type(field["type"], column.type, f"{name!r} in the data file {file!r}", file)


def _check_type(type_: Any, file_type: Any, what: str, file: str) -> None:
    import pyarrow as pa  # noqa: PLC0415

    kind: str = type_["type"] if isinstance(type_, dict) else type_
    if isinstance(type_, dict) and kind == "struct" and pa.types.is_struct(file_type):
        _check_fields(
            type_["fields"], [file_type.field(n) for n in range(file_type.num_fields)], file
        )
    elif (
        isinstance(type_, dict)
        and kind == "list"
        and (pa.types.is_list(file_type) or pa.types.is_large_list(file_type))
    ):
        _check_type(type_["element"], file_type.value_type, what, file)
    elif isinstance(type_, dict) and kind == "map" and pa.types.is_map(file_type):
        _check_type(type_["key"], file_type.key_type, what, file)
        _check_type(type_["value"], file_type.item_type, what, file)
    elif str(file_type) not in _spellings(kind):
        raise UnsupportedTable(
            f"{what} is {file_type}, while the table has {kind}; rewrite that file to share the table"
        )


def _spellings(kind: str) -> frozenset[str]:
    decimal = DECIMAL.fullmatch(kind)
    return (
        frozenset({f"decimal128({decimal[1]}, {decimal[2]})"})
        if decimal
        else _ARROW.get(kind, frozenset())
    )


_ARROW = {
    "boolean": frozenset({"bool"}),
    "int": frozenset({"int32"}),
    "long": frozenset({"int64"}),
    "float": frozenset({"float"}),
    "double": frozenset({"double"}),
    "date": frozenset({"date32[day]"}),
    "timestamp": frozenset({"timestamp[us]", "timestamp[ms]", "timestamp[ns]"}),
    "timestamptz": frozenset(
        {"timestamp[us, tz=UTC]", "timestamp[ms, tz=UTC]", "timestamp[ns, tz=UTC]"}
    ),
    "string": frozenset({"string", "large_string"}),
    "binary": frozenset({"binary", "large_binary"}),
}
