"""A server in its own process whose tables have any Avro files, and callers that wait beside its
plans.
"""

from __future__ import annotations

import http.client
import json
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raw_connections import ServerProcess, answer_seconds, server_process

COLUMN = {"id": 1, "name": "id", "type": "long", "required": False}
ONE_SECOND = 1.0  #: on a machine that has nothing else to do
MEGABYTES = 500


@dataclass
class Planned:
    """A server with one table, whose manifest list is written by the test."""

    server: ServerProcess
    folder: Path  #: of the table
    waits: list[float] = field(default_factory=list)  #: seconds that other callers waited

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Return the document of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"content-type": "application/json"})
            return json.loads(connection.getresponse().read() or b"null")
        finally:
            connection.close()

    def write(self, name: str, content: bytes) -> str:
        """Write a file of the table, and return its location."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return f"file://{path}"

    def plan(self, **body: Any) -> Any:
        """Return the answer to planning a scan, while another caller asks for something else."""
        ended = threading.Event()

        def ask() -> None:
            while not ended.is_set():
                self.waits.append(answer_seconds(self.server.port))
                ended.wait(0.02)

        caller = threading.Thread(target=ask)
        caller.start()
        try:
            return self.request("POST", "/v1/namespaces/a/tables/t/plan", body)
        finally:
            ended.set()
            caller.join()

    def assert_sound(self) -> None:
        """Check that the process lives, took little memory, and answered the other callers."""
        assert self.server.process.poll() is None
        assert self.server.most_megabytes < MEGABYTES
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        assert max(self.waits, default=0) < ONE_SECOND * max(1, load)


@contextmanager
def planned(folder: Path, *options: str) -> Generator[Planned]:
    """Yield a server whose table has the manifest list `list.avro` of its folder."""
    with server_process("--warehouse", str(folder), *options) as server:
        table = Planned(server, folder / "a" / "t")
        location = f"file://{table.folder}"
        snapshot = {
            "snapshot-id": 1,
            "sequence-number": 1,
            "timestamp-ms": 1,
            "manifest-list": f"{location}/list.avro",
            "summary": {"operation": "append"},
            "schema-id": 0,
        }
        branch = {"ref-name": "main", "type": "branch", "snapshot-id": 1}
        new = {"name": "t", "location": location, "schema": {"type": "struct", "fields": [COLUMN]}}
        table.request("POST", "/v1/namespaces", {"namespace": ["a"]})
        table.request("POST", "/v1/namespaces/a/tables", new)
        updates = [
            {"action": "add-snapshot", "snapshot": snapshot},
            {"action": "set-snapshot-ref", **branch},
        ]
        commit = {"requirements": [], "updates": updates}
        assert "metadata" in table.request("POST", "/v1/namespaces/a/tables/t", commit)
        yield table
