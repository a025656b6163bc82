"""Tiny correct and faulty servers for tests of the suite."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
Answerer = Callable[[str, str, bytes], Answer]


def answer(status: int, document: Any = None, **headers: str) -> Answer:
    """Return an answer with a JSON body, or none."""
    body = b"" if document is None else json.dumps(document).encode()
    return status, {**({"Content-Type": "application/json"} if body else {}), **headers}, body


@contextlib.contextmanager
def miniature(answerer: Answerer) -> Iterator[str]:
    """Serve the answers of `answerer(method, target, body)`, and yield the address.

    A method `listen` of the answerer gets the headers of each request before the answer.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # headers and body in one packet: a second packet would wait for the acknowledgement of the
        # first
        wbufsize = 65536

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if hasattr(answerer, "listen"):
                answerer.listen({name.lower(): value for name, value in self.headers.items()})
            status, headers, content = answerer(self.command, self.path, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = answer  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
