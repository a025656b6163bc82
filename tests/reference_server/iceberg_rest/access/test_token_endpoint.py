"""The token endpoint issues tokens for credentials and other tokens, and refuses in the form of
OAuth2.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lakepact.reference_server import Server

from .conftest import SERVER_FILE, Answer, As, fill, guarded

ID, SECRET = "bot id", "bot:s3cr&t%"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
KIND = "urn:ietf:params:oauth:token-type:"
WHO = {"client_id": ID, "client_secret": SECRET}
CREDENTIALS = {"grant_type": "client_credentials", **WHO}


def basic(text: str) -> str:
    return f"Basic {base64.b64encode(text.encode()).decode()}"


@pytest.fixture(scope="module")
def issuing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, As]]:
    """Yield a server whose tokens are valid for 100 seconds, and for 250 seconds with exchanges."""
    with guarded(
        tmp_path_factory.mktemp("issuing"),
        f"{SERVER_FILE}\n[tokens]\nlifetime = 100\nmax-age = 250\n",
    ) as (server, bearing):
        fill(bearing("root-token"), "open", "closed")
        yield server, bearing


@pytest.fixture
def bearing(issuing: tuple[Server, As]) -> As:
    return issuing[1]


@pytest.fixture
def now(issuing: tuple[Server, As]) -> Iterator[list[datetime]]:
    """Yield the clock of tokens, which a test may change."""
    rules = issuing[0].service.rules
    times, former = [datetime.now(UTC)], rules.current("now")
    rules.replace("now", lambda: times[0])
    yield times
    rules.replace("now", former)


def token(answer: Answer) -> str:
    assert answer.status == 200, answer.body
    return str(answer.document["access_token"])


def refused(answer: Answer) -> tuple[int, str]:
    """Return status and code of a refusal that has exactly the form of OAuth2."""
    assert set(answer.document) == {"error", "error_description"}
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    assert SECRET not in answer.body.decode()
    return answer.status, answer.document["error"]


@pytest.mark.parametrize(
    ("authorization", "fields"),
    [
        (None, WHO),
        (None, {**WHO, "scope": "catalog"}),
        (None, {**WHO, "scope": ""}),
        (None, {**WHO, "audience": "anybody"}),
        (basic(f"{ID}:{SECRET}"), {}),
        (basic("bot+id:bot%3As3cr%26t%25"), {"scope": "catalog"}),
        (basic(f"{ID}:{SECRET}"), WHO),
        ("Bearer of-something-else", WHO),
    ],
)
def test_a_client_is_given_a_token_with_which_it_is_known(
    bearing: As, authorization: str | None, fields: dict[str, str]
) -> None:
    answer = bearing(None).form(authorization, grant_type="client_credentials", **fields)
    issued = token(answer)

    assert answer.document == {
        "access_token": issued,
        "token_type": "bearer",
        "expires_in": 100,
        "issued_token_type": f"{KIND}access_token",
        "scope": "catalog",
    }
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    assert bearing(issued)("GET", "/v1/namespaces").document["namespaces"] == [["closed"], ["open"]]
    assert bearing(issued)("DELETE", "/v1/namespaces/open").status == 403


SUBJECT = {
    "grant_type": EXCHANGE,
    "subject_token": "reader-token",
    "subject_token_type": f"{KIND}access_token",
}


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"grant_type": ""}, (400, "invalid_request")),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, (400, "unsupported_grant_type")),
        ({"grant_type": "client_credentials"}, (401, "invalid_client")),
        ({**CREDENTIALS, "client_id": "root"}, (401, "invalid_client")),
        ({**CREDENTIALS, "client_id": "", "client_secret": ""}, (401, "invalid_client")),
        (
            {**SUBJECT, "requested_token_type": "bearer"},
            (400, "invalid_request"),
        ),
        (
            {**SUBJECT, "requested_token_type": f"{KIND}saml2"},
            (400, "invalid_request"),
        ),
        (
            {
                **SUBJECT,
                "actor_token": "x",
                "actor_token_type": f"{KIND}jwt",
            },
            (400, "invalid_grant"),
        ),
        (
            {**SUBJECT, "subject_token": "former-token"},
            (400, "invalid_grant"),
        ),
        ({**SUBJECT, "scope": "everything"}, (400, "invalid_scope")),
        (
            {**SUBJECT, **WHO, "client_secret": "wrong"},
            (401, "invalid_client"),
        ),
        (
            {
                **SUBJECT,
                "actor_token": "former-token",
                "actor_token_type": f"{KIND}jwt",
            },
            (400, "invalid_grant"),
        ),
        ({**SUBJECT, "subject_token": SECRET}, (400, "invalid_grant")),
        (
            {**SUBJECT, "subject_token": "root-token\0"},
            (400, "invalid_grant"),
        ),
        (
            {**SUBJECT, "subject_token": "lakepact.."},
            (400, "invalid_grant"),
        ),
        ({**CREDENTIALS, "client_secret": "root-token"}, (401, "invalid_client")),
        ({**CREDENTIALS, "scope": "catalog PRINCIPAL_ROLE:ALL"}, (400, "invalid_scope")),
    ],
)
def test_invalid_token_request_returns_an_oauth_error(
    bearing: As, fields: dict[str, str], refusal: tuple[int, str]
) -> None:
    assert refused(bearing(None).form(**fields)) == refusal


@pytest.mark.parametrize(
    ("authorization", "refusal"),
    [
        (basic(f"{ID}:wrong"), (401, "invalid_client")),
        (basic(ID), (401, "invalid_client")),
        ("Basic %%%", (401, "invalid_client")),
        ("Digest x", (401, "invalid_client")),
        ("Bearer", (401, "invalid_client")),
    ],
)
def test_headers_that_prove_nothing_are_refused(
    bearing: As, authorization: str, refusal: tuple[int, str]
) -> None:
    assert refused(bearing(None).form(authorization, grant_type="client_credentials")) == refusal


@pytest.mark.parametrize(
    ("body", "kind", "refusal"),
    [
        (json.dumps(CREDENTIALS).encode(), "application/json", (415, "invalid_request")),
        (
            b"grant_type=client_credentials&grant_type=password",
            "application/x-www-form-urlencoded",
            (400, "invalid_request"),
        ),
        (b"grant_type=%ff", "application/x-www-form-urlencoded", (400, "invalid_request")),
        (b"grant_type=\xff", "application/x-www-form-urlencoded", (400, "invalid_request")),
        (
            b"&".join(b"a%d=1" % i for i in range(101)),
            "application/x-www-form-urlencoded",
            (400, "invalid_request"),
        ),
        (
            b"grant_type=client_credentials&client_secret=" + b"%41" * 22_000,
            "application/x-www-form-urlencoded",
            (400, "invalid_request"),
        ),
    ],
)
def test_only_forms_are_read(bearing: As, body: bytes, kind: str, refusal: tuple[int, str]) -> None:
    assert refused(bearing(None)("POST", "/v1/oauth/tokens", body, content_type=kind)) == refusal


def test_a_token_ends_with_its_time(bearing: As, now: list[datetime]) -> None:
    issued = token(bearing(None).form(**CREDENTIALS))
    statuses = []
    for seconds in (0, 99.9, 0.1):
        now[0] += timedelta(seconds=seconds)
        statuses.append(bearing(issued)("GET", "/v1/config").status)
    answer = bearing(issued)("GET", "/v1/config")

    assert statuses == [200, 200, 401]
    assert answer.document["error"]["message"] == "the bearer token has expired; get a new one"


def test_exchange_extends_no_token_beyond_the_maximum_age_of_its_first_issue(
    bearing: As, now: list[datetime]
) -> None:
    fields = {"grant_type": EXCHANGE, "subject_token_type": f"{KIND}access_token"}
    held, left = token(bearing(None).form(**CREDENTIALS)), []
    for _ in range(3):
        now[0] += timedelta(seconds=80)
        answer = bearing(None).form(subject_token=held, **fields)
        held = token(answer)
        left.append(answer.document["expires_in"])
    now[0] += timedelta(seconds=9)
    before = bearing(held)("GET", "/v1/config").status
    now[0] += timedelta(seconds=1)

    assert left == [100, 90, 10]
    assert (before, bearing(held)("GET", "/v1/config").status) == (200, 401)
    assert refused(bearing(None).form(subject_token=held, **fields)) == (400, "invalid_grant")


def test_actor_token_does_not_extend_the_maximum_age(bearing: As, now: list[datetime]) -> None:
    fields = {
        "grant_type": EXCHANGE,
        "subject_token_type": f"{KIND}access_token",
        "actor_token_type": f"{KIND}access_token",
    }
    held = token(bearing(None).form(**CREDENTIALS))
    for _ in range(2):
        now[0] += timedelta(seconds=90)
        held = token(bearing(None).form(subject_token=held, actor_token="root-token", **fields))

    assert (
        bearing(None)
        .form(subject_token=held, actor_token="root-token", **fields)
        .document["expires_in"]
        == 70
    )


def test_client_credentials_start_a_new_maximum_age(bearing: As, now: list[datetime]) -> None:
    now[0] += timedelta(seconds=300)

    assert bearing(None).form(**CREDENTIALS).document["expires_in"] == 100


def test_actor_token_of_an_admin_gives_no_rights(bearing: As) -> None:
    subject = {"subject_token": "writer-token", "subject_token_type": f"{KIND}access_token"}
    answer = bearing(None).form(
        grant_type=EXCHANGE,
        **subject,
        actor_token="root-token",
        actor_token_type=f"{KIND}access_token",
    )

    assert bearing(token(answer))("GET", "/v1/namespaces").document["namespaces"] == [["open"]]


def test_a_token_cannot_be_changed(bearing: As) -> None:
    head, claims, seal = token(bearing(None).form(**CREDENTIALS)).split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    forged = base64.urlsafe_b64encode(json.dumps(["root", *said[1:]]).encode()).decode().rstrip("=")

    assert [
        bearing(f"{head}.{text}.{seal}")("GET", "/v1/config").status for text in (claims, forged)
    ] == [200, 401]
    assert bearing(f"{head}.{claims}.{seal}=")("GET", "/v1/config").status == 401


def test_no_two_tokens_are_the_same(bearing: As, now: list[datetime]) -> None:
    tokens = {token(bearing(None).form(**CREDENTIALS)) for _ in range(5)}

    assert len(tokens) == 5


def test_exchanged_token_does_not_outlast_its_subject_token(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    ends = datetime.now(UTC) + timedelta(hours=1)
    text = (
        SERVER_FILE.replace("2020-01-01T00:00:00Z", f"{ends:%Y-%m-%dT%H:%M:%SZ}")
        + "[tokens]\nlifetime = 86400\n"
    )
    with guarded(tmp_path_factory.mktemp("ending"), text) as (_, bearing):
        fields = {"subject_token": "former-token", "subject_token_type": f"{KIND}access_token"}
        answer = bearing(None).form(grant_type=EXCHANGE, **fields)

    assert 3500 < answer.document["expires_in"] <= 3600
