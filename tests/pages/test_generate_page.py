"""docs/generate-code.md: its document, its command and its programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakepact.cli import main

from .test_pages import blocks, run_python

PAGE = "docs/generate-code.md"


def test_page_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    document, command, *programs, printed = blocks(PAGE)
    (tmp_path / "notes.yaml").write_text(document.text, "utf-8")

    made = CliRunner().invoke(main, command.text.split()[1:])

    names: dict[str, object] = {}
    for program in programs:
        run_python(program, {"http://127.0.0.1:8181": ""}, names)
    assert made.stderr + made.stdout == printed.text
    for module in [name for name in sys.modules if name.partition(".")[0] == "notes"]:
        del sys.modules[module]
