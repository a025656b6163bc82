"""Facts of written tables that rows do not show: snapshots, counts, statistics, planned scans."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lakepact import client
from lakepact.client import NotFound, OperationNotSupported
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import DATA
from lakepact.conformance.evidence.arrow import pa
from lakepact.conformance.evidence.escaping import plain
from lakepact.data.compare.model import Difference
from lakepact.data.figures import Figures, figures, is_ordered
from lakepact.data.truth import WrittenTable

if TYPE_CHECKING:
    from lakepact.client import IcebergCatalog
    from lakepact.client.delta_sharing.lines import SharedFile
    from lakepact.client.delta_sharing.synchronous.table import Table

MILLISECOND = dt.timedelta(milliseconds=1)
#: Kinds of facts: maintenance changes snapshots and files, and keeps rows.
MAINTENANCE, LASTING = "maintenance", "fact"
NOT_OFFERED = "not offered"


def of_iceberg(
    catalog: IcebergCatalog, name: tuple[str, str], table: WrittenTable
) -> Iterator[Difference]:
    """Yield each fact of an Iceberg table that is not as it was written."""
    pyiceberg_table, last = client.pyiceberg_table(catalog, name), len(table.versions) - 1
    current = pyiceberg_table.current_snapshot()
    yield from _unequal(
        "current snapshot", table.snapshots[-1], current and current.snapshot_id, MAINTENANCE
    )
    for number, identifier in enumerate(table.snapshots):
        if snapshot := pyiceberg_table.snapshot_by_id(identifier):
            what = f"version {number}: total-records of the snapshot"
            total = int(snapshot.summary["total-records"] or 0) if snapshot.summary else 0
            yield from _unequal(what, _records(table, number), total)
    if pyiceberg_table.snapshot_by_id(table.snapshots[-1]):
        files = pyiceberg_table.inspect.files(snapshot_id=table.snapshots[-1]).to_pylist()
        data = [file for file in files if file["content"] == DATA]
        deletes = [file for file in files if file["content"] != DATA]
        for what, part, expected in (
            ("records of all data files", data, _records(table, last)),
            ("records of all delete files", deletes, table.deletes(last)),
        ):
            yield from _unequal(what, expected, sum(file["record_count"] for file in part))
        yield from _bounds(table, _figures_of_manifests(data))
    there = {snapshot.snapshot_id for snapshot in pyiceberg_table.snapshots()}
    yield from _scan_differences(catalog, name, table, there)


def of_share(shared: Table, table: WrittenTable) -> Iterator[Difference]:
    """Yield each fact of a shared table that is not as it was written."""
    last = table.snapshots[-1]
    yield from _unequal("current version", last, shared.version(), MAINTENANCE)
    for version in table.snapshots:
        files = list(shared.files(version=version))
        if all("numRecords" in file.statistics for file in files):
            records = sum(int(file.statistics["numRecords"]) for file in files)
            what = f"version {version}: numRecords of all files"
            yield from _unequal(what, _records(table, version), records)
        if version == last:
            yield from _bounds(table, _figures_of_lines(table, files))


def _unequal(
    what: str, expected: object, actual: object, kind: str = LASTING
) -> Iterator[Difference]:
    if expected != actual:
        yield Difference(kind, what, str(expected), str(actual))


def _records(table: WrittenTable, number: int) -> int:
    """Return how many records the data files of a version have, deleted ones too."""
    return table.versions[number].count + table.deletes(number)


def _scan_differences(
    catalog: IcebergCatalog, name: tuple[str, str], table: WrittenTable, there: set[int]
) -> Iterator[Difference]:
    """Yield planned scans with wrong numbers of records: of snapshots, and between two of them."""
    scans: list[tuple[str, dict[str, Any], int]] = [
        (f"version {n}: records of a planned scan", {"snapshot_id": at}, _records(table, n))
        for n, at in enumerate(table.snapshots)
    ]
    for n, (before, now) in enumerate(itertools.pairwise(table.snapshots), start=1):
        if rows := table.inserts(n).count:
            between = {"start_snapshot_id": before, "end_snapshot_id": now}
            scans.append((f"version {n}: records of a planned scan of its rows", between, rows))
    for what, snapshots, expected in scans:
        if not there.issuperset(snapshots.values()):
            continue
        try:
            tasks = catalog.scan_tasks(name, catalog.plan_scan(name, **snapshots))
            records = sum(task.data_file.record_count for task in tasks)
        except (NotFound, OperationNotSupported) as error:
            yield Difference(NOT_OFFERED, what, None, plain(error))
            return
        yield from _unequal(what, expected, records)


def _bounds(table: WrittenTable, statistics: Mapping[str, Figures]) -> Iterator[Difference]:
    """Yield wrong statistics of the last version: other numbers of nulls, and bounds that do not
    hold; writers may cut bounds.
    """
    last = len(table.versions) - 1
    shape = table.shape_of(last)
    for name, truth in figures(table.versions[last].rows(shape)).items():
        actual_figures = statistics.get(name)
        if actual_figures is None:
            continue
        wrong: list[tuple[str, Any, Any]] = []
        if actual_figures.nulls != truth.nulls:
            wrong.append(("nulls", truth.nulls, actual_figures.nulls))
        if is_ordered(shape.schema.field(name).type) and truth.least is not None:
            if actual_figures.least is not None and _exceeds(actual_figures.least, truth.least):
                wrong.append(("least", f"at most {truth.least}", actual_figures.least))
            if actual_figures.greatest is not None and _exceeds(
                truth.greatest, actual_figures.greatest
            ):
                wrong.append(("greatest", f"at least {truth.greatest}", actual_figures.greatest))
        for member, expected, actual in wrong:
            what = f"statistics: {member} of {name}"
            yield Difference(LASTING, what, str(expected), str(actual), name)


def _exceeds(one: Any, other: Any) -> bool:
    """Return whether a value is greater than another, or of a type that cannot be compared with
    it.
    """
    try:
        return bool(one > other)
    except TypeError:
        return True


def _figures_of_manifests(files: Iterable[dict[str, Any]]) -> dict[str, Figures]:
    """Return the figures of all files together; a column without figures in one of them has
    none.
    """
    return _together(
        {
            name: Figures(each["null_value_count"], each["lower_bound"], each["upper_bound"])
            for name, each in (file["readable_metrics"] or {}).items()
            if isinstance(each, dict) and each.get("null_value_count") is not None
        }
        for file in files
    )


def _figures_of_lines(table: WrittenTable, files: Iterable[SharedFile]) -> dict[str, Figures]:
    schema = table.shape_of(len(table.versions) - 1).schema
    return _together(
        {
            field.name: Figures(
                file.statistics["nullCount"][field.name],
                _bound(file.statistics, "minValues", field),
                _bound(file.statistics, "maxValues", field),
            )
            for field in schema
            if isinstance(file.statistics.get("nullCount", {}).get(field.name), int)
        }
        for file in files
    )


def _together(files: Iterable[dict[str, Figures]]) -> dict[str, Figures]:
    each = list(files)
    names = set.intersection(*map(set, each)) if each else set()
    return {name: sum((file[name] for file in each), Figures()) for name in names}


def _bound(statistics: Mapping[str, Any], end: str, field: Any) -> Any:
    """Return a bound of statistics as the column has it; writers may cut times to milliseconds."""
    value = statistics.get(end, {}).get(field.name)
    if value is None:
        return None
    if pa.types.is_decimal(field.type):
        return Decimal(str(value))
    if pa.types.is_date(field.type):
        return dt.date.fromisoformat(value)
    if pa.types.is_timestamp(field.type):
        moment = dt.datetime.fromisoformat(value)
        return moment + MILLISECOND if end == "maxValues" else moment
    return value
