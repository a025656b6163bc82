"""Requests to services in the manner of AWS, signed with the fourth version of its signatures."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

ALGORITHM = "AWS4-HMAC-SHA256"


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


def signed(url: str, form: bytes, keys: Keys, *, service: str, region: str, at: datetime) -> Mapping[str, str]:
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
    moment = f"{at:%Y%m%dT%H%M%SZ}"
    headers = {
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        "host": parts.netloc.rpartition("@")[2],
        "x-amz-date": moment,
    }
    if keys.session_token is not None:
        headers["x-amz-security-token"] = keys.session_token
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join(("POST", quote(parts.path or "/", safe="/-_.~%"), "", lines, names, hashlib.sha256(form).hexdigest()))
    scope = f"{moment[:8]}/{region}/{service}/aws4_request"
    text = f"{ALGORITHM}\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"AWS4{keys.secret_access_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return {
        **headers,
        "authorization": f"{ALGORITHM} Credential={keys.access_key_id}/{scope}, SignedHeaders={names}, Signature={signature}",
    }
