"""A server of both contracts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml
from pyiceberg.catalog import load_catalog

from cross_protocol import NAMES, Doors
from lakepact.reference_server import running


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    folder = tmp_path_factory.mktemp("doors")
    tables = [{"name": name, "iceberg": f"ns.{name}", "historyShared": True} for name in NAMES]
    shares = {
        "shares": [{"name": "s", "schemas": [{"name": "d", "tables": tables}]}],
        "recipients": [{"name": "me", "bearerToken": "token"}],
    }
    (folder / "shares.yaml").write_text(yaml.safe_dump(shares))
    with running(warehouse=f"file://{folder}/warehouse", shares=folder / "shares.yaml") as server:
        catalog = load_catalog("both", type="rest", uri=server.url)
        catalog.create_namespace("ns")
        yield Doors(server, catalog, folder / "warehouse")


@pytest.fixture
def doors(both: Doors) -> Doors:
    return both
