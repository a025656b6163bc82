"""Authorization by OAuth 2 token exchange (RFC 8693): a user's token becomes a catalog's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lakepact.reach.auth import check_token
from lakepact.reach.tokens import ACCESS_TOKEN, TOKEN_EXCHANGE, FetchedToken

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reach.tokens import Obtaining, Token
    from lakepact.reach.wire import Request


class TokenExchange(FetchedToken):
    """Sends a token that a token endpoint issues for the token of a user.

    The first request fetches it. Before it expires it is exchanged for another one; if that is
    refused, or the server rejects it, the user's token is exchanged again.

    Args:
        token_endpoint: The address of the token endpoint.
        subject_token: The user's token, or a function that returns it before each exchange.
        subject_token_type: Its token type, a URN.
        actor: The credentials that fetch the token of the acting party; None if there is none.
        scope: The scope of the token; by default the token endpoint chooses it.
        clock: Returns the time that measures the token's lifetime.

    Raises:
        ValueError: `token_endpoint` is not an http(s) address, or the token is invalid. The message
            does not repeat it.
    """

    def __init__(
        self,
        token_endpoint: str,
        subject_token: str | Callable[[], str],
        *,
        subject_token_type: str = ACCESS_TOKEN,
        actor: FetchedToken | None = None,
        scope: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(token_endpoint, scope=scope, clock=clock)
        if not callable(subject_token):
            check_token(subject_token)
        self._subject = subject_token
        self._kind = subject_token_type
        self._actor = actor

    def _obtain(self) -> Obtaining:
        acting, is_new = None, True
        if self._actor is not None:
            acting, is_new = yield from self._actor.current()
            if acting is None:
                return None
        request = self._exchanging(acting)
        reply = yield request
        if self._actor is not None and not is_new and reply.status in {400, 401, 419}:
            # The catalog may have forgotten the actor's token; it does not say whose it is that it
            # does not accept.
            acting, _ = yield from self._actor.current(unusable=acting)
            if acting is None:
                return None
            request = self._exchanging(acting)
            reply = yield request
        return self._token(request, reply)

    def _exchanging(self, acting: Token | None) -> Request:
        subject = check_token(self._subject() if callable(self._subject) else self._subject)
        fields = {
            "grant_type": TOKEN_EXCHANGE,
            "subject_token": subject,
            "subject_token_type": self._kind,
        }
        if acting is not None:
            fields |= {"actor_token": acting.value, "actor_token_type": ACCESS_TOKEN}
        return self._request(
            fields, (("Authorization", f"Bearer {acting.value if acting else subject}"),)
        )
