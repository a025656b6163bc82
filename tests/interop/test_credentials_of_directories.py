"""Directory credentials with an emulator of S3 and STS: the store accepts them, and deltalake reads
the table.
"""

from __future__ import annotations

import http.client
import json
from datetime import UTC, datetime
from pathlib import Path

import boto3
import pyarrow as pa
import pytest
import yaml
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from deltalake import DeltaTable, write_deltalake

from lakepact.reference_server import running
from lakepact.reference_server.warehouse.vended_credentials import signing

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("default")]
REGION = "eu-central-1"
BUCKET = "directories"  #: the emulator keeps buckets until the process ends


@pytest.fixture(scope="module")
def lake(store: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a table that is also in the store."""
    lake = tmp_path_factory.mktemp("lake")
    write_deltalake(lake / "sales", pa.table({"id": [1, 2, 3]}))
    s3 = boto3.client(
        "s3",
        endpoint_url=store,
        region_name=REGION,
        aws_access_key_id="admin",
        aws_secret_access_key="admin",
    )
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    for file in (path for path in lake.rglob("*") if path.is_file()):
        s3.put_object(
            Bucket=BUCKET, Key=f"lake/{file.relative_to(lake).as_posix()}", Body=file.read_bytes()
        )
    return lake


@pytest.mark.parametrize("role", ["arn:aws:iam::123456789012:role/reader", None])
def test_vended_credentials_open_the_table_in_the_store(store, lake, tmp_path, monkeypatch, role):
    monkeypatch.setenv("STS_ID", "admin")
    monkeypatch.setenv("STS_SECRET", "admin-secret")
    tables = [{"name": "sales", "location": str(lake / "sales"), "accessModes": ["url", "dir"]}]
    vending = {
        "sts": store,
        "region": REGION,
        "accessKeyIdFrom": "STS_ID",
        "secretAccessKeyFrom": "STS_SECRET",
    }
    vending |= {
        "stores": [{"folder": str(lake), "address": f"s3://{BUCKET}/lake"}],
        **({"role": role} if role else {}),
    }
    document = {
        "shares": [{"name": "s", "schemas": [{"name": "d", "tables": tables}]}],
        "recipients": [{"name": "me", "bearerToken": "t"}],
        "temporaryCredentials": vending,
    }
    shares = tmp_path / "shares.yaml"
    shares.write_text(yaml.safe_dump(document))
    with running(warehouse="memory:", shares=shares) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
        path = "/delta-sharing/shares/s/schemas/d/tables/sales/temporary-table-credentials"
        connection.request("POST", path, headers={"Authorization": "Bearer t"})
        credentials = json.loads(connection.getresponse().read())["credentials"]
        connection.close()
    keys = credentials["awsTempCredentials"]
    options = {
        "AWS_ENDPOINT_URL": store,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": keys["accessKeyId"],
        "AWS_SECRET_ACCESS_KEY": keys["secretAccessKey"],
        "AWS_SESSION_TOKEN": keys["sessionToken"],
    }
    read = DeltaTable(credentials["location"], storage_options=options).to_pyarrow_table()
    assert read.column("id").to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("token", [None, "tok+/="])
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9000",
        "https://sts.eu-central-1.amazonaws.com/",
        "http://[::1]:9000/minio/sts",
    ],
)
def test_signature_equals_that_of_botocore(url, token):
    form = b"Action=AssumeRole&Policy=%7B%22a%22%3A1%7D"
    request = AWSRequest(
        "POST",
        url,
        data=form,
        headers={"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"},
    )
    SigV4Auth(Credentials("AKIDEXAMPLE", "secret/+", token), "sts", REGION).add_auth(request)
    at = _time_of(request.headers["X-Amz-Date"])
    ours = signing.sign(
        url,
        form,
        signing.Keys("AKIDEXAMPLE", "secret/+", token),
        service="sts",
        region=REGION,
        at=at,
    )
    assert ours["authorization"] == request.headers["Authorization"]


def _time_of(moment: str) -> datetime:
    return datetime.strptime(moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
