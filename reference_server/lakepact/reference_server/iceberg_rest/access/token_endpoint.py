"""The token endpoint: client credentials, and token exchange for users and for tokens that are
about to expire.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote_plus

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.http.service import Scope
from lakepact.reference_server.iceberg_rest.access.callers import REALM, Callers
from lakepact.reference_server.iceberg_rest.access.tokens import Claims, Tokens
from lakepact.reference_server.server_file import Principal, Secret, ServerFile

SCOPE = "catalog"  #: the only one that the contract has
CLIENT_CREDENTIALS = "client_credentials"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105 - the name of a flow
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind
TOKEN_TYPES = frozenset(
    f"urn:ietf:params:oauth:token-type:{kind}"
    for kind in ("access_token", "refresh_token", "id_token", "saml1", "saml2", "jwt")
)
CODES = frozenset(
    {
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    }
)
NO_STORE = ((b"cache-control", b"no-store"), (b"pragma", b"no-cache"))
_NOBODY = Secret(bytes(32))


@dataclass(frozen=True, slots=True)
class Shown:
    """The credentials in the Authorization headers of a token request, at most one per scheme."""

    basic: str | None = None
    bearer: bytes | None = None


def credentials_of(scope: Scope) -> Shown:
    """Return the credentials of a token request; it needs no token.

    Raises:
        Problem: 400 or 401, they are malformed.
    """
    values = [value.strip() for name, value in scope["headers"] if name == b"authorization"]
    if len(values) > 1:
        raise oauth("invalid_request", "the request has several Authorization headers; send one")
    if not values:
        return Shown()
    scheme, _, rest = values[0].partition(b" ")
    if scheme.lower() == b"bearer" and rest.strip():
        return Shown(bearer=bytes(rest.strip()))
    if scheme.lower() != b"basic":
        raise oauth(
            "invalid_client", "the Authorization header is neither Basic nor Bearer", status=401
        )
    try:
        return Shown(basic=base64.b64decode(rest.strip(), validate=True).decode())
    except (ValueError, binascii.Error):
        raise oauth(
            "invalid_client",
            "the Basic header is not the base64 form of client id, colon and secret",
            status=401,
        ) from None


class TokenEndpoint:
    """The operation of the contract that issues tokens.

    Args:
        file: the clients, and how long tokens hold.
        callers: knows the tokens that are there already.
        tokens: issues new ones.
        rules: the decisions about tokens.
    """

    def __init__(self, file: ServerFile, callers: Callers, tokens: Tokens, rules: Rules) -> None:
        self._clients = {
            principal.client_id: principal
            for principal in file.principals.values()
            if principal.client_id is not None
        }
        self._lifetime = timedelta(seconds=file.token_lifetime)
        self._max_age = timedelta(seconds=file.token_max_age)
        self._callers = callers
        self._tokens = tokens
        self._rules = rules

    def get_token(self, *, caller: Shown, body: Mapping[str, str]) -> Reply:
        """Return a token for a client, for a user, or in the place of one that is about to end."""
        kind = body.get("grant_type")
        if not kind:
            raise oauth("invalid_request", "grant_type is missing")
        flows: Mapping[str, Callable[[Shown, Mapping[str, str]], Claims]] = {
            CLIENT_CREDENTIALS: self._client_credentials,
            TOKEN_EXCHANGE: self._token_exchange,
        }
        if kind not in flows:
            raise oauth("unsupported_grant_type", f"grant_type is neither {' nor '.join(flows)}")
        claims = flows[kind](caller, body)
        answer: dict[str, Any] = {
            "access_token": self._tokens.issue(claims),
            "token_type": "bearer",
            "expires_in": max(round((claims.expires - self._callers.now()).total_seconds()), 1),
            "issued_token_type": ACCESS_TOKEN,
            "scope": claims.scope,
        }
        return json_reply(answer)

    def _client_credentials(self, caller: Shown, body: Mapping[str, str]) -> Claims:
        principal = self._rules.client(self._clients, caller, body)
        scope = self._rules.scope(body)
        now = self._callers.now()
        return Claims(principal.name, scope, now + self._lifetime, now)

    def _token_exchange(self, caller: Shown, body: Mapping[str, str]) -> Claims:
        self._rules.exchange_is_whole(body)
        scope = self._rules.scope(body)
        subject = self._subject(body["subject_token"], "subject_token")
        actor = (
            self._subject(body["actor_token"], "actor_token") if body.get("actor_token") else None
        )
        if caller.basic is not None or body.get("client_secret"):
            self._rules.client(self._clients, caller, body)
        elif caller.bearer is not None:
            bearer_of_exchange(self._callers, caller.bearer)
        ends = (
            self._callers.now() + self._lifetime,
            self._latest(subject.principal),
            subject.auth_time + self._max_age,
        )
        expires = min(ends)
        if actor is not None:
            return replace(subject, scope=scope, expires=expires, actor=actor.principal)
        return replace(subject, scope=scope, expires=expires)

    def _subject(self, token: str, member: str) -> Claims:
        """Return the content of a token to exchange; configured tokens without expiry have the full
        scope.

        Raises:
            Problem: 400, the token is unknown or has expired.
        """
        raw = token.encode()
        try:
            caller = self._rules.subject(self._callers, raw)
        except Problem as problem:
            raise oauth("invalid_grant", f"the {member} is no good: {problem.message}") from None
        claims = self._callers.claims_of(raw)
        if claims is not None:
            return claims
        now = self._callers.now()
        return Claims(caller.principal.name, SCOPE, now, now)

    def _latest(self, principal: str) -> datetime:
        """Return the latest end of a token that stands for one from the server file."""
        return (
            self._callers.get(principal).principal.token_expires
            or self._callers.now() + self._lifetime
        )


def client(clients: Mapping[str, Principal], caller: Shown, body: Mapping[str, str]) -> Principal:
    """Return the client that a request proves to come from, in its form or by its Basic header.

    Raises:
        Problem: 401 or 400, none.
    """
    in_form = (body.get("client_id", ""), body.get("client_secret", ""))
    if caller.basic is not None:
        if any(in_form) and ":".join(in_form) != caller.basic:
            raise oauth(
                "invalid_request",
                "the form and the Basic header name different clients; send one of them",
            )
        name, _, secret = caller.basic.partition(":")
        # The standard has both encoded once more, which few clients do.
        readings = [(name, secret), (unquote_plus(name), unquote_plus(secret))]
    else:
        readings = [in_form]
    for name, secret in readings:
        principal = clients.get(name)
        right = principal.client_secret if principal is not None else None
        # Compared also where there is nothing to compare with, so that the time does not say which
        # clients there are.
        if (right or _NOBODY).matches(secret) and principal is not None:
            return principal
    challenge = (("www-authenticate", f'Basic realm="{REALM}"'),)
    raise oauth(
        "invalid_client",
        "there is no client of this id with this secret",
        status=401,
        headers=challenge,
    )


def scope_of(body: Mapping[str, str]) -> str:
    """Return the requested scope, by default the only one.

    Raises:
        Problem: 400, the scope is unknown.
    """
    if set(body.get("scope", "").split()) - {SCOPE}:
        raise oauth("invalid_scope", f"the only scope is {SCOPE}")
    return SCOPE


def exchange_is_whole(body: Mapping[str, str]) -> None:
    """Check that a token exchange names its subject token and the token's type.

    Raises:
        Problem: 400, a parameter is missing or a type is unknown.
    """
    for member in ("subject_token", "subject_token_type"):
        if not body.get(member):
            raise oauth("invalid_request", f"{member} is missing")
    for member in ("subject_token_type", "actor_token_type", "requested_token_type"):
        if body.get(member) and body[member] not in TOKEN_TYPES:
            raise oauth(
                "invalid_request", f"{member} is not one of {', '.join(sorted(TOKEN_TYPES))}"
            )
    if bool(body.get("actor_token")) != bool(body.get("actor_token_type")):
        raise oauth(
            "invalid_request",
            "actor_token and actor_token_type go together; one of them is missing",
        )
    if body.get("requested_token_type") not in {None, "", ACCESS_TOKEN}:
        raise oauth(
            "invalid_request", f"requested_token_type: this server issues {ACCESS_TOKEN} only"
        )


def subject(callers: Callers, token: bytes) -> Any:
    """Return the principal of a token issued or configured here. Self-asserted identities are not
    trusted.
    """
    return callers.bearing(token)


def bearer_of_exchange(callers: Callers, token: bytes) -> None:
    """Check the bearer token that a token exchange sends in addition.

    Raises:
        Problem: 401, it is invalid.
    """
    try:
        callers.bearing(token)
    except Problem as problem:
        raise oauth(
            "invalid_client", problem.message, status=401, headers=problem.headers
        ) from None


def oauth(
    code: str, message: str, *, status: int = 400, headers: tuple[tuple[str, str], ...] = ()
) -> Problem:
    """Return a refusal by the token endpoint."""
    return Problem(status, code, message, headers=headers)


def in_oauth_form(reply: Reply, _: Scope) -> Reply:
    """Return an answer of the token endpoint: OAuth2 error bodies, and
    `Cache-Control: no-store`.
    """
    if reply.status >= 400 and reply.body:
        error = reply.document["error"]
        code = (
            error["type"]
            if error["type"] in CODES
            else "invalid_request"
            if reply.status < 500
            else "server_error"
        )
        reply = replace(
            reply, body=orjson.dumps({"error": code, "error_description": error["message"]})
        )
    return replace(reply, headers=(*reply.headers, *NO_STORE))


class Rules(ServiceRules):
    """Decisions of the token endpoint that a fault may replace."""

    client = staticmethod(client)
    scope = staticmethod(scope_of)
    exchange_is_whole = staticmethod(exchange_is_whole)
    subject = staticmethod(subject)
