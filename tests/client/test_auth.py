"""Every request carries the credentials, and a token that ran out is replaced."""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog, errors
from lakepact.client.auth import Auth, BearerToken

from .conftest import FEED, VISIT, Pet

REX = httpx.Response(200, json={"name": "rex"})


def authorizations(server):
    return [request.headers.get("Authorization") for request in server.requests]


def test_without_auth_no_credentials_are_sent(send, script):
    server = script(REX)

    send(server, VISIT)

    assert authorizations(server) == [None]


def test_a_bearer_token_is_sent_with_every_try(send, script):
    server = script(httpx.Response(503), REX)

    send(server, VISIT, auth=BearerToken("abc.def"))

    assert authorizations(server) == ["Bearer abc.def", "Bearer abc.def"]


@pytest.mark.parametrize("status", [401, 419])
def test_a_token_that_ran_out_is_replaced_by_the_function_that_gives_tokens(send, script, status):
    tokens = iter(["old1", "new1"])
    server = script(httpx.Response(status), REX)

    assert send(server, FEED, auth=BearerToken(lambda: next(tokens))) == Pet(name="rex")
    assert authorizations(server) == ["Bearer old1", "Bearer new1"]


def test_the_same_token_is_not_refused_twice(send, script):
    server = script(httpx.Response(401))

    with pytest.raises(errors.NotAuthenticated):
        send(server, VISIT, auth=BearerToken("abc"))

    assert len(server.requests) == 1


def test_a_token_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="a bearer token is text, not NoneType"):
        BearerToken(None)


@pytest.mark.parametrize("client", [IcebergCatalog, AsyncIcebergCatalog])
def test_who_gives_a_token_as_it_is_is_told_at_once_what_is_wanted(client):
    with pytest.raises(TypeError, match=r"BearerToken\(…\)") as caught:
        client("http://127.0.0.1:1", auth="do-not-tell")

    assert "do-not-tell" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "sécret-token"])
def test_a_token_that_cannot_stand_in_a_header_is_refused_without_being_repeated(token):
    with pytest.raises(ValueError, match="visible ASCII") as caught:
        BearerToken(token)

    assert not token or token not in str(caught.value)


def test_a_flow_may_send_requests_of_its_own(send, script):
    class Challenge(Auth):
        def flow(self, request):
            ticket = yield request.with_header("X-Want", "ticket")
            yield request.with_header("X-Ticket", ticket.header("X-Ticket"))

    server = script(httpx.Response(401, headers={"X-Ticket": "t1"}), REX)

    assert send(server, VISIT, auth=Challenge()) == Pet(name="rex")
    assert server.requests[1].headers["X-Ticket"] == "t1"
