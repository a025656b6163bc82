"""Whether the target serves the caller: answers 401, 403 and 419 to requests with the target's own credentials."""

from __future__ import annotations

import threading

from lakepact.conformance.evidence.exchanges import Exchange

REFUSED = frozenset({401, 403, 419})
PUBLIC = frozenset(
    {"getConfig", "getToken"}
)  #: operations that servers offer to callers without credentials
ADVICE = (
    "--token-env NAME sends the token of an environment variable, --credential-env NAME fetches one: check that it is valid for the whole "
    "run, and that it may create namespaces and tables. A server that refuses a valid token looks the same"
)


class Caller:
    """Notes the answers to requests with the target's own credentials; may be used by several threads."""

    def __init__(self) -> None:
        self.refused: dict[
            int, Exchange
        ] = {}  #: exchanges that were refused since the last one that succeeded, by number
        self.is_served = False  #: whether one ever succeeded
        self._lock = threading.Lock()

    def note(self, exchange: Exchange) -> None:
        """Note an answer."""
        if exchange.operation in PUBLIC:
            return
        with self._lock:
            if exchange.status in REFUSED:
                self.refused[exchange.number] = exchange
            elif 200 <= exchange.status < 300:
                self.refused, self.is_served = {}, True
