"""Access tokens that this server issues: their claims, sealed under a key that ends with the
process.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

PREFIX = "lakepact."  #: tells issued tokens from others, for people and for scanners of secrets


@dataclass(frozen=True, slots=True)
class Claims:
    """The content of a token.

    Args:
        principal: the name of its principal.
        scope: its scope.
        expires: its expiry.
        auth_time: when the principal authenticated; an exchanged token keeps the time of the
            token before it.
        actor: the name of the principal that acts for it, if any.
    """

    principal: str
    scope: str
    expires: datetime
    auth_time: datetime
    actor: str | None = None


class Tokens:
    """Seals and reads tokens; nothing is kept, and no other process can read or make them."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def issue(self, claims: Claims) -> str:
        """Return a new token, different from every other."""
        times = [int(moment.timestamp() * 1000) for moment in (claims.expires, claims.auth_time)]
        members = [claims.principal, claims.scope, *times, claims.actor, secrets.token_hex(8)]
        text = _text(json.dumps(members, separators=(",", ":")).encode())
        return f"{PREFIX}{text}.{_text(self._seal(text))}"

    def read(self, token: bytes) -> Claims | None:
        """Return the content of a token, also of an expired one; `None` if it was not issued
        here.
        """
        plain = token.decode("latin-1")
        text, _, seal = plain.removeprefix(PREFIX).rpartition(".")
        if not plain.startswith(PREFIX) or not hmac.compare_digest(self._seal(text), _bytes(seal)):
            return None
        principal, scope, expires, auth_time, actor, _ = json.loads(_bytes(text))
        return Claims(principal, scope, _moment(expires), _moment(auth_time), actor)

    def _seal(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode(), hashlib.sha256)


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    """Return the value of an encoded text; `None` if it is not encoded as by `_text`."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        return b""
    return raw if _text(raw) == text else b""
