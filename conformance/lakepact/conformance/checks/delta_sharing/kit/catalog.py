"""The shared objects of a server: a walk of its listings, bounded so that a large server is
sampled.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from lakepact.conformance.evidence.exchanges import Document, Members, Reply
from lakepact.conformance.evidence.limits import GivenUp
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.conformance.running.discovery import refusal_message
from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op

MOST_PAGES = 150  #: of all listings together
MOST_SHARES = 20
MOST_TABLES = 60  #: whose metadata is asked for
AT_ONCE = 4  #: requests for metadata
MOST_ITEMS = 1000  #: of one listing
MOST_EMPTY_PAGES = 5  #: in a row

COLUMN_MAPPING_VERSION = 2  #: of readers, before they named features

#: Every reader feature of Delta: a client that names all of them can read every table.
READER_FEATURES = (
    "columnmapping,deletionvectors,timestampntz,v2checkpoint,vacuumprotocolcheck,typewidening,typewidening-preview,"
    "varianttype,varianttype-preview,variantshredding-preview,catalogmanaged,geospatial"
)

CAPABILITIES = "delta-sharing-capabilities"

ONE_FORMAT = {
    "parquet": "responseformat=parquet",
    "delta": f"responseformat=delta;readerfeatures={READER_FEATURES}",
}

#: Accepts both formats and all reader features, so that every table is answered.
EITHER_FORMAT = (CAPABILITIES, f"responseformat=delta,parquet;readerfeatures={READER_FEATURES}")


@dataclass(frozen=True)
class SharedTable:
    """A listed table, with facts of its metadata."""

    share: str
    schema: str
    name: str
    document: Members  #: as it is listed
    format: str = (
        ""  #: of its metadata for clients that support both formats; empty if it is not returned
    )
    changes: bool = False  #: whether it says that it has a change data feed
    reader_features: tuple[str, ...] = ()  #: that its protocol names, in delta format
    access_modes: tuple[str, ...] = ("url",)

    @property
    def address(self) -> Document:
        """The arguments that address the table."""
        return {"share": self.share, "schema": self.schema, "table": self.name}


@dataclass(frozen=True)
class Catalogue:
    """The discovered objects; `whole` is false if some were left out."""

    shares: tuple[Members, ...]
    schemas: tuple[tuple[str, str], ...]  #: share and schema
    tables: tuple[SharedTable, ...]
    whole: bool

    @property
    def readable(self) -> tuple[SharedTable, ...]:
        """The tables whose metadata is answered."""
        return tuple(table for table in self.tables if table.format)

    def without_changes(self) -> Catalogue:
        """Return the catalogue of a server that answers no changes, whatever its metadata says."""
        return replace(self, tables=tuple(replace(table, changes=False) for table in self.tables))


class Walk:
    """One walk of a target's listings, without the refused ones."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._pages = MOST_PAGES
        self._whole = True

    def outline(self) -> Catalogue:
        """Return the shares, schemas and tables that the target lists.

        Raises:
            Blocked: it does not answer at all, or refuses to list its shares.
        """
        self._first()
        shares = [
            s for s in self._items("/shares", op.list_shares) if isinstance(s.get("name"), str)
        ]
        self._whole &= len(shares) <= MOST_SHARES
        schemas: list[tuple[str, str]] = []
        tables: dict[tuple[str, str, str], SharedTable] = {}
        for share in shares[:MOST_SHARES]:
            name = share["name"]
            schema_names = [
                s["name"]
                for s in self._items(path("shares", name, "schemas"), op.list_schemas)
                if isinstance(s.get("name"), str)
            ]
            schemas += [(name, schema) for schema in schema_names]
            for document in self._tables(name, schema_names):
                table = _table(name, document)
                if table is not None:
                    tables.setdefault((table.share, table.schema, table.name), table)
        self._whole &= len(tables) <= MOST_TABLES
        sample = tuple(tables.values())[:MOST_TABLES]
        return Catalogue(tuple(shares), tuple(schemas), sample, self._whole)

    def catalogue(self, outline: Catalogue) -> Catalogue:
        """Return a catalogue with the metadata of its tables."""
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            tables = tuple(pool.map(self.with_metadata, outline.tables))
        finally:
            pool.shutdown(cancel_futures=True)
        return replace(outline, tables=tables, whole=self._whole)

    def _tables(self, share: str, schemas: list[str]) -> Iterator[Document]:
        """Yield the tables of a share: from one listing, or schema by schema if that fails."""
        tables = list(self._items(path("shares", share, "all-tables"), op.list_all_tables))
        if tables:
            yield from tables
            return
        for schema in schemas:
            yield from self._items(
                path("shares", share, "schemas", schema, "tables"), op.list_tables
            )

    def with_metadata(self, table: SharedTable) -> SharedTable:
        """Return a table with the facts of its metadata."""
        where = path(
            "shares", table.share, "schemas", table.schema, "tables", table.name, "metadata"
        )
        reply = self.request(where, op.get_table_metadata, headers=[EITHER_FORMAT])
        lines = reply.exchange.lines if reply is not None and reply.status == 200 else None
        metadata, protocol = _inside(lines, "metaData"), _inside(lines, "protocol")
        if metadata is None:
            return table
        inner = metadata.get("deltaMetadata")
        configuration = (inner if isinstance(inner, dict) else metadata).get("configuration")
        settings = configuration if isinstance(configuration, dict) else {}
        modes = table.document.get("accessModes") or metadata.get("accessModes") or ["url"]
        return replace(
            table,
            format="delta" if isinstance(inner, dict) else "parquet",
            changes="true"
            in {
                str(settings.get(key)).lower()
                for key in ("enableChangeDataFeed", "delta.enableChangeDataFeed")
            },
            reader_features=_reader_features((protocol or {}).get("deltaProtocol")),
            access_modes=tuple(map(str, modes)) if isinstance(modes, list) else ("url",),
        )

    def request(
        self, target: str, operation: OperationId | None, *, method: str = "GET", **options: Any
    ) -> Reply | None:
        """Return the answer to a request, if there is one."""
        try:
            return self._wire.send(method, target, operation=operation, check="discover", **options)
        except (NoAnswer, GivenUp):  # other operations may be answered in time
            self._whole = False
            return None

    def _first(self) -> None:
        """List shares.

        Raises:
            Blocked: the listing is refused, so that nothing can be checked.
        """
        reply = self._wire.send("GET", "/shares", operation=op.list_shares, check="discover")
        if 300 <= reply.status < 500 or reply.exchange.is_a_page:
            raise Blocked(refusal_message(self._wire, reply.exchange))

    def _items(self, where: str, operation: OperationId) -> Iterator[Document]:
        """Yield the items of a listing, page by page."""
        token: Any = ""
        tokens, count, empty = set[str](), 0, 0
        while count < MOST_ITEMS and self._pages > 0 and empty < MOST_EMPTY_PAGES:
            self._pages -= 1
            empty += 1
            reply = self.request(
                where + (f"?pageToken={quote(token, safe='')}" if token else ""), operation
            )
            answer = reply.exchange.json if reply is not None and reply.status == 200 else None
            items = answer.get("items") if isinstance(answer, dict) else None
            for item in items if isinstance(items, list) else ():
                count, empty = count + 1, 0
                if isinstance(item, dict):
                    yield item
            token = answer.get("nextPageToken") if isinstance(answer, dict) else None
            if not isinstance(token, str) or not token or token in tokens:
                return
            tokens.add(token)
        self._whole = False


def path(*segments: str) -> str:
    """Return a path below the base address."""
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def _inside(lines: tuple[Any, ...] | None, kind: str) -> Document | None:
    """Return the content of the first line of a kind."""
    return next(
        (
            line[kind]
            for line in lines or ()
            if isinstance(line, dict) and isinstance(line.get(kind), dict)
        ),
        None,
    )


def _reader_features(protocol: Any) -> tuple[str, ...]:
    """Return the reader features of a Delta protocol; reader version 2 has only one."""
    if not isinstance(protocol, dict):
        return ()
    if protocol.get("minReaderVersion") == COLUMN_MAPPING_VERSION:
        return ("columnMapping",)
    features = protocol.get("readerFeatures")
    return tuple(map(str, features)) if isinstance(features, list) else ()


def _table(share: str, document: Members) -> SharedTable | None:
    schema, name = document.get("schema"), document.get("name")
    return (
        SharedTable(share, schema, name, document)
        if isinstance(schema, str) and isinstance(name, str)
        else None
    )
