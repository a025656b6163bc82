"""Temporary credentials: their recipients, scope and source; no secret is sent elsewhere."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import yaml

from lakepact.reference_server import running
from lakepact.reference_server.delta_sharing.places import BadShares
from lakepact.reference_server.delta_sharing.shares_file import read_shares
from lakepact.reference_server.warehouse.vended_credentials.policies import Unlimited, policy
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys, sign
from miniatures import miniature
from raw_requests import Sender

OWN = {"LP_ID": "AKIDEXAMPLE", "LP_SECRET": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
GIVEN = """<AssumeRoleResponse><AssumeRoleResult><Credentials>
  <AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>very/secret+1</SecretAccessKey>
  <SessionToken>token&amp;/==</SessionToken><Expiration>2999-01-02T03:04:05.678Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>"""
NOTHING = {"version": 1}
PATH = "/delta-sharing/shares/s/schemas/d/tables/{}/temporary-table-credentials"


def document(folder: Path, **settings: object) -> Path:
    tables = [
        {
            "name": "both",
            "location": str(folder / "lake/both"),
            "accessModes": ["url", "dir"],
            "auxiliaryLocations": [str(folder / "more/aux")],
        },
        {"name": "bydir", "location": str(folder / "lake/by dir*"), "accessModes": ["dir"]},
        {"name": "byurl", "location": str(folder / "lake/byurl")},
    ]
    shares = [{"name": "s", "schemas": [{"name": "d", "tables": tables}]}, {"name": "other"}]
    recipients = [
        {"name": "Ann&co", "bearerToken": "all"},
        {"name": "bob", "bearerToken": "few", "shares": ["other"]},
    ]
    file = folder / "shares.yaml"
    file.write_text(yaml.safe_dump({"shares": shares, "recipients": recipients, **settings}))
    return file


def vending(sts: str, folder: Path, /, **more: object) -> dict[str, object]:
    stores = [
        {"folder": str(folder / "lake"), "address": "s3://bucket/Lake/"},
        {"folder": str(folder), "address": "s3://bucket/all"},
    ]
    settings = {
        "sts": sts,
        "region": "eu-central-1",
        "role": "arn:aws:iam::123456789012:role/reader",
        "accessKeyIdFrom": "LP_ID",
        "secretAccessKeyFrom": "LP_SECRET",
        "stores": stores,
    }
    return settings | more


ASKED = []  #: requests to the token service in this test


@pytest.fixture(autouse=True)
def _keys_in_the_environment(monkeypatch):
    ASKED.clear()
    for name, value in OWN.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def sts():
    def answer(method, target, body):
        ASKED.append((method, target, dict(parse_qsl(body.decode()))))
        return 200, {"Content-Type": "text/xml"}, GIVEN.encode()

    with miniature(answer) as url:
        yield url


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="module")
def vended(folder, sts):
    """Yield the URL of a server with the token service."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in OWN.items():
            patch.setenv(name, value)
        file = document(
            folder,
            temporaryCredentials=vending(sts, folder),
            temporaryCredentialValiditySeconds=1200,
        )
        with running(warehouse="memory:", shares=file) as server:
            yield server.url


@pytest.fixture
def ask(vended, tmp_path):
    """Return a function that posts to the operation of a table, on a new server if there are
    settings.
    """

    def ask(table, body=None, *, token="all", **settings):
        with ExitStack() as stack:
            own = settings and stack.enter_context(
                running(warehouse="memory:", shares=document(tmp_path, **settings))
            )
            send = stack.enter_context(Sender(own.url if own else vended))
            return send("POST", PATH.format(table), body, Authorization=f"Bearer {token}")

    return ask


def test_keys_for_the_main_location_are_given_where_none_is_named(ask):
    answer = ask("both")
    expires = int(datetime(2999, 1, 2, 3, 4, 5, 678000, tzinfo=UTC).timestamp() * 1000)
    keys = {"accessKeyId": "ASIA1", "secretAccessKey": "very/secret+1", "sessionToken": "token&/=="}
    assert answer.document == {
        "credentials": {
            "location": "s3://bucket/Lake/both",
            "awsTempCredentials": keys,
            "expirationTime": expires,
        }
    }
    assert (answer.status, answer.headers["content-type"]) == (
        200,
        "application/json; charset=utf-8",
    )


def test_the_role_is_cut_down_to_reading_the_directory(ask):
    ask("bydir", {})
    ((method, target, form),) = ASKED
    limited = json.loads(form.pop("Policy"))
    assert (method, target) == ("POST", "/")
    assert form == {
        "Version": "2011-06-15",
        "Action": "AssumeRole",
        "RoleArn": "arn:aws:iam::123456789012:role/reader",
        "RoleSessionName": "lakepact-Ann-co",
        "DurationSeconds": "1200",
    }
    assert limited == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:GetObject"],
                "Resource": ["arn:aws:s3:::bucket/Lake/by dir${*}/*"],
            },
            {
                "Effect": "Allow",
                "Action": ["s3:ListBucket"],
                "Resource": ["arn:aws:s3:::bucket"],
                "Condition": {"StringLike": {"s3:prefix": ["Lake/by dir${*}/*"]}},
            },
            {
                "Effect": "Allow",
                "Action": ["s3:GetBucketLocation"],
                "Resource": ["arn:aws:s3:::bucket"],
            },
        ],
    }


def test_without_a_role_the_rights_of_the_server_itself_are_cut_down(ask, sts, tmp_path):
    settings = vending(sts, tmp_path)
    del settings["role"]
    assert ask("both", temporaryCredentials=settings).status == 200
    ((_, _, form),) = ASKED
    assert (form["Action"], form["Name"], "RoleArn" in form) == (
        "GetFederationToken",
        "lakepact-Ann-co",
        False,
    )


@pytest.mark.parametrize(("seconds", "sent"), [(60, "900"), (100_000, "43200")])
def test_keys_are_asked_for_a_time_that_token_services_give(ask, sts, tmp_path, seconds, sent):
    ask(
        "both",
        temporaryCredentials=vending(sts, tmp_path),
        temporaryCredentialValiditySeconds=seconds,
    )
    assert [form["DurationSeconds"] for _, _, form in ASKED] == [sent]


@pytest.mark.parametrize(
    "location", ["s3://bucket/Lake/both", "s3://bucket/Lake/both/", "s3://bucket/all/more/aux"]
)
def test_each_location_of_the_table_may_be_named(ask, location):
    answer = ask("both", {"location": location})
    assert answer.document["credentials"]["location"] == location.rstrip("/")
    assert f"{location.rstrip('/')[12:]}/*" in ASKED[0][2]["Policy"]


@pytest.mark.parametrize(
    "location",
    [
        "s3://bucket/Lake",
        "s3://bucket/Lake/bothersome",
        "s3://bucket/Lake/both/part",
        "s3://bucket/Lake/both/..",
        "s3://bucket/Lake/BOTH",
        "s3a://bucket/Lake/both",
        "s3://bucket/Lake/by dir*",
        "",
        "/",
        "*",
    ],
)
def test_other_locations_are_refused_without_asking_for_keys(ask, location):
    answer = ask("both", {"location": location})
    assert (answer.status, answer.document["errorCode"], ASKED) == (
        400,
        "INVALID_PARAMETER_VALUE",
        [],
    )


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"5", {"location": 5}, {"location": ["s3://bucket/Lake/both"]}]
)
def test_a_body_that_is_none_is_refused(ask, body):
    answer = ask("both", body)
    assert (answer.status, set(answer.document), ASKED) == (400, {"errorCode", "message"}, [])


def test_a_table_that_is_read_by_urls_has_no_credentials(ask):
    answer = ask("byurl")
    assert (answer.status, answer.document["errorCode"], ASKED) == (
        400,
        "UNSUPPORTED_OPERATION",
        [],
    )


def test_hidden_table_returns_404_without_asking_for_keys(ask):
    answer = ask("both", token="few")
    assert (answer.status, ASKED) == (404, [])


def test_missing_token_service_returns_400(ask):
    answer = ask("both", **NOTHING)
    assert (answer.status, answer.document["errorCode"]) == (400, "UNSUPPORTED_OPERATION")
    assert "temporaryCredentials" in answer.document["message"]


@pytest.mark.parametrize(
    ("status", "answer", "sentence"),
    [
        (
            403,
            "<ErrorResponse><Error><Code>AccessDenied</Code><Message>AKIDEXAMPLE may not</Message></Error></ErrorResponse>",
            "403 and AccessDenied",
        ),
        (500, "", "status 500"),
        (302, GIVEN, "status 302"),
        (200, "<html>", "without keys"),
        (200, GIVEN.replace("2999-01-02T03:04:05.678Z", "soon"), "at no time"),
        (200, "\0" * 100, "without keys"),
    ],
)
def test_token_service_failure_returns_500_without_quoting_its_answer(
    ask, tmp_path, status, answer, sentence
):
    with miniature(
        lambda *_: (status, {"Location": "http://127.0.0.1:1/"}, answer.encode())
    ) as url:
        refused = ask("both", temporaryCredentials=vending(url, tmp_path))
    assert (refused.status, refused.document["errorCode"]) == (500, "INTERNAL_ERROR")
    assert sentence in refused.document["message"]
    assert not any(
        secret in refused.body.decode()
        for secret in ("AKIDEXAMPLE", "very", "token&", OWN["LP_SECRET"])
    )


def test_a_token_service_that_is_not_there_is_a_refusal(ask, tmp_path):
    answer = ask("both", temporaryCredentials=vending("http://127.0.0.1:1", tmp_path))
    assert (answer.status, "cannot be reached" in answer.document["message"]) == (500, True)


def test_listings_have_location_and_access_modes(tmp_path, sts):
    shares = read_shares(document(tmp_path, temporaryCredentials=vending(sts, tmp_path)))
    assert [table.access for table in shares.tables()] == [
        {
            "location": "s3://bucket/Lake/both",
            "auxiliaryLocations": ["s3://bucket/all/more/aux"],
            "accessModes": ["url", "dir"],
        },
        {"location": "s3://bucket/Lake/by dir*", "accessModes": ["dir"]},
        {},
    ]


def test_representation_of_shares_has_no_secret(tmp_path, sts):
    shares = read_shares(
        document(tmp_path, temporaryCredentials=vending(sts, tmp_path, sessionTokenFrom="LP_ID"))
    )
    assert not any(secret in repr(shares) for secret in OWN.values())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sts": None}, "must have either `sts`"),
        ({"rehearsal": True}, "must have either `sts`"),
        ({"sts": "ftp://sts"}, "sts must be an http"),
        ({"sts": "https://key:secret@sts"}, "sts must be an http"),
        ({"sts": "https://sts?x=1"}, "sts must be an http"),
        ({"sts": "https://sts/a b"}, "sts must be an http"),
        ({"region": None}, "has no region"),
        ({"accessKeyIdFrom": None}, "has no accessKeyIdFrom"),
        (
            {"secretAccessKeyFrom": "wJalrXUtnFEMI/K7MDENG"},
            "must be the name of an environment variable",
        ),
        ({"secretAccessKeyFrom": "LP_ABSENT"}, "is not set"),
        ({"secretAccessKey": "wJalrXUtnFEMI/K7MDENG"}, "did you mean secretAccessKeyFrom"),
        ({"stores": None}, "has no stores"),
        ({"stores": [{"folder": "/lake"}]}, "must have a folder"),
        ({"stores": [{"folder": "/lake", "address": "gs://b/lake"}]}, "address cannot be granted"),
        ({"stores": [{"folder": "/lake", "address": "s3://B*/lake"}]}, "address cannot be granted"),
        (
            {"stores": [{"folder": "/lake", "address": "s3://bucket/a/../b"}]},
            "address cannot be granted",
        ),
        (
            {"stores": [{"folder": "/elsewhere", "address": "s3://bucket/lake"}]},
            "no folder of `temporaryCredentials.stores` is above it",
        ),
    ],
)
def test_invalid_settings_are_refused_at_the_start(tmp_path, changes, sentence):
    settings = {
        name: value
        for name, value in vending("http://127.0.0.1:1", tmp_path, **changes).items()
        if value is not None
    }
    file = document(tmp_path, temporaryCredentials=settings)
    with pytest.raises(BadShares) as refused:
        read_shares(file)
    assert sentence in str(refused.value)
    assert "wJalr" not in str(refused.value)


@pytest.mark.parametrize("inner", ["lake/both/inner", "lake/link/inner", "more/aux/inner"])
def test_table_in_a_directory_with_credentials_is_refused_at_the_start(tmp_path, inner):
    (tmp_path / "lake/both").mkdir(parents=True)
    (tmp_path / "lake/link").symlink_to(tmp_path / "lake/both")
    hidden = [
        {
            "name": "hidden",
            "schemas": [
                {"name": "d", "tables": [{"name": "t", "location": str(tmp_path / inner)}]}
            ],
        }
    ]
    file = document(tmp_path, temporaryCredentials=vending("http://127.0.0.1:1", tmp_path))
    text = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump(text | {"shares": text["shares"] + hidden}))
    with pytest.raises(BadShares, match=r"the keys of s\.d\.both would open hidden\.d\.t too"):
        read_shares(file)


@pytest.mark.parametrize(
    "location",
    [
        "s3://bucket",
        "s3://bucket/",
        "file:///lake/t",
        "s3://b/t",
        "s3://bucket/a//b",
        "s3://bucket/../t",
        "https://bucket/t",
    ],
)
def test_policy_for_an_unlimited_location_is_refused(location):
    with pytest.raises(Unlimited):
        policy(location, "eu-central-1")


@pytest.mark.parametrize(
    ("region", "partition"),
    [("eu-central-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")],
)
def test_resources_are_named_in_the_partition_of_the_region(region, partition):
    assert f'"arn:{partition}:s3:::bucket/t/*"' in policy("s3://bucket/t", region)


def test_wildcards_and_variables_are_escaped_in_policies():
    assert '"arn:aws:s3:::bucket/a${?}${*}${$}{x}/*"' in policy(
        "s3://bucket/a?*${x}", "eu-central-1"
    )


@pytest.mark.parametrize(
    "name", ["t", "t*", "t?", "*", "${aws:username}", "t$", "a b", "${*}", 't","x']
)
@pytest.mark.parametrize(
    "key",
    [
        "lake/{}2/f",
        "lake/{}",
        "lake/u/f",
        "lake/x{}/f",
        "lake/admin/f",
        "lake/t1/f",
        "{}/f",
        "lake/{}/../u/f",
    ],
)
def test_policy_of_a_folder_matches_no_key_outside_of_it(name, key):
    key = key.format(name)
    read, listed, _ = json.loads(policy(f"s3://bucket/lake/{name}", "eu-central-1"))["Statement"]
    patterns = [
        read["Resource"][0].removeprefix("arn:aws:s3:::bucket/"),
        *listed["Condition"]["StringLike"]["s3:prefix"],
    ]
    inside = key.startswith(f"lake/{name}/")  # stores do not resolve `..` in keys
    for pattern in patterns:
        # As token services read patterns: `${*}` is a star, `*` any text, `?` any character, and
        # other `${…}` are variables.
        spelled = re.sub(
            r"\$\{([*?$])\}|(\*)|(\?)|(.)",
            lambda m: re.escape(m[1] or m[4] or "") or (".*" if m[2] else "."),
            pattern,
        )
        assert not re.search(r"\$\{[^*?$]", pattern)
        assert (
            re.fullmatch(spelled, f"lake/{name}/f") is not None,
            re.fullmatch(spelled, key) is not None,
        ) == (True, inside)


def test_forms_are_signed_as_by_the_aws_sdk():
    keys = Keys(OWN["LP_ID"], OWN["LP_SECRET"], "tok+/=")
    at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    headers = sign(
        "http://127.0.0.1:9000",
        b"Action=AssumeRole&Version=2011-06-15",
        keys,
        service="sts",
        region="eu-central-1",
        at=at,
    )
    assert headers["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260304/eu-central-1/sts/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
        "Signature=c640d1ce166abf6718dba69412209c01bd6cb4123754b7351b23eedc22ab64d5"
    )
    assert (headers["x-amz-date"], headers["x-amz-security-token"]) == (
        "20260304T050607Z",
        "tok+/=",
    )
