"""Effective configuration: the server's overrides over the caller's properties over the server's
defaults.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict, TypeVar
from urllib.parse import quote, unquote

from lakepact.client.errors import Failure, OperationNotSupported
from lakepact.client.header_properties import header_properties
from lakepact.client.iceberg_rest.idempotency import remembers_keys, with_key
from lakepact.client.iceberg_rest.names import (
    DEFAULT_SEPARATOR,
    Levels,
    TableName,
    encode_namespace,
    encode_view_chain,
    table_segments,
)
from lakepact.generated.contract import client_contract
from lakepact.reach.wire import Headers, with_missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.client.several import Several
    from lakepact.generated.contract import Call
    from lakepact.generated.iceberg_rest.models import CatalogConfig

T = TypeVar("T")

#: The operations of a server that declares none (getConfig, description).
DEFAULT_OPERATIONS = frozenset(
    {
        "listNamespaces",
        "createNamespace",
        "loadNamespaceMetadata",
        "dropNamespace",
        "updateProperties",
        "listTables",
        "createTable",
        "loadTable",
        "updateTable",
        "dropTable",
        "registerTable",
        "reportMetrics",
        "renameTable",
        "commitTransaction",
    }
)

#: The operations that a server without endpoints offers too where the property
#: `view-endpoints-supported` says so, as in Iceberg's library.
VIEW_OPERATIONS = frozenset(
    {"listViews", "loadView", "createView", "replaceView", "dropView", "renameView"}
)

#: Stands for the prefix in a call until it is known where the server wants it.
PREFIX = "{prefix}"
_PREFIXED = f"/v1/{quote(PREFIX, safe='')}/"


class TablePath(TypedDict):
    """The parameters of the path of a table."""

    prefix: str
    namespace: str
    table: str


class ViewPath(TypedDict):
    """The parameters of the path of a view."""

    prefix: str
    namespace: str
    view: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration that holds for one catalog."""

    properties: Mapping[str, str]
    #: The prefix of the catalog's paths.
    prefix: str
    #: The headers that properties add to every request.
    headers: Headers
    #: Ids of the operations that the server offers.
    operations: frozenset[str]
    #: Whether changes get keys by which the server knows them again.
    has_keys: bool
    #: Joins levels in paths; some servers of later versions take no other than their own.
    separator: str

    def encode_namespace(self, namespace: Levels) -> str:
        """Return the namespace as it stands in paths and queries of this catalog."""
        return encode_namespace(namespace, self.separator)

    def table(self, table: TableName) -> TablePath:
        """Return the parameters of the path of a table."""
        namespace, name = table_segments(table, self.separator)
        return {"prefix": PREFIX, "namespace": namespace, "table": name}

    def view(self, view: TableName) -> ViewPath:
        """Return the parameters of the path of a view."""
        namespace, name = table_segments(view, self.separator)
        return {"prefix": PREFIX, "namespace": namespace, "view": name}

    def encode_view_chain(self, views: Several[TableName]) -> str | None:
        """Return views as they stand in the query `referenced-by` of this catalog; None without
        any.
        """
        return encode_view_chain(views, self.separator) if views else None

    def at_catalog(self, call: Call[T]) -> Call[T]:
        """Return the call at this catalog's path, with the prefix inserted or omitted, and with its
        key.

        Raises:
            OperationNotSupported: The server does not offer the operation.
        """
        if call.operation not in self.operations:
            raise OperationNotSupported(
                Failure(
                    operation=call.operation,
                    message="the server does not list this operation among its endpoints",
                )
            )
        call = with_key(call) if self.has_keys else call
        path = call.path
        if path.startswith(_PREFIXED):
            path = f"/v1/{self.prefix}{'/' if self.prefix else ''}{path.removeprefix(_PREFIXED)}"
        return replace(call, path=path, headers=with_missing(call.headers, self.headers))


def settings(
    config: CatalogConfig,
    own: Mapping[str, str],
    default_operations: frozenset[str] = DEFAULT_OPERATIONS,
    *,
    patience: float = 0.0,
) -> Settings:
    """Return the settings of the server's configuration and the caller's properties.

    Args:
        config: The server's configuration.
        own: The caller's properties.
        default_operations: Ids of the operations of a server that declares none.
        patience: The seconds in which a call may be retried.

    Raises:
        ValueError: A property of the server cannot be sent as a header, or the prefix is invalid.
    """
    # An empty list cannot be told from an absent one by other clients, so servers send it and mean
    # the defaults.
    endpoints = frozenset(config.endpoints or ())
    operations = frozenset(
        id_
        for id_, operation in client_contract("iceberg_rest").operations.items()
        if f"{operation.method} {operation.path}" in endpoints
    )
    properties = {**config.defaults, **own, **config.overrides}
    if properties.get("view-endpoints-supported", "").lower() == "true":
        default_operations |= VIEW_OPERATIONS
    return Settings(
        properties=MappingProxyType(properties),
        prefix=encode_prefix(properties.get("prefix", "")),
        headers=header_properties(config.defaults, own, config.overrides),
        operations=operations if endpoints else default_operations,
        has_keys=remembers_keys(config, seconds=patience),
        separator=properties.get("namespace-separator", DEFAULT_SEPARATOR),
    )


def encode_prefix(prefix: str) -> str:
    """Return a prefix as it stands in paths: of any number of segments, and percent-encoded where
    the server wrote it so.

    Raises:
        ValueError: A segment is empty or a step in a path; the request would reach something else.
    """
    prefix = prefix.strip("/")
    # Servers and proxies decode paths once or twice, some take a backslash for a slash, and some
    # cut a segment at a semicolon.
    segments = re.split(r"[/\\]", unquote(unquote(prefix)))
    if prefix and {segment.partition(";")[0] for segment in segments} & {"", ".", ".."}:
        raise ValueError(
            f"the prefix {prefix[:200]!r} is no part of a path: a segment of it is empty, '.' or"
            " '..'"
        )
    return quote(prefix, safe="/%:@!$&'()*+,;=")


def with_headers(call: Call[T], headers: Headers) -> Call[T]:
    """Return the call with these headers, except those that it has already."""
    return replace(call, headers=with_missing(call.headers, headers))
