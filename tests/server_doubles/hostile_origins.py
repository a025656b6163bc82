"""Two servers on different ports of 127.0.0.1, which are different origins, and names that lead
there.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Origin:
    """A server that answers by path with a status, headers and a document, and records the headers
    of every request.
    """

    port: int
    answers: dict[str, tuple[int, dict[str, str], Any]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def on(self, path: str, document: Any = None, status: int = 200, **headers: str) -> None:
        self.answers[path] = (status, headers, document)

    def saw(self, secret: str) -> bool:
        """Return whether a request held the secret in a header or its path."""
        return any(secret in f"{path} {headers}" for path, headers in self.requests)


@contextlib.contextmanager
def serving() -> Generator[Origin]:
    """Yield a server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            origin.requests.append((self.path, dict(self.headers)))
            status, headers, document = origin.answers.get(
                self.path.partition("?")[0], (404, {}, None)
            )
            content = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(content)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = answer  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    origin = Origin(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield origin
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def resolve(monkeypatch: pytest.MonkeyPatch, **addresses: str) -> None:
    """Let host names below `.test` resolve to addresses, in threads and in event loops."""
    known = socket.getaddrinfo
    names = {f"{name}.test": address for name, address in addresses.items()}

    def resolved(host: Any, *args: Any, **kwargs: Any) -> Any:
        text = host.decode() if isinstance(host, bytes) else host
        return known(names.get(text, host), *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
