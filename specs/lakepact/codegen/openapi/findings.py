"""Constructs of a document that generated code leaves out or changes, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.codegen.documents import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Path = tuple[str | int, ...]  #: of keys and indexes in a document


@dataclass(frozen=True, slots=True)
class Finding:
    """One construct that is left out or changed."""

    pointer: str  #: JSON pointer into the document
    sentence: str


class Findings:
    """The findings of one run, each once, in the order of the document walk."""

    def __init__(self) -> None:
        self._found: dict[Finding, None] = {}

    def add(self, path: Path, sentence: str) -> None:
        """Add one finding about the node at a path."""
        self._found[Finding(pointer_of(path), sentence)] = None

    def each(self, path: Path, names: Iterable[str], sentence: str) -> None:
        """Add one finding about each of some members of the node at a path."""
        for name in names:
            self.add((*path, name), sentence)

    def all(self) -> tuple[Finding, ...]:
        """Return all of them."""
        return tuple(self._found)
