"""The tasks that a program implements."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Generator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.programs.program import Program
from lakepact.conformance.running import suite as suites

NOTHING = b'{"error": {"message": "nothing here", "type": "NotFoundException", "code": 404}}'
#: One value for each argument of a task.
ARGUMENTS: dict[str, Any] = (
    {
        "properties": {},
        "namespace": ["n"],
        "parent": ["n"],
        "table": "s.n.t",
        "tables": ["t"],
        "view": "v",
        "to": "u",
        "column": "c",
        "sql": "SELECT 1 AS id",
        "rows": [{"id": 1, "data": "a"}],
        "metadata-location": "file:///nothing.metadata.json",
        "times": 1,
        "pause": 0,
        "snapshot-id": 1,
        "ref": "main",
        "branch": "b",
        "tag": "t",
        "version": 0,
        "timestamp": 0,
        "older-than": 0,
        "key": ["id"],
        "changes": [{"where": {"id": 1}, "set": {"data": "b"}}],
        "starting-version": 0,
        "ending-version": 0,
    }
    | {member: {"a": "1"} for member in ("updates", "first", "second", "where", "set")}
    | {"removals": ["b"]}
)


class _Nothing(BaseHTTPRequestHandler):
    """Answers every request with 404."""

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", str(len(NOTHING)))
        self.end_headers()
        self.wfile.write(NOTHING)

    do_POST = do_HEAD = do_DELETE = do_GET  # noqa: N815 - names that the library calls

    def log_message(self, *_: object) -> None:
        """Write no log."""


@contextlib.contextmanager
def _empty_server() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Nothing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def implemented(
    command: Sequence[str], contract: str, *, folder: Path, seconds: float
) -> dict[str, bool]:
    """Return whether a program implements each task; every request of a task gets 404.

    Args:
        command: the command line of the program.
        contract: its contract.
        folder: takes the profile of Delta Sharing.
        seconds: time limit of a task.
    """
    program = Program(tuple(command), seconds)
    with _empty_server() as url:
        profile = folder / "nothing.share"
        profile.write_text(
            json.dumps({"shareCredentialsVersion": 1, "endpoint": url, "bearerToken": "t"}), "utf-8"
        )
        server = {"uri": url, "profile": str(profile)}
        try:
            return {
                task: _is_offered(program, task, server)
                for task in suites.of_clients(contract).lab.tasks
            }
        finally:
            program.stop()


def _is_offered(program: Program, task: str, server: dict[str, str]) -> bool:
    try:
        program.run(task, {**ARGUMENTS, **server})
    except NotOffered:
        return False
    return True
