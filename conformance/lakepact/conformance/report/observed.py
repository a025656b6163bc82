"""The clients that performed everyday tasks on the target, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakepact.conformance.report.causes import plural
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from lakepact.generated.report import Finding as TaskPart


def observed(shown: Outline) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name of each client, its outcome, and a line for each task that did not work."""
    for client in shown.clients:
        outcome = client.get("outcome") or f"not observed: {client.get('reason', '')}"
        tasks = f" ({plural(client['tasks'], 'task')})" if client["tasks"] else ""
        yield client["client"], outcome + tasks, [_task(shown, t) for t in client["findings"]]


def harmed_by(shown: Outline, cause: int) -> Iterator[str]:
    """Yield a line for each task of a client on this server that ended by the answer of a cause."""
    for client in shown.clients:
        for task in client["findings"]:
            if task.get("cause") == cause:
                yield f"{client['client']} on this server {_task(shown, task)}"


def _task(shown: Outline, task: TaskPart) -> str:
    """Return a task with the request that decided it, and the cause of the same answer."""
    exchange = shown.exchanges.get(task.get("exchange", 0))
    request = ""
    if exchange is not None:
        sent, status = exchange["request"], exchange["response"]["status"]
        request = f"; at {sent['method']} {sent['url']}, which returned {status or 'no answer'}"
    cause = f" (cause {task['cause']})" if "cause" in task else ""
    return f"{task['outcome']} {task['task']}: {task['detail']}{request}{cause}"
