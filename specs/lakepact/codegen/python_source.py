"""Values and templates as Python source, and how all generated source looks: one header line, one
format.
"""

from __future__ import annotations

import ast
import dataclasses
import keyword
import re
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, get_args

import jinja2

from lakepact.codegen.documents import Broken, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WIDTH = 100
_COOKIE = re.compile(
    "coding(?=[:=])"
)  #: in a comment of the first two lines it chooses how Python decodes the file
_OF_TYPES = (
    ast.Expression,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Subscript,
    ast.Tuple,
    ast.BinOp,
    ast.BitOr,
)
_STYLE = [
    "--isolated",
    "--no-cache",
    "--quiet",
    "--target-version",
    "py311",
    "--config",
    f"line-length = {WIDTH}",
]
_IMPORTS = [
    "--select",
    "I,F401",
    "--fix-only",
    "--config",
    'lint.isort.known-first-party = ["lakepact"]',
]


class Code(str):
    """Source of Python. Other text is data, and no template accepts data before `code_for` has made
    source of it.
    """

    __slots__ = ()


Context = Literal["comment", "docstring", "name", "source", "type"]


def code_for(value: object, context: Context) -> Code:
    """Return source that means a value, and nothing else.

    Args:
        value: Text, or a frozen value for `source`.
        context: Its place: a comment, a docstring in three double quotes, a name, an expression
            (`source`), or an annotation (`type`).

    Raises:
        Broken: It cannot stand there.
    """
    if context == "source":
        return Code(source(value))
    text = str(value)
    if context == "name" and text.isidentifier() and not keyword.iskeyword(text):
        return Code(text)
    if context == "type" and _is_type(text):
        return Code(text)
    if context in {"name", "type"}:
        raise Broken(f"{text!a:.100} is no {context} in Python")
    text = (
        text.replace("\\", r"\\").replace('"', "'")
        if context == "docstring"
        else _COOKIE.sub(r"\g<0> ", text)
    )
    return Code(
        "".join(
            letter if letter.isprintable() else letter.encode("unicode_escape").decode()
            for letter in text
        )
    )


def _is_type(text: str) -> bool:
    try:
        nodes = list(ast.walk(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError):
        return False
    return all(isinstance(node, _OF_TYPES) for node in nodes)


def header(maker: str, origin: str, content: bytes | str) -> Code:
    """Return the first line of a generated file: generator, input and checksum.

    Args:
        maker: The module or tool that generated it.
        origin: Its input.
        content: The SHA-256 of the input.
    """
    text = code_for(
        f"# Made by {maker} from {origin}, sha256 {content[:16]!s}. Do not edit: nox -s generate",
        "comment",
    )
    return Code(f"{text}\n")


def render(template: Path, **values: object) -> str:
    """Return a filled-in template; each value has to be `Code`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=False,  # noqa: S701  # Python, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=_only_code,
    )
    environment.filters.update(
        {context: partial(code_for, context=context) for context in get_args(Context)}
    )
    return environment.get_template(template.name).render(**values)


def _only_code(value: object) -> Code:
    if not isinstance(value, Code):
        raise TypeError(f"the template places {value!r} without a filter")
    return value


def source(value: Any) -> str:
    """Return a frozen value as the expression that makes it; what equals its default is left
    out.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = (
            (field.name, getattr(value, field.name), field.default)
            for field in dataclasses.fields(value)
        )
        arguments = ", ".join(
            f"{name}={source(member)}" for name, member, default in members if member != default
        )
        return f"{type(value).__name__}({arguments})"
    if is_object(value):
        return (
            f"{{{', '.join(f'{source(key)}: {source(member)}' for key, member in value.items())}}}"
        )
    if is_list(value):
        return f"[{', '.join(map(source, value))}]"
    if _is_tuple(value):
        return f"({', '.join(map(source, value))}{',' if len(value) == 1 else ''})"
    return value if isinstance(value, Code) else repr(value)


def _is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def format_package(folder: Path) -> None:
    """Sort the imports and break the lines of every module below `folder`, whatever settings
    surround it.
    """
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
    subprocess.run(
        [sys.executable, "-m", "ruff", command, *_STYLE, *arguments, "."], cwd=folder, check=True
    )
