"""Choose the cases of a test that run by day; the others run in the session `nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def by_day(cases: Iterable[Any], wanted: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test: the wanted cases run always, the others at night."""
    chosen = list(wanted)
    return [
        pytest.param(
            *(c if isinstance(c, tuple) else (c,)), marks=() if c in chosen else pytest.mark.nightly
        )
        for c in cases
    ]


def some(cases: Iterable[Any], every: int) -> list[Any]:
    """Return the parameters of a test: one of `every` cases runs always, the others at night."""
    return by_day(known := list(cases), known[::every])
