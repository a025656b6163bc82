"""A local server that forwards the requests of a client to the checked server, with the caller's
login and warehouse, and notes them.
"""

from __future__ import annotations

from typing import Self
from urllib.parse import parse_qsl, urlencode

from lakepact.conformance.http.wire import NoAnswer
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.programs.listener import Answer, Listener, Received
from lakepact.conformance.programs.scripted_server import OF_A_CONNECTION, operation_of

CONFIGURATION = "getConfig"
#: Headers that the wire sets itself: clients get no secrets, so that what they send here authorizes
#: nothing.
OWN = OF_A_CONNECTION | {"accept-encoding", "authorization", "user-agent", "content-encoding"}


class Relay:
    """Forwards each request unchanged; one for the configuration names the warehouse of the target.

    Args:
        lab: sends the requests.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._listener = Listener(self._answer)
        self.exchanges: list[int] = []  #: their numbers, in order

    @property
    def address(self) -> str:
        """The address for clients."""
        return self._listener.address

    def __enter__(self) -> Self:
        self._listener.open()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _answer(self, request: Received) -> Answer:
        prefix = self._lab.offer.segments.get("prefix") or ""
        path, _, query = request.target.partition("?")
        operation = operation_of(self._lab.contract, request.method, path, prefix)
        warehouse = self._lab.target.parameters.get("warehouse")
        target = request.target
        if operation == CONFIGURATION and warehouse:
            target = f"{path}?{urlencode({**dict(parse_qsl(query)), 'warehouse': warehouse})}"
        try:
            exchange = self._lab.send_raw(
                request.method,
                target,
                headers=[(n, v) for n, v in request.headers if n.lower() not in OWN],
                content=request.body,
                operation=operation,
                retry=False,
            ).exchange
        except NoAnswer as missing:
            exchange = missing.keep()
        self.exchanges.append(exchange.number)
        headers = tuple((n, v) for n, v in exchange.headers.multi_items() if n.lower() not in OWN)
        return Answer(exchange.status, headers, exchange.body)
