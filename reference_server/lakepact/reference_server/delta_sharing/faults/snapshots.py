"""Snapshots that are not the table: files too few or too many, other schemas, other versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.faults.ways.asking import on_query, without
from lakepact.reference_server.delta_sharing.faults.ways.lines import QUERY, file_of, on_files, on_schema
from lakepact.reference_server.faults import Fault, instead, on_lines

if TYPE_CHECKING:
    from collections.abc import Callable


def _without_last(lines: list[Any]) -> list[Any]:
    return lines[:-1] if file_of(lines[-1]) is not None and len(lines) > 4 else lines


def _last_twice(lines: list[Any]) -> list[Any]:
    return [*lines, lines[-1]] if file_of(lines[-1]) is not None else lines


def _first_thousand_less_one(lines: list[Any]) -> list[Any]:
    return lines[:1001]


def _one_place(lines: list[Any]) -> None:
    """Say of every file that it stands where the first one does."""
    where = [file for file in map(file_of, lines) if file is not None]
    for file in where[1:]:
        for member in ("url", "path"):
            if member in file:
                file[member] = where[0][member]


def _first_partition_only(lines: list[Any]) -> None:
    found = [file for file in map(file_of, lines) if file is not None]
    for file in found[1:]:
        file["partitionValues"] = found[0]["partitionValues"]


def _renamed(fields: list[dict[str, Any]]) -> None:
    for field in fields:
        if field["name"] == "id":
            field["name"] = "identifier"


def _text(fields: list[dict[str, Any]]) -> None:
    for field in fields:
        if field["type"] == "long" and field["name"] == "id":
            field["type"] = "string"


def _newest(_: int, current: Callable[[], int]) -> int:
    return current()


FAULTS = (
    Fault("last-file-is-missing", "Queries leave out the last file of a table.", ("DS-QRY-09",), on_lines(QUERY, _without_last)),
    Fault("last-file-is-twice-there", "Queries list the last file of a table twice.", ("DS-QRY-09",), on_lines(QUERY, _last_twice)),
    Fault(
        "thousandth-file-is-missing",
        "Queries list 999 files at most and say nothing of the others.",
        ("DS-QRY-09",),
        on_lines(QUERY, _first_thousand_less_one),
    ),
    Fault("files-stand-at-one-place", "All files of a query have the URL of the first.", ("DS-QRY-09",), on_lines(QUERY, _one_place)),
    Fault(
        "partition-of-the-first-file",
        "All files of a query have the partition values of the first.",
        ("DS-QRY-09",),
        on_lines(QUERY, _first_partition_only),
    ),
    Fault(
        "deletion-vectors-are-lost",
        "Files are listed without their deletion vectors.",
        ("DS-QRY-09", "DS-DWP-02", "DS-DFL-07"),
        on_files(QUERY, lambda file: file.pop("deletionVector", None)),
    ),
    Fault(
        "current-version-in-the-header",
        "The header of a query always names the current version.",
        ("DS-QRY-08",),
        instead("rules", "answered-version", _newest),
    ),
    Fault("columns-have-other-names", "The schema has other names than the files.", ("DS-SCH-06", "DS-QRY-09"), on_schema(QUERY, _renamed)),
    Fault("columns-have-other-types", "The schema says that a number is a text.", ("DS-SCH-06",), on_schema(QUERY, _text)),
    Fault(
        "versions-are-passed-over",
        "Queries as of a version are answered with the current one.",
        ("DS-QRY-08", "DS-QRY-09", "DS-TTV-04"),
        on_query(without("version")),
    ),
    Fault(
        "timestamps-are-passed-over",
        "Queries as of a time are answered with the current version.",
        ("DS-QRY-08", "DS-QRY-09"),
        on_query(without("timestamp")),
    ),
)
