"""Bucket numbers of values: 32-bit Murmur3 over the bytes that the table format defines for each
type.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lakepact.reference_server.iceberg_rest.scan_planning.values import EXACTLY, MOMENTS
from lakepact.reference_server.iceberg_rest.tables.types import name_of, primitive

_MASK = 0xFFFFFFFF


def murmur3(data: bytes) -> int:
    """Return the 32-bit hash with seed 0, as an unsigned number."""
    digest = 0
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        digest ^= _mix(int.from_bytes(data[at : at + 4], "little"))
        digest = (_rotate(digest, 13) * 5 + 0xE6546B64) & _MASK
    if len(data) > whole:
        digest ^= _mix(int.from_bytes(data[whole:], "little"))
    digest ^= len(data)
    digest = ((digest ^ (digest >> 16)) * 0x85EBCA6B) & _MASK
    digest = ((digest ^ (digest >> 13)) * 0xC2B2AE35) & _MASK
    return digest ^ (digest >> 16)


def bucket(value: Any, column_type: Any, buckets: int) -> int | None:
    """Return the bucket of a value that is not null; None if no value of the type is it, or it is
    not known.
    """
    kind = name_of(column_type)
    data = _bytes(value, kind, column_type)
    return None if data is None else (murmur3(data) & 0x7FFFFFFF) % buckets


def _bytes(value: Any, kind: str, column_type: Any) -> bytes | None:
    if isinstance(value, Decimal):
        return _decimal(value, column_type)
    if kind in {"timestamp_ns", "timestamptz_ns"}:
        value //= 1000
    if isinstance(value, int) and (kind in {"int", "long", "date", "time"} or kind in MOMENTS):
        return value.to_bytes(8, "little", signed=True) if -(2**63) <= value < 2**63 else None
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, bytes) else None


def _decimal(value: Decimal, column_type: Any) -> bytes | None:
    decimal_type = primitive(column_type)
    digits = value.scaleb(decimal_type.numbers[1] if decimal_type else 0, EXACTLY)
    if digits != int(digits):
        return None
    number = int(digits)
    return number.to_bytes(
        max(1, (number if number >= 0 else ~number).bit_length() // 8 + 1), "big", signed=True
    )


def _mix(block: int) -> int:
    return (_rotate((block * 0xCC9E2D51) & _MASK, 15) * 0x1B873593) & _MASK


def _rotate(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & _MASK
