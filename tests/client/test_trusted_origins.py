"""Hostile servers that name other origins get no credential there, and lead to no cloud
metadata.
"""

from __future__ import annotations

import asyncio
import json
import pickle
from functools import partial
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driving import Driven
from lakepact.client import (
    NO_RETRIES,
    AsyncIcebergCatalog,
    AsyncWatsonxCatalog,
    BadReply,
    BearerToken,
    ClientCredentials,
    IcebergCatalog,
    LakepactError,
    NotAuthenticated,
    SharingClient,
    Unreachable,
    UntrustedOrigin,
    WatsonxCatalog,
)
from lakepact.client.iceberg_rest.settings import encode_prefix
from server_doubles.hostile_origins import Origin, resolve, serving

TOKEN = "planted-Token.0123456789"
TENANT = "planted-Tenant.0123456789"
WATSONX = "/mds/iceberg"


@pytest.fixture
def good():
    with serving() as origin:
        yield origin


@pytest.fixture
def evil():
    with serving() as origin:
        origin.on("/v1/namespaces", {"namespaces": [["evil"]]})
        origin.on("/v1/x/namespaces", {"namespaces": [["evil"]]})
        origin.on(f"{WATSONX}/v1/x/namespaces", {"namespaces": [["evil"]]})
        yield origin


def configure(origin: Origin, *, at: str = "", **config: dict[str, str]) -> None:
    origin.on(f"{at}/v1/config", {"defaults": {}, "overrides": {}, **config})


def watsonx(kind, url, **options):
    return kind(url, "x", **options)


KINDS = {
    "iceberg-sync": ("", IcebergCatalog),
    "iceberg-async": ("", AsyncIcebergCatalog),
    "watsonx-sync": (WATSONX, partial(watsonx, WatsonxCatalog)),
    "watsonx-async": (WATSONX, partial(watsonx, AsyncWatsonxCatalog)),
}
every_kind = pytest.mark.parametrize(("at", "kind"), KINDS.values(), ids=KINDS)


@every_kind
def test_overrides_uri_at_another_origin_gets_no_credential(good, evil, at, kind):
    configure(good, at=at, overrides={"uri": evil.url})
    secrets = {
        "auth": BearerToken(TOKEN),
        "properties": {"header.X-Tenant": TENANT},
        "retries": NO_RETRIES,
    }

    with Driven(kind, good.url, **secrets) as catalog, pytest.raises(UntrustedOrigin) as exc_info:
        catalog.list_namespaces()

    assert evil.requests == []
    assert f'trusted_origins=("{evil.url}",)' in str(exc_info.value)


@every_kind
def test_overrides_uri_at_a_trusted_origin_is_used(good, evil, at, kind):
    configure(good, at=at, overrides={"uri": f"{evil.url}{at}"})

    with Driven(
        kind, good.url, auth=BearerToken(TOKEN), trusted_origins=(f"{evil.url}/",)
    ) as catalog:
        assert catalog.list_namespaces() == [("evil",)]

    assert evil.saw(TOKEN)


@pytest.mark.parametrize("kind", [IcebergCatalog, AsyncIcebergCatalog])
def test_pickled_catalog_keeps_its_trusted_origins(kind):
    catalog = kind(
        "http://127.0.0.1:1", trusted_origins=("https://eu.test",), properties={"token": TOKEN}
    )

    assert pickle.loads(pickle.dumps(catalog)).trusted_origins == catalog.trusted_origins
    assert TOKEN not in repr(catalog.trusted_origins)


@pytest.mark.parametrize("uri", ["{good}/other", "HTTP://127.0.0.1:{port}/other/"])
def test_overrides_uri_at_the_same_origin_is_used(good, uri):
    configure(good, overrides={"uri": uri.format(good=good.url, port=good.port)})
    good.on("/other/v1/namespaces", {"namespaces": [["good"]]})

    with IcebergCatalog(good.url, auth=BearerToken(TOKEN)) as catalog:
        assert list(catalog.list_namespaces()) == [("good",)]


SPELLINGS = [
    "http://localhost:{good}", "https://127.0.0.1:{good}", "http://127.0.0.1.:{good}", "http://127.0.0.1:{evil}\\@127.0.0.1:{good}",
    "http://127.0.0.1:{good}@127.0.0.1:{evil}", "http://127.0.0.1:{evil}#@127.0.0.1:{good}", "http://127.0.0.1:\n{good}",
    "file:///etc/passwd", "//127.0.0.1:{evil}", "http://[",
]  # fmt: skip


@pytest.mark.parametrize("uri", SPELLINGS)
def test_spelling_of_an_address_opens_no_other_origin(good, evil, uri):
    configure(good, overrides={"uri": uri.format(good=good.port, evil=evil.port)})

    with (
        IcebergCatalog(good.url, auth=BearerToken(TOKEN), retries=NO_RETRIES) as catalog,
        pytest.raises(LakepactError),
    ):
        list(catalog.list_namespaces())

    assert len(good.requests) == 1
    assert evil.requests == []


@pytest.mark.parametrize(
    "trusted",
    [
        "catalog.example",
        "https://catalog.example/x?y",
        "ftp://catalog.example",
        "",
        "https://a:b@c",
    ],
)
def test_invalid_trusted_origin_raises_value_error(trusted):
    with pytest.raises(ValueError, match="trusted_origins"):
        IcebergCatalog("http://127.0.0.1:1", trusted_origins=(trusted,))


@every_kind
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_origin_is_not_followed(good, evil, at, kind, status):
    good.on(f"{at}/v1/config", status=status, Location=f"{evil.url}{at}/v1/config")

    with (
        Driven(kind, good.url, auth=BearerToken(TOKEN), retries=NO_RETRIES) as catalog,
        pytest.raises(BadReply, match="not followed"),
    ):
        catalog.config()

    assert evil.requests == []


@pytest.mark.parametrize("status", [302, 307])
def test_redirect_of_a_token_endpoint_is_not_followed(good, evil, status):
    good.on("/tokens", status=status, Location=f"{evil.url}/tokens")
    auth = ClientCredentials(f"{good.url}/tokens", "id", TOKEN, in_form=True)

    with (
        IcebergCatalog(good.url, auth=auth, retries=NO_RETRIES) as catalog,
        pytest.raises(NotAuthenticated),
    ):
        catalog.config()

    assert evil.requests == []


def test_oauth2_server_uri_of_a_server_gets_no_secret(good, evil):
    """The token endpoint is an argument of `auth`, and nothing else is asked for tokens."""
    configure(
        good,
        overrides={"oauth2-server-uri": f"{evil.url}/tokens"},
        defaults={"rest.auth.type": "oauth2"},
    )
    good.on(
        "/v1/namespaces",
        {"error": {"message": "expired", "type": "NotAuthorizedException", "code": 401}},
        401,
    )
    good.on("/tokens", {"access_token": "one", "token_type": "bearer"})
    auth = ClientCredentials(f"{good.url}/tokens", "id", TOKEN, renew=True)

    with (
        IcebergCatalog(good.url, auth=auth, retries=NO_RETRIES) as catalog,
        pytest.raises(NotAuthenticated),
    ):
        list(catalog.list_namespaces())

    assert evil.requests == []


def test_page_token_that_is_an_address_stays_a_parameter(good, evil):
    configure(good)
    good.on(
        "/v1/namespaces", {"namespaces": [["a"]], "next-page-token": f"{evil.url}/v1/namespaces"}
    )

    with (
        IcebergCatalog(good.url, auth=BearerToken(TOKEN), retries=NO_RETRIES) as catalog,
        pytest.raises(BadReply, match="leads back"),
    ):
        list(catalog.list_namespaces())

    assert evil.requests == []


def test_page_token_of_a_share_that_is_an_address_stays_a_parameter(good, evil):
    good.on("/shares", {"items": [{"name": "a"}], "nextPageToken": f"{evil.url}/shares"})
    profile = {"shareCredentialsVersion": 1, "endpoint": good.url, "bearerToken": TOKEN}

    with (
        SharingClient(profile, retries=NO_RETRIES) as client,
        pytest.raises(BadReply, match="leads back"),
    ):
        list(client.shares())

    assert evil.requests == []


# Prefixes

LEGAL = {
    "main": "main",
    "/main/": "main",
    "catalogs/000000000000": "catalogs/000000000000",
    "main|warehouse": "main%7Cwarehouse",
    "arn%3Aaws%3As3tables%3Aeu-west-1%3A1%3Abucket%2Fname": "arn%3Aaws%3As3tables%3Aeu-west-1%3A1%3Abucket%2Fname",
    "a...b/..c": "a...b/..c",
    "ws/ünicode x?y#z": "ws/%C3%BCnicode%20x%3Fy%23z",
    "": "",
}
HOSTILE = [
    "../../..//x", "..", ".", "a/../b", "a/./b", "a//b", "%2e%2e/x", ".%2E/x", "a%2F..%2Fb", "a\\..\\b", "a%5c..%5cb", "..;/x",
    "a/..;v=1/b", "%252e%252e/x",
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "expected"), LEGAL.items())
def test_legal_prefix_is_used_as_it_is(prefix, expected):
    assert encode_prefix(prefix) == expected


@pytest.mark.parametrize("prefix", HOSTILE)
def test_prefix_that_leaves_its_path_is_a_bad_reply(good, prefix):
    configure(good, overrides={"prefix": prefix})

    with (
        IcebergCatalog(good.url, auth=BearerToken(TOKEN), retries=NO_RETRIES) as catalog,
        pytest.raises(BadReply, match="prefix"),
    ):
        list(catalog.list_namespaces())

    assert len(good.requests) == 1


@pytest.mark.parametrize("kind", [IcebergCatalog, AsyncIcebergCatalog])
def test_prefix_of_the_caller_that_leaves_its_path_raises_value_error(kind):
    with pytest.raises(ValueError, match="prefix"):
        kind("http://127.0.0.1:1", properties={"prefix": "../x"})


@pytest.mark.parametrize("kind", [WatsonxCatalog, AsyncWatsonxCatalog])
def test_catalog_name_that_is_a_step_raises_value_error(kind):
    with pytest.raises(ValueError, match="prefix"):
        kind("http://127.0.0.1:1", "..")


@given(
    st.lists(
        st.sampled_from([".", "%2e", "%2F", "/", "\\", "%5C", ";", "a", "|", "?", "#", "%25"]),
        max_size=8,
    ).map("".join)
)
def test_path_with_any_prefix_stays_in_its_version(prefix):
    try:
        path = f"/v1/{encode_prefix(prefix)}/namespaces"
    except ValueError:
        return
    parts = urlsplit(f"http://h{path}")
    steps = (
        parts.path.replace("%25", "%")
        .replace("%2e", ".")
        .replace("%2F", "/")
        .replace("%5C", "/")
        .split("/")
    )

    assert (parts.query, parts.fragment) == ("", "")
    assert not {step.partition(";")[0] for step in steps} & {".", ".."}


# Cloud metadata

METADATA = [
    "http://169.254.169.254/latest", "http://169.254.170.2/v2", "http://2852039166/", "http://0xA9FEA9FE/", "http://0251.0376.0251.0376/",
    "http://169.254.43518/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/", "http://METADATA.google.internal/computeMetadata/v1/", "http://metadata.google.internal./",
    "http://metadata/", "http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/",
]  # fmt: skip


@pytest.mark.parametrize("uri", METADATA)
def test_metadata_address_of_a_server_is_not_trusted(good, uri):
    configure(good, overrides={"uri": uri})

    with (
        IcebergCatalog(good.url, auth=BearerToken(TOKEN), retries=NO_RETRIES) as catalog,
        pytest.raises(UntrustedOrigin),
    ):
        list(catalog.list_namespaces())


@pytest.mark.parametrize("kind", [IcebergCatalog, AsyncIcebergCatalog])
def test_name_that_resolves_to_a_metadata_address_gets_no_request(monkeypatch, kind):
    resolve(monkeypatch, rebound="169.254.0.7")

    with (
        Driven(kind, "http://rebound.test", retries=NO_RETRIES) as catalog,
        pytest.raises(Unreachable, match=r"cloud metadata"),
    ):
        catalog.config()


def test_name_that_resolves_to_another_address_is_reached(monkeypatch, good):
    resolve(monkeypatch, catalog="127.0.0.1")
    configure(good)

    with IcebergCatalog(f"http://catalog.test:{good.port}", retries=NO_RETRIES) as catalog:
        assert catalog.config().overrides == {}


def test_loops_share_the_check_of_addresses(monkeypatch, good):
    resolve(monkeypatch, catalog="127.0.0.1")
    configure(good)

    async def overrides():
        async with AsyncIcebergCatalog(
            f"http://catalog.test:{good.port}", retries=NO_RETRIES
        ) as catalog:
            return (await catalog.config()).overrides

    assert asyncio.run(overrides()) == {}


# Clients of httpx that the caller brings

LEAKY = {
    "headers": {"Authorization": f"Bearer {TENANT}"},
    "cookies": {"session": TENANT},
    "auth": ("me", TENANT),
    "follow_redirects": True,
}
SCHEMA = '{"type":"struct","fields":[]}'
CLIENTS = {
    "sync": (IcebergCatalog, httpx.Client),
    "async": (AsyncIcebergCatalog, httpx.AsyncClient),
}


def brought(kind, client):
    """Return the catalog of a kind, with such a client."""
    return lambda address, **options: kind(address, **options | {"http": client(**LEAKY)})


@pytest.mark.parametrize(("kind", "client"), CLIENTS.values(), ids=CLIENTS)
def test_redirect_is_not_followed_by_a_client_of_the_caller(good, evil, kind, client):
    good.on("/v1/config", status=307, Location=f"{evil.url}/v1/config", **{"Set-Cookie": "a=b"})

    with (
        Driven(
            brought(kind, client), good.url, auth=BearerToken(TOKEN), retries=NO_RETRIES
        ) as catalog,
        pytest.raises(BadReply, match="not followed"),
    ):
        catalog.config()

    assert evil.requests == []
    assert not good.saw(TENANT)


@pytest.mark.parametrize(("kind", "client"), CLIENTS.values(), ids=CLIENTS)
def test_overrides_uri_gets_no_request_of_a_client_of_the_caller(good, evil, kind, client):
    configure(good, overrides={"uri": evil.url})

    with (
        Driven(brought(kind, client), good.url, auth=BearerToken(TOKEN)) as catalog,
        pytest.raises(UntrustedOrigin),
    ):
        catalog.list_namespaces()

    assert evil.requests == []


def test_file_of_a_share_gets_nothing_of_a_client_of_the_caller(good, evil):
    lines = [
        {"protocol": {"minReaderVersion": 1}},
        {
            "metaData": {
                "id": "7",
                "format": {"provider": "parquet"},
                "schemaString": '{"type":"struct","fields":[]}',
                "partitionColumns": [],
            }
        },
        {"file": {"url": f"{evil.url}/a", "id": "a", "partitionValues": {}, "size": 1}},
    ]
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    good.on(
        "/shares/s/schemas/d/tables/t/query",
        body,
        **{"Content-Type": "application/x-ndjson", "Delta-Table-Version": "1"},
    )
    evil.on("/a", status=302, Location=f"{good.url}/back")
    profile = {"shareCredentialsVersion": 1, "endpoint": good.url, "bearerToken": TOKEN}

    with (
        httpx.Client(**LEAKY) as http,
        SharingClient(profile, retries=NO_RETRIES, http=http) as client,
        pytest.raises(LakepactError),
    ):
        client.table("s", "d", "t").query().to_arrow()

    requests = [
        headers
        for origin in (evil, good)
        for path, headers in origin.requests
        if path in {"/a", "/back"}
    ]
    assert len(requests) >= 2
    assert not any(secret in str(headers) for headers in requests for secret in (TOKEN, TENANT))
