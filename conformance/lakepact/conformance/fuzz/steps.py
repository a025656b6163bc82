"""The steps of a sequence: requests that can be replayed elsewhere, because they hold no value of
the target.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lakepact.generated.contract import OperationId


@dataclass(frozen=True, slots=True)
class Learned:
    """Stands in a request for a value that the target chose, so that the request can be repeated
    where it chooses another.

    Args:
        what: names the value; the world of a sequence knows what is meant.
        default: stands in while the world does not know it.
        then: text to append, or a number to add.
    """

    what: tuple[Any, ...]
    default: str | int
    then: str | int = ""

    def filled(self, value: Any) -> str | int:
        """Return the value with what is appended or added; one of another type than the default is
        not used.
        """
        known: str | int = value if isinstance(value, type(self.default)) else self.default
        if isinstance(known, int):
            return known + (self.then if isinstance(self.then, int) else 0)
        return f"{known}{self.then}"


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a sequence.

    Args:
        operation: its id.
        arguments: the path's parameters, by their Python names.
        body: a JSON value, bytes that may be anything, or `None` for no body.
        query: pairs of text.
        kind: what it was drawn as.
    """

    operation: OperationId
    arguments: Mapping[str, Any]
    body: Any = None
    query: tuple[tuple[str, str], ...] = ()
    kind: str = "example"


def filled(value: Any, known: Callable[[Learned], Any]) -> Any:
    """`value` with everything learned in its place."""
    if isinstance(value, Learned):
        return value.filled(known(value))
    if isinstance(value, dict):
        return {key: filled(member, known) for key, member in value.items()}
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if isinstance(value, tuple):
        return tuple(filled(item, known) for item in value)
    return value


def content(body: Any, known: Callable[[Learned], Any]) -> bytes:
    """Return the bytes of a body, with everything learned in its place."""
    if body is None or isinstance(body, bytes):
        return body or b""
    return json.dumps(filled(body, known), separators=(",", ":"), default=str).encode()
