"""Sealed tokens that a client keeps: the state of a query, to continue or repeat it on the same
files.

A token is bound to one purpose, one table, one recipient and an expiry time; otherwise it counts as
forged.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import orjson

NOT_OURS = "it was not made for this table and recipient"
_SEAL = 16  # bytes
_WHEN = 8  # bytes of the time until which a token holds


class BadToken(ValueError):
    """A token was not made for this, or no longer holds; the message says which."""


def now() -> int:
    """Return the time in milliseconds."""
    return time.time_ns() // 1_000_000


class Tokens:
    """Seals and opens tokens.

    Args:
        secret: the sealing key; by default random, so that tokens end with the server.
        clock: returns the time in milliseconds.
    """

    def __init__(self, secret: bytes | None = None, *, clock: Callable[[], int] = now) -> None:
        self._secret = secret or secrets.token_bytes(32)
        self._clock = clock

    def seal(
        self, purpose: str, content: Mapping[str, Any], *, bound: tuple[str, ...], lasting: int
    ) -> str:
        """Return a token, of characters that may stand in a URL.

        Args:
            purpose: what it is for.
            content: what it holds.
            bound: what it holds for: the recipient, the table.
            lasting: milliseconds from now for which it holds.
        """
        until = (self._clock() + lasting).to_bytes(_WHEN, "big")
        body = until + zlib.compress(orjson.dumps(content), 9, wbits=-15)
        return _encode(self._seal(purpose, bound, body) + body)

    def open(self, purpose: str, token: str, *, bound: tuple[str, ...]) -> dict[str, Any]:
        """Return the content of a token.

        Raises:
            BadToken: it has another purpose or binding, or has expired.
        """
        raw = _decode(token)
        seal, body = raw[:_SEAL], raw[_SEAL:]
        # Two texts may decode to the same bytes; only the one that was handed out is a token.
        if not hmac.compare_digest(seal, self._seal(purpose, bound, body)) or _encode(raw) != token:
            raise BadToken(NOT_OURS)
        if int.from_bytes(body[:_WHEN], "big") < self._clock():
            raise BadToken("its time is over; ask again without it")
        content: dict[str, Any] = orjson.loads(zlib.decompress(body[_WHEN:], wbits=-15))
        return content

    def _seal(self, purpose: str, bound: tuple[str, ...], body: bytes) -> bytes:
        # Lengths stand before the parts, so that no two bindings spell the same bytes.
        parts = (purpose.encode(), *(part.encode() for part in bound), body)
        content = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.new(self._secret, content, hashlib.sha256).digest()[:_SEAL]


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(token: str) -> bytes:
    try:
        return base64.b64decode(
            token.encode() + b"=" * (-len(token) % 4), altchars=b"-_", validate=True
        )
    except (ValueError, binascii.Error):
        raise BadToken(NOT_OURS) from None
