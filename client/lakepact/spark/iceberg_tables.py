"""Tables of Iceberg catalogs read by Spark: the server or the driver plans the files, executors
read them with pyiceberg.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.manifest import FileFormat
from pyiceberg.utils.bin_packing import PackingIterator
from pyspark.sql.datasource import DataSourceReader, InputPartition

from lakepact import client  # which loads the catalog when it is first named: executors do without
from lakepact.client.errors import OperationNotSupported
from lakepact.client.iceberg_rest.rows import planning
from lakepact.client.iceberg_rest.rows.data_files import END, FileReader, PlannedFile
from lakepact.client.iceberg_rest.rows.projection import arrow_schema
from lakepact.spark.errors import explain
from lakepact.spark.filters import TakesFilters
from lakepact.spark.iceberg_files import plan_on_driver, plan_on_server
from lakepact.spark.options import OptionError
from lakepact.spark.schemas import check_fits, record_batches, spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyiceberg.table import DataScan, Table
    from pyspark.sql.types import StructType

    from lakepact.client import IcebergCatalog
    from lakepact.client.rows.predicates import Predicate
    from lakepact.spark.options import CatalogTable

_SERVER_PLANS = "planTableScan"
#: As Iceberg's own source divides files: parts, the least that it makes of small tables, and the
#: bytes that opening a file costs.
_SPLIT, _LEAST, _OPENING = 128 << 20, 16 << 20, 4 << 20
#: partitions to aim at: `spark.sql.shuffle.partitions`, whose value Spark does not tell a Python
#: data source
_SLOTS = 200
_LOOKBACK = 10


def connect(options: CatalogTable) -> IcebergCatalog:
    """Return a client of the table's catalog."""
    return client.IcebergCatalog(
        options.catalog,
        warehouse=options.warehouse,
        auth=options.auth(),
        trusted_origins=options.trusted_origins,
    )


def table_of(catalog: IcebergCatalog, options: CatalogTable) -> Table:
    """Return the table, with credentials for its files if the catalog vends them."""
    return client.pyiceberg_table(
        catalog, options.namespace, options.name, properties=dict(options.storage)
    )


def scan_of(table: Table, options: CatalogTable) -> DataScan:
    """Return a scan of the wanted snapshot, with the schema of that snapshot, or the current one of
    a branch.

    Raises:
        OptionError: The table has no such snapshot, branch or tag.
    """
    if options.snapshot_id is not None:
        snapshot = table.snapshot_by_id(options.snapshot_id)
        label = f"snapshot {options.snapshot_id}"
    elif options.as_of_timestamp is not None:
        snapshot = table.snapshot_as_of_timestamp(options.as_of_timestamp)
        label = f"snapshot at or before {options.as_of_timestamp} ms since 1970"
    elif options.ref is not None:
        snapshot = table.snapshot_by_name(options.ref)
        label = f"branch or tag {options.ref!r}"
    else:
        return table.scan()
    if snapshot is None:
        raise OptionError(f"table {options.name} has no {label}")
    return planning.scan_of(table, options.ref or snapshot.snapshot_id)


def describe(options: CatalogTable) -> StructType:
    """Return the schema of the table's wanted snapshot."""
    with connect(options) as catalog:
        return spark_schema(arrow_schema(scan_of(table_of(catalog, options), options).projection()))


class FilesPartition(InputPartition):
    """The parts of files of one Spark task, and how to open them; `repr()` shows no credentials."""

    def __init__(self, reader: FileReader, parts: tuple[PlannedFile, ...]) -> None:
        super().__init__(None)
        self.reader = reader
        self.parts = parts

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.parts)} parts of files,"
            f" {sum(part.size for part in self.parts)} bytes)"
        )


class Reader(DataSourceReader):
    """Reads one snapshot of a table.

    Args:
        options: The table.
        schema: The wanted columns.
    """

    def __init__(self, options: CatalogTable, schema: StructType) -> None:
        self._options = options
        self._schema = schema
        self._predicate: Predicate | None = None

    def partitions(self) -> list[InputPartition]:
        """Plan the files and divide them into partitions."""
        options, schema = self._options, self._schema
        with explain(), connect(options) as catalog:
            table = table_of(catalog, options)
            scan = scan_of(table, options)
            check_fits(arrow_schema(scan.projection()), schema)
            scan = scan.select(*schema.names)
            if scan.snapshot() is None:
                return []
            predicate = self._predicate
            files = self._plan_files(catalog, scan, predicate)
            origins = catalog.trusted_origins.including(dict(options.storage).values())
            reader = FileReader.of(scan, dict(table.io.properties), predicate, origins=origins)
        return [
            FilesPartition(reader, parts)
            for parts in partitions_of(files, options.partition_bytes, table.properties)
        ]

    def _plan_files(
        self, catalog: IcebergCatalog, scan: DataScan, predicate: Predicate | None
    ) -> Iterable[PlannedFile]:
        options = self._options
        if options.planning_mode != "client" and catalog.offers(_SERVER_PLANS):
            # Servers bind filters to the current schema, so older schemas do without.
            is_current = scan.projection().schema_id == scan.table_metadata.current_schema_id
            try:
                return plan_on_server(
                    catalog,
                    (options.namespace, options.name),
                    scan,
                    predicate if is_current else None,
                )
            except OperationNotSupported:
                if options.planning_mode == "server":
                    raise
        elif options.planning_mode == "server":
            raise OptionError(
                "the catalog does not plan scans: leave out option scan-planning-mode"
            )
        return plan_on_driver(scan, predicate)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition as record batches."""
        if partition is None:
            return  # Spark reads the partition None of a table without files
        assert isinstance(partition, FilesPartition)  # noqa: S101 - what `partitions` returned
        with explain():
            for batch in partition.reader.read(partition.parts, self._renew):
                yield from record_batches(pa.Table.from_batches([batch]), self._schema)

    def _renew(self) -> dict[str, str]:
        """Return how to open files, with new credentials."""
        with connect(self._options) as catalog:
            return dict(table_of(catalog, self._options).io.properties)


class FilteredReader(TakesFilters, Reader):
    """Reads a table without the files that filters exclude."""


def partitions_of(
    files: Iterable[PlannedFile], most: int | None, properties: Mapping[str, str]
) -> list[tuple[PlannedFile, ...]]:
    """Divide files at row groups, or by bytes if their manifests name no row groups, and return the
    parts of each partition.

    Args:
        files: The files of a scan.
        most: The bytes of a partition; None for the table's setting, or less if that gives few
            partitions.
        properties: The settings of the table.
    """
    whole = list(files)
    target = most or int(properties.get("read.split.target-size", _SPLIT))
    total = sum(file.size for file in whole)
    if most is None and total <= target * (_SLOTS - 1):
        target = max(total // _SLOTS, min(_LEAST, target))
    parts = (part for file in whole for part in _parts(file, max(target, _OPENING)))
    bins = PackingIterator(
        parts,
        target,
        _LOOKBACK,
        lambda part: max(part.size, (1 + len(part.task.delete_files)) * _OPENING),
        True,
    )
    return [_join(parts) for parts in bins]


def _parts(file: PlannedFile, step: int) -> Iterator[PlannedFile]:
    data = file.task.file
    offsets = data.split_offsets or [data.file_size_in_bytes]
    are_valid = offsets == sorted(set(offsets)) and offsets[-1] < data.file_size_in_bytes
    starts = offsets[1:] if are_valid else range(step, data.file_size_in_bytes, step)
    for start, end in (
        pairwise((0, *starts, END)) if data.file_format == FileFormat.PARQUET else ((0, END),)
    ):
        yield replace(file, start=start, end=end)


def _join(parts: Iterable[PlannedFile]) -> tuple[PlannedFile, ...]:
    """Join adjacent parts of a file, so that a task opens the file once."""
    result: list[PlannedFile] = []
    for part in parts:
        follows = bool(result) and result[-1].task is part.task and result[-1].end == part.start
        result.append(replace(part, start=result.pop().start) if follows else part)
    return tuple(result)
