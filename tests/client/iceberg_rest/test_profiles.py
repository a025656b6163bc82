"""Catalogs are opened as the configuration of pyiceberg and URIs describe them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from driving import KINDS
from lakepact.client import IcebergCatalog, WatsonxCatalog

FILE = """
default-catalog: prod
catalog:
  prod: {type: rest, uri: https://catalog.example/ws/, warehouse: lake, token: t0ken, header.X-Tenant: a}
  glue: {uri: https://glue.example, rest.sigv4-enabled: true, rest.signing-name: glue, rest.signing-region: eu-west-1}
  behind: {uri: https://behind.example, credential: "id:s3cr3t:x", ssl: {cabundle: nowhere.pem}}
  login: {uri: https://a.example, auth: {type: oauth2, oauth2: {client_id: id, client_secret: s3cr3t, token_url: https://b.example/t}}}
  local: {type: sql, uri: sqlite:///x.db}
  google: {uri: https://google.example, auth: {type: google}}
"""
PROD = {
    "address": "https://catalog.example/ws",
    "warehouse": "lake",
    "properties": {"header.x-tenant": "a"},
}


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # pyiceberg refuses the flow style.
    (tmp_path / ".pyiceberg.yaml").write_text(
        yaml.dump(yaml.load(FILE, yaml.BaseLoader), default_flow_style=False)
    )
    for name, value in {
        "PYICEBERG_HOME": str(tmp_path),
        "AWS_ACCESS_KEY_ID": "AKID",
        "AWS_SECRET_ACCESS_KEY": "s3cr3t",
    }.items():
        monkeypatch.setenv(name, value)


def arguments_of(catalog: Any) -> dict[str, object]:
    """Return the arguments that a catalog pickles."""
    return {name: value for name, value in catalog.__getstate__().items() if name in PROD and value}


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize("name", [None, "PROD"])
def test_profile_of_the_file_is_opened(kind: Any, name: str | None) -> None:
    assert arguments_of(kind.from_profile(name)) == PROD


def test_variables_win_over_the_file_and_arguments_over_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__URI", "https://other.example")

    assert arguments_of(IcebergCatalog.from_profile(warehouse="mine")) == PROD | {
        "address": "https://other.example",
        "warehouse": "mine",
    }


@pytest.mark.parametrize(
    ("name", "auth"),
    [
        ("prod", "BearerToken([hidden])"),
        ("glue", "SigV4('glue', region='eu-west-1', credentials=[hidden])"),
        ("behind", "ClientCredentials('https://behind.example/v1/oauth/tokens', [hidden])"),
        ("login", "ClientCredentials('https://b.example/t', [hidden])"),
    ],
)
def test_login_of_a_profile_is_used(name: str, auth: str) -> None:
    assert repr(IcebergCatalog.from_profile(name, verify=True).__getstate__()["auth"]) == auth


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("behind", r"verify='nowhere\.pem': No such file"),
        ("local", "the type of the catalog is 'sql', and rest is supported"),
        ("google", r"auth\.type basic and oauth2 are supported"),
        (
            "absent",
            r"no catalog 'absent': neither \.pyiceberg\.yaml nor PYICEBERG_CATALOG__ABSENT__URI describes it",
        ),
    ],
)
def test_unusable_profile_names_the_setting(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IcebergCatalog.from_profile(name)


def test_catalog_of_a_uri_takes_properties_from_its_query() -> None:
    catalog = IcebergCatalog.from_uri(
        "https://catalog.example/ws?warehouse=lake&header.x-tenant=a&token=t0ken"
    )

    assert (arguments_of(catalog), "t0ken" in repr(catalog)) == (PROD, False)
    assert repr(WatsonxCatalog.from_uri("https://cpd.example", warehouse="lake")).startswith(
        "WatsonxCatalog('https://cpd.example"
    )
