"""The embedded target: the reference server in a process of its own, judged when no address is given."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakepact.conformance.outcome import Blocked

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from lakepact.conformance.suite import Suite
    from lakepact.conformance.target import Target

STOP_SECONDS = 10
WRONG_USAGE = 2  #: the exit code of a server that was told what it does not know


class Misused(Exception):
    """The server refuses what it was told; it has said on the error stream why."""


@contextlib.contextmanager
def embedded(suite: Suite[Any], *, faults: Sequence[str] = ()) -> Generator[Target]:
    """Start the reference server on a free port with what the contract needs; yields it as a target and stops it afterwards.

    Args:
        suite: the suite of the contract that it serves.
        faults: names of faults to switch on.

    Raises:
        Misused: there is no such fault.
        Blocked: it did not start.
    """
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        home = suite.at_home(Path(folder))
        command = [sys.executable, "-m", "lakepact.reference_server", "--contract", suite.contract.name, "--port", "0", *home.arguments]
        for fault in faults:
            command += ["--fault", fault]
        with answering(command) as address:
            yield home.target(address)


@contextlib.contextmanager
def answering(command: Sequence[str]) -> Generator[str]:
    """The address that a server says it has, for as long as it is needed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        try:
            line = process.stdout.readline() if process.stdout else ""
            words = [word for word in line.split() if word.startswith("http://")]
            if not words:
                process.wait(STOP_SECONDS)
                if process.returncode == WRONG_USAGE:
                    raise Misused("the embedded server does not know what it was told: see above")
                raise Blocked(f"the embedded server did not start (exit code {process.returncode}); `lakepact serve` shows why")
            yield words[0]
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
