"""Issuers of temporary keys: a service that implements AWS STS, or a fake one."""

from __future__ import annotations

import re
import secrets
import socket
import ssl
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from lakepact.reference_server.warehouse.vended_credentials.policies import policy
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys, sign

VERSION = "2011-06-15"
SECONDS = 10  #: for which an answer is waited for
SHORTEST, LONGEST = 900, 43_200  #: seconds for which STS gives keys
LARGEST = 256 * 1024  #: bytes of an answer that are read


class NoKeys(Exception):
    """No keys could be had; the message says why, and holds no secret."""


@dataclass(frozen=True, slots=True)
class TemporaryKeys:
    """Keys, and when they end."""

    keys: Keys
    expires: int  #: milliseconds since 1970


class TokenService(Protocol):
    """Gives keys to one directory for a while."""

    def keys(
        self, location: str, *, name: str, seconds: int, is_writable: bool = False
    ) -> TemporaryKeys:
        """Keys that read what lies below `location`, perhaps write it too, and nothing else.

        Args:
            location: the directory.
            name: for whom; it stands in the logs of the store.
            seconds: for how long.
            is_writable: whether they write too.

        Raises:
            NoKeys: there are none.
            Unlimited: nothing can be limited to that directory.
        """
        ...


@dataclass(frozen=True, slots=True)
class SecurityTokenService:
    """A service that speaks STS: that of AWS, of MinIO, of Ceph.

    Args:
        url: its address.
        region: as it stands in signatures.
        own: the keys of this server there.
        role: the role that callers are given for a while; without one, they are given this server's
            own rights. Either is cut down to the one directory.
    """

    url: str
    region: str
    own: Keys = field(repr=False)
    role: str | None = None

    def keys(
        self, location: str, *, name: str, seconds: int, is_writable: bool = False
    ) -> TemporaryKeys:
        """Keys to what lies below `location`, and nothing else."""
        form = {
            "Version": VERSION,
            "Policy": policy(location, self.region, is_writable=is_writable),
            "DurationSeconds": str(min(max(seconds, SHORTEST), LONGEST)),
        }
        session = re.sub(r"[^A-Za-z0-9_=,.@-]", "-", f"lakepact-{name}")[:32]
        if self.role is None:
            form |= {"Action": "GetFederationToken", "Name": session}
        else:
            form |= {"Action": "AssumeRole", "RoleArn": self.role, "RoleSessionName": session}
        status, answer = self._post(urlencode(form).encode())
        if status != 200:
            raise NoKeys(
                "the token service refused with status"
                f" {status}{f' and {code}' if (code := _member(answer, 'Code')) else ''}"
            )
        return _read(answer)

    def _post(self, form: bytes) -> tuple[int, str]:
        # Every server would start later for it, and few ask a token service.
        import http.client  # noqa: PLC0415

        parts = urlsplit(self.url)
        headers = dict(
            sign(self.url, form, self.own, service="sts", region=self.region, at=datetime.now(UTC))
        )
        secure = parts.scheme == "https"
        try:
            connection: http.client.HTTPConnection = (
                http.client.HTTPSConnection(
                    parts.netloc, timeout=SECONDS, context=ssl.create_default_context()
                )
                if secure
                else http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
            )
            with closing(connection):
                connection.request("POST", parts.path or "/", form, headers)
                response = connection.getresponse()
                return response.status, response.read(LARGEST).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            reason = (
                "did not answer in time"
                if isinstance(error, socket.timeout)
                else f"cannot be reached ({type(error).__name__})"
            )
            raise NoKeys(f"the token service {reason}") from None


@dataclass(frozen=True, slots=True)
class FakeSts:
    """Keys that look like keys and open nothing, for clients to be tested with where there is no
    cloud.
    """

    def keys(
        self, location: str, *, name: str, seconds: int, is_writable: bool = False
    ) -> TemporaryKeys:
        """Keys of the right form."""
        del location, name, is_writable
        return TemporaryKeys(
            fake_keys(), int((datetime.now(UTC) + timedelta(seconds=seconds)).timestamp() * 1000)
        )


def fake_keys() -> Keys:
    """Return keys that look like keys and open nothing."""
    return Keys(
        f"ASIAREHEARSAL{secrets.token_hex(4).upper()}"[:20],
        secrets.token_urlsafe(30),
        secrets.token_urlsafe(60),
    )


def _read(answer: str) -> TemporaryKeys:
    values = [
        _member(answer, name)
        for name in ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
    ]
    access_key_id, secret_access_key, session_token, expiration = values
    if (
        access_key_id is None
        or secret_access_key is None
        or session_token is None
        or expiration is None
    ):
        raise NoKeys("the token service answered without keys")
    try:
        expires = datetime.fromisoformat(expiration)
    except ValueError:
        raise NoKeys("the token service answered keys that end at no time") from None
    if expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    return TemporaryKeys(
        Keys(access_key_id, secret_access_key, session_token), int(expires.timestamp() * 1000)
    )


def _member(answer: str, name: str) -> str | None:
    match = re.search(rf"<{name}>\s*([^<]+?)\s*</{name}>", answer)
    return unescape(match[1]) if match else None
