"""The source distribution names the files of the repository, so that nothing else in a clone gets
into it.
"""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"][
    "targets"
]["sdist"]["only-include"]


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no clone, or no git"
)
def test_source_distribution_names_every_tracked_file_but_hidden_ones() -> None:
    paths = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    tops = {path.partition("/")[0] for path in paths if not path.startswith(".")}

    assert sorted(NAMED) == sorted(tops - {"pyproject.toml"})  # always included
