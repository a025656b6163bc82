"""Comparison of committed code with a fresh output."""

from __future__ import annotations

from pathlib import Path

from codegen.compare import adopt, differences


def test_differing_files_are_listed_with_their_difference(tmp_path: Path) -> None:
    stored, fresh = tmp_path / "committed", tmp_path / "fresh"
    for folder, contents in (
        (stored, {"same.py": "1", "changed.py": "1", "of_hand.py": "1"}),
        (fresh, {"same.py": "1", "changed.py": "2", "forgotten.py": "1"}),
    ):
        folder.mkdir()
        for name, content in contents.items():
            (folder / name).write_text(content)

    assert differences(stored, fresh) == [
        "different changed.py",
        "missing   forgotten.py",
        "added     of_hand.py",
    ]


def test_bytecode_caches_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "committed" / "__pycache__").mkdir(parents=True)
    (tmp_path / "committed" / "__pycache__" / "a.pyc").write_bytes(b"")
    (tmp_path / "fresh").mkdir()

    assert differences(tmp_path / "committed", tmp_path / "fresh") == []


def test_adopting_an_output_writes_only_differing_files(tmp_path: Path) -> None:
    stored, fresh = tmp_path / "committed", tmp_path / "fresh"
    for folder in (stored, fresh):
        folder.mkdir()
        (folder / "same.py").write_text("1")
    (stored / "of_hand.py").write_text("1")
    (fresh / "deep").mkdir()
    (fresh / "deep" / "new.py").write_text("2")
    before = (stored / "same.py").stat().st_mtime_ns

    adopt(stored, fresh)

    assert differences(stored, fresh) == []
    assert (stored / "same.py").stat().st_mtime_ns == before
