"""Statistics that a checkpoint holds as columns only, as the texts that they were before."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import orjson

Arrow = Any  # pyarrow has no annotations

UNSAID = object()  #: a value that statistics do not have


def texts_of(column: Arrow) -> list[str | None]:
    """Return the statistics of files as texts, None where there are none."""
    return [None if row is UNSAID or not row else dump(row) for row in rows(column)]


def dump(row: Any) -> str | None:
    """Return a document as text, None if it cannot be one."""
    try:
        return orjson.dumps(row, default=number).decode()
    except (orjson.JSONEncodeError, UnicodeEncodeError):
        return None


def number(value: Any) -> Any:
    """Return a decimal as the number that it is."""
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(format(value, "f"))
    raise TypeError


def rows(column: Arrow) -> list[Any]:
    """Return the values of a column, of all its members if it is a struct; those that are null or
    have no text are left out.
    """
    import pyarrow as pa  # noqa: PLC0415 a column has loaded it

    if pa.types.is_struct(column.type):
        names = [field.name for field in column.type]
        members = [rows(column.field(index)) for index in range(len(names))]
        documents = [
            {name: value for name, value in zip(names, values, strict=True) if value is not UNSAID}
            for values in zip(*members, strict=True)
        ]
        return [
            row if valid else UNSAID
            for row, valid in zip(documents, column.is_valid().to_pylist(), strict=True)
        ]
    write = writer(column.type)
    return [
        UNSAID if value is None or (text := write(value)) is None else text
        for value in column.to_pylist()
    ]


def writer(kind: Arrow) -> Callable[[Any], Any]:
    """Return how values of a type stand in statistics; None for those that do not."""
    import pyarrow as pa  # noqa: PLC0415 a type has loaded it

    if pa.types.is_floating(kind):
        return lambda value: value if math.isfinite(value) else None
    if pa.types.is_timestamp(kind):
        zone = "Z" if kind.tz else ""
        return lambda value: (
            f"{value.replace(tzinfo=None).isoformat(timespec='microseconds')}{zone}"
        )
    if pa.types.is_date(kind):
        return dt.date.isoformat
    if (
        pa.types.is_integer(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    ):
        return lambda value: value
    return lambda _: None
