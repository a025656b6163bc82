"""Parameters that take several names: a single text is none of these, though it is a sequence of
letters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Several(Protocol[T_co]):
    """Values in an order, such as a list or tuple; `str` has another `__contains__`, so that type
    checkers refuse it.
    """

    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __len__(self) -> int: ...


Names: TypeAlias = Several[str]


def several(parameter: str, values: Several[T]) -> tuple[T, ...]:
    """Return the values of a parameter.

    Raises:
        TypeError: The values are a string or not iterable.
    """
    if isinstance(values, str):
        text = json.dumps(values, ensure_ascii=False)
        raise TypeError(f"{parameter} is a list, such as [{text}]: given the text {text}")
    items: Any = values
    if not isinstance(items, Iterable):
        raise TypeError(f"{parameter} is a list: given {type(items).__name__}")
    return tuple(values)


def names(parameter: str, values: Names) -> tuple[str, ...]:
    """Return the names of a parameter.

    Raises:
        TypeError: They are a single text, or not all of them are texts.
    """
    result: tuple[Any, ...] = several(parameter, values)
    for one in result:
        if not isinstance(one, str):
            raise TypeError(f"{parameter} is a list of texts: one of them is {type(one).__name__}")
    return result


def texts(parameter: str, values: Mapping[str, str | float] | None) -> dict[str, str]:
    """Return properties, nothing for None; numbers and booleans become texts.

    Raises:
        TypeError: They are no mapping.
    """
    items: Any = values or {}
    if not isinstance(items, Mapping):
        example = '{"owner": "finance"}'
        raise TypeError(
            f"{parameter} is a mapping, such as {example}: given {type(items).__name__}"
        )
    properties: Mapping[str, Any] = items
    return {
        name: json.dumps(value) if isinstance(value, (int, float)) else value
        for name, value in properties.items()
    }
