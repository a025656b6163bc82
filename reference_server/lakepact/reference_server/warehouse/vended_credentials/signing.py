"""Requests to services in the manner of AWS, signed with the fourth version of its signatures."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote, unquote, urlsplit

ALGORITHM = "AWS4-HMAC-SHA256"
DATE, PAYLOAD, TOKEN = "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"
UNRESERVED = "-_.~"


@dataclass(frozen=True, slots=True)
class Keys:
    """The credentials that sign requests.

    Args:
        access_key_id: the id of the key.
        secret_access_key: the secret key.
        session_token: the session token of temporary keys.
    """

    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


def sign(
    url: str, form: bytes, keys: Keys, *, service: str, region: str, at: datetime
) -> Mapping[str, str]:
    """Return the headers with which a form is posted.

    Args:
        url: where it is posted to; it has no query.
        form: the body.
        keys: what it is signed with.
        service: the service, as signatures spell it.
        region: its region.
        at: the time, in UTC.
    """
    parts = urlsplit(url)
    headers = {
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        "host": parts.netloc.rpartition("@")[2],
        DATE: _moment(at),
        **_token(keys),
    }
    request = ("POST", quote(parts.path or "/", safe="/-_.~%"), "")
    authorization = _authorization(
        request,
        headers,
        hashlib.sha256(form).hexdigest(),
        keys=keys,
        region=region,
        service=service,
    )
    return {**headers, "authorization": authorization}


def sign_for_s3(
    method: str,
    url: str,
    headers: Mapping[str, str],
    payload: str,
    *,
    keys: Keys,
    region: str,
    at: datetime,
) -> Mapping[str, str]:
    """Return the headers that authorize a request to an S3 store, beside those that are signed.

    Args:
        method: the method of the request.
        url: its URL.
        headers: the headers that are signed, named in lower case; `host` comes from the URL.
        payload: the hash of the body, or what stands for it.
        keys: what it is signed with.
        region: the region of the store.
        at: the time, in UTC.
    """
    parts = urlsplit(url)
    extra = {DATE: _moment(at), PAYLOAD: payload, **_token(keys)}
    request = (
        method,
        quote(unquote(parts.path or "/"), safe=f"/{UNRESERVED}"),
        _query(parts.query),
    )
    every = {**headers, "host": parts.netloc, **extra}
    return {
        **extra,
        "authorization": _authorization(
            request, every, payload, keys=keys, region=region, service="s3"
        ),
    }


def _query(query: str) -> str:
    pairs = (part.partition("=") for part in query.split("&") if part)
    parts = sorted((_encode(name), _encode(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in parts)


def _encode(text: str) -> str:
    return quote(unquote(text), safe=UNRESERVED)


def _token(keys: Keys) -> dict[str, str]:
    return {} if keys.session_token is None else {TOKEN: keys.session_token}


def _moment(at: datetime) -> str:
    return f"{at:%Y%m%dT%H%M%SZ}"


def _authorization(
    request: tuple[str, str, str],
    headers: Mapping[str, str],
    payload: str,
    *,
    keys: Keys,
    region: str,
    service: str,
) -> str:
    """Return the header `Authorization`.

    Args:
        request: method, path and query in their canonical forms.
        headers: all of them are signed.
        payload: the hash of the body, or what stands for it.
        keys: what it is signed with.
        region: the region of the service.
        service: the service, as signatures spell it.
    """
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in sorted(headers))
    canonical = "\n".join((*request, lines, names, payload))
    moment = headers[DATE]
    scope = f"{moment[:8]}/{region}/{service}/aws4_request"
    text = f"{ALGORITHM}\n{moment}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{keys.secret_access_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return (
        f"{ALGORITHM} Credential={keys.access_key_id}/{scope}, SignedHeaders={names},"
        f" Signature={signature}"
    )
