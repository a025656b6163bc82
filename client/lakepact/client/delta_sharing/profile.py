"""The profile that a provider gives a recipient: where the server is, and who asks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from lakepact.client.errors import Failure, NotAuthenticated, UpgradeNeeded
from lakepact.reach.auth import Auth, AuthFlow, BasicAuth, BearerToken
from lakepact.reach.client_credentials import ClientCredentials
from lakepact.reach.urls import server_address

if TYPE_CHECKING:
    from lakepact.reach.wire import Request

#: A profile's file, its text, or its document.
Source: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]

#: The newest version of profiles that is understood here.
NEWEST = 2


@dataclass(frozen=True, slots=True)
class Profile:
    """The address of a sharing server, and the authorization of requests to it."""

    endpoint: str
    auth: Auth
    #: When the credentials run out; None for never.
    expires: datetime | None = None

    @classmethod
    def read(cls, source: Source) -> Profile:
        """Return the profile in a file, in a text that begins with a brace, or in a document.

        Raises:
            ValueError: It is not a profile; the message says what is wrong, and repeats nothing of
                it.
            UpgradeNeeded: It is of a version that is not known here.
            OSError: The file cannot be read.
        """
        return _profile(_document(source))


class UntilExpiry(Auth):
    """Sends what another auth sends, until that runs out."""

    def __init__(
        self, auth: Auth, expires: datetime, clock: Callable[[], float] = time.time
    ) -> None:
        self._auth = auth
        self._expires = expires
        self._clock = clock

    def __repr__(self) -> str:
        return f"UntilExpiry({self._auth!r}, {self._expires.isoformat()})"

    def flow(self, request: Request) -> AuthFlow:
        """Return the flow of the other auth.

        Raises:
            NotAuthenticated: The credentials ran out; nothing is sent.
        """
        if self._clock() >= self._expires.timestamp():
            message = (
                f"the credentials of the profile ran out at {self._expires.isoformat()}; ask the"
                " provider for a new profile"
            )
            raise NotAuthenticated(Failure(operation="profile", message=message))
        return self._auth.flow(request)


def _document(source: Source) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    text = str(source) if is_text else Path(source).read_text("utf-8")
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    # Raised out here so that the original, which holds the text, is not carried along.
    if not isinstance(document, dict):
        raise ValueError("a profile is a JSON object")  # noqa: TRY004 - a wrong file, not a wrong type
    return cast("dict[str, Any]", document)


def _profile(document: Mapping[str, Any]) -> Profile:
    version = document.get("shareCredentialsVersion")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError("the shareCredentialsVersion of a profile is a number from 1 on")
    if version > NEWEST:
        message = (
            f"the profile is of version {version}, and this client understands profiles up to"
            f" version {NEWEST}"
        )
        raise UpgradeNeeded(Failure(operation="profile", message=message))
    kind = "bearer_token" if version == 1 else _text(document, "type")
    if kind not in _KINDS:
        raise ValueError(
            f"profiles of this type are not supported; those of {', '.join(sorted(_KINDS))} are"
        )
    expires = _moment(document.get("expirationTime")) if kind == "bearer_token" else None
    auth = _KINDS[kind](document)
    return Profile(
        server_address(_text(document, "endpoint")),
        UntilExpiry(auth, expires) if expires else auth,
        expires,
    )


def _bearer_token(document: Mapping[str, Any]) -> Auth:
    return BearerToken(_text(document, "bearerToken"))


def _client_credentials(document: Mapping[str, Any]) -> Auth:
    scope = _text(document, "scope") if document.get("scope") is not None else None
    endpoint, name, secret = (
        _text(document, member) for member in ("tokenEndpoint", "clientId", "clientSecret")
    )
    try:
        return ClientCredentials(endpoint, name, secret, scope=scope or None)
    except ValueError as error:
        raise ValueError(f"tokenEndpoint of the profile: {error}") from None


def _basic(document: Mapping[str, Any]) -> Auth:
    return BasicAuth(_text(document, "username"), _text(document, "password"))


_KINDS: dict[str, Callable[[Mapping[str, Any]], Auth]] = {
    "basic": _basic,
    "bearer_token": _bearer_token,
    "oauth_client_credentials": _client_credentials,
}


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise ValueError(f"the profile has no {name}, or one that is not text")  # noqa: TRY004
    return value


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(
            "the expirationTime of a profile is a time in ISO 8601, such as 2030-01-01T00:00:00Z"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
