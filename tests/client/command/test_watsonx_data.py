"""An API key alone opens a catalog of watsonx.data for `ls`, `show` and `cat`."""

from __future__ import annotations

from contextlib import contextmanager

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.client import WatsonxCatalog, ZenApiKey
from lakepact.reference_server import running

ACCOUNT = {"AccountId": "planted-account"}


@contextmanager
def serving(folder, **account):
    """Yield the base path of an instance that holds one table."""
    file = folder / "credentials.yaml"
    file.write_text(yaml.safe_dump({"api-keys": {"hank": "planted-key"}, **account}), "utf-8")
    warehouse = str(folder / "tables")
    with running(
        contract="watsonx_data", prefix="lake", warehouse=warehouse, credentials=file
    ) as server:
        address = server.address("watsonx_data")
        key = ZenApiKey("hank", "planted-key")
        with WatsonxCatalog(address, "lake", auth=key, headers=ACCOUNT) as catalog:
            catalog.create_namespace("sales")
            rows = pa.table({"id": [1, 2]})
            catalog.create_table("sales.orders", rows.schema)
            catalog.append("sales.orders", rows)
        yield address


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("instance")) as address:
        yield address


@pytest.fixture(scope="module")
def account_instance(tmp_path_factory):
    """Yield the base path of an instance with account scope."""
    folder = tmp_path_factory.mktemp("account")
    with serving(folder, **{"account-id": ACCOUNT["AccountId"]}) as address:
        yield address


def run(*words, monkeypatch, key="hank:planted-key"):
    monkeypatch.setenv("USER_AND_KEY", key)
    return CliRunner().invoke(main, [*words, "--api-key-env", "USER_AND_KEY"])


VERBS = pytest.mark.parametrize(
    ("words", "text"),
    [(("ls",), "sales"), (("show", "sales.orders"), "id"), (("cat", "sales.orders"), "2 rows")],
    ids=["ls", "show", "cat"],
)


@VERBS
def test_key_alone_opens_a_catalog(instance, monkeypatch, words, text):
    verb, *names = words

    ran = run(verb, instance, *names, "--warehouse", "lake", monkeypatch=monkeypatch)

    assert (ran.exit_code, text in ran.output) == (0, True), ran.output


@VERBS
def test_header_opens_an_instance_with_account_scope(account_instance, monkeypatch, words, text):
    verb, *names = words
    header = "--header", f"AccountId: {ACCOUNT['AccountId']}"
    catalog = "--warehouse", "lake", "--contract", "watsonx_data"

    ran = run(verb, account_instance, *names, *catalog, *header, monkeypatch=monkeypatch)

    assert (ran.exit_code, text in ran.output) == (0, True), ran.output


def test_header_without_a_colon_is_not_repeated(instance, monkeypatch):
    ran = run("ls", instance, "--header", "planted-value", monkeypatch=monkeypatch)

    assert (ran.exit_code, "NAME: VALUE" in ran.output, "planted" in ran.output) == (2, True, False)


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
