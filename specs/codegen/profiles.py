"""Profiles: contracts that say only in what they differ from another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from codegen import changes
from codegen.templates.contract import Difference
from lakepact.codegen.documents import (
    Broken,
    Document,
    is_list,
    is_object,
    no_twins,
    pointer_of,
    read_yaml,
    steps,
)

PRUNED = ("schemas", "parameters", "responses", "requestBodies", "examples")
_MEMBERS = {"id", "sentence", "taken"}


@dataclass(frozen=True, slots=True)
class Written:
    """One difference as people wrote it."""

    id: str
    sentence: str
    consequence: str  #: what follows from it
    changes: tuple[Document, ...]  #: of the other contract's document
    without: tuple[str, ...]  #: patterns of the other contract's requirements that do not hold

    def drops(self, requirement: str) -> bool:
        """Return whether a requirement of the other contract does not hold because of it."""
        return any(fnmatchcase(requirement, pattern) for pattern in self.without)


def read(path: Path) -> tuple[Written, ...]:
    """Return the differences in a file, in its order.

    Raises:
        Broken: One lacks something, has something unknown, or stands there twice.
    """
    entries: list[dict[str, Any]] = read_yaml(path)["differences"]
    for entry in entries:
        if _MEMBERS - set(entry) or set(entry) - _MEMBERS - {"changes", "without"}:
            raise Broken(
                "a difference has id, sentence, taken and perhaps changes and without, but this"
                f" one has {', '.join(entry)}"
            )
    no_twins(path.name, [entry["id"] for entry in entries])
    return tuple(
        Written(
            e["id"],
            e["sentence"],
            e["taken"],
            tuple(e.get("changes", ())),
            tuple(e.get("without", ())),
        )
        for e in entries
    )


def with_differences(document: Document, differences: Iterable[Written]) -> Document:
    """Another contract's document with the changes of a profile, and without components that only
    what is gone had used.

    Raises:
        Broken: A change does not find what it expects; the message names the difference.
    """
    later = deepcopy(document)
    for difference in differences:
        try:
            for change in difference.changes:
                changes.apply(later, change)
        except Broken as broken:
            raise Broken(f"difference {difference.id} ({difference.sentence}): {broken}") from None
    orphans = _used(document) - _used(later)
    for kind in PRUNED:
        components = later["components"].get(kind, {})
        for name in [
            name for name in components if pointer_of(["components", kind, name]) in orphans
        ]:
            del components[name]
    return later


def difference(entry: Written, requirements: Iterable[str]) -> Difference:
    """Return a difference as a value, given the requirements of the base contract.

    Raises:
        Broken: It removes an unknown requirement.
    """
    ids = list(requirements)
    idle = [
        pattern for pattern in entry.without if not any(fnmatchcase(name, pattern) for name in ids)
    ]
    if idle:
        raise Broken(
            f"difference {entry.id} is without requirements that do not exist: {', '.join(idle)}"
        )
    return Difference(
        entry.id,
        entry.sentence,
        entry.consequence,
        tuple(name for name in ids if entry.drops(name)),
    )


def _used(document: Document) -> set[str]:
    """Pointers to the components that paths refer to, directly or through others."""
    used: set[str] = set()
    rest = set(_references(document["paths"]))
    while rest:
        used |= rest
        rest = {
            inner for pointer in rest for inner in _references(_component(document, pointer))
        } - used
    return used


def _component(document: Document, pointer: str) -> Any:
    node: Any = document
    for step in steps(pointer):
        node = node.get(step, {})
    return node


def _references(node: Any) -> Iterator[str]:
    if is_object(node):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/components/"):
            yield pointer_of(steps(reference[1:])[:3])
        for member in node.values():
            yield from _references(member)
    elif is_list(node):
        for item in node:
            yield from _references(item)
