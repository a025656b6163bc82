"""The clients that performed everyday tasks on the target, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakepact.conformance.report.causes import plural


def observed(report: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name of each client, its outcome, and a line for each task that did not work."""
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    for client in report:
        if client["line"] == "client":
            outcome = client.get("outcome") or f"not observed: {client['reason']}"
            tasks = f" ({plural(client['tasks'], 'task')})" if client["tasks"] else ""
            lines = [_task(task, exchanges) for task in client["findings"]]
            yield client["client"], outcome + tasks, lines


def harmed_by(report: Sequence[Mapping[str, Any]], cause: int) -> Iterator[str]:
    """Yield a line for each task of a client on this server that ended by the answer of a cause."""
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    for client in report:
        if client["line"] == "client":
            for task in client["findings"]:
                if task.get("cause") == cause:
                    yield f"{client['client']} on this server {_task(task, exchanges)}"


def _task(task: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> str:
    """Return a task with the request that decided it, and the cause of the same answer."""
    exchange = exchanges.get(task.get("exchange", 0))
    request = ""
    if exchange is not None:
        sent, status = exchange["request"], exchange["response"]["status"]
        request = f"; at {sent['method']} {sent['url']}, which returned {status or 'no answer'}"
    cause = f" (cause {task['cause']})" if "cause" in task else ""
    return f"{task['outcome']} {task['task']}: {task['detail']}{request}{cause}"
