"""Tokens of a token endpoint, shared until they expire, and replaced once for all callers.

The caller that finds a token about to expire replaces it, while others still use it. Without a
valid token, others wait in pauses, which suits threads and event loops alike; after a failure, each
tries for itself.
"""

from __future__ import annotations

import json
import time
from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast
from urllib.parse import urlencode

from lakepact.reach.auth import TOKEN, Auth, AuthFlow
from lakepact.reach.urls import web_address
from lakepact.reach.wire import Headers, Pause, Reply, Request

TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105 - the name of a flow
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind of token
#: Seconds before its end from which a token is no longer used; a short-lived one is used for half
#: of its life.
_MARGIN = 60.0
#: Seconds between checks for another caller's token.
_LOOK = 0.02
_FETCHING = "fetching"


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and when it is replaced and ends by the clock; None for a life without an end."""

    value: str = field(repr=False)
    until: float | None
    ends: float | None

    def is_fresh(self, now: float) -> bool:
        """Return whether it is to be used without a thought."""
        return self.until is None or now < self.until

    def is_good(self, now: float) -> bool:
        """Return whether the server should still accept it."""
        return self.ends is None or now < self.ends


class TokenRefused(Exception):
    """A token endpoint gives no usable token; the message holds nothing of its answer.

    Args:
        endpoint: Its address.
        request: The request for a token.
        reply: Its answer.
        reason: Its words, or the member that it lacks; it may repeat a secret of the request.
    """

    def __init__(self, endpoint: str, request: Request, reply: Reply, reason: str) -> None:
        super().__init__(f"the token endpoint {endpoint} gives no token")
        self.request, self.reply, self.reason = request, reply, reason


#: Yields requests for a token and returns it; None if the last reply is for the engine to judge,
#: which may try again.
Obtaining: TypeAlias = Generator[Request | Pause, Reply, Token | None]


class FetchedToken(Auth):
    """Sends a token that a token endpoint issues.

    The first request fetches it. It is replaced before it expires, and when the server rejects it.

    Args:
        token_endpoint: The address of the token endpoint.
        scope: The scope of the token; by default the token endpoint chooses it.
        clock: Returns the time that measures the token's lifetime.

    Raises:
        ValueError: `token_endpoint` is not an http(s) address.
    """

    #: Whether a token that is about to end is exchanged for the next one.
    _renews = True

    def __init__(
        self,
        token_endpoint: str,
        *,
        scope: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        #: The address of the token endpoint.
        self.endpoint = web_address(token_endpoint)
        self._scope = {"scope": scope} if scope else {}
        self._clock = clock
        self._kept: Token | None = None
        # The caller that stores itself here fetches the token: a single atomic step, for threads
        # and for tasks.
        self._fetching: dict[str, object] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint!r}, [hidden])"

    def __getstate__(self) -> dict[str, Any]:
        # Another process has another clock, so it fetches a token of its own.
        return {**self.__dict__, "_kept": None, "_fetching": {}}

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request with a token, which is fetched first; again with another if refused.

        Raises:
            TokenRefused: The token endpoint gives no usable token.
        """
        token, is_new = yield from self.current()
        if token is None:
            return
        reply = yield _bearing(request, token)
        if is_new or reply.status not in {401, 419}:
            return
        token, _ = yield from self.current(unusable=token)
        if token is not None:
            yield _bearing(request, token)

    def current(
        self, unusable: Token | None = None
    ) -> Generator[Request | Pause, Reply, tuple[Token | None, bool]]:
        """Return a token and whether it is new; None if the last reply is the engine's to judge.

        Args:
            unusable: One that the server did not accept; another one is wanted.
        """
        has_waited = False
        while True:
            cached_token, now = self._kept, self._clock()
            usable = (
                cached_token
                if cached_token is not None
                and cached_token is not unusable
                and cached_token.is_good(now)
                else None
            )
            if usable is not None and usable.is_fresh(now):
                return usable, False
            own = object()
            if has_waited or self._fetching.setdefault(_FETCHING, own) is own:
                try:
                    if self._kept is cached_token:
                        token = yield from self._replace(usable)
                        self._kept = token or cached_token
                        return (
                            (token, True)
                            if token is not None or usable is None
                            else (usable, False)
                        )
                finally:
                    if self._fetching.get(_FETCHING) is own:
                        del self._fetching[_FETCHING]
            elif usable is not None:
                return usable, False
            else:
                who = self._fetching.get(_FETCHING)
                while who is not None and self._fetching.get(_FETCHING) is who:
                    yield Pause(_LOOK)
                has_waited = True

    def _replace(self, usable: Token | None) -> Obtaining:
        try:
            if usable is not None and self._renews:
                request = self._renewing(usable)
                reply = yield request
                if reply.is_success:
                    return self._token(request, reply)
            return (yield from self._obtain())
        except TokenRefused:
            # A valid token is used until it expires; later callers get the error.
            if usable is None:
                raise
            return None

    @abstractmethod
    def _obtain(self) -> Obtaining:
        """Yield requests for a token and return it."""

    def _request(self, fields: Mapping[str, str], authorization: Headers = ()) -> Request:
        """Return a request to the token endpoint."""
        # A second token does no harm, so asking for one counts as reading.
        headers = (
            ("Accept", "application/json"),
            ("Content-Type", "application/x-www-form-urlencoded"),
            *authorization,
        )
        return Request(
            "POST",
            self.endpoint,
            headers,
            urlencode({**fields, **self._scope}).encode(),
            only_reads=True,
        )

    def _renewing(self, token: Token) -> Request:
        """Return a request for a token with the same claims as one that is about to end."""
        fields = {
            "grant_type": TOKEN_EXCHANGE,
            "subject_token": token.value,
            "subject_token_type": ACCESS_TOKEN,
        }
        return self._request(fields, (("Authorization", f"Bearer {token.value}"),))

    def _token(self, request: Request, reply: Reply) -> Token | None:
        """Return the token in a reply; None if the reply is for the engine to judge.

        Raises:
            TokenRefused: There is none in it.
        """
        if may_pass(reply):
            return None
        token = _read(reply, self._clock()) if reply.is_success else _reason(reply)
        if isinstance(token, str):
            raise TokenRefused(self.endpoint, request, reply, token)
        return token


def may_pass(reply: Reply) -> bool:
    """Return whether the engine is to judge the reply, and may try again."""
    return reply.status in {408, 429} or reply.status >= 500


def _bearing(request: Request, token: Token) -> Request:
    return request.with_header("Authorization", f"Bearer {token.value}")


def _read(reply: Reply, now: float) -> Token | str:
    """Return the token in a reply, or what is wrong with it."""
    document = _members(reply)
    token = document.get("access_token")
    kind = document.get("token_type", "bearer")
    life = document.get("expires_in")
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        return "the reply has no usable access_token"
    if not isinstance(kind, str) or kind.lower() != "bearer":
        return "the reply has a token that is no bearer token"
    if life is None:
        return Token(token, None, None)
    # Some token endpoints write the number as text.
    if isinstance(life, str) and life.isascii() and life.isdigit():
        life = int(life)
    if not isinstance(life, (int, float)) or isinstance(life, bool):
        return "the reply has an expires_in that is no number"
    return Token(token, now + max(life - _MARGIN, life / 2), now + life)


def _reason(reply: Reply) -> str:
    document = _members(reply)
    reasons = (document.get("error"), document.get("error_description"))
    return ", ".join(reason for reason in reasons if isinstance(reason, str))


def _members(reply: Reply) -> dict[str, Any]:
    try:
        document: Any = json.loads(reply.content)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", document) if isinstance(document, dict) else {}
