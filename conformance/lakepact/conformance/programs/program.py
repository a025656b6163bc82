"""The program that runs a client: it reads one task per line, and answers each with one line of
JSON.

{"task": "list-tables", "arguments": {…}}
{"result": […]}   or   {"error": {"type": "…", "message": "…"}}   or   {"not_offered": true}
"""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from lakepact.conformance.evidence.limits import MAX_BODY
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.judging.expect import excerpt

RESULT, ERROR, NOT_OFFERED = "result", "error", "not_offered"
UNANSWERED = "the program ended without an answer"
PAGE = "docs/test-a-client.md describes the lines of a program"
QUOTED = 400  #: characters of an error message, and of each end of the error stream, in a report
MOST_ANSWERS = 100  #: that a program may have written ahead of its tasks
CHUNK = 64 * 1024  #: bytes that are read at once
PAUSE = 0.05  #: seconds after which the end of a program is noticed while others hold its pipes
ENDING_SECONDS = 10.0  #: to wait for a process that was killed


@dataclass(frozen=True)
class Ended:
    """A task that has ended.

    Args:
        task: its name.
        is_done: whether the program reported a result.
        value: the result.
        error: the type of the error that the program reported; empty if it reported none.
        why: the message of the error, or how the program ended.
        is_late: whether the program did not answer in time and was ended.
        seconds: duration of the task.
    """

    task: str
    is_done: bool = False
    value: Any = None
    error: str = ""
    why: str = ""
    is_late: bool = False
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """How it ended, for a report."""
        if self.is_done:
            return f"{self.task}: done"
        how = f"error {self.error}" if self.error else UNANSWERED
        if self.is_late:
            how = f"the program was ended after {self.seconds:.0f} s"
        why = " ".join(self.why.split())
        return f"{self.task}: {how}" + (f": {why[:QUOTED] if self.error else why}" if why else "")

    @property
    def outcome(self) -> str:
        """Return the result, or how it failed."""
        return excerpt(self.value) if self.is_done else self.text

    @property
    def result(self) -> Any:
        """Return the result.

        Raises:
            Unmet: the task failed.
        """
        if not self.is_done:
            raise Unmet(f"the client to do {self.task}", self.text)
        return self.value

    def prints(self, items: Sequence[Any]) -> bool:
        """Return whether the result holds these items, in any order."""
        return self.is_done and bool(in_order(self.value) == in_order(items))

    def expect_refusal(self, why: str) -> None:
        """Expect that the client reported an error.

        Args:
            why: what it should report.

        Raises:
            Unmet: it reported a result.
            Blocked: it was ended, perhaps while it retried.
        """
        if self.is_done:
            raise Unmet(f"an error from {self.task}, since {why}", f"the result {self.outcome}")
        if self.is_late:
            raise Blocked(
                f"{self.text}; it should report that {why}, and may need a longer --timeout"
            )


def in_order(value: Any) -> Any:
    """Return a sequence sorted by the JSON of its items, so that equal items compare equal; any
    other value unchanged.
    """
    return sorted(value, key=_canonical) if isinstance(value, (list, tuple)) else value


def _canonical(item: Any) -> bytes:
    return orjson.dumps(item, option=orjson.OPT_SORT_KEYS)


class _Excerpt:
    """The first and the last characters of a stream."""

    def __init__(self) -> None:
        self._first = self._last = b""
        self._is_cut = False

    def add(self, chunk: bytes) -> None:
        room = QUOTED - len(self._first)
        self._first += chunk[:room]
        last = self._last + chunk[room:]
        self._is_cut |= len(last) > QUOTED
        self._last = last[-QUOTED:]

    def __str__(self) -> str:
        return (self._first + (b" ... " if self._is_cut else b"") + self._last).decode(
            "utf-8", "replace"
        )


class _Process:
    """One running program.

    Args:
        command: its command line.
    """

    def __init__(self, command: Sequence[str]) -> None:
        # A session of its own ends with all processes that the program starts.
        self._process = subprocess.Popen(  # noqa: S603 - named by the user
            list(command),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        streams = (self._process.stdout, self._process.stderr)
        self._open = {stream for stream in streams if stream is not None}
        self._line = bytearray()  #: the part of a line that was read
        self._answers: deque[dict[str, Any]] = deque(maxlen=MOST_ANSWERS)
        self._errors = _Excerpt()
        self.tasks = 0  #: that it has answered

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def exits_after_a_task(self) -> bool:
        """Whether the program ended with 0 after it had answered: it wants to be started for each
        task.
        """
        return bool(self.tasks) and self._process.poll() == 0

    def ask(self, task: bytes, until: float) -> dict[str, Any] | None:
        """Return the answer to a task; None if the program ended, whoever else holds its pipes.

        Raises:
            TimeoutError: no answer came until then.
        """
        if self.tasks:
            self._errors = _Excerpt()
        unsent, stdin = memoryview(task + b"\n"), self._process.stdin
        assert stdin is not None  # noqa: S101 - it is a pipe
        os.set_blocking(stdin.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)
            for stream in self._open:
                selector.register(stream, selectors.EVENT_READ)
            while not self._answers:
                seconds = min(until - time.monotonic(), PAUSE)
                if seconds <= 0:
                    raise TimeoutError
                is_running = self.is_running  # asked first: what it wrote last is read afterwards
                ready = selector.select(seconds if is_running else 0)
                if not ready and not is_running:
                    return None
                for key, _ in ready:
                    if key.fileobj is stdin:
                        with contextlib.suppress(BlockingIOError):
                            unsent = unsent[_write_some(stdin.fileno(), unsent) :]
                        is_over = not unsent
                    else:
                        is_over = not self._take_output(key.fileobj, os.read(key.fd, CHUNK))
                    if is_over:
                        selector.unregister(key.fileobj)
        self.tasks += 1
        return self._answers.popleft()

    def _take_output(self, stream: Any, chunk: bytes) -> bool:
        """Keep answers and errors of a chunk; return False at the end of the stream."""
        if not chunk:
            self._open.discard(stream)
        elif stream is self._process.stderr:
            self._errors.add(chunk)
        else:
            self._line += chunk
            if b"\n" in chunk:
                *lines, rest = self._line.split(b"\n")
                self._answers.extend(filter(None, map(answer_of, lines)))
                self._line = rest
            elif len(self._line) > MAX_BODY:
                self._line = bytearray(b"\0")  # no answer; its end is none either
        return bool(chunk)

    def kill(self) -> None:
        """End it and the processes of its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """End it and the processes of its group, and close its pipes."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING_SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def end_text(self) -> str:
        """Return how the program ended, for a report."""
        code, errors = self._process.poll(), self.errors()
        self.end()
        stream = f"; its error stream: {' '.join(errors.split())}" if errors else ""
        return f"exit code {code}{stream}"

    def errors(self) -> str:
        """Return the beginning and the end of its error stream since the last task."""
        return str(self._errors)


def _write_some(pipe: int, content: memoryview) -> int:
    """Write to a pipe; return how many bytes need no further attempt: all of a closed pipe."""
    try:
        return os.write(pipe, content)
    except BrokenPipeError:
        return len(content)


def answer_of(line: bytes | bytearray) -> dict[str, Any] | None:
    """Return the answer in a line; None if the line is something else, such as a log message."""
    try:
        answer = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return (
        answer
        if isinstance(answer, dict) and answer.keys() & {RESULT, ERROR, NOT_OFFERED}
        else None
    )


@dataclass(frozen=True)
class Program:
    """The program that runs a client; it is started once for each task that runs at the same time.

    Args:
        command: its command line.
        seconds: the time limit of a task.
    """

    command: tuple[str, ...]
    seconds: float
    _idle: list[_Process] = field(default_factory=list, init=False, repr=False, compare=False)
    _running: set[_Process] = field(default_factory=set, init=False, repr=False, compare=False)
    _stop: threading.Event = field(
        default_factory=threading.Event, init=False, repr=False, compare=False
    )
    _has_answered: threading.Event = field(
        default_factory=threading.Event, init=False, repr=False, compare=False
    )
    _failures: deque[str] = field(
        default_factory=lambda: deque(maxlen=1), init=False, repr=False, compare=False
    )

    @property
    def failure(self) -> str:
        """How the last task failed, if none has been done; empty if one has, or if none was
        tried.
        """
        return "" if self._has_answered.is_set() else "".join(self._failures)

    def start(self) -> None:
        """Start the first process, so that a program that cannot run has ended before its first
        task.
        """
        self._idle.append(self._start())

    def check_running(self) -> None:
        """Check that no process has ended before its first task.

        Raises:
            Blocked: one has.
        """
        for process in self._idle:
            if not process.is_running and process.ask(b"", math.inf) is None:
                raise Blocked(f"{UNANSWERED}: {process.end_text()}; {PAGE}")

    def stop(self) -> None:
        """End all processes, and start no others."""
        self._stop.set()
        for process in tuple(self._running):
            process.kill()  # the thread that reads its answer closes its pipes
        while self._idle:
            self._idle.pop().end()

    def run(self, task: str, arguments: Mapping[str, Any], *, is_scripted: bool = False) -> Ended:
        """Let the program do one task.

        Args:
            task: its name.
            arguments: of the task.
            is_scripted: whether a script answers it; `held` hands those to a person.

        Raises:
            NotOffered: the client does not implement the task.
            Blocked: the program was stopped.
            OSError: the program does not exist.
        """
        end = self._run(task, arguments, is_scripted=is_scripted)
        if end.is_done:
            self._has_answered.set()
        else:
            self._failures.append(end.text)
        return end

    def _run(self, task: str, arguments: Mapping[str, Any], *, is_scripted: bool) -> Ended:  # noqa: ARG002
        line = orjson.dumps({"task": task, "arguments": dict(arguments)})
        start = time.monotonic()
        until = start + self.seconds
        process = self._take()
        try:
            answer = process.ask(line, until)
            if answer is None and process.exits_after_a_task and not self._stop.is_set():
                self._running.discard(process)
                process.end()
                process = self._start()
                answer = process.ask(line, until)
        except TimeoutError:
            process.end()
            return Ended(task, why=process.errors(), is_late=True, seconds=time.monotonic() - start)
        except BaseException:
            process.end()
            raise
        finally:
            self._running.discard(process)
            if self._stop.is_set():
                process.end()
        if self._stop.is_set():
            raise Blocked(f"{task} was stopped")
        if answer is None:
            return Ended(task, why=process.end_text(), seconds=time.monotonic() - start)
        self._idle.append(process)
        return end_of(task, answer, time.monotonic() - start)

    def _take(self) -> _Process:
        with contextlib.suppress(IndexError):
            process = self._idle.pop()
            if process.is_running:
                self._running.add(process)
                return process
            process.end()
            return self._take()
        return self._start()

    def _start(self) -> _Process:
        process = _Process(self.command)
        self._running.add(process)
        return process


def end_of(task: str, answer: Mapping[str, Any], seconds: float) -> Ended:
    """Return how a task ended.

    Raises:
        NotOffered: the client does not implement it.
    """
    if answer.get(NOT_OFFERED):
        raise NotOffered(f"the client does not implement {task}")
    error = answer.get(ERROR)
    if error is None:
        return Ended(task, is_done=True, value=answer.get(RESULT), seconds=seconds)
    document = error if isinstance(error, dict) else {"message": str(error)}
    return Ended(
        task,
        error=str(document.get("type") or "without a type"),
        why=str(document.get("message") or ""),
        seconds=seconds,
    )
