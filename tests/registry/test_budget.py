"""The house has a budget of hand-written lines of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

#: By folders, the most lines. Raise a number only in a commit of its own that says for what.
BUDGET = {
    ("client", "conformance", "reference_server", "specs"): 115_100,
    ("tests",): 87_450,
}
ROOT = Path(__file__).parents[2]
DERIVED = "# Made by "  #: begins the files that `nox -s generate` writes


def hand_written_lines(root: Path) -> int:
    texts = (
        path.read_text("utf-8") for path in root.rglob("*.py") if "__pycache__" not in path.parts
    )
    return sum(text.count("\n") for text in texts if not text.startswith(DERIVED))


@pytest.mark.parametrize("folders", BUDGET, ids=", ".join)
def test_hand_written_lines_are_within_the_budget(folders: tuple[str, ...]) -> None:
    lines = {folder: hand_written_lines(ROOT / folder) for folder in folders}

    assert sum(lines.values()) <= BUDGET[folders], f"{lines}: remove as many lines elsewhere"


def test_a_file_of_ten_thousand_lines_exceeds_the_budget(tmp_path: Path) -> None:
    (tmp_path / "nested").mkdir()
    (tmp_path / "nested" / "large.py").write_text("x = 1\n" * 10_000)
    added = hand_written_lines(tmp_path)

    for folders, most in BUDGET.items():
        assert sum(hand_written_lines(ROOT / folder) for folder in folders) + added > most


def test_derived_files_and_caches_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "cached.py").write_text("x = 1\n")
    (tmp_path / "derived.py").write_text(
        f"{DERIVED}codegen.sync_twin from asynchronous/x.py\nx = 1\n"
    )
    (tmp_path / "kept.py").write_text("x = 1\n")

    assert hand_written_lines(tmp_path) == 1


def test_facades_for_threads_are_derived() -> None:
    assert all(
        path.read_text("utf-8").startswith(DERIVED)
        for path in (ROOT / "client").glob("**/synchronous/*.py")
    )
