"""Default values of columns (format version 3), in the JSON form of their types."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable

#: A value that a column may have by default.
DefaultValue: TypeAlias = bool | int | float | Decimal | str | bytes | UUID | date | time | datetime

#: The first format version with default values.
_SINCE = 3
_NUMBERS = re.compile(r"\d+")


def json_default(type_: Any, value: DefaultValue, format_version: int) -> Any:
    """Return a default value as the schema of a table of this format version has it.

    Raises:
        ValueError: The format version has no default values, or the type has no such value.
    """
    if format_version < _SINCE:
        raise ValueError(
            f"default values need format version {_SINCE}, and the table has {format_version}: call"
            f" upgrade_format_version({_SINCE}) before"
        )
    name, _, numbers = (
        type_.partition("(" if "(" in type_ else "[") if isinstance(type_, str) else ("", "", "")
    )
    kinds, form = _FORMS.get(name, ((), None))
    text = (
        form(value, *map(int, _NUMBERS.findall(numbers))) if form and type(value) in kinds else None
    )
    if text is None:
        raise ValueError(
            f"the type {json.dumps(type_, default=str)} has no default value"
            f" {json.dumps(value, default=str)}"
        )
    return text


def _whole(bits: int) -> Callable[[int], int | None]:
    return lambda value: value if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else None


def _real(value: float) -> float | None:
    return (
        float(value) if math.isfinite(value) else None
    )  # Iceberg's own library refuses `1` for a real number


def _decimal(value: Decimal, precision: int, scale: int) -> str | None:
    digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
    fits = (
        isinstance(exponent, int)
        and -exponent <= scale
        and len(digits) + exponent <= precision - scale
    )
    return f"{value:.{scale}f}" if fits else None


def _without_zone(value: time | datetime) -> str | None:
    """Return the text of a time with as few digits as it has, as Iceberg's own library writes
    it.
    """
    text = value.isoformat()
    return None if value.tzinfo else text.rstrip("0") if "." in text else text


def _with_zone(value: datetime) -> str | None:
    return (
        f"{_without_zone(value.astimezone(UTC).replace(tzinfo=None))}+00:00"
        if value.tzinfo
        else None
    )


_FORMS: dict[str, tuple[tuple[type, ...], Callable[..., Any]]] = {
    "boolean": ((bool,), bool),
    "int": ((int,), _whole(32)),
    "long": ((int,), _whole(64)),
    "float": ((int, float), _real),
    "double": ((int, float), _real),
    "decimal": ((Decimal,), _decimal),
    "string": ((str,), str),
    "uuid": ((UUID,), str),
    "date": ((date,), date.isoformat),
    "time": ((time,), _without_zone),
    "timestamp": ((datetime,), _without_zone),
    "timestamptz": ((datetime,), _with_zone),
    "timestamp_ns": ((datetime,), _without_zone),
    "timestamptz_ns": ((datetime,), _with_zone),
    "binary": ((bytes,), bytes.hex),
    "fixed": ((bytes,), lambda value, length: value.hex() if len(value) == length else None),
}
