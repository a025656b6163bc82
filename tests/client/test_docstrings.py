"""`help()` of every public name of the client gives its arguments and, where requests are sent, its
errors.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

import lakepact.client

from .test_every_method import methods, public

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
            if inspect.isfunction(member) and member.__module__.startswith(
                ("lakepact.client", "lakepact.reach")
            ):
                yield f"{kind.__name__}.{name}", member


def test_public_names_have_docstrings() -> None:
    values = {name: getattr(lakepact.client, name) for name in lakepact.client.__all__}

    assert [
        name
        for name, value in values.items()
        if not inspect.getdoc(value if callable(value) else type(value))
    ] == []


def missing_arguments(function: Any) -> list[str]:
    """Return the arguments that a docstring does not give; the sentence gives a single one."""
    words = inspect.getdoc(function) or ""
    arguments = [
        parameter
        for parameter in inspect.signature(function).parameters
        if parameter not in {"self", "cls"}
    ]
    return (
        []
        if len(arguments) == 1 or ELSEWHERE.search(words)
        else [each for each in arguments if f"\n    {each}: " not in words]
    )


def test_docstrings_of_methods_give_their_arguments() -> None:
    assert {
        name: missing for name, function in functions() if (missing := missing_arguments(function))
    } == {}


def sends(function: Any) -> bool:
    """Return whether a method sends requests: those of asynchronous classes, whose twins are made
    from them.
    """
    method = inspect.unwrap(function)
    return inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)


def test_docstrings_of_requests_give_their_errors() -> None:
    words = {
        name: " ".join((inspect.getdoc(each) or "").split())
        for name, each in functions()
        if sends(each) and name.partition(".")[2] not in QUIET
    }

    assert words
    assert [
        name for name, text in words.items() if "Raises:" not in text and not ELSEWHERE.search(text)
    ] == []


def test_docstrings_of_classes_give_the_arguments_of_their_constructors() -> None:
    kinds = [
        kind
        for kind in (getattr(lakepact.client, name) for name in lakepact.client.__all__)
        if isinstance(kind, type)
    ]
    constructors = [
        kind
        for kind in kinds
        if not issubclass(kind, Exception) and "__init__" in vars(kind) and not is_dataclass(kind)
    ]

    assert constructors
    assert [
        f"{kind.__name__}: {name}"
        for kind in constructors
        for name in inspect.signature(kind).parameters
        if not re.search(rf"\b{name}\b", inspect.getdoc(kind) or "")
    ] == []
