"""The plan of a read: for each file of an answer, its wanted rows and column names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lakepact.client.delta_sharing.lines import SharedFile


@dataclass(frozen=True, slots=True)
class Piece:
    """The rows of one file that are in the deletion vector of `only`, or all where that is None,
    and not in that of `but_not`.
    """

    file: SharedFile
    #: The change type of these rows; None if the file gives it, or there is none.
    change: Literal["insert", "delete"] | None = None
    only: SharedFile | None = None
    but_not: SharedFile | None = None


def without_stats(file: SharedFile) -> SharedFile:
    """Return the file without its statistics, which take the most room, and apart from the files
    that it arrived with.
    """
    return SharedFile.of(file.facts._replace(stats=None))


def of_snapshot(files: Iterable[SharedFile]) -> list[Piece]:
    """Return the rows of a snapshot: those of its files that are not deleted.

    Raises:
        ValueError: A file is not told as one of a snapshot.
    """
    return [Piece(file, but_not=_holder(file)) for file in files if _check_kind(file, {"file"})]


def of_changes(files: Sequence[SharedFile]) -> list[Piece]:
    """Return the rows that versions changed.

    A version that wrote changed rows says by them all that it changed. In the others, the rows of
    files that were added were inserted, and those of removed files deleted; a file that was removed
    and added in one version only changed which of its rows are deleted.

    Raises:
        ValueError: A file is not told as one that changed.
    """
    files = [file for file in files if _check_kind(file, {"add", "remove", "cdf"})]
    versions_with_changes = {file.version for file in files if file.kind == "cdf"}
    silent = [
        file for file in files if file.kind != "cdf" and file.version not in versions_with_changes
    ]
    removals = {(file.version, file.id): file for file in silent if file.kind == "remove"}
    both = {(file.version, file.id) for file in silent if file.kind != "remove"} & set(removals)
    pieces: list[Piece] = []
    for file in files:
        place = (file.version, file.id)
        if file.kind == "cdf":
            pieces.append(Piece(file))
        elif file.version in versions_with_changes or (place in both and file.kind == "remove"):
            continue
        elif place in both:
            pieces.extend(_of_one_file(file, removals[place]))
        elif file.kind == "remove":
            pieces.append(Piece(file, "delete", but_not=_holder(file)))
        else:
            pieces.append(Piece(file, "insert", but_not=_holder(file)))
    return pieces


def _of_one_file(addition: SharedFile, removal: SharedFile) -> list[Piece]:
    now, before = _holder(addition), _holder(removal)
    deletes = [Piece(addition, "delete", only=now, but_not=before)] if now is not None else []
    inserts = [Piece(addition, "insert", only=before, but_not=now)] if before is not None else []
    return deletes + inserts


def _check_kind(file: SharedFile, kinds: set[str]) -> bool:
    if file.kind not in kinds:
        raise ValueError(f"file {file.id} is told as {file.kind}, which this answer is not to hold")
    return True


def _holder(file: SharedFile) -> SharedFile | None:
    """Return the file, if it has a deletion vector."""
    return file if file.deletion_vector is not None else None
