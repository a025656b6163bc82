"""Removal of secrets from reports: secrets that were sent, and credentials that a target vends."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote_plus

SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
#: Fields of the forms of token endpoints.
SECRET_FIELDS = frozenset(
    {
        b"apikey",
        b"client_secret",
        b"subject_token",
        b"actor_token",
        b"refresh_token",
        b"password",
        b"client_assertion",
    }
)
REDACTED = "<redacted>"
#: sent as a secret that opens nothing; reports show it, so that its requests can be repeated
INVENTED = "lakepact-no-secret"

#: Names of headers that hold secrets, and values that look like secrets: long, letters and digits,
#: no UUID.
SECRET_NAMES = re.compile(
    r"auth|token|key|secret|credential|password|signature|session", re.IGNORECASE
)
AT_RANDOM = re.compile(r"(?!\S{8}-\S{4}-\S{4}-\S{4}-\S{12}\Z)(?=\S*\d)(?=\S*[A-Za-z])\S{16,}")

# Names are assumed to be short: a search for long ones would be slow on hostile bodies.
#: Credentials that a target vends, after their names: URL signatures, and members of JSON, also of
#: JSON within JSON.
SIGNED = re.compile(
    r"""((?:(?:Signature|Security-Token|Amz-Credential|Goog-Credential)
    |(?:\b|u0026|%26|%3F)sig|(?:[?&;]|u0026|%26|%3F)(?:[a-z]{1,20}_)?(?<!page_)token)(?:=|%3D))[^&\"'\\\s<>]+""",
    re.IGNORECASE | re.VERBOSE,
)
#: User and password in a URL, also with escaped slashes or inside another URL; for http(s) also a
#: user alone.
USERINFO = re.compile(
    r"""(\b(?:[a-z][a-z0-9+.-]{0,20}:(?:\\*/){2}(?=[^\s/?#"'<>\\]*:)|https?:(?:\\*/){2}))[^\s/?#"'<>\\]+@""",
    re.IGNORECASE | re.VERBOSE,
)
USERINFO_IN_QUERY = re.compile(
    r"""((?:%3A|:)%2F%2F)(?:(?!%2F|%3F|%40)[^\s/?#&"'<>\\@])+(?:%40|@)""", re.IGNORECASE
)
HANDED_OUT = re.compile(
    r"""(?P<start>(?P<quote>\\?["'])
    (?:[^"'\\]{0,80}(?:secret[-_.]?access[-_.]?key|(?:session|sas|oauth2?|access|bearer)[-_.]?token|(?:refresh|id)[-_]token|client[-_]secret
        |shared[-_.]key|account[-_.]key|private[-_.]key|api[-_.]?key|password|connection[-_.]string|header\.authorization)[^"'\\]{0,80}
        |token|credential)
    (?P=quote)\s*:\s*(?P=quote))(?!lakepact-no-secret(?P=quote))(?:(?!(?P=quote))(?:[^\\]|\\.))+""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
#: Without any of these, nothing is searched: most answers have none, and a search takes a hundred
#: times as long.
SIGNS = (
    "key",
    "token",
    "secret",
    "password",
    "connection",
    "authorization",
    "credential",
    "signature",
    "sig=",
    "sig%3d",
    "@",
    "%40",
)
#: Words before a secret that are not secret themselves.
SCHEMES = frozenset({"basic", "bearer", "digest", "negotiate", "zenapikey"})
#: Words sent as placeholder tokens, which occur in ordinary answers.
NO_SECRETS = frozenset({"null", "none", "undefined", "true", "false"})


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return `text` without these secrets and without credentials that a target vends."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    lower = text.lower()
    if not any(sign in lower for sign in SIGNS):
        return text
    if "@" in text or "%40" in text:
        text = USERINFO_IN_QUERY.sub(rf"\1{REDACTED}@", USERINFO.sub(rf"\1{REDACTED}@", text))
    return HANDED_OUT.sub(rf"\g<start>{REDACTED}", SIGNED.sub(rf"\1{REDACTED}", text))


def secrets_of(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the secrets in the values of headers: each value, and the credentials after a scheme.

    For Basic credentials: the base64 text and the password. Values that are not secret, such as a
    tenant's name, are left out: they may occur in answers.
    """
    secret = [
        value
        for name, value in headers
        if name.lower() in SECRET_HEADERS or SECRET_NAMES.search(name) or AT_RANDOM.fullmatch(value)
    ]
    return tuple(word for value in secret for word in _secrets_in(value))


@lru_cache(maxsize=64)  # a run sends the same few values with thousands of requests
def _secrets_in(value: str) -> tuple[str, ...]:
    words = (value, value.rpartition(" ")[2])
    secrets = (secret for word in words for secret in (word, *_behind_name(word)))
    return tuple(
        secret
        for secret in secrets
        if len(secret) > 3 and secret.strip().lower() not in SCHEMES | NO_SECRETS
    )


def secrets_of_form(body: bytes) -> tuple[str, ...]:
    """Return the secrets in a form body, decoded and as encoded."""
    if not any(name in body for name in SECRET_FIELDS):
        return ()
    fields = [field.partition("=") for field in body.decode("latin-1").split("&")]
    values = [
        value
        for name, _, value in fields
        if name.encode("latin-1") in SECRET_FIELDS and len(value) > 3 and value != INVENTED
    ]
    return tuple(dict.fromkeys(text for value in values for text in (value, unquote_plus(value))))


def _behind_name(word: str) -> tuple[str, ...]:
    """Return the secrets of Basic credentials: `user:password` and the password."""
    try:
        text = base64.b64decode(word, validate=True).decode().strip()
    except ValueError:
        return ()
    name, colon, secret = text.partition(":")
    return (text, secret) if name and colon else ()
