"""The registry of a contract: requirements, features, interpretations of what is ambiguous, and
what no check judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, get_args, get_type_hints

from codegen import profiles
from codegen.bundles import Bundle
from codegen.templates.contract import (
    Correction,
    Difference,
    Feature,
    Operation,
    OperationId,
    Prose,
    Requirement,
)
from lakepact.codegen.documents import Broken, at, no_twins, read_yaml, steps

_MEMBERS = {
    "id",
    "level",
    "sentence",
    "clause",
    "basis",
    "operations",
    "features",
    "side",
    "risk",
    "interpretation",
    "corrections",
    "difference",
}
_CHOICES = {
    name: get_args(get_type_hints(Requirement)[name]) for name in ("level", "basis", "side", "risk")
}


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything that people wrote about a contract beyond the contract itself."""

    requirements: tuple[Requirement, ...]
    features: tuple[Feature, ...]
    corrections: tuple[Correction, ...]
    prose: Prose | None
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class _Context:
    """The names that requirements may refer to."""

    bundle: Bundle
    operations: Mapping[OperationId, Operation]
    features: frozenset[str]
    interpretations: Mapping[str, str]
    uncovered: Mapping[str, str]
    headings: Mapping[str, str]
    inherited: bool = False  #: whether the requirement is from the base contract of a profile

    def is_dropped(self, requirement: str) -> bool:
        """Return whether a difference says that what the other contract demands does not hold."""
        return self.inherited and any(
            difference.drops(requirement) for difference in self.bundle.differences
        )


def registry(
    folders: Sequence[Path], bundle: Bundle, operations: Mapping[OperationId, Operation]
) -> Registry:
    """Everything that a contract's folders say beyond the contract itself; what a later folder says
    under a name counts.

    Raises:
        Broken: Something speaks of what does not exist: an operation, feature, interpretation,
            correction, clause or requirement.
    """
    features = tuple(
        Feature(e["name"], e["sentence"], e["default"])
        for e in _entries(folders, "features.yaml", "name")
    )
    interpretations = {
        e["id"]: f"{e['problem']} {e['ruling']}"
        for e in _entries(folders, "requirements/interpretations.yaml", "id")
    }
    uncovered = {
        e["requirement"]: e["reason"] for e in _entries(folders, "uncovered.yaml", "requirement")
    }
    prose = _prose(folders)
    feature_names = frozenset(feature.name for feature in features)
    context = _Context(
        bundle,
        operations,
        feature_names,
        interpretations,
        uncovered,
        prose.headings if prose else {},
    )
    requirements: dict[str, Requirement] = {}
    others: list[str] = []  # ids of what the contract demands that a profile differs from
    for folder in folders:
        inherited = bundle.base is not None and folder != folders[-1]
        here = replace(context, inherited=inherited)
        own_requirements = [
            requirement for path in _areas(folder) for requirement in _area(path, here)
        ]
        others += _ids(folder) if inherited else ()
        no_twins("requirements", [requirement.id for requirement in own_requirements])
        requirements |= {requirement.id: requirement for requirement in own_requirements}
    own = (
        uncovered
        if bundle.base is None
        else [e["requirement"] for e in _entries(folders[-1:], "uncovered.yaml", "requirement")]
    )
    idle = [pattern for pattern in own if not any(fnmatchcase(i, pattern) for i in requirements)]
    if idle:
        raise Broken(f"uncovered.yaml speaks of requirements that do not exist: {', '.join(idle)}")
    corrections = tuple(
        Correction(e.id, e.sentence, e.why, e.effect, bundle.change_pointers.get(e.id, ()))
        for e in bundle.corrections
    )
    differences = tuple(
        profiles.difference(declaration, others) for declaration in bundle.differences
    )
    return Registry(tuple(requirements.values()), features, corrections, prose, differences)


def _ids(folder: Path) -> list[str]:
    return [entry["id"] for path in _areas(folder) for entry in read_yaml(path)["requirements"]]


def _prose(folders: Sequence[Path]) -> Prose | None:
    prose: Prose | None = None
    for path in (folder / "headings.yaml" for folder in folders):
        if path.exists():
            document = read_yaml(path)
            prose = Prose(
                document["document"],
                document["address"],
                {**(prose.headings if prose else {}), **document["headings"]},
            )
    return prose


def _areas(folder: Path) -> list[Path]:
    paths = (
        path for path in (folder / "requirements").rglob("*.yaml") if path.stem != "interpretations"
    )
    return sorted(paths, key=lambda path: path.stem)


def _entries(folders: Sequence[Path], file: str, key: str) -> list[dict[str, Any]]:
    by_key: dict[str, dict[str, Any]] = {}
    for path in (folder / file for folder in folders):
        entries: list[dict[str, Any]] = read_yaml(path)[path.stem] if path.exists() else []
        no_twins(path.name, [entry[key] for entry in entries])
        by_key |= {entry[key]: entry for entry in entries}
    return list(by_key.values())


def _area(path: Path, context: _Context) -> Iterator[Requirement]:
    document = read_yaml(path)
    if document["area"] != path.stem:
        raise Broken(f"{path.name} says that it is about {document['area']}")
    for entry in document["requirements"]:
        if context.is_dropped(entry["id"]):
            continue
        try:
            yield _requirement(
                _narrow(entry, context) if context.inherited else entry, path.stem, context
            )
        except Broken as broken:
            raise Broken(f"{path.name}, {entry.get('id', entry)}: {broken}") from None


def _narrow(entry: dict[str, Any], context: _Context) -> dict[str, Any]:
    """Return the requirements of the base contract for the operations of a profile."""
    names = entry["operations"]
    left = [operation for operation in names if operation in context.operations]
    if names and not left:
        raise Broken(
            "it concerns only operations that the profile has not; a difference has to say that it"
            " is without it"
        )
    return {**entry, "operations": left}


def _requirement(entry: dict[str, Any], area: str, context: _Context) -> Requirement:
    check_names("members", entry, _MEMBERS)
    for name, choices in _CHOICES.items():
        check_names(name, [entry.get(name, choices[0])], choices)
    check_names("operations", entry.get("operations", ()), context.operations)
    check_names("features", entry.get("features", ()), context.features)
    check_names(
        "interpretations",
        [entry["interpretation"]] if "interpretation" in entry else (),
        context.interpretations,
    )
    check_names(
        "differences",
        [entry["difference"]] if "difference" in entry else (),
        [d.id for d in context.bundle.differences],
    )
    check_names(
        "corrections",
        entry.get("corrections", ()),
        context.bundle.adoptions.union(context.bundle.change_pointers),
    )
    _there(entry["clause"], context)
    interpretation = entry.get("interpretation")
    return Requirement(
        id=entry["id"],
        level=entry["level"],
        sentence=entry["sentence"],
        clause=entry["clause"],
        basis=entry["basis"],
        area=area,
        operations=tuple(entry.get("operations", ())),
        features=tuple(entry.get("features", ())),
        side=entry.get("side", "server"),
        risk=entry.get("risk", "behaviour"),
        interpretation=f"{interpretation}: {context.interpretations[interpretation]}"
        if interpretation
        else "",
        corrections=_corrections(entry, context.bundle),
        difference=entry.get("difference", ""),
        uncovered=next(
            (
                reason
                for pattern, reason in context.uncovered.items()
                if fnmatchcase(entry["id"], pattern)
            ),
            "",
        ),
    )


def _there(clause: str, context: _Context) -> None:
    if not clause.startswith("#"):
        at(context.bundle.source_document, clause)
    elif clause[1:] not in context.headings:
        raise Broken(f"{clause} points to nothing: the prose has no such heading")


def check_names(what: str, used: Iterable[str], names: Iterable[str]) -> None:
    """Check that every name that people wrote is known.

    Raises:
        Broken: one is not.
    """
    unknown = sorted(set(used) - set(names))
    if unknown:
        raise Broken(f"unknown {what}: {', '.join(unknown)}")


def _corrections(entry: dict[str, Any], bundle: Bundle) -> tuple[str, ...]:
    """Return the corrections that a verdict on a requirement rests on: those that it names, and
    those that changed its clause.
    """
    ids = set(entry.get("corrections", ()))
    clause = entry["clause"]
    ours = (
        correction
        for correction in bundle.corrections
        if correction.effect != "none" and correction.id in bundle.change_pointers
    )
    return tuple(
        e.id
        for e in ours
        if e.id in ids or any(_bears_on(target, clause) for target in bundle.change_pointers[e.id])
    )


def _bears_on(target: str, clause: str) -> bool:
    """Return whether a change at one pointer affects another: the same place, one around it, or one
    within it below an operation.

    Prose is never changed: a requirement whose clause is a heading names the corrections that it
    rests on.
    """
    if clause.startswith("#"):
        return False
    target_steps, read = steps(target), steps(clause)
    if target_steps[: len(read)] == read:
        return target_steps == read or not (
            read[:1] == ["paths"] and len(read) <= len(["paths", "path", "method"])
        )
    return read[: len(target_steps)] == target_steps
