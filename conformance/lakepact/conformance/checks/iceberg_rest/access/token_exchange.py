"""Checks of token exchange: for users, for tokens that are about to expire, and with invalid
tokens.
"""

from __future__ import annotations

import base64

import orjson

from lakepact.conformance.checks.iceberg_rest.access.rights import COMMIT, Scene
from lakepact.conformance.checks.iceberg_rest.access.tokens_refused import expect_oauth_error
from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    NotOffered,
    Reply,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit import tokens
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    EXPIRED,
    NO_RIGHTS,
    SECOND,
    bearing,
    require_secret,
)

EXCHANGES = "token-exchange"


def expect_token(lab: CatalogLab, reply: Reply, about: str) -> None:
    """Expect a token that the catalog accepts.

    Raises:
        Unmet: there is none, or it is not accepted.
    """
    expect.status(reply, 200, about=about)
    warehouse = lab.target.parameters.get("warehouse")
    configuration = lab.send(
        op.get_config, headers=bearing(tokens.token_in(reply)), anonymous=True, warehouse=warehouse
    )
    expect.status(configuration, 200, about=f"for the token {about}")


def life(reply: Reply) -> int | None:
    """Return the lifetime of a token in seconds, if the answer has it."""
    seconds = reply.document.get("expires_in")
    return seconds if isinstance(seconds, int) and not isinstance(seconds, bool) else None


@check("IRC-OAU-022")
def exchanged_tokens_last_as_long(lab: CatalogLab) -> None:
    """Exchanging a token returns another token that the catalog accepts and that does not expire
    sooner.
    """
    tokens.issues_tokens(lab, EXCHANGES)
    first = tokens.fetch_token(lab, tokens.client_of(lab))
    token = tokens.token_in(first)
    second = tokens.exchange_token(lab, bearing(token), subject_token=token)

    with lab.judge("IRC-OAU-022"):
        expect_token(lab, second, "that was exchanged")
        expect.true(
            tokens.token_in(second) != token,
            "another token",
            "the same one",
            at=second.place("access_token"),
        )
        before, after = life(first), life(second)
        if before is not None and after is not None:
            # Both were asked for within moments; a token that ends with the first one would have
            # fewer seconds by the second.
            expect.true(
                after >= before - 1,
                f"a life of at least {before} seconds",
                after,
                at=second.place("expires_in"),
            )
        former, later = (
            lab.send(op.list_namespaces, headers=bearing(one), anonymous=True)
            for one in (token, tokens.token_in(second))
        )
        expect.status(later, former.status, about="as with the token that was exchanged")


@check("IRC-OAU-022")
def exchanged_tokens_grant_no_more_rights(lab: CatalogLab) -> None:
    """A change with the exchanged token of a principal that may only read returns 401 or 403."""
    tokens.issues_tokens(lab, EXCHANGES)
    scene = Scene(lab)
    if scene.send(op.update_table, **scene.table.at, body=COMMIT).status != 403:
        raise NotOffered(
            "the second principal may change the tables of the first; it should read everything and"
            " change nothing"
        )
    token = require_secret(lab, SECOND)
    reply = tokens.exchange_token(lab, bearing(token), subject_token=token)
    if reply.status != 200:
        lab.skip(
            "IRC-OAU-022", f"the token of the second principal is not exchanged: {reply.summary}"
        )
        return

    with lab.judge("IRC-OAU-022"):
        change = lab.send(
            op.update_table,
            headers=bearing(tokens.token_in(reply)),
            anonymous=True,
            **scene.table.at,
            body=COMMIT,
        )
        about = "for a change by a principal that may only read, with a token that was renewed"
        expect.status(change, 401, 403, about=about, mutation=NO_RIGHTS)


@check("IRC-OAU-021")
def user_tokens_are_exchanged(lab: CatalogLab) -> None:
    """Exchanging a user's token as subject with the catalog's token as actor returns a token that
    the catalog accepts.
    """
    tokens.issues_tokens(lab, EXCHANGES)
    subject = tokens.subject_of(lab)
    actor = tokens.token_in(tokens.fetch_token(lab, tokens.client_of(lab)))
    reply = tokens.exchange_token(
        lab,
        bearing(actor),
        subject_token=subject,
        actor_token=actor,
        actor_token_type=tokens.ACCESS_TOKEN,
    )

    with lab.judge("IRC-OAU-021"):
        expect_token(lab, reply, "of a user")


@check("IRC-OAU-018", "IRC-OAU-019", "IRC-OAU-020")
def exchanges_without_known_token_types_return_400(lab: CatalogLab) -> None:
    """An exchange without a subject token, or without a known type for each token, returns 400
    `invalid_request`.
    """
    tokens.issues_tokens(lab, EXCHANGES)
    token = tokens.token_in(tokens.fetch_token(lab, tokens.client_of(lab)))
    own = bearing(token)

    with lab.judge("IRC-OAU-018"):
        missing = Wrong.MISSING("subject_token")
        expect_oauth_error(
            tokens.exchange_token(lab, own),
            400,
            error="invalid_request",
            about="without subject_token",
            mutation=missing,
        )
        without = tokens.exchange_token(lab, own, subject_token=token, subject_token_type=None)
        missing = Wrong.MISSING("subject_token_type")
        expect_oauth_error(
            without,
            400,
            error="invalid_request",
            about="without subject_token_type",
            mutation=missing,
        )
    with lab.judge("IRC-OAU-019"):
        kinds: dict[str, dict[str, str]] = {
            "subject_token_type": {},
            "actor_token_type": {"actor_token": token},
            "requested_token_type": {},
        }
        for member, with_it in kinds.items():
            odd = tokens.exchange_token(
                lab, own, subject_token=token, **with_it, **{member: "urn:lakepact:unknown"}
            )
            expect_oauth_error(
                odd,
                400,
                error="invalid_request",
                about=f"for an unknown {member}",
                mutation=Wrong.VALUE(member),
            )
    with lab.judge("IRC-OAU-020"):
        reply = tokens.exchange_token(lab, own, subject_token=token, actor_token=token)
        missing = Wrong.MISSING("actor_token_type")
        expect.status(
            reply, 400, about="for actor_token without actor_token_type", mutation=missing
        )


@check("IRC-OAU-023")
def invalid_subject_tokens_return_400(lab: CatalogLab) -> None:
    """Exchanging an unknown or empty subject token returns 400 `invalid_grant` or
    `invalid_request`, with an actor or without.
    """
    tokens.issues_tokens(lab, EXCHANGES)
    token = tokens.token_in(tokens.fetch_token(lab, tokens.client_of(lab)))
    subjects = {"lakepact-known-to-nobody": "that is unknown", "": "that is empty"}

    with lab.judge("IRC-OAU-023"):
        for subject, what in subjects.items():
            expect_no_exchange(lab, token, subject, what)


@check("IRC-OAU-023")
def expired_subject_tokens_return_400(lab: CatalogLab) -> None:
    """Exchanging an expired subject token returns 400 `invalid_grant` or `invalid_request`, with an
    actor or without.
    """
    tokens.issues_tokens(lab, EXCHANGES)
    expired = require_secret(lab, EXPIRED)
    token = tokens.token_in(tokens.fetch_token(lab, tokens.client_of(lab)))

    with lab.judge("IRC-OAU-023"):
        expect_no_exchange(lab, token, expired, "that has expired")


def expect_no_exchange(lab: CatalogLab, token: str, subject: str, what: str) -> None:
    """Expect that exchanging the subject token is refused, with the caller's token as the actor
    token and without.

    Raises:
        Unmet: it is exchanged, or refused in another way.
    """
    for actor, about in (
        ({}, ""),
        ({"actor_token": token, "actor_token_type": tokens.ACCESS_TOKEN}, ", with an actor"),
    ):
        reply = tokens.exchange_token(lab, bearing(token), subject_token=subject, **actor)
        errors = ("invalid_grant", "invalid_request")
        wrong = Wrong.ACCESS("subject_token")
        expect_oauth_error(
            reply, 400, error=errors, about=f"for a subject_token {what}{about}", mutation=wrong
        )


@check("IRC-OAU-024")
def unsigned_tokens_grant_no_rights(lab: CatalogLab) -> None:
    """Exchanging an unsigned JWT that names a principal returns no token that may create
    namespaces.
    """
    tokens.issues_tokens(lab, EXCHANGES)
    client = tokens.client_of(lab)
    tokens.fetch_token(lab, client)
    for name in lab.each((client.id, "root", "admin")):
        reply = tokens.exchange_token(
            lab, subject_token=unsigned({"sub": name}), subject_token_type=tokens.JWT
        )
        creation = (
            _create_namespace(lab, str(reply.document.get("access_token")))
            if reply.status == 200
            else None
        )
        with lab.judge("IRC-OAU-024"):
            expected = "no token that creates namespaces for a JWT without a signature"
            expect.true(
                creation is None or creation.status != 200,
                expected,
                "it does",
                at=reply.place("access_token"),
                kind=Kind.SURPLUS,
            )


def _create_namespace(lab: CatalogLab, token: str) -> Reply:
    name = lab.name()
    reply = lab.send(
        op.create_namespace,
        headers=bearing(token),
        anonymous=True,
        body={"namespace": [name], "properties": {}},
    )
    if reply.status == 200:
        lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=(name,)))
    return reply


def unsigned(claims: Document) -> str:
    """Return a JWT without a signature."""
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join(
        [*(base64.urlsafe_b64encode(orjson.dumps(part)).decode().rstrip("=") for part in parts), ""]
    )
