"""Callers are identified by a bearer token; unknown callers get 401."""

from __future__ import annotations

import pytest

from lakepact.reference_server import Server
from raw_connections import sent

from .conftest import As, guarded

NOBODY = 'Bearer realm="lakepact"'
WRONG = 'Bearer realm="lakepact", error="invalid_token"'


@pytest.mark.parametrize(
    ("authorization", "challenge"),
    [
        ("Bearer nobodys-token", WRONG),
        ("Bearer root-token.", WRONG),
        ("Bearer lakepact.e30.AAAA", WRONG),
        ("Bearer lakepact.é.é", WRONG),
        ("Bearer", NOBODY),
        ("Bearer  ", NOBODY),
        ("root-token", NOBODY),
        ("Basic cm9vdC10b2tlbg==", NOBODY),
        ("Bearer former-token", WRONG),
    ],
)
def test_unknown_or_malformed_token_returns_401(
    bearing: As, authorization: str, challenge: str
) -> None:
    answer = bearing(None)("GET", "/v1/namespaces", authorization=authorization.encode("latin-1"))

    assert (401, challenge) == (answer.status, answer.headers["www-authenticate"])
    assert authorization.rsplit(maxsplit=1)[-1] not in answer.body.decode() or authorization in {
        "Bearer",
        "Bearer  ",
    }


def test_the_scheme_has_no_case_and_a_token_may_have_spaces_around(
    bearing: As,
) -> None:
    assert [
        bearing(None)("GET", "/v1/config", authorization=f"{word}  root-token ").status
        for word in ("bearer", "BEARER")
    ] == [200, 200]


def test_unknown_path_returns_404_and_pages_200_without_token(bearing: As) -> None:
    nobody = bearing(None)

    assert (
        nobody("GET", "/v1/nothing").status,
        nobody("GET", "/healthz").status,
        nobody("GET", "/").status,
    ) == (404, 200, 200)


@pytest.mark.parametrize(
    "query", ["access_token=root-token", "token=root-token", "authorization=Bearer%20root-token"]
)
def test_token_in_the_query_returns_401(bearing: As, query: str) -> None:
    assert bearing(None)("GET", f"/v1/namespaces?{query}").status == 401


@pytest.mark.parametrize("shown", [("root", "nobodys"), ("nobodys", "root"), ("root", "root")])
def test_several_authorization_headers_return_401(
    filled: tuple[Server, As], shown: tuple[str, str]
) -> None:
    server, _ = filled
    tokens = "".join(f"Authorization: Bearer {one}-token\r\n" for one in shown)
    head = f"GET /v1/namespaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{tokens}\r\n"

    assert sent(server.url, head.encode()).startswith(b"HTTP/1.1 401 ")


def test_with_auth_none_principals_are_not_asked_for(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with guarded(tmp_path_factory.mktemp("open"), auth="none") as (_, bearing):
        assert bearing(None)("POST", "/v1/namespaces", {"namespace": ["a"]}).status == 200


def test_with_auth_bearer_no_tokens_are_issued(tmp_path_factory: pytest.TempPathFactory) -> None:
    with guarded(tmp_path_factory.mktemp("bearer"), auth="bearer") as (_, bearing):
        answer = bearing(None).form(
            grant_type="client_credentials", client_id="bot id", client_secret="bot:s3cr&t%"
        )
        endpoints = bearing("root-token")("GET", "/v1/config").document["endpoints"]

    assert (answer.status, "POST /v1/oauth/tokens" in endpoints) == (406, False)
