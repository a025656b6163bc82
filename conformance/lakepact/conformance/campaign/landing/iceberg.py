"""Landing in an Iceberg catalog over REST, by pyiceberg: files are written beside the table and added, rows of the same run replaced."""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.landing import RUN, CannotLand, Kept, Landed
from lakepact.conformance.evidence.arrow import pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

NAMESPACE = "lakepact"
ROWS_A_FILE = 1_000_000
INSTALL = "pip install 'lakepact[data]'"
#: The snapshot property with the id of the run, which makes storing idempotent.
SAYS_RUN, SAYS_CONTENT = "lakepact.run", "lakepact.content"


def land(tables: Iterable[Kept], url: str, *, namespace: str = NAMESPACE, properties: Mapping[str, str] | None = None) -> Iterator[Landed]:
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
        raise CannotLand(f"the catalog at {url} did not take the tables: {type(wrong).__name__}: {said[:300]}") from wrong


def _of_pyiceberg(errors: Any) -> tuple[type[Exception], ...]:
    return tuple(e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception))


def _landed(catalog: Any, name: str, kept: Kept) -> Landed:
    table = catalog.create_table_if_not_exists(name, schema=kept.schema, properties={"write.metadata.delete-after-commit.enabled": "false"})
    digest = kept.digest
    if _is_there(table, kept.run_id, digest):
        return Landed(kept.name, _rows(table, kept.run_id), changed=False)
    # Found by name, because a table from before an update of ours may have fewer columns.
    with table.update_schema() as change:
        change.union_by_name(kept.schema)
    files = _Files(table, f"{table.location().rstrip('/')}/data/{kept.run_id}-{digest}")
    try:
        for batch in kept.batches():
            files.add(batch)
        files.close()
        properties = {SAYS_RUN: kept.run_id, SAYS_CONTENT: digest}
        equal = import_module("pyiceberg.expressions").EqualTo(RUN, kept.run_id)
        with table.transaction() as both:
            if table.current_snapshot() is not None and _is_any(table, kept.run_id):
                both.delete(equal, snapshot_properties=properties)
            both.add_files(files.names, snapshot_properties=properties, check_duplicate_files=False)
    except BaseException:
        files.discard()
        raise
    return Landed(kept.name, files.rows, changed=True)


def _is_any(table: Any, run_id: str) -> bool:
    return any((one.summary or {}).get(SAYS_RUN) == run_id for one in table.snapshots())


def _is_there(table: Any, run_id: str, digest: str) -> bool:
    """Return whether the last that was said of a run is the same."""
    said = [one.summary[SAYS_CONTENT] for one in table.snapshots() if one.summary and one.summary.get(SAYS_RUN) == run_id]
    return bool(said) and said[-1] == digest


def _rows(table: Any, run_id: str) -> int:
    equal = import_module("pyiceberg.expressions").EqualTo(RUN, run_id)
    return int(table.scan(row_filter=equal, selected_fields=(RUN,)).count())


class _Files:
    """Writes rows into as many files as it takes, through what the catalog says that files are written with."""

    def __init__(self, table: Any, stem: str) -> None:
        self._io = table.io
        self._stem = stem
        self._writer: Any = None
        self._stream: Any = None
        self._in_file = 0
        self.names: list[str] = []
        self.rows = 0

    def add(self, batch: Any) -> None:
        if self._writer is None or self._in_file >= ROWS_A_FILE:
            self.close()
            self.names.append(f"{self._stem}-{len(self.names):05d}.parquet")
            self._stream = self._io.new_output(self.names[-1]).create(overwrite=True)
            self._writer = pq.ParquetWriter(self._stream, batch.schema, compression="zstd")
            self._in_file = 0
        self._writer.write_table(batch)
        self._in_file += batch.num_rows
        self.rows += batch.num_rows

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._stream.close()
            self._writer = None

    def discard(self) -> None:
        """Remove files that no table refers to."""
        with contextlib.suppress(Exception):
            self.close()
        for name in self.names:
            with contextlib.suppress(Exception):
                self._io.delete(name)
