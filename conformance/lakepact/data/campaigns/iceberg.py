"""Landing in an Iceberg catalog over REST, by pyiceberg; rows of the same run are replaced."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from lakepact.conformance.campaign.errors import CannotLand
from lakepact.data.campaigns import RUN, Kept, Landed
from lakepact.extras import install

NAMESPACE = "lakepact"
PROPERTIES = {
    "write.metadata.delete-after-commit.enabled": "false",
    "write.target-file-size-bytes": str(1 << 27),  # in memory
}
INSTALL = install("data")
#: The snapshot property with the id of the run, which makes storing idempotent.
SAYS_RUN, SAYS_CONTENT = "lakepact.run", "lakepact.content"


def land(
    tables: Iterable[Kept],
    url: str,
    *,
    namespace: str = NAMESPACE,
    properties: Mapping[str, str] | None = None,
) -> Iterator[Landed]:
    """Store tables in a catalog; yields after each.

    Args:
        tables: of one run.
        url: address of the catalog.
        namespace: their namespace; created if it does not exist.
        properties: further properties of pyiceberg, such as `token` and `warehouse`.

    Raises:
        CannotLand: pyiceberg is not installed, the catalog does not answer, or its tables are not writable.
    """
    try:
        catalogs = import_module("pyiceberg.catalog")
        errors = import_module("pyiceberg.exceptions")
    except ModuleNotFoundError as missing:
        raise CannotLand(f"{missing.name} is not installed: {INSTALL}") from missing
    try:
        catalog = catalogs.load_catalog("lakepact", type="rest", uri=url, **(properties or {}))
        catalog.create_namespace_if_not_exists(namespace)
        for table in tables:
            yield _landed(catalog, f"{namespace}.{table.name}", table)
    except (OSError, ValueError, LookupError, errors.RESTError, *_of_pyiceberg(errors)) as wrong:
        said = (str(wrong).splitlines() or [""])[0]
        raise CannotLand(
            f"the catalog at {url} did not take the tables: {type(wrong).__name__}: {said[:300]}"
        ) from wrong


def _of_pyiceberg(errors: Any) -> tuple[type[Exception], ...]:
    return tuple(
        e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)
    )


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
