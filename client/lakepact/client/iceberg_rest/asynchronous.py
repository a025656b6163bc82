"""An Iceberg REST catalog for an event loop; `synchronous` is derived from this module and holds the same for threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from lakepact.client.auth import Auth, NoAuth
from lakepact.client.connections import AsyncConnection
from lakepact.client.engine import Engine
from lakepact.client.errors import NotFound
from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.names import Levels, TableName, segment
from lakepact.client.iceberg_rest.refusals import REFUSALS
from lakepact.client.iceberg_rest.settings import PREFIX, Settings, settings
from lakepact.client.paging import Bookmark
from lakepact.client.retries import Retries
from lakepact.client.transport import AsyncTransport, Timeouts
from lakepact.client.urls import server_address
from lakepact.generated.iceberg_rest.endpoints import (
    create_namespace,
    create_table,
    drop_namespace,
    drop_table,
    get_config,
    list_namespaces,
    list_tables,
    load_namespace_metadata,
    load_table,
    namespace_exists,
    register_table,
    rename_table,
    table_exists,
    update_properties,
    update_table,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from types import TracebackType

    from lakepact.client.transport import AsyncCarrier
    from lakepact.generated.contract import Call
    from lakepact.generated.iceberg_rest.models import (
        CatalogConfig,
        CommitTableResponse,
        CreateNamespaceResponse,
        GetNamespaceResponse,
        LoadTableResult,
        PartitionSpec,
        Schema,
        SortOrder,
        TableIdentifier,
        TableRequirement,
        TableUpdate,
        UpdateNamespacePropertiesResponse,
    )

T = TypeVar("T")


class AsyncIcebergCatalog:
    """A catalog that speaks the Iceberg REST contract.

    Every method makes the calls of one operation of the contract and returns its typed answer; whatever goes wrong is one of
    `lakepact.client.errors`. The first call fetches the catalog's configuration, see `config`.

    A namespace is a sequence of levels, `("sales", "emea")`. A string is one level, `"sales"`: dots in it are part of its name.
    What is sent as JSON (schemas, specs, updates, requirements) may be given as generated models or as plain documents.

    Args:
        address: Where the catalog is, without `/v1`.
        warehouse: Which warehouse to ask for, if the server has several.
        properties: Configuration of the caller's own; it goes before the server's defaults and after its overrides.
        auth: How requests are authorized.
        retries: How often and for how long calls are tried.
        timeouts: How long to wait for the network.
        carrier: What carries requests in place of the network, an `httpx` transport.
        sleep: What waits between tries.

    Raises:
        ValueError: `address` is not the address of a server, or holds credentials.
    """

    def __init__(
        self,
        address: str,
        *,
        warehouse: str | None = None,
        properties: Mapping[str, str] | None = None,
        auth: Auth | None = None,
        retries: Retries | None = None,
        timeouts: Timeouts | None = None,
        carrier: AsyncCarrier | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        engine = Engine(server_address(address), auth or NoAuth(), retries or Retries(), REFUSALS)
        self._connection = AsyncConnection(engine, AsyncTransport(timeouts or Timeouts(), carrier), sleep)
        self._warehouse = warehouse
        self._properties = dict(properties or {})
        self._config: CatalogConfig | None = None
        self._config_lock = asyncio.Lock()
        self._here: Settings | None = None

    def __repr__(self) -> str:
        return f"AsyncIcebergCatalog({self._connection.address!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._connection.close()

    # Configuration

    async def config(self) -> CatalogConfig:
        """The configuration that the server gives its clients, fetched once."""
        async with self._config_lock:
            if self._config is None:
                self._config = await self._connection.send(get_config.call(warehouse=self._warehouse))
        return self._config

    async def properties(self) -> Mapping[str, str]:
        """What the catalog is configured to: the server's defaults, under the caller's properties, under the server's overrides."""
        return (await self._settings()).properties

    async def offers(self, operation: str) -> bool:
        """Whether the server offers the operation of that id, such as `namespaceExists`; others raise `NotOffered` before they are sent."""
        return operation in (await self._settings()).offered

    # Namespaces

    async def list_namespaces(self, parent: Levels | None = None, *, page_size: int | None = None) -> AsyncIterator[tuple[str, ...]]:
        """Every namespace directly under `parent`, or at the top; pages are fetched as they are reached.

        Args:
            parent: The namespace to look in.
            page_size: Most namespaces that the server should put into one page.

        Raises:
            NoSuchNamespace: There is no `parent`.
        """
        here = await self._settings()
        within = None if parent is None else here.joined(parent)
        bookmark = Bookmark("listNamespaces")
        while bookmark.token is not None:
            page = await self._call(list_namespaces.call(prefix=PREFIX, page_token=bookmark.token, page_size=page_size, parent=within))
            for namespace in page.namespaces or ():
                yield tuple(namespace)
            bookmark.turn(page.next_page_token)

    async def create_namespace(self, namespace: Levels, properties: Mapping[str, str] | None = None) -> CreateNamespaceResponse:
        """Create a namespace.

        Raises:
            AlreadyExists: There is one of that name.
        """
        return await self._call(create_namespace.call(prefix=PREFIX, body=bodies.create_namespace(namespace, properties)))

    async def load_namespace(self, namespace: Levels) -> GetNamespaceResponse:
        """The namespace with its properties.

        Raises:
            NoSuchNamespace: There is none of that name.
        """
        here = await self._settings()
        return await self._call(load_namespace_metadata.call(prefix=PREFIX, namespace=here.joined(namespace)))

    async def namespace_exists(self, namespace: Levels) -> bool:
        """Whether there is a namespace of that name; asked by loading it where the server does not offer the question."""
        here = await self._settings()
        try:
            if "namespaceExists" in here.offered:
                await self._call(namespace_exists.call(prefix=PREFIX, namespace=here.joined(namespace)))
            else:
                await self.load_namespace(namespace)
        except NotFound:
            return False
        return True

    async def update_namespace_properties(
        self, namespace: Levels, *, updates: Mapping[str, str] | None = None, removals: Sequence[str] = ()
    ) -> UpdateNamespacePropertiesResponse:
        """Set and remove properties of a namespace.

        Args:
            namespace: The namespace.
            updates: Properties to set.
            removals: Names of properties to remove.

        Raises:
            NoSuchNamespace: There is none of that name.
            BadRequest: A property is to be both set and removed.
        """
        here = await self._settings()
        body = bodies.update_namespace_properties(updates, removals)
        return await self._call(update_properties.call(prefix=PREFIX, namespace=here.joined(namespace), body=body))

    async def drop_namespace(self, namespace: Levels) -> None:
        """Drop an empty namespace.

        Raises:
            NoSuchNamespace: There is none of that name; after several tries, an earlier one may have dropped it.
            NotEmpty: It still holds something.
        """
        here = await self._settings()
        await self._call(drop_namespace.call(prefix=PREFIX, namespace=here.joined(namespace)))

    # Tables

    async def list_tables(self, namespace: Levels, *, page_size: int | None = None) -> AsyncIterator[TableIdentifier]:
        """Every table in a namespace; pages are fetched as they are reached.

        Args:
            namespace: The namespace to look in.
            page_size: Most tables that the server should put into one page.

        Raises:
            NoSuchNamespace: There is no such namespace.
        """
        here = await self._settings()
        within = here.joined(namespace)
        bookmark = Bookmark("listTables")
        while bookmark.token is not None:
            page = await self._call(list_tables.call(prefix=PREFIX, namespace=within, page_token=bookmark.token, page_size=page_size))
            for identifier in page.identifiers or ():
                yield identifier
            bookmark.turn(page.next_page_token)

    async def create_table(
        self,
        namespace: Levels,
        name: str,
        schema: Schema | Mapping[str, Any],
        *,
        location: str | None = None,
        partition_spec: PartitionSpec | Mapping[str, Any] | None = None,
        write_order: SortOrder | Mapping[str, Any] | None = None,
        properties: Mapping[str, str] | None = None,
        access_delegation: Literal["vended-credentials", "remote-signing"] | None = None,
    ) -> LoadTableResult:
        """Create a table and load it.

        Args:
            namespace: Where to create it.
            name: Its name.
            schema: Its schema.
            location: Where its files go; the server chooses without one.
            partition_spec: How it is partitioned; not at all without one.
            write_order: How its rows are sorted; not at all without one.
            properties: Its properties.
            access_delegation: How the caller would like to be let to the files.

        Raises:
            AlreadyExists: There is a table or view of that name.
            NoSuchNamespace: There is no such namespace.
        """
        body = bodies.create_table(
            name, schema, location=location, partition_spec=partition_spec, write_order=write_order, properties=properties, stage=False
        )
        here = await self._settings()
        return await self._call(
            create_table.call(prefix=PREFIX, namespace=here.joined(namespace), body=body, x_iceberg_access_delegation=access_delegation)
        )

    async def stage_table(
        self,
        namespace: Levels,
        name: str,
        schema: Schema | Mapping[str, Any],
        *,
        location: str | None = None,
        partition_spec: PartitionSpec | Mapping[str, Any] | None = None,
        write_order: SortOrder | Mapping[str, Any] | None = None,
        properties: Mapping[str, str] | None = None,
        access_delegation: Literal["vended-credentials", "remote-signing"] | None = None,
    ) -> LoadTableResult:
        """Prepare a table that comes to be with its first commit, which requires `assert-create`.

        The arguments and errors are those of `create_table`.
        """
        body = bodies.create_table(
            name, schema, location=location, partition_spec=partition_spec, write_order=write_order, properties=properties, stage=True
        )
        here = await self._settings()
        return await self._call(
            create_table.call(prefix=PREFIX, namespace=here.joined(namespace), body=body, x_iceberg_access_delegation=access_delegation)
        )

    async def register_table(self, namespace: Levels, name: str, metadata_location: str, *, overwrite: bool = False) -> LoadTableResult:
        """Make a table of a metadata file that is there already, and load it.

        Args:
            namespace: Where to register it.
            name: Its name.
            metadata_location: Where its metadata file is.
            overwrite: Whether a table of that name is replaced.

        Raises:
            AlreadyExists: There is a table or view of that name.
            NoSuchNamespace: There is no such namespace.
        """
        here = await self._settings()
        body = bodies.register_table(name, metadata_location, overwrite=overwrite)
        return await self._call(register_table.call(prefix=PREFIX, namespace=here.joined(namespace), body=body))

    async def load_table(
        self,
        namespace: Levels,
        name: str,
        *,
        snapshots: Literal["all", "refs"] | None = None,
        access_delegation: Literal["vended-credentials", "remote-signing"] | None = None,
    ) -> LoadTableResult:
        """The table's metadata, and how to get at its files.

        Args:
            namespace: The namespace that it is in.
            name: Its name.
            snapshots: All snapshots, or only those that branches and tags refer to; the server chooses all without it.
            access_delegation: How the caller would like to be let to the files.

        Raises:
            NoSuchTable: There is none of that name.
        """
        here = await self._settings()
        return await self._call(
            load_table.call(
                prefix=PREFIX,
                namespace=here.joined(namespace),
                table=segment(name),
                snapshots=snapshots,
                x_iceberg_access_delegation=access_delegation,
            )
        )

    async def table_exists(self, namespace: Levels, name: str) -> bool:
        """Whether there is a table of that name; asked by loading it where the server does not offer the question."""
        here = await self._settings()
        try:
            if "tableExists" in here.offered:
                await self._call(table_exists.call(prefix=PREFIX, namespace=here.joined(namespace), table=segment(name)))
            else:
                await self.load_table(namespace, name, snapshots="refs")
        except NotFound:
            return False
        return True

    async def commit_table(
        self,
        namespace: Levels,
        name: str,
        updates: Sequence[TableUpdate | Mapping[str, Any]],
        *,
        requirements: Sequence[TableRequirement | Mapping[str, Any]] = (),
    ) -> CommitTableResponse:
        """Change a table by `updates`, all or none, if every one of `requirements` holds.

        A commit is sent again only while it certainly has not been carried out.

        Args:
            namespace: The namespace that it is in.
            name: Its name.
            updates: What to change, in this order.
            requirements: What has to hold when the server makes the change.

        Raises:
            CommitRejected: A requirement does not hold; nothing was changed.
            OutcomeUnknown: The change may or may not have been made; load the table and look.
            NoSuchTable: There is none of that name.
        """
        here = await self._settings()
        body = bodies.commit_table(namespace, name, updates, requirements)
        return await self._call(update_table.call(prefix=PREFIX, namespace=here.joined(namespace), table=segment(name), body=body))

    async def drop_table(self, namespace: Levels, name: str, *, purge: bool = False) -> None:
        """Drop a table.

        Args:
            namespace: The namespace that it is in.
            name: Its name.
            purge: Whether its files are to be deleted too.

        Raises:
            NoSuchTable: There is none of that name; after several tries, an earlier one may have dropped it.
        """
        here = await self._settings()
        await self._call(drop_table.call(prefix=PREFIX, namespace=here.joined(namespace), table=segment(name), purge_requested=purge))

    async def rename_table(self, source: TableName, destination: TableName) -> None:
        """Rename a table, or move it to another namespace.

        Args:
            source: The table: its namespace and its name.
            destination: The namespace and the name that it gets.

        Raises:
            NoSuchTable: There is no such table.
            NoSuchNamespace: There is no namespace to move it to.
            AlreadyExists: There is a table or view of the new name.
        """
        await self._call(rename_table.call(prefix=PREFIX, body=bodies.rename_table(source, destination)))

    # What every method goes through

    async def _settings(self) -> Settings:
        if self._here is None:
            self._here = settings(await self.config(), self._properties)
        return self._here

    async def _call(self, call: Call[T]) -> T:
        return await self._connection.send((await self._settings()).addressed(call))
