# Made by codegen.generate from specs/codegen/templates/calls.py, sha256 52595d5b96a6daf8. Do not edit: nox -s generate
"""How the parts of a call are written: segments of paths, parameters, forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from lakepact.generated.wire import WireModel

Value = str | int | bool


class Later:
    """A module that is imported when it is first used: models take half the time of importing a
    client.

    Args:
        module: Its name.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


class Answers(Mapping[str, Any]):
    """The models of answers by status.

    Args:
        models: The module of models.
        names: Their names by status; None where an answer has no body.
    """

    def __init__(self, models: Later, names: Mapping[str, str | None]) -> None:
        self._models = models
        self._names = names

    def __getitem__(self, status: str) -> Any:
        name = self._names[status]
        return None if name is None else getattr(self._models, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


#: One segment of a path, percent-encoded whole: a slash in it is part of the name.
segment = partial(quote, safe="")


def present_parameters(*parameters: tuple[str, Value | None]) -> tuple[tuple[str, str], ...]:
    """Return the parameters that have a value, as text."""
    result = []
    for name, value in parameters:
        if value is not None:
            result.append((name, _text(value)))
    return tuple(result)


def form(body: WireModel) -> bytes:
    """Return a flat object as an HTML form."""
    return urlencode(
        [(name, _text(value)) for name, value in body.to_wire().items() if value is not None]
    ).encode()


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
