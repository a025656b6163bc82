"""Authentication: bearer tokens of recipients."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lakepact.reference_server.delta_sharing.shares import Recipient
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.http.service import Scope

HOST = re.compile(rb"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
MISSING = 'Bearer realm="Delta Sharing"'
WRONG = 'Bearer realm="Delta Sharing", error="invalid_token"'


@dataclass(frozen=True, slots=True)
class Caller:
    """The recipient that sent a request, and the address it used.

    Args:
        recipient: the recipient.
        base: the address of the protocol as the request spelled it, without a trailing slash.
    """

    recipient: Recipient
    base: str


class Recipients:
    """The callers by their bearer tokens.

    Tokens are compared by digests under a key of the server's own: how long that takes says nothing
    about any token.

    Args:
        recipients: all that there are.
        root: the path that the protocol is served below.
        rules: the decisions about callers.
    """

    def __init__(self, recipients: Iterable[Recipient], *, root: str, rules: Rules) -> None:
        self._key = secrets.token_bytes(32)
        self._known = {
            self._digest(recipient.bearer_token.encode()): recipient for recipient in recipients
        }
        self._root = root
        self._rules = rules

    def caller(self, scope: Scope) -> Caller:
        """Return the caller of a request.

        Raises:
            Problem: 401, the token is missing or unknown.
        """
        token = self._rules.bearer_token(scope["headers"])
        recipient = self._rules.recipient(self._known, self._digest(token))
        self._rules.token_holds(recipient, datetime.now(UTC))
        return Caller(recipient, f"{scope['scheme']}://{_host(scope)}{self._root}")

    def _digest(self, token: bytes) -> bytes:
        return hashlib.blake2b(token, key=self._key, digest_size=32).digest()


def profiles(recipients: Iterable[Recipient], address: str) -> dict[str, bytes]:
    """Return the profile file of each recipient, by its name.

    Args:
        recipients: all that there are.
        address: the base address at which they find the server.
    """
    return {
        f"{recipient.name}.share": _profile(recipient, f"{address}/") for recipient in recipients
    }


def _profile(recipient: Recipient, endpoint: str) -> bytes:
    profile: dict[str, Any] = {
        "shareCredentialsVersion": 1,
        "endpoint": endpoint,
        "bearerToken": recipient.bearer_token,
    }
    if recipient.expires is not None:
        profile["expirationTime"] = (
            f"{recipient.expires:%Y-%m-%dT%H:%M:%S}.{recipient.expires.microsecond // 1000:03}Z"
        )
    return json.dumps(profile, indent=2).encode() + b"\n"


def bearer_token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the bearer token that a request carries.

    Raises:
        Problem: it carries none.
    """
    values = [value for name, value in headers if name == b"authorization"]
    if not values:
        raise login_refusal(
            "the request carries no bearer token; send the header Authorization: Bearer <token>",
            MISSING,
        )
    if len(values) > 1:
        raise login_refusal("the request has several Authorization headers; send one", MISSING)
    scheme, _, token = values[0].strip().partition(b" ")
    if scheme.lower() != b"bearer" or not token.strip():
        raise login_refusal("the Authorization header is not Bearer <token>", MISSING)
    return token.strip()


def recipient_of(recipients: Mapping[bytes, Recipient], digest: bytes) -> Recipient:
    """Return the recipient whose token has a digest.

    Raises:
        Problem: there is none.
    """
    try:
        return recipients[digest]
    except KeyError:
        raise login_refusal("the bearer token is not one of this server", WRONG) from None


def token_holds(recipient: Recipient, now: datetime) -> None:
    """Check that the token of a recipient has not expired.

    Raises:
        Problem: 401, it has expired.
    """
    if recipient.expires is not None and recipient.expires <= now:
        raise login_refusal(
            f"the bearer token has ended at {recipient.expires:%Y-%m-%dT%H:%M:%SZ}; ask for a new"
            " profile",
            WRONG,
        )


def login_refusal(message: str, challenge: str) -> Problem:
    """Return the refusal of a caller who is not known."""
    return Problem(401, "UNAUTHENTICATED", message, headers=(("www-authenticate", challenge),))


def _host(scope: Scope) -> str:
    """Host and port as the request spelled them, or as the server knows itself where it did not."""
    for name, value in scope["headers"]:
        if name == b"host" and HOST.fullmatch(value):
            return str(value, "ascii")
    host, port = scope["server"]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Rules(ServiceRules):
    """Decisions about callers that a fault may replace."""

    bearer_token = staticmethod(bearer_token)
    recipient = staticmethod(recipient_of)
    token_holds = staticmethod(token_holds)
