"""An HTTP server whose answers may be late, cut, or missing, as those of a failing server are.

Servers of libraries always answer. This one also closes connections at any point of an answer.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import h11
import orjson

HOST = "127.0.0.1"
READ_BYTES = 65536
IDLE_SECONDS = 120
BACKLOG = 128
NO_BODY = frozenset({204, 304})


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """An answer to the client.

    Args:
        status: 0 closes the connection without an answer.
        headers: without the length of the body.
        body: sent as it is.
        delay: seconds before the answer is sent.
        cut: bytes of the body after which the connection is closed; None sends all of it.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    body: bytes = b""
    delay: float = 0.0
    cut: int | None = None

    @property
    def document(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """The body as JSON documents, one a line."""
        return [orjson.loads(line) for line in self.body.splitlines() if line.strip()]

    def with_document(self, document: Any) -> Answer:
        """Return the same with another body, in ASCII: some clients split lines at other
        characters.
        """
        return replace(self, body=_ascii(document))

    def merging(self, **members: Mapping[str, Any]) -> Answer:
        """Return the same with further entries in objects of its document."""
        document = self.document
        members_ = {name: {**(document.get(name) or {}), **more} for name, more in members.items()}
        return self.with_document({**document, **members_})

    def with_lines(self, lines: Iterable[Any]) -> Answer:
        """Return the same with other lines."""
        return replace(self, body=b"".join(_ascii(line) + b"\n" for line in lines))

    def with_header(self, name: str, value: str | None) -> Answer:
        """Return the same with another value of a header, or without the header."""
        others = tuple((n, v) for n, v in self.headers if n.lower() != name.lower())
        return replace(self, headers=others if value is None else (*others, (name, value)))

    def header(self, name: str) -> str:
        """Return the value of a header; empty if the answer does not have it."""
        return next((v for n, v in self.headers if n.lower() == name.lower()), "")


def _ascii(document: Any) -> bytes:
    return json.dumps(document).encode()  # orjson leaves other characters as they are


class Listener:
    """A server on a free port of this machine, with one thread for each connection.

    Args:
        answer: returns the answer to a request; it is called in several threads.
    """

    def __init__(self, answer: Callable[[Received], Answer]) -> None:
        self._answer = answer
        self._socket: socket.socket | None = None
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.address = ""

    def open(self) -> Self:
        """Listen.

        Raises:
            OSError: no port is free.
        """
        self._socket = socket.create_server((HOST, 0), backlog=BACKLOG)
        self.address = f"http://{HOST}:{self._socket.getsockname()[1]}"
        threading.Thread(
            target=self._accept, args=(self._socket,), name="lakepact scripted server", daemon=True
        ).start()
        return self

    def close(self) -> None:
        """Close the port and all connections."""
        with self._lock:
            connections, self._connections = self._connections, set()
        for connection in (*connections, *([self._socket] if self._socket else [])):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.settimeout(IDLE_SECONDS)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._connections.add(connection)
            threading.Thread(
                target=self._serve,
                args=(connection,),
                name="lakepact scripted connection",
                daemon=True,
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        protocol = h11.Connection(h11.SERVER)
        try:
            while (request := _receive(connection, protocol)) is not None:
                if not _send(connection, protocol, request, self._answer(request)):
                    return
                protocol.start_next_cycle()
        except (OSError, h11.ProtocolError):
            return
        finally:
            with self._lock:
                self._connections.discard(connection)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def _receive(connection: socket.socket, protocol: h11.Connection) -> Received | None:
    """Return the next request of a connection; None at its end."""
    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = protocol.next_event()
        if event is h11.NEED_DATA:
            if protocol.they_are_waiting_for_100_continue:
                connection.sendall(
                    protocol.send(h11.InformationalResponse(status_code=100, headers=[])) or b""
                )
            protocol.receive_data(connection.recv(READ_BYTES))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            headers = tuple(
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers
            )
            return Received(
                head.method.decode("ascii"), head.target.decode("latin-1"), headers, bytes(body)
            )
        else:
            return None


def _send(
    connection: socket.socket, protocol: h11.Connection, request: Received, answer: Answer
) -> bool:
    """Send an answer; return whether the connection can be used again."""
    if answer.delay:
        time.sleep(answer.delay)
    if not answer.status:
        return False
    body = b"" if request.method == "HEAD" or answer.status in NO_BODY else answer.body
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    if answer.status not in NO_BODY:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    head = protocol.send(h11.Response(status_code=answer.status, headers=headers)) or b""
    if answer.cut is not None:
        connection.sendall(head + body[: answer.cut])
        return False
    if body:
        head += protocol.send(h11.Data(data=body)) or b""
    connection.sendall(head + (protocol.send(h11.EndOfMessage()) or b""))
    return protocol.our_state is h11.DONE and protocol.their_state is h11.DONE
