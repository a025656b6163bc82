"""`lakepact clean` removes what checks left, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from lakepact.conformance.commands.clean import clean
from lakepact.reference_server.running import running

TABLE = {"schema": {"type": "struct", "fields": []}}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[httpx.Client]:
    """Serve a catalog that joins the levels of namespaces by another character."""
    config = tmp_path / "server.toml"
    config.write_text('[warehouses.main]\noverrides.namespace-separator = "%1E"\n')
    version = {"contract": "iceberg_rest", "contract_version": "1.11.0"}
    with (
        running(warehouse="memory:", config=config, **version) as server,
        httpx.Client(base_url=f"{server.url}/v1") as client,
    ):
        for namespace in (["lp_a1b2c3_1_1"], ["lp_a1b2c3_1_1", "lp_a1b2c3_1_2"], ["sales"]):
            client.post("/namespaces", json={"namespace": namespace}).raise_for_status()
        for path, name in (
            ("lp_a1b2c3_1_1%1Elp_a1b2c3_1_2", "orders"),
            ("sales", "lp_ffffff_2_1"),
            ("sales", "orders"),
        ):
            body = {"name": name, **TABLE}
            client.post(f"/namespaces/{path}/tables", json=body).raise_for_status()
        yield client


def remaining(catalog: httpx.Client) -> tuple[list[list[str]], list[str]]:
    """Return the namespaces, and the tables of the one that no check made."""
    tables = catalog.get("/namespaces/sales/tables").json()["identifiers"]
    return catalog.get("/namespaces").json()["namespaces"], [table["name"] for table in tables]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ([["sales"]], ["orders"])),
        (("--prefix", "lp_ffffff_"), ([["lp_a1b2c3_1_1"], ["sales"]], ["orders"])),
    ],
)
def test_objects_of_checks_are_removed(
    options: tuple[str, ...],
    expected: tuple[list[list[str]], list[str]],
    catalog: httpx.Client,
) -> None:
    url = str(catalog.base_url).removesuffix("/v1/")
    result = CliRunner().invoke(clean, [url, *options])

    assert result.exit_code == 0, result.output
    assert remaining(catalog) == expected


def test_other_prefix_is_refused(catalog: httpx.Client) -> None:
    result = CliRunner().invoke(clean, [str(catalog.base_url), "--prefix", "sales"])

    assert result.exit_code == 2
    assert "names of checks begin with lp_" in result.output


def test_server_that_lists_nothing_is_named() -> None:
    result = CliRunner().invoke(clean, ["http://127.0.0.1:1"])

    assert result.exit_code == 3
    assert "no answer to GET http://127.0.0.1:1/v1/config" in result.output
