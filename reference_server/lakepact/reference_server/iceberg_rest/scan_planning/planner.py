"""Plans a scan: reads the manifests, and puts file scan tasks and the delete files that they refer
to on pages.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.scan_planning.deletes import Deletes, compact, weight
from lakepact.reference_server.iceberg_rest.scan_planning.expressions import (
    NEVER,
    expression_as_json,
)
from lakepact.reference_server.iceberg_rest.scan_planning.files import Teller
from lakepact.reference_server.iceberg_rest.scan_planning.manifests import (
    ADDED,
    MOST_MANIFESTS,
    Entry,
    Manifest,
    entries_of,
    manifests_of,
)
from lakepact.reference_server.iceberg_rest.scan_planning.plans import Cancelled
from lakepact.reference_server.iceberg_rest.scan_planning.pruning import Pruning
from lakepact.reference_server.warehouse.avro import AvroReader, Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import Expression
    from lakepact.reference_server.iceberg_rest.scan_planning.rules import Rules
    from lakepact.reference_server.iceberg_rest.scan_planning.scans import Scan
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Work:
    """A scan, and the manifests that may have matching files."""

    scan: Scan
    manifests: tuple[Manifest, ...]
    reader: AvroReader

    @property
    def files(self) -> int:
        """How many files may have to be looked at."""
        return sum(1 if manifest.files is None else manifest.files for manifest in self.manifests)


class Planner:
    """Plans scans of the tables of one catalog."""

    def __init__(self, catalog: Catalog, rules: Rules) -> None:
        self._catalog = catalog
        self._rules = rules

    def begin(self, scan: Scan) -> Work:
        """Return the manifests of a scan.

        Raises:
            Problem: 500, files of the table cannot be read.
        """
        reader = AvroReader(self._catalog.warehouse, self._catalog.max_manifest)
        pruning = Pruning(scan.filter, scan.specs, scan.types)
        manifests: dict[str, Manifest] = {}
        with _explain_errors():
            for snapshot in scan.snapshots:
                for manifest in manifests_of(reader, snapshot):
                    # Between two snapshots, those count that were added on the way; what they
                    # delete is not appended.
                    is_scanned = not scan.incremental or (
                        manifest.snapshot_id == snapshot["snapshot-id"] and not manifest.of_deletes
                    )
                    if is_scanned and (
                        manifest.of_deletes or self._rules.manifest_may_match(pruning, manifest)
                    ):
                        manifests.setdefault(manifest.path, replace(manifest, partitions=None))
                    if len(manifests) > MOST_MANIFESTS:
                        raise Damaged(f"the scan has more than {MOST_MANIFESTS} manifests")
        return Work(scan, tuple(manifests.values()), reader)

    def pages(
        self, work: Work, *, size: int, is_cancelled: Callable[[], bool] = bool
    ) -> tuple[bytes, ...]:
        """Return the tasks of a scan on pages of `size` tasks, each a JSON object; there is always
        one.

        Raises:
            Problem: 500, files of the table cannot be read.
            Cancelled: `is_cancelled` said so.
        """
        teller = Teller(work.scan.specs, work.scan.types, work.scan.stats)
        pages: list[bytes] = []
        page, room = _Page(teller), 2 * self._catalog.max_manifest
        with _explain_errors():
            deletes = Deletes(self._deletes(work, is_cancelled), work.scan.specs)
            for entry, left in self._data(work, is_cancelled):
                if page.full(size):
                    pages.append(page.body())
                    page = _Page(teller)
                room -= page.add(
                    entry,
                    self._rules.deletes_of(deletes, entry),
                    left if work.scan.has_filter else None,
                )
                _check(room, "its tasks", self._catalog)
            pages.append(page.body())
        return tuple(pages)

    def _deletes(self, work: Work, is_cancelled: Callable[[], bool]) -> Iterator[Entry]:
        room = self._catalog.max_manifest // 2
        for manifest in work.manifests:
            if not manifest.of_deletes:
                continue
            _go_on(is_cancelled)
            for entry in entries_of(work.reader, manifest, work.scan.specs, work.scan.types):
                delete = compact(entry)
                room -= weight(delete)
                _check(room, "its delete files", self._catalog)
                yield delete

    def _data(
        self, work: Work, is_cancelled: Callable[[], bool]
    ) -> Iterator[tuple[Entry, Expression]]:
        pruning = Pruning(work.scan.filter, work.scan.specs, work.scan.types)
        snapshot_ids = (
            {snapshot["snapshot-id"] for snapshot in work.scan.snapshots}
            if work.scan.incremental
            else None
        )
        for manifest in work.manifests:
            if manifest.of_deletes:
                continue
            _go_on(is_cancelled)
            for entry in entries_of(work.reader, manifest, work.scan.specs, work.scan.types):
                if snapshot_ids is not None and (
                    entry.state != ADDED or entry.snapshot_id not in snapshot_ids
                ):
                    continue
                left = self._rules.rows_remain(pruning, entry)
                if left != NEVER:
                    yield entry, left


class _Page:
    """Tasks, and the delete files that they refer to."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._tasks: list[bytes] = []
        self._deletes: list[bytes] = []
        self._places: dict[tuple[object, ...], int] = {}
        self._size = 0

    def full(self, size: int) -> bool:
        return len(self._tasks) >= size

    def add(self, entry: Entry, deletes: Iterable[Entry], left: Expression | None) -> int:
        """Add a task, and return by how many bytes the page grew."""
        before = self._size
        task: Document = {"data-file": self._teller.data_file(entry)}
        references = [self._place(delete) for delete in deletes]
        if references:
            task["delete-file-references"] = references
        if left is not None:
            task["residual-filter"] = expression_as_json(left)
        self._append(self._tasks, task)
        return self._size - before

    def _append(self, texts: list[bytes], document: Document) -> None:
        texts.append(orjson.dumps(document))
        self._size += len(texts[-1]) + 1

    def _place(self, delete: Entry) -> int:
        # One file may hold many deletion vectors: the path alone does not tell them apart.
        key = (
            delete.path,
            delete.file.get("content_offset"),
            delete.file.get("referenced_data_file"),
        )
        if key not in self._places:
            self._places[key] = len(self._deletes)
            self._append(self._deletes, self._teller.delete_file(delete))
        return self._places[key]

    def body(self) -> bytes:
        deletes = b'"delete-files":[%s],' % b",".join(self._deletes) if self._deletes else b""
        return b'{%s"file-scan-tasks":[%s]}' % (deletes, b",".join(self._tasks))


@contextmanager
def _explain_errors() -> Generator[None]:
    """Turn errors of a table's files into a problem that names them."""
    try:
        yield
    except Damaged as damaged:
        raise _failure(str(damaged)) from None
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        # Manifests are written by others: a text may stand where the table has a number.
        logger.warning("a scan cannot be planned", exc_info=error)
        raise _failure(
            f"its manifests hold what the table cannot have ({type(error).__name__})"
        ) from None


def _failure(why: str) -> Problem:
    return Problem(500, "RuntimeIOException", f"The scan cannot be planned: {why}")


def _check(room: int, what: str, catalog: Catalog) -> None:
    if room < 0:
        size = catalog.max_manifest
        raise Damaged(
            f"{what} take too much memory; send a narrower filter, or raise --max-manifest ({size})"
        )


def _go_on(is_cancelled: Callable[[], bool]) -> None:
    if is_cancelled():
        raise Cancelled
