"""DS-PRF-*: a profile says where to ask and as whom, and shows its secrets to nobody."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from lakepact.client import BasicAuth, BearerToken, ClientCredentials, NotAuthenticated, UpgradeNeeded
from lakepact.client.delta_sharing.profile import Profile, UntilExpiry
from lakepact.client.wire import Request

SECRET = "planted-Secret.0123456789"
BEARER = {"shareCredentialsVersion": 1, "endpoint": "https://sharing.test/delta-sharing/", "bearerToken": SECRET}
OAUTH = {
    "shareCredentialsVersion": 2,
    "type": "oauth_client_credentials",
    "endpoint": "https://sharing.test/delta-sharing",
    "tokenEndpoint": "https://login.test/token",
    "clientId": "me",
    "clientSecret": SECRET,
    "scope": "all",
}
BASIC = {"shareCredentialsVersion": 2, "type": "basic", "endpoint": "https://sharing.test", "username": "me", "password": SECRET}
ASKED = Request("GET", "https://sharing.test/shares")


def sent(profile):
    return dict(next(profile.auth.flow(ASKED)).headers).get("Authorization")


def test_a_profile_is_read_from_a_file_a_text_and_a_document(tmp_path):
    path = tmp_path / "me.share"
    path.write_text(json.dumps(BEARER))

    read = [Profile.read(source) for source in (path, str(path), json.dumps(BEARER), BEARER)]

    assert [(profile.endpoint, sent(profile), profile.expires) for profile in read] == [
        ("https://sharing.test/delta-sharing", f"Bearer {SECRET}", None)
    ] * 4


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (BEARER, BearerToken),
        (BEARER | {"shareCredentialsVersion": 2, "type": "bearer_token"}, BearerToken),
        (OAUTH, ClientCredentials),
        (BASIC, BasicAuth),
    ],
    ids=["version 1", "bearer token", "client credentials", "basic"],
)
def test_each_kind_of_profile_has_its_auth(document, kind):
    assert type(Profile.read(document).auth) is kind


@pytest.mark.parametrize("version", [3, 99])
def test_a_profile_of_a_later_version_asks_for_an_upgrade(version):
    """DS-PRF-01."""
    with pytest.raises(UpgradeNeeded, match="Upgrade: pip install"):
        Profile.read(BEARER | {"shareCredentialsVersion": version, "type": "new", "bearerToken": {"new": 1}})


@pytest.mark.parametrize("slashes", ["", "/", "//"])
def test_slashes_at_the_end_of_the_endpoint_do_not_count(slashes):
    """DS-PRF-02."""
    assert Profile.read(BEARER | {"endpoint": f"https://sharing.test/prefix{slashes}"}).endpoint == "https://sharing.test/prefix"


def test_credentials_are_sent_until_they_run_out_and_then_nothing_is():
    """DS-PRF-04."""
    now = datetime.now(UTC)
    lasting = Profile.read(BEARER | {"expirationTime": (now + timedelta(hours=1)).isoformat()})
    expired = Profile.read(BEARER | {"expirationTime": "2021-11-12T00:12:29.0Z"})

    assert sent(lasting) == f"Bearer {SECRET}"
    with pytest.raises(NotAuthenticated, match=r"ran out at 2021-11-12T00:12:29\+00:00") as caught:
        sent(expired)

    assert caught.value.tries == 0


def test_an_expiry_without_a_zone_is_in_utc():
    assert Profile.read(BEARER | {"expirationTime": "2021-11-12T00:12:29"}).expires == datetime(2021, 11, 12, 0, 12, 29, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"shareCredentialsVersion": "1"}, "number from 1 on"),
        ({"shareCredentialsVersion": True}, "number from 1 on"),
        ({"shareCredentialsVersion": 0}, "number from 1 on"),
        ({"shareCredentialsVersion": 2}, "no type"),
        ({"shareCredentialsVersion": 2, "type": SECRET}, "are"),
        ({"endpoint": None}, "no endpoint"),
        ({"endpoint": "file:///etc"}, "http or https"),
        ({"bearerToken": None}, "no bearerToken"),
        ({"bearerToken": f"{SECRET}\n"}, "visible ASCII"),
        ({"expirationTime": SECRET}, "ISO 8601"),
        ({"expirationTime": 12}, "ISO 8601"),
        (OAUTH | {"tokenEndpoint": f"ftp://{SECRET}"}, "tokenEndpoint of the profile: not an http"),
        (OAUTH | {"clientSecret": 1}, "no clientSecret"),
    ],
)
def test_a_broken_profile_is_refused_without_being_repeated(change, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        Profile.read(BEARER | change)

    assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r}"


@pytest.mark.parametrize("text", ["{", f'{{"a": "{SECRET}"', "{" * 100_000], ids=["brace", "cut off", "deep"])
def test_a_text_that_is_not_json_is_refused_without_being_repeated(text):
    with pytest.raises(ValueError, match="a profile is a JSON object") as caught:
        Profile.read(text)

    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("document", [BEARER, BEARER | {"expirationTime": "2999-01-01T00:00:00Z"}, OAUTH, BASIC])
def test_a_profile_shows_no_secret(document):
    profile = Profile.read(document)

    assert SECRET not in f"{profile!r} {profile} {profile.auth!r}"


def test_what_an_expiring_auth_shows_is_the_auth_and_its_end():
    shown = repr(UntilExpiry(BearerToken(SECRET), datetime(2030, 1, 1, tzinfo=UTC)))

    assert shown == "UntilExpiry(BearerToken([hidden]), 2030-01-01T00:00:00+00:00)"
