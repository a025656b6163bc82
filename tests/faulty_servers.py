"""Checks of the embedded server with faults of a test: unusual but correct, or wrong in one point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faulty import unnamed
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner, suite
from lakepact.reference_server import running

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install


def results(faults: dict[str, Install], *only: str, version: str = "1.10.0") -> dict[str, Outcome]:
    """Return the outcomes of the embedded server with these faults, by requirement."""
    installed = [unnamed(install) for install in faults.values()]
    with running(contract="iceberg_rest", contract_version=version, warehouse="memory:", faults=installed) as server:
        run = runner.Run(plan.plan(suite.load("iceberg_rest", version), only=only), Target(server.url))
        for _ in run.events():
            pass
    return {requirement: result.outcome for requirement, result in run.results().items()}


def judged(faults: dict[str, Install], *only: str) -> list[tuple[str, str]]:
    """Return the failed, warned and broken requirements of the embedded server with these faults, sorted, with outcomes."""
    broken = {Outcome.FAIL, Outcome.WARN, Outcome.ERROR}
    return sorted((requirement, str(outcome)) for requirement, outcome in results(faults, *only).items() if outcome in broken)
