"""Detection of operations and features beyond the listings, by harmless requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson

from lakepact.conformance.checks.delta_sharing.kit.catalog import (
    CAPABILITIES,
    EITHER_FORMAT,
    ONE_FORMAT,
    Catalogue,
    SharedTable,
    Walk,
    path,
)
from lakepact.conformance.evidence.exchanges import Document, Reply
from lakepact.conformance.evidence.target import Once
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.delta_sharing import op

OPERATIONS = Contract("delta_sharing").operations

#: Operations that later versions added, or that are deprecated: a server that returns 404 for them
#: does not offer them.
OPTIONAL = (op.head_table_version, op.query_table_changes, op.generate_temporary_table_credentials)

NO_SUCH_THING = frozenset({404, 405, 406, 501})  #: for an operation on an existing table

MOST_TABLES = 6  #: that are probed for a feature that only some may have


class Offers:
    """Probes of some tables of a server.

    Args:
        walk: sends the requests.
        outline: the listed objects; metadata of tables is requested when it is needed.
    """

    def __init__(self, walk: Walk, outline: Catalogue) -> None:
        self._walk, self._outline = walk, outline
        self._catalogue = Once(lambda: walk.catalogue(outline))
        #: The first table whose metadata is answered.
        self._first = Once(
            lambda: next((t for t in map(walk.with_metadata, outline.tables) if t.format), None)
        )
        self.with_history = Once(self._table_with_history)
        self.with_changes = Once(self._table_with_changes)

    def catalogue(self) -> Catalogue:
        """Return the shared objects with the metadata of tables."""
        catalogue = self._catalogue()
        return catalogue if self.with_changes() is not None else catalogue.without_changes()

    @property
    def _tables(self) -> tuple[SharedTable, ...]:
        return self._catalogue().readable

    @property
    def _by_url(self) -> tuple[SharedTable, ...]:
        return tuple(table for table in self._tables if "url" in table.access_modes)

    @property
    def _changing(self) -> tuple[SharedTable, ...]:
        return tuple(table for table in self._by_url if table.changes)[:MOST_TABLES]

    def operations(self) -> frozenset[OperationId]:
        """Return the operations that the server serves."""
        if self._first() is None:
            return frozenset(OPERATIONS)
        return frozenset(
            operation
            for operation in OPERATIONS
            if operation not in OPTIONAL or self._is_there(operation)
        )

    def features(self) -> dict[str, Callable[[], bool]]:
        """Return the detector of each optional feature."""
        headers = [(CAPABILITIES, EITHER_FORMAT[1] + ";includeendstreamaction=true")]
        body = {"includeRefreshToken": True, "limitHint": 1}
        return {
            "change-data-feed": lambda: self.with_changes() is not None,
            "deletion-vectors": lambda: "deletionVectors" in self._reader_features(),
            "delta-format": lambda: not self._tables or self._speaks_delta(),
            "directory-access": lambda: any("dir" in t.access_modes for t in self._tables),
            "end-stream-action": lambda: self._ends({}, headers) is not None,
            "history": lambda: self.with_history() is not None,
            "query-pages": lambda: (
                "nextPageToken" in (self._ends({"maxFiles": 1}, [EITHER_FORMAT]) or {})
            ),
            "reader-features": lambda: bool(self._reader_features()),
            "refresh-tokens": lambda: "refreshToken" in (self._ends(body, [EITHER_FORMAT]) or {}),
        }

    def _reader_features(self) -> set[str]:
        return {feature for table in self._tables for feature in table.reader_features}

    def speaks_parquet(self) -> bool:
        """Return whether any table is answered in parquet format: a server may refuse it for all
        tables with a 4xx, not with a 5xx.
        """
        if not self._tables or any(table.format == "parquet" for table in self._tables):
            return True
        headers = [(CAPABILITIES, ONE_FORMAT["parquet"])]
        replies = (
            self._walk.request(
                path(*_segments(t), "metadata"), op.get_table_metadata, headers=headers
            )
            for t in self._tables[:MOST_TABLES]
        )
        return not all(reply is not None and 400 <= reply.status < 500 for reply in replies)

    def _table_with_history(self) -> SharedTable | None:
        """Return a table that can be queried as of its earliest version, if possible one with
        several versions.
        """
        tables = []
        for table in self._by_url[:MOST_TABLES]:
            earliest = self._version(table, "?startingTimestamp=1970-01-01T00%3A00%3A00Z") or ""
            if (
                earliest.isdigit()
                and self._query(table, {"version": int(earliest), "limitHint": 1}, [EITHER_FORMAT])
                is not None
            ):
                tables.append(table)
        several = [table for table in tables if self._version(table, "") not in {None, "0"}]
        return next(iter([*several, *tables]), None)

    def _table_with_changes(self) -> SharedTable | None:
        """Return a table whose changes are not refused; settings of the owner do not show what the
        server supports.
        """
        for table in self._changing:
            query = f"?startingVersion={self._version(table, '') or '0'}"
            reply = self._walk.request(
                path(*_segments(table), "changes") + query,
                op.query_table_changes,
                headers=[EITHER_FORMAT],
            )
            if (
                reply is not None
                and not 400 <= reply.status < 500
                and reply.status not in NO_SUCH_THING
            ):
                return table
        return None

    def _query(
        self, table: SharedTable, body: Document, headers: Iterable[tuple[str, str]]
    ) -> Reply | None:
        """Return the answer to a query, if it is served."""
        request_headers = [*headers, ("Content-Type", "application/json")]
        reply = self._walk.request(
            path(*_segments(table), "query"),
            op.query_table,
            method="POST",
            headers=request_headers,
            body=orjson.dumps(body),
        )
        return reply if reply is not None and reply.status == 200 else None

    def _version(self, table: SharedTable, query: str) -> str | None:
        reply = self._walk.request(path(*_segments(table), "version") + query, op.get_table_version)
        return (
            reply.headers.get("delta-table-version")
            if reply is not None and reply.status == 200
            else None
        )

    def _is_there(self, operation: OperationId) -> bool:
        """Return whether the server serves an operation, for a table that should have it if there
        is one.
        """
        first = self._first()
        lists = [table.document.get("accessModes") for table in self._outline.tables]
        modes = [*lists, first.access_modes if first else ()]
        if operation == op.generate_temporary_table_credentials and any(
            "dir" in mode for mode in modes if isinstance(mode, list | tuple)
        ):
            return True
        others = self._outline.tables[:MOST_TABLES] if operation == op.query_table_changes else ()
        tables = [*([first] if first else []), *others]
        return any(self._answers(table, operation) for table in tables)

    def _answers(self, table: SharedTable, operation: OperationId) -> bool:
        last = OPERATIONS[operation].path.rpartition("{table}")[2]
        query = "?startingVersion=0" if operation == op.query_table_changes else ""
        # No invariant asks for more than whether it is there: hence no operation.
        reply = self._walk.request(
            path(*_segments(table)) + last + query, None, method=OPERATIONS[operation].method
        )
        return reply is not None and reply.status not in NO_SUCH_THING

    def _speaks_delta(self) -> bool:
        """Return whether a client that supports only delta format gets it, by metadata or by a
        query.
        """
        delta = [(CAPABILITIES, ONE_FORMAT["delta"])]
        metadata = self._walk.request(
            path(*_segments(self._tables[0]), "metadata"), op.get_table_metadata, headers=delta
        )
        query = self._query(self._by_url[0], {"limitHint": 1}, delta) if self._by_url else None
        replies = [
            reply for reply in (metadata, query) if reply is not None and reply.status == 200
        ]
        return any("deltaProtocol" in p for reply in replies for p in _objects(reply, "protocol"))

    def _ends(self, body: Document, headers: Iterable[tuple[str, str]]) -> Document | None:
        """Return the last endStreamAction of a query, of the first table whose answer has one."""
        for table in self._by_url[:MOST_TABLES]:
            reply = self._query(table, body or {"limitHint": 1}, headers)
            ends = _objects(reply, "endStreamAction") if reply is not None else []
            if ends and (
                not body
                or any(end.get(key) for end in ends for key in ("nextPageToken", "refreshToken"))
            ):
                return ends[-1]
        return None


def _segments(table: SharedTable) -> tuple[str, ...]:
    return "shares", table.share, "schemas", table.schema, "tables", table.name


def _objects(reply: Reply, kind: str) -> list[Document]:
    """Return the content of the lines of a kind."""
    return [
        line[kind]
        for line in reply.exchange.lines or ()
        if isinstance(line, dict) and isinstance(line.get(kind), dict)
    ]
