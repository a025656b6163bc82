"""Delete files that apply to too many data files, or to too few."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, around, on_answer
from lakepact.reference_server.iceberg_rest.faults.ways.scans import TOLD, changed, deletes_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document


def _applying(change: Callable[[Any, Any, Callable[..., list[Any]]], list[Any]]) -> Install:
    """To a data file those delete files apply that `change(deletes, entry, of)` says."""
    return around("rules", "deletes-of", lambda of: lambda deletes, entry: change(deletes, entry, of))


def _aged(entry: Any, sequence: int) -> Any:
    return replace(entry, sequence_number=sequence)


def _of_any_age(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    return of(deletes, _aged(entry, 0))


def _of_younger_alone(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    return [one for one in of(deletes, entry) if one.sequence_number > entry.sequence_number]


def _without_equality(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    return [one for one in of(deletes, entry) if one.file["content"] != 2]


def _of_carried_files(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    """Files that were carried into a newer manifest are taken for newer than all delete files."""
    return of(deletes, _aged(entry, 2**40) if entry.state == 0 else entry)


def _kept(deletes: Any, kind: str) -> list[tuple[Any, Any]]:
    """The delete files of one kind, each with the place or the data file that it is kept by."""
    found: dict[Any, list[Any]] = vars(deletes)[kind]
    return [(place, one) for place, some in found.items() for one in some]


def _beside_vectors(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    found = of(deletes, entry)
    positions = [one for path, one in _kept(deletes, "_of_files") if path == entry.path and one.sequence_number >= entry.sequence_number]
    return [*found, *(one for one in positions if one not in found)]


def _across_specs(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    alike = [one for kind in ("_equality", "_of_partitions") for (_, values), one in _kept(deletes, kind) if values == entry.partition]
    found = of(deletes, entry)
    return [*found, *(one for one in alike if one not in found and one.sequence_number > entry.sequence_number)]


def _of_the_spec_alone(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    return [one for one in of(deletes, entry) if one.spec_id == entry.spec_id]


def _accumulated(document: Document) -> None:
    seen: list[int] = []
    for task in document.get("file-scan-tasks") or ():
        seen += [one for one in task.get("delete-file-references") or () if one not in seen]
        if seen:
            task["delete-file-references"] = list(seen)


def _by_path(document: Document) -> None:
    """References by the path alone, of which the last one wins."""
    deletes = document.get("delete-files") or []
    last = {one["file-path"]: place for place, one in enumerate(deletes)}
    for task in document.get("file-scan-tasks") or ():
        if task.get("delete-file-references"):
            task["delete-file-references"] = [last[deletes[one]["file-path"]] for one in task["delete-file-references"]]


def _one_too_many(document: Document) -> None:
    if document.get("delete-files"):
        document["delete-files"].append({**document["delete-files"][0], "file-path": "file:///nowhere.parquet"})


def _left_out(document: Document) -> None:
    document.pop("delete-files", None)


def _counted_from(change: Callable[[list[int]], list[int]]) -> Install:
    def edit(document: Document) -> None:
        for task in document.get("file-scan-tasks") or ():
            if task.get("delete-file-references"):
                task["delete-file-references"] = change(task["delete-file-references"])

    return on_answer(TOLD, edit)


FAULTS = (
    Fault("deletes-apply-to-the-future", "Delete files apply to younger data files.", ("IRC-SCAN-SCH-003",), _applying(_of_any_age)),
    Fault("deletes-spare-their-snapshot", "Positions of the same snapshot stay.", ("IRC-SCAN-SCH-003",), _applying(_of_younger_alone)),
    Fault("equality-deletes-are-lost", "Files that delete by equality do not apply.", ("IRC-SCAN-SCH-003",), _applying(_without_equality)),
    Fault(
        "carried-files-are-new",
        "Files that were carried into a newer manifest are new.",
        ("IRC-SCAN-SCH-003",),
        _applying(_of_carried_files),
    ),
    Fault("positions-stay-beside-vectors", "Vectors do not stand for position deletes.", ("IRC-SCAN-SCH-003",), _applying(_beside_vectors)),
    Fault("deletes-apply-across-specs", "Partitions of two specs are one.", ("IRC-SCAN-SCH-003",), _applying(_across_specs)),
    Fault(
        "deletes-of-everything-are-of-a-spec",
        "Delete files without partition do not apply where there are some.",
        ("IRC-SCAN-SCH-003",),
        _applying(_of_the_spec_alone),
    ),
    Fault(
        "equality-is-of-all-columns",
        "Files that delete by equality name other columns.",
        ("IRC-SCAN-SCH-006",),
        deletes_told(changed("equality-ids", lambda _: [1, 2, 3])),
    ),
    Fault("references-accumulate", "A task refers to what those before it refer to.", ("IRC-SCAN-SCH-003",), on_answer(TOLD, _accumulated)),
    Fault("vectors-are-files", "Deletion vectors are told apart by their file.", ("IRC-SCAN-SCH-003",), on_answer(TOLD, _by_path)),
    Fault("delete-files-stay-behind", "Delete files are referred to but do not come.", ("IRC-SCAN-SCH-001",), on_answer(TOLD, _left_out)),
    Fault(
        "references-count-from-one",
        "References are counted from 1.",
        ("IRC-SCAN-SCH-002",),
        _counted_from(lambda references: [one + 1 for one in references]),
    ),
    Fault(
        "references-come-twice",
        "Each reference is there twice.",
        ("IRC-SCAN-SCH-002",),
        _counted_from(lambda references: references * 2),
    ),
    Fault("idle-delete-files", "There are delete files to which nothing refers.", ("IRC-SCAN-SCH-004",), on_answer(TOLD, _one_too_many)),
)
