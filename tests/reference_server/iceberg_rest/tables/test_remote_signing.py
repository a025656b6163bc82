"""Remote signing: requests for files of a table are signed for callers with the right, and no other
requests are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lakepact.reference_server import running
from lakepact.reference_server.warehouse.storage_requests import Bucket, Unsigned
from raw_requests import Sender
from sample_tables.schemas import SCHEMA

SIGNED = {"x_iceberg_access_delegation": "remote-signing"}
SIGNS = "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign"
HOST = "https://bucket.s3.eu-central-1.amazonaws.com"
SERVER = """
[warehouses.lake]
location = "s3://bucket/lake"
[warehouses.lake.credentials]
rehearsal = true
config = { "client.region" = "eu-central-1" }

[warehouses.folder]

[principals.root]
token = "root"
[principals.reader]
token = "reader"
[principals.writer]
token = "writer"
[[grants]]
principal = "root"
access = "admin"
[[grants]]
principal = "reader"
access = "read"
[[grants]]
principal = "writer"
namespace = ["n"]
access = "write"
"""
TABLES = "/v1/lake/namespaces/n/tables"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = (folder := tmp_path_factory.mktemp("signing")) / "server.toml"
    file.write_text(SERVER)
    with running(
        contract="iceberg_rest", contract_version="1.11.0", warehouse=str(folder), config=file
    ) as server:
        yield server.url


@pytest.fixture
def send(url: str) -> Iterator[Callable[..., Any]]:
    with Sender(url) as sending:

        def send(
            method: str, path: str, body: Any = None, *, token: str = "root", **headers: str
        ) -> Any:
            return sending(method, path, body, authorization=f"Bearer {token}", **headers)

        for prefix in ("lake", "folder"):
            send("POST", f"/v1/{prefix}/namespaces", {"namespace": ["n"]})
            send("POST", f"/v1/{prefix}/namespaces", {"namespace": ["m"]})
        yield send
        for table in send("GET", TABLES).document["identifiers"]:
            send("DELETE", f"{TABLES}/{table['name']}")


def create(send: Sender, name: str = "t", **members: Any) -> str:
    """Return the path of a new table in the bucket."""
    answer = send("POST", TABLES, {"name": name, "schema": SCHEMA, **members})
    assert answer.status == 200
    location: str = answer.document["metadata"]["location"]
    return location.removeprefix("s3://bucket/")


def request(uri: str, method: str = "GET", **members: Any) -> dict[str, Any]:
    return {"region": "eu-central-1", "uri": uri, "method": method, "headers": {}, **members}


def signs(
    send: Sender, uri: str, method: str = "GET", *, token: str = "root", **members: Any
) -> Any:
    return send("POST", f"{TABLES}/t/sign", request(uri, method, **members), token=token)


def deletion(*keys: str) -> str:
    objects = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
    return f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{objects}<Quiet>true</Quiet></Delete>'


def test_configuration_declares_the_endpoint_of_warehouses_in_a_store_alone(
    send: Sender,
) -> None:
    declared = {
        name: send("GET", f"/v1/config?warehouse={name}").document["endpoints"]
        for name in ("lake", "folder")
    }

    assert (SIGNS in declared["lake"], SIGNS in declared["folder"]) == (True, False)
    assert send("POST", "/v1/folder/namespaces/n/tables/t/sign", request(HOST)).error == (
        406,
        "UnsupportedOperationException",
    )


def test_table_comes_with_the_signer_and_without_secrets(send: Sender) -> None:
    create(send)
    answer = send("GET", f"{TABLES}/t", **SIGNED)
    plain = send("GET", f"{TABLES}/t")

    path = "v1/lake/namespaces/n/tables/t/sign"
    assert answer.document["config"] == {
        "client.region": "eu-central-1",
        "s3.remote-signing-enabled": "true",
        "signer.endpoint": path,
        "s3.signer.endpoint": path,
        "s3.signer": "S3V4RestSigner",
        "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
    }
    assert "storage-credentials" not in answer.document
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["etag"] != plain.headers["etag"]
    assert "config" not in plain.document


def test_credentials_come_before_a_signer(send: Sender) -> None:
    create(send)
    answer = send(
        "GET", f"{TABLES}/t", x_iceberg_access_delegation="remote-signing,vended-credentials"
    )

    assert len(answer.document["storage-credentials"]) == 1
    assert "s3.remote-signing-enabled" not in answer.document["config"]


def test_created_table_comes_with_the_signer_and_a_staged_one_without(
    send: Sender,
) -> None:
    body = {"name": "t", "schema": SCHEMA}

    assert "config" not in send("POST", TABLES, {**body, "stage-create": True}, **SIGNED).document
    assert (
        send("POST", TABLES, body, **SIGNED).document["config"]["s3.remote-signing-enabled"]
        == "true"
    )


@pytest.mark.parametrize(
    ("method", "of", "query", "cached"),
    [
        ("GET", "/data/a.parquet", "", "private"),
        ("GET", "/data/day=a%2520b/%C3%A4.parquet", "?partNumber=1&x-id=GetObject", "private"),
        ("HEAD", "/metadata/v1.json", "?versionId=3", "private"),
        ("HEAD", "", "", "private"),
        ("PUT", "/data/a.parquet", "", "no-store"),
        ("PUT", "/data/a.parquet", "?partNumber=1&uploadId=x", "no-store"),
        ("POST", "/data/a.parquet", "?uploads", "no-store"),
        ("POST", "/data/a.parquet", "?uploadId=x", "no-store"),
        ("DELETE", "/data/a.parquet", "", "no-store"),
    ],
)
def test_requests_for_files_of_the_table_are_signed(
    send: Sender, method: str, of: str, query: str, cached: str
) -> None:
    uri = f"{HOST}/{create(send)}{of}{query}"
    headers = {
        "Host": ["bucket.s3.eu-central-1.amazonaws.com"],
        "Range": ["bytes=0-3"],
        "x-amz-sdk-checksum-algorithm": ["CRC32"],
    }

    answer = signs(send, uri, method, headers={**headers, "Authorization": ["own"]})

    assert (answer.status, answer.headers["cache-control"]) == (200, cached)
    signed = answer.document["headers"]
    assert answer.document["uri"] == uri
    assert {name: signed[name] for name in headers} == headers
    (authorization,) = signed["authorization"]
    names = "host;x-amz-content-sha256;x-amz-date;x-amz-sdk-checksum-algorithm;x-amz-security-token"
    assert f"/eu-central-1/s3/aws4_request, SignedHeaders={names}, Signature=" in authorization
    assert "Authorization" not in signed


@pytest.mark.parametrize(
    "host",
    [
        HOST,
        "https://s3.eu-central-1.amazonaws.com/bucket",
        "https://s3.dualstack.eu-central-1.amazonaws.com/bucket",
    ],
)
def test_both_styles_of_addresses_are_signed(send: Sender, host: str) -> None:
    assert signs(send, f"{host}/{create(send)}/data/a").status == 200


def test_bucket_in_the_host_is_refused_by_path_style() -> None:
    uri = "http://lake.store:9000/other/table/data/a"  # such a store reads the bucket `other`

    assert Bucket("lake", "eu-central-1", "http://store:9000").path_in(uri) == "other/table/data/a"
    with pytest.raises(Unsigned):
        Bucket("lake", "eu-central-1", "http://store:9000", in_path=True).path_in(uri)


@pytest.mark.parametrize(
    ("sent", "payload"),
    [
        ({}, "UNSIGNED-PAYLOAD"),
        ({"x-amz-trailer": ["x-amz-checksum-crc32"]}, "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
        ({"X-Amz-Content-SHA256": ["ab" * 32]}, "ab" * 32),
    ],
)
def test_payload_is_signed_as_it_is_sent(send: Sender, sent: dict[str, Any], payload: str) -> None:
    answer = signs(send, f"{HOST}/{create(send)}/data/a", "PUT", headers=sent)

    assert answer.document["headers"]["x-amz-content-sha256"] == [payload]


def test_listing_below_the_location_is_signed(send: Sender) -> None:
    path = create(send)

    for prefix in (f"{path}/", f"{path}/data/a"):
        assert (
            signs(
                send,
                f"{HOST}/?list-type=2&prefix={prefix.replace('/', '%2F')}&delimiter=&encoding-type=url",
            ).status
            == 200
        )


def test_deletion_of_several_files_is_signed_with_its_body(send: Sender) -> None:
    path = create(send)
    body = deletion(f"{path}/data/a", f"{path}/data/&amp;b")

    answer = signs(send, f"{HOST}/?delete", "POST", body=body)

    assert answer.document["headers"]["x-amz-content-sha256"] == [
        hashlib.sha256(body.encode()).hexdigest()
    ]


@pytest.mark.parametrize(
    "uri",
    [
        "{host}/{beside}/data/a",
        "{host}/{path}beside/data/a",
        "{host}/{path}-beside/data/a",
        "{host}/{path}/../{name}/data/a",
        "{host}/{path}/%2e%2e/{name}/data/a",
        "{host}/{path}/%2E%2E%2F{name}/data/a",
        "{host}/{path}/%252e%252e/{name}/data/a",
        "{host}/{path}/./data/a",
        "{host}/{path}//data/a",
        "{host}//{path}/data/a",
        "{host}/{path}%00/data/a",
        "{host}/{path}/%5C..%5C{name}/data/a",
        "{host}/{path}/%5c../{name}/data/a",
        "{host}/{path}/\\../{name}/data/a",
        "{host}/{path}/a%5Cb",
        "{host}/{path}/%255c..%255c{name}/data/a",
        "{host}/{path}/%25252e%25252e/{name}/data/a",
        "{host}/{path}/..;/{name}/data/a",
        "{host}/{path}/..%3Ba=b/{name}/data/a",
        "{host}/{path}/.;/data/a",
        "{host}/{path}/data;a/b",
        "{host}/{path}/..%20/{name}/data/a",
        "{host}/{path}/.../{name}/data/a",
        "{host}/{path}/data/a+b",
        "{host}/{path}/data/a?versionId=a;acl",
        "{host}/{path}/data/a?versionId=a%26acl%00",
        "{host}/{path}/%FF",
        "{host}/{path}/data/a#x",
        "{host}/lake",
        "{host}/",
        "https://other.s3.eu-central-1.amazonaws.com/{path}/data/a",
        "https://s3.eu-central-1.amazonaws.com/other/{path}/data/a",
        "https://s3.eu-central-1.amazonaws.com/{path}/data/a",
        "https://bucket.s3.eu-west-1.amazonaws.com/{path}/data/a",
        "https://bucket.s3.eu-central-1.amazonaws.com.example.net/{path}/data/a",
        "https://bucket.s3.eu-central-1.amazonaws.com@example.net/{path}/data/a",
        "http://bucket.s3.eu-central-1.amazonaws.com/{path}/data/a",
        "{host}/{path}/data/a?acl",
        "{host}/{path}/data/a?tagging",
        "{host}/{path}/data/a?partNumber=1&partNumber=2",
        "{host}/{path}/data/a?X-Amz-Signature=x",
        "{host}/?policy",
        "{host}/?list-type=2",
        "{host}/?list-type=2&prefix=",
        "{host}/?list-type=2&prefix={path}",
        "{host}/?list-type=2&prefix={path}%2F..%2F{name}",
        "{host}/?prefix={path}%2F&prefix=",
        "{host}/?prefix={path}%2F;prefix=",
        "{host}/?prefix={path}%2F%3Bprefix=",
        "{host}/?prefix={path}%2F&%70refix=",
        "{host}/?prefix={path}%2F&Prefix=",
        "{host}/?prefix={path}%2F&prefix%00=",
        "{host}/?prefix={path}%2F+",
        "{host}/?prefix={path}%2F%5C..%5C{name}",
        "{host}/?prefix={path}%2F&list-type=2;versions",
        "{host}/?versions&prefix={path}%2F",
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_requests_return_403(send: Sender, method: str, uri: str) -> None:
    path = create(send)
    beside = create(send, "u")

    answer = signs(
        send,
        uri.format(host=HOST, path=path, beside=beside, name=beside.rpartition("/")[2]),
        method,
    )

    assert answer.error == (403, "ForbiddenException")


@pytest.mark.parametrize(
    ("method", "header"),
    [
        ("PUT", ("x-amz-copy-source", "/bucket/lake/n/u/data/a")),
        ("PUT", ("X-Amz-Acl", "public-read")),
        ("PUT", ("x-amz-grant-read", "id=1")),
        ("GET", ("x-amz-security-token", "x")),
        ("GET", ("host", "other.example")),
        ("GET", ("x-amz-meta-a", "1\r\nx-amz-acl: public-read")),
        ("PUT", (" X-Amz-Copy-Source", "/bucket/lake/n/u/data/a")),
        ("PUT", ("X-Amz-Copy-Source ", "/bucket/lake/n/u/data/a")),
        ("PUT", ("x-amz-meta-a;x-amz-copy-source", "/bucket/lake/n/u/data/a")),
        ("PUT", ("x-amz-meta-a: 1, x-amz-copy-source", "/bucket/lake/n/u/data/a")),
        ("PUT", ("x-amz-meta-a\tx-amz-acl", "public-read")),
        ("PUT", ("x\u2028x-amz-acl", "public-read")),
        ("PUT", ("", "x-amz-acl: public-read")),
        ("PUT", ("x-amz-meta-a", "1\u000bx-amz-acl: public-read")),
        ("PUT", ("x-amz-meta-a", "1\u0085x-amz-acl: public-read")),
        ("PUT", ("x-amz-trailer", "x-amz-acl")),
        ("PUT", ("x-amz-trailer", "x-amz-checksum-crc32,x-amz-copy-source")),
        ("PUT", ("x-amz-content-sha256", "ab" * 32, "cd" * 32)),
        ("PUT", ("x-amz-content-sha256", "anything")),
        ("PUT", ("X-Amz-Rename-Source", "/bucket/lake/n/u/data/a")),
        ("PUT", ("X-Amz-Copy-Source-Range", "bytes=0-1")),
        ("PUT", ("x-amz-website-redirect-location", "/u")),
        ("PUT", ("x-amz-tagging", "a=b")),
    ],
)
def test_requests_with_headers_that_do_more_return_403(
    send: Sender, method: str, header: tuple[str, ...]
) -> None:
    name, *values = header
    answer = signs(send, f"{HOST}/{create(send)}/data/a", method, headers={name: values})

    assert answer.error == (403, "ForbiddenException")


@pytest.mark.parametrize(
    ("method", "members"),
    [
        ("GET", {"headers": {"x-amz-meta-a": ["1"], "X-Amz-Meta-A": ["2"]}}),
        ("GET", {"region": "eu-west-1"}),
        ("GET", {"provider": "gcs"}),
        ("POST", {}),
        ("PATCH", {}),
        ("OPTIONS", {}),
    ],
)
def test_requests_that_do_more_return_403(
    send: Sender, method: str, members: dict[str, Any]
) -> None:
    answer = signs(send, f"{HOST}/{create(send)}/data/a", method, **members)

    assert answer.error == (403, "ForbiddenException")


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "no XML",
        deletion(),
        deletion("{path}/data/a", "{beside}/data/a"),
        deletion("{path}/data/a", "{path}/../x"),
        deletion(""),
        "<Delete><Object><Key>{path}/a</Key><Key>{beside}/a</Key></Object></Delete>",
        "<Delete><Objects><Object><Key>{beside}/a</Key></Object></Objects><Object><Key>{path}/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/a<x>/../../u/data/a</x></Key></Object></Delete>",
        "<Delete><Object><Key>{path}<x/>2/data/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/a</Key><x><Key>{beside}/a</Key></x></Object></Delete>",
        "<Delete><Object><Key>{path}/a</Key><key>{beside}/a</key></Object></Delete>",
        "<Delete><Object><Key>{path}/a</Key>{beside}/a</Object></Delete>",
        "<Delete><Object>{beside}/a<Key>{path}/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/a</Key><VersionId>1<Key>{beside}/a</Key></VersionId></Object></Delete>",
        "<Delete><Object><Key>{path}/a</Key></Object><Quiet>true<Object><Key>{beside}/a</Key></Object></Quiet></Delete>",
        '<Delete><Object><Key>{path}/a</Key><o:Key xmlns:o="urn:o">{beside}/a</o:Key></Object></Delete>',
        '<Delete><Object><o:Key xmlns:o="urn:o">{path}/a</o:Key></Object></Delete>',
        '<Delete xmlns="urn:other"><Object><Key>{path}/a</Key></Object></Delete>',
        '<o:Delete xmlns:o="urn:o"><Object><Key>{path}/a</Key></Object></o:Delete>',
        '<Delete><Object><Key name="{beside}/a">{path}/a</Key></Object></Delete>',
        "<Other><Object><Key>{path}/a</Key></Object></Other>",
        "<Delete><Object><Key>{path}/a<?x {beside}?></Key></Object></Delete>",
        "<?x?><Delete><Object><Key>{path}/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/a<!-- x -->b</Key></Object></Delete>",
        "<Delete><Object><Key><![CDATA[{path}/a]]></Key></Object></Delete>",
        "<Delete><Object><Key>{path}/&#46;&#x2e;/u/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/\\../u/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/%2e%2e/u/a</Key></Object></Delete>",
        "<Delete><Object><Key>{path}/..  </Key></Object></Delete>",
        "<Delete><Object><Key>{path}/a </Key></Object></Delete>",
        "<Delete><Object><Key>{path}/a&#10;</Key></Object></Delete>",
        '<?xml version="1.0" encoding="ISO-8859-1"?><Delete><Object><Key>{path}/a</Key></Object></Delete>',
        '<?xml version="1.1"?><Delete><Object><Key>{path}/a</Key></Object></Delete>',
        "<Delete><Object><Key>{path}/a</Key></Object><Quiet>true</Quiet><Quiet>false</Quiet></Delete>",
        '<!DOCTYPE a [<!ENTITY b "{path}/a">]><Delete><Object><Key>&b;</Key></Object></Delete>',
    ],
)
def test_other_deletions_of_several_files_return_403(send: Sender, body: str | None) -> None:
    path, beside = create(send), create(send, "u")
    members = (
        {} if body is None else {"body": body.replace("{path}", path).replace("{beside}", beside)}
    )

    assert signs(send, f"{HOST}/?delete", "POST", **members).error == (403, "ForbiddenException")


@pytest.mark.parametrize(
    "body",
    [
        '<?xml version="1.0" encoding="UTF-8"?>\n<Delete><Quiet>true</Quiet>\n <Object><Key>{path}/a</Key></Object>\n</Delete>',
        '<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object><Key>{path}/a</Key><VersionId>1</VersionId></Object></Delete>',
        '<s:Delete xmlns:s="http://s3.amazonaws.com/doc/2006-03-01/"><s:Object><s:Key>{path}/a%5Cb c</s:Key></s:Object></s:Delete>',
    ],
)
def test_deletions_of_several_files_as_clients_write_them_are_signed(
    send: Sender, body: str
) -> None:
    assert (
        signs(send, f"{HOST}/?delete", "POST", body=body.replace("{path}", create(send))).status
        == 200
    )


def test_deletion_with_another_payload_than_its_body_returns_403(send: Sender) -> None:
    body = deletion(f"{create(send)}/data/a")

    answer = signs(
        send,
        f"{HOST}/?delete",
        "POST",
        body=body,
        headers={"x-amz-content-sha256": ["UNSIGNED-PAYLOAD"]},
    )

    assert answer.status == 403


def test_readers_get_signatures_that_read_alone(send: Sender) -> None:
    uri = f"{HOST}/{create(send)}/data/a"
    methods = ("GET", "HEAD", "PUT")

    assert [signs(send, uri, method, token="reader").status for method in methods] == [
        200,
        200,
        403,
    ]


def test_further_locations_of_a_table_are_signed_if_they_are_its_own(
    send: Sender,
) -> None:
    path, beside = create(send), create(send, "u")
    own, foreign = f"{path}-data", f"{beside}/data"
    update = {
        "action": "set-properties",
        "updates": {"write.data.path": f"s3://bucket/{own}"},
    }
    assert send("POST", f"{TABLES}/t", {"requirements": [], "updates": [update]}).status == 200
    update["updates"] = {"write.metadata.path": f"s3://bucket/{foreign}"}
    assert send("POST", f"{TABLES}/t", {"requirements": [], "updates": [update]}).status == 400

    assert signs(send, f"{HOST}/{own}/a").status == 200
    assert signs(send, f"{HOST}/{foreign}/a").status == 403


def test_location_in_a_namespace_of_others_is_not_signed_for_a_writer(
    send: Sender,
) -> None:
    create(send)
    update = {"action": "set-properties", "updates": {"write.data.path": "s3://bucket/lake/m/x"}}
    assert send("POST", f"{TABLES}/t", {"requirements": [], "updates": [update]}).status == 200

    assert signs(send, f"{HOST}/lake/m/x/a", token="root").status == 200
    assert signs(send, f"{HOST}/lake/m/x/a", token="writer").status == 403


def test_location_that_tables_share_is_not_signed(send: Sender) -> None:
    path = create(send)
    file = send("GET", f"{TABLES}/t").document["metadata-location"]
    assert (
        send(
            "POST", "/v1/lake/namespaces/n/register", {"name": "twin", "metadata-location": file}
        ).status
        == 200
    )

    assert signs(send, f"{HOST}/{path}/data/a").error == (403, "ForbiddenException")
