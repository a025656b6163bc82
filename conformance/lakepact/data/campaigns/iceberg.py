"""Landing in an Iceberg catalog, by pyiceberg through the client; rows of the same run are
replaced.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from lakepact import client
from lakepact.data.campaigns import RUN, SAYS_CONTENT, SAYS_RUN, Landed, RunTable
from lakepact.data.catalogs import CatalogAddress

NAMESPACE = "lakepact"
PROPERTIES = {
    "write.metadata.delete-after-commit.enabled": "false",
    "write.target-file-size-bytes": str(1 << 27),  # in memory
}


def land(
    tables: Iterable[RunTable], catalog: CatalogAddress, *, namespace: str = NAMESPACE
) -> Iterator[Landed]:
    """Write tables into a catalog; yield the result of each.

    Args:
        tables: of one run.
        catalog: the catalog.
        namespace: their namespace; created if it does not exist.

    Raises:
        CannotOpen: pyiceberg is not installed, the catalog does not answer, or its tables are not
            writable.
    """
    with catalog.open() as catalog_client:
        writable = client.pyiceberg_catalog(catalog_client)
        writable.create_namespace_if_not_exists(namespace)
        for table in tables:
            yield _land_table(writable, f"{namespace}.{table.name}", table)


def _land_table(catalog: Any, name: str, source: RunTable) -> Landed:
    table = catalog.create_table_if_not_exists(name, schema=source.schema, properties=PROPERTIES)
    digest = source.digest
    if _is_there(table, source.run_id, digest):
        return Landed(source.name, source.rows, is_new=False)
    # By name: a table of an earlier lakepact may have fewer columns.
    with table.update_schema() as change:
        change.union_by_name(source.schema)
    old = import_module("pyiceberg.expressions").EqualTo(RUN, source.run_id)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Delete operation did not match any records")
        table.overwrite(
            source.reader,
            overwrite_filter=old,
            snapshot_properties={SAYS_RUN: source.run_id, SAYS_CONTENT: digest},
        )
    return Landed(source.name, source.rows, is_new=True)


def _is_there(table: Any, run_id: str, digest: str) -> bool:
    """Return whether the last snapshot of a run has this digest."""
    digests = [
        one.summary[SAYS_CONTENT]
        for one in table.snapshots()
        if one.summary and one.summary.get(SAYS_RUN) == run_id
    ]
    return bool(digests) and digests[-1] == digest
