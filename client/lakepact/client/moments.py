"""Moments that callers name: objects of Python or text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any


def moment(value: datetime | str) -> datetime:
    """Return a moment, which text in ISO 8601 may name.

    Raises:
        ValueError: It is no such text, or has no zone.
        TypeError: It is of another type.
    """
    try:
        result: Any = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        text = json.dumps(value, ensure_ascii=False)
        raise ValueError(
            f"expected a time such as 2026-05-01T12:00:00Z, in ISO 8601: given {text}"
        ) from None
    if not isinstance(result, datetime):
        raise TypeError(f"expected a datetime, or a text in ISO 8601: given {type(value).__name__}")
    if result.tzinfo is None:
        raise ValueError(
            "a time needs a zone, such as datetime.now(UTC) or the Z of 2026-05-01T12:00:00Z"
        )
    time: datetime = result
    return time


def utc(value: datetime) -> str:
    """Return a moment with a zone in ISO 8601 as Delta Sharing has it, in UTC."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
