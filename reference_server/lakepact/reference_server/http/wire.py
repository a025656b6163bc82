"""The connection below one answer, for replies in pieces, and for malformed ones."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any

from lakepact.reference_server.http.replies import Reply

logger = logging.getLogger(__name__)

Message = dict[str, Any]
AHEAD = (
    256 * 1024
)  #: bytes of a streamed body that are made before the connection is asked to take them
AHEAD_SECONDS = 0.02  #: pieces that take longer are sent as they are made


class Wire:
    """The connection on which one request is answered."""

    __slots__ = ("_receive", "_send", "scope")

    def __init__(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send

    @property
    def transport(self) -> asyncio.Transport:
        """The connection itself, as the HTTP server holds it."""
        transport: asyncio.Transport = self._send.__self__.transport  # type: ignore[attr-defined]  # uvicorn's cycle owns both
        return transport

    async def start(self, reply: Reply, *, length: int | None = None) -> None:
        """Send the status line and the headers of a reply, with another content length if one is
        given.
        """
        await self._send(
            {
                "type": "http.response.start",
                "status": reply.status,
                "headers": headers_of(reply, length=length),
            }
        )

    async def write(self, body: bytes, *, more: bool = False) -> None:
        """Send a piece of the body; the last one ends the answer."""
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def answer(self, reply: Reply) -> None:
        """Send a reply as the router would."""
        if reply.chunks is not None:
            await self.stream(reply)
            return
        await self.start(reply)
        await self.write(reply.body)

    async def stream(self, reply: Reply) -> None:
        """Send a reply in chunks, no faster than the caller reads them.

        A worker thread produces the chunks, a few at a time, unless the reply is prompt. If they
        fail, or the caller disconnects, the connection is closed within the body, so that the part
        is not mistaken for the whole.
        """
        loop = asyncio.get_running_loop()
        chunks = iter(reply.chunks or ())
        leaving = loop.create_task(self.left())
        try:
            await self.start(reply)
            for chunk in chunks if reply.prompt else ():
                await self.write(chunk, more=True)
                await asyncio.sleep(0)  # a client that reads fast must not keep others waiting
                if leaving.done():
                    return
            while some := await loop.run_in_executor(None, _some, chunks):
                while some:
                    await self.write(some.popleft(), more=True)
                if leaving.done():
                    return
            await self.write(b"")
        except asyncio.CancelledError:
            # The server ends, and has waited long enough for a client that reads nothing.
            self.transport.abort()
        except Exception:
            logger.exception(
                "%s failed in the middle of its answer; incident %s",
                self.scope["path"],
                uuid.uuid4().hex,
            )
            self.transport.close()
        finally:
            leaving.cancel()
            with contextlib.suppress(ValueError):  # from a generator that still runs in its thread
                getattr(reply.chunks, "close", _nothing)()

    async def left(self) -> None:
        """Wait until the caller closes the connection."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def close(self) -> None:
        """Close the connection, whatever has been sent so far."""
        self.transport.close()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def raw(self, data: bytes) -> None:
        """Write bytes past the HTTP server."""
        self.transport.write(data)

    def head(self, reply: Reply) -> bytes:
        """Return the status line and headers of a reply as they stand on the wire."""
        lines = [b"HTTP/1.1 %d %s" % (reply.status, HTTPStatus(reply.status).phrase.encode())]
        lines += [name + b": " + value for name, value in headers_of(reply)]
        return b"\r\n".join(lines) + b"\r\n\r\n"


class Spelled(bytes):
    """The name of a header that keeps its capitals: uvicorn makes all names small, which is as
    good, but not to every client.
    """

    __slots__ = ()

    def lower(self) -> Spelled:
        """Return the name as it is."""
        return self


#: Iceberg's Java client, and Spark with it, finds this header in these letters alone; else it loads
#: each table whole every time.
SPELLED = {b"etag": Spelled(b"ETag")}


def headers_of(reply: Reply, *, length: int | None = None) -> list[tuple[bytes, bytes]]:
    """Return the headers of a reply, with type and length of its body if it has one; streamed
    bodies have no length.
    """
    own = (
        [(SPELLED.get(name, name), value) for name, value in reply.headers] if reply.headers else []
    )
    if reply.chunks is not None:
        return [(b"content-type", reply.media_type), *own]
    size = len(reply.body) if length is None else length
    if not size:
        return own
    return [(b"content-type", reply.media_type), (b"content-length", b"%d" % size), *own]


def _some(chunks: Iterator[bytes]) -> deque[bytes]:
    """Return the next chunks: as many as may wait for the connection, none at the end."""
    some: deque[bytes] = deque()
    size, until = 0, time.monotonic() + AHEAD_SECONDS
    for chunk in chunks:
        some.append(chunk)
        size += len(chunk)
        if size >= AHEAD or time.monotonic() > until:
            break
    return some


def _nothing() -> None:
    pass
