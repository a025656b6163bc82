"""Faults of lines: what they edit in the files and the metadata of an answer, whichever format it
has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, on_lines

QUERY, CHANGES = op.query_table, op.query_table_changes
KINDS = ("file", "add", "remove", "cdf")


def file_of(line: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object of a file line, or the action that it wraps."""
    for kind in KINDS:
        if kind in line:
            single = line[kind].get("deltaSingleAction")
            found: dict[str, Any] = next(iter(single.values())) if single else line[kind]
            return found
    return None


def files(lines: list[Any]) -> Iterator[dict[str, Any]]:
    """Return the objects of all file lines."""
    for line in lines:
        file = file_of(line)
        if file is not None:
            yield file


def wrapper_of(line: dict[str, Any]) -> dict[str, Any]:
    """The object that a line wraps."""
    wrapper: dict[str, Any] = next(iter(line.values()))
    return wrapper


def on_files(operation: OperationId, edit: Callable[[dict[str, Any]], object]) -> Install:
    """Edit in place what each line says of a file."""

    def change(lines: list[Any]) -> None:
        for file in files(lines):
            edit(file)

    return on_lines(operation, change)


def on_metadata(operation: OperationId, edit: Callable[[dict[str, Any]], object]) -> Install:
    """Edit in place the metadata that each line says, unwrapped."""

    def change(lines: list[Any]) -> None:
        for line in lines:
            if "metaData" in line:
                edit(line["metaData"].get("deltaMetadata") or line["metaData"])

    return on_lines(operation, change)


def on_schema(operation: OperationId, edit: Callable[[list[dict[str, Any]]], object]) -> Install:
    """Edit in place the columns of each schema."""

    def change(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        edit(schema["fields"])
        metadata["schemaString"] = json.dumps(schema)

    return on_metadata(operation, change)


def on_statistics(edit: Callable[[dict[str, Any]], object]) -> Install:
    """Edit in place the statistics of each file of a query."""

    def change(file: dict[str, Any]) -> None:
        if file.get("stats"):
            stats = json.loads(file["stats"])
            edit(stats)
            file["stats"] = json.dumps(stats)

    return on_files(QUERY, change)


def on_partition_values(edit: Callable[[str, str | None], Any]) -> Install:
    """Write each partition value of a query as `edit(name, value)` does."""

    def change(file: dict[str, Any]) -> None:
        file["partitionValues"] = {
            name: edit(name, value) for name, value in file["partitionValues"].items()
        }

    return on_files(QUERY, change)


def only(holds: Callable[[dict[str, Any]], bool]) -> Callable[[list[Any]], list[Any]]:
    """Keep of the lines those of files for which `holds(line)`, and all others."""
    return lambda lines: [line for line in lines if file_of(line) is None or holds(line)]
