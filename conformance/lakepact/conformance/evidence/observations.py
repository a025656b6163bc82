"""The tasks of a client on the checked server, as they ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TaskOutcome:
    """A task that did not work as on a server without a fault.

    Args:
        task: its name.
        outcome: refuses, fails or wrong.
        detail: the error of the client, or how the result differs.
        exchange: number of the request that decided it; 0 if the client sent none.
    """

    task: str
    outcome: str
    detail: str
    exchange: int = 0


@dataclass(frozen=True)
class Observation:
    """A client on the checked server.

    Args:
        client: its name.
        outcome: the worst of its tasks.
        tasks: the number of tasks that it performed.
        findings: the tasks that did not work; a chain of tasks ends at its first one.
        reason: why the client was not observed; empty if it was.
    """

    client: str
    outcome: str = ""
    tasks: int = 0
    findings: tuple[TaskOutcome, ...] = ()
    reason: str = ""
