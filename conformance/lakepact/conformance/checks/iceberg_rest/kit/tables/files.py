"""The files of a table, where the user shares them with the suite."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.evidence.shared_files import READABLE_FILES, SharedFile


def has_files_here(lab: CatalogLab, table: Table) -> bool:
    """Return whether the suite can read a table's own metadata file and write beside it."""
    try:
        return _own_metadata(lab, table).can_have_others_beside_it()
    except (NotOffered, Unmet):
        return False


def metadata_file(lab: CatalogLab, table: Table) -> SharedFile:
    """Return the metadata file of a table; its UUID shows that suite and target see the same files.

    Raises:
        NotOffered: the suite cannot read it.
    """
    if not lab.feature(READABLE_FILES):
        raise NotOffered(
            f"the suite cannot read the files of the warehouse (feature {READABLE_FILES})"
        )
    file = _own_metadata(lab, table)
    lab.uses_files()
    return file


def _own_metadata(lab: CatalogLab, table: Table) -> SharedFile:
    file = lab.target.shared_files.at(table.metadata_location)
    try:
        document = orjson.loads(file.read())
    except orjson.JSONDecodeError:
        document = None
    if not (table.uuid and isinstance(document, dict) and document.get("table-uuid") == table.uuid):
        raise NotOffered(f"the suite does not find the table's metadata in {file.name}")
    return file


def metadata_files(lab: CatalogLab, table: Table) -> list[SharedFile]:
    """Return the metadata files of a table, former ones too, as far as they exist.

    Raises:
        NotOffered: the suite cannot read them.
    """
    former = [entry["metadata-file"] for entry in table.metadata.get("metadata-log") or ()]
    return [
        metadata_file(lab, table),
        *(file for file in map(lab.target.shared_files.at, former) if file.exists()),
    ]


def missing_files(files: Sequence[SharedFile]) -> list[str]:
    """Return the names of those files that are gone."""
    return [file.name for file in files if not file.exists()]
