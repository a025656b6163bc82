"""Tokens that are issued wrongly, or to the wrong ones, and refusals of the token endpoint in other
forms.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    fault,
    on_answer,
    on_reply,
    on_request,
    replace_rule,
    wrap_entry,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import json_reply
from lakepact.reference_server.iceberg_rest.access.token_endpoint import (
    NO_STORE,
    TOKEN_EXCHANGE,
    oauth,
)
from mutants.iceberg_rest.access.authentication import authorization, turning_away

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.http.service import Handler, Scope, Service

    Fields = Mapping[str, str]

TOKENS = op.get_token
OTHER = "access_token"  #: what is neither a token, nor one of its types


def answering(**members: Any) -> Install:
    """Answers with other members, or without those that are None."""

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in {**document, **members}.items() if value is not None}

    return on_answer(TOKENS, edit)


def _dead(document: dict[str, Any]) -> None:
    document["access_token"] += "x"


def refusing(error: str, /, *, status: int | None = None, **members: Any) -> Install:
    """Refusals of one error with another status or other members."""

    def change(reply: Reply, _: Scope) -> Reply:
        if reply.status < 400 or reply.document.get("error") != error:
            return reply
        return replace(
            reply, status=status or reply.status, body=orjson.dumps({**reply.document, **members})
        )

    return on_reply(TOKENS, change)


def saying(error: str, said: str, *, where: str = "") -> Install:
    """Refusals of one error, that say this, with another error."""

    def change(reply: Reply, _: Scope) -> Reply:
        if (
            reply.status < 400
            or reply.document.get("error") != error
            or where not in reply.document.get("error_description", "")
        ):
            return reply
        return replace(reply, body=orjson.dumps({**reply.document, "error": said}))

    return on_reply(TOKENS, change)


def around_clients(act: Callable[[Any, Mapping[str, Any], Any, Fields], Any]) -> Install:
    """Find clients by `act(client, clients, shown, body)`."""

    def wrap(client: Any) -> Any:
        def found(clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
            return act(client, clients, shown, body)

        return found

    return wrap_rule("client", wrap)


def exchanging(change: Callable[[dict[str, Any]], None]) -> Install:
    """Answers to an exchange of tokens, changed in place."""

    def wrap(handler: Handler) -> Handler:
        def answer(**arguments: Any) -> Reply:
            reply = handler(**arguments)
            if arguments["body"].get("grant_type") != TOKEN_EXCHANGE:
                return reply
            document = reply.document
            change(document)
            return json_reply(document)

        return answer

    return wrap_entry("handlers", TOKENS, wrap)


def whole_but(*members: str) -> Install:
    """Look at exchanges as if these members were right."""

    def wrap(is_whole: Any) -> Any:
        def looked_at(body: dict[str, str]) -> None:
            wrong = {name for name in members if name in body}
            is_whole(
                {name: value for name, value in body.items() if name not in wrong} | _right(members)
            )

        return looked_at

    return wrap_rule("exchange_is_whole", wrap)


def _right(members: tuple[str, ...]) -> dict[str, str]:
    kinds = [name for name in members if name == "subject_token_type"]
    return dict.fromkeys(kinds, "urn:ietf:params:oauth:token-type:access_token")


def _needs_a_token(scope: Scope) -> None:
    if not authorization(scope).casefold().startswith("bearer"):
        raise Problem(401, "NotAuthorizedException", "asked for by a fault")


def _as_a_catalog_says_it(reply: Reply, _: Scope) -> Reply:
    return reply


def _is_issued(scope: Scope) -> bool:
    return authorization(scope).startswith("Bearer lakepact.")


@fault("IRC-OAU-002", by=partial(on_reply, TOKENS))
def credentials_in_json(reply: Reply, _: Scope) -> Reply:
    return (
        json_reply({"access_token": "lakepact-of-json", "token_type": "bearer"})
        if reply.status == 415
        else reply
    )


@fault("IRC-OAU-011", by=around_clients)
def any_secret(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    found = clients.get(body.get("client_id", ""))
    return found if found is not None else client(clients, shown, body)


@fault("IRC-OAU-011", by=around_clients)
def secrets_may_go_on(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    found, secret = clients.get(body.get("client_id", "")), body.get("client_secret", "")
    begun = found is not None and any(
        found.client_secret.matches(secret[:end]) for end in range(1, len(secret))
    )
    return found if begun else client(clients, shown, body)


@fault("IRC-OAU-011", by=around_clients)
def secrets_are_good_for_all_clients(
    client: Any, clients: Mapping[str, Any], shown: Any, body: Fields
) -> Any:
    known = [
        one
        for one in clients.values()
        if shown.basic and one.client_secret.matches(shown.basic.partition(":")[2])
    ]
    return known[0] if known else client(clients, shown, body)


@fault("IRC-OAU-012", by=partial(on_reply, TOKENS))
def oauth_errors_in_envelopes(reply: Reply, _: Scope) -> Reply:
    if reply.status < 400:
        return reply
    said = reply.document
    error = {"message": said["error_description"], "type": said["error"], "code": reply.status}
    return replace(reply, body=orjson.dumps({"error": error}))


@fault("IRC-OAU-021", by=partial(wrap_entry, "handlers", TOKENS))
def no_tokens_for_users(handler: Handler) -> Handler:
    def answer(**arguments: Any) -> Reply:
        if arguments["body"].get("actor_token"):
            raise oauth("invalid_grant", "asked for by a fault")
        return handler(**arguments)

    return answer


@fault("IRC-OAU-022", by=exchanging)
def renewed_tokens_end_sooner(document: dict[str, Any]) -> None:
    document["expires_in"] //= 2


@fault("IRC-OAU-023", by=partial(wrap_entry, "handlers", TOKENS))
def actors_stand_in_for_subjects(handler: Handler) -> Handler:
    def answer(*, body: dict[str, str], **arguments: Any) -> Reply:
        try:
            return handler(body=body, **arguments)
        except Problem as problem:
            if problem.kind != "invalid_grant" or not body.get("actor_token"):
                raise
            return handler(body={**body, "subject_token": body["actor_token"]}, **arguments)

    return answer


@fault("IRC-OAU-024", by=partial(wrap_rule, "subject"))
def self_made_jwts_are_trusted(subject: Any) -> Any:
    def found(callers: Any, token: bytes) -> Any:
        with suppress(Problem):
            return subject(callers, token)
        with suppress(ValueError, KeyError, IndexError, StopIteration):
            claims = token.split(b".")[1]
            name = json.loads(urlsafe_b64decode(claims + b"=" * (-len(claims) % 4)))["sub"]
            return next(
                one for one in callers.all if name in {one.principal.client_id, one.principal.name}
            )
        return subject(callers, token)

    return found


@fault("IRC-SEC-010")
def tokens_need_tokens(service: Service) -> None:
    service.filters[TOKENS].insert(0, _as_a_catalog_says_it)
    service.filters[TOKENS] = [
        one for one in service.filters[TOKENS] if one.__name__ != "in_oauth_form"
    ]
    on_request(TOKENS, _needs_a_token)(service)


@fault("IRC-OAU-028", by=partial(wrap_entry, "handlers", TOKENS))
def forms_are_repeated(handler: Handler) -> Handler:
    def answer(*, body: dict[str, str], **arguments: Any) -> Reply:
        try:
            return handler(body=body, **arguments)
        except Problem as problem:
            if problem.kind != "unsupported_grant_type":
                raise
            raise oauth(problem.kind, f"cannot grant {body}") from None

    return answer


@fault("IRC-OAU-028", by=around_clients)
def secrets_are_repeated(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    try:
        return client(clients, shown, body)
    except Problem as problem:
        raise oauth(
            "invalid_client",
            f"not a client: {body.get('client_id')} with {body.get('client_secret')}",
            status=problem.status,
        ) from None


FAULTS = {
    "no-credentials-in-forms IRC-OAU-003": around_clients(
        lambda client, clients, shown, body: client(
            clients, shown, body if shown.basic is not None else {}
        )
    ),
    "no-credentials-in-headers IRC-OAU-004": around_clients(
        lambda client, clients, shown, body: client(clients, replace(shown, basic=None), body)
    ),
    "tokens-without-a-type IRC-OAU-005 IRC-SCH-OAuthTokenResponse": answering(token_type=None),
    "tokens-under-another-name IRC-OAU-005": answering(access_token=None, token=OTHER),
    "tokens-of-an-unknown-type IRC-OAU-006 IRC-SCH-OAuthTokenResponse": answering(token_type=OTHER),
    "lives-as-text IRC-OAU-007 IRC-SCH-OAuthTokenResponse": answering(expires_in="3600"),
    "lives-of-no-time IRC-OAU-007": answering(expires_in=0),
    "issued-types-in-short IRC-OAU-008 IRC-SCH-TokenType": answering(issued_token_type=OTHER),
    "scopes-as-lists IRC-OAU-009": answering(scope=["catalog"]),
    "wrong-secrets-are-wrong-grants IRC-OAU-011": saying("invalid_client", "invalid_grant"),
    "wrong-secrets-are-forbidden IRC-OAU-011": refusing("invalid_client", status=403),
    "oauth-errors-of-our-own IRC-OAU-013 IRC-SCH-OAuthError": saying(
        "invalid_client", "bad_credentials"
    ),
    "unknown-grants-are-invalid IRC-OAU-015": saying("unsupported_grant_type", "invalid_request"),
    "missing-grants-are-unsupported IRC-OAU-016": saying(
        "invalid_request", "unsupported_grant_type", where="grant_type is missing"
    ),
    "any-scope IRC-OAU-017": replace_rule("scope", lambda body: body.get("scope") or "catalog"),
    "missing-subjects-are-bad-grants IRC-OAU-018": saying(
        "invalid_request", "invalid_grant", where="subject_token is missing"
    ),
    "subjects-of-no-type IRC-OAU-018": whole_but("subject_token_type"),
    "subjects-of-any-type IRC-OAU-019": whole_but("subject_token_type"),
    "tokens-of-any-type-are-issued IRC-OAU-019": whole_but("requested_token_type"),
    "actors-of-no-type IRC-OAU-020": whole_but("actor_token", "actor_token_type"),
    "renewed-tokens-are-dead IRC-OAU-022": exchanging(_dead),
    "bad-subjects-are-unauthorized IRC-OAU-023": refusing("invalid_grant", status=401),
    "issued-tokens-are-dead IRC-OAU-025 IRC-SEC-011": on_answer(TOKENS, _dead),
    "tokens-for-the-configuration-only IRC-SEC-011": turning_away(
        lambda scope: _is_issued(scope) and "/namespaces" in scope["path"]
    ),
    "oauth-failures-in-envelopes IRC-OAU-026": refusing(
        "unsupported_grant_type",
        status=500,
        error={"message": "asked for by a fault", "type": "Fault", "code": 500},
    ),
    "tokens-may-be-stored IRC-OAU-027": on_reply(
        TOKENS,
        lambda reply, _: replace(
            reply, headers=tuple(header for header in reply.headers if header not in NO_STORE)
        ),
    ),
}
