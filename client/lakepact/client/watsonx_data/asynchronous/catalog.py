"""A catalog of watsonx.data: an Iceberg catalog that is found, entered and configured otherwise."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from lakepact.client.iceberg_rest.asynchronous.catalog import AsyncIcebergCatalog
from lakepact.client.watsonx_data.names import catalog_address, one_level
from lakepact.generated.watsonx_data import op

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    import httpx

    from lakepact.client.iceberg_rest.names import Levels
    from lakepact.client.limits import Limits, Timeouts
    from lakepact.client.retries import Retries
    from lakepact.client.several import Names
    from lakepact.generated.iceberg_rest.models import CreateNamespaceResponse
    from lakepact.reach.auth import Auth


class AsyncWatsonxCatalog(AsyncIcebergCatalog):
    """A catalog of an IBM watsonx.data instance.

    It has the methods of an Iceberg catalog. Namespaces have one level, tables cannot be registered
    over existing ones, and the property `storage_location` of a namespace sets its location.

    Args:
        address: The host of the instance, with a port if needed, which stands for
            `https://HOST/mds/iceberg`; or the address of its catalogs, such as
            `https://HOST/api/v1/iceberg` of an instance with account scope.
        warehouse: The catalog's name.
        auth: The authorization of requests: a `ZenApiKey`, `BearerToken`, `BasicAuth` or
            `IamApiKey`.
        properties: The caller's configuration; it overrides the server's defaults and is overridden
            by its overrides.
        trusted_origins: Further origins to which the server's answers may lead, as for
            `IcebergCatalog`.
        retries: The number and duration of retries.
        timeouts: The time to wait for the network; a number is the longest wait of every kind, in
            seconds.
        limits: The maximum size of replies, and number of connections.
        headers, verify, cert, proxy: As for `IcebergCatalog`.
        http: A client of `httpx` whose connections, proxies and hooks are used; its owner closes
            it.
        sleep: The function that waits between retries.

    Raises:
        ValueError: `address` is invalid or holds credentials, or `warehouse` is empty.
    """

    _default_operations: ClassVar[frozenset[str]] = op.ALL

    def __init__(
        self,
        address: str,
        warehouse: str,
        *,
        auth: Auth | None = None,
        properties: Mapping[str, str] | None = None,
        trusted_origins: Names = (),
        retries: Retries | None = None,
        timeouts: Timeouts | float | None = None,
        limits: Limits | None = None,
        headers: Mapping[str, str] | None = None,
        verify: bool | str | os.PathLike[str] | ssl.SSLContext = True,
        cert: str | tuple[str, ...] | None = None,
        proxy: str | None = None,
        http: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if not warehouse:
            raise ValueError("a catalog has a name")
        super().__init__(
            catalog_address(address),
            warehouse=warehouse,
            properties={"prefix": quote(warehouse, safe=""), **(properties or {})},
            auth=auth,
            trusted_origins=trusted_origins,
            retries=retries,
            timeouts=timeouts,
            limits=limits,
            headers=headers,
            verify=verify,
            cert=cert,
            proxy=proxy,
            http=http,
            sleep=sleep,
        )

    async def list_namespaces(
        self, parent: Levels | None = None, *, page_size: int | None = None
    ) -> AsyncIterator[tuple[str, ...]]:
        """Yield every namespace; pages are fetched as they are reached.

        Args:
            parent: None; no namespace is below another one, so that the listing of a namespace is
                empty.
            page_size: Most namespaces that the server should put into one page.

        Raises:
            NoSuchNamespace: The server answers 404.
        """
        if parent is None:
            async for namespace in super().list_namespaces(page_size=page_size):
                yield namespace

    async def create_namespace(
        self,
        namespace: Levels,
        properties: Mapping[str, str] | None = None,
        *,
        exist_ok: bool = False,
    ) -> CreateNamespaceResponse:
        """Create a namespace of one level.

        Args:
            namespace: Its name.
            properties: Its properties; `storage_location` sets its location.
            exist_ok: Whether to return an existing one as it is.

        Raises:
            AlreadyExists: A namespace has that name.
            ValueError: The name has several levels.
        """
        return await super().create_namespace(one_level(namespace), properties, exist_ok=exist_ok)
