"""The operations that read one table: its version, its metadata, its files, and what changed in
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.access.recipients import Caller
from lakepact.reference_server.delta_sharing.access.tokens import Tokens
from lakepact.reference_server.delta_sharing.catalogue import Catalogue
from lakepact.reference_server.delta_sharing.extensions import VersionExtension
from lakepact.reference_server.delta_sharing.files import Files
from lakepact.reference_server.delta_sharing.queries import (
    capabilities,
    changes,
    file_lists,
    queries,
    versions,
)
from lakepact.reference_server.delta_sharing.queries.background import (
    BackgroundQueries,
    Run,
    key_of,
)
from lakepact.reference_server.delta_sharing.queries.capabilities import capabilities_header
from lakepact.reference_server.delta_sharing.queries.change_lists import ChangeLists
from lakepact.reference_server.delta_sharing.queries.changes import Range
from lakepact.reference_server.delta_sharing.queries.continuations import Continuations
from lakepact.reference_server.delta_sharing.queries.file_lists import FileLists
from lakepact.reference_server.delta_sharing.queries.queries import (
    HISTORICAL_PROTOCOL,
    Query,
    malformed,
    read_query,
)
from lakepact.reference_server.delta_sharing.queries.requests import Answer, Request, explained
from lakepact.reference_server.delta_sharing.queries.versions import Versions, named
from lakepact.reference_server.delta_sharing.shares import SharedTable, Shares
from lakepact.reference_server.delta_sharing.snapshots import Snapshots
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NDJSON, Reply
from lakepact.reference_server.http.service import Rules as ServiceRules

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.documents import GetQueryInfoRequest, QueryTableRequest

CHANGES = "changes"  #: what the tokens of answers with changed rows are bound to
FILE_ID_HASHES = ("parquet", "delta")


def table_is_read_by_url(table: SharedTable) -> None:
    """Check that a table is not shared by directory only, which has no URLs."""
    if not table.by_url:
        message = (
            f"{named(table)} is shared by its directory alone; ask for temporary credentials and"
            " read it there"
        )
        raise Problem(400, "UNSUPPORTED_OPERATION", message)


def file_id_hash(sent: str | None) -> str | None:
    """Return the value of fileidhash for the answer; file ids do not depend on it."""
    if sent is None:
        return None
    value = sent.strip().lower()
    if value not in FILE_ID_HASHES:
        raise malformed(
            f"header fileidhash must be {' or '.join(FILE_ID_HASHES)}, but is {sent[:100]!r}"
        )
    return value


def answered_version(read: int, current: Callable[[], int]) -> int:
    """Return the version that an answer says it is about: the one that was read, or with which the
    changes start.

    Args:
        read: that version.
        current: gives the newest one.
    """
    del current
    return read


class Rules(ServiceRules):
    """Decisions about tables that a fault may replace."""

    table_is_read_by_url = staticmethod(table_is_read_by_url)
    file_id_hash = staticmethod(file_id_hash)
    answered_version = staticmethod(answered_version)


@dataclass(frozen=True, slots=True)
class TableRules:
    """The decisions of each step of an answer about a table."""

    tables: Rules = field(default_factory=Rules)
    capabilities: capabilities.Rules = field(default_factory=capabilities.Rules)
    changes: changes.Rules = field(default_factory=changes.Rules)
    file_lists: file_lists.Rules = field(default_factory=file_lists.Rules)
    queries: queries.Rules = field(default_factory=queries.Rules)
    versions: versions.Rules = field(default_factory=versions.Rules)


class Tables:
    """The operations that read one table.

    Args:
        catalogue: the tables by their names.
        snapshots: their logs and versions.
        files: makes the URLs of files.
        shares: for how long tokens hold, how large pages may be, and which hints count.
        rules: the decisions about tables.
        tokens: what seals the tokens of pages and refreshes.
        newer: the extensions of the served version.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        files: Files,
        *,
        shares: Shares,
        rules: TableRules,
        tokens: Tokens,
        newer: VersionExtension,
    ) -> None:
        self._catalogue, self._snapshots, self._rules = catalogue, snapshots, rules
        self._newer = newer
        self._background = BackgroundQueries() if newer.async_query else None
        self._continuations = Continuations(tokens, shares, rules.queries)
        self._file_lists = FileLists(
            snapshots,
            files,
            self._continuations,
            shares=shares,
            rules=rules.file_lists,
            capabilities=rules.capabilities,
        )
        self._change_lists = ChangeLists(
            snapshots,
            files,
            self._continuations,
            rules=rules.changes,
            capabilities=rules.capabilities,
        )

    def get_table_version(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        table: str,
        starting_timestamp: str | None = None,
    ) -> Reply:
        """Return the version of a table, in the header Delta-Table-Version."""
        request = self._request(caller, share, schema, table)
        with explained(request.table):
            if starting_timestamp is None:
                version = request.versions.current()
            else:
                version = request.versions.since(starting_timestamp, "startingTimestamp")
        return Reply(
            200, headers=((b"delta-table-version", b"%d" % version), (b"content-length", b"0"))
        )

    def head_table_version(self, *, caller: Caller, share: str, schema: str, table: str) -> Reply:
        """Return the current version of a table, for clients that send HEAD."""
        return self.get_table_version(caller=caller, share=share, schema=schema, table=table)

    def get_table_metadata(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str | None = None,
        version: int | None = None,
        timestamp: str | None = None,
    ) -> Reply:
        """Return the protocol and the metadata of a table."""
        request = self._request(caller, share, schema, table, header=delta_sharing_capabilities)
        said = {"version": version, "timestamp": timestamp}
        asked = {name: value for name, value in said.items() if value is not None}
        self._rules.queries.points_exclude_each_other(asked, ("version", "timestamp"))
        with explained(request.table):
            return self._reply(request, self._file_lists.metadata(request, asked))

    def query_table(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str | None = None,
        fileidhash: str | None = None,
        body: QueryTableRequest | None = None,
    ) -> Reply:
        """Return the files of a table, or the changes of its files since a version."""
        request = self._request(caller, share, schema, table, header=delta_sharing_capabilities)
        self._rules.tables.table_is_read_by_url(request.table)
        hashed = self._rules.tables.file_id_hash(fileidhash)
        query = read_query(
            body or {}, self._rules.queries, historical_protocol=self._newer.historical_protocol
        )
        if self._background is not None and request.capabilities.async_query:
            return self._reply_of_status(self._begun(request, query, key_of(body or {}), hashed))
        return self._reply(request, self._queried(request, query), hashed)

    def get_query_info(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        table: str,
        query_id: str,
        delta_sharing_capabilities: str | None = None,
        body: GetQueryInfoRequest | None = None,
    ) -> Reply:
        """Return the status of a query in the background, or a page of its answer."""
        request = self._request(caller, share, schema, table, header=delta_sharing_capabilities)
        run = self._runs.of(request, query_id)
        if run.status is not None:
            return self._reply_of_status(run)
        page: GetQueryInfoRequest = body or {}
        most = page.get("maxFiles")
        query = replace(
            run.query,
            max_files=run.query.max_files if most is None else int(most),
            page_token=page.get("pageToken"),
            refresh_token=None,
        )
        return self._reply(request, self._queried(request, query, run.held), run.hashed)

    @property
    def _runs(self) -> BackgroundQueries:
        if self._background is None:
            raise LookupError("queries in the background are not part of this version")
        return self._background

    def close(self) -> None:
        """End the queries in the background."""
        if self._background is not None:
            self._background.close()

    def _queried(
        self, request: Request, query: Query, begun: Mapping[str, Any] | None = None
    ) -> Answer:
        """Return the answer to a query.

        Args:
            request: the request.
            query: the query.
            begun: the query with its versions, if it began earlier; a page token has them too.
        """
        with explained(request.table):
            held = begun
            if held is None or query.page_token is not None:
                held = self._continuations.held(request, query, operation=file_lists.OPERATION)
            if "startingVersion" in held["asked"]:
                return self._file_changes(request, query, held)
            return self._file_lists.answer(request, query, held)

    def _begun(self, request: Request, query: Query, key: str, hashed: str | None) -> Run:
        """Begin a query in the background: its versions are fixed now, and its table is read by a
        worker.
        """
        with explained(request.table):
            held = self._continuations.held(request, query, operation=file_lists.OPERATION)
            asked: Mapping[str, Any] = held["asked"]
            if "startingVersion" in asked:
                version = request.versions.exactly(asked["startingVersion"], "startingVersion")
                held = {"last": self._last(request, asked, version), **held}
            else:
                version = (
                    held["version"] if "version" in held else request.versions.asked_for(asked)
                )
                held = {"version": version, **held}
        source = request.table.source
        return self._runs.begun(
            request,
            key,
            query,
            held=held,
            hashed=hashed,
            work=lambda: self._snapshots.snapshot(source, version),
        )

    def _last(self, request: Request, asked: Mapping[str, Any], first: int) -> int:
        """Return the last version of the changes of files since a version."""
        ending: int | None = asked.get("endingVersion")
        self._rules.queries.range_is_in_order(first, ending)
        newest = request.versions.current()
        self._rules.queries.range_ends_with_a_version(ending, newest)
        return newest if ending is None else min(ending, newest)

    def query_table_changes(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str | None = None,
        fileidhash: str | None = None,
        starting_version: int | None = None,
        starting_timestamp: str | None = None,
        ending_version: int | None = None,
        ending_timestamp: str | None = None,
        include_historical_metadata: bool = False,
        include_historical_protocol: bool = False,
        max_files: int | None = None,
        page_token: str | None = None,
    ) -> Reply:
        """Return the changes of a table's rows between two versions."""
        request = self._request(caller, share, schema, table, header=delta_sharing_capabilities)
        self._rules.tables.table_is_read_by_url(request.table)
        hashed = self._rules.tables.file_id_hash(fileidhash)
        said = {
            "startingVersion": starting_version,
            "startingTimestamp": starting_timestamp,
            "endingVersion": ending_version,
            "endingTimestamp": ending_timestamp,
            "includeHistoricalMetadata": include_historical_metadata or None,
            HISTORICAL_PROTOCOL: include_historical_protocol or None,
        }
        asked = {name: value for name, value in said.items() if value is not None}
        for bound in (
            ("startingVersion", "startingTimestamp"),
            ("endingVersion", "endingTimestamp"),
        ):
            self._rules.queries.points_exclude_each_other(asked, bound)
        query = Query(asked, max_files=max_files, page_token=page_token)
        self._rules.versions.history_is_shared(request.table, CHANGES)
        with explained(request.table):
            answer = self._row_changes(
                request, query, self._continuations.held(request, query, operation=CHANGES)
            )
        return self._reply(request, answer, hashed)

    def _request(
        self, caller: Caller, share: str, schema: str, table: str, *, header: str | None = None
    ) -> Request:
        found = self._catalogue.table(caller, share, schema, table)
        with explained(found):
            log = self._snapshots.log(found.source)
        return Request(
            caller,
            found,
            log,
            self._rules.capabilities.read_capabilities(header),
            Versions(found, log, self._rules.versions),
        )

    def _file_changes(self, request: Request, query: Query, held: Mapping[str, Any]) -> Answer:
        """Return the files that were added and removed since a version."""
        asked: Mapping[str, Any] = held["asked"]
        first = request.versions.exactly(asked["startingVersion"], "startingVersion")
        last = held["last"] if "last" in held else self._last(request, asked, first)
        wanted = Range(
            first,
            last,
            of_rows=False,
            with_metadata=True,
            with_protocol=HISTORICAL_PROTOCOL in asked,
        )
        return self._change_lists.answer(
            request, query, held, wanted=wanted, operation=file_lists.OPERATION
        )

    def _row_changes(self, request: Request, query: Query, held: Mapping[str, Any]) -> Answer:
        """Return the changes of rows between two versions."""
        asked: Mapping[str, Any] = held["asked"]
        first = request.versions.start(asked)
        last = held["last"] if "last" in held else request.versions.end(asked)
        self._rules.queries.range_is_in_order(first, last)
        with_metadata, with_protocol = (
            "includeHistoricalMetadata" in asked,
            HISTORICAL_PROTOCOL in asked,
        )
        wanted = Range(
            first, last, of_rows=True, with_metadata=with_metadata, with_protocol=with_protocol
        )
        return self._change_lists.answer(request, query, held, wanted=wanted, operation=CHANGES)

    def _reply_of_status(self, run: Run) -> Reply:
        headers = () if run.hashed is None else ((b"fileidhash", run.hashed.encode()),)
        return Reply(200, run.line(), headers=headers, media_type=NDJSON)

    def _reply(self, request: Request, answer: Answer, hashed: str | None = None) -> Reply:
        version = self._rules.tables.answered_version(answer.version, request.versions.current)
        sentence = capabilities_header(answer.response_format, end_stream=answer.end_stream)
        headers = [
            (b"delta-table-version", b"%d" % version),
            (b"delta-sharing-capabilities", sentence),
        ]
        if hashed is not None:
            headers.append((b"fileidhash", hashed.encode()))
        return Reply(
            200,
            answer.lines,
            headers=tuple(headers),
            media_type=NDJSON,
            chunks=answer.chunks,
            prompt=answer.prompt,
        )
