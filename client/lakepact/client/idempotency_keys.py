"""Idempotency keys: a server recognises a repeated request by its key."""

from __future__ import annotations

import secrets
import time
import uuid


def new_key() -> str:
    """Return a UUID of version 7 (RFC 9562): milliseconds since 1970, and 74 bits drawn at
    random.
    """
    bits = secrets.randbits(74)
    return str(
        uuid.UUID(
            int=(time.time_ns() // 1_000_000) << 80
            | 7 << 76
            | (bits >> 62) << 64
            | 2 << 62
            | bits & (1 << 62) - 1
        )
    )
