"""The registry of a contract: requirements, features, readings of what is ambiguous, and what no check judges."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from codegen.documents import Broken, at, read_yaml, steps
from codegen.templates.contract import Edit, Feature, Prose, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from codegen.bundles import Bundle
    from codegen.templates.contract import Operation

_MEMBERS = {"id", "level", "says", "clause", "basis", "operations", "features", "side", "reading", "edits"}
_CHOICES = {name: get_args(get_type_hints(Requirement)[name]) for name in ("level", "basis", "side")}


@dataclass(frozen=True, slots=True)
class Registry:
    """What a contract demands."""

    requirements: tuple[Requirement, ...]
    features: tuple[Feature, ...]
    edits: tuple[Edit, ...]
    prose: Prose | None


@dataclass(frozen=True, slots=True)
class _Context:
    """What requirements may speak of."""

    bundle: Bundle
    operations: Mapping[str, Operation]
    features: frozenset[str]
    readings: Mapping[str, str]
    uncovered: Mapping[str, str]
    headings: Mapping[str, str]


def registry(folder: Path, bundle: Bundle, operations: Mapping[str, Operation]) -> Registry:
    """Everything that a contract's folder says beyond the contract itself.

    Raises:
        Broken: Something speaks of what does not exist: an operation, feature, reading, edit, clause or requirement.
    """
    features = tuple(Feature(e["name"], e["says"], e["default"]) for e in _entries(folder / "features.yaml", "features", "name"))
    readings = {e["id"]: f"{e['problem']} {e['ruling']}" for e in _entries(folder / "requirements" / "readings.yaml", "readings", "id")}
    uncovered = {e["requirement"]: e["reason"] for e in _entries(folder / "uncovered.yaml", "uncovered", "requirement")}
    prose = _prose(folder / "headings.yaml")
    named = frozenset(feature.name for feature in features)
    context = _Context(bundle, operations, named, readings, uncovered, prose.headings if prose else {})
    areas = sorted(path for path in (folder / "requirements").glob("*.yaml") if path.stem != "readings")
    requirements = tuple(requirement for path in areas for requirement in _area(path, context))
    ids = [requirement.id for requirement in requirements]
    _no_twins("requirements", ids)
    idle = [pattern for pattern in uncovered if not any(fnmatchcase(i, pattern) for i in ids)]
    if idle:
        raise Broken(f"uncovered.yaml speaks of requirements that do not exist: {', '.join(idle)}")
    edits = tuple(Edit(e.id, e.says, e.why, e.effect, bundle.touched.get(e.id, ())) for e in bundle.edits)
    return Registry(requirements, features, edits, prose)


def _prose(path: Path) -> Prose | None:
    if not path.exists():
        return None
    written = read_yaml(path)
    return Prose(written["document"], written["address"], written["headings"])


def _entries(path: Path, under: str, key: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = read_yaml(path)[under] if path.exists() else []
    _no_twins(path.name, [entry[key] for entry in entries])
    return entries


def _no_twins(what: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Broken(f"{what}: {', '.join(twice)} stand there twice")


def _area(path: Path, context: _Context) -> Iterator[Requirement]:
    written = read_yaml(path)
    if written["area"] != path.stem:
        raise Broken(f"{path.name} says that it is about {written['area']}")
    for entry in written["requirements"]:
        try:
            yield _requirement(entry, path.stem, context)
        except Broken as broken:
            raise Broken(f"{path.name}, {entry.get('id', entry)}: {broken}") from None


def _requirement(entry: dict[str, Any], area: str, context: _Context) -> Requirement:
    _known("members", entry, _MEMBERS)
    for name, choices in _CHOICES.items():
        _known(name, [entry.get(name, choices[0])], choices)
    _known("operations", entry.get("operations", ()), context.operations)
    _known("features", entry.get("features", ()), context.features)
    _known("readings", [entry["reading"]] if "reading" in entry else (), context.readings)
    _known("edits", entry.get("edits", ()), context.bundle.touched)
    _there(entry["clause"], context)
    reading = entry.get("reading")
    return Requirement(
        id=entry["id"],
        level=entry["level"],
        says=entry["says"],
        clause=entry["clause"],
        basis=entry["basis"],
        area=area,
        operations=tuple(entry.get("operations", ())),
        features=tuple(entry.get("features", ())),
        side=entry.get("side", "server"),
        reading=f"{reading}: {context.readings[reading]}" if reading else "",
        edits=_edits(entry, context.bundle),
        uncovered=next((reason for pattern, reason in context.uncovered.items() if fnmatchcase(entry["id"], pattern)), ""),
    )


def _there(clause: str, context: _Context) -> None:
    if not clause.startswith("#"):
        at(context.bundle.written, clause)
    elif clause[1:] not in context.headings:
        raise Broken(f"{clause} points to nothing: the prose has no such heading")


def _known(what: str, used: Iterable[str], known: Iterable[str]) -> None:
    unknown = sorted(set(used) - set(known))
    if unknown:
        raise Broken(f"unknown {what}: {', '.join(unknown)}")


def _edits(entry: dict[str, Any], bundle: Bundle) -> tuple[str, ...]:
    """The edits that a verdict on a requirement rests on: those that it names, and those that changed its clause."""
    named = set(entry.get("edits", ()))
    clause = entry["clause"]
    ours = (edit for edit in bundle.edits if edit.effect != "none" and edit.id in bundle.touched)
    return tuple(e.id for e in ours if e.id in named or any(_bears_on(target, clause) for target in bundle.touched[e.id]))


def _bears_on(target: str, clause: str) -> bool:
    """Whether a change at one pointer changes what stands at another: at it, around it, or within it if it is less than an operation.

    Prose is never changed: a requirement whose clause is a heading names the edits that it rests on.
    """
    if clause.startswith("#"):
        return False
    changed, read = steps(target), steps(clause)
    if changed[: len(read)] == read:
        return changed == read or not (read[:1] == ["paths"] and len(read) <= len(["paths", "path", "method"]))
    return read[: len(changed)] == changed
