# Made by codegen.sync_twin from asynchronous/table.py beside this folder. Do not edit: nox -s generate
"""A shared table."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing import access
from lakepact.client.delta_sharing.capabilities import Capabilities
from lakepact.client.delta_sharing.description import Description
from lakepact.client.delta_sharing.lines import SharedFile
from lakepact.client.delta_sharing.queries import About, Changes, Query, moment_text
from lakepact.client.delta_sharing.synchronous.answer import VERSION, Answer
from lakepact.client.delta_sharing.synchronous.listing import Listing
from lakepact.client.errors import BadReply, Failure
from lakepact.client.idempotency_keys import new_key
from lakepact.client.rows.row_filters import selection_of
from lakepact.client.several import Names, Several, several
from lakepact.generated.delta_sharing.endpoints import (
    generate_temporary_table_credentials,
    get_table_version,
)
from lakepact.generated.delta_sharing.models import TemporaryTableCredentialsRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from lakepact.client.delta_sharing.access import DirectoryCredentials
    from lakepact.client.delta_sharing.lines import Format
    from lakepact.client.delta_sharing.progress import Progress
    from lakepact.client.delta_sharing.queries import FileIdHash, Place
    from lakepact.client.delta_sharing.synchronous.reach import Reach
    from lakepact.client.rows.foreign import (
        ArrowTable,
        DuckDBConnection,
        DuckDBRelation,
        PandasFrame,
        PolarsFrame,
    )
    from lakepact.client.rows.row_filters import RowFilter

#: Seconds; servers are not to be asked more often than that whether there is a new version.
_SHORTEST_INTERVAL = 10


class Table:
    """A shared table. Names are matched by the server without regard to case; whether there is such
    a table shows with the first call.

    Attributes:
        place: Its share, its schema and its name.
    """

    def __init__(self, reach: Reach, place: Place) -> None:
        self._reach = reach
        self.place = place

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.place)!r})"

    def version(self, *, starting_timestamp: datetime | str | None = None) -> int:
        """Return the version of the table.

        Args:
            starting_timestamp: Asks for the first version at or after that time instead of the
                latest.

        Raises:
            NoSuchTable: There is no such table, or it is not shared with this recipient.
            BadRequest: There is no version at or after that time.
        """
        call = get_table_version.call(
            **self.place.names(), starting_timestamp=moment_text(starting_timestamp)
        )
        text = (self._reach.calls.reply(call)).header(VERSION)
        if text is None or not (text.isascii() and text.isdigit()):
            raise BadReply(
                Failure(
                    operation=call.operation,
                    message=f"the reply has no header {VERSION} that is a number",
                )
            )
        return int(text)

    def metadata(
        self, *, version: int | None = None, timestamp: datetime | str | None = None
    ) -> Description:
        """Return the schema, partitioning and protocol of the table.

        Args:
            version: That version instead of the latest, if the server supports it.
            timestamp: The version at that time, if the server supports it.

        Raises:
            NoSuchTable: The table does not exist or is not shared with this recipient.
            UpgradeNeeded: It requires a later reader.
        """
        question = About(place=self.place, version=version, timestamp=moment_text(timestamp))
        with Answer(self._reach, question).begin() as answer:
            return Description(
                version=answer.version, protocol=answer.protocol, metadata=answer.metadata
            )

    def query(
        self,
        *,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        version: int | None = None,
        timestamp: datetime | str | None = None,
        starting_version: int | None = None,
        ending_version: int | None = None,
        page_size: int | None = None,
        file_id_hash: FileIdHash | None = None,
        historical_protocol: bool = False,
        background: bool = False,
        patience: float = 300.0,
        formats: Several[Format] = ("delta", "parquet"),
    ) -> Listing:
        """Ask for the files of the table.

        Args:
            row_filter: The filter of rows, such as `"id > 3 and city = 'Rome'"`,
                `column("id") > 3`, or an expression of pyiceberg. Reading rows applies it, as SQL
                does. The server gets it as a hint to leave out files; `files` yields all that it
                sends.
            limit: How many rows are wanted, in the same way.
            version: Asks for that version instead of the latest.
            timestamp: Asks for the version at that time.
            starting_version: Asks for the files that versions from this one on added and removed.
            ending_version: The last of these versions; the server may give later ones.
            page_size: Most files that the server should put into one page; the pages are joined.
            file_id_hash: How the server is to make the ids of files; a server that does not know it
                is refused with `BadReply`.
            historical_protocol: Whether the server should send the protocols that versions after
                `starting_version` changed (2026-08).
            background: Whether the server may run the query in the background (2026-08); the answer
                is awaited.
            patience: The seconds to wait for a query in the background.
            formats: The response formats that will do.

        Raises:
            QueryFailed: The query failed in the background, or did not end in time.
            NoSuchTable: There is no such table, or it is not shared with this recipient.
            OperationNotSupported: The server does not give URLs of its files.
            UpgradeNeeded: The table needs a later reader than this one.
        """
        question = Query(
            place=self.place,
            capabilities=Capabilities(several("formats", formats), background=background),
            historical_protocol=historical_protocol,
            idempotency_key=new_key() if background else None,
            patience=patience,
            predicate=selection_of(row_filter),
            limit=_check_limit(limit),
            version=version,
            timestamp=moment_text(timestamp),
            starting_version=starting_version,
            ending_version=ending_version,
            page_size=page_size,
            file_id_hash=file_id_hash,
        )
        return Listing(self._reach, question).begin()

    def files(
        self,
        *,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        version: int | None = None,
        timestamp: datetime | str | None = None,
    ) -> Iterator[SharedFile]:
        """Yield the files of the table, each as it arrives. The arguments and errors are those of
        `query`.
        """
        listing = self.query(
            row_filter=row_filter, limit=limit, version=version, timestamp=timestamp
        )
        # A table may have millions of files, so little stands between them and the one who reads
        # them.
        with closing(listing.blocks()) as blocks:
            for lines in blocks:
                for line in lines:
                    if type(line) is SharedFile:
                        yield line

    def changes(
        self,
        *,
        starting_version: int | None = None,
        starting_timestamp: datetime | str | None = None,
        ending_version: int | None = None,
        ending_timestamp: datetime | str | None = None,
        historical_metadata: bool = False,
        historical_protocol: bool = False,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        page_size: int | None = None,
        file_id_hash: FileIdHash | None = None,
        formats: Several[Format] = ("delta", "parquet"),
    ) -> Listing:
        """Ask for the changes that versions made; both ends count.

        Rows that are read from the answer say in `_change_type`, `_commit_version` and
        `_commit_timestamp` which change they were part of.

        Args:
            starting_version: The first version; this or `starting_timestamp` has to be given.
            starting_timestamp: Begins with the first version at or after that time.
            ending_version: The last version; the latest without it.
            ending_timestamp: Ends with the last version at or before that time.
            historical_metadata: Whether the server is to say how the table was described in these
                versions.
            historical_protocol: Whether the server should send the protocols that these versions
                changed (2026-08).
            row_filter: The filter of rows, as for `query`.
            limit: How many rows are wanted, in the same way.
            page_size: Most files that the server should put into one page; the pages are joined.
            file_id_hash: How the server is to make the ids of files; a server that does not know it
                is refused with `BadReply`.
            formats: The response formats that will do.

        Raises:
            ValueError: There is no start, or two starts or ends.
            BadRequest: The table does not record changes, or not in all of these versions.
            NoSuchTable: There is no such table, or it is not shared with this recipient.
            OperationNotSupported: The server does not give URLs of its files.
            UpgradeNeeded: The table needs a later reader than this one.
        """
        question = Changes(
            place=self.place,
            capabilities=Capabilities(several("formats", formats)),
            starting_version=starting_version,
            starting_timestamp=moment_text(starting_timestamp),
            ending_version=ending_version,
            ending_timestamp=moment_text(ending_timestamp),
            historical_metadata=historical_metadata,
            historical_protocol=historical_protocol,
            page_size=page_size,
            file_id_hash=file_id_hash,
            predicate=selection_of(row_filter),
            limit=_check_limit(limit),
        )
        return Listing(self._reach, question).begin()

    def follow(
        self, starting_version: int, *, interval: float = 30.0, versions_per_request: int = 100
    ) -> Iterator[SharedFile]:
        """Yield the files that versions add and remove, those that there are first and then each
        new one, without end.

        Args:
            starting_version: The first version.
            interval: How many seconds there are between two questions whether there is a new
                version; ten at least.
            versions_per_request: How many versions are asked for at once.

        Raises:
            ValueError: `interval` is too short, or no versions are to be asked for.
            LakepactError: As for `query`.
        """
        if interval < _SHORTEST_INTERVAL:
            raise ValueError(
                f"a server is asked for new versions every {_SHORTEST_INTERVAL} seconds at most,"
                f" not every {interval:g}"
            )
        if versions_per_request < 1:
            raise ValueError(f"{versions_per_request} versions are none to ask for")
        first = starting_version
        while True:
            latest = self.version()
            while first <= latest:
                last = min(latest, first + versions_per_request - 1)
                with self.query(starting_version=first, ending_version=last) as listing:
                    for file in listing.files():
                        # A server may give later versions, which are asked for again.
                        if file.version is None or file.version <= last:
                            yield file
                first = last + 1
            self._reach.sleep(interval)

    def to_arrow(
        self,
        *,
        columns: Names | None = None,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        version: int | None = None,
        timestamp: datetime | str | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> ArrowTable:
        """Return the rows of the table as a table of Arrow.

        Args:
            columns: The columns that are wanted, in this order; all without it.
            row_filter: The filter of rows, as for `query`; by default all.
            limit: How many of them.
            version: Reads that version instead of the latest.
            timestamp: Reads the version at that time.
            progress: Is called after each file.

        Raises:
            LakepactError: As for `query`, and as for reading from the listing that it gives.
            ImportError: `pyarrow` or `pyroaring` is not there; the message says how to get it.
            ValueError: The table has no such column, or the filter is no filter.
            TypeError: The filter compares a column with a value of another type.
        """
        listing = self.query(
            row_filter=row_filter, limit=limit, version=version, timestamp=timestamp
        )
        return listing.to_arrow(columns=columns, progress=progress)

    def to_pandas(
        self,
        *,
        columns: Names | None = None,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        version: int | None = None,
        timestamp: datetime | str | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> PandasFrame:
        """Return the rows of the table as a frame of pandas. The arguments and errors are those of
        `to_arrow`.
        """
        listing = self.query(
            row_filter=row_filter, limit=limit, version=version, timestamp=timestamp
        )
        return listing.to_pandas(columns=columns, progress=progress)

    def to_polars(
        self,
        *,
        columns: Names | None = None,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        version: int | None = None,
        timestamp: datetime | str | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> PolarsFrame:
        """Return the rows of the table as a frame of polars. The arguments and errors are those of
        `to_arrow`.
        """
        listing = self.query(
            row_filter=row_filter, limit=limit, version=version, timestamp=timestamp
        )
        return listing.to_polars(columns=columns, progress=progress)

    def to_duckdb(
        self,
        *,
        columns: Names | None = None,
        row_filter: RowFilter | None = None,
        limit: int | None = None,
        version: int | None = None,
        timestamp: datetime | str | None = None,
        progress: Callable[[Progress], object] | None = None,
        connection: DuckDBConnection | None = None,
    ) -> DuckDBRelation:
        """Return the rows of the table as a relation of DuckDB. The other arguments and errors are
        those of `to_arrow`.

        Args:
            columns: As for `to_arrow`.
            row_filter: As for `to_arrow`.
            limit: As for `to_arrow`.
            version: As for `to_arrow`.
            timestamp: As for `to_arrow`.
            progress: As for `to_arrow`.
            connection: The connection that the relation belongs to; the default one of DuckDB
                without it.
        """
        listing = self.query(
            row_filter=row_filter, limit=limit, version=version, timestamp=timestamp
        )
        return listing.to_duckdb(columns=columns, progress=progress, connection=connection)

    def credentials(self, *, location: str | None = None) -> DirectoryCredentials:
        """Return temporary credentials of the table's directory; fetched again only when they
        expire.

        Args:
            location: One of the table's auxiliary locations instead of its main one.

        Raises:
            NoSuchTable: The table does not exist or is not shared with this recipient.
            BadRequest: The server issues no credentials for it.
        """
        credentials = self._reach.credentials.get((self.place, location))
        if credentials is not None and credentials.are_good(time.time()):
            return credentials
        members: dict[str, Any] = {} if location is None else {"location": location}
        body = TemporaryTableCredentialsRequest.model_validate(members)
        reply = self._reach.calls.send(
            generate_temporary_table_credentials.call(**self.place.names(), body=body)
        )
        fresh = access.read(reply.credentials)
        self._reach.credentials[self.place, location] = fresh
        return fresh


def _check_limit(limit: int | None) -> int | None:
    if limit is not None and limit < 0:
        raise ValueError(f"a limit is a number of rows, and {limit} is none")
    return limit
