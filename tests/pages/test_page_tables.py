"""Every row of a table in a page follows its header."""

from __future__ import annotations

from itertools import pairwise

import pytest

from .page_blocks import PAGES, ROOT


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_each_row_stands_in_a_table(page: str) -> None:
    lines = ["", *(ROOT / page).read_text("utf-8").splitlines(), ""]
    starts = [
        n
        for n, (before, line) in enumerate(pairwise(lines), 1)
        if line.startswith("|") and not before.startswith("|")
    ]

    assert [lines[n] for n in starts if not lines[n + 1].startswith("|--")] == []
