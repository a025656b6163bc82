"""Token exchange, and token servers other than the catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import orjson

from lakepact.conformance.clients.iceberg_rest.access.tokens import CREDENTIAL, FORM, LIFETIME, PAUSE, Issuer, asks_for_tokens
from lakepact.conformance.clients.iceberg_rest.kit.lab import ADDRESS
from lakepact.conformance.clients.iceberg_rest.kit.scripts import error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script
    from lakepact.conformance.evidence.exchanges import Exchange

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TYPE = "urn:ietf:params:oauth:token-type:"
TYPES = tuple(TYPE + name for name in ("access_token", "refresh_token", "id_token", "saml1", "saml2", "jwt"))
SUBJECT = "jwt-of-the-table"
AUTHORIZATION = "authorization"


def with_a_token_to_exchange(issuer: Issuer) -> Script:
    """Return a catalog whose tables have a token in `config` that clients exchange for an access token."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = issuer.script(request, forward)
        if request.operation != op.load_table or answer.status != 200:
            return answer
        document = answer.document
        return answer.with_document({**document, "config": {**document.get("config", {}), f"{TYPE}jwt": SUBJECT}}).with_header("etag", None)

    return script


def _form(exchange: Exchange) -> dict[str, str]:
    return dict(parse_qsl(exchange.request_body.decode("utf-8", "replace"), keep_blank_values=True))


def _exchanged(done: Performance) -> list[Exchange]:
    return [exchange for exchange in done.of(op.get_token) if _form(exchange).get("grant_type") == EXCHANGE]


def _fits(exchange: Exchange) -> None:
    """Expect that a token exchange has the members that RFC 8693 requires."""
    form = _form(exchange)
    kinds = [value for name, value in exchange.request_headers if name.lower() == "content-type"]
    expect.true(bool(kinds) and kinds[0].startswith(FORM), f"Content-Type {FORM}", expect.shown(kinds), at=None)
    expect.true(bool(form.get("subject_token")), "a subject_token in the form", expect.shown(sorted(form)), at=None)
    expect.true(
        form.get("subject_token_type") in TYPES, "a subject_token_type of RFC 8693", expect.shown(form.get("subject_token_type")), at=None
    )
    expect.true(
        ("actor_token" in form) == ("actor_token_type" in form),
        "actor_token and actor_token_type, or neither",
        expect.shown(sorted(form)),
        at=None,
    )


def _sends(exchange: Exchange) -> list[str]:
    return [value.partition(" ")[2] for name, value in exchange.request_headers if name.lower() == AUTHORIZATION]


def _of_exchanged_tables(done: Performance | None) -> tuple[Exchange, ...]:
    """Return the commits to a table whose token the client has exchanged."""
    return done.of(op.update_table) if done is not None and _exchanged(done) else ()


@check("IRC-CLI-048")
def exchanged_tokens(lab: CatalogClientLab) -> None:
    """A client that exchanges a token sends a form with the members of RFC 8693, and commits with the token that it gets."""
    home = lab.namespace("t")
    listed = lab.tries(
        "list-tables-repeatedly", Issuer(lifetime=LIFETIME).script, namespace=home, properties=CREDENTIAL, times=2, pause=PAUSE
    )
    arguments: dict[str, Any] = {"namespace": home, "table": "t", "updates": {"lakepact.a": "1"}, "properties": CREDENTIAL}
    changed = lab.tries("set-properties", with_a_token_to_exchange(Issuer()), **arguments)
    requests = [exchange for done in (listed, changed) if done is not None for exchange in _exchanged(done)]
    if not requests:
        raise NotOffered("the client exchanges no tokens")
    with lab.judge_each("IRC-CLI-048") as case:
        for exchange in requests:
            with case():
                _fits(exchange)
        for exchange in _of_exchanged_tables(changed):
            with case():
                issued = [str(orjson.loads(answer.body or b"{}").get("access_token")) for answer in requests]
                expect.true(
                    any(token in issued for token in _sends(exchange)),
                    "the token of the answer, sent with the commit",
                    "another token",
                    at=None,
                )


@check("IRC-CLI-049")
def addresses_of_token_servers(lab: CatalogClientLab) -> None:
    """A client with `oauth2-server-uri` obtains its token there, and sends nothing to /v1/oauth/tokens."""
    home = lab.namespace("t")
    issuer = Issuer()
    asks_for_tokens(lab.performs("list-tables", issuer.script, namespace=home, properties=CREDENTIAL))
    path = "/identity/realms/one/token"

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == op.get_token:
            return error(404, "NotFoundException")
        is_token = request.target.partition("?")[0] == path
        return issuer.script(replace(request, operation=op.get_token) if is_token else request, forward)

    properties = {**CREDENTIAL, "oauth2-server-uri": f"{ADDRESS}{path}"}
    with lab.judge("IRC-CLI-049"):
        done = lab.performs("list-tables", script, namespace=home, properties=properties)
        expect.true(done.ended.prints(["t"]), f"the tables, with a token of {path}", done.ended.outcome, at=None)
        expect.equal(0, len(done.of(op.get_token)), "requests for tokens at /v1/oauth/tokens:", at=None)
