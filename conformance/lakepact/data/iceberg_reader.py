"""Iceberg tables read back: by the client, snapshot by snapshot, and by scans that the server plans."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

from lakepact import client
from lakepact.client import NotFound, OperationNotSupported
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import DATA
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.data import catalogs
from lakepact.data.figures import Figures
from lakepact.data.findings import Finding, bounded, counted, held, not_offered, shaped
from lakepact.data.truth import WrittenTable

if TYPE_CHECKING:
    from lakepact.client import IcebergCatalog


def verify(catalog: IcebergCatalog, namespace: str, table: WrittenTable) -> Iterator[Finding]:
    """Everything that there is to see of one table, one finding at a time."""
    name = (namespace, table.name)
    if not catalog.table_exists(name):
        yield Finding(table.name, table.protocol, "table", "a table", "none")
        return
    found, last = client.pyiceberg_table(catalog, name), len(table.versions) - 1
    yield from _described(found, table)
    rows = _batches(catalog, found, found.scan())
    yield from held(table, "rows without a snapshot id", rows, version=last)
    for number, identifier in enumerate(table.snapshots):
        yield from _snapshot(catalog, found, table, number, identifier=identifier)
    if found.snapshot_by_id(table.snapshots[-1]):
        files = found.inspect.files(snapshot_id=table.snapshots[-1]).to_pylist()
        data = [file for file in files if file["content"] == DATA]
        gone = sum(file["record_count"] for file in files if file["content"] != DATA)
        yield counted(
            table,
            "records of all data files",
            _records_of(table, last),
            sum(file["record_count"] for file in data),
        )
        yield counted(table, "records of all delete files", table.gone(last), gone)
        yield from bounded(table, last, _figures_of(data), what="the manifests")
    there = {snapshot.snapshot_id for snapshot in found.snapshots()}
    yield from _planned(catalog, name, table, there=there)


def _described(found: Any, table: WrittenTable) -> Iterator[Finding]:
    """Yield whether the metadata of the table are those that were written: current snapshot, schema, partitions, format version."""
    current, shape = found.current_snapshot(), table.shape_of(0)
    yield Finding(
        table.name,
        table.protocol,
        "current snapshot",
        str(table.snapshots[-1]),
        str(current.snapshot_id if current else "none"),
    )
    yield from shaped(
        table, "current schema", found.schema().as_arrow(), version=len(table.versions) - 1
    )
    expected = (
        ", ".join(f"{transform} of {column}" for column, transform in shape.partition)
        or "no fields"
    )
    fields = ", ".join(
        f"{field.transform} of {found.schema().find_column_name(field.source_id)}"
        for field in found.spec().fields
    )
    yield Finding(table.name, table.protocol, "partition spec", expected, fields or "no fields")
    yield counted(table, "format-version", shape.format_version, found.format_version)


def _snapshot(
    catalog: IcebergCatalog, found: Any, table: WrittenTable, number: int, *, identifier: int
) -> Iterator[Finding]:
    """Yield whether a snapshot has the rows, the schema and the summary of its version."""
    snapshot = found.snapshot_by_id(identifier)
    if snapshot is None:
        yield Finding(
            table.name,
            table.protocol,
            f"version {number}: snapshot",
            str(identifier),
            "no snapshot",
        )
        return
    scan = found.scan(snapshot_id=identifier)
    yield from shaped(
        table,
        f"version {number}: schema of its snapshot",
        scan.projection().as_arrow(),
        version=number,
    )
    rows = _batches(catalog, found, scan)
    yield from held(table, f"version {number}: rows of its snapshot", rows, version=number)
    total = int((snapshot.summary or {}).get("total-records") or 0)
    yield counted(
        table, f"version {number}: total-records of the snapshot", _records_of(table, number), total
    )


def _batches(catalog: IcebergCatalog, table: Any, scan: Any) -> Iterator[Any]:
    try:
        yield from catalogs.batches(catalog, table, scan)
    except catalogs.table_errors() as unread:
        raise Unmet(
            "rows that the client reads", f"{type(unread).__name__}: {plain(unread)}"
        ) from unread


def _records_of(table: WrittenTable, number: int) -> int:
    """Return how many records the data files of a version have, deleted ones too."""
    return table.versions[number].count + table.gone(number)


def _figures_of(files: list[dict[str, Any]]) -> dict[str, Figures]:
    """Return the figures of all files together; a column that one of them says nothing of has none."""
    told: dict[str, Figures] = {}
    silent: set[str] = set()
    for file in files:
        for name, said in (file["readable_metrics"] or {}).items():
            if not isinstance(said, dict) or said.get("null_value_count") is None:
                silent.add(name)
                continue
            told[name] = told.get(name, Figures()) + Figures(
                said["null_value_count"], said["lower_bound"], said["upper_bound"]
            )
    return {name: figures for name, figures in told.items() if name not in silent}


def _planned(
    catalog: IcebergCatalog,
    name: tuple[str, str],
    table: WrittenTable,
    *,
    there: Container[int],
) -> Iterator[Finding]:
    """Yield how many records the server plans for a scan of each snapshot that is there, and between two of them."""
    scans: list[tuple[str, dict[str, Any], int]] = [
        (
            f"version {n}: records of a planned scan",
            {"snapshot_id": snapshot},
            _records_of(table, n),
        )
        for n, snapshot in enumerate(table.snapshots)
    ]
    for n, (before, now) in enumerate(itertools.pairwise(table.snapshots), start=1):
        if added := table.inserted(n).count:
            between = {"start_snapshot_id": before, "end_snapshot_id": now}
            scans.append((f"version {n}: records of a planned scan of what came", between, added))
    for what, snapshots, rows in scans:
        if any(snapshot not in there for snapshot in snapshots.values()):
            continue
        try:
            plan = catalog.plan_scan(name, **snapshots)
            tasks = catalog.scan_tasks(name, plan)
            records = sum(task.data_file.record_count for task in tasks)
        except (NotFound, OperationNotSupported) as refused:
            yield not_offered(table, what, plain(refused))
            return
        yield counted(table, what, rows, records)
