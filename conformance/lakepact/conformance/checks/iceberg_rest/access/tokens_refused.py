"""Checks of token requests that must be refused with an OAuth2 error."""

from __future__ import annotations

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Exchange,
    Kind,
    Mutation,
    Reply,
    Wrong,
    check,
    expect,
    invariant,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import UNKNOWN_CREDENTIALS
from lakepact.conformance.checks.iceberg_rest.kit.tokens import (
    CREDENTIALS,
    TOKENS,
    Client,
    client_of,
    fetch_token,
    form,
    issues_tokens,
)
from lakepact.conformance.evidence.redaction import INVENTED
from lakepact.conformance.judging.definitions import answers_of

CODES = (
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
)
UNKNOWN_GRANT, NO_GRANT = Wrong.VALUE("grant_type"), Wrong.MISSING("grant_type")
IN_JSON = Wrong.SYNTAX("Content-Type")
#: Operations that show refusals.
TRAFFIC = (
    "access.tokens_refused.unknown_grant_types_return_400",
    "access.tokens_refused.wrong_secrets_return_invalid_client",
    "access.tokens_refused.unknown_clients_are_refused",  # needs no client of the target
)


def expect_oauth_error(
    reply: Reply, *statuses: int, error: str | tuple[str, ...], about: str, mutation: Mutation
) -> None:
    """Expect a refusal with one of these statuses and one of these errors.

    Raises:
        Unmet: it is another answer.
    """
    expect.status(reply, *statuses, about=about, mutation=mutation)
    errors = (error,) if isinstance(error, str) else error
    expect.true(
        reply.document.get("error") in errors,
        f"`error` as {' or '.join(errors)} {about}",
        reply.summary,
        at=reply.place("error"),
    )


@invariant("IRC-OAU-012", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def token_errors_are_strings(exchange: Exchange) -> bool:
    """Every 400 or 401 JSON response of the token endpoint has the member `error` as a string."""
    if exchange.operation != TOKENS or exchange.status not in {400, 401}:
        return False
    if exchange.media_type != "application/json" and not isinstance(exchange.json, dict):
        return False
    after = Reply(exchange)
    expect.true(
        isinstance(after.at("error"), str),
        "`error` as a string",
        Reply(exchange).summary,
        at=after.place("error"),
    )
    return True


@invariant("IRC-OAU-013", traffic=TRAFFIC, concerns=answers_of(TOKENS))
def token_errors_are_known(exchange: Exchange) -> bool:
    """Every `error` in a 400 or 401 response of the token endpoint is one of the six OAuth2
    errors.
    """
    if exchange.operation != TOKENS or exchange.status not in {400, 401}:
        return False
    document = exchange.json
    if not isinstance(document, dict):
        return False
    if not isinstance(document.get("error"), str):
        return False
    expect.one_of(CODES, document["error"], "`error`", at=Reply(exchange).place("error"))
    return True


@check("IRC-OAU-002")
def token_requests_in_json_are_refused(lab: CatalogLab) -> None:
    """A token request with a JSON body returns 400 or 415."""
    issues_tokens(lab)
    client = client_of(lab)
    fetch_token(lab, client)
    body = orjson.dumps({"grant_type": CREDENTIALS, **client.fields})
    reply = lab.send(
        TOKENS,
        content=body,
        headers=[("Content-Type", "application/json")],
        anonymous=True,
        declared=False,
    )

    with lab.judge("IRC-OAU-002"):
        expect.status(reply, 400, 415, about="for credentials in JSON", mutation=IN_JSON)


@check("IRC-OAU-011", "IRC-OAU-028")
def wrong_secrets_return_invalid_client(lab: CatalogLab) -> None:
    """A wrong secret, in the form or in a Basic header, returns 401 or 400 `invalid_client`, and is
    not repeated.
    """
    issues_tokens(lab)
    client = client_of(lab)
    wrong = Client(client.id, f"{client.secret[::-1]}-wrong")
    replies = [
        form(lab, grant_type=CREDENTIALS, **wrong.fields),
        form(lab, wrong.header, grant_type=CREDENTIALS),
    ]

    with lab.judge("IRC-OAU-011"):
        expect_oauth_error(
            replies[0],
            401,
            400,
            error="invalid_client",
            about="for a wrong secret",
            mutation=UNKNOWN_CREDENTIALS,
        )
        expect.status(
            replies[1],
            401,
            400,
            about="for a wrong secret in a Basic header",
            mutation=UNKNOWN_CREDENTIALS,
        )
    with lab.judge("IRC-OAU-028"):
        for reply in replies:
            keeps_the_secret(reply, wrong)


@check("IRC-OAU-002", "IRC-OAU-011", "IRC-OAU-015", "IRC-OAU-016")
def unknown_clients_are_refused(lab: CatalogLab) -> None:
    """A token request of an unknown client returns 400 or 401 with an OAuth2 error."""
    issues_tokens(lab)
    nobody = Client(lab.name(), INVENTED)
    body = orjson.dumps({"grant_type": CREDENTIALS, **nobody.fields})
    json = lab.send(
        TOKENS,
        content=body,
        headers=[("Content-Type", "application/json")],
        anonymous=True,
        declared=False,
    )
    cases: dict[str, tuple[Reply, tuple[str, ...], str, Mutation]] = {
        "IRC-OAU-011": (
            form(lab, grant_type=CREDENTIALS, **nobody.fields),
            (),
            "for an unknown client",
            UNKNOWN_CREDENTIALS,
        ),
        "IRC-OAU-015": (
            form(lab, grant_type="urn:lakepact:unknown", **nobody.fields),
            ("unsupported_grant_type",),
            "for an unknown grant type",
            UNKNOWN_GRANT,
        ),
        "IRC-OAU-016": (
            form(lab, **nobody.fields),
            ("invalid_request",),
            "without grant_type",
            NO_GRANT,
        ),
    }

    refusals = (400, 401, 415)
    if json.status in refusals:  # the client may be why
        lab.skip(
            "IRC-OAU-002",
            "only a known client shows that the media type is refused: --parameter client-env=NAME",
        )
    else:
        with lab.judge("IRC-OAU-002"):
            expect.status(json, *refusals, about="for credentials in JSON", mutation=IN_JSON)
    for requirement, (reply, errors, about, wrong) in lab.each(cases.items()):
        with lab.judge(requirement):  # a server may look at the client first
            expect_oauth_error(
                reply, 400, 401, error=("invalid_client", *errors), about=about, mutation=wrong
            )


@check("IRC-OAU-011")
def altered_secrets_are_refused(lab: CatalogLab) -> None:
    """An altered, empty or another client's secret returns 401 or 400, in the form and in a Basic
    header.
    """
    issues_tokens(lab)
    client = client_of(lab)
    fetch_token(lab, client)
    near_secrets = {
        f"{client.secret}x": "with a letter too many",
        client.secret[:-1]: "without its last letter",
        client.secret.swapcase(): "in the other letter case",
        "": "of no letters",
    }
    near = {
        what: Client(client.id, secret)
        for secret, what in near_secrets.items()
        if secret != client.secret
    }
    near["of another client"] = Client(f"{client.id}{lab.name()}", client.secret)

    with lab.judge_each("IRC-OAU-011") as case:
        for what, wrong in near.items():
            for where, reply in {
                "in a form": form(lab, grant_type=CREDENTIALS, **wrong.fields),
                "in a Basic header": form(lab, wrong.header, grant_type=CREDENTIALS),
            }.items():
                with case():
                    expect.status(
                        reply,
                        401,
                        400,
                        about=f"for a secret {what}, {where}",
                        mutation=UNKNOWN_CREDENTIALS,
                    )


def keeps_the_secret(reply: Reply, client: Client) -> None:
    """Expect an answer that does not repeat the secret of a client.

    Raises:
        Unmet: it stands there.
    """
    hidden, actual = client.secret.encode() not in reply.body, "the response contains it"
    expect.true(
        hidden, "a response without the client secret", actual, at=reply.place(), kind=Kind.SURPLUS
    )


@check("IRC-OAU-015", "IRC-OAU-016", "IRC-OAU-028")
def unknown_grant_types_return_400(lab: CatalogLab) -> None:
    """A token request with an unknown or missing `grant_type` returns 400 and does not repeat the
    secret.
    """
    issues_tokens(lab)
    client = client_of(lab)
    unknown = form(lab, grant_type="urn:lakepact:unknown", **client.fields)
    missing = form(lab, **client.fields)

    with lab.judge("IRC-OAU-015"):
        expect_oauth_error(
            unknown,
            400,
            error="unsupported_grant_type",
            about="for an unknown grant type",
            mutation=UNKNOWN_GRANT,
        )
    with lab.judge("IRC-OAU-016"):
        expect_oauth_error(
            missing, 400, error="invalid_request", about="without grant_type", mutation=NO_GRANT
        )
    with lab.judge("IRC-OAU-028"):
        for reply in (unknown, missing):
            keeps_the_secret(reply, client)


@check("IRC-OAU-017", "IRC-OAU-028")
def unknown_scopes_return_400(lab: CatalogLab) -> None:
    """An unknown scope returns 400 `invalid_scope` and does not repeat the secret."""
    issues_tokens(lab)
    client = client_of(lab)
    fetch_token(lab, client)
    fields: Document = {
        "grant_type": CREDENTIALS,
        **client.fields,
        "scope": lab.name("scope"),
    }
    reply = form(lab, **fields)

    with lab.judge("IRC-OAU-017"):
        expect_oauth_error(
            reply,
            400,
            error="invalid_scope",
            about="for an unknown scope",
            mutation=Wrong.VALUE("scope"),
        )
    with lab.judge("IRC-OAU-028"):
        keeps_the_secret(reply, client)
