"""Commands and Python blocks of all pages, without running them: their verbs, options and imports
exist.
"""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec

import click
import pytest

from lakepact.cli.verbs import VERBS

from .page_blocks import PAGES, blocks

ENDS = re.compile(r"\s(?:\|\|?|&&|>|&)(?:\s|$)|;")  #: of a command in a line
#: Modules of the package and of its extras; others are the reader's own.
INSTALLED = ("lakepact", "pyiceberg", "polars", "duckdb", "pytest")


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the words of each call of `lakepact` in the shell blocks of a page."""
    for block in blocks(page):
        if block.language == "sh":
            for line in block.text.replace("\\\n", " ").splitlines():
                found = re.match(
                    r"(?:\w+=\S+ )*(?:uvx .*? |pipx run .*? )?lakepact (.*)", line.strip()
                )
                if found:
                    yield str(block), shlex.split(ENDS.split(found[1])[0], comments=True)


def unknown(words: list[str]) -> list[str]:
    """Return the words of a call that are no verb, subcommand or option."""
    verb, *rest = words
    if verb.startswith("-"):
        return []
    if verb not in VERBS:
        return [verb]
    command = VERBS[verb].load()
    while isinstance(command, click.Group):
        named = next((word for word in rest if word in command.commands), None)
        if named is None:
            return rest[:1]
        rest = rest[rest.index(named) + 1 :]
        command = command.commands[named]
    known = {
        name
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help", "-h"}
    before_program = rest[: rest.index("--")] if "--" in rest else rest
    return [
        word
        for word in before_program
        if word.startswith("--") and word.partition("=")[0] not in known
    ]


def test_commands_of_pages_have_known_verbs_and_options() -> None:
    found = [(place, words) for page in PAGES for place, words in commands(page)]

    assert len(found) > 40
    assert [(place, words, wrong) for place, words in found if (wrong := unknown(words))] == []


@pytest.mark.parametrize(
    "words",
    [["chekc"], ["check", "--onyl", "X"], ["campaign", "rnu"], ["store", "check", "--what"]],
)
def test_misspelled_command_of_a_page_is_found(words: list[str]) -> None:
    assert unknown(words) != []


def test_imports_of_pages_exist() -> None:
    missing = []
    for page in PAGES:
        for block in blocks(page):
            if block.language == "python":
                missing += [f"{block}: {name}" for name in imports(block.text) if not exists(name)]

    assert missing == []


def imports(text: str) -> Iterator[str]:
    """Yield the names that a block imports from installed modules, as `module:name` or
    `module:`.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in INSTALLED:
            yield from (f"{node.module}:{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                f"{alias.name}:"
                for alias in node.names
                if alias.name.partition(".")[0] in INSTALLED
            )


def exists(imported: str) -> bool:
    """Return whether a module has a name, or a submodule of that name."""
    module, _, name = imported.partition(":")
    try:
        found = importlib.import_module(module)
        # `__all__` names what is loaded when it is first used, and needs an extra that the tests do
        # not install.
        return (
            not name
            or name in getattr(found, "__all__", ())
            or hasattr(found, name)
            or find_spec(f"{module}.{name}") is not None
        )
    except ImportError:
        return False
