"""ARCHITECTURE.md names files that exist, and folders are small enough to read."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROOTS = (
    "client",
    "conformance",
    "docs",
    "examples",
    "reference_server",
    "specs",
    "tests",
)  #: of files that people write
MOST_MODULES = 25
FILE = re.compile(r"`([\w./<>-]+(?:\.py|/))`")


def exists(path: str, package: Path) -> bool:
    """Return whether a path of a section is a file or folder of its package, or of the repository; `<contract>` is any folder."""
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    return any(
        next(root.glob(each), None)
        for root in (package, ROOT)
        for each in (pattern, f"**/{pattern}")
    )


def test_files_of_the_page_exist() -> None:
    missing = []
    for section in PAGE.split("\n## "):
        paths = FILE.findall(section)
        package = (
            ROOT / paths[0]
            if paths and paths[0].endswith("/") and (ROOT / paths[0]).is_dir()
            else ROOT
        )
        missing += [path for path in paths if not exists(path, package)]

    assert missing == []


def test_folders_hold_at_most_25_modules() -> None:
    modules = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for root in ROOTS
        for path in (ROOT / root).rglob("*.py")
    )

    assert {folder: count for folder, count in modules.items() if count > MOST_MODULES} == {}
