"""Authorization by OAuth 2 client credentials (RFC 6749, 4.4)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lakepact.reach.auth import basic
from lakepact.reach.tokens import FetchedToken, may_pass

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reach.tokens import Obtaining


class ClientCredentials(FetchedToken):
    """Sends a token that a token endpoint issues for a client id and secret.

    The first request fetches it. It is replaced before it expires, and when the server rejects it.
    Threads and tasks that share this object share the token, and one of them replaces it.

    Args:
        token_endpoint: The address of the token endpoint; for catalogs that issue tokens
            themselves, `<address>/v1/oauth/tokens`.
        client_id: The OAuth2 client id.
        client_secret: The OAuth2 client secret.
        scope: The scope of the token; by default the token endpoint chooses it.
        in_form: Send id and secret in the form alone; by default only if the header is refused.
        renew: Exchange a token that is about to expire, and use the client's secret only if that is
            refused.
        clock: Returns the time that measures the token's lifetime.

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
        in_form: bool = False,
        renew: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(token_endpoint, scope=scope, clock=clock)
        fields = {"grant_type": "client_credentials"}
        form = {**fields, "client_id": client_id, "client_secret": client_secret}
        header = ("Authorization", basic(client_id, client_secret))
        #: The requests to try, in this order; once one of them brings a token, that one alone.
        self._attempts = [self._request(form)]
        if not in_form:
            self._attempts.insert(0, self._request(fields, (header,)))
        self._renews = renew

    def _obtain(self) -> Obtaining:
        request, *others = self._attempts
        reply = yield request
        if others and 400 <= reply.status < 500 and not may_pass(reply):
            request = others[0]
            reply = yield request
        if reply.is_success:
            self._attempts = [request]
        return self._token(request, reply)
