"""Options as data: the fields of a frozen class are the options and arguments of a verb."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

Command: TypeAlias = Callable[..., None]
T = TypeVar("T")

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True)
class _Part:
    """A class of options, with what its options get where it is a part of another one."""

    kind: type
    suffix: str = ""
    words: Mapping[str, str] = field(default_factory=dict[str, str])

    def parameters(self) -> Iterator[Callable[[Command], Command]]:
        """Yield click's decorators."""
        for each in fields(self.kind):
            if inner := each.metadata.get("part"):
                yield from inner.parameters()
                continue
            declare, names, settings = each.metadata["parameter"]
            names = [self._name(each.name), *names]
            if "help" in settings:
                settings = {**settings, "help": settings["help"].format_map(self.words)}
                if not any(name.startswith("--") for name in names):
                    names.append(f"--{each.name.rstrip('_').replace('_', '-')}{self.suffix}")
            yield declare(*names, **settings)

    def instance(self, values: dict[str, Any]) -> Any:
        """Return an instance, and take what it holds out of the values of all parameters."""
        return self.kind(
            **{
                each.name: inner.instance(values)
                if (inner := each.metadata.get("part"))
                else values.pop(self._name(each.name))
                for each in fields(self.kind)
            }
        )

    def _name(self, field_name: str) -> str:
        return field_name + self.suffix.replace("-", "_")


def argument(**settings: Any) -> Any:
    """Return a field that is an argument, with settings of `click.argument`."""
    return field(default=None, metadata={"parameter": (click.argument, (), settings)})


def option(
    text: str, metavar: str | None = None, *names: str, default: Any = None, **settings: Any
) -> Any:
    """Return a field that is an option of the same name.

    Args:
        text: The help.
        metavar: The name of its value in the help.
        names: Others than the field's, such as `-v`; one with `--` replaces it.
        default: The value of an option that is left out; the help shows it unless it is empty.
        settings: Of `click.option`.
    """
    own = {"help": text, "metavar": metavar, "show_default": bool(default), **settings}
    if not settings.get("required"):
        own["default"] = default
    return field(default=default, metadata={"parameter": (click.option, names, own)})


def several(text: str, metavar: str | None = None, **settings: Any) -> Any:
    """Return a field that is an option which may be repeated; its value is a tuple."""
    return option(text, metavar, default=(), multiple=True, **settings)


def flag(text: str, *names: str) -> Any:
    """Return a field that is an option without a value."""
    return option(text, None, *names, default=False, is_flag=True)


def part(kind: type[T], suffix: str = "", **words: str) -> T:
    """Return a field that holds the options of another class.

    Args:
        kind: The class.
        suffix: The end of their names, such as `-a`.
        words: The values of the names in braces in their help.
    """
    whole: T = field(metadata={"part": _Part(kind, suffix, words)})
    return whole


def with_options(kind: type) -> Callable[[Command], Command]:
    """Call a command with an instance of the class that declares its options."""

    def declared(command: Command) -> Command:
        @wraps(command)
        def call(**values: Any) -> None:
            command(_Part(kind).instance(values), **values)

        declaring: Command = call
        for declares in reversed([*_Part(kind).parameters()]):
            declaring = declares(declaring)
        return declaring

    return declared
