"""Derives a façade for threads from the one for event loops, word by word.

The asynchronous module is written by hand; its synchronous twin beside it is this translation of it, so that both are plain code
with signatures and docstrings of their own, and neither can say something that the other does not.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE, TWIN = "asynchronous.py", "synchronous.py"
DOCSTRING = f'''"""The twin of `{SOURCE}` for threads.

Derived from it by `nox -s generate`: edit that module, not this one.
"""
'''

#: What is said otherwise without an event loop, in this order.
TRANSLATIONS = (
    (r'\A""".*?"""\n', DOCSTRING),
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\basyncio\.Lock\b", "threading.Lock"),
    (r"^import asyncio$", "import threading\nimport time"),
    (r"\bAwaitable\[None\]", "None"),
    (r"\bAwaitable, ", ""),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bfor (\w+) in ([^\n]+):\n +yield \1$", r"yield from \2"),
)


def translated(asynchronous: str) -> str:
    """The source of a module without its event loop."""
    for pattern, replacement in TRANSLATIONS:
        asynchronous = re.sub(pattern, replacement, asynchronous, flags=re.DOTALL | re.MULTILINE)
    return asynchronous


def formatted(source: str, path: Path) -> str:
    """The source of the module at `path` with its imports sorted and its lines broken as the project does it."""
    for command in (["check", "--quiet", "--select", "I001", "--fix-only"], ["format", "--quiet"]):
        run = ["ruff", *command, "--config", str(ROOT / "pyproject.toml"), "--stdin-filename", str(path), "-"]
        source = subprocess.run(run, input=source, capture_output=True, text=True, check=True).stdout
    return source


def twins() -> dict[Path, str]:
    """Every derived module with the text that belongs in it."""
    sources = {path.with_name(TWIN): path.read_text("utf-8") for path in sorted((ROOT / "client").glob(f"lakepact/client/*/{SOURCE}"))}
    return {path: formatted(translated(source), path) for path, source in sources.items()}


def write() -> None:
    """Write every derived module."""
    for path, text in twins().items():
        path.write_text(text, "utf-8")


def stale() -> list[Path]:
    """The derived modules that are not what they should be."""
    return [path for path, text in twins().items() if not path.exists() or path.read_text("utf-8") != text]


if __name__ == "__main__":
    write()
