"""Plans a scan: reads the manifests, and puts file scan tasks and the delete files that they refer to on pages."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.scan_planning.deletes import Deletes
from lakepact.reference_server.iceberg_rest.scan_planning.expressions import (
    NEVER,
    expression_as_json,
)
from lakepact.reference_server.iceberg_rest.scan_planning.files import Teller
from lakepact.reference_server.iceberg_rest.scan_planning.manifests import (
    ADDED,
    Damaged,
    Entry,
    Manifest,
    entries_of,
    manifests_of,
)
from lakepact.reference_server.iceberg_rest.scan_planning.plans import Cancelled
from lakepact.reference_server.iceberg_rest.scan_planning.pruning import Pruning

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import Expression
    from lakepact.reference_server.iceberg_rest.scan_planning.rules import Rules
    from lakepact.reference_server.iceberg_rest.scan_planning.scans import Scan
    from lakepact.reference_server.warehouse.local import Warehouse


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Work:
    """A scan whose manifests are known."""

    scan: Scan
    manifests: tuple[Manifest, ...]

    @property
    def files(self) -> int:
        """How many files may have to be looked at."""
        return sum(1 if manifest.files is None else manifest.files for manifest in self.manifests)


class Planner:
    """Plans scans of tables whose files are in one warehouse."""

    def __init__(self, warehouse: Warehouse, rules: Rules) -> None:
        self._warehouse = warehouse
        self._rules = rules

    def begun(self, scan: Scan) -> Work:
        """Return the manifests of a scan.

        Raises:
            Problem: 500, files of the table cannot be read.
        """
        found: dict[str, Manifest] = {}
        with _understood():
            for snapshot in scan.snapshots:
                for manifest in manifests_of(self._warehouse, snapshot):
                    # Between two snapshots, those count that were added on the way; what they delete is not appended.
                    if not scan.incremental or (
                        manifest.snapshot_id == snapshot["snapshot-id"] and not manifest.of_deletes
                    ):
                        found.setdefault(manifest.path, manifest)
        return Work(scan, tuple(found.values()))

    def pages(
        self, work: Work, *, size: int, cancelled: Callable[[], bool] = bool
    ) -> tuple[bytes, ...]:
        """Return the tasks of a scan on pages of `size` tasks, each a JSON object; there is always one.

        Raises:
            Problem: 500, files of the table cannot be read.
            Cancelled: `cancelled` said so.
        """
        teller = Teller(work.scan.specs, work.scan.types, work.scan.stats)
        pages: list[bytes] = []
        page = _Page(teller)
        with _understood():
            deletes = Deletes(self._deletes(work, cancelled), work.scan.specs)
            for entry, left in self._data(work, cancelled):
                if page.full(size):
                    pages.append(page.body())
                    page = _Page(teller)
                page.add(
                    entry,
                    self._rules.deletes_of(deletes, entry),
                    left if work.scan.filtered else None,
                )
            pages.append(page.body())
        return tuple(pages)

    def _deletes(self, work: Work, cancelled: Callable[[], bool]) -> Iterator[Entry]:
        for manifest in work.manifests:
            if manifest.of_deletes:
                _go_on(cancelled)
                yield from entries_of(self._warehouse, manifest, work.scan.specs, work.scan.types)

    def _data(
        self, work: Work, cancelled: Callable[[], bool]
    ) -> Iterator[tuple[Entry, Expression]]:
        pruning = Pruning(work.scan.filter, work.scan.specs, work.scan.types)
        appended = (
            {snapshot["snapshot-id"] for snapshot in work.scan.snapshots}
            if work.scan.incremental
            else None
        )
        for manifest in work.manifests:
            if manifest.of_deletes or not self._rules.manifest_may_match(pruning, manifest):
                continue
            _go_on(cancelled)
            for entry in entries_of(self._warehouse, manifest, work.scan.specs, work.scan.types):
                if appended is not None and (
                    entry.state != ADDED or entry.snapshot_id not in appended
                ):
                    continue
                left = self._rules.rows_remain(pruning, entry)
                if left != NEVER:
                    yield entry, left


class _Page:
    """Tasks, and the delete files that they refer to."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._tasks: list[Document] = []
        self._deletes: list[Document] = []
        self._places: dict[tuple[object, ...], int] = {}

    def full(self, size: int) -> bool:
        return len(self._tasks) >= size

    def add(self, entry: Entry, deletes: Iterable[Entry], left: Expression | None) -> None:
        task: Document = {"data-file": self._teller.data_file(entry)}
        references = [self._place(delete) for delete in deletes]
        if references:
            task["delete-file-references"] = references
        if left is not None:
            task["residual-filter"] = expression_as_json(left)
        self._tasks.append(task)

    def _place(self, delete: Entry) -> int:
        # One file may hold many deletion vectors: the path alone does not tell them apart.
        key = (
            delete.path,
            delete.file.get("content_offset"),
            delete.file.get("referenced_data_file"),
        )
        if key not in self._places:
            self._places[key] = len(self._deletes)
            self._deletes.append(self._teller.delete_file(delete))
        return self._places[key]

    def body(self) -> bytes:
        tasks: Document = {"delete-files": self._deletes} if self._deletes else {}
        return orjson.dumps({**tasks, "file-scan-tasks": self._tasks})


@contextmanager
def _understood() -> Generator[None]:
    """Turn errors of a table's files into a problem that names them."""
    try:
        yield
    except Damaged as damaged:
        raise _failed(str(damaged)) from None
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        # Manifests are written by others: a text may stand where the table has a number.
        logger.warning("a scan cannot be planned", exc_info=error)
        raise _failed(
            f"its manifests hold what the table cannot have ({type(error).__name__})"
        ) from None


def _failed(why: str) -> Problem:
    return Problem(500, "RuntimeIOException", f"The scan cannot be planned: {why}")


def _go_on(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise Cancelled
