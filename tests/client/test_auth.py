"""Every request carries the credentials, and an expired token is replaced."""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog, errors
from lakepact.reach.auth import Auth, BearerToken

from .conftest import FEED, VISIT, Pet

REX = httpx.Response(200, json={"name": "rex"})


def authorizations(server):
    return [request.headers.get("Authorization") for request in server.requests]


def test_request_without_auth_has_no_credentials(send, script):
    server = script(REX)

    send(server, VISIT)

    assert authorizations(server) == [None]


def test_bearer_token_is_sent_with_every_try(send, script):
    server = script(httpx.Response(503), REX)

    send(server, VISIT, auth=BearerToken("abc.def"))

    assert authorizations(server) == ["Bearer abc.def", "Bearer abc.def"]


@pytest.mark.parametrize("status", [401, 419])
def test_expired_token_is_replaced_by_the_token_function(send, script, status):
    tokens = iter(["old1", "new1"])
    server = script(httpx.Response(status), REX)

    assert send(server, FEED, auth=BearerToken(lambda: next(tokens))) == Pet(name="rex")
    assert authorizations(server) == ["Bearer old1", "Bearer new1"]


def test_refused_token_is_not_sent_again(send, script):
    server = script(httpx.Response(401))

    with pytest.raises(errors.NotAuthenticated):
        send(server, VISIT, auth=BearerToken("abc"))

    assert len(server.requests) == 1


def test_token_that_is_not_text_raises_type_error():
    with pytest.raises(TypeError, match="a bearer token is text, not NoneType"):
        BearerToken(None)


@pytest.mark.parametrize("client", [IcebergCatalog, AsyncIcebergCatalog])
def test_plain_string_as_auth_raises_type_error(client):
    with pytest.raises(TypeError, match=r"BearerToken\(…\)") as exc_info:
        client("http://127.0.0.1:1", auth="do-not-tell")

    assert "do-not-tell" not in str(exc_info.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "sécret-token"])
def test_token_unfit_for_a_header_raises_without_the_token(token):
    with pytest.raises(ValueError, match="visible ASCII") as exc_info:
        BearerToken(token)

    assert not token or token not in str(exc_info.value)


def test_auth_flow_can_send_its_own_requests(send, script):
    class Challenge(Auth):
        def flow(self, request):
            ticket = yield request.with_header("X-Want", "ticket")
            yield request.with_header("X-Ticket", ticket.header("X-Ticket"))

    server = script(httpx.Response(401, headers={"X-Ticket": "t1"}), REX)

    assert send(server, VISIT, auth=Challenge()) == Pet(name="rex")
    assert server.requests[1].headers["X-Ticket"] == "t1"
