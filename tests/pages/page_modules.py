"""Write the Python blocks of each page as one module, whose types `nox -s types` checks."""

from __future__ import annotations

import sys
from pathlib import Path

from page_blocks import PAGES, blocks


def write(folder: Path) -> None:
    """Write a module for each page with Python blocks, with the line numbers of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        lines: list[str] = []
        for block in blocks(page):
            if block.language == "python":
                lines += [""] * (block.line - len(lines)) + block.text.splitlines()
        if lines:
            name = Path(page).stem.lower().replace("-", "_")
            (folder / f"{name}_page.py").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
