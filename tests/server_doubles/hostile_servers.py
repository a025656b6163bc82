"""Servers that attack their clients, on 127.0.0.1, with bounded output and lifetime."""

from __future__ import annotations

import contextlib
import functools
import gzip
import itertools
import json
import socket
import socketserver
import threading
import time
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    Attack = Callable[[str], Iterable[bytes]]

KIB, MIB, GIB = 1024, 1024**2, 1024**3
BLOCK = b"x" * (256 * KIB)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LIFE = 200.0  #: seconds until a server stops sending
DRIP = 0.05  #: seconds between two bytes of a drip


def endless_body(_: str) -> Iterator[bytes]:
    """Yield an endless body without a length."""
    yield HEAD + b"\r\n"
    yield from itertools.repeat(BLOCK)


def declared_gigabyte(_: str) -> Iterator[bytes]:
    """Yield a body of 1 GB with its length."""
    yield HEAD + b"Content-Length: %d\r\n\r\n" % GIB
    yield from itertools.repeat(BLOCK, GIB // len(BLOCK))


def endless_chunks(_: str) -> Iterator[bytes]:
    """Yield an endless chunked body."""
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from itertools.repeat(b"%x\r\n%b\r\n" % (len(BLOCK), BLOCK))


def endless_chunk_extensions(_: str) -> Iterator[bytes]:
    """Yield chunks of one byte, each with an extension of 60 KiB."""
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from itertools.repeat(b"1;a=" + b"x" * (60 * KIB) + b"\r\n \r\n")


def endless_chunk_line(_: str) -> Iterator[bytes]:
    """Yield a chunk with an endless extension."""
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;a="
    yield from itertools.repeat(BLOCK)


def endless_trailers(_: str) -> Iterator[bytes]:
    """Yield endless trailers."""
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    yield from itertools.repeat(b"X-More: " + b"x" * KIB + b"\r\n")


def endless_headers(_: str) -> Iterator[bytes]:
    """Yield endless headers."""
    yield HEAD
    yield from itertools.repeat(b"X-More: " + b"x" * KIB + b"\r\n")


def endless_hints(_: str) -> Iterator[bytes]:
    """Yield endless provisional answers."""
    yield from itertools.repeat(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 1000)


def dripping_body(_: str) -> Iterator[bytes]:
    """Yield a body byte by byte."""
    yield HEAD + b"Content-Length: 100000\r\n\r\n"
    yield from _dripping(itertools.repeat(b" "))


def dripping_headers(_: str) -> Iterator[bytes]:
    """Yield headers byte by byte."""
    yield from _dripping(bytes([byte]) for byte in HEAD + b"X: " + b"x" * 100_000)


def endless_line(_: str) -> Iterator[bytes]:
    """Yield an endless line of a listing."""
    yield b'HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nDelta-Table-Version: 1\r\n\r\n{"protocol":{"a":"'
    yield from itertools.repeat(BLOCK)


def bomb(coding: str, *packed: Callable[[bytes, int], bytes]) -> Attack:
    """Return a body of a few KiB that decodes to 80 MiB, or far more if it is compressed several
    times.
    """
    content = b"[" + b" " * (80 * MIB) + b"]"
    for pack in packed:
        content = pack(content, 1)
    head = HEAD + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (
        coding.encode(),
        len(content),
    )
    return lambda _: (head, content)


@functools.cache
def gzip_bomb() -> Attack:
    """Return a bomb in gzip."""
    return bomb("gzip", gzip.compress)


@functools.cache
def deflate_bomb() -> Attack:
    """Return a bomb in deflate."""
    return bomb("deflate", zlib.compress)


@functools.cache
def nested_bomb() -> Attack:
    """Return a bomb that is compressed twice."""
    return bomb("gzip, gzip", gzip.compress, gzip.compress)


def endless_pages(path: str) -> Iterable[bytes]:
    """Return a page with the token of another page."""
    token = f"{time.monotonic_ns()}"
    name = f"n{token}"
    if path.partition("?")[0].endswith("/namespaces"):
        return (json_answer({"namespaces": [[name]], "next-page-token": token}),)
    if path.partition("?")[0].endswith("/tables") or path.partition("?")[0].endswith("/views"):
        return (
            json_answer(
                {"identifiers": [{"namespace": ["a"], "name": name}], "next-page-token": token}
            ),
        )
    return (
        json_answer({"items": [{"name": name}], "nextPageToken": token, "next-page-token": token}),
    )


#: Attacks by name, as functions that make them.
ATTACKS: dict[str, Callable[[], Attack]] = {
    "endless-body": lambda: endless_body,
    "declared-gigabyte": lambda: declared_gigabyte,
    "endless-chunks": lambda: endless_chunks,
    "endless-chunk-extensions": lambda: endless_chunk_extensions,
    "endless-chunk-line": lambda: endless_chunk_line,
    "endless-trailers": lambda: endless_trailers,
    "endless-headers": lambda: endless_headers,
    "endless-hints": lambda: endless_hints,
    "dripping-body": lambda: dripping_body,
    "dripping-headers": lambda: dripping_headers,
    "gzip-bomb": gzip_bomb,
    "deflate-bomb": deflate_bomb,
    "nested-bomb": nested_bomb,
}
DRIPS = ("dripping-body", "dripping-headers")


def json_answer(document: object, *, status: int = 200) -> bytes:
    """Return a correct JSON answer."""
    body = json.dumps(document).encode()
    return b"HTTP/1.1 %d Fine\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        status,
        len(body),
        body,
    )


def _dripping(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece
        time.sleep(DRIP)


@contextlib.contextmanager
def attacking(
    attack: Attack, *, first: Callable[[str], bytes | None] = lambda _: None, life: float = LIFE
) -> Generator[str]:
    """Serve an attack to every request, and yield the address.

    Args:
        attack: the bytes that answer a path.
        first: correct answers to some paths.
        life: seconds after which nothing more is sent.
    """
    until = time.monotonic() + life

    class Attacker(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.connection.settimeout(5)
            with contextlib.suppress(OSError):
                while time.monotonic() < until and (path := self._path()):
                    right = first(path)
                    for piece in attack(path) if right is None else [right]:
                        if time.monotonic() > until:
                            return
                        self.connection.sendall(piece)
                    if self.closes or (right is None and attack is not endless_pages):
                        return

        def _path(self) -> str:
            line, length = self.rfile.readline().decode("latin-1"), 0
            self.closes = False  # only its answers are hostile: it closes connections on request
            while (header := self.rfile.readline()) not in {b"\r\n", b""}:
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                self.closes |= (name.lower(), value.strip().lower()) == (b"connection", b"close")
            self.rfile.read(length)
            return line.split(" ")[1] if line.count(" ") > 1 else ""

        def finish(self) -> None:
            with contextlib.suppress(OSError):
                super().finish()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 128
        block_on_close = False

    with Server(("127.0.0.1", 0), Attacker) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            until = 0
            server.shutdown()
            with contextlib.suppress(OSError):
                server.socket.shutdown(socket.SHUT_RDWR)
