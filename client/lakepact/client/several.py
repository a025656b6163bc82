"""Parameters that take several names: a single text is none of these, though it is a sequence of letters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Several(Protocol[T_co]):
    """Values in an order, such as a list or tuple; `str` has another `__contains__`, so that type checkers refuse it."""

    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __len__(self) -> int: ...


Names: TypeAlias = Several[str]


def several(parameter: str, values: Several[T]) -> tuple[T, ...]:
    """Return the values of a parameter.

    Raises:
        TypeError: They are a single text.
    """
    if isinstance(values, str):
        text = json.dumps(values, ensure_ascii=False)
        raise TypeError(f"{parameter} is a list, such as [{text}]: given the text {text}")
    return tuple(values)
