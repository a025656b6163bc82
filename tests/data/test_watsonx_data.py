"""An API key alone opens a catalog of watsonx.data for `lakepact data`."""

from __future__ import annotations

import pytest
import yaml
from click.testing import CliRunner

from lakepact.data.cli import data
from lakepact.reference_server import running

SMALL = ("--rows", "10", "--files", "1", "--as", "iceberg", "--shape", "narrow")
OWN = "--api-key-env"


@pytest.fixture
def instance(tmp_path, monkeypatch):
    """Yield the base path of an instance, whose user and key are in USER_AND_KEY."""
    monkeypatch.setenv("USER_AND_KEY", "hank:planted-key")
    file = tmp_path / "credentials.yaml"
    file.write_text(yaml.safe_dump({"api-keys": {"hank": "planted-key"}}), "utf-8")
    warehouse = str(tmp_path / "tables")
    with running(
        contract="watsonx_data", prefix="lake", warehouse=warehouse, credentials=file
    ) as server:
        yield server.address("watsonx_data")


def run(*words):
    ran = CliRunner().invoke(data, [str(word) for word in words])
    assert "planted" not in ran.output
    return ran


def test_tables_are_written_verified_and_compared_with_another_catalog(instance, tmp_path):
    key = ("--catalog", instance, "--warehouse", "lake", OWN, "USER_AND_KEY")
    sides = ("--warehouse-a", "lake", f"{OWN}-a", "USER_AND_KEY", "--table", "lp_data.*")
    with running(contract="iceberg_rest", warehouse=str(tmp_path / "others")) as server:
        runs = [
            run("write", tmp_path / "data", *SMALL, *key),
            run("verify", tmp_path / "data", *key),
            run("write", tmp_path / "data2", *SMALL, "--catalog", server.url),
            run("compare", instance, server.url, *sides),
        ]

    assert [ran.exit_code for ran in runs] == [0, 0, 0, 0], [ran.output for ran in runs]
    assert "no difference" in runs[-1].output


def test_key_and_token_of_one_catalog_are_wrong_usage(instance, tmp_path):
    key = ("--catalog", instance, "--warehouse", "lake", OWN, "USER_AND_KEY")

    ran = run("write", tmp_path / "data", *SMALL, *key, "--token-env", "USER_AND_KEY")

    assert (ran.exit_code, "exclude each other" in ran.output) == (2, True)
