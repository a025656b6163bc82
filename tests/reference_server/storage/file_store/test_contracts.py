"""Every contract with a catalog has its own store."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from crashes import SCHEMA
from lakepact.reference_server.app import services
from lakepact.reference_server.settings import BadSetting, Settings
from lakepact.reference_server.store_cli import store
from raw_requests import serving

WATSONX = "/mds/iceberg/v1/iceberg/namespaces"


def test_a_catalog_of_watsonx_data_outlives_its_server(tmp_path: Path) -> None:
    options = {"contract": "watsonx_data", "warehouse": str(tmp_path), "store": "file"}
    with serving(**options) as send:
        send("POST", WATSONX, {"namespace": ["a"]})
        made = send("POST", f"{WATSONX}/a/tables", {"name": "t", "schema": SCHEMA}).document
    with serving(**options) as send:
        loaded = send("GET", f"{WATSONX}/a/tables/t").document

    assert loaded == made
    assert CliRunner().invoke(store, ["check", str(tmp_path)]).exit_code == 0


def both(place: str, warehouse: Path) -> None:
    for served in services(
        ["iceberg_rest", "watsonx_data"], Settings(warehouse=str(warehouse), store=place)
    ):
        served.close()


def test_two_contracts_below_one_warehouse_have_a_file_each(tmp_path: Path) -> None:
    both("file", tmp_path)

    assert sorted(path.name for path in tmp_path.glob(".lakepact/*.sqlite")) == [
        "iceberg_rest.sqlite",
        "watsonx_data.sqlite",
    ]


def test_two_contracts_cannot_share_a_file(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="in use by this process itself"):
        both(str(tmp_path / "s.sqlite"), tmp_path / "w")

    both("file", tmp_path)  # a file opened before the refusal is closed again


def test_a_durability_that_is_not_known_is_refused() -> None:
    with pytest.raises(BadSetting, match="full, normal"):
        Settings(durability="some")
