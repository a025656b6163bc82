"""Authorization by OAuth 2 client credentials (RFC 6749, 4.4): a token is fetched, kept while it lasts, and replaced."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from lakepact.client.auth import Auth, AuthFlow, basic
from lakepact.client.errors import BadReply, ContractClientError, Failure, NotAuthenticated
from lakepact.client.redaction import Redactor, redacted
from lakepact.client.urls import web_address
from lakepact.client.wire import Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATION = "token"
#: Seconds before its end from which a token is no longer used; a short-lived one is used for half of its life.
_MARGIN = 60.0


@dataclass(frozen=True, slots=True)
class _Token:
    value: str = field(repr=False)
    #: When it is replaced, by the clock; None where the server does not say how long it lasts.
    until: float | None


class ClientCredentials(Auth):
    """Sends a token that a token endpoint gives for a client's id and secret.

    The first request fetches it. It is replaced before it runs out, and when the server does not accept it.

    Args:
        token_endpoint: Where tokens are fetched.
        client_id: The client's name there.
        client_secret: Its secret.
        scope: What the token is to be good for; the token endpoint chooses without it.
        clock: What the life of a token is measured by.

    Raises:
        ValueError: `token_endpoint` is not an http(s) address.
    """

    def __init__(
        self,
        token_endpoint: str,
        client_id: str,
        client_secret: str,
        *,
        scope: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        asked = {"grant_type": "client_credentials"} | ({"scope": scope} if scope else {})
        headers = (
            ("Accept", "application/json"),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Authorization", basic(client_id, client_secret)),
        )
        # A second token does no harm, so asking for one counts as reading.
        self._request = Request("POST", web_address(token_endpoint), headers, urlencode(asked).encode(), only_reads=True)
        self._clock = clock
        self._kept: _Token | None = None

    def __repr__(self) -> str:
        return f"ClientCredentials({self._request.url!r}, [hidden])"

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request with a token, after a request for one where there is none; with another token if that was refused.

        Raises:
            NotAuthenticated: The token endpoint does not give a token.
            BadReply: What it gives is none.
        """
        known = self._kept
        if known is None or (known.until is not None and known.until <= self._clock()):
            known = None
            reply = yield self._request
            if _may_pass(reply):
                return
            self._kept = self._token(reply)
        token = known or self._kept
        reply = yield request.with_header("Authorization", f"Bearer {token.value if token else ''}")
        if known is not None and reply.status in {401, 419}:
            reply = yield self._request
            if _may_pass(reply):
                return
            self._kept = token = self._token(reply)
            yield request.with_header("Authorization", f"Bearer {token.value}")

    def _token(self, reply: Reply) -> _Token:
        if not reply.is_success:
            raise self._error(NotAuthenticated, reply, f"the token endpoint {self._request.url} gives no token{_reason(reply)}")
        # Read elsewhere: the frames of an error hold no token.
        found = _read(reply, self._clock())
        if isinstance(found, str):
            raise self._error(BadReply, reply, f"the reply of the token endpoint {self._request.url} {found}")
        return found

    def _error(self, kind: type[ContractClientError], reply: Reply, message: str) -> ContractClientError:
        hidden = Redactor(self._request).text
        exchange = redacted(self._request, reply)
        return kind(Failure(operation=OPERATION, message=hidden(message), status=reply.status, tries=1, exchange=exchange))


def _read(reply: Reply, now: float) -> _Token | str:
    """The token in a reply, or what is wrong with it."""
    document = _members(reply)
    token, kind, life = document.get("access_token"), document.get("token_type", "bearer"), document.get("expires_in")
    if not isinstance(token, str) or not token.isascii() or not token.isprintable() or " " in token or not token:
        return "has no usable access_token"
    if not isinstance(kind, str) or kind.lower() != "bearer":
        return "has a token that is no bearer token"
    if life is None:
        return _Token(token, None)
    # Some token endpoints write the number as text.
    if isinstance(life, str) and life.isascii() and life.isdigit():
        life = int(life)
    if not isinstance(life, (int, float)) or isinstance(life, bool):
        return "has an expires_in that is no number"
    return _Token(token, now + max(life - _MARGIN, life / 2))


def _may_pass(reply: Reply) -> bool:
    """Whether the engine is to judge the reply, and may try again."""
    return reply.status in {408, 429} or reply.status >= 500


def _reason(reply: Reply) -> str:
    document = _members(reply)
    said = [text for name in ("error", "error_description") if isinstance(text := document.get(name), str)]
    return f": {': '.join(said)}" if said else ""


def _members(reply: Reply) -> dict[str, Any]:
    try:
        document: Any = json.loads(reply.content)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", document) if isinstance(document, dict) else {}
