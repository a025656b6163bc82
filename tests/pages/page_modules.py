"""Write the Python blocks of pages, and the calls of the client for threads, as modules, whose
types `nox -s types` checks.

Blocks that need what is not installed or not shown are left out; each says so in its reason for not
being run.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from pathlib import Path

from page_blocks import PAGES, Block, blocks

from codegen.sync_twin import without_event_loop
from lakepact.cli import main

GENERATES = "docs/generate-code.md"  #: its programs import the package that its command generates
EVERY_METHOD = Path(__file__).parents[1] / "client" / "every_method.py"
LEFT_OUT = ("needs ", "starts Spark")


def write(folder: Path) -> None:
    """Write a module for each page with Python blocks, with the line numbers of the page; a block
    with a docstring is its own module.
    """
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier run
    folder.mkdir(parents=True)
    for page in PAGES:
        modules: list[list[str]] = []
        for block in checked(page):
            if not modules or block.text.startswith('"""'):
                modules.append([])
            lines = modules[-1]
            lines += [""] * (block.line - len(lines)) + block.text.splitlines()
        for number, lines in enumerate(modules):
            name = f"{Path(page).stem.lower().replace('-', '_')}_page_{number}"
            (folder / f"{name}.py").write_text("\n".join(lines) + "\n", "utf-8")


def checked(page: str) -> list[Block]:
    return [
        block
        for block in blocks(page)
        if block.language == "python" and not block.reason.startswith(LEFT_OUT)
    ]


def generate(folder: Path) -> None:
    """Generate the package of the page about that."""
    document, command, *_ = blocks(GENERATES)
    (folder / "notes.yaml").write_text(document.text, "utf-8")
    with contextlib.chdir(folder):
        main(command.text.split()[1:], standalone_mode=False)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
    (Path(sys.argv[1]) / "every_method_page_0.py").write_text(
        without_event_loop(EVERY_METHOD.read_text("utf-8")), "utf-8"
    )
    generate(Path(sys.argv[1]))
