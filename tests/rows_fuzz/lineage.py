"""The ids and versions of the rows of a table of format version 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lakepact.client import IcebergCatalog, pyiceberg_table
from lakepact.client.iceberg_rest.rows.data_files import FileReader
from lakepact.client.iceberg_rest.rows.lineage import with_lineage
from lakepact.client.iceberg_rest.rows.planning import plan_files, scan_of


def lineage(catalog: IcebergCatalog, name: str, key: str) -> dict[Any, tuple[Any, Any]]:
    """Return the id of each row, and the sequence number of its last change, by its key."""
    table = pyiceberg_table(catalog, name)
    scan = scan_of(table, None)
    reader = FileReader.of(scan, table.io.properties, None, origins=catalog.trusted_origins)
    reader = replace(reader, schema=with_lineage(table.schema().select(key)))
    batches = reader.read(plan_files(scan, None), dict)
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    result = {number: (row_id, updated) for number, row_id, updated in rows}
    assert len(result) == len(rows)
    return result
