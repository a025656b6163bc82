"""Table credentials with an emulator of S3 and STS: they open their table, and pyiceberg needs no
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import boto3
import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from lakepact.client import IcebergCatalog, pyiceberg_table
from lakepact.reference_server import running
from sample_tables.schemas import OPTIONAL as SCHEMA

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("default")]
REGION = "eu-central-1"
ROWS = pa.table({"id": [1, 2, 3]})
SERVER = """
[warehouses.lake]
location = "s3://bucket/lake"

[warehouses.lake.credentials]
sts = "{store}"
region = "eu-central-1"
role = "arn:aws:iam::123456789012:role/clients"
access-key-id-env = "LAKE_ID"
secret-access-key-env = "LAKE_SECRET"
config = {{ "s3.endpoint" = "{store}", "s3.path-style-access" = "true" }}
"""


@pytest.fixture
def catalog(store: str, tmp_path, monkeypatch) -> Iterator[IcebergCatalog]:
    monkeypatch.setenv("LAKE_ID", "admin")
    monkeypatch.setenv("LAKE_SECRET", "admin-secret")
    s3 = boto3.client(
        "s3",
        endpoint_url=store,
        region_name=REGION,
        aws_access_key_id="admin",
        aws_secret_access_key="admin-secret",
    )
    s3.create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": REGION})
    (tmp_path / "server.toml").write_text(SERVER.format(store=store))
    with (
        running(contract="iceberg_rest", config=tmp_path / "server.toml") as server,
        IcebergCatalog(server.url, warehouse="lake") as catalog,
    ):
        catalog.create_namespace("n")
        yield catalog
    keys = [entry["Key"] for entry in s3.list_objects_v2(Bucket="bucket").get("Contents", ())]
    for key in keys:
        s3.delete_object(Bucket="bucket", Key=key)
    s3.delete_bucket(Bucket="bucket")


def s3_client(credential, store):
    config = credential.config
    return boto3.client(
        "s3",
        endpoint_url=store,
        region_name=config["client.region"],
        aws_access_key_id=config["s3.access-key-id"],
        aws_secret_access_key=config["s3.secret-access-key"],
        aws_session_token=config["s3.session-token"],
    )


def test_pyiceberg_table_uses_the_vended_credentials(catalog):
    catalog.create_table("n.t", SCHEMA)

    pyiceberg_table(catalog, "n", "t").append(ROWS)

    assert pyiceberg_table(catalog, "n", "t").scan().to_arrow().to_pydict() == ROWS.to_pydict()


def test_table_has_credentials_of_its_location(catalog, store):
    created = catalog.create_table("n.t", SCHEMA, access_delegation="vended-credentials")
    table_again = catalog.load_table(
        "n.t", access_delegation=["remote-signing", "vended-credentials"]
    )

    assert [
        each.prefix for table in (created, table_again) for each in table.storage_credentials
    ] == [created.metadata.location] * 2
    key = urlsplit(table_again.metadata_location).path.lstrip("/")
    body = (
        s3_client(table_again.storage_credentials[0], store)
        .get_object(Bucket="bucket", Key=key)["Body"]
        .read()
    )
    assert b'"table-uuid"' in body


def test_purged_table_leaves_no_metadata_files_in_the_bucket(catalog, store):
    created = catalog.create_table("n.t", SCHEMA)
    copy = catalog.register_table("n.again", created.metadata_location)
    catalog.drop_table("n.again")
    catalog.drop_table("n.t", purge=True)

    s3 = boto3.client(
        "s3",
        endpoint_url=store,
        region_name=REGION,
        aws_access_key_id="admin",
        aws_secret_access_key="admin-secret",
    )
    prefix = urlsplit(copy.metadata.location).path.lstrip("/") + "/"
    assert s3.list_objects_v2(Bucket="bucket", Prefix=prefix)["KeyCount"] == 0


def test_valid_credentials_are_returned_again(catalog):
    catalog.create_table("n.t", SCHEMA)
    first, second = (catalog.load_credentials("n.t") for _ in range(2))

    assert first == second
    assert (
        first[0].config["client.refresh-credentials-endpoint"]
        == "v1/namespaces/n/tables/t/credentials"
    )


def test_pyiceberg_alone_requests_and_uses_vended_credentials(catalog):
    theirs = load_catalog("lake", type="rest", uri=catalog._connection.address, warehouse="lake")

    table = theirs.create_table(("n", "theirs"), ROWS.schema)
    table.append(ROWS)

    assert theirs.load_table(("n", "theirs")).scan().to_arrow().to_pydict() == ROWS.to_pydict()
    assert table.metadata_location.startswith("s3://bucket/lake/n/theirs-")
