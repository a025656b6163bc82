"""The program that speaks for a client: it is started once for each task, prints what came of it as JSON, and ends.

    COMMAND… TASK ARGUMENTS

`ARGUMENTS` is one JSON object. Exit code 0: done; 77: the client has nothing that does this; any other: it was refused, or failed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance.expect import shown
from lakepact.conformance.outcome import Blocked, NotOffered, Unmet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DONE, CANNOT = 0, 77
SAID = 400  #: characters of what a program says on its error stream that a report quotes, the last ones


@dataclass(frozen=True)
class Ended:
    """A program that has ended, or was ended because it took too long.

    Args:
        task: what it was to do.
        code: its exit code; None if it had to be ended.
        printed: its output.
        said: what it wrote to its error stream.
        seconds: how long it took.
    """

    task: str
    code: int | None
    printed: bytes
    said: str
    seconds: float

    @property
    def shown(self) -> str:
        """How it ended, for a report."""
        how = f"it was ended after {self.seconds:.0f} s" if self.code is None else f"exit code {self.code}"
        said = " ".join(self.said.split())
        return f"{self.task}: {how}" + (f"; it said: {said[-SAID:]}" if said else "")

    @property
    def outcome(self) -> str:
        """Return the output of the program, or how it failed."""
        return shown(self.printed.decode("utf-8", "replace").strip()) if self.code == DONE else self.shown

    @property
    def result(self) -> Any:
        """Return the output.

        Raises:
            Unmet: it failed, or printed no JSON.
        """
        if self.code != DONE:
            raise Unmet(f"the client to do {self.task}", self.shown)
        if not self.printed.strip():
            return None
        try:
            return orjson.loads(self.printed)
        except orjson.JSONDecodeError:
            raise Unmet(f"JSON printed by {self.task}", shown(self.printed.decode("utf-8", "replace"))) from None

    def prints(self, items: Sequence[Any]) -> bool:
        """Return whether it ended well and printed these items, in whatever order."""
        try:
            return bool(in_order(self.result) == in_order(items))
        except Unmet:
            return False

    def is_refused(self, why: str) -> None:
        """Expect that it did not end as if it had done its task.

        Args:
            why: what it had to notice.

        Raises:
            Unmet: it ended well.
            Blocked: it had to be ended, perhaps while it tried again.
        """
        if self.code == DONE:
            raise Unmet(f"{self.task} to fail: {why}", f"exit code 0, and it printed {self.outcome}")
        if self.code is None:
            raise Blocked(f"{self.shown}; --timeout gives it more time to notice that {why}")


def in_order(value: Any) -> Any:
    """Return a sequence in an order of its own, so that those with the same items are equal; anything else as it is."""
    return sorted(value, key=orjson.dumps) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True)
class Program:
    """The program that is started for each task.

    Args:
        command: the beginning of its command line.
        seconds: the time limit of a task.
    """

    command: tuple[str, ...]
    seconds: float
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set, init=False, repr=False, compare=False)
    _stopped: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    def stop(self) -> None:
        """End what is running, and start nothing any more."""
        self._stopped.set()
        for process in tuple(self._running):
            _end(process)

    def run(self, task: str, arguments: Mapping[str, Any]) -> Ended:
        """Let it do one task.

        Raises:
            NotOffered: the client has nothing that does it.
            Blocked: it was stopped.
            OSError: there is no such program.
        """
        started = time.monotonic()
        words = [*self.command, task, orjson.dumps(arguments).decode()]
        # A session of its own, so that what it starts itself ends with it.
        with subprocess.Popen(  # noqa: S603 - what the user names
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        ) as process:
            self._running.add(process)
            if self._stopped.is_set():
                _end(process)
            try:
                printed, said = process.communicate(timeout=self.seconds)
                code: int | None = process.returncode
            except subprocess.TimeoutExpired:
                code = None
                _end(process)
                printed, said = process.communicate()
            except BaseException:
                _end(process)
                raise
            finally:
                self._running.discard(process)
        if self._stopped.is_set():
            raise Blocked(f"{task} was stopped")
        if code == CANNOT:
            raise NotOffered(f"the client has nothing for {task}")
        return Ended(task, code, printed, said.decode("utf-8", "replace"), time.monotonic() - started)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
