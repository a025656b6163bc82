"""Runs of checks, and the embedded server with faults of a test: unusual but correct, or wrong in
one point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faulty import unnamed
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running import plan, runner, suite
from lakepact.generated.contract import Contract
from lakepact.reference_server import running
from lakepact.reference_server.faults import Install, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler

Body = dict[str, Any]


def new_suite(**settings: Any) -> suite.Suite[Lab]:
    """Return a suite without checks, for catalogs that offer everything."""
    offer = Offer(
        operations=frozenset(Contract("iceberg_rest").operations), segments={"prefix": None}
    )
    return suite.Suite("iceberg_rest", lab=Lab, discover=lambda *_: offer, **settings)


def checked(
    target: Any,
    *only: str,
    of: str | suite.Suite[Any] = "iceberg_rest",
    version: str | None = None,
    **options: Any,
) -> runner.Run:
    """Return the finished run of chosen checks of a contract or suite against a target or an
    address.
    """
    chosen = suite.load(of, version) if isinstance(of, str) else of
    run = runner.Run(
        plan.plan(chosen, only=only),
        Target(target) if isinstance(target, str) else target,
        **options,
    )
    for _ in run.events():
        pass
    return run


def outcomes_of(run: runner.Run) -> dict[str, Outcome]:
    """Return the outcomes of a run, by requirement."""
    return {requirement: result.outcome for requirement, result in run.results().items()}


def results(
    install: Install, *only: str, version: str = "1.10.0", **features: bool
) -> dict[str, Outcome]:
    """Return the outcomes of the embedded server with a fault, by requirement."""
    with running(
        contract="iceberg_rest",
        contract_version=version,
        warehouse="memory:",
        faults=[unnamed(install)],
    ) as server:
        return outcomes_of(checked(Target(server.url, features=features), *only, version=version))


def refuses(
    operations: Any,
    when: Callable[[dict[str, Any]], Any],
    status: int,
    kind: str = "BadRequestException",
) -> Install:
    """Return a fault that refuses the calls whose arguments satisfy a condition."""

    def refuse(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if when(arguments):
            raise Problem(status, kind, "This catalog does not do that")
        return handler(**arguments)

    return on_call(operations, refuse)


def rewrites(operations: Any, edit: Callable[[Body], Body]) -> Install:
    """Return a fault that carries out other bodies than those of the requests."""

    def rewrite(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return handler(**{**arguments, "body": edit(arguments["body"])})

    return on_call(operations, rewrite)
