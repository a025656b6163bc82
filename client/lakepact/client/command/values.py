"""Values of rows, as JSON and as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from lakepact.client.text import json_line

#: The rows that become objects of Python at once, which take far more memory than in Arrow.
_AT_ONCE = 1024


def as_json(value: Any) -> Any:
    """Return the value as it stands in JSON: what JSON has no numbers for is text, bytes are
    hexadecimal, and a map is an object.
    """
    if isinstance(value, dict):
        return {_key(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(member) for member in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return _text(value)


def as_text(value: Any) -> str:
    """Return the value as it stands in a column of text; null is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return json_line(as_json(value)) if isinstance(value, dict | list | tuple) else _text(value)


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of CSV (RFC 4180), in which null is nothing and an empty text is `""`."""
    return ",".join("" if value is None else _csv(as_text(value)) for value in values)


def rows(batch: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a batch or table of Arrow, each by the names of its columns; few of them
    are objects of Python at once.
    """
    names = batch.schema.names
    for start in range(0, batch.num_rows, _AT_ONCE):
        columns = [_values(column) for column in batch.slice(start, _AT_ONCE).columns]
        yield from (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _values(column: Any) -> list[Any]:
    # Nanoseconds do not fit into Python's times.
    if "[ns" in str(column.type) and not column.type.num_fields:
        column = column.cast("string")
    try:
        values: list[Any] = column.to_pylist(maps_as_pydicts="strict")
    except KeyError:
        # A key stands twice in a map, so it is shown as its pairs.
        values = column.to_pylist()
    except (ValueError, OverflowError):
        # Times before the year 1 and after 9999.
        values = column.cast("string").to_pylist()
    return values


def _key(value: Any) -> str:
    return value if isinstance(value, str) else as_text(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _csv(text: str) -> str:
    escape = text.replace('"', '""')
    return f'"{escape}"' if not text or any(character in text for character in ',"\r\n') else text
