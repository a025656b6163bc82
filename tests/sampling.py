"""Choose the cases of a test that run by day; the others run in the session `nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import pytest

C = TypeVar("C")


def by_day(cases: Iterable[C], wanted: Iterable[C]) -> list[Any]:
    """Return the parameters of a test: the wanted cases run always, the others at night."""
    chosen = list(wanted)
    values = ((case, case if isinstance(case, tuple) else (case,)) for case in cases)
    return [pytest.param(*each, marks=() if case in chosen else pytest.mark.nightly) for case, each in values]


def some(cases: Iterable[C], every: int) -> list[Any]:
    """Return the parameters of a test: one of `every` cases runs always, the others at night."""
    return by_day(known := list(cases), known[::every])
