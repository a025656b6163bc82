"""Values and templates as Python source, and how all generated source looks: one header line, one format."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import TYPE_CHECKING, Any, TypeGuard

import jinja2

from lakepact.codegen.documents import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WIDTH = 140
_STYLE = ["--isolated", "--no-cache", "--quiet", "--target-version", "py311", "--config", f"line-length = {WIDTH}"]
_IMPORTS = ["--select", "I,F401", "--fix-only", "--config", 'lint.isort.known-first-party = ["lakepact"]']


def header(maker: str, origin: str, content: bytes | str) -> str:
    """Return the first line of a generated file: generator, input and checksum.

    Args:
        maker: The module or tool that generated it.
        origin: Its input.
        content: The SHA-256 of the input.
    """
    return f"# Made by {maker} from {origin}, sha256 {content[:16]!s}. Do not edit: nox -s generate\n"


def rendered(template: Path, **values: object) -> str:
    """Return a filled-in template."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=False,  # noqa: S701  # Python, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["source"] = source
    return environment.get_template(template.name).render(**values)


def source(value: Any) -> str:
    """Return a frozen value as the expression that makes it; what equals its default is left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = ((field.name, getattr(value, field.name), field.default) for field in dataclasses.fields(value))
        given = ", ".join(f"{name}={source(member)}" for name, member, default in members if member != default)
        return f"{type(value).__name__}({given})"
    if is_object(value):
        return f"{{{', '.join(f'{source(key)}: {source(member)}' for key, member in value.items())}}}"
    if is_list(value):
        return f"[{', '.join(map(source, value))}]"
    if _is_tuple(value):
        return f"({', '.join(map(source, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def formatted(folder: Path) -> None:
    """Sort the imports and break the lines of every module below `folder`, whatever settings surround it."""
    _ruff("check", *_IMPORTS, folder=folder)
    _ruff("format", folder=folder)


def write(path: Path, text: str) -> None:
    """Write a module, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def write_all(folder: Path, modules: Mapping[str, str]) -> None:
    """Write several modules, given by their names, into a folder."""
    for name, text in modules.items():
        write(folder / name, text)


def _ruff(command: str, *arguments: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "ruff", command, *_STYLE, *arguments, "."], cwd=folder, check=True)
