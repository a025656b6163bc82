"""Snapshots of shared tables, made without a log."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from lakepact.reference_server.delta_sharing.log.active_files import ActiveFiles, Chunk


def schema_of(
    columns: Mapping[str, Any], metadata: Mapping[str, Mapping[str, Any]] | None = None
) -> str:
    """Return a schema string of columns by name and type."""
    about = metadata or {}
    fields = [
        {"name": name, "type": type_, "nullable": True, "metadata": about.get(name, {})}
        for name, type_ in columns.items()
    ]
    return json.dumps({"type": "struct", "fields": fields})


def struct(**fields: Any) -> dict[str, Any]:
    """Return a structure as the type of a column."""
    return {
        "type": "struct",
        "fields": [
            {"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in fields.items()
        ],
    }


def file(
    partition: Mapping[str, str | None] | None = None,
    stats: Any = None,
    *,
    deleted: int | None = None,
) -> tuple[Mapping[str, str | None], str | None, Mapping[str, Any] | None]:
    """Return a file of `snapshot`; statistics are a document, or raw text for unusual ones."""
    text = stats if stats is None or isinstance(stats, str) else json.dumps(stats)
    return (
        partition or {},
        text,
        None if deleted is None else {"storageType": "i", "cardinality": deleted},
    )


def snapshot(
    columns: Mapping[str, Any],
    *files: tuple[Mapping[str, str | None], str | None, Mapping[str, Any] | None],
    partitioned: Sequence[str] = (),
    metadata: Mapping[str, Mapping[str, Any]] | None = None,
    configuration: Mapping[str, str] | None = None,
    chunk: int = 3,
) -> Any:
    """Return a version of a table with these columns and files."""
    chunks = []
    for start in range(0, len(files), chunk):
        partitions, stats, vectors = zip(*files[start : start + chunk], strict=True)
        sizes = array("q", [1] * len(partitions))
        paths = tuple(f"part-{start + place}" for place in range(len(partitions)))
        chunks.append(
            Chunk(
                paths,
                partitions,
                sizes,
                sizes,
                stats,
                vectors if any(vectors) else None,
                ({},) * len(partitions),
            )
        )
    document = {
        "id": "t",
        "schemaString": schema_of(columns, metadata),
        "partitionColumns": list(partitioned),
        "configuration": dict(configuration or {}),
    }
    return SimpleNamespace(metadata=document, files=ActiveFiles(chunks))
