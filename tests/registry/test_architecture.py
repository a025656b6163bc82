"""ARCHITECTURE.md names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FILE = re.compile(r"`([\w./<>-]+(?:\.py|/))`")


def exists(path: str, package: Path) -> bool:
    """Return whether a path of a section is a file or folder of its package, or of the repository; `<contract>` is any folder."""
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    return any(True for root in (package, ROOT) for _ in [*root.glob(pattern), *root.glob(f"**/{pattern}")])


def test_files_of_the_page_exist() -> None:
    missing = []
    for section in PAGE.split("\n## "):
        paths = FILE.findall(section)
        package = ROOT / paths[0] if paths and paths[0].endswith("/") and (ROOT / paths[0]).is_dir() else ROOT
        missing += [path for path in paths if not exists(path, package)]

    assert missing == []
