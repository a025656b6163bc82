# Made by codegen.sync_twin from asynchronous/configured.py beside this folder. Do not edit: nox -s generate
"""A catalog's connection and configuration, which everything that it does goes through."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from lakepact.client.engine import Engine
from lakepact.client.errors import BadReply, Failure
from lakepact.client.etag_cache import CACHE_BYTES, EtagCache
from lakepact.client.header_properties import header_properties
from lakepact.client.iceberg_rest.refusals import REFUSALS
from lakepact.client.iceberg_rest.settings import (
    DEFAULT_OPERATIONS,
    Settings,
    encode_prefix,
    settings,
    with_headers,
)
from lakepact.client.limits import Timeouts
from lakepact.client.origins import TrustedOrigins
from lakepact.client.retries import Retries
from lakepact.client.transport.synchronous.client import Client
from lakepact.client.transport.synchronous.connection import Connection
from lakepact.client.transport.synchronous.transport import Transport
from lakepact.generated.iceberg_rest.endpoints import get_config
from lakepact.reach.access import Access
from lakepact.reach.auth import Auth, NoAuth
from lakepact.reach.urls import server_address

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import Callable, Mapping

    import httpx

    from lakepact.client.iceberg_rest.row_writes import WriteQueue
    from lakepact.client.limits import Limits
    from lakepact.client.several import Names
    from lakepact.generated.contract import Call
    from lakepact.generated.iceberg_rest.models import CatalogConfig

T = TypeVar("T")
#: Seconds between looks for a configuration that another caller fetches.
_LOOK = 0.005


class Configured(Client):
    """A catalog that is configured as its server says."""

    #: Ids of the operations of a server that does not say what it offers.
    _default_operations: ClassVar[frozenset[str]] = DEFAULT_OPERATIONS

    def __init__(
        self,
        address: str,
        *,
        warehouse: str | None = None,
        properties: Mapping[str, str] | None = None,
        auth: Auth | None = None,
        trusted_origins: Names = (),
        retries: Retries | None = None,
        timeouts: Timeouts | float | None = None,
        limits: Limits | None = None,
        cache_bytes: int = CACHE_BYTES,
        headers: Mapping[str, str] | None = None,
        verify: bool | str | os.PathLike[str] | ssl.SSLContext = True,
        cert: str | tuple[str, ...] | None = None,
        proxy: str | None = None,
        http: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        properties = dict(properties or {})
        self._arguments = {name: value for name, value in locals().items() if name != "self"}
        policy = retries or Retries()
        engine = Engine(server_address(address), auth or NoAuth(), policy, REFUSALS)
        transport = Transport(
            Timeouts.of(timeouts), http, limits, access=Access(verify, cert, proxy)
        )
        self._connection = Connection(engine, transport, sleep)
        self._retries = policy
        self._etag_cache = EtagCache(cache_bytes)
        self._warehouse = warehouse
        self._properties = {
            **{f"header.{name}": value for name, value in (headers or {}).items()},
            **properties,
        }
        self._headers = header_properties(self._properties)
        encode_prefix(self._properties.get("prefix", ""))
        #: The origins, beside that of the server, that may get credentials.
        self.trusted_origins = TrustedOrigins.of(
            engine.address,
            trusted_origins,
            self._properties.values(),
            decoding=transport.limits.decoding,
        )
        self._config: list[
            CatalogConfig
        ] = []  # one, once it is fetched; shared with the clients of with_options
        self._config_lock = Lock()
        self._write_queues: dict[str, WriteQueue] = {}
        self._merged: Settings | None = None

    def __setstate__(self, arguments: dict[str, Any]) -> None:
        Configured.__init__(self, **arguments)  # a copy opens connections of its own

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.address!r})"

    def _attributes_with(self, **options: Any) -> dict[str, Any]:
        retries = options.get(
            "retries", self._retries
        )  # on whose time keys of changes depend, so that settings are merged again
        return {
            "_connection": self._connection.with_options(**options),
            "_retries": retries,
            "_merged": None,
        }

    def close(self) -> None:
        """Close the connections to the server."""
        self._connection.close()

    @property
    def address(self) -> str:
        """The address of the catalog, which its configuration may have moved."""
        return self._connection.address

    def authorization(self) -> str | None:
        """Return the `Authorization` header of requests; None for a catalog without authorization.

        Raises:
            NotAuthenticated: The token endpoint refuses to issue a token.
        """
        return self._connection.authorization(get_config.call(warehouse=self._warehouse))

    def config(self) -> CatalogConfig:
        """Return the configuration that the server gives its clients, fetched once.

        Raises:
            NotFound: The server has no such warehouse.
            NotAuthenticated: The server does not accept the caller's credentials.
        """
        while not self._config:
            if self._config_lock.acquire(blocking=False):
                try:
                    self._config[:] = self._config or [self._fetch_config()]
                finally:
                    self._config_lock.release()
            # another caller fetches it, perhaps in another event loop, which locks of asyncio do
            # not serve
            else:
                time.sleep(_LOOK)
        return self._config[0]

    def _fetch_config(self) -> CatalogConfig:
        return self._connection.send(
            with_headers(get_config.call(warehouse=self._warehouse), self._headers)
        )

    def properties(self) -> Mapping[str, str]:
        """Return the effective configuration: the server's overrides over the caller's properties
        over the server's defaults.

        The errors are those of `config`.
        """
        return (self._settings()).properties

    def offers(self, operation: str) -> bool:
        """Return whether the server supports an operation id such as `namespaceExists`; other calls
        raise `OperationNotSupported`.

        The errors are those of `config`.
        """
        return operation in (self._settings()).operations

    def _settings(self) -> Settings:
        if self._merged is None:
            config = self.config()
            if uri := (config.overrides or {}).get("uri"):
                self._connection.move(
                    self.trusted_origins.address(uri, operation="getConfig", name="overrides.uri")
                )
            try:
                self._merged = settings(
                    config, self._properties, self._default_operations, patience=self._retries.total
                )
            except ValueError as invalid:
                raise BadReply(Failure(operation="getConfig", message=str(invalid))) from None
        return self._merged

    def _call(self, call: Call[T]) -> T:
        return self._connection.send((self._settings()).at_catalog(call))

    def _changing(self, call: Call[T]) -> T:
        """Make a call that changes what is loaded at its path, so that what is cached for it is
        stale, however it ends.
        """
        own_call = (self._settings()).at_catalog(call)
        try:
            return self._connection.send(own_call)
        finally:
            self._etag_cache.forget(own_call.path)
