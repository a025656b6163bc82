"""A program whose tasks a person performs, with a client in a debugger, while the scripted server
waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.programs.program import Ended, Program, answer_of, end_of

HOW = """
Perform this task with your client, at the address in its arguments:

  %s

Then write its answer, one line of JSON such as {"result": null} or
{"error": {"type": "…", "message": "…"}}; an empty line stands for {"result": null}."""
NO_RESULT = b'{"result": null}'


@dataclass(frozen=True)
class HeldProgram(Program):
    """Shows each task that a script answers, and waits for the answer; the program does the others,
    if there is one.

    Args:
        show: shows a text.
        read: returns the next line, empty at the end of the input.
    """

    show: Callable[[str], object]
    read: Callable[[], bytes]

    def _run(self, task: str, arguments: Mapping[str, Any], *, is_scripted: bool) -> Ended:
        if self.command and not is_scripted:
            return super()._run(task, arguments, is_scripted=False)
        start = time.monotonic()
        line = orjson.dumps({"task": task, "arguments": dict(arguments)}).decode()
        while True:
            self.show(HOW % line)
            answer = self.read()
            if not answer:
                raise Blocked(f"{task} has no answer: the input ended")
            result = answer_of(answer.strip() or NO_RESULT)
            if result is not None:
                return end_of(task, result, time.monotonic() - start)
