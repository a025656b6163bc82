"""Idempotency keys as clients make them."""

from __future__ import annotations

import secrets
import time
import uuid


def new_key() -> str:
    """Return a UUID of version 7 as RFC 9562 lays it out: milliseconds since 1970, version,
    variant, and bits drawn at random.
    """
    milliseconds = int(time.time() * 1000) & 0xFFFFFFFFFFFF
    drawn = secrets.randbits(74)
    number = (
        milliseconds << 80
        | 0x7 << 76
        | (drawn >> 62) << 64
        | 0b10 << 62
        | drawn & 0x3FFFFFFFFFFFFFFF
    )
    return str(uuid.UUID(int=number))
