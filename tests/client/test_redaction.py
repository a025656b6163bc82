"""No secret reaches a representation, an exception, its traceback or a log."""

from __future__ import annotations

import json
import logging
import traceback

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client import IcebergCatalog, LakepactError, errors
from lakepact.client.redaction import EXCERPT, HIDDEN, Redactor, redact
from lakepact.conformance.evidence.redaction import redact as redacted_by_the_suite
from lakepact.reach.auth import BearerToken
from lakepact.reach.wire import Reply, Request

from .conftest import FEED, VISIT, Pet

TOKEN = "planted-Token.0123456789"
VENDED = "wJalrXUtnFEMI/K7MDENG"


def text_of_error(error: BaseException | None) -> str:
    """Return the text, the values and the local variables of our frames of an error, as a crash
    reporter shows them.
    """
    if error is None:
        return ""
    frames = [
        frame.f_locals
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if "client/lakepact" in frame.f_code.co_filename
    ]
    chain = text_of_error(error.__cause__) + text_of_error(error.__context__)
    return f"{traceback.format_exception(error)} {error!r} {vars(error)} {frames} {chain}"


FAILURES = {
    "refused": httpx.Response(403, json={"error": {"message": f"not you, {TOKEN}", "type": TOKEN}}),
    "in the contract's form": httpx.Response(
        403, content=f"Bad {TOKEN}|your token {TOKEN} is bad".encode()
    ),
    "echoed in headers": httpx.Response(
        500, headers={"X-Request-Id": TOKEN, "X-Echo": f"Bearer {TOKEN}"}
    ),
    "not json": httpx.Response(200, content=f"<p>{TOKEN}</p>".encode()),
    "not the model": httpx.Response(200, json={"name": [TOKEN], "s3.secret-access-key": VENDED}),
    "cut off": httpx.Response(
        200, content=f'{{"config": {{"s3.secret-access-key": "{VENDED}'.encode()
    ),
    "redirected": httpx.Response(
        302, headers={"Location": f"http://elsewhere.test/?token={TOKEN}"}
    ),
    "no connection": httpx.ConnectError("refused"),
    "lost": httpx.ReadError("reset"),
}


@pytest.mark.parametrize("answer", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("call", [VISIT, FEED], ids=["read", "commit"])
def test_error_holds_no_secret(send, script, caplog, call, answer):
    caplog.set_level(logging.DEBUG)

    with pytest.raises(errors.LakepactError) as exc_info:
        send(script(answer), call, auth=BearerToken(lambda: TOKEN))

    text = text_of_error(exc_info.value) + caplog.text
    assert TOKEN not in text
    assert VENDED not in text
    assert exc_info.value.operation in caplog.text


def test_cause_of_an_error_holds_no_secret(send, script):
    with pytest.raises(errors.BadReply) as exc_info:
        send(script(FAILURES["not the model"]), VISIT, auth=BearerToken(TOKEN))

    behind = exc_info.value.__cause__
    assert "name: Input should be a valid string" in str(behind)
    assert VENDED not in text_of_error(behind)


def test_repr_of_requests_and_replies_hides_headers_and_bodies():
    request = Request(
        "GET", "http://pets.test/", (("Authorization", f"Bearer {TOKEN}"),), TOKEN.encode()
    )
    reply = Reply(200, (("Set-Cookie", TOKEN),), TOKEN.encode())

    assert TOKEN not in f"{request!r} {reply!r} {BearerToken(TOKEN)!r} {vars(BearerToken(TOKEN))}"


def test_success_is_logged_without_secrets(send, script, caplog):
    caplog.set_level(logging.DEBUG, "lakepact.client")

    assert send(
        script(httpx.Response(200, json={"name": "rex"})), VISIT, auth=BearerToken(TOKEN)
    ) == Pet(name="rex")
    assert "visit: GET /pets/a%2Fb: 200" in caplog.text
    assert TOKEN not in caplog.text


def test_exchange_keeps_values_that_are_not_secret():
    headers = (("Authorization", f"Bearer {TOKEN}"), ("Accept", "*/*"))
    request = Request("POST", "http://pets.test/?pageSize=2&sig-token=x", headers, b'{"a": "b"}')
    reply = Reply(
        401,
        (("WWW-Authenticate", "Bearer"), ("Set-Cookie", "s=1")),
        b'{"message": "no", "client_secret": "x\\"y"}',
    )

    exchange = redact(request, reply)

    assert exchange.url == f"http://pets.test/?pageSize=2&sig-token={HIDDEN}"
    assert exchange.request_headers == (("Authorization", HIDDEN), ("Accept", "*/*"))
    assert exchange.request_body == '{"a": "b"}'
    assert exchange.reply_headers == (("WWW-Authenticate", "Bearer"), ("Set-Cookie", HIDDEN))
    assert exchange.reply_body == f'{{"message": "no", "client_secret": "{HIDDEN}"}}'


def test_long_body_is_cut():
    exchange = redact(Request("GET", "/"), Reply(400, (), b"token" * 2_000_000))

    assert exchange.reply_body == ("token" * EXCERPT)[:EXCERPT] + "…"


@given(st.text(), st.integers(0, 60))
def test_secret_member_is_hidden_in_a_cut_document(value, cut):
    document = json.dumps({"a": 1, "s3.session-token": f"{value}planted"}, ensure_ascii=False)

    assert "planted" not in Redactor(Request("GET", "/")).text(
        document[: len(document) - cut] + ("" if cut else "}")
    )


PASSWORD, SEAL = "pa55-w0rd-Xy", "5ea1edSignatureValue"
LEAKS = [
    f"s3://user:{PASSWORD}@bucket/warehouse",
    f"https://{PASSWORD}@host/path",
    f'{{"location":"s3:\\/\\/user:{PASSWORD}@bucket\\/w"}}',
    f"https://h/v1?warehouse=s3%3A%2F%2Fuser%3A{PASSWORD}%40bucket%2Fw",
    f"https://h/f?X-Amz-Credential={SEAL}&X-Amz-Security-Token={SEAL}&X-Amz-Signature={SEAL}",
    f"https://h/f?sv=1&se=2&sig={SEAL}",
    f'{{"url":"https://h/f?se=2\\u0026sig={SEAL}"}}',
    f"https://h/f?X-Goog-Signature={SEAL}&Signature={SEAL}&token={SEAL}",
]


@pytest.mark.parametrize("leak", LEAKS)
def test_error_shows_no_password_and_no_signature_of_a_url(leak):
    def refusing(_):
        return httpx.Response(
            404,
            json={"error": {"message": leak, "type": leak, "code": 404}},
            headers={"Location": leak, "X-Request-Id": leak},
        )

    http = httpx.Client(transport=httpx.MockTransport(refusing))
    with (
        IcebergCatalog("http://irc.test", http=http) as catalog,
        pytest.raises(LakepactError) as exc_info,
    ):
        catalog.config()

    text = f"{exc_info.value} {exc_info.value!r} {exc_info.value.exchange!r} {vars(exc_info.value)}"
    assert [secret for secret in (PASSWORD, SEAL) if secret in text] == []


@pytest.mark.parametrize("leak", LEAKS)
def test_suite_and_client_hide_the_same(leak):
    text = redacted_by_the_suite(leak, ()) + Redactor(Request("GET", "")).text(leak)

    assert [secret for secret in (PASSWORD, SEAL) if secret in text] == []


def test_container_of_a_storage_account_is_no_secret():
    location = "abfss://container@account.dfs.core.windows.net/w"

    assert (
        redacted_by_the_suite(location, ())
        == Redactor(Request("GET", "")).text(location)
        == location
    )
