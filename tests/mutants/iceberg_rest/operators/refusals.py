"""Refusals that come with the wrong status or under the wrong name."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.generated.contract import OperationId
from lakepact.reference_server.faults import Install, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.documents import Document


def refusals_become(
    operation: OperationId,
    status: int,
    become: Callable[[Problem], Problem],
    *,
    when: Callable[[Document], bool] | None = None,
) -> Install:
    """Refusals of an operation with one status become `become(problem)`.

    Args:
        operation: its id.
        status: of the refusals to replace.
        become: returns the replacement.
        when: selects requests by their bodies; `None` for all.
    """

    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status != status or (when is not None and not when(arguments["body"])):
                raise
            raise become(problem) from problem

    return on_call(operation, act)


def called(kind: str, *, instead_of: str | None = None) -> Callable[[Problem], Problem]:
    """The same refusal by another name; with `instead_of`, only if it has that one."""
    return lambda problem: (
        Problem(problem.status, kind, problem.message)
        if instead_of in {None, problem.kind}
        else problem
    )


def with_status(status: int, kind: str | None = None) -> Callable[[Problem], Problem]:
    """The same refusal with another status, and by another name if one is given."""
    return lambda problem: Problem(status, kind or problem.kind, problem.message)
