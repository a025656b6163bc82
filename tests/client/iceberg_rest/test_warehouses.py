"""Each warehouse of a server is a separate catalog with its own configuration."""

from __future__ import annotations

import pytest

from lakepact.client import BadRequest, NoSuchTable
from lakepact.reference_server import running
from sample_tables.schemas import OPTIONAL_X as SCHEMA

FILE = """
[warehouses.lake]
defaults = { a = "server", b = "server" }
overrides = { c = "server", "namespace-separator" = "%2E" }

[warehouses.lake.credentials]
rehearsal = true
config = { "s3.endpoint" = "http://store" }

[warehouses."the depot"]
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    file = tmp_path_factory.mktemp("server") / "server.toml"
    file.write_text(FILE)
    with running(contract="iceberg_rest", warehouse="memory:", config=file) as server:
        yield server.url


@pytest.fixture
def warehouse(url, drive):
    return lambda name, **options: drive(url, warehouse=name, **options)


def test_properties_include_those_of_the_warehouse(warehouse):
    properties = warehouse("lake", properties={"b": "own", "c": "own"}).properties()

    assert {key: properties[key] for key in "abc"} == {"a": "server", "b": "own", "c": "server"}


@pytest.mark.parametrize("name", [None, "nowhere"])
def test_missing_or_unknown_warehouse_returns_400(warehouse, name):
    with pytest.raises(BadRequest, match="'lake', 'the depot'"):
        list(warehouse(name).list_namespaces())


@pytest.mark.parametrize("name", ["lake", "the depot"])
def test_table_in_nested_namespaces_belongs_to_its_warehouse(warehouse, name):
    catalog = warehouse(name)
    catalog.create_namespace("a")
    catalog.create_namespace(("a", "b"))
    catalog.create_table((("a", "b"), "t"), SCHEMA)
    other = warehouse("lake" if name == "the depot" else "the depot")

    assert list(catalog.list_namespaces("a")) == [("a", "b")]
    assert catalog.load_table((("a", "b"), "t")) == catalog.load_table((("a", "b"), "t"))
    with pytest.raises(NoSuchTable):
        other.load_table((("a", "b"), "t"))

    catalog.drop_table((("a", "b"), "t"))
    catalog.drop_namespace(("a", "b"))
    catalog.drop_namespace("a")


def test_credentials_come_with_tables_and_on_their_own(warehouse):
    catalog = warehouse("lake")
    catalog.create_namespace("c")
    try:
        created = catalog.create_table("c.t", SCHEMA, access_delegation="vended-credentials")
        table = catalog.load_table(
            "c.t", access_delegation=("remote-signing", "vended-credentials")
        )
        alone = catalog.load_credentials("c.t")
        plain = catalog.load_table("c.t")
    finally:
        catalog.drop_table("c.t")
        catalog.drop_namespace("c")

    credentials = [*created.storage_credentials, *table.storage_credentials, *alone]
    assert [(one.prefix, one.config["s3.endpoint"]) for one in credentials] == [
        (plain.metadata.location, "http://store")
    ] * 3
    assert plain.storage_credentials == []
