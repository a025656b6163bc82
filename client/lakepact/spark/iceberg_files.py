"""Data files of Iceberg: planned by the server or from manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import FileScanTask
from pyiceberg.typedef import Record

from lakepact.client.iceberg_rest.rows.data_files import PlannedFile, snapshot_schema
from lakepact.client.iceberg_rest.rows.filters import bound
from lakepact.client.iceberg_rest.rows.planning import plan_files
from lakepact.client.iceberg_rest.storage import storage_credential

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyiceberg.table import DataScan

    from lakepact.client import IcebergCatalog
    from lakepact.client.iceberg_rest.scans import ScanPlan, ScanTask
    from lakepact.client.rows.predicates import Predicate


def plan_on_driver(scan: DataScan, predicate: Predicate | None) -> list[PlannedFile]:
    """Return the files of a scan, planned from its manifests."""
    return plan_files(scan, None if predicate is None else bound(predicate, snapshot_schema(scan)))


def plan_on_server(
    catalog: IcebergCatalog,
    name: tuple[Sequence[str], str],
    scan: DataScan,
    predicate: Predicate | None,
) -> list[PlannedFile]:
    """Return the files of a scan, planned by the server.

    Raises:
        OperationNotSupported: The server does not plan scans.
    """
    snapshot = scan.snapshot()
    plan = catalog.plan_scan(
        name,
        row_filter=predicate,
        select=None if "*" in scan.selected_fields else [*scan.selected_fields],
        snapshot_id=None if snapshot is None else snapshot.snapshot_id,
        use_snapshot_schema=scan.snapshot_id is not None or None,
    )
    return [_file_of_task(task, plan) for task in catalog.scan_tasks(name, plan)]


def _file_of_task(task: ScanTask, plan: ScanPlan) -> PlannedFile:
    data, *deletes = (
        _content_file(each.to_wire()) for each in (task.data_file, *task.delete_files)
    )
    credential = storage_credential(plan.storage_credentials, data.file_path)
    opening = {} if credential is None else dict(credential.config)
    return PlannedFile(FileScanTask(data, delete_files={*deletes}), opening)


def _content_file(file: dict[str, Any]) -> DataFile:
    """Return a file of a plan without its statistics, which serve planning alone."""
    data_file = DataFile.from_args(
        content=DataFileContent.from_rest_type(file["content"]),
        file_path=file["file-path"],
        file_format=FileFormat(file["file-format"]),
        partition=Record(*file["partition"]),
        record_count=file["record-count"],
        file_size_in_bytes=file["file-size-in-bytes"],
        split_offsets=file.get("split-offsets"),
        equality_ids=file.get("equality-ids"),
    )
    data_file.spec_id = file["spec-id"]
    return data_file
