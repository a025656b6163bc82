"""Files of a snapshot that may hold selected rows, with their delete files."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from pyiceberg.manifest import DataFileContent, ManifestContent
from pyiceberg.table import FileScanTask
from pyiceberg.table.delete_file_index import DeleteFileIndex
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.utils.concurrent import ExecutorFactory

from lakepact.client.iceberg_rest.rows.damage import file_errors
from lakepact.client.iceberg_rest.rows.data_files import PlannedFile, snapshot_schema
from lakepact.client.iceberg_rest.rows.file_ranges import FileRanges
from lakepact.client.iceberg_rest.rows.manifests import (
    REFERENCED_DATA_FILE,
    entries_of,
    manifests_of,
)
from lakepact.client.iceberg_rest.snapshots import snapshot_id
from lakepact.client.rows.predicates import And

if TYPE_CHECKING:
    from datetime import datetime

    from pyiceberg.manifest import DataFile, ManifestEntry
    from pyiceberg.table import DataScan, Table

    from lakepact.client.rows.predicates import Predicate


def scan_of(
    table: Table, snapshot: int | str | None, timestamp: datetime | str | None = None
) -> DataScan:
    """Return a scan of a snapshot, with its schema; branches have the current schema.

    Args:
        table: The table.
        snapshot: The id of a snapshot, or a branch or tag; None for the current snapshot.
        timestamp: A time; the snapshot that was current then.

    Raises:
        ValueError: The table has no such snapshot, branch or tag.
    """
    scan, ref = table.scan(), None
    if isinstance(snapshot, str):
        ref = table.metadata.refs.get(snapshot)
        if ref is None and snapshot == MAIN_BRANCH:
            return scan
    identifier = snapshot_id(table.metadata, snapshot, timestamp)
    if ref is not None and ref.snapshot_ref_type == SnapshotRefType.BRANCH:
        head = {"current_snapshot_id": identifier}
        return scan.update(table_metadata=table.metadata.model_copy(update=head))
    return scan.update(snapshot_id=identifier)


@file_errors()
def plan_files(scan: DataScan, predicate: Predicate | None) -> list[PlannedFile]:
    """Return the files of a scan.

    Args:
        scan: The scan.
        predicate: The filter, bound to the schema that the scan shows; None for all rows.
    """
    snapshot, metadata = scan.snapshot(), scan.table_metadata
    if snapshot is None:
        return []
    ranges = FileRanges(
        And(()) if predicate is None else predicate, snapshot_schema(scan), metadata.specs()
    )
    manifests = [
        one
        for one in manifests_of(snapshot, scan.io)
        if one.content != ManifestContent.DATA or True in ranges.of_manifest(one)
    ]
    read = ExecutorFactory.get_or_create().map(lambda one: entries_of(one, scan.io), manifests)
    data: list[ManifestEntry] = []
    deletes = _Deletes()
    for entry in chain.from_iterable(read):
        if entry.data_file.content != DataFileContent.DATA:
            deletes.add(entry)
        elif entry.data_file.record_count and True in ranges.of_file(entry.data_file):
            data.append(entry)
    return [
        PlannedFile(
            FileScanTask(entry.data_file, delete_files=deletes.of(entry)),
            sequence_number=entry.sequence_number,
        )
        for entry in data
    ]


class _Deletes:
    """The delete files of a snapshot."""

    def __init__(self) -> None:
        self._positions = DeleteFileIndex()
        self._equality: list[ManifestEntry] = []
        #: Those that name one data file: there is at most one deletion vector of each.
        self._of_file: defaultdict[str, list[ManifestEntry]] = defaultdict(list)

    def add(self, entry: ManifestEntry) -> None:
        """Add the entry of a delete file."""
        file = entry.data_file
        if file.content == DataFileContent.EQUALITY_DELETES:
            self._equality.append(entry)
        elif file[REFERENCED_DATA_FILE] is not None:
            self._of_file[file[REFERENCED_DATA_FILE]].append(entry)
        else:
            self._positions.add_delete_file(entry, file.partition)

    def of(self, entry: ManifestEntry) -> set[DataFile]:
        """Return the delete files that may delete rows of a data file."""
        data, sequence = entry.data_file, entry.sequence_number or 0
        result = self._positions.for_data_file(sequence, data, data.partition)
        for one in self._of_file.get(data.file_path, ()):
            if (one.sequence_number or 0) >= sequence:
                result.add(one.data_file)
        for one in self._equality:
            # Those without a partition are global.
            is_near = not len(one.data_file.partition) or (
                one.data_file.spec_id,
                one.data_file.partition,
            ) == (data.spec_id, data.partition)
            if is_near and (one.sequence_number or 0) > sequence:
                result.add(one.data_file)
        return result
