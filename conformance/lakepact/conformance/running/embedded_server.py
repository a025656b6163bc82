"""The embedded target: the reference server in its own process, checked when no address is
given.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running.suite import Suite

STOP_SECONDS = 10
WRONG_USAGE = 2  #: exit code of a server that rejects its options


class Misused(Exception):
    """The server rejects its options."""


@contextlib.contextmanager
def embedded(suite: Suite[Any], *, faults: Sequence[str] = ()) -> Generator[Target]:
    """Start the reference server on a free port, yield it as a target, and stop it afterwards.

    Args:
        suite: the suite of the contract that it serves.
        faults: names of faults to switch on.

    Raises:
        Misused: a fault is unknown.
        Blocked: the server did not start.
    """
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        home = suite.launch_settings(Path(folder))
        command = [
            sys.executable,
            "-m",
            "lakepact.reference_server",
            "--contract",
            suite.contract.name,
            "--port",
            "0",
            *home.arguments,
        ]
        for fault in faults:
            command += ["--fault", fault]
        with answering(command) as address:
            yield replace(home.target(address), name="embedded reference server")


@contextlib.contextmanager
def answering(command: Sequence[str]) -> Generator[str]:
    """Start a server and yield the address that it prints."""
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        complaints = _Complaints(process)
        try:
            line = process.stdout.readline() if process.stdout else ""
            words = [word for word in line.split() if word.startswith("http://")]
            if not words:
                process.wait(STOP_SECONDS)
                if process.returncode == WRONG_USAGE:
                    raise Misused(f"the embedded server rejected its options: {complaints.last()}")
                complaints.pass_on()
                raise Blocked(
                    f"the embedded server did not start (exit code {process.returncode}); `lakepact"
                    " serve` shows why"
                )
            complaints.pass_on()
            yield words[0]
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            complaints.end()


class _Complaints:
    """The error stream of a server, buffered until the server has started or failed.

    Args:
        server: its process.
    """

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._stream = server.stderr or ()
        self._held: list[str] = []
        self._passing = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for line in self._stream:
            with self._lock:
                self._held.append(line)
                self._tell()

    def _tell(self) -> None:
        while self._passing and self._held:
            sys.stderr.write(self._held.pop(0))

    def pass_on(self) -> None:
        """Write it to the error stream of this process."""
        with self._lock:
            self._passing = True
            self._tell()

    def last(self) -> str:
        """Return the last line of a server that ended: its error."""
        self.end()
        lines = [line.strip() for line in self._held if line.strip()]
        return lines[-1].removeprefix("Error: ") if lines else "it does not say why"

    def end(self) -> None:
        """Wait for the rest of the stream of a server that ended."""
        self._thread.join(STOP_SECONDS)
