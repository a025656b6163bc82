"""Snapshots that are not the table: files too few or too many, other schemas, other versions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault, on_lines, replace_rule
from mutants.delta_sharing.operators.lines import QUERY, file_of, on_files, on_schema
from mutants.delta_sharing.operators.requests import on_query, without

if TYPE_CHECKING:
    from collections.abc import Callable


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def last_file_is_missing(lines: list[Any]) -> list[Any]:
    """Queries leave out the last file of a table."""
    return lines[:-1] if file_of(lines[-1]) is not None and len(lines) > 4 else lines


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def last_file_is_twice_there(lines: list[Any]) -> list[Any]:
    """Queries list the last file of a table twice."""
    return [*lines, lines[-1]] if file_of(lines[-1]) is not None else lines


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def thousandth_file_is_missing(lines: list[Any]) -> list[Any]:
    """Queries list 999 files at most and say nothing of the others."""
    return lines[:1001]


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def files_stand_at_one_place(lines: list[Any]) -> None:
    """All files of a query have the URL of the first."""
    where = [file for file in map(file_of, lines) if file is not None]
    for file in where[1:]:
        for member in ("url", "path"):
            if member in file:
                file[member] = where[0][member]


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def partition_of_the_first_file(lines: list[Any]) -> None:
    """All files of a query have the partition values of the first."""
    found = [file for file in map(file_of, lines) if file is not None]
    for file in found[1:]:
        file["partitionValues"] = found[0]["partitionValues"]


@fault("DS-QRY-09", "DS-DWP-02", "DS-DFL-07")
def deletion_vectors_are_lost() -> Install:
    """Files are listed without their deletion vectors."""
    return on_files(QUERY, lambda file: file.pop("deletionVector", None))


@fault("DS-QRY-08", by=partial(replace_rule, "answered_version"))
def current_version_in_the_header(_: int, current: Callable[[], int]) -> int:
    """The header of a query always names the current version."""
    return current()


@fault("DS-SCH-06", "DS-QRY-09", by=partial(on_schema, QUERY))
def columns_have_other_names(fields: list[dict[str, Any]]) -> None:
    """The schema has other names than the files."""
    for field in fields:
        if field["name"] == "id":
            field["name"] = "identifier"


@fault("DS-SCH-06", by=partial(on_schema, QUERY))
def columns_have_other_types(fields: list[dict[str, Any]]) -> None:
    """The schema says that a number is a text."""
    for field in fields:
        if field["type"] == "long" and field["name"] == "id":
            field["type"] = "string"


@fault("DS-QRY-08", "DS-QRY-09", "DS-TTV-04")
def versions_are_passed_over() -> Install:
    """Queries as of a version are answered with the current one."""
    return on_query(without("version"))


@fault("DS-QRY-08", "DS-QRY-09")
def timestamps_are_passed_over() -> Install:
    """Queries as of a time are answered with the current version."""
    return on_query(without("timestamp"))
