"""A call is authorized, retried where that is safe, and returns a model or raises one error."""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES, Retries
from lakepact.generated.contract import Call
from lakepact.reach.auth import BearerToken

from .conftest import ADOPT, FEED, LEAVE, VISIT, Pet

REX = httpx.Response(200, json={"name": "rex"})
LOST = httpx.ReadError("connection reset")
REFUSED_CONNECTION = httpx.ConnectError("connection refused")


def test_success_is_decoded_into_the_model_of_its_status(send, script):
    assert send(script(REX), VISIT) == Pet(name="rex")


def test_success_without_a_documented_body_returns_none(send, script):
    assert send(script(httpx.Response(204)), LEAVE) is None


def test_success_with_another_status_is_decoded(send, script):
    assert send(script(httpx.Response(201, json={"name": "rex"})), ADOPT) == Pet(name="rex")


def test_request_equals_the_call(send, script):
    server = script(REX)

    query = (("a", ""), ("b", "x y&z+"), ("b", "é"))
    send(
        server,
        Call(
            "visit",
            "POST",
            "/pets/%1F%2F%25+%C3%A9",
            query,
            (("X-Why", "so"),),
            b"{}",
            {"200": Pet},
        ),
    )

    (request,) = server.requests
    assert request.method == "POST"
    assert request.url.raw_path == b"/base/pets/%1F%2F%25+%C3%A9?a=&b=x+y%26z%2B&b=%C3%A9"
    assert request.headers["X-Why"] == "so"
    assert request.content == b"{}"


def test_cookie_of_the_server_is_not_sent_back(send, script):
    server = script(httpx.Response(503, headers={"Set-Cookie": "who=me"}), REX)

    send(server, VISIT)

    assert [request.headers.get("Cookie") for request in server.requests] == [None, None]


def test_idempotent_request_is_retried_after_growing_pauses(send, script):
    server = script(httpx.Response(503), httpx.Response(502), LOST, REX)

    assert send(server, VISIT) == Pet(name="rex")
    assert server.pauses == [0.25, 0.5, 1.0]


def test_retry_after_is_waited_for_exactly(send, script):
    server = script(httpx.Response(429, headers={"Retry-After": "7"}), REX)

    send(server, VISIT)

    assert server.pauses == [7.0]


@pytest.mark.parametrize("status", [429, 503])
def test_change_answered_with_retry_after_is_retried(send, script, status):
    server = script(httpx.Response(status, headers={"Retry-After": "1"}), REX)

    assert send(server, FEED) == Pet(name="rex")


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
def test_commit_answered_5xx_is_sent_once(send, script, status):
    server = script(httpx.Response(status), REX)

    with pytest.raises(errors.OutcomeUnknown) as exc_info:
        send(server, FEED)

    assert len(server.requests) == 1
    assert exc_info.value.status == status
    assert exc_info.value.is_retry_safe is False


@pytest.mark.parametrize(
    "failure",
    [
        LOST,
        httpx.ReadTimeout("slow"),
        httpx.WriteError("reset"),
        httpx.RemoteProtocolError("closed"),
    ],
)
@pytest.mark.parametrize("call", [FEED, ADOPT], ids=["commit", "other"])
def test_change_with_a_lost_reply_is_sent_once(send, script, call, failure):
    server = script(failure, REX)

    with pytest.raises(errors.OutcomeUnknown) as exc_info:
        send(server, call)

    assert len(server.requests) == 1
    assert exc_info.value.__cause__ is failure


def test_busy_server_raises_a_retry_safe_error(send, script):
    server = script(httpx.Response(503, headers={"Retry-After": "1"}))

    with pytest.raises(errors.ServerError) as exc_info:
        send(server, FEED)

    assert (exc_info.value.tries, exc_info.value.is_retry_safe, exc_info.value.retry_after) == (
        4,
        True,
        1.0,
    )


def test_unreachable_server_is_named_in_the_error(send, script):
    with pytest.raises(
        errors.Unreachable,
        match=r"no connection to http://pets\.test/base: ConnectError: connection refused",
    ) as exc_info:
        send(script(REFUSED_CONNECTION), VISIT)

    assert exc_info.value.tries == 4
    assert exc_info.value.__cause__ is REFUSED_CONNECTION


def test_pause_beyond_the_total_time_is_not_begun(send, script):
    server = script(httpx.Response(503, headers={"Retry-After": "3600"}))

    with pytest.raises(errors.ServerError, match="retry after 3600 s"):
        send(server, VISIT)

    assert server.pauses == []


def test_total_time_of_all_tries_is_limited(send, script):
    server = script(httpx.Response(503, headers={"Retry-After": "4"}))

    with pytest.raises(errors.ServerError):
        send(server, VISIT, retries=Retries(tries=100, total=10))

    assert server.pauses == [4.0, 4.0]


def test_no_retries_sends_a_call_once(send, script):
    server = script(httpx.Response(503), REX)

    with pytest.raises(errors.ServerError):
        send(server, VISIT, retries=NO_RETRIES)

    assert len(server.requests) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"name": 5}', b'{"name": "r', b"\xff"])
def test_success_with_an_invalid_body_is_a_bad_reply(send, script, body):
    with pytest.raises(errors.BadReply) as exc_info:
        send(script(httpx.Response(200, content=body)), VISIT)

    assert exc_info.value.status == 200
    assert exc_info.value.exchange.reply_body == body.decode(errors="replace")


def test_redirect_is_a_bad_reply_and_not_followed(send, script):
    server = script(httpx.Response(307, headers={"Location": "http://elsewhere.test/"}))

    with pytest.raises(errors.BadReply, match="307 to http://elsewhere"):
        send(server, VISIT, auth=BearerToken("a-token"))

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("call", "status", "body", "expected"),
    [
        (VISIT, 400, b"Odd|no", errors.BadRequest),
        (VISIT, 401, b"", errors.NotAuthenticated),
        (VISIT, 403, b"", errors.Forbidden),
        (VISIT, 404, b"", errors.NotFound),
        (VISIT, 404, b"<html>nginx</html>", errors.NotFound),
        (VISIT, 404, b"NoSuchTable|no pet", errors.NoSuchTable),
        (
            VISIT,
            404,
            b"NoSuchNamespace|so",
            errors.NoSuchNamespace,
        ),  # a type that the contract names elsewhere and that fits
        (VISIT, 404, b"Gone|so", errors.NoSuchTable),  # an unknown type where only one is named
        (ADOPT, 404, b"NoSuchNamespace|so", errors.NoSuchNamespace),  # a type that it names here
        (ADOPT, 404, b"Gone|so", errors.NotFound),  # an unknown type where several are named
        (ADOPT, 404, b"|so", errors.NotFound),  # no type
        (VISIT, 405, b"", errors.OperationNotSupported),
        (VISIT, 406, b"", errors.OperationNotSupported),
        (VISIT, 409, b"", errors.Conflict),
        (ADOPT, 409, b"Taken|so", errors.AlreadyExists),  # a type where the contract names none
        (VISIT, 418, b"", errors.ResponseError),
        (VISIT, 419, b"", errors.NotAuthenticated),
        (VISIT, 422, b"", errors.BadRequest),
        (VISIT, 429, b"", errors.Throttled),
        (VISIT, 500, b"", errors.ServerError),
        (VISIT, 500, b"NoSuchTable|so", errors.ServerError),  # a type that belies the status
        (
            ADOPT,
            500,
            b"Unclear|so",
            errors.OutcomeUnknown,
        ),  # an unknown outcome, by the server's own word
        (VISIT, 501, b"", errors.OperationNotSupported),
        (
            FEED,
            501,
            b"Never|so",
            errors.OperationNotSupported,
        ),  # a commit that is not implemented was not carried out
        (VISIT, 502, b"<html>", errors.ServerError),
        (
            FEED,
            503,
            b"Busy|so",
            errors.OutcomeUnknown,
        ),  # a busy server that does not invite back to a commit
    ],
)
def test_error_reply_with_any_body_raises_its_error(send, script, call, status, body, expected):
    with pytest.raises(errors.LakepactError) as exc_info:
        send(script(httpx.Response(status, content=body)), call)

    assert type(exc_info.value) is expected


def test_error_keeps_the_facts_of_the_failure(send, script):
    reply = httpx.Response(
        409,
        headers={"X-Request-Id": "r-17", "Retry-After": "3"},
        content=b"Changed|someone was faster",
    )

    with pytest.raises(errors.CommitRejected) as exc_info:
        send(script(reply), FEED)

    error = exc_info.value
    assert (error.operation, error.status, error.type, error.message) == (
        "feed",
        409,
        "Changed",
        "someone was faster",
    )
    assert (error.request_id, error.retry_after, error.is_retry_safe, error.tries) == (
        "r-17",
        3.0,
        False,
        1,
    )
    assert (error.exchange.method, error.exchange.url, error.exchange.request_body) == (
        "POST",
        "http://pets.test/base/pets/rex",
        "{}",
    )


def test_error_text_names_operation_answer_and_advice(send, script):
    reply = httpx.Response(
        409, headers={"X-Request-Id": "r-17"}, content=b"Changed|someone was faster"
    )

    with pytest.raises(errors.CommitRejected) as exc_info:
        send(script(reply), FEED)

    assert str(exc_info.value) == (
        "feed: 409 Changed: someone was faster. request id r-17. "
        "Load the table again, apply the change to its current state, and commit that"
    )
