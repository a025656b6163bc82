"""The caller of a run: its credentials, and whether the target accepts them."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.http.logins import Login
from lakepact.reach.wire import Headers, Request

#: Answers of targets that do not serve a caller.
REFUSED = frozenset({401, 403, 419})
#: Operations that servers offer to callers without credentials.
PUBLIC = frozenset({"getConfig", "getToken"})
ADVICE = (
    "--token-env NAME sends the token of an environment variable, --credential-env NAME fetches"
    " one: check that it is valid for the whole run, and that it may create namespaces and tables."
    " A server that refuses a valid token looks the same"
)
AUTHORIZATION = "Authorization"


class Caller:
    """The caller of a run: its headers and its login, and the answers that refuse it; may be used
    by several threads.

    Detection, checks, reports and scripts ask it who calls, whether by a token that the user has or
    by one that is fetched.

    Args:
        headers: sent with every request; their values are secrets.
        login: authorizes requests without such a header.
    """

    def __init__(self, headers: Mapping[str, str], login: Login | None = None) -> None:
        self.headers = dict(headers)
        self._login = login
        self._bearers: set[str] = set()  #: the values of Authorization that the login sent
        #: Exchanges that were refused since the last one that succeeded, by number.
        self.refused: dict[int, Exchange] = {}
        self.is_served = False  #: whether one ever succeeded
        self._lock = threading.Lock()

    @property
    def names_caller(self) -> bool:
        """Whether requests say who calls."""
        names = {name.casefold() for name in self.headers}
        return self._login is not None or AUTHORIZATION.casefold() in names

    @property
    def names(self) -> list[str]:
        """The names of headers whose values are the same in all requests, but for newer tokens."""
        return sorted({*self.headers, *([AUTHORIZATION] if self._bearers else [])})

    @property
    def bearer(self) -> str:
        """The bearer token that requests carry now; empty if they carry none."""
        headers = [*self.headers.items(), *self.authorization(Request("GET", "/"))]
        for name, value in headers:
            scheme, _, token = value.partition(" ")
            if name.casefold() == AUTHORIZATION.casefold() and scheme.casefold() == "bearer":
                return token.strip()
        return ""

    def authorization(self, request: Request) -> Headers:
        """Return the headers that the login adds to a request."""
        names = {name.casefold() for name, _ in request.headers}
        if self._login is None or AUTHORIZATION.casefold() in names:
            return ()
        headers = self._login(request)
        self._bearers.update(value for _, value in headers if value.startswith("Bearer "))
        return headers

    def sends(self, name: str, value: str) -> bool:
        """Return whether a header of a request says that it is this caller's."""
        return value == self.headers.get(name) or value in self._bearers

    def note(self, exchange: Exchange) -> None:
        """Note an answer."""
        if exchange.operation in PUBLIC:
            return
        with self._lock:
            if exchange.status in REFUSED:
                self.refused[exchange.number] = exchange
            elif 200 <= exchange.status < 300:
                self.is_served = True
                # A request sent before a refusal was answered does not show that they ended.
                self.refused = {
                    number: refusal
                    for number, refusal in self.refused.items()
                    if refusal.sent_at + refusal.seconds > exchange.sent_at
                }
