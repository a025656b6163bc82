"""Tokens that are issued wrongly, or to the wrong ones, and refusals of the token endpoint in other forms."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_reply, on_request, replace_rule, wrap_entry, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import json_reply
from lakepact.reference_server.iceberg_rest.access.token_endpoint import NO_STORE, TOKEN_EXCHANGE, oauth
from mutants.iceberg_rest.access.authentication import authorization, turning_away

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Scope, Service

    Fields = Mapping[str, str]

TOKENS = op.get_token
OTHER = "access_token"  #: what is neither a token, nor one of its types


# -- answers with a token -----------------------------------------------------------------------------------------------------


def answering(**members: Any) -> Install:
    """Answers with other members, or without those that are None."""

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in {**document, **members}.items() if value is not None}

    return on_answer(TOKENS, edit)


def _dead(document: dict[str, Any]) -> None:
    document["access_token"] += "x"


# -- refusals -----------------------------------------------------------------------------------------------------------------


def refusing(error: str, /, *, status: int | None = None, **members: Any) -> Install:
    """Refusals of one error with another status or other members."""

    def change(reply: Reply, _: Scope) -> Reply:
        if reply.status < 400 or reply.document.get("error") != error:
            return reply
        return replace(reply, status=status or reply.status, body=orjson.dumps({**reply.document, **members}))

    return on_reply(TOKENS, change)


def saying(error: str, said: str, *, where: str = "") -> Install:
    """Refusals of one error, that say this, with another error."""

    def change(reply: Reply, _: Scope) -> Reply:
        if reply.status < 400 or reply.document.get("error") != error or where not in reply.document.get("error_description", ""):
            return reply
        return replace(reply, body=orjson.dumps({**reply.document, "error": said}))

    return on_reply(TOKENS, change)


# -- who is given a token -----------------------------------------------------------------------------------------------------


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
            is_whole({name: value for name, value in body.items() if name not in wrong} | _right(members))

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
    """Client credentials in a JSON body return a token."""
    return json_reply({"access_token": "lakepact-of-json", "token_type": "bearer"}) if reply.status == 415 else reply


@fault("IRC-OAU-003", by=partial(around_clients))
def no_credentials_in_forms(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """Client credentials in a form are ignored."""
    return client(clients, shown, body if shown.basic is not None else {})


@fault("IRC-OAU-004", by=partial(around_clients))
def no_credentials_in_headers(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """Client credentials in a Basic header are ignored."""
    return client(clients, replace(shown, basic=None), body)


@fault("IRC-OAU-005", "IRC-SCH-OAuthTokenResponse")
def tokens_without_a_type() -> Install:
    """Tokens come without token_type."""
    return answering(token_type=None)


@fault("IRC-OAU-005")
def tokens_under_another_name() -> Install:
    """Tokens come as `token`."""
    return answering(access_token=None, token=OTHER)


@fault("IRC-OAU-006", "IRC-SCH-OAuthTokenResponse")
def tokens_of_an_unknown_type() -> Install:
    """The `token_type` of tokens is not one of the contract's."""
    return answering(token_type=OTHER)


@fault("IRC-OAU-007", "IRC-SCH-OAuthTokenResponse")
def lives_as_text() -> Install:
    """`expires_in` is a string."""
    return answering(expires_in="3600")


@fault("IRC-OAU-007")
def lives_of_no_time() -> Install:
    """`expires_in` is 0."""
    return answering(expires_in=0)


@fault("IRC-OAU-008", "IRC-SCH-TokenType")
def issued_types_in_short() -> Install:
    """`issued_token_type` is not a URN."""
    return answering(issued_token_type=OTHER)


@fault("IRC-OAU-009")
def scopes_as_lists() -> Install:
    """The scope of a token is an array."""
    return answering(scope=["catalog"])


@fault("IRC-OAU-011", by=partial(around_clients))
def any_secret(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """Clients need no secret."""
    found = clients.get(body.get("client_id", ""))
    return found if found is not None else client(clients, shown, body)


@fault("IRC-OAU-011", by=partial(around_clients))
def secrets_may_go_on(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """Characters after a client secret are ignored."""
    found, secret = clients.get(body.get("client_id", "")), body.get("client_secret", "")
    begun = found is not None and any(found.client_secret.is_spelled(secret[:end]) for end in range(1, len(secret)))
    return found if begun else client(clients, shown, body)


@fault("IRC-OAU-011", by=partial(around_clients))
def secrets_are_good_for_all_clients(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """In a Basic header, the secret of one client is good for every other."""
    known = [one for one in clients.values() if shown.basic and one.client_secret.is_spelled(shown.basic.partition(":")[2])]
    return known[0] if known else client(clients, shown, body)


@fault("IRC-OAU-011")
def wrong_secrets_are_wrong_grants() -> Install:
    """A wrong secret returns invalid_grant."""
    return saying("invalid_client", "invalid_grant")


@fault("IRC-OAU-011")
def wrong_secrets_are_forbidden() -> Install:
    """A wrong secret returns 403."""
    return refusing("invalid_client", status=403)


@fault("IRC-OAU-012", by=partial(on_reply, TOKENS))
def oauth_errors_in_envelopes(reply: Reply, _: Scope) -> Reply:
    """The token endpoint returns Iceberg error bodies."""
    if reply.status < 400:
        return reply
    said = reply.document
    error = {"message": said["error_description"], "type": said["error"], "code": reply.status}
    return replace(reply, body=orjson.dumps({"error": error}))


@fault("IRC-OAU-013", "IRC-SCH-OAuthError")
def oauth_errors_of_our_own() -> Install:
    """The token endpoint returns an error code of its own for wrong secrets."""
    return saying("invalid_client", "bad_credentials")


@fault("IRC-OAU-015")
def unknown_grants_are_invalid() -> Install:
    """An unknown grant type is an invalid request."""
    return saying("unsupported_grant_type", "invalid_request")


@fault("IRC-OAU-016")
def missing_grants_are_unsupported() -> Install:
    """A missing grant type returns unsupported_grant_type."""
    return saying("invalid_request", "unsupported_grant_type", where="grant_type is missing")


@fault("IRC-OAU-017", by=partial(replace_rule, "scope"))
def any_scope(body: Fields) -> str:
    """Every scope is granted."""
    return body.get("scope") or "catalog"


@fault("IRC-OAU-018")
def missing_subjects_are_bad_grants() -> Install:
    """A token exchange without its subject returns invalid_grant."""
    return saying("invalid_request", "invalid_grant", where="subject_token is missing")


@fault("IRC-OAU-018")
def subjects_of_no_type() -> Install:
    """A token exchange without subject_token_type is accepted."""
    return whole_but("subject_token_type")


@fault("IRC-OAU-019")
def subjects_of_any_type() -> Install:
    """A token exchange with any subject_token_type is accepted."""
    return whole_but("subject_token_type")


@fault("IRC-OAU-019")
def tokens_of_any_type_are_issued() -> Install:
    """A token exchange with any requested_token_type is accepted."""
    return whole_but("requested_token_type")


@fault("IRC-OAU-020")
def actors_of_no_type() -> Install:
    """A token exchange without actor_token_type is accepted."""
    return whole_but("actor_token", "actor_token_type")


@fault("IRC-OAU-021", by=partial(wrap_entry, "handlers", TOKENS))
def no_tokens_for_users(handler: Handler) -> Handler:
    """A user's token is not exchanged."""

    def answer(**arguments: Any) -> Reply:
        if arguments["body"].get("actor_token"):
            raise oauth("invalid_grant", "asked for by a fault")
        return handler(**arguments)

    return answer


@fault("IRC-OAU-022")
def renewed_tokens_are_dead() -> Install:
    """Renewed tokens are not accepted."""
    return exchanging(_dead)


@fault("IRC-OAU-022", by=partial(exchanging))
def renewed_tokens_end_sooner(document: dict[str, Any]) -> None:
    """A token that was renewed ends sooner."""
    document["expires_in"] //= 2


@fault("IRC-OAU-023")
def bad_subjects_are_unauthorized() -> Install:
    """A malformed token returns 401."""
    return refusing("invalid_grant", status=401)


@fault("IRC-OAU-023", by=partial(wrap_entry, "handlers", TOKENS))
def actors_stand_in_for_subjects(handler: Handler) -> Handler:
    """If the subject token is invalid, the token of the actor is used."""

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
    """The claims of a self-made JWT are trusted."""

    def found(callers: Any, token: bytes) -> Any:
        with suppress(Problem):
            return subject(callers, token)
        with suppress(ValueError, KeyError, IndexError, StopIteration):
            claims = token.split(b".")[1]
            name = json.loads(urlsafe_b64decode(claims + b"=" * (-len(claims) % 4)))["sub"]
            return next(one for one in callers.all if name in {one.principal.client_id, one.principal.name})
        return subject(callers, token)

    return found


@fault("IRC-OAU-025", "IRC-SEC-011")
def issued_tokens_are_dead() -> Install:
    """Issued tokens are not accepted."""
    return on_answer(TOKENS, _dead)


@fault("IRC-SEC-010")
def tokens_need_tokens(service: Service) -> None:
    """The token endpoint requires a token, and refuses with an Iceberg error body."""
    service.filters[TOKENS].insert(0, _as_a_catalog_says_it)
    service.filters[TOKENS] = [one for one in service.filters[TOKENS] if one.__name__ != "in_oauth_form"]
    on_request(TOKENS, _needs_a_token)(service)


@fault("IRC-SEC-011")
def tokens_for_the_configuration_only() -> Install:
    """Issued tokens are accepted for the configuration only."""
    return turning_away(lambda scope: _is_issued(scope) and "/namespaces" in scope["path"])


@fault("IRC-OAU-026")
def oauth_failures_in_envelopes() -> Install:
    """An unknown grant type is a failure, in the form of the catalog."""
    return refusing("unsupported_grant_type", status=500, error={"message": "asked for by a fault", "type": "Fault", "code": 500})


@fault("IRC-OAU-027", by=partial(on_reply, TOKENS))
def tokens_may_be_stored(reply: Reply, _: Scope) -> Reply:
    """Token answers have no Cache-Control."""
    return replace(reply, headers=tuple(header for header in reply.headers if header not in NO_STORE))


@fault("IRC-OAU-028", by=partial(wrap_entry, "handlers", TOKENS))
def forms_are_repeated(handler: Handler) -> Handler:
    """The refusal of an unknown grant type repeats the form."""

    def answer(*, body: dict[str, str], **arguments: Any) -> Reply:
        try:
            return handler(body=body, **arguments)
        except Problem as problem:
            if problem.kind != "unsupported_grant_type":
                raise
            raise oauth(problem.kind, f"cannot grant {body}") from None

    return answer


@fault("IRC-OAU-028", by=partial(around_clients))
def secrets_are_repeated(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """A refusal repeats the secret."""
    try:
        return client(clients, shown, body)
    except Problem as problem:
        raise oauth(
            "invalid_client", f"not a client: {body.get('client_id')} with {body.get('client_secret')}", status=problem.status
        ) from None
