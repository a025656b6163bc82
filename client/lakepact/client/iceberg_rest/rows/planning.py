"""Files of a snapshot that may hold selected rows, with their delete files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyiceberg.manifest import DataFileContent, ManifestContent
from pyiceberg.table import ManifestGroupPlanner
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType

from lakepact.client.iceberg_rest.rows.data_files import PlannedFile, shown_schema
from lakepact.client.iceberg_rest.rows.file_ranges import FileRanges
from lakepact.client.iceberg_rest.snapshots import snapshot_id
from lakepact.client.rows.predicates import And

if TYPE_CHECKING:
    from pyiceberg.manifest import ManifestEntry
    from pyiceberg.table import DataScan, Table

    from lakepact.client.rows.predicates import Predicate


def scan_of(table: Table, snapshot: int | str | None) -> DataScan:
    """Return a scan of a snapshot, with its schema; branches have the current schema.

    Args:
        table: The table.
        snapshot: The id of a snapshot, or a branch or tag; None for the current snapshot.

    Raises:
        ValueError: The table has no such snapshot, branch or tag.
    """
    scan, ref = table.scan(), None
    if isinstance(snapshot, str):
        ref = table.metadata.refs.get(snapshot)
        if ref is None and snapshot == MAIN_BRANCH:
            return scan
    identifier = snapshot_id(table.metadata, snapshot, None)
    if ref is not None and ref.snapshot_ref_type == SnapshotRefType.BRANCH:
        head = {"current_snapshot_id": identifier}
        return scan.update(table_metadata=table.metadata.model_copy(update=head))
    return scan.update(snapshot_id=identifier)


def planned_files(scan: DataScan, predicate: Predicate | None) -> list[PlannedFile]:
    """Return the files of a scan.

    Args:
        scan: The scan.
        predicate: The filter, bound to the schema that the scan shows; None for all rows.
    """
    snapshot, metadata = scan.snapshot(), scan.table_metadata
    if snapshot is None:
        return []
    ranges = FileRanges(
        And(()) if predicate is None else predicate, shown_schema(scan), metadata.specs()
    )
    sequences: dict[str, int] = {}
    equality: list[ManifestEntry] = []

    def is_planned(entry: ManifestEntry) -> bool:
        file = entry.data_file
        if file.content == DataFileContent.EQUALITY_DELETES:
            equality.append(entry)
            return False
        sequences[file.file_path] = entry.sequence_number or 0
        return file.content != DataFileContent.DATA or True in ranges.of_file(file)

    manifests = [
        one
        for one in snapshot.manifests(scan.io)
        if one.content != ManifestContent.DATA or True in ranges.of_manifest(one)
    ]
    planner = ManifestGroupPlanner(metadata, scan.io)
    tasks = planner.plan_files(manifests, is_planned)
    return [_with_equality(PlannedFile(task), equality, sequences) for task in tasks]


def _with_equality(
    file: PlannedFile, deletes: list[ManifestEntry], sequences: dict[str, int]
) -> PlannedFile:
    """Return a file with the equality deletes that are later, and global or of its partition."""
    data = file.task.file
    for entry in deletes:
        one = entry.data_file
        is_near = not len(one.partition) or (one.spec_id, one.partition) == (
            data.spec_id,
            data.partition,
        )
        if is_near and (entry.sequence_number or 0) > sequences[data.file_path]:
            file.task.delete_files.add(one)
    return file
