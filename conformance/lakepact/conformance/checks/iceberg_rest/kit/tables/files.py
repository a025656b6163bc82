"""The files of a table, where suite and target share a file system."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.files.locations import local_path
from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table
from lakepact.conformance.evidence.outcome import NotOffered, Unmet


def has_files_here(table: Table) -> bool:
    """Return whether the metadata file of a table can be read on this machine, is the table's own, and others can be put beside it."""
    with contextlib.suppress(NotOffered, Unmet, OSError, orjson.JSONDecodeError):
        path = local_path(table.metadata_location or "")
        document = orjson.loads(path.read_bytes())
        return (
            isinstance(document, dict)
            and document.get("table-uuid") == table.uuid
            and os.access(path.parent, os.W_OK)
        )
    return False


def metadata_file(lab: CatalogLab, table: Table) -> Path:
    """Return the metadata file of a table; that it is the table's own shows that harness and target see the same files.

    Raises:
        NotOffered: the harness cannot read it.
    """
    if not lab.feature("readable-files"):
        raise NotOffered("the harness cannot read the files of the warehouse")
    path = local_path(table.metadata_location or "")
    try:
        document = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        document = None
    if not isinstance(document, dict) or document.get("table-uuid") != table.uuid:
        raise NotOffered(f"the harness does not find the table's metadata at {path}")
    lab.uses_files()
    return path


def known_files(lab: CatalogLab, table: Table) -> list[Path]:
    """Return the metadata files of a table, former ones too, as far as they exist.

    Raises:
        NotOffered: the harness cannot read them.
    """
    former = [entry["metadata-file"] for entry in table.metadata.get("metadata-log") or ()]
    return [
        metadata_file(lab, table),
        *(path for path in map(local_path, former) if path.is_file()),
    ]


def lost(files: Sequence[Path]) -> list[str]:
    """Return the names of those files that are gone."""
    return [path.name for path in files if not path.exists()]
