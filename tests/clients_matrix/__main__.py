"""The published matrix of clients: `nox -s clients_matrix`, or `python -m clients_matrix [NAME …]`
for some of them.

Each program is built, checked with `lakepact check-client`, and ended. docs/matrix/clients.md is
the page, and docs/matrix/clients has for each client the report as JSON lines, the file of known
failures, and the tasks that its program implements.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import orjson

from clients_matrix.clients import CLIENTS, TESTS, ClientProgram
from clients_matrix.page import page
from clients_matrix.tasks import implemented
from published_matrix import check_each, keep, run_check

DOCS = TESTS.parent / "docs" / "matrix"
CHECK_SECONDS = 3600


def main(names: list[str]) -> int:
    """Check the named clients, or all, and write the page of all reports that exist; return the
    exit code.
    """
    return check_each(
        CLIENTS,
        names,
        _check,
        write_page=lambda: _write(DOCS / "clients.md", page(DOCS / "clients", CLIENTS)),
    )


def _check(client: ClientProgram) -> None:
    command = client.command()
    place = DOCS / "clients" / client.name
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
        report = Path(folder, "report.jsonl")
        options = [
            "--contract",
            client.contract,
            "--name",
            f"{client.title} {client.version}",
            "--timeout",
            str(client.seconds),
        ]
        run_check(
            ["check-client", *options, "--report", f"jsonl={report}", "--", *command],
            seconds=CHECK_SECONDS,
        )
        tasks = implemented(command, client.contract, folder=Path(folder), seconds=client.seconds)
        keep(report, place, name=f"{client.title} {client.version}", seconds=CHECK_SECONDS)
    (place / "tasks.json").write_bytes(
        orjson.dumps(tasks, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    )


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
