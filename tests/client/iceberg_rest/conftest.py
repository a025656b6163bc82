"""A server of Iceberg catalogs, and names of tables."""

from __future__ import annotations

import itertools

import pytest

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running


@pytest.fixture(scope="module")
def server():
    """Yield a server with the namespace `n`."""
    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        yield server


@pytest.fixture(scope="module")
def names():
    """Return the names of tables without end."""
    return (f"n.t{number}" for number in itertools.count())
