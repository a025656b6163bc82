"""Writes through a proxy that spoils a third of the commits.

`python -m rows_fuzz.spoiled URL TABLE FIRST COUNT` writes rows with ids from FIRST on, and prints
as JSON which of them have to be there; null where the outcome of the last write is unknown.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from lakepact.client import CommitRejected, IcebergCatalog, OutcomeUnknown
from lakepact.client.retries import Retries


@contextlib.contextmanager
def spoiling(url: str, table: str) -> Iterator[str]:
    """Yield the address of a proxy: of three commits, about one is lost, or its answer is."""
    random = Random(1)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            is_commit = self.command == "POST" and self.path.endswith(f"/tables/{table}")
            chance = random.random() if is_commit else 1.0
            if chance < 1 / 6:
                self._answer(503, b"{}")
                return
            headers = {name: value for name, value in self.headers.items() if name != "Host"}
            request = urllib.request.Request(
                url + self.path, body or None, headers, method=self.command
            )
            try:
                with urllib.request.urlopen(request) as reply:
                    status, content = reply.status, reply.read()
            except urllib.error.HTTPError as error:
                status, content = error.code, error.read()
            if chance < 1 / 3:
                self.close_connection = True  # the answer is lost
                return
            self._answer(status, content)

        def _answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_HEAD = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def write(catalog: IcebergCatalog, table: str, first: int, count: int) -> dict[int, int | None]:
    """Change rows, and return the number that each has to have; 0 for none, None for any."""
    random, numbers = Random(first), dict[int, int | None]()
    for number in range(1, count + 1):
        verb = random.choice(["append", "append", "upsert", "overwrite", "delete"])
        key = first + len(numbers) if verb == "append" else random.choice([first, *numbers])
        rows = {"id": [key], "n": [number]}
        arguments = {
            "append": (rows,),
            "upsert": (rows, ["id"]),
            "overwrite": (rows, f"id = {key}"),
            "delete": (f"id = {key}",),
        }[verb]
        before = numbers.get(key, 0)
        try:
            getattr(catalog, verb)(table, *arguments)
            numbers[key] = 0 if verb == "delete" else number
        except CommitRejected:
            numbers[key] = before
        except OutcomeUnknown:
            numbers[key] = None
    return numbers


def main() -> None:
    """Write, as the arguments say."""
    url, table, first, count = sys.argv[1:]
    # A commit whose outcome is unknown is looked up in all tries: long pauses take minutes.
    retries = Retries(tries=8, first_pause=0.05, longest_pause=0.4)
    options: dict[str, Any] = {"trusted_origins": ["file:"], "retries": retries}
    with IcebergCatalog(url, **options) as catalog:
        print(json.dumps(write(catalog, table, int(first), int(count))))  # noqa: T201


if __name__ == "__main__":
    main()
