"""Checks of tokens that a catalog issues for client credentials: their form, and the requests that
they authorize.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.access.authentication import answers, expect_entry
from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Kind,
    NotOffered,
    Placed,
    Reply,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import bearing
from lakepact.conformance.checks.iceberg_rest.kit.tokens import (
    CREDENTIALS,
    TOKENS,
    client_of,
    fetch_token,
    form,
    issues_tokens,
    token_in,
)
from lakepact.conformance.judging.definitions import answers_of

CATALOG = "catalog"  #: the default of the contract
KINDS = frozenset({"bearer", "mac", "n_a"})
TOKEN_TYPES = frozenset(
    f"urn:ietf:params:oauth:token-type:{kind}"
    for kind in ("access_token", "refresh_token", "id_token", "saml1", "saml2", "jwt")
)
#: Operations that show tokens.
TRAFFIC = ("access.tokens_issued.client_credentials_return_a_token",)


def answer_of(exchange: Exchange) -> Placed:
    """Return the body of an answer with a token; an empty one if the exchange has none."""
    has_body = (
        exchange.operation == TOKENS and exchange.status == 200 and isinstance(exchange.json, dict)
    )
    return Placed(exchange.json if has_body else {}, Reply(exchange).place())


def is_text(value: Any) -> bool:
    """Return whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value)


@invariant("IRC-OAU-005", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def token_responses_have_token_and_type(exchange: Exchange) -> bool:
    """Every 200 response of the token endpoint has the strings `access_token` and `token_type`."""
    if exchange.operation != TOKENS or exchange.status != 200:
        return False
    answer = answer_of(exchange)
    for member in ("access_token", "token_type"):
        actual, kind = (
            ("none", Kind.MISSING)
            if member not in answer
            else (type(answer[member]).__name__, Kind.TYPE)
        )
        expect.true(
            is_text(answer.get(member)),
            f"the string `{member}`",
            actual,
            at=answer.place(member),
            kind=kind,
        )
    return True


@invariant("IRC-OAU-006", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def token_types_are_known(exchange: Exchange) -> bool:
    """Every `token_type` is bearer, mac or N_A in any letter case."""
    answer = answer_of(exchange)
    kind = answer.get("token_type")
    if not isinstance(kind, str):
        return False
    expect.true(
        kind.casefold() in KINDS,
        "`token_type` as bearer, mac or N_A",
        kind,
        at=answer.place("token_type"),
    )
    return True


@invariant("IRC-OAU-007", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def expires_in_is_a_positive_integer(exchange: Exchange) -> bool:
    """Every `expires_in` is a positive integer."""
    answer = answer_of(exchange)
    if "expires_in" not in answer:
        return False
    life, at = answer["expires_in"], answer.place("expires_in")
    expect.true(
        isinstance(life, int) and not isinstance(life, bool) and life > 0,
        "`expires_in` as a positive integer",
        life,
        at=at,
    )
    return True


@invariant("IRC-OAU-008", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def issued_token_types_are_known(exchange: Exchange) -> bool:
    """Every `issued_token_type` is one of the six URNs."""
    answer = answer_of(exchange)
    if "issued_token_type" not in answer:
        return False
    kind, at = answer["issued_token_type"], answer.place("issued_token_type")
    expect.true(kind in TOKEN_TYPES, "`issued_token_type` as one of the six URNs", kind, at=at)
    return True


@invariant("IRC-OAU-009", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def scopes_are_separated_by_one_space(exchange: Exchange) -> bool:
    """Every `scope` is a string of words separated by one space."""
    answer = answer_of(exchange)
    if "scope" not in answer:
        return False
    scope, at = answer["scope"], answer.place("scope")
    expect.true(
        isinstance(scope, str) and " ".join(scope.split()) == scope,
        "`scope` as words with one space between",
        scope,
        at=at,
    )
    return True


@invariant("IRC-OAU-027", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def token_responses_are_not_stored(exchange: Exchange) -> bool:
    """Every response with a token has Cache-Control: no-store."""
    if (
        exchange.operation != TOKENS
        or exchange.status != 200
        or not isinstance(exchange.json, dict)
    ):
        return False
    header, at = exchange.headers.get("cache-control", ""), Reply(exchange).header("cache-control")
    expect.true(
        "no-store" in header.casefold(),
        "`Cache-Control: no-store` with a token",
        header or "no Cache-Control",
        at=at,
    )
    return True


@check("IRC-OAU-003", "IRC-OAU-025", "IRC-SEC-010")
def client_credentials_return_a_token(lab: CatalogLab) -> None:
    """A request with client id and secret, and no bearer token, returns 200 with a token that the
    catalog accepts.
    """
    issues_tokens(lab)
    client, scope = client_of(lab), lab.target.access.token_scope
    # A server whose tokens need a scope of its own may refuse a request without one.
    scopes = (None, scope) if scope == CATALOG else (scope,)
    replies = [form(lab, grant_type=CREDENTIALS, **client.fields, scope=scope) for scope in scopes]

    with lab.judge_each("IRC-OAU-003") as case:
        for reply in replies:
            with case():
                expect.status(reply, 200, about="for credentials in a form")
                expect.true(
                    is_text(reply.at("access_token")),
                    "a token",
                    "none",
                    at=reply.place("access_token"),
                )
    with lab.judge_each("IRC-SEC-010") as case:
        for reply in replies:
            # A client that is not known is refused with 401 too, but in the form of OAuth2.
            with case():
                asks = reply.status in {401, 403} and not isinstance(
                    reply.document.get("error"), str
                )
                expect.true(
                    not asks,
                    "no bearer token to be required by the token endpoint",
                    reply.summary,
                    at=reply.place("error"),
                )
    with lab.judge_each("IRC-OAU-025") as case:
        for reply in replies:
            with case():
                lab.require(reply, 200)
                warehouse = lab.target.parameters.get("warehouse")
                configuration = lab.send(
                    op.get_config,
                    headers=bearing(token_in(reply)),
                    anonymous=True,
                    warehouse=warehouse,
                )
                expect.status(configuration, 200, about="for a token that was just issued")


@check("IRC-OAU-004")
def basic_header_credentials_return_a_token(lab: CatalogLab) -> None:
    """A token request with client credentials in an HTTP Basic header returns 200."""
    issues_tokens(lab)
    client = client_of(lab)
    fetch_token(lab, client)

    with lab.judge("IRC-OAU-004"):
        expect.status(
            form(lab, client.header, grant_type=CREDENTIALS),
            200,
            about="for credentials in a Basic header",
        )


@check("IRC-SEC-011")
def catalog_scope_tokens_are_accepted_everywhere(lab: CatalogLab) -> None:
    """Every operation accepts a token with the scope `catalog`."""
    issues_tokens(lab)
    if lab.target.access.token_scope != CATALOG:
        raise NotOffered(f"the caller's tokens have the scope {lab.target.access.token_scope}")
    token = token_in(fetch_token(lab, client_of(lab)))

    with lab.judge("IRC-SEC-011"):
        for operation, reply in answers(lab, bearing(token)):
            expect_entry(operation, reply)


@invariant(
    "IRC-OAU-026",
    traffic=(*TRAFFIC, "access.tokens_refused.unknown_clients_are_refused"),
    concerns=answers_of(TOKENS),
)
def token_endpoint_5xx_have_error(exchange: Exchange) -> bool:
    """Every 5xx response of the token endpoint, except 501, has the member `error` as a string."""
    if exchange.operation != TOKENS or not 500 <= exchange.status < 600 or exchange.status == 501:
        return False
    after = Reply(exchange)
    expect.true(
        isinstance(after.at("error"), str),
        "`error` as a string",
        Reply(exchange).summary,
        at=after.place("error"),
    )
    return True
