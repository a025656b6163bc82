"""Operators from which mutants of several contracts are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install, Operations, on_call, on_request
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope


def refuse_calls(
    operations: Operations, wrong: Callable[[dict[str, Any]], object], problem: Problem
) -> Install:
    """Refuse calls whose arguments `wrong` selects."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if wrong(arguments):
            raise problem
        return handler(**arguments)

    return on_call(operations, act)


def refuse_requests(
    operations: Operations, wrong: Callable[[Scope], object], problem: Problem
) -> Install:
    """Refuse requests that `wrong` selects before their parameters are read."""

    def guard(scope: Scope) -> None:
        if wrong(scope):
            raise problem

    return on_request(operations, guard)


def on_refusal(
    operations: Operations, when: int | str, act: Callable[[Handler, dict[str, Any]], Reply]
) -> Install:
    """Answer calls that are refused with one status, or with one type of error, by
    `act(handler, arguments)`.
    """

    def answer(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if when not in {problem.status, problem.kind}:
                raise
            return act(handler, arguments)

    return on_call(operations, answer)
