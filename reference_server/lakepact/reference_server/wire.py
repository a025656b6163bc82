"""The connection under one answer, for senders that put something else on it than a well-formed reply."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping

    from .replies import Reply

Message = dict[str, Any]


class Wire:
    """One request's way back to the caller."""

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
        """Send the status line and the headers of a reply, with another content length if one is given."""
        await self._send({"type": "http.response.start", "status": reply.status, "headers": headers_of(reply, length=length)})

    async def write(self, body: bytes, *, more: bool = False) -> None:
        """Send a piece of the body; the last one ends the answer."""
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def answer(self, reply: Reply) -> None:
        """Send a reply as the lane would."""
        await self.start(reply)
        await self.write(reply.body)

    async def close(self) -> None:
        """Close the connection, whatever has been sent so far."""
        self.transport.close()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def raw(self, data: bytes) -> None:
        """Write bytes past the HTTP server."""
        self.transport.write(data)

    def head(self, reply: Reply) -> bytes:
        """The status line and headers of a reply as they stand on the wire."""
        lines = [b"HTTP/1.1 %d %s" % (reply.status, HTTPStatus(reply.status).phrase.encode())]
        lines += [name + b": " + value for name, value in headers_of(reply)]
        return b"\r\n".join(lines) + b"\r\n\r\n"


def headers_of(reply: Reply, *, length: int | None = None) -> list[tuple[bytes, bytes]]:
    """The headers of a reply, with the type and the length of its body if it has one."""
    size = len(reply.body) if length is None else length
    if not size:
        return list(reply.headers)
    return [(b"content-type", reply.media_type), (b"content-length", b"%d" % size), *reply.headers]
