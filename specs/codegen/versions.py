"""A version of a contract as tables, and what two versions say otherwise."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codegen import overlay
from codegen.bundles import Bundle, read_bundle
from codegen.contracts import Source
from codegen.errors import errors
from codegen.operations import operations
from codegen.registry import Registry, registry
from codegen.templates.contract import Operation, OperationId
from lakepact.codegen.documents import Document, is_object, pointer_of

_OF_OURS = {
    "interpretation",
    "corrections",
    "uncovered",
}  #: members of a requirement that say nothing of the contract


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a contract, read and found sound."""

    source: Source
    bundle: Bundle
    operations: Mapping[OperationId, Operation]
    registry: Registry


def read(source: Source) -> Version:
    """Return the tables of a version.

    Raises:
        Broken: Something in its folders is wrong; the message says where.
    """
    bundle = read_bundle(source)
    types = errors(source.folders, bundle.verdicts)
    table = operations(bundle.verdicts, types, source.media)
    return Version(source, bundle, table, registry(source.folders, bundle, table))


def difference(old: Version, new: Version) -> Document:
    """Return the differences of `new` from `old`: operations, schemas, requirements and features.

    New parts are described in words too: the additions, and the requirements that are new or
    changed.
    """
    before = _requirements(old)
    return {
        "contract": old.source.name,
        "from": old.source.version,
        "to": new.source.version,
        "additions": overlay.sentences_of_additions(new.source.folder / "additions.yaml")
        if new.source.extends
        else [],
        "demands": [r for i, r in _requirements(new).items() if before.get(i) != r],
        "operations": comparison(_operations(old), _operations(new)),
        "schemas": comparison(_schemas(old), _schemas(new)),
        "requirements": comparison(_requirements(old), _requirements(new)),
        "features": comparison(_by_name(old.registry.features), _by_name(new.registry.features)),
    }


def comparison(old: Mapping[str, Any], new: Mapping[str, Any]) -> Document:
    """Return names that came and went, and by name the places within that did, each as a JSON
    pointer.
    """
    differences = {
        name: dict(_places(old[name], new[name], ()))
        for name in old
        if name in new and old[name] != new[name]
    }
    return {
        "added": [name for name in new if name not in old],
        "removed": [name for name in old if name not in new],
        "changed": differences,
    }


def _places(old: Any, new: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not (is_object(old) and is_object(new)):
        if old != new:
            yield pointer_of(path), "changed"
        return
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in new:
            yield pointer_of((*path, name)), "removed"
        elif name not in old:
            yield pointer_of((*path, name)), "added"
        else:
            yield from _places(old[name], new[name], (*path, name))


def _operations(version: Version) -> dict[str, Document]:
    by_id: dict[str, Document] = {}
    for operation in version.operations.values():
        members = dataclasses.asdict(operation)
        members["parameters"] = {
            f"{parameter['where']} {parameter['name']}": parameter
            for parameter in members["parameters"]
        }
        by_id[operation.id] = members
    return by_id


def _schemas(version: Version) -> Document:
    schemas: Document = version.bundle.verdicts["components"]["schemas"]
    return schemas


def _requirements(version: Version) -> dict[str, Document]:
    by_id = {
        requirement.id: dataclasses.asdict(requirement)
        for requirement in version.registry.requirements
    }
    return {
        i: {name: value for name, value in members.items() if name not in _OF_OURS}
        for i, members in by_id.items()
    }


def _by_name(values: Iterable[Any]) -> dict[str, Document]:
    return {value.name: dataclasses.asdict(value) for value in values}
