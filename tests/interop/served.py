"""`lakepact serve` as a separate process."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

STOP_SECONDS = 20
COMMAND = (sys.executable, "-m", "lakepact.reference_server")


def durable(folder: Path) -> list[str]:
    """Return the options of a durable catalog."""
    return ["--store", str(folder / "catalog.db")]


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Generator[str]:
    """Yield the address of a reference server with the warehouse `folder/warehouse` and the log
    `folder/server.log`.
    """
    command = [*COMMAND, "--port", "0", "--warehouse", str(folder / "warehouse"), *options]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("http"), (folder / "server.log").read_text("utf-8")
            yield url
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)
