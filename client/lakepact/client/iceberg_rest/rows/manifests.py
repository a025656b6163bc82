"""Manifests of all format versions, with the ids of rows, which are of version 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyiceberg.avro.file import AvroFile
from pyiceberg.manifest import (
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    PartitionFieldSummary,
)

from lakepact.client.iceberg_rest.rows.damage import file_errors

if TYPE_CHECKING:
    from typing import Literal

    from pyiceberg.io import FileIO
    from pyiceberg.table.snapshots import Snapshot

#: The version whose members records have here, also those of older files.
MEMBERS: Literal[3] = 3
#: Places of members that pyiceberg's records have no properties for.
MANIFEST_FIRST_ROW_ID = 15
FIRST_ROW_ID, REFERENCED_DATA_FILE = 16, 17


@file_errors()
def manifests_of(snapshot: Snapshot, io: FileIO) -> list[ManifestFile]:
    """Return the manifests of a snapshot."""
    with AvroFile[ManifestFile](
        io.new_input(snapshot.manifest_list),
        MANIFEST_LIST_FILE_SCHEMAS[MEMBERS],
        read_types={-1: ManifestFile, 508: PartitionFieldSummary},
        read_enums={517: ManifestContent},
    ) as file:
        return list(file)


@file_errors()
def entries_of(manifest: ManifestFile, io: FileIO) -> list[ManifestEntry]:
    """Return the entries of files that a manifest has not deleted, with all that they inherit."""
    with AvroFile[ManifestEntry](
        io.new_input(manifest.manifest_path),
        MANIFEST_ENTRY_SCHEMAS[MEMBERS],
        read_types={-1: ManifestEntry, 2: DataFile},
        read_enums={0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
    ) as file:
        entries = [one for one in file if one.status != ManifestEntryStatus.DELETED]
    row_id = manifest[MANIFEST_FIRST_ROW_ID]
    for entry in entries:
        data = entry.data_file
        data.spec_id = manifest.partition_spec_id
        if entry.snapshot_id is None and manifest.added_snapshot_id is not None:
            entry.snapshot_id = manifest.added_snapshot_id
        if entry.sequence_number is None:
            entry.sequence_number = manifest.sequence_number
        if entry.file_sequence_number is None:
            entry.file_sequence_number = manifest.sequence_number
        if row_id is None:
            data[FIRST_ROW_ID] = None
        elif data[FIRST_ROW_ID] is None:
            data[FIRST_ROW_ID] = row_id
            row_id += data.record_count
    return entries
