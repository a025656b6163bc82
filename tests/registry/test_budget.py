"""The budget counts code, and not how it is laid out."""

from __future__ import annotations

import pytest

import budget


@pytest.mark.parametrize(
    ("laid_out", "same"),
    [
        ("f(\n    first,\n    second,\n)\n", "f(first, second)\n"),
        ("x = 1  # why\n", "x = 1\n"),
        ("def f():\n    return 1\n", "def f(): return 1\n"),
    ],
)
def test_budget_ignores_layout_and_comments(laid_out: str, same: str) -> None:
    assert budget.tokens(laid_out) == budget.tokens(same)


def test_budget_counts_names_operators_and_literals() -> None:
    assert budget.tokens("total = price * 3 + len('a')\n") == 10


def test_generated_twins_say_what_made_them() -> None:
    twins = (budget.ROOT / "client").glob("**/synchronous/*.py")

    assert all(path.read_text("utf-8").startswith("# Made by ") for path in twins)
