"""The operations that read one table: its version, metadata, files and changes."""

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
from lakepact.reference_server.delta_sharing.queries.requests import Answer, Request, explain_errors
from lakepact.reference_server.delta_sharing.queries.versions import Versions, table_name
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
            f"{table_name(table)} is shared by its directory alone; ask for temporary credentials and"
            " read it there"
        )
        raise Problem(400, "UNSUPPORTED_OPERATION", message)


def file_id_hash(header: str | None) -> str | None:
    """Return the value of fileidhash for the answer; file ids do not depend on it."""
    if header is None:
        return None
    value = header.strip().lower()
    if value not in FILE_ID_HASHES:
        raise malformed(
            f"header fileidhash must be {' or '.join(FILE_ID_HASHES)}, but is {header[:100]!r}"
        )
    return value


def version_of_answer(read: int, current: Callable[[], int]) -> int:
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
    version_of_answer = staticmethod(version_of_answer)


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
        with explain_errors(request.table):
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
        members = {"version": version, "timestamp": timestamp}
        parameters = {name: value for name, value in members.items() if value is not None}
        self._rules.queries.points_exclude_each_other(parameters, ("version", "timestamp"))
        with explain_errors(request.table):
            return self._reply(request, self._file_lists.metadata(request, parameters))

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
        file_id_hash = self._rules.tables.file_id_hash(fileidhash)
        query = read_query(
            body or {}, self._rules.queries, historical_protocol=self._newer.historical_protocol
        )
        if self._background is not None and request.capabilities.async_query:
            return self._reply_of_status(
                self._begin(request, query, key_of(body or {}), file_id_hash)
            )
        return self._reply(request, self._run_query(request, query), file_id_hash)

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
        return self._reply(request, self._run_query(request, query, run.content), run.file_id_hash)

    @property
    def _runs(self) -> BackgroundQueries:
        if self._background is None:
            raise LookupError("queries in the background are not part of this version")
        return self._background

    def close(self) -> None:
        """End the queries in the background."""
        if self._background is not None:
            self._background.close()

    def _run_query(
        self, request: Request, query: Query, state: Mapping[str, Any] | None = None
    ) -> Answer:
        """Return the answer to a query.

        Args:
            request: the request.
            query: the query.
            state: the query with its versions, if it began earlier; a page token has them too.
        """
        with explain_errors(request.table):
            content = state
            if content is None or query.page_token is not None:
                content = self._continuations.content_of(
                    request, query, operation=file_lists.OPERATION
                )
            if "startingVersion" in content["asked"]:
                return self._file_changes(request, query, content)
            return self._file_lists.answer(request, query, content)

    def _begin(self, request: Request, query: Query, key: str, file_id_hash: str | None) -> Run:
        """Begin a query in the background: its versions are fixed now, and its table is read by a
        worker.
        """
        with explain_errors(request.table):
            content = self._continuations.content_of(request, query, operation=file_lists.OPERATION)
            parameters: Mapping[str, Any] = content["asked"]
            if "startingVersion" in parameters:
                version = request.versions.exactly(parameters["startingVersion"], "startingVersion")
                content = {"last": self._last(request, parameters, version), **content}
            else:
                version = (
                    content["version"]
                    if "version" in content
                    else request.versions.point(parameters)
                )
                content = {"version": version, **content}
        source = request.table.source
        return self._runs.begin(
            request,
            key,
            query,
            content=content,
            file_id_hash=file_id_hash,
            work=lambda: self._snapshots.snapshot(source, version),
        )

    def _last(self, request: Request, parameters: Mapping[str, Any], first: int) -> int:
        """Return the last version of the changes of files since a version."""
        ending: int | None = parameters.get("endingVersion")
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
        file_id_hash = self._rules.tables.file_id_hash(fileidhash)
        members = {
            "startingVersion": starting_version,
            "startingTimestamp": starting_timestamp,
            "endingVersion": ending_version,
            "endingTimestamp": ending_timestamp,
            "includeHistoricalMetadata": include_historical_metadata or None,
            HISTORICAL_PROTOCOL: include_historical_protocol or None,
        }
        parameters = {name: value for name, value in members.items() if value is not None}
        for bound in (
            ("startingVersion", "startingTimestamp"),
            ("endingVersion", "endingTimestamp"),
        ):
            self._rules.queries.points_exclude_each_other(parameters, bound)
        query = Query(parameters, max_files=max_files, page_token=page_token)
        self._rules.versions.history_is_shared(request.table, CHANGES)
        with explain_errors(request.table):
            answer = self._row_changes(
                request, query, self._continuations.content_of(request, query, operation=CHANGES)
            )
        return self._reply(request, answer, file_id_hash)

    def _request(
        self, caller: Caller, share: str, schema: str, table: str, *, header: str | None = None
    ) -> Request:
        entry = self._catalogue.table(caller, share, schema, table)
        with explain_errors(entry):
            log = self._snapshots.log(entry.source)
        return Request(
            caller,
            entry,
            log,
            self._rules.capabilities.read_capabilities(header),
            Versions(entry, log, self._rules.versions),
        )

    def _file_changes(self, request: Request, query: Query, content: Mapping[str, Any]) -> Answer:
        """Return the files that were added and removed since a version."""
        parameters: Mapping[str, Any] = content["asked"]
        first = request.versions.exactly(parameters["startingVersion"], "startingVersion")
        last = content["last"] if "last" in content else self._last(request, parameters, first)
        span = Range(
            first,
            last,
            of_rows=False,
            with_metadata=True,
            with_protocol=HISTORICAL_PROTOCOL in parameters,
        )
        return self._change_lists.answer(
            request, query, content, span=span, operation=file_lists.OPERATION
        )

    def _row_changes(self, request: Request, query: Query, content: Mapping[str, Any]) -> Answer:
        """Return the changes of rows between two versions."""
        parameters: Mapping[str, Any] = content["asked"]
        first = request.versions.start(parameters)
        last = content["last"] if "last" in content else request.versions.end(parameters)
        self._rules.queries.range_is_in_order(first, last)
        with_metadata = "includeHistoricalMetadata" in parameters
        with_protocol = HISTORICAL_PROTOCOL in parameters
        span = Range(
            first, last, of_rows=True, with_metadata=with_metadata, with_protocol=with_protocol
        )
        return self._change_lists.answer(request, query, content, span=span, operation=CHANGES)

    def _reply_of_status(self, run: Run) -> Reply:
        headers = () if run.file_id_hash is None else ((b"fileidhash", run.file_id_hash.encode()),)
        return Reply(200, run.line(), headers=headers, media_type=NDJSON)

    def _reply(self, request: Request, answer: Answer, file_id_hash: str | None = None) -> Reply:
        version = self._rules.tables.version_of_answer(answer.version, request.versions.current)
        sentence = capabilities_header(answer.response_format, end_stream=answer.end_stream)
        headers = [
            (b"delta-table-version", b"%d" % version),
            (b"delta-sharing-capabilities", sentence),
        ]
        if file_id_hash is not None:
            headers.append((b"fileidhash", file_id_hash.encode()))
        return Reply(
            200,
            answer.lines,
            headers=tuple(headers),
            media_type=NDJSON,
            chunks=answer.chunks,
            prompt=answer.prompt,
        )
