"""Both HTTP protocols of the reference server, with and without the fast path, on in-memory
connections.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

from uvicorn.server import ServerState

from lakepact.reference_server.app import service
from lakepact.reference_server.http.limits import Limits
from lakepact.reference_server.http.router import ContractRouter
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.running import LIMITS, configure
from lakepact.reference_server.settings import Settings
from sample_tables.schemas import SCHEMA

#: bytes of a property: too many to be joined to the head, or to fit the buffer of a connection
LARGE = 40_000

USUAL = b"Host: a\r\nUser-Agent: PyIceberg\r\nAccept: */*\r\nX-Client-Version: 1\r\nAuthorization: Bearer t\r\nConnection: keep-alive\r\n"
HOST = b"Host: a\r\n"


def made() -> Service:
    """Return a catalog with names of every kind."""
    served = service("iceberg_rest", Settings())
    for namespace in (["n"], ["n", "m"], ["ü b"]):
        served.handlers["createNamespace"](body={"namespace": namespace})
    for name in ("t", "a/b", "ü%", "a b"):
        served.handlers["createTable"](namespace="n", body={"name": name, "schema": SCHEMA})
    served.handlers["createTable"](
        namespace="n", body={"name": "large", "schema": SCHEMA, "properties": {"p": "x" * LARGE}}
    )
    sql = {"type": "sql", "sql": "SELECT 1", "dialect": "spark"}
    version = {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1,
        "summary": {},
        "representations": [sql],
        "default-namespace": ["n"],
    }
    view = {
        "name": "v",
        "schema": {**SCHEMA, "schema-id": 0},
        "view-version": version,
        "properties": {},
    }
    served.handlers["createView"](namespace="n", body=view)
    return served


class Counted(ContractRouter):
    """A router that counts requests outside the fast path."""

    calls = 0

    def __init__(self, router: Any) -> None:
        self.__dict__.update(router.__dict__)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.calls += 1
        await super().__call__(scope, receive, send)


class Connection(asyncio.Transport):
    """One end of a connection that delivers input in pieces and keeps the output."""

    def __init__(self, protocol: Any) -> None:
        super().__init__({"sockname": ("127.0.0.1", 1), "peername": ("127.0.0.1", 2)})
        self.sent = b""
        self._protocol = protocol
        self._waiting: deque[bytes] = deque()
        self._reading = True
        self._closing = False
        protocol.connection_made(self)

    def receive(self, data: bytes) -> None:
        self._waiting.append(data)
        self._hand_over()

    def _hand_over(self) -> None:
        while self._waiting and self._reading and not self._closing:
            self._protocol.data_received(self._waiting.popleft())

    def write(self, data: Any) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return self._closing

    def write_eof(self) -> None:
        self.close()

    def get_write_buffer_size(self) -> int:
        return 0

    def abort(self) -> None:
        self.close()

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        self._reading = True
        asyncio.get_running_loop().call_soon(self._hand_over)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)


class Ways:
    """Both protocols in front of one router, each with its own connections."""

    def __init__(self, router: Counted, limits: Limits = LIMITS) -> None:
        self.router = router
        self._configs = {
            name: configure(router, fast_path=name == "short", limits=limits)
            for name in ("short", "usual")
        }
        for config in self._configs.values():
            config.load()

    def connect(self, name: str, loop: Any = None) -> tuple[Any, Connection, ServerState]:
        config, state = self._configs[name], ServerState()
        protocol_class: Any = config.http_protocol_class
        protocol = protocol_class(config=config, server_state=state, app_state={}, _loop=loop)
        return protocol, Connection(protocol), state

    def say(self, name: str, pieces: Iterable[tuple[bytes, bool]]) -> bytes:
        """Return the answer to pieces of requests, each with whether the next piece waits for its
        effects.
        """

        async def conversation() -> bytes:
            protocol, connection, state = self.connect(name)
            for data, patient in pieces:
                connection.receive(data)
                if patient:
                    await quiet(protocol, state)
            await quiet(protocol, state)
            connection.close()
            await asyncio.sleep(0)
            await asyncio.gather(*state.tasks)
            return connection.sent

        return asyncio.run(conversation())

    def both(self, pieces: Iterable[tuple[bytes, bool]]) -> tuple[bytes, bytes]:
        pieces = list(pieces)
        return self.say("short", pieces), self.say("usual", pieces)


async def quiet(protocol: Any, state: ServerState) -> None:
    """Wait until the event loop is idle."""
    calm = 0
    while calm < 8:
        # A client that has not sent the whole body keeps its task waiting.
        waits = protocol.cycle is not None and protocol.cycle.more_body
        calm = 0 if state.tasks and not waits else calm + 1
        await asyncio.sleep(0)


def request(
    target: str,
    headers: bytes = USUAL,
    *,
    method: str = "GET",
    version: str = "1.1",
    body: bytes = b"",
) -> bytes:
    return f"{method} {target} HTTP/{version}\r\n".encode() + headers + b"\r\n" + body
