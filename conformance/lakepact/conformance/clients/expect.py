"""Expectations of checks of clients: no single answer of a server shows what a client sent, printed
and left.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.conformance.judging import expect
from lakepact.conformance.programs.program import in_order

equal = partial(expect.equal, at=None)
true = partial(expect.true, at=None)
excerpt = expect.excerpt


def same_items(expected: Any, actual: Any, what: str) -> None:
    """Expect two sequences with the same items in any order; the arguments are those of `equal`."""
    equal(in_order(expected), in_order(actual), what)
