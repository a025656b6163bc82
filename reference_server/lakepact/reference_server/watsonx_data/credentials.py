"""Authentication: bearer tokens, API keys or passwords with user names, and the account of an
instance.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Scope
from lakepact.reference_server.settings import BadSetting

SHAPE = (
    "it holds `tokens` and `expired-tokens`, lists of texts, `api-keys`, texts by the names of"
    " their users, and `account-id`, a text, or some of them"
)
PAIR = "a key is sent as the base64 form of user name, colon and API key or password"
MEMBERS = {"tokens", "expired-tokens", "api-keys", "account-id"}


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """The accepted credentials as hashes."""

    tokens: tuple[bytes, ...]
    keys: tuple[bytes, ...]  #: of user, colon and API key
    expired: tuple[bytes, ...] = ()  #: tokens that were valid
    account: str | None = None  #: of an instance with account scope, as AccountId names it

    def holds_token(self, token: str) -> bool:
        """Return whether a bearer token is known.

        Raises:
            Problem: 419, it has expired.
        """
        if _among(self.expired, token):
            raise Problem(
                419, "AuthenticationTimeoutException", "the token has expired; fetch another one"
            )
        return _among(self.tokens, token)

    def holds_key(self, user_and_key: str) -> bool:
        """Return whether the API key of a user is known."""
        return _among(self.keys, user_and_key)


def read_credentials(path: Path) -> Credentials:
    """Return the credentials in a file.

    Raises:
        BadSetting: the file cannot be read, or has another shape; the message repeats nothing of
            it.
    """
    try:
        document: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise BadSetting(
            f"the credentials in {path} cannot be read: {type(error).__name__}"
        ) from None
    if not isinstance(document, dict) or not document or set(document) - MEMBERS:
        raise BadSetting(f"the credentials in {path} are not as they should be: {SHAPE}")
    tokens, expired = document.get("tokens") or [], document.get("expired-tokens") or []
    keys, account = document.get("api-keys") or {}, document.get("account-id")
    if (
        not (isinstance(tokens, list) and isinstance(expired, list) and isinstance(keys, dict))
        or not all(isinstance(t, str) and t for t in (*tokens, *expired, *keys, *keys.values()))
        or not (account is None or (isinstance(account, str) and account))
    ):
        raise BadSetting(f"the credentials in {path} are not as they should be: {SHAPE}")
    if any(":" in user for user in keys):
        raise BadSetting(
            f"the credentials in {path} are not as they should be: no name of a user holds a colon"
        )
    return Credentials(
        tuple(map(_hash, tokens)),
        tuple(_hash(f"{user}:{key}") for user, key in keys.items()),
        tuple(map(_hash, expired)),
        account,
    )


class Doorkeeper:
    """Checks the Authorization header of requests.

    Without configured credentials every caller is accepted; a sent header must still be
    well-formed.
    """

    def __init__(self, credentials: Credentials | None) -> None:
        self._credentials = credentials

    def enter(self, scope: Scope) -> None:
        """Refuse a caller without valid credentials.

        Raises:
            Problem: 401 or 419; of an instance with account scope 400 or 403 too.
        """
        self._authenticate(scope)
        account = self._credentials.account if self._credentials else None
        values = [value for name, value in scope["headers"] if name == b"accountid"]
        if account is not None and not values:
            raise Problem(
                400, "BadRequestException", "this instance has account scope: send AccountId"
            )
        if account is not None and values != [account.encode()]:
            raise Problem(403, "ForbiddenException", "the caller is not of this AccountId")

    def _authenticate(self, scope: Scope) -> None:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        if not values:
            if self._credentials is not None:
                raise _refusal(
                    "this catalog asks for Bearer, ZenApiKey or Basic in the header Authorization"
                )
            return
        if len(values) > 1:
            raise _refusal("the request has several Authorization headers; send one")
        scheme, _, rest = values[0].decode("latin-1").strip().partition(" ")
        if scheme.casefold() == "bearer" and rest:
            is_valid = self._credentials is None or self._credentials.holds_token(rest.strip())
        elif scheme.casefold() in {"zenapikey", "basic"}:
            user_and_key = unpack(rest.strip())
            is_valid = self._credentials is None or self._credentials.holds_key(user_and_key)
        else:
            raise _refusal(
                "the header Authorization has none of the schemes Bearer, ZenApiKey and Basic, or"
                " nothing behind it"
            )
        if not is_valid:
            raise _refusal(
                "this catalog knows no such"
                f" {'token' if scheme.casefold() == 'bearer' else 'user or API key'}"
            )


def unpack(content: str) -> str:
    """Return user, colon and API key or password; one line feed behind them, which a shell's `echo`
    adds, is left out.

    Raises:
        Problem: 401, it is not base64, or there is no colon.
    """
    try:
        text = base64.b64decode(content, validate=True).decode()
    except (ValueError, binascii.Error):
        raise _refusal(f"{PAIR}; this is not base64 of text") from None
    if ":" not in text:
        raise _refusal(f"{PAIR}; this holds no colon")
    return text.removesuffix("\n")


def _refusal(message: str) -> Problem:
    return Problem(
        401,
        "NotAuthorizedException",
        message,
        headers=(
            (
                "www-authenticate",
                'Bearer, ZenApiKey realm="watsonx.data", Basic realm="watsonx.data"',
            ),
        ),
    )


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _among(hashes: Iterable[bytes], text: str) -> bool:
    digest = _hash(text)
    # All are compared, so that the duration does not show which one matched.
    return sum(hmac.compare_digest(digest, each) for each in hashes) > 0
