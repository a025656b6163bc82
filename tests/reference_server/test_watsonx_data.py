"""The catalog of watsonx.data: its root, its credentials, and its differences from the Iceberg
catalog.
"""

from __future__ import annotations

import base64
import hashlib
import uuid

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lakepact.generated.contract import Contract
from lakepact.reference_server import running
from lakepact.reference_server.app import service, services
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.settings import BadSetting, Settings
from lakepact.reference_server.watsonx_data import ACCOUNT_ROOT, ROOT
from lakepact.reference_server.watsonx_data.credentials import (
    Credentials,
    Doorkeeper,
    read_credentials,
)
from raw_connections import sent
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA

HERE = f"{ROOT}/v1/iceberg"


def key(text: str) -> str:
    return f"ZenApiKey {base64.b64encode(text.encode()).decode()}"


@pytest.fixture(scope="module")
def open_server():
    with running(contract="watsonx_data", warehouse="memory:") as server:
        yield server


@pytest.fixture
def send(open_server):
    with Sender(open_server.url) as send:
        yield send


@pytest.fixture
def namespace(send):
    name = f"ns{uuid.uuid4().hex}"
    assert send("POST", f"{HERE}/namespaces", {"namespace": [name]}).status == 200
    return name


def write(folder, **credentials):
    path = folder / "credentials.yaml"
    path.write_text(
        yaml.safe_dump({name.replace("_", "-"): value for name, value in credentials.items()}),
        "utf-8",
    )
    return path


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    credentials = write(
        tmp_path_factory.mktemp("closed"),
        tokens=["right"],
        expired_tokens=["old"],
        api_keys={"hank": "key:with:colons", "ann": "anns-key"},
    )
    with running(contract="watsonx_data", warehouse="memory:", credentials=credentials) as server:
        yield server


@pytest.fixture
def knock(closed):
    with Sender(closed.url) as send:
        yield lambda **headers: send("GET", f"{HERE}/namespaces", **headers)


def test_its_root_is_that_of_the_contract(open_server):
    (server,) = Contract("watsonx_data").bundle["servers"]

    assert server["url"] == f"https://{{host}}{ROOT}"
    assert open_server.address("watsonx_data") == open_server.url + ROOT


def test_it_serves_what_the_iceberg_catalog_serves_of_its_operations():
    offered = {
        name: {o.id for o in service(name, Settings()).operations()}
        for name in ("iceberg_rest", "watsonx_data")
    }

    assert (
        offered["watsonx_data"]
        == offered["iceberg_rest"] & Contract("watsonx_data").operations.keys()
    )


def test_it_is_served_only_when_it_is_named():
    assert [one.contract.name for one in services([], Settings())] == ["iceberg_rest"]
    assert [one.contract.name for one in services(["watsonx_data"], Settings())] == ["watsonx_data"]


def test_it_stands_beside_the_iceberg_catalog_with_tables_of_its_own():
    iceberg, watsonx = services(["iceberg_rest", "watsonx_data"], Settings())

    assert (iceberg.root, watsonx.root) == ("", ROOT)
    assert iceberg.catalogs[0] is not watsonx.catalogs[0]


def test_configuration_names_warehouse_and_prefix_and_no_endpoints(send):
    assert send("GET", f"{ROOT}/v1/config?warehouse=iceberg").document == {
        "overrides": {"warehouse": "memory:", "prefix": "iceberg"},
        "defaults": {},
    }


def test_endpoints_are_listed_when_an_operation_is_missing():
    served = service("watsonx_data", Settings())
    del served.handlers["createView"]

    endpoints = served.handlers["getConfig"]().document["endpoints"]

    assert ("POST /v1/{prefix}/namespaces/{namespace}/views" in endpoints, len(endpoints)) == (
        False,
        22,
    )


def test_another_catalog_is_not_there(send):
    assert send("GET", f"{ROOT}/v1/config?warehouse=other").error == (400, "BadRequestException")
    assert send("GET", f"{ROOT}/v1/other/namespaces").error == (404, "NotFoundException")


@pytest.mark.parametrize(
    "path",
    ["/v1/config", "/v1/iceberg/namespaces", f"{ROOT}/v1/namespaces", f"{ROOT}/v1/oauth/tokens"],
)
def test_paths_outside_the_root_are_unknown(send, path):
    assert send("GET", path).status == 404


def test_catalog_has_the_name_of_the_settings():
    with serving(contract="watsonx_data", warehouse="memory:", prefix="my%20data") as send:
        config = send("GET", f"{ROOT}/v1/config?warehouse=my+data").document
        assert config["overrides"]["prefix"] == "my%20data"
        assert send("GET", f"{ROOT}/v1/my%20data/namespaces").document["namespaces"] == []


def test_catalog_name_of_several_segments_is_refused():
    with pytest.raises(BadSetting, match="slash"):
        service("watsonx_data", Settings(prefix="a/b"))


def test_foreign_storage_location_is_kept_and_not_used_for_tables(send):
    name, far = f"ns{uuid.uuid4().hex}", "s3a://bucket/accounting"
    send(
        "POST", f"{HERE}/namespaces", {"namespace": [name], "properties": {"storage_location": far}}
    )

    created = send(
        "POST", f"{HERE}/namespaces/{name}/tables", {"name": "t", "schema": SCHEMA}
    ).document

    assert (
        send("GET", f"{HERE}/namespaces/{name}").document["properties"]["storage_location"] == far
    )
    assert created["metadata"]["location"].startswith(f"memory:/{name}/t-")


@pytest.mark.parametrize(
    ("size", "status"),
    [("0", 200), ("1", 200), ("1000000000000000", 200), ("1000000000000001", 400), ("-1", 400)],
)
def test_page_sizes_are_those_of_the_page(send, namespace, size, status):
    assert send("GET", f"{HERE}/namespaces/{namespace}/tables?pageSize={size}").status == status


def test_server_without_credentials_file_answers_every_caller(send):
    assert send("GET", f"{HERE}/namespaces").status == 200
    assert send("GET", f"{HERE}/namespaces", authorization="Bearer whatever").status == 200


@pytest.mark.parametrize(
    "shown",
    [
        "Basic",
        "Basic bm90aGluZw==",
        "Bearer",
        "ZenApiKey",
        "ZenApiKey !",
        "ZenApiKey bm90aGluZw==",
        "ZenApiKey /w==",
        "x",
    ],
)
def test_malformed_credentials_return_401(send, shown):
    answer = send("GET", f"{HERE}/namespaces", authorization=shown)

    assert answer.error == (401, "NotAuthorizedException")
    assert "www-authenticate" in answer.headers


@pytest.mark.parametrize(
    "shown",
    [
        "Bearer right",
        "bearer right",
        "BEARER  right",
        key("hank:key:with:colons"),
        key("hank:key:with:colons\n"),
        key("hank:key:with:colons").replace("ZenApiKey", "zenapikey"),
        key("hank:key:with:colons").replace("ZenApiKey", "Basic"),
    ],
)
def test_tokens_and_keys_of_the_file_are_accepted(knock, shown):
    assert knock(authorization=shown).status == 200


@pytest.mark.parametrize(
    "shown",
    [
        "Bearer wrong",
        "Bearer hank:key:with:colons",
        key("hank:wrong"),
        key("wrong:key:with:colons"),
        key("right"),
        key(":"),
        key("hank:"),
        key("hank:anns-key"),
        key("ann:key:with:colons"),
        key("HANK:key:with:colons"),
        key("hank:key:with:colons\n\n"),
        key("hank:KEY:with:colons"),
        key("hank:wrong").replace("ZenApiKey", "Basic"),
        key("hank:key:with:colons").replace("ZenApiKey", "Bearer"),
        "ZenApiKey right",
        "Bearer RIGHT",
        "Bearer right,Bearer right",
        "Bearer=right",
        "right",
    ],
)
def test_other_credentials_return_401(knock, shown):
    assert knock(authorization=shown).status == 401


@pytest.mark.parametrize("shown", ["Bearer right", key("hank:key:with:colons")])
def test_credentials_of_one_instance_open_no_other(tmp_path, shown):
    other = write(tmp_path, tokens=["other"], api_keys={"hank": "another-key"})
    with serving(contract="watsonx_data", warehouse="memory:", credentials=other) as send:
        assert send("GET", f"{HERE}/namespaces", authorization=shown).status == 401


@pytest.mark.parametrize(
    "query",
    [
        "access_token=right",
        "token=right",
        "authorization=Bearer%20right",
        "apikey=hank:key:with:colons",
    ],
)
def test_credentials_in_the_query_return_401(closed, query):
    with Sender(closed.url) as send:
        assert send("GET", f"{HERE}/namespaces?{query}").status == 401


@pytest.mark.parametrize(
    "shown",
    [
        ("Bearer right", "Bearer wrong"),
        ("Bearer wrong", "Bearer right"),
        ("Bearer right", "Bearer right"),
    ],
)
def test_several_authorization_headers_return_401(closed, shown):
    headers = "".join(f"Authorization: {one}\r\n" for one in shown)
    head = f"GET {HERE}/namespaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n"

    assert sent(closed.url, head.encode()).startswith(b"HTTP/1.1 401 ")


def test_index_page_with_credentials_does_not_name_the_warehouse(closed):
    with Sender(closed.url) as send:
        page = send("GET", "/")

    assert page.status == 200
    assert b"memory:" not in page.body


def test_expired_token_returns_419(knock):
    assert knock(authorization="Bearer old").error == (419, "AuthenticationTimeoutException")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": "Bearer right", "accountid": "a1"}, 200),
        ({"authorization": "Bearer right"}, 400),
        ({"authorization": "Bearer right", "accountid": "a2"}, 403),
        ({"authorization": "Bearer wrong", "accountid": "a1"}, 401),
    ],
)
def test_instance_with_account_scope_needs_its_base_path_and_account_id(tmp_path, headers, status):
    file = write(tmp_path, tokens=["right"], account_id="a1")
    with serving(contract="watsonx_data", warehouse="memory:", credentials=file) as send:
        base = send.server.address("watsonx_data")

        assert base == f"{send.url}{ACCOUNT_ROOT}"
        assert send("GET", f"{ACCOUNT_ROOT}/v1/iceberg/namespaces", **headers).status == status
        assert send("GET", f"{HERE}/namespaces", **headers).status == 404


@given(st.text(max_size=30))
def test_any_unknown_key_returns_401_without_being_repeated(shown):
    known = Credentials(tokens=(), keys=(hashlib.sha256(b"nobody:knows").digest(),))
    scope = {"headers": [(b"authorization", key(shown).encode())]}

    with pytest.raises(Problem) as refused:
        Doorkeeper(known).enter(scope)
    assert refused.value.status == 401
    assert len(shown) < 8 or shown not in refused.value.message


def test_credentials_cannot_be_read_again(tmp_path):
    credentials = read_credentials(
        write(tmp_path, tokens=["planted-token"], api_keys={"hank": "planted-key"})
    )

    assert "planted" not in f"{credentials!r} {credentials.tokens!r} {credentials.keys!r}"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "planted",
        "[planted]",
        "tokens: planted",
        "tokens: [1]",
        "tokens: ['']",
        "api-keys: [planted]",
        "api-keys: {a: 1}",
        "api-keys: {'a:b': planted}",
        "expired-tokens: planted",
        "account-id: 1",
        "planted: 1",
        "a: [",
        "\x00",
    ],
)
def test_a_file_that_holds_no_credentials_is_refused_without_being_repeated(tmp_path, content):
    path = tmp_path / "file.yaml"
    path.write_text(content, "utf-8")

    with pytest.raises(BadSetting, match=r"file\.yaml") as refused:
        service("watsonx_data", Settings(credentials=path))
    assert "planted" not in str(refused.value)


def test_credentials_of_unserved_contracts_are_refused(tmp_path):
    with pytest.raises(BadSetting, match="--credentials requires --contract watsonx_data"):
        services(["iceberg_rest"], Settings(credentials=write(tmp_path, tokens=["t"])))
