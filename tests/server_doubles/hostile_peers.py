"""A catalog and a share that attack their callers, on 127.0.0.1; also as a proxy, so that they seem
to be on other hosts.
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

OWN, OTHER = "catalog.test", "other.test"
BLOCK = b" " * (1 << 18)
BOMB_MIB = 1500
Answer = tuple[int, Any]
Answers = Callable[[str, str], Answer | None]


@dataclass
class Peer:
    """A hostile server.

    Args:
        answers: returns status and document for a method and a path, or None for an attack of
            `mode`.
        mode: `endless`, `bomb`, or nothing.
    """

    answers: Answers
    mode: str = ""
    url: str = ""  #: its own address
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)  #: host, path, token

    @property
    def tokens_elsewhere(self) -> list[str]:
        """The hosts other than its own that got a token."""
        return [host for host, _, token in self.requests if host == OTHER and token]

    @property
    def void_tokens(self) -> list[str]:
        """The tokens that stand for a missing token: `Bearer None`."""
        return [token for _, _, token in self.requests if token and token.endswith("None")]


def endless() -> Iterator[bytes]:
    yield b'{"a":"'
    yield from itertools.repeat(BLOCK, 40_000)  # 10 GiB


def bomb() -> bytes:
    """Return 1.5 GB of spaces in gzip."""
    packer = gzip.compress(b" " * (1 << 20), 9)
    return packer * BOMB_MIB


@contextlib.contextmanager
def serving(peer: Peer) -> Generator[Peer]:
    """Serve a hostile peer for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            url = urlsplit(self.path)
            host = (url.hostname or self.headers.get("host") or "").partition(":")[0]
            peer.requests.append((host, url.path, self.headers.get("authorization")))
            answer = peer.answers(self.command, url.path)
            with contextlib.suppress(OSError):
                if answer is not None:
                    self._send(*answer)
                elif peer.mode == "bomb":
                    self._send(200, bomb(), ("Content-Encoding", "gzip"))
                else:
                    self._endless()

        do_POST = do_HEAD = do_DELETE = do_GET  # noqa: N815 - names of the library

        def _send(self, status: int, body: Any, *headers: tuple[str, str]) -> None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (
                *headers,
                ("Content-Type", "application/json"),
                ("Delta-Table-Version", "1"),
                ("Content-Length", str(len(content))),
            ):
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def _endless(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Delta-Table-Version", "1")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            for piece in endless():
                self.wfile.write(piece)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    peer.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()


def catalog(mode: str, table: dict[str, Any], created: dict[str, Any]) -> Peer:
    """Return a catalog.

    Args:
        mode: `code` names classes of Python, `moved` its address at another host, `files` has files
            of this machine, `same-page` repeats the token of a page, `endless` and `bomb` attack by
            size.
        table: its answer about each table.
        created: its answer about a table that a caller creates.
    """
    code = {"py-io-impl": "attack_io.Attack", "write.py-location-provider.impl": "attack_io.Attack"}
    overrides = {"code": code, "moved": {"uri": f"http://{OTHER}"}}.get(mode, {})
    if mode == "code":
        table, created = (
            {**one, "config": code, "metadata": {**one["metadata"], "properties": code}}
            for one in (table, created)
        )
    is_absent = {"lp_data", "lakepact"}  # so that verbs which write create their tables

    def answers(method: str, path: str) -> Answer | None:
        parts = path.strip("/").split("/")
        if parts[-1] == "config":
            return 200, {"defaults": {}, "overrides": overrides}
        if mode in {"endless", "bomb"}:
            return None
        token = {"next-page-token": "again"} if mode == "same-page" else {}
        if parts[-1] == "namespaces":
            made = {"namespace": ["lakepact"], "properties": {}}
            return 200, made if method == "POST" else {"namespaces": [["ns"]], **token}
        if parts[-1] in {"tables", "views"}:
            if method == "POST":
                return 200, created
            return 200, {"identifiers": [{"namespace": [parts[2]], "name": "t"}], **token}
        if "tables" in parts and method in {"GET", "HEAD"} and is_absent & {*parts}:
            return 404, {"error": {"message": "no", "type": "NoSuchTableException", "code": 404}}
        if "tables" in parts:
            return 200, created if is_absent & {*parts} else table
        return 200, {"namespace": parts[2:3], "properties": {}}

    return Peer(answers, mode)


def share(mode: str) -> Peer:
    """Return a sharing server; `moved` gives URLs of files at another host, other modes are those
    of `catalog`.
    """

    def answers(_: str, path: str) -> Answer | None:
        last = path.rstrip("/").rpartition("/")[2]
        if mode in {"endless", "bomb"}:
            return None
        token = {"nextPageToken": "again"} if mode == "same-page" else {}
        if last in {"shares", "schemas", "tables", "all-tables"}:
            item = {"name": "t", "share": "s", "schema": "ns"}
            return 200, {"items": [item], **token}
        schema = {"type": "struct", "fields": [FIELD]}
        lines: list[dict[str, Any]] = [
            {"protocol": {"minReaderVersion": 1}},
            {
                "metaData": {
                    "id": "1",
                    "format": {"provider": "parquet"},
                    "schemaString": json.dumps(schema),
                    "partitionColumns": [],
                }
            },
            {
                "file": {
                    "url": f"http://{OTHER}/file",
                    "id": "1",
                    "size": 9,
                    "partitionValues": {},
                }
            },
        ]
        return 200, "\n".join(map(json.dumps, lines)).encode()

    return Peer(answers, mode)


FIELD = {"name": "a", "type": "string", "nullable": True, "metadata": {}}
