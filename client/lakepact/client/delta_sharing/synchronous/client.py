# Made by codegen.sync_twin from asynchronous/client.py beside this folder. Do not edit: nox -s generate
"""The whole client: what is shared, and the way to each table."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, overload

from lakepact.client.delta_sharing.names import schema_parts, table_parts
from lakepact.client.delta_sharing.profile import Profile
from lakepact.client.delta_sharing.queries import Place
from lakepact.client.delta_sharing.synchronous.reach import reach
from lakepact.client.delta_sharing.synchronous.table import Table
from lakepact.client.delta_sharing.workers import Workers
from lakepact.client.header_properties import header_properties
from lakepact.client.limits import Limits, Timeouts
from lakepact.client.paging import Bookmark
from lakepact.client.retries import Retries
from lakepact.client.rows.needs import need
from lakepact.client.transport.synchronous.client import Client
from lakepact.generated.delta_sharing.endpoints import (
    get_share,
    list_all_tables,
    list_schemas,
    list_shares,
    list_tables,
)
from lakepact.reach.access import Access
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import Callable, Iterator, Mapping

    import httpx

    from lakepact.client.delta_sharing.names import SchemaName, SharedName
    from lakepact.client.delta_sharing.profile import Source
    from lakepact.client.delta_sharing.read_tasks import ReadTask
    from lakepact.client.rows.foreign import ArrowTable
    from lakepact.generated.delta_sharing.models import Share, SharedSchema, SharedTable


class SharingClient(Client):
    """A recipient of tables shared through Delta Sharing.

    Nothing is sent before the first call. Every error of a call is one of `lakepact.client.errors`.

    Args:
        profile: The provider's profile: the path of its file, its text, its JSON document, or a
            `Profile`.
        retries: The number and duration of retries.
        timeouts: The time to wait for the network; a number is the longest wait of every kind, in
            seconds.
        limits: The maximum size of replies, and number of connections.
        downloads: The number of files that are fetched at once.
        memory: The bytes of fetched files that are held at once; a larger file is fetched alone.
        headers: Headers of every request to the server, as for `IcebergCatalog`.
        verify: The trust in certificates, as for `IcebergCatalog`.
        cert: The client's certificate, as for `IcebergCatalog`.
        proxy: The address of a proxy, as for `IcebergCatalog`.
        http: A client of `httpx` whose connections, proxies and hooks are used; its owner closes
            it.
        sleep: The function that waits between retries.

    Raises:
        ValueError: `profile` is not a profile.
        UpgradeNeeded: Its version is not supported.
        OSError: Its file cannot be read.
    """

    def __init__(
        self,
        profile: Source | Profile,
        *,
        retries: Retries | None = None,
        timeouts: Timeouts | float | None = None,
        limits: Limits | None = None,
        downloads: int = 8,
        memory: int = 256 * 1024 * 1024,
        headers: Mapping[str, str] | None = None,
        verify: bool | str | os.PathLike[str] | ssl.SSLContext = True,
        cert: str | tuple[str, ...] | None = None,
        proxy: str | None = None,
        http: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._profile = profile = profile if isinstance(profile, Profile) else Profile.read(profile)
        self._arguments = {name: value for name, value in locals().items() if name != "self"}
        self._reach = reach(
            self._profile,
            retries=retries or Retries(),
            timeouts=Timeouts.of(timeouts),
            limits=limits or Limits(),
            headers=header_properties(
                {f"header.{name}": value for name, value in (headers or {}).items()}
            ),
            access=Access(verify, cert, proxy),
            http=http,
            workers=Workers(downloads, memory),
            sleep=sleep,
        )

    def __setstate__(self, arguments: dict[str, Any]) -> None:
        SharingClient.__init__(self, **arguments)  # a copy opens connections of its own

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._profile.endpoint!r})"

    def _attributes_with(self, **options: Any) -> dict[str, Any]:
        return {"_reach": self._reach.with_options(**options)}

    def close(self) -> None:
        """Close the connections to the server."""
        self._reach.close()

    def shares(self, *, page_size: int | None = None) -> Iterator[Share]:
        """Yield every share that the recipient may read; pages are fetched as they are reached.

        Args:
            page_size: Most shares that the server should put into one page.

        Raises:
            NotAuthenticated: The server does not accept the profile's token.
        """
        bookmark = Bookmark("listShares", self._reach.calls.limits)
        while bookmark.token is not None:
            page = self._reach.calls.send(
                list_shares.call(max_results=page_size, page_token=bookmark.token or None)
            )
            yield from page.items or ()
            bookmark.turn(page.next_page_token, items=len(page.items or ()))

    def share(self, share: str) -> Share:
        """Return the description of a share.

        Raises:
            NoSuchShare: No share has that name.
        """
        return (self._reach.calls.send(get_share.call(share=path_segment(share)))).share

    def schemas(self, share: str, *, page_size: int | None = None) -> Iterator[SharedSchema]:
        """Yield every schema in a share; pages are fetched as they are reached.

        Args:
            share: The share to look in.
            page_size: Most schemas that the server should put into one page.

        Raises:
            NoSuchShare: There is none of that name.
        """
        bookmark = Bookmark("listSchemas", self._reach.calls.limits)
        while bookmark.token is not None:
            call = list_schemas.call(
                share=path_segment(share), max_results=page_size, page_token=bookmark.token or None
            )
            page = self._reach.calls.send(call)
            yield from page.items or ()
            bookmark.turn(page.next_page_token, items=len(page.items or ()))

    def tables(
        self, share: SchemaName, schema: str | None = None, *, page_size: int | None = None
    ) -> Iterator[SharedTable]:
        """Yield every table in a schema; pages are fetched as they are reached.

        Args:
            share: The share that the schema is in; or the whole name of the schema,
                `"share.schema"`.
            schema: The schema to look in.
            page_size: Most tables that the server should put into one page.

        Raises:
            ValueError: The name of a schema has not two parts.
            NoSuchSchema: There is no such schema, or no such share.
        """
        within = schema_parts(share if schema is None else (str(share), schema))
        bookmark = Bookmark("listTables", self._reach.calls.limits)
        while bookmark.token is not None:
            token = bookmark.token or None
            call = list_tables.call(
                share=path_segment(within[0]),
                schema=path_segment(within[1]),
                max_results=page_size,
                page_token=token,
            )
            page = self._reach.calls.send(call)
            yield from page.items or ()
            bookmark.turn(page.next_page_token, items=len(page.items or ()))

    def all_tables(self, share: str, *, page_size: int | None = None) -> Iterator[SharedTable]:
        """Yield every table in every schema of a share; pages are fetched as they are reached.

        Args:
            share: The share to look in.
            page_size: Most tables that the server should put into one page.

        Raises:
            NoSuchShare: There is none of that name.
        """
        bookmark = Bookmark("listAllTables", self._reach.calls.limits)
        while bookmark.token is not None:
            call = list_all_tables.call(
                share=path_segment(share), max_results=page_size, page_token=bookmark.token or None
            )
            page = self._reach.calls.send(call)
            yield from page.items or ()
            bookmark.turn(page.next_page_token, items=len(page.items or ()))

    @overload
    def table(self, share: SharedName, /) -> Table: ...
    @overload
    def table(self, share: str, schema: str, table: str) -> Table: ...
    def table(
        self, share: SharedName, schema: str | None = None, table: str | None = None
    ) -> Table:
        """Return the way to a table; nothing is sent, so it need not be there.

        Args:
            share: The share; or the whole name of the table: `"share.schema.table"`, a tuple of its
                parts, or an item of a listing.
            schema: The schema in it.
            table: The table.

        Raises:
            ValueError: The name has not three parts; or one is empty, `.` or `..`, and cannot stand
                in a path.
        """
        parts = (
            table_parts(share)
            if schema is None and table is None
            else (str(share), schema or "", table or "")
        )
        return Table(self._reach, Place(*parts))

    def read(self, task: ReadTask) -> Iterator[ArrowTable]:
        """Yield the wanted rows of a task of `Listing.tasks`, its files one after the other.

        Args:
            task: The task, perhaps of another client of the same profile in another process.

        Raises:
            ImportError: `pyarrow` or `pyroaring` is not there; the message says how to get it.
            DamagedData: A file is not what the answer said of it.
            ResponseError: A file is not given, also not after its URL was renewed.
        """
        need("pyarrow", "pyroaring")
        from lakepact.client.delta_sharing.synchronous.piece_reader import tables_of  # noqa: PLC0415 - where pyarrow is there

        with closing(tables_of(self._reach, task)) as tables:
            yield from tables
