"""Derives the façades for threads from those for event loops, word by word.

The modules in a client's folder `asynchronous` are written by hand; those in `synchronous` beside
it are translations of them, so that both are plain code with signatures and docstrings of their
own, and neither can say something that the other does not.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE, TWIN = "asynchronous", "synchronous"
HEADER = (
    f"# Made by codegen.sync_twin from {SOURCE}/{{name}} beside this folder. Do not edit: nox -s"
    " generate\n"
)

#: Replacements for code without an event loop, applied in this order.
TRANSLATIONS = (
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait asyncio\.to_thread\(\s*([\w.]+),\s+", r"\1("),
    (r"\bawait in_thread\(\s*([\w.]+(?:\(\)[\w.]+)?)(?:,\s+)?", r"\1("),
    (r"\bblocking\(([\w.]+)\)", r"\1"),
    (r"^from lakepact\.client\.iceberg_rest\.event_loops import .*\n", ""),
    (r"\bawait ", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\basyncio\.Lock\b", "threading.Lock"),
    (r"^import asyncio$", "import threading\nimport time"),
    (r"\bAwaitable\[None\]", "None"),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]"),
    (r"\b__a(enter|exit|iter|next)__", r"__\1__"),
    (r"\baclos(e|ing)\b", r"clos\1"),
    (r"\ba(iter|next)(?=[_(,])", r"\1"),
    (r"_async_", "_"),
    (r"\bevent_loops\b", "threads"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basynchronous\b", "synchronous"),
    (r"\bfor event loops\b", "for threads"),
    (r"\bfor (\w+) in ([^\n]+):\n +yield \1$", r"yield from \2"),
)


def without_event_loop(asynchronous: str) -> str:
    """Return the source of a module without its event loop."""
    for pattern, replacement in TRANSLATIONS:
        asynchronous = re.sub(pattern, replacement, asynchronous, flags=re.MULTILINE)
    for module in ("threading", "time"):
        if f"{module}." not in asynchronous:
            asynchronous = asynchronous.replace(f"import {module}\n", "")
    return asynchronous


def format_module(source: str, path: Path) -> str:
    """Return the source of the module at `path` with its imports sorted and its lines broken as the
    project does it.
    """
    for command in (["check", "--quiet", "--select", "I001", "--fix-only"], ["format", "--quiet"]):
        run = [
            "ruff",
            *command,
            "--config",
            str(ROOT / "pyproject.toml"),
            "--stdin-filename",
            str(path),
            "-",
        ]
        source = subprocess.run(
            run, input=source, capture_output=True, text=True, check=True
        ).stdout
    return source


def twins() -> dict[Path, str]:
    """Return every derived module with the text that belongs in it."""
    sources = sorted((ROOT / "client").glob(f"lakepact/client/*/{SOURCE}/*.py"))
    originals = {path.parents[1] / TWIN / path.name: path.read_text("utf-8") for path in sources}
    return {
        path: format_module(HEADER.format(name=path.name) + without_event_loop(text), path)
        for path, text in originals.items()
    }


def write() -> None:
    """Write every derived module, and remove those whose source is gone."""
    modules = twins()
    for path in _present_twins() - set(modules):
        path.unlink()
    for path, text in modules.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")


def stale() -> list[Path]:
    """Return the derived modules that are not what they should be."""
    modules = twins()
    different = {
        path
        for path, text in modules.items()
        if not path.exists() or path.read_text("utf-8") != text
    }
    return sorted(different | (_present_twins() - set(modules)))


def _present_twins() -> set[Path]:
    return set((ROOT / "client").glob(f"lakepact/client/*/{TWIN}/*.py"))


if __name__ == "__main__":
    write()
