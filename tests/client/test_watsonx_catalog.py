"""Address, credentials and configuration of a watsonx.data catalog follow its contract."""

from __future__ import annotations

import base64
import traceback
from urllib.parse import parse_qsl

import httpx
import pytest
import yaml

from driving import Desk, Driven
from lakepact.client import (
    AlreadyExists,
    AsyncWatsonxCatalog,
    BasicAuth,
    BearerToken,
    Forbidden,
    IamApiKey,
    NotAuthenticated,
    WatsonxCatalog,
    ZenApiKey,
)
from lakepact.client.redaction import HIDDEN, Redactor
from lakepact.client.retries import NO_RETRIES
from lakepact.generated.contract import Contract
from lakepact.reach.wire import Reply, Request
from lakepact.reference_server import running
from sample_tables.schemas import OPTIONAL_X as SCHEMA

KINDS = {"sync": WatsonxCatalog, "async": AsyncWatsonxCatalog}
ROOT = "/mds/iceberg/v1"
#: A configuration in the shape of the page.
CONFIG = {"overrides": {"warehouse": "s3://bucket/warehouse/"}}
USER, KEY = "hank", "planted-Key.0123456789"
ENCODED = base64.b64encode(f"{USER}:{KEY}".encode()).decode()


@pytest.fixture
def catalog(drive):
    """Return a function that opens a catalog of a desk."""

    def open_catalog(answers, *, config=CONFIG, host="cpd.test", name="rest_iceberg1", **options):
        desk = Desk({f"GET {ROOT}/config": config, **answers})
        return drive(
            host, KINDS, warehouse=name, carrier=desk.carrier, retries=NO_RETRIES, **options
        ), desk

    return open_catalog


# What `echo -n "user:key" | base64` prints; without -n it would be dXNlcjprZXkK.
@pytest.mark.parametrize(
    ("auth", "authorization"),
    [(ZenApiKey("user", "key"), "ZenApiKey dXNlcjprZXk="), (BearerToken("abc"), "Bearer abc")],
    ids=["key", "token"],
)
def test_key_is_sent_in_base64_and_a_token_as_it_is(catalog, auth, authorization):
    client, desk = catalog({f"GET {ROOT}/rest_iceberg1/namespaces": {"namespaces": []}}, auth=auth)

    client.list_namespaces()

    assert {request.headers["Authorization"] for request in desk.requests} == {authorization}


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("cpd.test", "https://cpd.test/mds/iceberg"),
        ("cpd.test:8443", "https://cpd.test:8443/mds/iceberg"),
        ("http://localhost:8181/", "http://localhost:8181/mds/iceberg"),
        ("https://cpd.test:443/api/v1/iceberg", "https://cpd.test:443/api/v1/iceberg"),
        ("https://cpd.test/mds/iceberg/", "https://cpd.test/mds/iceberg"),
    ],
)
def test_catalog_address_is_below_its_instance(host, address):
    assert repr(WatsonxCatalog(host, "c")) == f"WatsonxCatalog({address!r})"


@pytest.mark.parametrize(
    ("host", "name"),
    [("user:pass@cpd.test", "c"), ("", "c"), ("cpd.test?x=1", "c"), ("cpd.test", "")],
)
def test_invalid_host_or_catalog_name_raises_value_error(host, name):
    with pytest.raises(ValueError, match=r"address|credentials|name"):
        WatsonxCatalog(host, name)


def test_config_request_names_the_catalog_as_warehouse(catalog):
    client, desk = catalog({})

    client.config()

    assert [str(request.url.query, "ascii") for request in desk.requests] == [
        "warehouse=rest_iceberg1"
    ]


def test_configuration_without_defaults_is_accepted(catalog):
    client, _ = catalog({})

    assert client.config().defaults == {}
    assert client.properties()["warehouse"] == "s3://bucket/warehouse/"


@pytest.mark.parametrize(
    ("name", "prefix"), [("c", "c"), ("my catalog", "my%20catalog"), ("a/b", "a%2Fb")]
)
def test_catalog_name_is_the_path_prefix(catalog, name, prefix):
    client, desk = catalog({f"HEAD {ROOT}/{prefix}/namespaces/n": httpx.Response(204)}, name=name)

    assert client.namespace_exists("n") is True
    assert desk.calls == [f"HEAD {ROOT}/{prefix}/namespaces/n"]


def test_prefix_override_replaces_the_catalog_name(catalog):
    client, desk = catalog(
        {f"GET {ROOT}/other/namespaces": {"namespaces": []}},
        config={"overrides": {"prefix": "other"}},
    )

    client.list_namespaces()

    assert desk.calls == [f"GET {ROOT}/other/namespaces"]


def test_missing_endpoints_offer_every_documented_operation(catalog):
    client, _ = catalog({})

    assert {
        operation for operation in Contract("iceberg_rest").operations if client.offers(operation)
    } == set(Contract("watsonx_data").operations)


def test_listed_endpoints_are_offered(catalog):
    client, _ = catalog({}, config={**CONFIG, "endpoints": ["GET /v1/{prefix}/namespaces"]})

    assert (client.offers("listNamespaces"), client.offers("createView")) == (True, False)


@pytest.mark.parametrize("namespace", [("a", "b"), (), ["a", "b", "c"]])
def test_nested_or_empty_namespace_raises_before_a_request(catalog, namespace):
    client, desk = catalog({})

    with pytest.raises(ValueError, match="level"):
        client.create_namespace(namespace)
    assert desk.requests == []


def test_namespace_has_no_children(catalog):
    client, desk = catalog({})

    assert client.list_namespaces("a") == []
    assert desk.requests == []


@pytest.mark.parametrize(("user", "key"), [("", "k"), ("u", ""), ("a:b", "k")])
def test_ambiguous_user_and_key_raise_without_their_values(user, key):
    with pytest.raises(ValueError, match="API key") as exc_info:
        ZenApiKey(user, key)
    assert "a:b" not in str(exc_info.value)


@pytest.mark.parametrize("credential", [KEY, ENCODED, f"ZenApiKey {ENCODED}", f"{USER}:{KEY}"])
def test_key_is_hidden_in_every_form(credential):
    redactor = Redactor(
        Request("GET", "http://x", (("Authorization", f"ZenApiKey {ENCODED}"),), None)
    )

    hidden = redactor.text(f"your credential was {credential}.")

    assert HIDDEN in hidden
    assert (KEY in hidden, ENCODED in hidden) == (False, False)


def test_error_hides_the_key_and_its_base64_form(catalog):
    message = f"user {USER} has no right with {KEY}, that is {ENCODED}"
    refusal = httpx.Response(
        403, json={"error": {"message": message, "type": "NotAuthorizedException", "code": 403}}
    )
    client, _ = catalog(
        {f"GET {ROOT}/rest_iceberg1/namespaces/n": refusal}, auth=ZenApiKey(USER, KEY)
    )

    with pytest.raises(Forbidden) as exc_info:
        client.load_namespace("n")

    text = f"{traceback.format_exception(exc_info.value)} {vars(exc_info.value)!r}"
    assert (KEY in text, ENCODED in text) == (False, False)


def test_namespace_of_another_catalog_exists_whatever_exist_ok_says(catalog):
    conflict = {"error": {"message": "x", "type": "AlreadyExistsException", "code": 409}}
    absent = {"error": {"message": "x", "type": "NoSuchNamespaceException", "code": 404}}
    client, _ = catalog(
        {
            f"POST {ROOT}/rest_iceberg1/namespaces": httpx.Response(409, json=conflict),
            f"GET {ROOT}/rest_iceberg1/namespaces/n": httpx.Response(404, json=absent),
        }
    )

    with pytest.raises(AlreadyExists):
        client.create_namespace("n", exist_ok=True)


def test_key_of_ibm_cloud_is_exchanged_for_a_token():
    flow = IamApiKey("planted-Key").flow(Request("GET", "https://cpd.test/v1/config"))

    token_request = next(flow)
    request = flow.send(Reply(200, (), b'{"access_token": "abc", "expires_in": 3600}'))

    assert (token_request.url, dict(parse_qsl((token_request.content or b"").decode()))) == (
        "https://iam.cloud.ibm.com/identity/token",
        {"grant_type": "urn:ibm:params:oauth:grant-type:apikey", "apikey": "planted-Key"},
    )
    assert dict(request.headers)["Authorization"] == "Bearer abc"
    assert "planted" not in repr(IamApiKey("planted-Key"))


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    """Yield a server that accepts one key and one token."""
    credentials = tmp_path_factory.mktemp("instance") / "credentials.yaml"
    credentials.write_text(
        yaml.safe_dump({"tokens": ["a-token"], "api-keys": {USER: KEY}}), "utf-8"
    )
    with running(
        contract="watsonx_data", warehouse="memory:", prefix="iceberg_data", credentials=credentials
    ) as server:
        yield server


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize(
    "auth", [ZenApiKey(USER, KEY), BearerToken("a-token"), BasicAuth(USER, KEY)], ids=repr
)
def test_reference_server_stores_tables(instance, kind, auth):
    with Driven(kind, instance.url, warehouse="iceberg_data", auth=auth) as client:
        client.create_namespace("accounting", {"owner": "hank"})
        created = client.create_table("accounting.paid", SCHEMA)
        table = client.load_table("accounting.paid")
        namespaces = client.list_namespaces()
        client.drop_table("accounting.paid")
        client.drop_namespace("accounting")

    assert namespaces == [("accounting",)]
    assert created.metadata.table_uuid == table.metadata.table_uuid


@pytest.mark.parametrize(
    "auth",
    [None, BearerToken("another"), ZenApiKey(USER, "another"), ZenApiKey("another", KEY)],
    ids=repr,
)
def test_wrong_credentials_raise_not_authenticated(instance, auth):
    with (
        WatsonxCatalog(instance.url, "iceberg_data", auth=auth) as catalog,
        pytest.raises(NotAuthenticated),
    ):
        catalog.config()
