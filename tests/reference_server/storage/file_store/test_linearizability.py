"""The checker accepts linearizable histories and rejects others."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linearizability import Operation, explained

FIRST = {"a": 0, "b": 0}


def read(began: float, ended: float, **seen: int) -> Operation:
    return Operation(began, ended, seen)


def write(
    began: float, ended: float, *, done: bool | None = True, **changes: tuple[int, int]
) -> Operation:
    expected = {name: before for name, (before, _) in changes.items()}
    return Operation(
        began, ended, expected, {name: after for name, (_, after) in changes.items()}, done
    )


@pytest.mark.parametrize(
    "history",
    [
        [],
        [write(0, 1, a=(0, 1)), read(2, 3, a=1)],
        [write(0, 9, a=(0, 1)), read(1, 2, a=0), read(3, 4, a=1)],
        [write(0, 9, a=(0, 1)), write(0, 9, a=(0, 2), done=False)],
        [write(0, 9, a=(0, 1)), write(0, 9, a=(1, 2)), read(1, 2, a=2)],
        [write(0, 1, a=(0, 1), b=(0, 1)), read(2, 3, a=1), read(2, 3, b=1)],
        [write(0, math.inf, a=(0, 1), done=None), read(5, 6, a=0)],
        [write(0, math.inf, a=(0, 1), done=None), read(5, 6, a=0), read(7, 8, a=1)],
        [
            write(0, 9, a=(0, 1)),
            write(0, 9, b=(0, 1)),
            read(1, 2, a=0),
            read(1, 2, b=1),
            read(3, 4, a=1),
        ],
    ],
)
def test_linearizable_history_is_accepted(history: list[Operation]) -> None:
    assert explained(history, FIRST) is None


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([write(0, 1, a=(0, 1)), read(2, 3, a=0)], id="a stale read"),
        pytest.param([write(0, 9, a=(0, 1)), write(0, 9, a=(0, 2))], id="two winners"),
        pytest.param([write(0, 1, a=(0, 1), done=False)], id="refused without a reason"),
        pytest.param([write(0, 1, a=(0, 1), done=False), read(2, 3, a=1)], id="refused, and done"),
        pytest.param(
            [write(0, 9, a=(0, 1)), read(1, 2, a=1), read(3, 4, a=0)], id="there and gone"
        ),
        pytest.param(
            [write(0, 9, a=(0, 1), b=(0, 1)), read(1, 2, a=1), read(3, 4, b=0)],
            id="half of a transaction",
        ),
        pytest.param([write(0, 1, a=(0, 1)), read(2, 3, a=2)], id="value without a writer"),
        pytest.param(
            [write(0, math.inf, a=(0, 1), done=None), read(5, 6, a=1), read(7, 8, a=0)],
            id="shown, and lost in a crash",
        ),
        pytest.param(
            [write(0, 9, a=(0, 1), b=(0, 0)), write(0, 9, b=(0, 1), a=(0, 0))], id="write skew"
        ),
    ],
)
def test_history_that_is_not_linearizable_is_found(history: list[Operation]) -> None:
    assert explained(history, FIRST) is not None


steps = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "ab"]), st.sampled_from("rwx"), st.floats(0, 3), st.floats(0, 3)
    ),
    max_size=40,
)


@given(steps)
def test_sequential_history_with_stretched_times_is_accepted(
    chosen: list[tuple[str, str, float, float]],
) -> None:
    values, history = dict(FIRST), []
    for moment, (names, kind, before, after) in enumerate(chosen, 1):
        expected = {name: values[name] if kind != "x" else -1 for name in names}
        written = dict.fromkeys(names, moment) if kind != "r" else {}
        history.append(Operation(moment - before, moment + after, expected, written, kind != "x"))
        if kind == "w":
            values |= written

    assert explained(history, FIRST) is None
