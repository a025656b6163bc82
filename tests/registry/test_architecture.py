"""ARCHITECTURE.md names files that exist, and folders are small enough to read."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

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
MODULE_ROW = re.compile(r"^\| `\w+` .*\|$", re.MULTILINE)
MODULE = re.compile(r"`(\w+)`")


#: Packages whose docstring lists their modules.
PACKAGES = sorted(
    path.parent
    for root in ("client", "conformance", "reference_server", "specs")
    for path in (ROOT / root).rglob("__init__.py")
    if MODULE_ROW.search(path.read_text("utf-8"))
)


def exists(path: str, package: Path) -> bool:
    """Return whether a path is a file or folder of a package, or of the repository.

    `<contract>` in a path is any folder.
    """
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


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_modules_listed_by_a_package_exist(package: Path) -> None:
    rows = MODULE_ROW.findall((package / "__init__.py").read_text("utf-8"))
    names = {name for row in rows for name in MODULE.findall(row)}

    assert {
        name
        for name in names
        if not any(package.rglob(f"{name}.py")) and not (package / name).is_dir()
    } == set()


def test_folders_hold_at_most_25_modules() -> None:
    modules = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for root in ROOTS
        for path in (ROOT / root).rglob("*.py")
    )

    assert {folder: count for folder, count in modules.items() if count > MOST_MODULES} == {}
