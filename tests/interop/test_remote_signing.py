"""Clients without credentials read and write tables in an emulator of S3 that verifies
signatures.
"""

from __future__ import annotations

import json
import pickle
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import boto3
import pyarrow as pa
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto import settings
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import SignError

from lakepact.client import ClientCredentials, IcebergCatalog, pyiceberg_catalog, pyiceberg_table
from lakepact.reference_server import running
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys, sign_for_s3

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("default")]
REGION = "eu-central-1"
ROWS = pa.table({"id": [1, 2, 3], "day": ["a b", "ä/=", "c%d"]})
EVERYTHING = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}
SERVER = """
[warehouses.lake]
location = "s3://bucket/lake"

[warehouses.lake.credentials]
access-key-id-env = "LAKE_ID"
secret-access-key-env = "LAKE_SECRET"
config = {{ "s3.endpoint" = "{store}", "s3.path-style-access" = "true", "client.region" = "eu-central-1" }}
"""

PRINCIPALS = """
[principals.engine]
client-id = "engine"
client-secret = "s3cret"

[[grants]]
principal = "engine"
access = "admin"
"""


def verify(*, is_on: bool) -> None:
    """Let the emulator verify signatures and rights of all further requests, or of none."""
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0 if is_on else float("inf")


@pytest.fixture
def url(store: str, tmp_path, monkeypatch, request) -> Iterator[str]:
    verify(is_on=False)
    options = {
        "endpoint_url": store,
        "region_name": REGION,
        "aws_access_key_id": "x",
        "aws_secret_access_key": "x",
    }
    iam, s3 = boto3.client("iam", **options), boto3.client("s3", **options)
    name = f"server-{tmp_path.name}"
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="all", PolicyDocument=json.dumps(EVERYTHING))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    monkeypatch.setenv("LAKE_ID", key["AccessKeyId"])
    monkeypatch.setenv("LAKE_SECRET", key["SecretAccessKey"])
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    s3.create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": REGION})
    (tmp_path / "server.toml").write_text(
        SERVER.format(store=store) + getattr(request, "param", "")
    )
    verify(is_on=True)
    with running(
        contract="iceberg_rest", contract_version="1.11.0", config=tmp_path / "server.toml"
    ) as server:
        yield server.url
    verify(is_on=False)
    for entry in s3.list_objects_v2(Bucket="bucket").get("Contents", ()):
        s3.delete_object(Bucket="bucket", Key=entry["Key"])
    s3.delete_bucket(Bucket="bucket")


def theirs(url: str) -> Any:
    catalog = load_catalog(
        "lake",
        type="rest",
        uri=url,
        warehouse="lake",
        **{"header.X-Iceberg-Access-Delegation": "remote-signing"},
    )
    catalog.create_namespace_if_not_exists("n")
    return catalog


def test_pyiceberg_without_credentials_reads_and_writes_a_table(url):
    table = theirs(url).create_table("n.t", ROWS.schema)
    assert not {"s3.access-key-id", "s3.secret-access-key"} & table.io.properties.keys()

    table.append(ROWS)
    table.append(ROWS)
    table.overwrite(ROWS)

    assert (
        theirs(url).load_table("n.t").scan().to_arrow().sort_by("id").to_pydict()
        == ROWS.to_pydict()
    )


def test_table_of_the_bridge_is_signed_for_too(url):
    theirs(url)
    with IcebergCatalog(url, warehouse="lake") as catalog:
        bridge = pyiceberg_catalog(catalog, access_delegation="remote-signing")
        table = bridge.create_table("n.t", ROWS.schema)
        assert not {"s3.access-key-id", "s3.secret-access-key"} & table.io.properties.keys()

        table.append(ROWS)

        copy = pickle.loads(
            pickle.dumps(pyiceberg_table(catalog, "n.t", access_delegation="remote-signing"))
        )
        assert copy.scan().to_arrow().sort_by("id").to_pydict() == ROWS.to_pydict()


@pytest.mark.parametrize("url", [PRINCIPALS], indirect=True)
def test_requests_for_signatures_carry_the_authorization_of_the_client(url):
    with IcebergCatalog(
        url, warehouse="lake", auth=ClientCredentials(f"{url}/v1/oauth/tokens", "engine", "s3cret")
    ) as catalog:
        bridge = pyiceberg_catalog(catalog, access_delegation="remote-signing")
        bridge.create_namespace("n")
        bridge.create_table("n.t", ROWS.schema).append(ROWS)

        assert bridge.load_table("n.t").scan().to_arrow().num_rows == 3


def test_partition_values_of_any_spelling_are_signed(url):
    table = theirs(url).create_table("n.t", ROWS.schema)
    with table.update_spec() as update:
        update.add_identity("day")

    table.append(ROWS)

    assert theirs(url).load_table("n.t").scan(row_filter="day = 'ä/='").to_arrow().column(
        "id"
    ).to_pylist() == [2]


def test_files_of_another_table_are_not_signed(url):
    catalog = theirs(url)
    first, second = (catalog.create_table(f"n.{name}", ROWS.schema) for name in ("t", "tt"))
    second.append(ROWS)
    (file,) = [task.file.file_path for task in second.scan().plan_files()]

    with pytest.raises(SignError, match="403"):
        first.io.new_input(file).open()


def test_unsigned_requests_are_refused_by_the_store(url, store):
    theirs(url).create_table("n.t", ROWS.schema)
    with IcebergCatalog(url, warehouse="lake") as catalog:
        location = catalog.load_table("n.t").metadata_location

    with pytest.raises(urllib.request.HTTPError, match="403"):
        urllib.request.urlopen(f"{store}/{location.removeprefix('s3://')}")


@pytest.mark.parametrize("token", [None, "tok+/="])
@pytest.mark.parametrize(
    ("method", "path", "headers", "payload"),
    [
        ("GET", "bucket/lake/t/data/a.parquet", {}, "UNSIGNED-PAYLOAD"),
        (
            "PUT",
            quote("bucket/lake/t/data/day=ä b%2F/a.parquet"),
            {"x-amz-checksum-crc32": "AA==  x"},
            "UNSIGNED-PAYLOAD",
        ),
        (
            "GET",
            "bucket?list-type=2&prefix=lake%2Ft%2F&delimiter=&max-keys=1",
            {},
            "UNSIGNED-PAYLOAD",
        ),
        ("POST", "bucket?delete", {"x-amz-sdk-checksum-algorithm": "CRC32"}, "0" * 64),
    ],
)
def test_signature_for_s3_equals_that_of_botocore(method, path, headers, payload, token):
    url = f"https://s3.eu-central-1.amazonaws.com/{path}"
    request = AWSRequest(method, url, headers=headers)
    request.context["payload_signing_enabled"] = False
    auth = S3SigV4Auth(Credentials("AKIDEXAMPLE", "secret/+", token), "s3", REGION)
    auth.payload = lambda _: payload
    auth.add_auth(request)

    ours = sign_for_s3(
        method,
        url,
        headers,
        payload,
        keys=Keys("AKIDEXAMPLE", "secret/+", token),
        region=REGION,
        at=datetime.strptime(request.context["timestamp"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
    )

    assert ours["authorization"] == request.headers["Authorization"]
