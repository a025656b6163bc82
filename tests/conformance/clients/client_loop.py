"""The loop of a client program: a task in each line of standard input, and its answer in a line of
standard output.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def answer_tasks(perform: Callable[[str, dict[str, Any]], Any]) -> None:
    """Answer every task with the result of `perform(task, arguments)`, which raises
    NotImplementedError for what it does not offer.
    """
    for line in sys.stdin:
        line_of_task = json.loads(line)
        try:
            answer = {"result": perform(line_of_task["task"], line_of_task["arguments"])}
        except NotImplementedError:
            answer = {"not_offered": True}
        except Exception as error:  # noqa: BLE001 - reported
            answer = {"error": {"type": type(error).__name__, "message": str(error)}}
        text = json.dumps(answer, default=str).replace(": NaN", ': "NaN"')  # JSON has no NaN
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def repeatedly(once: Callable[[], Any], arguments: dict[str, Any]) -> list[Any]:
    """Return the results of as many calls as a task asks for."""
    results = [once()]
    for _ in range(arguments["times"] - 1):
        time.sleep(arguments["pause"])
        results.append(once())
    return results
