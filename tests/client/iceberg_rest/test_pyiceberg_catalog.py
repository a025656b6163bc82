"""The catalog behind tables of pyiceberg has all its methods, its errors, and pickles."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pyarrow as pa
import pytest
from pyiceberg import exceptions
from pyiceberg.catalog import Catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType
from pyiceberg.view.metadata import ViewVersion

from lakepact.client import (
    BasicAuth,
    BearerToken,
    ClientCredentials,
    IcebergCatalog,
    NoAuth,
    NoSuchTable,
    OperationNotSupported,
    WatsonxCatalog,
    pyiceberg_catalog,
    pyiceberg_table,
)
from lakepact.reach.wire import Reply, Request
from lakepact.reference_server import running

from .test_views import version

SCHEMA = Schema(
    NestedField(7, "id", LongType(), required=False),
    NestedField(9, "city", StringType(), required=False),
)
ROWS = pa.table({"id": [1, 2], "city": ["Rome", "Oslo"]})
VERSION = ViewVersion(**version("SELECT 1"))


@pytest.fixture
def url(tmp_path):
    with running(
        contract="iceberg_rest", contract_version="1.11.0", warehouse=tmp_path.as_uri()
    ) as server:
        yield server.url


@pytest.fixture
def catalog(url):
    with IcebergCatalog(url) as catalog:
        yield catalog


@pytest.fixture
def theirs(catalog):
    bridge = pyiceberg_catalog(catalog)
    bridge.create_namespace("n")
    return bridge


def test_every_method_of_pyicebergs_catalog_is_implemented(theirs):
    missing = {
        name
        for name in Catalog.__abstractmethods__
        if getattr(type(theirs), name).__module__.startswith("pyiceberg.")
    }

    assert missing == {"supports_server_side_planning"}
    assert not theirs.supports_server_side_planning()


@pytest.mark.parametrize("name", ["n.t", ("n", "t")])
def test_table_is_loaded_by_a_string_or_a_tuple(theirs, name):
    created = theirs.create_table(name, SCHEMA)

    assert (
        created.name()
        == theirs.load_table(name).name()
        == created.catalog.load_table(name).name()
        == ("n", "t")
    )


def test_table_of_an_arrow_schema_takes_rows(theirs):
    theirs.create_table("n.t", ROWS.schema).append(ROWS)

    assert theirs.load_table("n.t").scan().to_arrow().to_pydict() == ROWS.to_pydict()


def test_refresh_shows_a_change_of_another_client(theirs, catalog):
    theirs.create_table("n.t", SCHEMA)
    table = pyiceberg_table(catalog, ("n",), "t")
    catalog.commit_table("n.t", [{"action": "set-properties", "updates": {"a": "b"}}])

    assert table.refresh().properties == {"a": "b"}


def test_conflicting_commit_raises_commit_failed_exception(theirs, catalog):
    theirs.create_table("n.t", SCHEMA)
    change = pyiceberg_table(catalog, "n", "t").update_schema().add_column("more", LongType())
    pyiceberg_table(catalog, "n", "t").update_schema().add_column("first", LongType()).commit()

    with pytest.raises(exceptions.CommitFailedException):
        change.commit()


def test_missing_table_raises_no_such_table(catalog):
    with pytest.raises(NoSuchTable):
        pyiceberg_table(catalog, "n", "missing")


def test_table_is_created_with_its_partition_spec_order_and_properties(theirs):
    table = theirs.create_table(
        "n.t",
        SCHEMA,
        partition_spec=PartitionSpec(PartitionField(9, 1000, BucketTransform(4), "bucket")),
        sort_order=SortOrder(SortField(7, transform=IdentityTransform())),
        properties={"commit.retry.num-retries": 2},
    )

    assert [(field.field_id, field.name) for field in table.schema().fields] == [
        (1, "id"),
        (2, "city"),
    ]
    assert [(field.source_id, field.name) for field in table.spec().fields] == [(2, "bucket")]
    assert [field.source_id for field in table.sort_order().fields] == [1]
    assert table.properties["commit.retry.num-retries"] == "2"


def test_table_of_a_transaction_exists_from_its_commit_on(theirs):
    with theirs.create_table_transaction("n.t", ROWS.schema) as transaction:
        transaction.append(ROWS)
        assert not theirs.table_exists("n.t")

    assert theirs.load_table("n.t").scan().to_arrow().num_rows == 2


def test_table_is_listed_renamed_registered_and_dropped(theirs):
    first = theirs.create_table_if_not_exists("n.t", SCHEMA)
    assert (
        theirs.create_table_if_not_exists("n.t", SCHEMA).metadata.table_uuid
        == first.metadata.table_uuid
    )
    assert theirs.rename_table("n.t", "n.u").name() == ("n", "u")
    assert theirs.list_tables("n") == [("n", "u")]
    theirs.drop_table("n.u")
    assert (
        theirs.register_table("n.v", first.metadata_location).metadata.table_uuid
        == first.metadata.table_uuid
    )
    theirs.purge_table("n.v")

    assert not theirs.table_exists("n.v")
    assert theirs.list_tables("n") == []


def test_namespace_is_created_listed_changed_and_dropped(theirs):
    theirs.create_namespace_if_not_exists(("n", "a.b"), {"owner": "ann"})
    theirs.create_namespace_if_not_exists(("n", "a.b"))
    summary = theirs.update_namespace_properties(
        ("n", "a.b"), removals={"owner", "none"}, updates={"team": "x"}
    )

    assert (summary.removed, summary.updated, summary.missing) == (["owner"], ["team"], ["none"])
    assert theirs.load_namespace_properties(("n", "a.b"))["team"] == "x"
    assert (theirs.list_namespaces(), theirs.list_namespaces("n")) == ([("n",)], [("n", "a.b")])
    theirs.drop_namespace(("n", "a.b"))
    assert not theirs.namespace_exists(("n", "a.b"))


def test_view_is_created_loaded_listed_registered_and_dropped(theirs, catalog):
    view = theirs.create_view("n.v", SCHEMA, VERSION, properties={"comment": "c"})
    assert theirs.load_view(("n", "v")).name() == view.name() == ("n", "v")
    assert view.sql_for("spark").sql == "SELECT 1"
    assert view.properties["comment"] == "c"
    assert (theirs.list_views("n"), theirs.view_exists("n.v")) == ([("n", "v")], True)
    location = catalog.load_view("n.v").metadata_location
    theirs.drop_view("n.v")
    assert not theirs.view_exists("n.v")

    assert theirs.register_view("n.w", location).metadata == view.metadata


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (exceptions.NoSuchTableError, lambda catalog: catalog.load_table("n.none")),
        (exceptions.NoSuchTableError, lambda catalog: catalog.drop_table("n.none")),
        (exceptions.NoSuchViewError, lambda catalog: catalog.load_view("n.none")),
        (exceptions.NoSuchNamespaceError, lambda catalog: catalog.list_tables("none")),
        (exceptions.NoSuchNamespaceError, lambda catalog: catalog.create_table("none.t", SCHEMA)),
        (exceptions.TableAlreadyExistsError, lambda catalog: catalog.create_table("n.t", SCHEMA)),
        (
            exceptions.ViewAlreadyExistsError,
            lambda catalog: catalog.create_view("n.t", SCHEMA, VERSION),
        ),
        (exceptions.NamespaceAlreadyExistsError, lambda catalog: catalog.create_namespace("n")),
        (exceptions.NamespaceNotEmptyError, lambda catalog: catalog.drop_namespace("n")),
    ],
)
def test_refusal_is_an_error_of_pyiceberg(theirs, error, call):
    theirs.create_table("n.t", SCHEMA)

    with pytest.raises(error):
        call(theirs)


def test_operation_that_the_server_lacks_raises_the_error_of_the_client(
    theirs, catalog, monkeypatch
):
    monkeypatch.setattr(
        catalog, "_merged", replace(catalog._settings(), operations=frozenset({"loadTable"}))
    )

    with pytest.raises(OperationNotSupported, match="dropView"):
        theirs.drop_view("n.v")
    assert theirs.list_views("n") == []


def test_pickled_table_reads_and_writes_after_the_original_is_closed(url):
    with IcebergCatalog(url, properties={"own": "setting"}) as catalog:
        bridge = pyiceberg_catalog(catalog)
        bridge.create_namespace("n")
        bridge.create_table("n.t", ROWS.schema)
        content = pickle.dumps(pyiceberg_table(catalog, "n.t"))

    table = pickle.loads(content)
    with table.catalog:
        table.append(ROWS)
        assert table.refresh().scan().to_arrow().num_rows == 2
        assert table.catalog.properties["own"] == "setting"


@pytest.mark.parametrize(
    "auth",
    [
        BearerToken("t0ken"),
        ClientCredentials("http://127.0.0.1:1/tokens", "id", "s3cret"),
        BasicAuth("id", "s3cret"),
        NoAuth(),
    ],
    ids=lambda auth: type(auth).__name__,
)
def test_pickled_authorization_sends_the_same(auth):
    request = Request("GET", "http://127.0.0.1:1/v1/config")

    assert next(pickle.loads(pickle.dumps(auth)).flow(request)) == next(auth.flow(request))


def test_pickled_authorization_fetches_a_token_of_its_own():
    auth = ClientCredentials("http://127.0.0.1:1/tokens", "id", "s3cret")
    request = Request("GET", "http://127.0.0.1:1/v1/config")
    flow = auth.flow(request)
    next(flow)
    flow.send(Reply(200, content=b'{"access_token": "t0ken"}'))

    assert b"t0ken" not in pickle.dumps(auth)
    assert next(pickle.loads(pickle.dumps(auth)).flow(request)).url == "http://127.0.0.1:1/tokens"


def test_pickled_watsonx_catalog_is_one():
    with (
        WatsonxCatalog("cpd.example", "lake") as catalog,
        pickle.loads(pickle.dumps(catalog)) as copy,
    ):
        assert (type(copy), repr(copy)) == (type(catalog), repr(catalog))
