'''Misbehaviour on demand: a fault makes the server wrong in one named way, to test clients and the suite.

Every operation has the faults of `ANSWERS`: `loadTable.slow`, or `slow` for all operations. Others are functions:

    @fault("IRC-CFG-001", by=partial(on_answer, "getConfig"))
    def config_without_defaults(document: Any) -> None:
        """The configuration lacks `defaults`."""
        del document["defaults"]

The name of a fault is its function's, with hyphens. The requirements are those that it breaks.
`operators` has the ways to make a server wrong.
'''

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lakepact.generated.contract import Contract, OperationId
from lakepact.reference_server.faults.answers import ANSWERS
from lakepact.reference_server.faults.operators import (
    Install,
    Operations,
    UnknownFault,
    accept,
    all_of,
    on_answer,
    on_call,
    on_headers,
    on_lines,
    on_reply,
    on_request,
    on_status,
    on_wire,
    per_server,
    replace_entry,
    replace_rule,
    skip_validation,
    wrap_entry,
    wrap_rule,
)
from lakepact.reference_server.http.service import EVERY, UNKNOWN_PATH, WRONG_METHOD

__all__ = [
    "ANSWERS",
    "EVERY",
    "UNKNOWN_PATH",
    "WRONG_METHOD",
    "Fault",
    "Install",
    "Operations",
    "UnknownFault",
    "accept",
    "all_of",
    "fault",
    "find_fault",
    "on_answer",
    "on_call",
    "on_headers",
    "on_lines",
    "on_reply",
    "on_request",
    "on_status",
    "on_wire",
    "per_server",
    "replace_entry",
    "replace_rule",
    "skip_validation",
    "wrap_entry",
    "wrap_rule",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One named misbehaviour of the server, and the requirements that it breaks."""

    name: str
    breaks: tuple[str, ...]
    install: Install
    breaks_at: str = ""  #: JSON pointer to where it shows in answers, if that is declared


def fault(
    *breaks: str,
    by: Callable[[Any], Install] | None = None,
    name: str | None = None,
    breaks_at: str = "",
) -> Callable[[Callable[..., Any]], Fault]:
    """Make a fault of a function.

    Args:
        breaks: ids of the requirements that the fault breaks.
        by: makes an `Install` of the function. Without it, a function of no parameters returns one,
            and is called once for each server; any other function is one.
        name: the name of the fault; by default the function's, with hyphens.
        breaks_at: JSON pointer to where it shows in answers.
    """

    def make(function: Callable[..., Any]) -> Fault:
        install = (
            by(function)
            if by
            else function
            if function.__code__.co_argcount
            else per_server(function)()
        )
        return Fault(name or function.__name__.replace("_", "-"), breaks, install, breaks_at)

    return make


def find_fault(text: str, contract: Contract) -> Fault:
    """Return the fault `mutation`, which fits all operations of a contract, or
    `operation.mutation`.

    Raises:
        UnknownFault: there is no such mutation, or no such operation in the contract.
    """
    operation, _, mutation = text.rpartition(".")
    if mutation not in ANSWERS or (operation and operation not in contract.operations):
        names = [
            *ANSWERS,
            *(f"{operation}.{name}" for operation in contract.operations for name in ANSWERS),
        ]
        near = difflib.get_close_matches(text, names, n=5, cutoff=0.4)
        suggestion = f"; near: {', '.join(near)}" if near else ""
        raise UnknownFault(
            f"{contract.name} has no fault {text!r}{suggestion};"
            f" write NAME or OPERATION.NAME, with NAME one of {', '.join(ANSWERS)}"
        )
    return Fault(text, (), ANSWERS[mutation](OperationId(operation) if operation else EVERY))
