"""The rights of a principal, computed once from its grants: to a catalog, a namespace and all below
it, or one table or view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lakepact.reference_server.server_file import ACCESS, Grant
from lakepact.reference_server.storage.store import Place

NOTHING, READ, WRITE, ADMIN = range(len(ACCESS) + 1)  #: each includes those before it


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a right: a table or view, a namespace, or, without levels, the catalog."""

    levels: Place
    name: str | None = None


class Rights:
    """The rights of one principal in one catalog.

    Args:
        grants: the grants of the principal for this catalog.
    """

    __slots__ = ("_named", "_namespaces", "_ways")

    def __init__(self, grants: Iterable[Grant]) -> None:
        self._namespaces: dict[Place, int] = {}
        self._named: dict[tuple[Place, str], int] = {}
        # Namespaces on the way to what was granted: they are seen, so that one can get there.
        self._ways: set[Place] = set()
        for grant in grants:
            level = ACCESS.index(grant.access) + 1
            if grant.table is None:
                self._namespaces[grant.namespace] = max(
                    level, self._namespaces.get(grant.namespace, NOTHING)
                )
            else:
                key = (grant.namespace, grant.table)
                self._named[key] = max(level, self._named.get(key, NOTHING))
                self._ways.add(grant.namespace)
            self._ways.update(grant.namespace[:end] for end in range(len(grant.namespace)))

    @property
    def sees_all(self) -> bool:
        """Whether nothing of the catalog is hidden."""
        return self._namespaces.get((), NOTHING) >= READ

    @property
    def sees_any(self) -> bool:
        """Whether anything of the catalog is not hidden."""
        return bool(self._namespaces or self._named)

    def within(self, levels: Sequence[str]) -> int:
        """Return the rights to everything in a namespace."""
        namespaces = self._namespaces
        return max(
            (namespaces.get(tuple(levels[:end]), NOTHING) for end in range(len(levels) + 1)),
            default=NOTHING,
        )

    def of(self, subject: Subject) -> int:
        """Return the rights to a subject."""
        level = self.within(subject.levels)
        return (
            level
            if subject.name is None
            else max(level, self._named.get((subject.levels, subject.name), NOTHING))
        )

    def sees(self, subject: Subject) -> bool:
        """Return whether a subject is shown, if it exists; namespaces also are where something
        below them was granted.
        """
        return self.of(subject) >= READ or (subject.name is None and subject.levels in self._ways)

    def lists_children(self, levels: Place) -> bool:
        """Return whether the namespaces below a namespace, or those of them that were granted, are
        shown.
        """
        deeper = (*self._namespaces, *(place for place, _ in self._named))
        return self.within(levels) >= READ or any(
            len(place) > len(levels) and place[: len(levels)] == levels for place in deeper
        )

    def lists_content(self, levels: Place) -> bool:
        """Return whether the tables and views of a namespace, or those of them that were granted,
        are shown.
        """
        return self.within(levels) >= READ or any(place == levels for place, _ in self._named)

    def holding(self, level: int) -> tuple[Place, ...]:
        """Return the namespaces for which so much was granted, and with them all below."""
        return tuple(place for place, grant in self._namespaces.items() if grant >= level)
