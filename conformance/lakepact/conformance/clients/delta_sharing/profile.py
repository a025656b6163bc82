"""Profiles: their versions, endpoints, tokens and types."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import parse_qsl

import httpx
import orjson

from lakepact.conformance.clients.delta_sharing.api import (
    Answer,
    Forward,
    Members,
    NotOffered,
    Request,
    Script,
    SharingClientLab,
    check,
    expect,
    same_rows,
)
from lakepact.conformance.clients.delta_sharing.lab import ADDRESS
from lakepact.conformance.evidence.exchanges import Exchange

FUTURE = 99  #: a version that no client of today can know


@check("DS-PRF-01")
def unknown_profile_versions(lab: SharingClientLab) -> None:
    """A client reports an error for a profile with an unknown `shareCredentialsVersion`."""
    table, _ = lab.reads()
    with lab.judge("DS-PRF-01"):
        performance = lab.performs(
            "read-table", table=table, profile={"shareCredentialsVersion": FUTURE}
        )
        performance.expect_refusal(f"shareCredentialsVersion is {FUTURE}")


@check("DS-PRF-02", "DS-PRF-03")
def endpoints_and_tokens(lab: SharingClientLab) -> None:
    """A client reads tables by an `endpoint` with and without a trailing slash, and sends
    `bearerToken` with every request.
    """
    table, rows = lab.reads()
    exchanges: list[Exchange] = []
    with lab.judge_each("DS-PRF-02") as case:
        for slash in (False, True):
            with case():
                performance = lab.performs("read-table", table=table, slash=slash)
                exchanges += performance.exchanges
                same_rows(
                    performance,
                    rows,
                    f"where the endpoint has {'a' if slash else 'no'} slash at its end",
                )
    with lab.judge_each("DS-PRF-03") as case:
        for exchange in exchanges:
            with case():
                headers = exchange.request_values("authorization")
                expect.true(
                    headers == [f"Bearer {lab.token}"],
                    "the header Authorization: Bearer and the token of the profile",
                    _without_secrets(headers),
                )


#: Times in the future, as servers write them.
FUTURE_TIMES = ("2099-11-12T00:12:29Z", "2099-11-12T00:12:29.0Z", "2099-11-12T00:12:29.000Z")


@check("DS-CLI-20")
def expiration_times(lab: SharingClientLab) -> None:
    """A client reads tables with a profile whose `expirationTime` is in the future, with or without
    fractional seconds.
    """
    table, rows = lab.reads()
    with lab.judge_each("DS-CLI-20") as case:
        for time in FUTURE_TIMES:
            with case():
                performance = lab.performs(
                    "read-table", table=table, profile={"expirationTime": time}
                )
                same_rows(performance, rows, f"with a profile whose expirationTime is {time}")


def _without_secrets(headers: list[str]) -> str:
    """Return the scheme of each Authorization, and the length of its token."""
    return (
        " and ".join(
            f"{value.partition(' ')[0]} and {len(value.partition(' ')[2])} characters"
            for value in headers
        )
        or "no such header"
    )


TOKEN_PATH = "/identity/token"  # noqa: S105 - a path
NAME, SECRET = "recipient@example.org", "a-secret: of the script"
ISSUED = "token-of-the-script"
BASIC = "Basic " + base64.b64encode(f"{NAME}:{SECRET}".encode()).decode()
VERSION_2: Members = {"shareCredentialsVersion": 2, "bearerToken": None}
#: Members of a profile by its type, with the resulting Authorization.
PROFILES: Mapping[str, tuple[Members, str]] = {
    "bearer_token": ({"bearerToken": ISSUED}, f"Bearer {ISSUED}"),
    "basic": ({"username": NAME, "password": SECRET}, BASIC),
    "oauth_client_credentials": (
        {
            "tokenEndpoint": f"{ADDRESS}{TOKEN_PATH}",
            "clientId": NAME,
            "clientSecret": SECRET,
            "scope": "all",
        },
        f"Bearer {ISSUED}",
    ),
}
UNAUTHORIZED = Answer(
    401,
    body=(
        b'{"errorCode":"UNAUTHENTICATED","message":"not the authorization that the profile leads'
        b' to"}'
    ),
)


def requiring(authorization: str, token: str) -> Script:
    """Return a server that requires an Authorization, and issues a token for client credentials.

    Args:
        authorization: value of the header.
        token: authorizes requests to the server behind the scripted server.
    """

    def script(request: Request, forward: Forward) -> Answer:
        if request.target.partition("?")[0] == TOKEN_PATH:
            return _issue(request)
        if request.headers.get("authorization") != authorization:
            return UNAUTHORIZED
        others = [
            (name, value)
            for name, value in request.headers.multi_items()
            if name.lower() != "authorization"
        ]
        return forward(
            request.with_headers(httpx.Headers([*others, ("authorization", f"Bearer {token}")]))
        )

    return script


def _issue(request: Request) -> Answer:
    """Return the answer to a request for a token, with the client's id and secret in the form or in
    the header.
    """
    form = dict(parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True))
    in_form = (form.get("client_id"), form.get("client_secret")) == (NAME, SECRET)
    if form.get("grant_type") != "client_credentials" or not (in_form or _in_header(request)):
        return Answer(401, body=b'{"error":"invalid_client"}')
    return Answer(
        200, body=orjson.dumps({"access_token": ISSUED, "token_type": "bearer", "expires_in": 3600})
    )


def _in_header(request: Request) -> bool:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    try:
        plain = base64.b64decode(value).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    text = dict(parse_qsl(f"value={plain}")).get(
        "value"
    )  # RFC 6749 wants both percent-encoded first
    return scheme.lower() == "basic" and f"{NAME}:{SECRET}" in {plain, text}


@check("DS-CLI-21")
def profile_types(lab: SharingClientLab) -> None:
    """A client that sends requests with a profile of version 2 authorizes them by its `type`, and
    reads exactly the rows.
    """
    table, rows = lab.reads()
    count = 0
    with lab.judge_each("DS-CLI-21") as case:
        for kind, (members, authorization) in PROFILES.items():
            profile = {**VERSION_2, "type": kind, **members}
            performance = lab.performs(
                "read-table", requiring(authorization, lab.token), table=table, profile=profile
            )
            if performance.exchanges:
                count += 1
                with case():
                    same_rows(performance, rows, f"with a profile of the type {kind}")
    if not count:
        raise NotOffered("the client reads no profile of version 2")
