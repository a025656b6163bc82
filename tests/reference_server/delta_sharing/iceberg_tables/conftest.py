"""A server of both contracts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyiceberg.catalog import load_catalog

from cross_protocol import NAMES, Doors
from lakepact.reference_server import running
from sample_tables.shared_tables import write_shares


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    folder = tmp_path_factory.mktemp("doors")
    tables = [{"name": name, "iceberg": f"ns.{name}", "historyShared": True} for name in NAMES]
    shares = write_shares(folder, tables, {"me": "token"})
    with running(warehouse=f"file://{folder}/warehouse", shares=shares) as server:
        catalog = load_catalog("both", type="rest", uri=server.url)
        catalog.create_namespace("ns")
        yield Doors(server, catalog, folder / "warehouse")


@pytest.fixture
def doors(both: Doors) -> Doors:
    return both
