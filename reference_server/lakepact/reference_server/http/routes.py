"""Paths to operations: a trie over the segments of the raw path, so that an encoded slash stays
within its segment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

Route = TypeVar("Route")

VARIABLE = re.compile(r"\{(.+)\}")
REMEMBERED = 4096  #: paths whose routes are cached; the cache is emptied when it is full
LONGEST = 512  #: bytes of a path that is remembered
ENCODED = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class BadPath(ValueError):
    """A segment of the path cannot be decoded."""


class Node(Generic[Route]):
    """One segment of the paths of a contract."""

    __slots__ = ("fixed", "methods", "variable")

    def __init__(self) -> None:
        self.fixed: dict[str, Node[Route]] = {}
        self.variable: Node[Route] | None = None
        self.methods: dict[str, Route] = {}


class Found(NamedTuple, Generic[Route]):
    """The operations of a path by method, and the values of its variables."""

    methods: dict[str, Route]
    values: tuple[str, ...]


def segment(raw: bytes) -> str:
    """Return the text of one segment of a path, decoded once.

    Raises:
        BadPath: a stray percent sign, or bytes that are not UTF-8.
    """
    if ENCODED.search(raw):
        raise BadPath(
            f"the path segment {raw.decode('utf-8', 'replace')[:100]!r} has a % that two"
            " hexadecimal digits do not follow"
        )
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise BadPath(
            f"the path segment {raw.decode('utf-8', 'replace')[:100]!r} is not UTF-8"
        ) from None


class Routes(Generic[Route]):
    """The paths of the contracts that are served."""

    def __init__(self, *, decode: Callable[[bytes], str] = segment) -> None:
        self._root: Node[Route] = Node()
        self._decode = decode
        # No order of use is kept: it would cost as much as the search that it saves.
        self._known: dict[bytes, Found[Route]] = {}

    def add(self, template: str, method: str, route: Route) -> None:
        """Answer `method` on the paths of `template` by `route`; fixed segments of a template may
        be percent-encoded.
        """
        node = self._root
        for part in template.split("/")[1:]:
            if VARIABLE.fullmatch(part):
                node.variable = node.variable or Node()
                node = node.variable
            else:
                node = node.fixed.setdefault(segment(part.encode()), Node())
        node.methods[method.upper()] = route
        self._known.clear()

    def find(self, raw_path: bytes) -> Found[Route] | None:
        """Return the route of a path; `None` if no contract has it.

        Raises:
            BadPath: the path cannot be decoded.
        """
        match = self._known.get(raw_path)
        if match is None:
            match = self._find(raw_path)
            if match is not None and len(raw_path) <= LONGEST:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[raw_path] = match
        return match

    def _find(self, raw_path: bytes) -> Found[Route] | None:
        if b"%" in raw_path or not raw_path.isascii():
            segments = [self._decode(part) for part in raw_path.split(b"/")[1:]]
        else:
            segments = raw_path.decode().split("/")[1:]
        node = self._root
        values: list[str] = []
        for part in segments:
            following = node.fixed.get(part)
            if following is None:
                following = node.variable
                if following is None or not part:
                    return self._search(self._root, segments, ())
                values.append(part)
            node = following
        return (
            Found(node.methods, tuple(values))
            if node.methods
            else self._search(self._root, segments, ())
        )

    def _search(
        self, node: Node[Route], segments: list[str], values: tuple[str, ...]
    ) -> Found[Route] | None:
        """Search all branches: a segment that is fixed in one path may be a value in another."""
        if not segments:
            return Found(node.methods, values) if node.methods else None
        first, rest = segments[0], segments[1:]
        if first in node.fixed and (match := self._search(node.fixed[first], rest, values)):
            return match
        if node.variable and first:
            return self._search(node.variable, rest, (*values, first))
        return None


def variables(template: str) -> tuple[str, ...]:
    """Return the names of a template's variables, in order."""
    return tuple(match[1] for part in template.split("/") if (match := VARIABLE.fullmatch(part)))
