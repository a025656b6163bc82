"""Requirements of commits that hold when they should not, or fail when they should hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lakepact.reference_server.faults import Install, accept, replace_entry, wrap_entry
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.commits import conflict

Assertion = Callable[[Document | None, Document, str], None]


def checked_by(
    kind: str, act: Callable[[Assertion, Document | None, Document, str], None]
) -> Install:
    """A kind of requirement is checked by `act(assertion, metadata, requirement, where)`."""
    return wrap_entry("preconditions", kind, lambda assertion: partial(act, assertion))


def always_holds(kind: str) -> Install:
    """A kind of requirement holds whatever it says."""
    return replace_entry("preconditions", kind, accept)


def never_holds(kind: str) -> Install:
    """A kind of requirement fails whatever it says, unless it is malformed."""
    return checked_by(kind, _fail)


def _fail(
    assertion: Assertion, metadata: Document | None, requirement: Document, where: str
) -> None:
    assertion(metadata, requirement, where)
    raise conflict("this requirement never holds here")
