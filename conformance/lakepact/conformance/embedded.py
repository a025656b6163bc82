"""The embedded target: the reference server in a process of its own, judged when no address is given."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

from lakepact.conformance.outcome import Blocked
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

STOP_SECONDS = 10

#: Features that no answer tells of: server and harness share a machine, and the server keeps all tables below one folder.
AT_HOME = ("readable-files", "location-policy")


def features(contract: str) -> dict[str, bool]:
    """What is known of the reference server on this machine before it is asked, as far as the contract has such features."""
    known = Contract(contract).features
    return {name: True for name in AT_HOME if name in known}


@contextlib.contextmanager
def embedded(contract: str, *, faults: Sequence[str] = ()) -> Generator[str]:
    """Start the reference server on a free port; yields its address and stops it afterwards.

    Args:
        contract: name of the contract that it serves.
        faults: names of faults to switch on.

    Raises:
        Blocked: it did not start.
    """
    command = [sys.executable, "-m", "lakepact.reference_server", "--contract", contract, "--port", "0"]
    for fault in faults:
        command += ["--fault", fault]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        try:
            line = process.stdout.readline() if process.stdout else ""
            words = [word for word in line.split() if word.startswith("http://")]
            if not words:
                process.wait(STOP_SECONDS)
                raise Blocked(f"the embedded server did not start (exit code {process.returncode}); `lakepact serve` shows why")
            yield words[0]
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
