"""Authentication: bearer tokens to principals and their rights."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.http.service import Scope
from lakepact.reference_server.iceberg_rest.access.rights import Rights
from lakepact.reference_server.iceberg_rest.access.tokens import Claims, Tokens
from lakepact.reference_server.server_file import Principal, ServerFile

REALM = "lakepact"


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request and its rights by warehouse name; the key `None` is the only, unnamed
    warehouse.
    """

    principal: Principal
    rights: Mapping[str | None, Rights]


class Callers:
    """The callers by their bearer tokens: those of the server file, and those that this server has
    issued.

    Tokens are compared by digests under a key of the server's own: how long that takes says nothing
    about any token.

    Args:
        file: who there is, and what was granted.
        tokens: reads what this server has issued; None if it issues none.
        rules: the decisions about callers.
        warehouses: the names of the warehouses.
    """

    def __init__(
        self,
        file: ServerFile,
        tokens: Tokens | None,
        rules: Rules,
        *,
        warehouses: Sequence[str | None],
    ) -> None:
        self._key = secrets.token_bytes(32)
        self._tokens = tokens
        self._rules = rules
        self._by_name = {
            name: Caller(
                one, {warehouse: _rights(file, name, warehouse) for warehouse in warehouses}
            )
            for name, one in file.principals.items()
        }
        self._known = {
            self._mac(one.token.digest): self._by_name[name]
            for name, one in file.principals.items()
            if one.token
        }

    def caller(self, scope: Scope) -> Caller:
        """Return the caller of a request.

        Raises:
            Problem: 401, the caller is unknown.
        """
        return self.bearing(self._rules.bearer_token(scope["headers"]))

    def bearing(self, token: bytes) -> Caller:
        """Return the caller of a token.

        Raises:
            Problem: 401, the token is unknown or has expired.
        """
        caller = self._known.get(self._mac(hashlib.sha256(token).digest()))
        if caller is not None:
            if caller.principal.token_expires is not None:
                self._rules.token_holds(caller.principal.token_expires, self.now())
            return caller
        claims = self.claims_of(token)
        own = self._by_name.get(claims.principal) if claims is not None else None
        if claims is None or own is None:
            raise unauthorized("the bearer token is not one of this catalog", error="invalid_token")
        self._rules.token_holds(claims.expires, self.now())
        return own

    def claims_of(self, token: bytes) -> Claims | None:
        """Return the content of an issued token, expired or not; `None` if this server did not
        issue it.
        """
        return self._tokens.read(token) if self._tokens is not None else None

    def now(self) -> datetime:
        """Return the time by which tokens end."""
        return self._rules.now()

    def get(self, name: str) -> Caller:
        """Return the caller that a principal is."""
        return self._by_name[name]

    @property
    def all(self) -> tuple[Caller, ...]:
        """All that there are."""
        return tuple(self._by_name.values())

    def _mac(self, digest: bytes) -> bytes:
        return hashlib.blake2b(digest, key=self._key, digest_size=32).digest()


def _rights(file: ServerFile, principal: str, warehouse: str | None) -> Rights:
    return Rights(
        grant
        for grant in file.grants
        if grant.principal == principal and grant.warehouse in {None, warehouse}
    )


def bearer_token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the bearer token that a request carries.

    Raises:
        Problem: it carries none.
    """
    values = [value for name, value in headers if name == b"authorization"]
    if not values:
        raise unauthorized("this catalog asks for a bearer token in the header Authorization")
    if len(values) > 1:
        raise unauthorized("the request has several Authorization headers; send one")
    scheme, _, token = values[0].strip().partition(b" ")
    if scheme.lower() != b"bearer" or not token.strip():
        raise unauthorized("the Authorization header is not Bearer <token>")
    return bytes(token.strip())


def token_holds(expires: datetime, now: datetime) -> None:
    """Check that a token has not expired; of the contract's two statuses this returns the
    recommended one.

    Raises:
        Problem: 401 or 419, it has expired.
    """
    if expires <= now:
        raise unauthorized("the bearer token has expired; get a new one", error="invalid_token")


def utc_now() -> datetime:
    """Return the time by which tokens end."""
    return datetime.now(UTC)


def unauthorized(message: str, *, error: str | None = None) -> Problem:
    """Return the refusal of a caller who is not known."""
    challenge = f'Bearer realm="{REALM}"' + (f', error="{error}"' if error else "")
    return Problem(
        401, "NotAuthorizedException", message, headers=(("www-authenticate", challenge),)
    )


def forbidden(what: str) -> Problem:
    """Return the refusal of a caller who is known, and sees what it may not change."""
    return Problem(403, "NotAuthorizedException", f"you may not {what}")


class Rules(ServiceRules):
    """Decisions about callers that a fault may replace."""

    bearer_token = staticmethod(bearer_token)
    token_holds = staticmethod(token_holds)
    now = staticmethod(utc_now)
