"""A load generator: some connections, each sending its next request as soon as the answer to the
last one is complete.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import cast

END = b"0\r\n\r\n"
MANY = sys.maxsize  #: bytes missing of a chunked body before its last chunk


class Caller(asyncio.Protocol):
    """One connection."""

    def __init__(self, requests: Iterator[bytes], until: float, end: asyncio.Future[None]) -> None:
        self.answers = 0
        self._requests = requests
        self._until = until
        self._done = end
        self._head = b""
        self._missing = -1
        self._end = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(
            "asyncio.Transport", transport
        )  # the transport of uvloop does not inherit from it
        self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        if self._missing < 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._head[:end].lower()
            if not head.startswith(b"http/1.1 20"):
                self._fail(self._head)
                return
            if b"transfer-encoding: chunked" in head:
                self._missing = MANY
                self._end = self._head[end + 4 :][-len(END) :]
                self._head = b""
                self._in_chunks()
                return
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            self._missing = length - (len(self._head) - end - 4)
            self._head = b""
        elif self._missing == MANY:
            self._end = (self._end + data)[-len(END) :]
            self._in_chunks()
            return
        else:
            self._missing -= len(data)
        if self._missing == 0:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._fail(f"the connection was lost: {exc}".encode())

    def _in_chunks(self) -> None:
        """Continue after the last chunk; its bytes never occur within a document."""
        if self._end == END:
            self._next()

    def _next(self) -> None:
        assert self._transport
        self._missing = -1
        self.answers += 1
        if time.perf_counter() < self._until:
            self._transport.write(next(self._requests))
        elif not self._done.done():
            self._done.set_result(None)

    def _fail(self, why: bytes) -> None:
        if not self._done.done():
            self._done.set_exception(RuntimeError(why.decode("latin-1")[:500]))


async def load(port: int, requests: Iterator[bytes], *, seconds: float, connections: int) -> int:
    """Return the number of answers of a server in a time."""
    loop = asyncio.get_running_loop()
    until = time.perf_counter() + seconds
    callers: list[Caller] = []
    ends: list[asyncio.Future[None]] = []
    for _ in range(connections):
        end: asyncio.Future[None] = loop.create_future()
        _, caller = await loop.create_connection(
            lambda end=end: Caller(requests, until, end), "127.0.0.1", port
        )
        callers.append(caller)
        ends.append(end)
    await asyncio.gather(*ends)
    return sum(caller.answers for caller in callers)


async def ask(port: int, request: bytes) -> bytes:
    """Return one whole answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.replace(b"Connection: keep-alive", b"Connection: close"))
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    if not answer.startswith(b"HTTP/1.1 20"):
        raise RuntimeError(answer[:500].decode("latin-1"))
    return answer
