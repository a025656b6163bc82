"""The client chooses the access mode by the contract and caches directory credentials until they
expire.
"""

from __future__ import annotations

import time

import pytest

from lakepact.client import BadReply, OperationNotSupported
from lakepact.client.delta_sharing.access import choose_mode

from .serving import PROTOCOL, TABLE, Desk, lines, metadata

URL, DIR, BOTH = ("url",), ("dir",), ("url", "dir")
SECRET = "planted-Secret.0123456789"
AWS = {
    "awsTempCredentials": {
        "accessKeyId": "key",
        "secretAccessKey": SECRET,
        "sessionToken": f"s-{SECRET}",
    }
}
CREDENTIALS = f"POST {TABLE}/temporary-table-credentials"


def reply(kind=AWS, *, location="s3://b/t", lasts=3600.0):
    return {
        "credentials": {
            "location": location,
            "expirationTime": int((time.time() + lasts) * 1000),
            **kind,
        }
    }


@pytest.mark.parametrize(
    ("able", "modes", "way"),
    [
        (URL, None, "url"),
        (URL, URL, "url"),
        (URL, BOTH, "url"),
        (DIR, DIR, "dir"),
        (DIR, BOTH, "dir"),
        (BOTH, None, "url"),
        (BOTH, URL, "url"),
        (BOTH, DIR, "dir"),
        (BOTH, BOTH, "url"),
    ],
)
def test_access_mode_of_both_sides_is_chosen(able, modes, way):
    """DS-ACC-01, DS-ACC-02, DS-ACC-03, DS-LTB-12."""
    assert choose_mode(modes, able, operation="queryTable") == way


@pytest.mark.parametrize(("able", "modes"), [(URL, DIR), (DIR, None), (DIR, URL)])
def test_no_common_access_mode_raises_operation_not_supported(able, modes):
    """DS-ACC-01, DS-ACC-02."""
    with pytest.raises(OperationNotSupported, match="the table is shared only by"):
        choose_mode(modes, able, operation="queryTable")


def test_access_mode_of_a_later_version_is_skipped(table):
    later = metadata(accessModes=["stream"])
    assert choose_mode(("stream", "dir"), BOTH, operation="queryTable") == "dir"

    with pytest.raises(OperationNotSupported, match="shared only in the mode stream"):
        table(Desk(query=lines(PROTOCOL, later))).files()
    assert table(Desk(metadata=lines(PROTOCOL, later))).metadata().metadata.access_modes == (
        "stream",
    )


def test_valid_credentials_are_cached(table):
    """DS-TMP-13."""
    desk = Desk().on(CREDENTIALS, reply())
    shared = table(desk)

    first, second = shared.credentials(), shared.credentials()

    assert first == second
    assert len(desk.requests) == 1
    assert first.storage_options["aws_secret_access_key"] == SECRET


def test_expiring_credentials_are_replaced(table):
    """DS-TMP-13."""
    desk = Desk().on(CREDENTIALS, reply(lasts=30), reply(lasts=3600))
    shared = table(desk)

    for _ in range(3):
        shared.credentials()

    assert len(desk.requests) == 2


def test_each_location_has_its_own_credentials(table):
    """DS-LTB-09, DS-TMP-15: a reader of several locations requests credentials for each."""
    desk = Desk().on(CREDENTIALS, reply(), reply(location="s3://aux"))
    shared = table(desk)

    assert [shared.credentials().location, shared.credentials(location="s3://aux").location] == [
        "s3://b/t",
        "s3://aux",
    ]
    assert desk.bodies == [{}, {"location": "s3://aux"}]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ({"azureUserDelegationSas": {"sasToken": SECRET}}, {"azure_storage_sas_token": SECRET}),
        ({"gcpOauthToken": {"oauthToken": SECRET}}, {"google_bearer_token": SECRET}),
        (
            AWS | {"gcpOauthToken": None},
            {
                "aws_access_key_id": "key",
                "aws_secret_access_key": SECRET,
                "aws_session_token": f"s-{SECRET}",
            },
        ),
    ],
)
def test_credentials_of_every_cloud_become_storage_options(table, kind, options):
    assert table(Desk().on(CREDENTIALS, reply(kind))).credentials().storage_options == options


@pytest.mark.parametrize("kind", [{}, AWS | {"gcpOauthToken": {"oauthToken": SECRET}}])
def test_credentials_of_zero_or_two_kinds_are_a_bad_reply(table, kind):
    with pytest.raises(BadReply, match="there is to be one"):
        table(Desk().on(CREDENTIALS, reply(kind))).credentials()


def test_credentials_repr_hides_the_secret(table):
    shared = table(Desk().on(CREDENTIALS, reply()))
    credentials = shared.credentials()

    assert SECRET not in f"{credentials!r} {shared.thing!r} {vars(shared.thing)}"


def test_broken_credentials_reply_hides_the_secret(table):
    invalid = {"credentials": {"expirationTime": "soon", **AWS}}

    with pytest.raises(BadReply) as exc_info:
        table(Desk().on(CREDENTIALS, invalid)).credentials()

    assert SECRET not in f"{exc_info.value} {exc_info.value.exchange} {exc_info.value.__cause__}"
