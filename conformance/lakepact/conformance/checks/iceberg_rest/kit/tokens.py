"""Requests to the token endpoint, as checks make them."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from urllib.parse import urlencode

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, without_nulls
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    CLIENT,
    SUBJECT,
    Headers,
    find_secret,
    require_secret,
)
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op
from lakepact.reach.settings import secret_of

TOKENS = op.get_token
CREDENTIALS = "client_credentials"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind
JWT = "urn:ietf:params:oauth:token-type:jwt"
FORM = ("Content-Type", "application/x-www-form-urlencoded")

#: Statuses of a server without a token endpoint.
ABSENT = frozenset({404, 405, 406, 501})


@dataclass(frozen=True)
class Client:
    """A client of the token endpoint."""

    id: str
    secret: str

    @property
    def fields(self) -> dict[str, str]:
        """Its credentials as fields of a form."""
        return {"client_id": self.id, "client_secret": self.secret}

    @property
    def header(self) -> Headers:
        """Its credentials as an HTTP Basic header."""
        return [
            (
                "Authorization",
                f"Basic {base64.b64encode(f'{self.id}:{self.secret}'.encode()).decode()}",
            )
        ]


def client_of(lab: CatalogLab) -> Client:
    """Return the client whose credentials are known.

    Raises:
        NotOffered: none are.
    """
    access = lab.target.access
    # A client of another token endpoint may be unknown to the catalog.
    is_own = bool(access.credential_env) and not access.token_endpoint
    credential = find_secret(lab.target, CLIENT) or (
        secret_of(access.credential_env, "--credential-env")
        if is_own
        else require_secret(lab, CLIENT)
    )
    name, colon, secret = credential.partition(":")
    if not colon:
        raise NotOffered(
            f"the variable that --parameter {CLIENT}-env=NAME names holds no id, colon and secret"
        )
    return Client(name, secret)


def issues_tokens(lab: CatalogLab, feature: str = "oauth-tokens") -> None:
    """Go on if the target issues tokens, or has another feature of the token endpoint.

    Raises:
        NotOffered: it does not.
    """
    if TOKENS not in lab.contract.operations or not lab.feature(feature):
        raise NotOffered(
            "the target issues no tokens"
            if feature == "oauth-tokens"
            else "the target exchanges no tokens"
        )


def form(lab: CatalogLab, headers: Headers | None = None, /, **fields: str | None) -> Reply:
    """Return the answer of the token endpoint to a form with the caller's scope, without the fields
    that are None.
    """
    members = {"scope": lab.target.access.token_scope, **fields}
    content = urlencode(without_nulls(members)).encode()
    return lab.send(
        TOKENS, content=content, headers=[*(headers or []), FORM], anonymous=True, declared=False
    )


def fetch_token(lab: CatalogLab, client: Client) -> Reply:
    """Return the answer to a client's credentials, which every check of what follows needs to be a
    token.

    Raises:
        StepFailed: it is none.
    """
    reply = form(lab, grant_type=CREDENTIALS, **client.fields)
    with lab.step("IRC-OAU-003"):
        expect.status(reply, 200, about="for credentials in a form")
        token_in(reply)
    return reply


def token_in(reply: Reply) -> str:
    """Return the token of an answer.

    Raises:
        Unmet: there is none.
    """
    token: str = reply.at("access_token")
    return token


def subject_of(lab: CatalogLab) -> str:
    """Return the token of a user, which can be exchanged.

    Raises:
        NotOffered: none is known.
    """
    return require_secret(lab, SUBJECT)


def exchange_token(
    lab: CatalogLab, headers: Headers | None = None, /, **fields: str | None
) -> Reply:
    """Return the answer to a token exchange; token types are access tokens by default."""
    usual: dict[str, str | None] = {
        "grant_type": EXCHANGE,
        "subject_token_type": ACCESS_TOKEN,
    }
    return form(lab, headers, **{**usual, **fields})
