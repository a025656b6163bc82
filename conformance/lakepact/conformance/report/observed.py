"""The clients that performed everyday tasks on the target, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakepact.conformance.report.causes import plural
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from lakepact.generated.report import Finding as TaskPart


def clients(outline: Outline) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name of each client, its outcome, and a line for each task that did not work."""
    for client in outline.clients:
        outcome = client.get("outcome") or f"not observed: {client.get('reason', '')}"
        tasks = f" ({plural(client['tasks'], 'task')})" if client["tasks"] else ""
        yield client["client"], outcome + tasks, [_task(outline, t) for t in client["findings"]]


def tasks_of_cause(outline: Outline, cause: int) -> Iterator[str]:
    """Yield a line for each task of a client on this server that ended by the answer of a cause."""
    for client in outline.clients:
        for task in client["findings"]:
            if task.get("cause") == cause:
                yield f"{client['client']} on this server {_task(outline, task)}"


def _task(outline: Outline, task: TaskPart) -> str:
    """Return a task with the request that decided it, and the cause of the same answer."""
    exchange = outline.exchanges.get(task.get("exchange", 0))
    request = ""
    if exchange is not None:
        request_line, status = exchange["request"], exchange["response"]["status"]
        request = f"; at {request_line['method']} {request_line['url']}, which returned {status or 'no answer'}"
    cause = f" (cause {task['cause']})" if "cause" in task else ""
    return f"{task['outcome']} {task['task']}: {task['detail']}{request}{cause}"
