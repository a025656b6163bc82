"""Reports of metrics, which clients send after a scan or a commit; the newest are kept."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.iceberg_rest.identifiers import levels_of

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import ReportMetricsRequest
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Place

MOST = 1000  #: reports that are kept
MOST_BYTES = 4 * 1024 * 1024  #: of all reports that are kept; one alone may be larger


@dataclass(frozen=True, slots=True)
class Report:
    """One report as it came, and the table that it was sent to."""

    namespace: Place
    table: str
    text: bytes

    @property
    def document(self) -> ReportMetricsRequest:
        """The report as JSON."""
        document: ReportMetricsRequest = orjson.loads(self.text)
        return document


class Reports:
    """The newest reports in the order in which they came; those before them are forgotten.

    Args:
        most: how many are kept.
        most_bytes: how large all that are kept may be; the newest is kept however large it is.
    """

    def __init__(self, *, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: deque[Report] = deque()
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, report: Report) -> None:
        """Keep a report, and forget the oldest ones if they have become too many or too large."""
        with self._lock:
            self._kept.append(report)
            self._bytes += len(report.text)
            while len(self._kept) > self._most or (
                self._bytes > self._most_bytes and len(self._kept) > 1
            ):
                self._bytes -= len(self._kept.popleft().text)

    def stored(self) -> tuple[Report, ...]:
        """Return the reports that are kept, the oldest first."""
        with self._lock:
            return tuple(self._kept)

    def as_json(self) -> bytes:
        """Return the reports that are kept as JSON, the oldest first, each with its table."""
        return orjson.dumps(
            [
                {
                    "namespace": one.namespace,
                    "table": one.table,
                    "report": orjson.Fragment(one.text),
                }
                for one in self.stored()
            ]
        )


class Metrics:
    """The operation of the contract that takes reports."""

    def __init__(self, catalog: Catalog, reports: Reports) -> None:
        self._catalog = catalog
        self._reports = reports

    def report_metrics(self, *, namespace: str, table: str, body: ReportMetricsRequest) -> Reply:
        """Keep a report about a table."""
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            self._catalog.rules.table_exists(view, levels, table)
        self._reports.keep(Report(levels, table, orjson.dumps(body)))
        return NO_CONTENT
