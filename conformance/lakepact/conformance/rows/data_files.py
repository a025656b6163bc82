"""Reads the rows of shared files: parquet, partition values, deletion vectors, columns by name or
id.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lakepact.conformance.evidence.arrow import Schema, Table, pa
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect
from lakepact.formats.limits import DECODED, Limit

from . import deletion_vectors, values
from .lines import Answer, SharedFile

Row = dict[str, Any]
LIMIT = Limit(DECODED, "no setting")
ID, PHYSICAL = "delta.columnMapping.id", "delta.columnMapping.physicalName"


def rows(
    answer: Answer,
    fetch: Callable[[SharedFile, str], bytes],
    files: Iterable[SharedFile] | None = None,
) -> list[Row]:
    """Return the rows of the files of an answer, in the columns of its metadata.

    Args:
        answer: what the target sent.
        fetch: gets what stands at a URL, for a file.
        files: only these of its files.

    Raises:
        Unmet: something cannot be read.
    """
    return [
        row
        for file in (answer.files if files is None else files)
        for row in rows_of(answer, file, fetch)
    ]


def rows_of(
    answer: Answer,
    file: SharedFile,
    fetch: Callable[[SharedFile, str], bytes],
    *,
    further: tuple[str, ...] = (),
) -> list[Row]:
    """Return the rows of one file that are not gone, in the columns of the answer's metadata and in
    `further` ones of the file.

    Raises:
        Unmet: something cannot be read.
    """
    stored = stored_table(fetch(file, file.url))
    columns = [f for f in answer.fields if f["name"] not in answer.partition_columns]
    partition = {
        f["name"]: partition_value(answer, file, f)
        for f in answer.fields
        if f["name"] in answer.partition_columns
    }
    arrays = {f["name"]: _column(f, stored, answer.mapping) for f in columns}
    arrays |= {
        name: _values(stored.column(name), {"type": "string"}, "none")
        if name in stored.column_names
        else None
        for name in further
    }
    absent = (
        deletion_vectors.rows_of_vector(file.vector, lambda url: fetch(file, url))
        if file.vector
        else ()
    )
    count = stored.num_rows
    names = [f["name"] for f in answer.fields]
    read = []
    for n in range(count):
        if n in absent:
            continue
        row = {
            name: partition[name] if name in partition else _at(arrays[name], n) for name in names
        }
        read.append(row | {name: _at(arrays[name], n) for name in further})
    return read


def partition_value(answer: Answer, file: SharedFile, field: Mapping[str, Any]) -> Any:
    """Return the value of a partition column of a file.

    Raises:
        Unmet: there is none, or it is none of the column's type.
    """
    name = physical_name(field) if answer.mapping != "none" else field["name"]
    if name not in file.partition_values:
        expected = f"a partition value of {name}"
        actual = f"values of {', '.join(file.partition_values) or 'nothing'}"
        raise expect.unmet(
            expected, actual, at=file.place("partitionValues", name), kind=Kind.MISSING
        )
    return values.value_of(
        file.partition_values[name], field["type"], at=file.place("partitionValues", name)
    )


def physical_name(field: Mapping[str, Any]) -> str:
    """Return the name of a column in data files and logs, where columns are mapped."""
    name: str = (field.get("metadata") or {}).get(PHYSICAL, field["name"])
    return name


def _at(column: list[Any] | None, n: int) -> Any:
    return None if column is None else column[n]


def stored_table(content: bytes) -> Table:
    """Return the content of a data file, as stored.

    Raises:
        Unmet: it is not a Parquet file.
    """
    from lakepact.formats.parquet import BoundedParquet, size_of  # noqa: PLC0415 - suites are listed without pyarrow

    try:
        file = BoundedParquet(pa.BufferReader(content), LIMIT)
        tables, size = [file.schema_arrow.empty_table()], 0
        for table in file.tables(file.schema_arrow.names):
            tables.append(table)
            size += size_of(table)
            LIMIT.check(size)
        return pa.concat_tables(tables)
    except (ValueError, OSError) as broken:
        raise Unmet(
            "a parquet file",
            f"{len(content)} bytes starting with {expect.excerpt(content[:8])}: {broken}",
        ) from broken


def _column(field: Mapping[str, Any], stored: Any, mapping: str) -> list[Any] | None:
    """Return the values of a column, or None if the file has no such column: it is null then."""
    index = _place(field, stored.schema, mapping)
    return None if index is None else _values(stored.column(index), field, mapping)


def _place(field: Mapping[str, Any], schema: Schema, mapping: str) -> int | None:
    name_in_file = physical_name(field) if mapping != "none" else field["name"]
    if mapping == "id":
        number = str((field.get("metadata") or {}).get(ID)).encode()
        for n in range(len(schema)):
            if (schema.field(n).metadata or {}).get(b"PARQUET:field_id") == number:
                return n
        return None
    indexes = [n for n, name in enumerate(schema.names) if name == name_in_file] or [
        n for n, name in enumerate(schema.names) if name.lower() == name_in_file.lower()
    ]
    return indexes[0] if indexes else None


def _values(column: Any, field: Mapping[str, Any], mapping: str) -> list[Any]:
    return [_value(value, field["type"], mapping) for value in column.to_pylist()]


def _value(value: Any, kind: Any, mapping: str) -> Any:
    if value is None:
        return None
    if isinstance(kind, dict):
        return _nested(value, kind, mapping)
    if kind == "timestamp" and isinstance(value, dt.datetime):
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)
    return value


def _nested(value: Any, kind: dict[str, Any], mapping: str) -> Any:
    if kind.get("type") == "struct" and isinstance(value, dict):
        names = {
            field["name"]: physical_name(field) if mapping != "none" else field["name"]
            for field in kind["fields"]
        }
        return {
            field["name"]: _value(value.get(names[field["name"]]), field["type"], mapping)
            for field in kind["fields"]
        }
    if kind.get("type") == "array" and isinstance(value, list):
        return [_value(item, kind["elementType"], mapping) for item in value]
    if kind.get("type") == "map" and isinstance(value, list):
        return [
            (_value(key, kind["keyType"], mapping), _value(item, kind["valueType"], mapping))
            for key, item in value
        ]
    raise Unmet(f"values of type {kind.get('type')}", repr(value)[:200])
