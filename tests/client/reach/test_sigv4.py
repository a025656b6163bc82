"""Signatures of requests: AWS's published example, and what they cover."""

from __future__ import annotations

from datetime import UTC, datetime

import botocore.auth
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from lakepact.client import SigV4
from lakepact.client.redaction import redact
from lakepact.reach.wire import Reply, Request

# The example "get-vanilla" of AWS's test suite for Signature Version 4.
KEYS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
PUBLISHED = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
COMMIT = Request(
    "POST",
    "https://catalog/v1/t",
    (("Accept", "application/json"), ("Content-Type", "application/json")),
    b'{"x":1}',
)


@pytest.fixture(autouse=True)
def at_a_fixed_time(monkeypatch):
    monkeypatch.setattr(
        botocore.auth, "get_current_datetime", lambda: datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
    )


def sign(request: Request, credentials: Credentials = KEYS) -> Request:
    return next(SigV4("service", region="us-east-1", credentials=credentials).flow(request))


def header(request: Request, name: str) -> str:
    return dict(request.headers)[name]


def test_signature_equals_the_published_one():
    request = sign(
        Request("GET", "https://example.amazonaws.com/", (("Accept", "application/json"),))
    )

    scope = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
    assert (
        header(request, "Authorization")
        == f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={PUBLISHED}"
    )
    assert header(request, "X-Amz-Date") == "20150830T123600Z"
    assert header(request, "Accept") == "application/json"


def test_signature_of_a_commit_equals_that_of_botocore():
    own = AWSRequest("POST", COMMIT.url, {"Content-Type": "application/json"}, b'{"x":1}')
    SigV4Auth(KEYS, "service", "us-east-1").add_auth(own)

    assert header(sign(COMMIT), "Authorization") == own.headers["Authorization"]


def test_space_in_a_query_is_signed_and_sent_as_percent_20():
    request = sign(Request("GET", "https://catalog/v1/namespaces?parent=a+b%2B"))

    assert request.url == "https://catalog/v1/namespaces?parent=a%20b%2B"
    assert header(request, "Authorization") == header(
        sign(Request("GET", request.url)), "Authorization"
    )


def test_plus_sign_that_is_sent_as_it_is_is_signed_as_itself():
    signer = SigV4("service", region="us-east-1", credentials=KEYS)

    assert signer.signature(Request("GET", "https://catalog/v1/a+b?parent=a+b")) == (
        signer.signature(Request("GET", "https://catalog/v1/a+b?parent=a%2Bb"))
    )


def test_session_token_is_signed_and_hidden():
    request = sign(COMMIT, Credentials("AKIDEXAMPLE", "secret", "the-session-token"))

    assert header(request, "X-Amz-Security-Token") == "the-session-token"
    assert "x-amz-security-token" in header(request, "Authorization")
    assert "the-session-token" not in str(
        redact(request, Reply(403, content=b"no the-session-token"))
    )


def test_keys_come_from_the_environment(monkeypatch):
    for name, value in {
        "ACCESS_KEY_ID": "AKIDOTHER",
        "SECRET_ACCESS_KEY": "s",
        "DEFAULT_REGION": "eu-west-1",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)

    request = next(SigV4("glue").flow(COMMIT))

    assert "Credential=AKIDOTHER/20150830/eu-west-1/glue/aws4_request" in header(
        request, "Authorization"
    )


def test_missing_region_raises_value_error(monkeypatch, tmp_path):
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "absent"))

    with pytest.raises(ValueError, match="no AWS region"):
        SigV4("glue", credentials=KEYS)


def test_repr_hides_the_keys():
    assert (
        repr(SigV4("glue", region="us-east-1", credentials=KEYS))
        == "SigV4('glue', region='us-east-1', credentials=[hidden])"
    )
