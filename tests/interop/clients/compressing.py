"""A compressing proxy, like web servers in front of a catalog, that counts requests.

If the client accepts gzip, the proxy compresses bodies and makes their entity tags weak, because
the bytes change (RFC 9110, 8.8.3.3).
"""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections import Counter
from collections.abc import Generator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PASSED_ON = ("content-type", "ETag", "vary", "location", "retry-after")
OF_A_CONNECTION = {"host", "connection", "content-length", "transfer-encoding"}


class Passing(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: Proxy

    def _pass(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        upstream = HTTPConnection(self.server.upstream, timeout=60)
        with contextlib.closing(upstream):
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in OF_A_CONNECTION
            }
            upstream.request(self.command, self.path, content or None, headers)
            answer = upstream.getresponse()
            body = answer.read()
        packs = bool(body) and "gzip" in (self.headers.get("accept-encoding") or "")
        if packs:
            body = gzip.compress(body)
        with self.server.lock:
            self.server.seen[self.command, answer.status, packs] += 1
            self.server.requests[self.command, urlsplit(self.path).path.rpartition("/")[2]] += 1
        self.send_response(answer.status)
        for name in PASSED_ON:
            if value := answer.headers.get(name):
                self.send_header(name, f"W/{value}" if packs and name == "ETag" else value)
        if packs:
            self.send_header("content-encoding", "gzip")
        if answer.status not in {204, 304}:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _pass  # noqa: N815 - as the library calls them

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class Proxy(ThreadingHTTPServer):
    """A proxy to one server."""

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.upstream = urlsplit(url).netloc
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.Lock()
        self.seen = Counter[
            tuple[str, int, bool]
        ]()  #: method, status, and whether the body was compressed
        self.requests = Counter[tuple[str, str]]()  #: method and the last step of the path

    def count(self, method: str, status: int) -> int:
        """Return the number of requests of a method with an answer of a status."""
        with self.lock:
            return sum(
                number
                for (what, how, _), number in self.seen.items()
                if (what, how) == (method, status)
            )


@contextlib.contextmanager
def compressing(url: str) -> Generator[Proxy]:
    """Yield a compressing proxy in front of a server."""
    with Proxy(url) as proxy:
        thread = threading.Thread(
            target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
