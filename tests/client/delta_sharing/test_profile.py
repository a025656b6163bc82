"""DS-PRF-*: a profile names the endpoint and the credentials and hides its secrets."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from lakepact.client import (
    BasicAuth,
    BearerToken,
    ClientCredentials,
    NotAuthenticated,
    UpgradeNeeded,
)
from lakepact.client.delta_sharing.profile import Profile, UntilExpiry
from lakepact.reach.wire import Request

SECRET = "planted-Secret.0123456789"
BEARER = {
    "shareCredentialsVersion": 1,
    "endpoint": "https://sharing.test/delta-sharing/",
    "bearerToken": SECRET,
}
OAUTH = {
    "shareCredentialsVersion": 2,
    "type": "oauth_client_credentials",
    "endpoint": "https://sharing.test/delta-sharing",
    "tokenEndpoint": "https://login.test/token",
    "clientId": "me",
    "clientSecret": SECRET,
    "scope": "all",
}
BASIC = {
    "shareCredentialsVersion": 2,
    "type": "basic",
    "endpoint": "https://sharing.test",
    "username": "me",
    "password": SECRET,
}
ASKED = Request("GET", "https://sharing.test/shares")


def authorization_of(profile):
    return dict(next(profile.auth.flow(ASKED)).headers).get("Authorization")


def test_profile_is_read_from_path_text_and_mapping(tmp_path):
    path = tmp_path / "me.share"
    path.write_text(json.dumps(BEARER))

    read = [Profile.read(source) for source in (path, str(path), json.dumps(BEARER), BEARER)]

    assert [(profile.endpoint, authorization_of(profile), profile.expires) for profile in read] == [
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
def test_profile_type_selects_the_auth(document, kind):
    assert type(Profile.read(document).auth) is kind


@pytest.mark.parametrize("version", [3, 99])
def test_later_profile_version_raises_upgrade_needed(version):
    """DS-PRF-01."""
    with pytest.raises(UpgradeNeeded, match="Upgrade lakepact"):
        Profile.read(
            BEARER | {"shareCredentialsVersion": version, "type": "new", "bearerToken": {"new": 1}}
        )


@pytest.mark.parametrize("slashes", ["", "/", "//"])
def test_trailing_slashes_of_the_endpoint_are_dropped(slashes):
    """DS-PRF-02."""
    assert (
        Profile.read(BEARER | {"endpoint": f"https://sharing.test/prefix{slashes}"}).endpoint
        == "https://sharing.test/prefix"
    )


def test_expired_credentials_are_not_sent():
    """DS-PRF-04."""
    now = datetime.now(UTC)
    lasting = Profile.read(BEARER | {"expirationTime": (now + timedelta(hours=1)).isoformat()})
    expired = Profile.read(BEARER | {"expirationTime": "2021-11-12T00:12:29.0Z"})

    assert authorization_of(lasting) == f"Bearer {SECRET}"
    with pytest.raises(
        NotAuthenticated, match=r"ran out at 2021-11-12T00:12:29\+00:00"
    ) as exc_info:
        authorization_of(expired)

    assert exc_info.value.tries == 0


def test_expiry_without_a_time_zone_is_utc():
    assert Profile.read(BEARER | {"expirationTime": "2021-11-12T00:12:29"}).expires == datetime(
        2021, 11, 12, 0, 12, 29, tzinfo=UTC
    )


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
def test_broken_profile_raises_without_the_secret(change, complaint):
    with pytest.raises(ValueError, match=complaint) as exc_info:
        Profile.read(BEARER | change)

    assert SECRET not in f"{exc_info.value!r} {exc_info.value.__cause__!r}"


@pytest.mark.parametrize(
    "text", ["{", f'{{"a": "{SECRET}"', "{" * 100_000], ids=["brace", "cut off", "deep"]
)
def test_profile_that_is_not_json_raises_without_the_text(text):
    with pytest.raises(ValueError, match="a profile is a JSON object") as exc_info:
        Profile.read(text)

    assert exc_info.value.__cause__ is None
    assert exc_info.value.__context__ is None


@pytest.mark.parametrize(
    "document", [BEARER, BEARER | {"expirationTime": "2999-01-01T00:00:00Z"}, OAUTH, BASIC]
)
def test_profile_repr_hides_the_secret(document):
    profile = Profile.read(document)

    assert SECRET not in f"{profile!r} {profile} {profile.auth!r}"


def test_expiring_auth_repr_shows_the_auth_and_its_expiry():
    text = repr(UntilExpiry(BearerToken(SECRET), datetime(2030, 1, 1, tzinfo=UTC)))

    assert text == "UntilExpiry(BearerToken([hidden]), 2030-01-01T00:00:00+00:00)"
