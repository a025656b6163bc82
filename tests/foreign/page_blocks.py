"""The Python blocks of `docs/use-the-client.md` about catalogs or about shares.

They run statement by statement, so that one that fails hides no other.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

from pages.page_blocks import ROOT, Block, blocks

from .catalogs import OpenCatalog

PAGE = "docs/use-the-client.md"
SHARES, END = "## Read shared tables", "## List and show from a terminal"
ADDRESS = "http://127.0.0.1:8181"  #: of the catalog
OPENS = f'IcebergCatalog("{ADDRESS}")'  #: how blocks open the catalog


def page_blocks(*, sharing: bool = False) -> Iterator[tuple[str, Block]]:
    """Yield each block about catalogs, or about shares, with its heading, numbered below one
    heading.
    """
    lines = (ROOT / PAGE).read_text("utf-8").splitlines()
    counts: dict[str, int] = {}
    for block in blocks(PAGE):
        above = lines[: block.line]
        if END in above or (not sharing and SHARES in above):
            return
        if (SHARES in above) == sharing and block.language == "python" and not block.reason:
            heading = next(line for line in reversed(above) if re.match("##+ ", line)).lstrip("# ")
            counts[heading] = counts.get(heading, 0) + 1
            yield f"{heading}, block {counts[heading]}", block


def run(foreign_catalog: OpenCatalog, block: Block) -> list[str]:
    """Run a block with the names of the earlier ones, and return the failures of its statements and
    outputs.
    """
    text = block.text.replace(OPENS, "open_catalog()").replace(ADDRESS, foreign_catalog.url)
    for original, other in foreign_catalog.foreign.words.items():
        text = text.replace(original, other)
    foreign_catalog.names.setdefault("open_catalog", foreign_catalog.open)
    return run_text(text, foreign_catalog.names)


def run_text(text: str, names: dict[str, Any]) -> list[str]:
    """Run a block with the names of the earlier ones, and return the failures of its statements and
    outputs.
    """
    return list(_failures_of_statements(text, names))


def _failures_of_statements(text: str, names: dict[str, Any]) -> Iterator[str]:
    lines = text.splitlines()
    statements = ast.parse(text).body
    for statement, following in zip(statements, [*statements[1:], None], strict=True):
        start, until = statement.lineno - 1, following.lineno - 1 if following else len(lines)
        expected = [
            match[1] for line in lines[start:until] if (match := re.match(r"\s*#> (.*)", line))
        ]
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output):
                exec(compile(ast.Module([statement], []), PAGE, "exec", dont_inherit=True), names)
        except Exception as error:  # noqa: BLE001 - an outcome of the server
            yield f"{lines[start]}: {type(error).__name__}: {error}"
        else:
            if (actual := output.getvalue().splitlines()) != expected:
                yield f"{lines[start]}: printed {' '.join(actual)}"


def failures_of(thing: Callable[[Any], object], subject: Any) -> list[str]:
    """Return the error of a use of a client, if any."""
    try:
        thing(subject)
    except Exception as error:  # noqa: BLE001 - an outcome of the server
        return [f"{type(error).__name__}: {error}"]
    return []
