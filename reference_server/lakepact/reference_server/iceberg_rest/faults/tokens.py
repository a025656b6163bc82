"""Tokens that are issued wrongly, or to the wrong ones, and refusals of the token endpoint in other forms."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, around, instead, on_answer, on_reply, on_request
from lakepact.reference_server.iceberg_rest.access.token_endpoint import NO_STORE, TOKEN_EXCHANGE, oauth
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import json_reply

from .access import authorization, turning_away

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope, Service

    Fields = Mapping[str, str]

TOKENS = "getToken"
OTHER = "access_token"  #: what is neither a token, nor one of its types


# -- answers with a token -----------------------------------------------------------------------------------------------------


def answering(**members: Any) -> Install:
    """Answers with other members, or without those that are None."""

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in {**document, **members}.items() if value is not None}

    return on_answer(TOKENS, edit)


def _dead(document: dict[str, Any]) -> None:
    document["access_token"] += "x"


def _stored(reply: Reply, _: Scope) -> Reply:
    return replace(reply, headers=tuple(header for header in reply.headers if header not in NO_STORE))


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


def _enveloped(reply: Reply, _: Scope) -> Reply:
    if reply.status < 400:
        return reply
    said = reply.document
    error = {"message": said["error_description"], "type": said["error"], "code": reply.status}
    return replace(reply, body=orjson.dumps({"error": error}))


def _json_is_read(reply: Reply, _: Scope) -> Reply:
    return json_reply({"access_token": "lakepact-of-json", "token_type": "bearer"}) if reply.status == 415 else reply


# -- who is given a token -----------------------------------------------------------------------------------------------------


def around_clients(act: Callable[[Any, Mapping[str, Any], Any, Fields], Any]) -> Install:
    """Find clients by `act(client, clients, shown, body)`."""

    def wrap(client: Any) -> Any:
        def found(clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
            return act(client, clients, shown, body)

        return found

    return around("rules", "client", wrap)


def _no_forms(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    return client(clients, shown, body if shown.basic is not None else {})


def _no_headers(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    return client(clients, replace(shown, basic=None), body)


def _any_secret(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    found = clients.get(body.get("client_id", ""))
    return found if found is not None else client(clients, shown, body)


def _repeating(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    try:
        return client(clients, shown, body)
    except Problem as problem:
        raise oauth(
            "invalid_client", f"not a client: {body.get('client_id')} with {body.get('client_secret')}", status=problem.status
        ) from None


def _long_enough(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    """A client whose secret begins the one that is shown."""
    found, secret = clients.get(body.get("client_id", "")), body.get("client_secret", "")
    begun = found is not None and any(found.client_secret.is_spelled(secret[:end]) for end in range(1, len(secret)))
    return found if begun else client(clients, shown, body)


def _somebodys_secret(client: Any, clients: Mapping[str, Any], shown: Any, body: Fields) -> Any:
    known = [one for one in clients.values() if shown.basic and one.client_secret.is_spelled(shown.basic.partition(":")[2])]
    return known[0] if known else client(clients, shown, body)


def _actors_stand_in(handler: Handler) -> Handler:
    """Exchange the token of the actor where that of the subject is no good."""

    def answer(*, body: dict[str, str], **arguments: Any) -> Reply:
        try:
            return handler(body=body, **arguments)
        except Problem as problem:
            if problem.kind != "invalid_grant" or not body.get("actor_token"):
                raise
            return handler(body={**body, "subject_token": body["actor_token"]}, **arguments)

    return answer


def _with_the_form(handler: Handler) -> Handler:
    """Repeat the whole form to who asks for a flow that is not known."""

    def answer(*, body: dict[str, str], **arguments: Any) -> Reply:
        try:
            return handler(body=body, **arguments)
        except Problem as problem:
            if problem.kind != "unsupported_grant_type":
                raise
            raise oauth(problem.kind, f"cannot grant {body}") from None

    return answer


def _any_scope(body: Fields) -> str:
    return body.get("scope") or "catalog"


def _not_for_users(handler: Handler) -> Handler:
    def answer(**arguments: Any) -> Reply:
        if arguments["body"].get("actor_token"):
            raise oauth("invalid_grant", "asked for by a fault")
        return handler(**arguments)

    return answer


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

    return around("handlers", TOKENS, wrap)


def _shorter(document: dict[str, Any]) -> None:
    document["expires_in"] //= 2


def whole_but(*members: str) -> Install:
    """Look at exchanges as if these members were right."""

    def wrap(is_whole: Any) -> Any:
        def looked_at(body: dict[str, str]) -> None:
            wrong = {name for name in members if name in body}
            is_whole({name: value for name, value in body.items() if name not in wrong} | _right(members))

        return looked_at

    return around("rules", "exchange-is-whole", wrap)


def _right(members: tuple[str, ...]) -> dict[str, str]:
    kinds = [name for name in members if name == "subject_token_type"]
    return dict.fromkeys(kinds, "urn:ietf:params:oauth:token-type:access_token")


def _named(subject: Any) -> Any:
    """Whom a JWT names, signed or not."""

    def found(callers: Any, token: bytes) -> Any:
        with suppress(Problem):
            return subject(callers, token)
        with suppress(ValueError, KeyError, IndexError, StopIteration):
            claims = token.split(b".")[1]
            name = json.loads(urlsafe_b64decode(claims + b"=" * (-len(claims) % 4)))["sub"]
            return next(one for one in callers.all if name in {one.principal.client_id, one.principal.name})
        return subject(callers, token)

    return found


def _needs_a_token(scope: Scope) -> None:
    if not authorization(scope).casefold().startswith("bearer"):
        raise Problem(401, "NotAuthorizedException", "asked for by a fault")


def _asks_for_tokens(service: Service) -> None:
    """Refuse whoever has no token yet, in the way of the other operations."""
    service.filters[TOKENS].insert(0, _as_a_catalog_says_it)
    service.filters[TOKENS] = [one for one in service.filters[TOKENS] if one.__name__ != "in_oauth_form"]
    on_request(TOKENS, _needs_a_token)(service)


def _as_a_catalog_says_it(reply: Reply, _: Scope) -> Reply:
    return reply


def _is_issued(scope: Scope) -> bool:
    return authorization(scope).startswith("Bearer lakepact.")


FAULTS = (
    Fault("credentials-in-json", "Credentials in JSON are given a token.", ("IRC-OAU-002",), on_reply(TOKENS, _json_is_read)),
    Fault("no-credentials-in-forms", "Credentials in a form are not looked at.", ("IRC-OAU-003",), around_clients(_no_forms)),
    Fault("no-credentials-in-headers", "Credentials in a Basic header are not looked at.", ("IRC-OAU-004",), around_clients(_no_headers)),
    Fault(
        "tokens-without-a-type",
        "Tokens come without token_type.",
        ("IRC-OAU-005", "IRC-SCH-OAuthTokenResponse"),
        answering(token_type=None),
    ),
    Fault("tokens-under-another-name", "Tokens come as `token`.", ("IRC-OAU-005",), answering(access_token=None, token=OTHER)),
    Fault(
        "tokens-of-an-unknown-type",
        "Tokens come with a type that is none.",
        ("IRC-OAU-006", "IRC-SCH-OAuthTokenResponse"),
        answering(token_type=OTHER),
    ),
    Fault("lives-as-text", "The life of a token is a text.", ("IRC-OAU-007", "IRC-SCH-OAuthTokenResponse"), answering(expires_in="3600")),
    Fault("lives-of-no-time", "Tokens hold for 0 seconds.", ("IRC-OAU-007",), answering(expires_in=0)),
    Fault(
        "issued-types-in-short",
        "The type of an issued token is no URN.",
        ("IRC-OAU-008", "IRC-SCH-TokenType"),
        answering(issued_token_type=OTHER),
    ),
    Fault("scopes-as-lists", "The scope of a token is an array.", ("IRC-OAU-009",), answering(scope=["catalog"])),
    Fault("any-secret", "Clients need no secret.", ("IRC-OAU-011",), around_clients(_any_secret)),
    Fault("secrets-may-go-on", "What stands behind a secret is not looked at.", ("IRC-OAU-011",), around_clients(_long_enough)),
    Fault(
        "secrets-are-good-for-all-clients",
        "In a Basic header, the secret of one client is good for every other.",
        ("IRC-OAU-011",),
        around_clients(_somebodys_secret),
    ),
    Fault(
        "wrong-secrets-are-wrong-grants", "A wrong secret is an invalid grant.", ("IRC-OAU-011",), saying("invalid_client", "invalid_grant")
    ),
    Fault("wrong-secrets-are-forbidden", "A wrong secret is answered with 403.", ("IRC-OAU-011",), refusing("invalid_client", status=403)),
    Fault("oauth-errors-in-envelopes", "The token endpoint refuses as the catalog does.", ("IRC-OAU-012",), on_reply(TOKENS, _enveloped)),
    Fault(
        "oauth-errors-of-our-own",
        "The token endpoint has an error of its own for wrong secrets.",
        ("IRC-OAU-013", "IRC-SCH-OAuthError"),
        saying("invalid_client", "bad_credentials"),
    ),
    Fault(
        "unknown-grants-are-invalid",
        "An unknown grant type is an invalid request.",
        ("IRC-OAU-015",),
        saying("unsupported_grant_type", "invalid_request"),
    ),
    Fault(
        "missing-grants-are-unsupported",
        "A missing grant type is an unsupported one.",
        ("IRC-OAU-016",),
        saying("invalid_request", "unsupported_grant_type", where="grant_type is missing"),
    ),
    Fault("any-scope", "Every scope is granted.", ("IRC-OAU-017",), instead("rules", "scope", _any_scope)),
    Fault(
        "missing-subjects-are-bad-grants",
        "An exchange without its subject is an invalid grant.",
        ("IRC-OAU-018",),
        saying("invalid_request", "invalid_grant", where="subject_token is missing"),
    ),
    Fault("subjects-of-no-type", "The type of what is exchanged may be missing.", ("IRC-OAU-018",), whole_but("subject_token_type")),
    Fault("subjects-of-any-type", "The type of what is exchanged may be anything.", ("IRC-OAU-019",), whole_but("subject_token_type")),
    Fault("tokens-of-any-type-are-issued", "Tokens of any type may be asked for.", ("IRC-OAU-019",), whole_but("requested_token_type")),
    Fault(
        "actors-of-no-type", "The type of an actor's token may be missing.", ("IRC-OAU-020",), whole_but("actor_token", "actor_token_type")
    ),
    Fault("no-tokens-for-users", "A user's token is not exchanged.", ("IRC-OAU-021",), around("handlers", TOKENS, _not_for_users)),
    Fault("renewed-tokens-are-dead", "A token that was renewed opens nothing.", ("IRC-OAU-022",), exchanging(_dead)),
    Fault("renewed-tokens-end-sooner", "A token that was renewed ends sooner.", ("IRC-OAU-022",), exchanging(_shorter)),
    Fault(
        "bad-subjects-are-unauthorized", "What is no token is answered with 401.", ("IRC-OAU-023",), refusing("invalid_grant", status=401)
    ),
    Fault(
        "actors-stand-in-for-subjects",
        "Where what is exchanged is no good, its actor has a token.",
        ("IRC-OAU-023",),
        around("handlers", TOKENS, _actors_stand_in),
    ),
    Fault("names-are-proof-enough", "Whom a JWT names is believed to be it.", ("IRC-OAU-024",), around("rules", "subject", _named)),
    Fault("issued-tokens-are-dead", "Issued tokens open nothing.", ("IRC-OAU-025", "IRC-SEC-011"), on_answer(TOKENS, _dead)),
    Fault("tokens-need-tokens", "Who has no token is given none.", ("IRC-SEC-010",), _asks_for_tokens),
    Fault(
        "tokens-for-the-configuration-only",
        "Issued tokens open the configuration, and nothing else.",
        ("IRC-SEC-011",),
        turning_away(lambda scope: _is_issued(scope) and "/namespaces" in scope["path"]),
    ),
    Fault(
        "oauth-failures-in-envelopes",
        "An unknown grant type is a failure, in the form of the catalog.",
        ("IRC-OAU-026",),
        refusing("unsupported_grant_type", status=500, error={"message": "asked for by a fault", "type": "Fault", "code": 500}),
    ),
    Fault("tokens-may-be-stored", "Nothing keeps tokens from being stored on their way.", ("IRC-OAU-027",), on_reply(TOKENS, _stored)),
    Fault(
        "forms-are-repeated",
        "The refusal of an unknown grant type repeats the form.",
        ("IRC-OAU-028",),
        around("handlers", TOKENS, _with_the_form),
    ),
    Fault("secrets-are-repeated", "A refusal repeats the secret.", ("IRC-OAU-028",), around_clients(_repeating)),
)
