"""`help()` of every public name of the client gives its arguments and, where requests are sent, its errors."""

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

import lakepact.client

from .test_every_method import methods, public

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Methods that send nothing, or whose errors are those of every call.
QUIET = {"close", "begin", "again"}
#: A docstring that has its arguments or errors from another method.
ELSEWHERE = re.compile(r"\b(arguments|errors)( and errors)? are those of\b")


def functions() -> Iterator[tuple[str, Any]]:
    """Yield each public function and method after its name."""
    for name in lakepact.client.__all__:
        value = getattr(lakepact.client, name)
        if inspect.isfunction(value):
            yield name, value
    for kind in sorted(public(), key=lambda kind: kind.__name__):
        for name, member in methods(kind).items():
            if inspect.isfunction(member) and member.__module__.startswith("lakepact.client"):
                yield f"{kind.__name__}.{name}", member


FUNCTIONS = dict(functions())


@pytest.mark.parametrize("name", lakepact.client.__all__)
def test_public_name_has_a_docstring(name: str) -> None:
    value = getattr(lakepact.client, name)

    assert inspect.getdoc(value if isinstance(value, type) or callable(value) else type(value))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_of_a_method_gives_its_arguments(name: str) -> None:
    function = FUNCTIONS[name]
    words = inspect.getdoc(function) or ""
    arguments = [parameter for parameter in inspect.signature(function).parameters if parameter not in {"self", "cls"}]
    single = len(arguments) == 1  # which the sentence gives

    assert single or ELSEWHERE.search(words) or [each for each in arguments if f"\n    {each}: " not in words] == []


def sends(function: Any) -> bool:
    """Return whether a method sends requests: those of asynchronous classes, whose twins are made from them."""
    method = inspect.unwrap(function)
    return inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if sends(function)])
def test_docstring_of_a_request_gives_its_errors(name: str) -> None:
    words = inspect.getdoc(FUNCTIONS[name]) or ""

    assert name.partition(".")[2] in QUIET or "Raises:" in words or ELSEWHERE.search(words)


CONSTRUCTED = [
    name
    for name in lakepact.client.__all__
    for value in [getattr(lakepact.client, name)]
    if isinstance(value, type) and not issubclass(value, Exception) and "__init__" in vars(value) and not is_dataclass(value)
]


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_docstring_of_a_class_gives_the_arguments_of_its_constructor(name: str) -> None:
    kind = getattr(lakepact.client, name)
    words = inspect.getdoc(kind) or ""

    assert [each for each in list(inspect.signature(kind).parameters) if not re.search(rf"\b{each}\b", words)] == []
