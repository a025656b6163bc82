"""Landing in an Iceberg catalog, by pyiceberg through the client; rows of the same run are
replaced.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from lakepact import client
from lakepact.data.campaigns import RUN, SAYS_CONTENT, SAYS_RUN, Kept, Landed
from lakepact.data.catalogs import CatalogAddress

NAMESPACE = "lakepact"
PROPERTIES = {
    "write.metadata.delete-after-commit.enabled": "false",
    "write.target-file-size-bytes": str(1 << 27),  # in memory
}


def land(
    tables: Iterable[Kept], catalog: CatalogAddress, *, namespace: str = NAMESPACE
) -> Iterator[Landed]:
    """Store tables in a catalog; yields after each.

    Args:
        tables: of one run.
        catalog: their catalog.
        namespace: their namespace; created if it does not exist.

    Raises:
        CannotOpen: pyiceberg is not installed, the catalog does not answer, or its tables are not
            writable.
    """
    with catalog.opened() as opened:
        writable = client.pyiceberg_catalog(opened)
        writable.create_namespace_if_not_exists(namespace)
        for table in tables:
            yield _landed(writable, f"{namespace}.{table.name}", table)


def _landed(catalog: Any, name: str, kept: Kept) -> Landed:
    table = catalog.create_table_if_not_exists(name, schema=kept.schema, properties=PROPERTIES)
    digest = kept.digest
    if _is_there(table, kept.run_id, digest):
        return Landed(kept.name, kept.rows, changed=False)
    # Found by name, because a table from before an update of ours may have fewer columns.
    with table.update_schema() as change:
        change.union_by_name(kept.schema)
    old = import_module("pyiceberg.expressions").EqualTo(RUN, kept.run_id)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Delete operation did not match any records")
        table.overwrite(
            kept.reader,
            overwrite_filter=old,
            snapshot_properties={SAYS_RUN: kept.run_id, SAYS_CONTENT: digest},
        )
    return Landed(kept.name, kept.rows, changed=True)


def _is_there(table: Any, run_id: str, digest: str) -> bool:
    """Return whether the last that was said of a run is the same."""
    said = [
        one.summary[SAYS_CONTENT]
        for one in table.snapshots()
        if one.summary and one.summary.get(SAYS_RUN) == run_id
    ]
    return bool(said) and said[-1] == digest
