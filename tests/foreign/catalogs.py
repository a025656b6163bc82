"""The foreign servers, and how the client opens a catalog of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.client import BearerToken, IcebergCatalog, pyiceberg_catalog
from servers_matrix.servers import (
    KEY,
    RUSTBERG_FEATURES,
    SERVERS,
    TABLE_BUCKET,
    CatalogServer,
    rustberg_is_built,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyiceberg.catalog import Catalog

#: The keys of all stores here, for files of tables without credentials.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
}
RUSTBERG = "0.3.0"


@dataclass(frozen=True)
class Foreign:
    """A foreign server.

    Attributes:
        server: How it is started.
        arguments: Arguments of `IcebergCatalog`.
        words: Parts of the page that it cannot have, and what stands for them.
        bridge: Arguments of `pyiceberg_catalog` and `pyiceberg_table`.
    """

    server: CatalogServer
    arguments: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    bridge: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.server.name


@dataclass(frozen=True)
class OpenCatalog:
    """The catalog of a running server, and the names that the blocks of the page have defined."""

    foreign: Foreign
    url: str
    catalog: IcebergCatalog
    names: dict[str, Any]

    def open(self) -> IcebergCatalog:
        """Return another client of the catalog."""
        return IcebergCatalog(self.url, **self.foreign.arguments)

    def bridge(self) -> Catalog:
        """Return the catalog as one of pyiceberg."""
        return pyiceberg_catalog(self.catalog, **self.foreign.bridge)


def require(foreign: Foreign) -> None:
    """Skip a server that takes too long to build."""
    if foreign.server.title == "Rustberg" and not rustberg_is_built(RUSTBERG, RUSTBERG_FEATURES):
        pytest.skip(
            f"Rustberg {RUSTBERG} is not built yet, which takes 11 minutes: nox -s servers_matrix -- rustberg"
        )


#: Of a server that has views and does not list its endpoints, as other clients need it too.
VIEWS = {"properties": {"view-endpoints-supported": "true"}}
_BY_NAME = {server.name: server for server in SERVERS}
#: Of a server with one level of namespaces.
_ONE_LEVEL = {'"sales.emea': '"emea', '["sales", "emea"]': '["emea"]'}
FOREIGN = (
    Foreign(_BY_NAME["iceberg-java"]),
    Foreign(_BY_NAME["nessie"], VIEWS),
    Foreign(
        _BY_NAME["ministack-s3tables"],
        {"warehouse": f"arn:aws:s3tables:us-east-1:000000000000:bucket/{TABLE_BUCKET}"},
        words=_ONE_LEVEL,
    ),
    Foreign(_BY_NAME["ministack-glue"], {"warehouse": "000000000000"}, words=_ONE_LEVEL),
    Foreign(_BY_NAME["rustberg"], {"auth": BearerToken(KEY)}),
    Foreign(
        _BY_NAME["seaweedfs"],
        # Asked for credentials that it does not vend, it does not say where its store is either.
        {
            "warehouse": f"s3://{TABLE_BUCKET}",
            "properties": {**VIEWS["properties"], "header.X-Iceberg-Access-Delegation": ""},
        },
        words={"_catalog(catalog)": "_catalog(catalog, access_delegation=None)"},
        bridge={"access_delegation": None},
    ),
)
