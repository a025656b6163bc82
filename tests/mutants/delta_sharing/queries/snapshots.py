"""Snapshots that are not the table: files too few or too many, other schemas, other versions."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault, on_lines, replace_rule
from mutants.delta_sharing.operators.lines import QUERY, file_of, on_files, on_schema
from mutants.delta_sharing.operators.requests import on_query, without


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def files_stand_at_one_place(lines: list[Any]) -> None:
    where = [file for file in map(file_of, lines) if file is not None]
    for file in where[1:]:
        for member in ("url", "path"):
            if member in file:
                file[member] = where[0][member]


@fault("DS-QRY-09", by=partial(on_lines, QUERY))
def partition_of_the_first_file(lines: list[Any]) -> None:
    found = [file for file in map(file_of, lines) if file is not None]
    for file in found[1:]:
        file["partitionValues"] = found[0]["partitionValues"]


@fault("DS-SCH-06", "DS-QRY-09", by=partial(on_schema, QUERY))
def columns_have_other_names(fields: list[dict[str, Any]]) -> None:
    for field in fields:
        if field["name"] == "id":
            field["name"] = "identifier"


@fault("DS-SCH-06", by=partial(on_schema, QUERY))
def columns_have_other_types(fields: list[dict[str, Any]]) -> None:
    for field in fields:
        if field["type"] == "long" and field["name"] == "id":
            field["type"] = "string"


FAULTS = {
    "last-file-is-missing DS-QRY-09": on_lines(
        QUERY,
        lambda lines: lines[:-1] if file_of(lines[-1]) is not None and len(lines) > 4 else lines,
    ),
    "last-file-is-twice-there DS-QRY-09": on_lines(
        QUERY, lambda lines: [*lines, lines[-1]] if file_of(lines[-1]) is not None else lines
    ),
    "thousandth-file-is-missing DS-QRY-09": on_lines(QUERY, lambda lines: lines[:1001]),
    "deletion-vectors-are-lost DS-QRY-09 DS-DWP-02 DS-DFL-07": on_files(
        QUERY, lambda file: file.pop("deletionVector", None)
    ),
    "current-version-in-the-header DS-QRY-08": replace_rule(
        "version_of_answer", lambda _, current: current()
    ),
    "versions-are-passed-over DS-QRY-08 DS-QRY-09 DS-TTV-04": on_query(without("version")),
    "timestamps-are-passed-over DS-QRY-08 DS-QRY-09": on_query(without("timestamp")),
}
