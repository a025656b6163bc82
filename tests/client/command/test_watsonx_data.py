"""An API key alone opens a catalog of watsonx.data for `ls`, `show` and `cat`."""

from __future__ import annotations

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.client import WatsonxCatalog, ZenApiKey
from lakepact.reference_server import running


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    """Yield the base path of an instance that holds one table."""
    folder = tmp_path_factory.mktemp("instance")
    file = folder / "credentials.yaml"
    file.write_text(yaml.safe_dump({"api-keys": {"hank": "planted-key"}}), "utf-8")
    warehouse = str(folder / "tables")
    with running(
        contract="watsonx_data", prefix="lake", warehouse=warehouse, credentials=file
    ) as server:
        with WatsonxCatalog(server.url, "lake", auth=ZenApiKey("hank", "planted-key")) as catalog:
            catalog.create_namespace("sales")
            rows = pa.table({"id": [1, 2]})
            catalog.create_table("sales.orders", rows.schema)
            catalog.append("sales.orders", rows)
        yield server.address("watsonx_data")


def run(*words, monkeypatch, key="hank:planted-key"):
    monkeypatch.setenv("USER_AND_KEY", key)
    return CliRunner().invoke(main, [*words, "--api-key-env", "USER_AND_KEY"])


@pytest.mark.parametrize(
    ("words", "shown"),
    [(("ls",), "sales"), (("show", "sales.orders"), "id"), (("cat", "sales.orders"), "2 rows")],
    ids=["ls", "show", "cat"],
)
def test_key_alone_opens_a_catalog(instance, monkeypatch, words, shown):
    verb, *names = words

    ran = run(verb, instance, *names, "--warehouse", "lake", monkeypatch=monkeypatch)

    assert (ran.exit_code, shown in ran.output) == (0, True), ran.output


def test_refused_key_is_told_without_it(instance, monkeypatch):
    ran = run("ls", instance, "--warehouse", "lake", monkeypatch=monkeypatch, key="hank:planted")

    assert (ran.exit_code, "401" in ran.output, "planted" in ran.output) == (3, True, False)


def test_catalog_without_its_name_is_wrong_usage(instance, monkeypatch):
    ran = run("ls", instance, monkeypatch=monkeypatch)

    assert (ran.exit_code, "--warehouse NAME" in ran.output) == (2, True)


@pytest.mark.parametrize("other", [("--token-env", "T"), ("--sigv4", "glue")])
def test_key_excludes_other_logins(instance, monkeypatch, other):
    ran = run("ls", instance, "--warehouse", "lake", *other, monkeypatch=monkeypatch)

    assert (ran.exit_code, "exclude each other" in ran.output) == (2, True)
