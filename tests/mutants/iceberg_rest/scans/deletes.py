"""Delete files that apply to too many data files, or to too few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.reference_server.faults import Install, fault, on_answer, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.scans import TOLD, changed, deletes_told


def _applying(change: Callable[[Any, Any, Callable[..., list[Any]]], list[Any]]) -> Install:
    """To a data file those delete files apply that `change(deletes, entry, of)` says."""
    return wrap_rule("deletes_of", lambda of: lambda deletes, entry: change(deletes, entry, of))


def _aged(entry: Any, sequence: int) -> Any:
    return replace(entry, sequence_number=sequence)


def _kept(deletes: Any, kind: str) -> list[tuple[Any, Any]]:
    """The delete files of one kind, each with the place or the data file that it is kept by."""
    found: dict[Any, list[Any]] = vars(deletes)[kind]
    return [(place, one) for place, some in found.items() for one in some]


def _counted_from(change: Callable[[list[int]], list[int]]) -> Install:
    def edit(document: Document) -> None:
        for task in document.get("file-scan-tasks") or ():
            if task.get("delete-file-references"):
                task["delete-file-references"] = change(task["delete-file-references"])

    return on_answer(TOLD, edit)


@fault("IRC-SCAN-SCH-003", by=_applying)
def positions_stay_beside_vectors(
    deletes: Any, entry: Any, of: Callable[..., list[Any]]
) -> list[Any]:
    found = of(deletes, entry)
    positions = [
        one
        for path, one in _kept(deletes, "_of_files")
        if path == entry.path and one.sequence_number >= entry.sequence_number
    ]
    return [*found, *(one for one in positions if one not in found)]


@fault("IRC-SCAN-SCH-003", by=_applying)
def deletes_apply_across_specs(deletes: Any, entry: Any, of: Callable[..., list[Any]]) -> list[Any]:
    alike = [
        one
        for kind in ("_equality", "_of_partitions")
        for (_, values), one in _kept(deletes, kind)
        if values == entry.partition
    ]
    found = of(deletes, entry)
    return [
        *found,
        *(one for one in alike if one not in found and one.sequence_number > entry.sequence_number),
    ]


@fault("IRC-SCAN-SCH-003", by=partial(on_answer, TOLD))
def references_accumulate(document: Document) -> None:
    seen: list[int] = []
    for task in document.get("file-scan-tasks") or ():
        seen += [one for one in task.get("delete-file-references") or () if one not in seen]
        if seen:
            task["delete-file-references"] = list(seen)


@fault("IRC-SCAN-SCH-003", by=partial(on_answer, TOLD))
def vectors_are_files(document: Document) -> None:
    deletes = document.get("delete-files") or []
    last = {one["file-path"]: place for place, one in enumerate(deletes)}
    for task in document.get("file-scan-tasks") or ():
        if task.get("delete-file-references"):
            task["delete-file-references"] = [
                last[deletes[one]["file-path"]] for one in task["delete-file-references"]
            ]


@fault("IRC-SCAN-SCH-001", by=partial(on_answer, TOLD), breaks_at="/file-scan-tasks")
def delete_files_stay_behind(document: Document) -> None:
    document.pop("delete-files", None)


@fault("IRC-SCAN-SCH-004", by=partial(on_answer, TOLD))
def idle_delete_files(document: Document) -> None:
    if document.get("delete-files"):
        document["delete-files"].append(
            {**document["delete-files"][0], "file-path": "file:///nowhere.parquet"}
        )


FAULTS = {
    "deletes-apply-to-the-future IRC-SCAN-SCH-003": _applying(
        lambda deletes, entry, of: of(deletes, _aged(entry, 0))
    ),
    "deletes-spare-their-snapshot IRC-SCAN-SCH-003": _applying(
        lambda deletes, entry, of: [
            one for one in of(deletes, entry) if one.sequence_number > entry.sequence_number
        ]
    ),
    "equality-deletes-are-lost IRC-SCAN-SCH-003": _applying(
        lambda deletes, entry, of: [one for one in of(deletes, entry) if one.file["content"] != 2]
    ),
    "carried-files-are-new IRC-SCAN-SCH-003": _applying(
        lambda deletes, entry, of: of(deletes, _aged(entry, 2**40) if entry.state == 0 else entry)
    ),
    "deletes-of-everything-are-of-a-spec IRC-SCAN-SCH-003": _applying(
        lambda deletes, entry, of: [
            one for one in of(deletes, entry) if one.spec_id == entry.spec_id
        ]
    ),
    "equality-is-of-all-columns IRC-SCAN-SCH-006": deletes_told(
        changed("equality-ids", lambda _: [1, 2, 3])
    ),
    "references-count-from-one IRC-SCAN-SCH-002": _counted_from(
        lambda references: [one + 1 for one in references]
    ),
    "references-come-twice IRC-SCAN-SCH-002": _counted_from(lambda references: references * 2),
}
