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
    """A placeholder in a request for a value that the target chose, so that the request can be
    repeated elsewhere.

    Args:
        what: names the value for the world of a sequence.
        default: stands in while the world does not know it.
        then: text to append, or a number to add.
    """

    what: tuple[Any, ...]
    default: str | int
    then: str | int = ""

    def resolve(self, value: Any) -> str | int:
        """Return the value with `then` appended or added; a value of another type than the default
        is not used.
        """
        base: str | int = value if isinstance(value, type(self.default)) else self.default
        if isinstance(base, int):
            return base + (self.then if isinstance(self.then, int) else 0)
        return f"{base}{self.then}"


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


def fill(value: Any, value_of: Callable[[Learned], Any]) -> Any:
    """Return a value with all placeholders replaced."""
    if isinstance(value, Learned):
        return value.resolve(value_of(value))
    if isinstance(value, dict):
        return {key: fill(member, value_of) for key, member in value.items()}
    if isinstance(value, list):
        return [fill(item, value_of) for item in value]
    if isinstance(value, tuple):
        return tuple(fill(item, value_of) for item in value)
    return value


def content(body: Any, value_of: Callable[[Learned], Any]) -> bytes:
    """Return the bytes of a body with all placeholders replaced."""
    if body is None or isinstance(body, bytes):
        return body or b""
    return json.dumps(fill(body, value_of), separators=(",", ":"), default=str).encode()
