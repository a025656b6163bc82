"""Response lines about tables on disk, made from their Delta logs for the tests of readers."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import orjson

from lakepact.conformance.rows.deletion_vectors import from_z85


def actions(table: Path, version: int) -> list[dict[str, Any]]:
    """Return the actions of one commit."""
    path = table / "_delta_log" / f"{version:020d}.json"
    return [orjson.loads(line) for line in path.read_bytes().split(b"\n") if line]


def snapshot(table: Path, version: int, *, delta: bool) -> list[dict[str, Any]]:
    """Return the lines of a snapshot, from a log that holds all commits."""
    heads: dict[str, Any] = {}
    files: dict[Any, dict[str, Any]] = {}
    for number in range(version + 1):
        for action in actions(table, number):
            heads |= {kind: action[kind] for kind in ("protocol", "metaData") if kind in action}
            for kind in ("add", "remove"):
                if kind in action:
                    file = action[kind]
                    files.pop(file["path"], None)
                    if kind == "add":
                        files[file["path"]] = file
    lines = [_head(heads, delta=delta)[0], _head(heads, delta=delta)[1]]
    return lines + [_file("add", file, table, delta=delta, kind="file") for file in files.values()]


def changes(
    table: Path, first: int, last: int, *, delta: bool, times: dict[int, int]
) -> list[dict[str, Any]]:
    """Return the lines of the changes between two versions."""
    heads: dict[str, Any] = {}
    lines = []
    for number in range(last + 1):
        commit = actions(table, number)
        for action in commit:
            heads |= {kind: action[kind] for kind in ("protocol", "metaData") if kind in action}
        if number < first:
            continue
        kinds = ("cdc",) if any("cdc" in action for action in commit) else ("add", "remove")
        for action in commit:
            for kind in kinds:
                if kind in action and (kind == "cdc" or action[kind]["dataChange"]):
                    line = _file(
                        kind, action[kind], table, delta=delta, kind={"cdc": "cdf"}.get(kind, kind)
                    )
                    next(iter(line.values())).update(version=number, timestamp=times[number])
                    lines.append(line)
    return [*_head(heads, delta=delta), *lines]


def fetch(_: object, url: str) -> bytes:
    """Return the content of a `file:` URL."""
    with open(url.removeprefix("file:"), "rb") as file:  # noqa: PTH123 - a URL
        return file.read()


def _head(heads: dict[str, Any], *, delta: bool) -> list[dict[str, Any]]:
    if delta:
        return [
            {"protocol": {"deltaProtocol": heads["protocol"]}},
            {"metaData": {"deltaMetadata": heads["metaData"]}},
        ]
    return [{"protocol": {"minReaderVersion": 1}}, {"metaData": heads["metaData"]}]


def _file(
    action: str, file: dict[str, Any], table: Path, *, delta: bool, kind: str
) -> dict[str, Any]:
    url = f"file:{table / unquote(file['path'])}"
    if not delta:
        return {
            kind: {"id": file["path"], "url": url, "stats": file.get("stats")}
            | {k: file[k] for k in ("partitionValues", "size")}
        }
    action_of_file = file | {"path": url}
    vector = file.get("deletionVector")
    if vector and vector["storageType"] == "u":
        text = vector["pathOrInlineDv"]
        name = f"deletion_vector_{uuid.UUID(bytes=from_z85(text[-20:]))}.bin"
        action_of_file["deletionVector"] = vector | {
            "storageType": "p",
            "pathOrInlineDv": f"file:{table / text[:-20] / name}",
        }
    return {"file": {"id": file["path"], "deltaSingleAction": {action: action_of_file}}}
