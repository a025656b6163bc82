"""A token is fetched once and replaced when it expires or is refused; only the token endpoint gets
the secret.
"""

from __future__ import annotations

import base64
from urllib.parse import parse_qs

import httpx
import pytest

from lakepact.client import BadReply, ClientCredentials, NotAuthenticated, ServerError, Unreachable

from .conftest import VISIT, Pet
from .test_redaction import text_of_error

SECRET = "planted+Secret/0123456789"
REX = httpx.Response(200, json={"name": "rex"})


def token(value, **more):
    return httpx.Response(200, json={"access_token": value, "token_type": "Bearer", **more})


def credentials(clock=lambda: 0.0):
    return ClientCredentials(
        "https://login.test/token", "me", SECRET, scope="all of it", clock=clock
    )


def authorizations(server):
    """Return the host and the authorization of each request."""
    return [
        (request.url.host, request.headers["Authorization"].split()[-1])
        for request in server.requests
    ]


def test_token_is_fetched_with_the_first_call_and_kept(send, script):
    server, auth = script(token("t1", expires_in=3600), REX, REX), credentials()

    send(server, VISIT, auth=auth)
    send(server, VISIT, auth=auth)

    basic = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert authorizations(server) == [
        ("login.test", basic),
        ("pets.test", "t1"),
        ("pets.test", "t1"),
    ]
    assert parse_qs(server.requests[0].content.decode()) == {
        "grant_type": ["client_credentials"],
        "scope": ["all of it"],
    }


@pytest.mark.parametrize(
    ("life", "lasts"), [(3600, 3540.0), ("3600", 3540.0), (60, 30.0), (1, 0.5)]
)
def test_token_is_replaced_before_it_expires(send, script, life, lasts):
    now = [0.0]
    server, auth = (
        script(token("t1", expires_in=life), REX, REX, token("t2"), REX),
        credentials(lambda: now[0]),
    )

    for now[0] in (0.0, lasts - 0.1, lasts):
        send(server, VISIT, auth=auth)

    assert [word for host, word in authorizations(server) if host == "pets.test"] == [
        "t1",
        "t1",
        "t2",
    ]


@pytest.mark.parametrize("status", [400, 401, 422])
def test_id_and_secret_are_sent_in_the_form_if_the_header_is_refused(send, script, status):
    now = [0.0]
    auth = credentials(lambda: now[0])
    server = script(httpx.Response(status), token("t1", expires_in=10), REX, token("t2"), REX)

    for now[0] in (0.0, 10.0):
        send(server, VISIT, auth=auth)

    forms = [request for request in server.requests if request.url.host == "login.test"]
    assert ["Authorization" in request.headers for request in forms] == [True, False, False]
    assert parse_qs(forms[-1].content.decode())["client_secret"] == [SECRET]


def test_busy_token_endpoint_gets_no_form(send, script):
    server = script(httpx.Response(429), token("t1"), REX)
    send(server, VISIT, auth=credentials())

    assert ["client_secret" in request.content.decode() for request in server.requests] == [
        False
    ] * 3


def test_refused_token_is_replaced_once(send, script):
    server, auth = script(token("t1"), REX, httpx.Response(401), token("t2"), REX), credentials()

    send(server, VISIT, auth=auth)
    answer = send(server, VISIT, auth=auth)

    assert answer == Pet(name="rex")
    assert [word for host, word in authorizations(server) if host == "pets.test"] == [
        "t1",
        "t1",
        "t2",
    ]


def test_refused_new_token_is_not_replaced(send, script):
    server = script(token("t1"), httpx.Response(401, content=b"No|no"))

    with pytest.raises(NotAuthenticated):
        send(server, VISIT, auth=credentials())

    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_busy_token_endpoint_is_retried(send, script, status):
    server = script(httpx.Response(status), token("t1"), REX)

    assert send(server, VISIT, auth=credentials()) == Pet(name="rex")
    assert server.pauses == [0.25]


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (
            httpx.Response(
                401, json={"error": "invalid_client", "error_description": f"wrong {SECRET}"}
            ),
            NotAuthenticated,
            "invalid_client",
        ),
        (httpx.Response(400, content=b"<p>no</p>"), NotAuthenticated, "gives no token"),
        (
            httpx.Response(302, headers={"Location": "https://elsewhere.test"}),
            NotAuthenticated,
            "gives no token",
        ),
        (httpx.Response(500), ServerError, "no error body"),
        (httpx.Response(200, content=b"[]"), BadReply, "no usable access_token"),
        (httpx.Response(200, json={"access_token": "a b"}), BadReply, "no usable access_token"),
        (
            httpx.Response(200, json={"access_token": SECRET, "token_type": "mac"}),
            BadReply,
            "no bearer token",
        ),
        (
            httpx.Response(200, json={"access_token": SECRET, "expires_in": "soon"}),
            BadReply,
            "is no number",
        ),
        (httpx.ConnectError("refused"), Unreachable, "no connection to https://login.test"),
        (httpx.ReadError("reset"), Unreachable, "no reply from https://login.test"),
    ],
)
def test_token_endpoint_error_hides_the_secret(send, script, answer, kind, message):
    with pytest.raises(kind, match=message) as exc_info:
        send(script(answer), VISIT, auth=credentials())

    assert type(exc_info.value) is kind
    assert SECRET not in text_of_error(exc_info.value)
    assert base64.b64encode(f"me:{SECRET}".encode()).decode() not in text_of_error(exc_info.value)


def test_credentials_repr_shows_the_token_endpoint_only():
    assert repr(credentials()) == "ClientCredentials('https://login.test/token', [hidden])"
