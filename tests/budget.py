"""Count the code of the product, of the tests and of generated Python: `nox -s budget`.

Code is counted in tokens (names, operators, numbers, strings), so that neither long lines nor the
formatter change the figure. Commas before a closing bracket are the formatter's and do not count.
"""

from __future__ import annotations

import io
import sys
import tokenize
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CODE = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
WIDTH = 100
GENERATED = ("generated", "synchronous")  #: folders of modules that `codegen` writes


class Area(NamedTuple):
    """Folders that are counted together, and the most tokens that they may hold."""

    name: str
    folders: tuple[str, ...]
    most: int


#: Raise a number only in a commit of its own that says for what.
BUDGET = (
    Area("product", ("client", "conformance", "reference_server", "specs"), 891_813),
    Area("tests", ("tests",), 745_000),
    Area("generated", ("generated", "client"), 62_000),
)
#: The most lines of the product that are wider than the formatter makes them.
MOST_WIDE_LINES = 600


def tokens(source: str) -> int:
    """Return the number of tokens of code in a module."""
    code = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type in CODE
    ]
    return len(code) - sum(left == "," and right in ")]}" for left, right in pairwise(code))


def sources(area: Area) -> list[str]:
    """Return the text of each module of an area."""
    return [
        path.read_text("utf-8")
        for folder in area.folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "__pycache__" not in path.parts
        and any(folder in path.parts for folder in GENERATED) is (area.name == "generated")
    ]


def main() -> int:
    """Print the figures, and return 1 if one of them is above its budget."""
    counts = [(area.name, sum(map(tokens, sources(area))), area.most) for area in BUDGET]
    wide = [line for text in sources(BUDGET[0]) for line in text.splitlines() if len(line) > WIDTH]
    counts.append((f"lines over {WIDTH}", len(wide), MOST_WIDE_LINES))
    for name, count, most in counts:
        sys.stdout.write(f"{name:15} {count:9,} of {most:9,}{'  TOO MANY' * (count > most)}\n")
    return int(any(count > most for _, count, most in counts))


if __name__ == "__main__":
    sys.exit(main())
