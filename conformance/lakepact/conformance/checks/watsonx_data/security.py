"""Authentication: bearer tokens, API keys, and callers without either."""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.api import (
    Document,
    NotOffered,
    OperationId,
    Reply,
    Wrong,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    NO_CREDENTIALS,
    UNKNOWN_CREDENTIALS,
)
from lakepact.conformance.checks.iceberg_rest.kit.probes import PROBES
from lakepact.conformance.checks.watsonx_data.lab import (
    WatsonxLab,
    bearer_token,
    user_and_key,
    zen_api_key,
)
from lakepact.conformance.checks.watsonx_data.suite import check

#: Values behind ZenApiKey that are not base64, not text, or hold no colon.
BROKEN_KEYS = ("%%%", "a", "_w==", "/w==", "bGFrZXBhY3Q=", "")
#: Statuses for a caller without access; a caller with access gets 404.
REFUSALS = (400, 401, 403, 406, 419, 422)


def answers(lab: WatsonxLab, authorization: str | None) -> Iterator[tuple[OperationId, Reply]]:
    """Yield the answer of every operation to a valid request about missing objects, with one
    Authorization.
    """
    nothing: Document = {"namespace": (lab.name(),), "table": lab.name(), "view": lab.name()}
    requests = {
        op.get_config: {},
        op.list_namespaces: {},
        **{operation: {**probe, **nothing} for operation, probe in PROBES.items()},
    }
    headers = [("Authorization", authorization)] if authorization is not None else []
    for operation, arguments in requests.items():
        if operation in lab.contract.operations and lab.offers(operation):
            yield operation, lab.send(operation, headers=headers, anonymous=True, **arguments)


def asks_for_credentials(lab: WatsonxLab) -> None:
    """Require that authentication is not switched off.

    Raises:
        NotOffered: it is.
    """
    if not lab.feature("authentication"):
        raise NotOffered("--feature authentication=off")


def key_of(lab: WatsonxLab) -> str:
    """Return a user, a colon and a valid API key.

    Raises:
        NotOffered: none are known, or the target asks for no credentials.
    """
    asks_for_credentials(lab)
    key = user_and_key(lab.target)
    if not key:
        raise NotOffered(
            "no API key is known: name the variable that holds user:key with --api-key-env NAME, "
            "or with --parameter api-key-env=NAME beside a token"
        )
    lab.require(lab.send(op.list_namespaces), 200)
    return key


@check("IRC-SEC-001", "IRC-SEC-009")
def requests_without_credentials_return_401_or_403(lab: WatsonxLab) -> None:
    """Every operation returns 401 or 403 without Authorization, the configuration too."""
    asks_for_credentials(lab)
    lab.require(lab.send(op.list_namespaces), 200)
    for operation, reply in lab.each(answers(lab, None)):
        with lab.judge("IRC-SEC-009" if operation == op.get_config else "IRC-SEC-001"):
            expect.status(
                reply,
                401,
                403,
                about=f"for {operation} without Authorization",
                mutation=NO_CREDENTIALS,
            )


@check("IRC-SEC-002")
def unknown_tokens_return_401(lab: WatsonxLab) -> None:
    """Every operation returns 401 for an unknown bearer token, such as a known one that was
    altered.
    """
    asks_for_credentials(lab)
    lab.require(lab.send(op.list_namespaces), 200)
    tokens = {"lakepact-known-to-nobody": "an unknown token", "null": "the token null"}
    if token := bearer_token(lab.target):
        tokens |= {alter(token): "an altered token"}
    for unknown, what in lab.each(tokens.items()):
        for operation, reply in lab.each(answers(lab, f"Bearer {unknown}")):
            with lab.judge("IRC-SEC-002"):
                expect.status(
                    reply,
                    401,
                    about=f"for {operation} with {what}",
                    mutation=UNKNOWN_CREDENTIALS,
                )


@check("IRC-SEC-006", "IRC-SEC-007")
def bearer_tokens_are_accepted_by_every_operation(lab: WatsonxLab) -> None:
    """Every operation accepts a bearer token, whatever the letter case of the scheme Bearer."""
    asks_for_credentials(lab)
    token = bearer_token(lab.target)
    if not token:
        raise NotOffered(
            "no bearer token is known: name the variable that holds one with --parameter"
            " bearer-token-env=NAME"
        )
    lab.require(lab.send(op.list_namespaces), 200)
    with lab.judge("IRC-SEC-006"):
        for operation, reply in answers(lab, f"Bearer {token}"):
            expect_entry(operation, reply)
    with lab.judge("IRC-SEC-007"):
        for word in ("bearer", "BEARER"):
            for operation, reply in answers(lab, f"{word} {token}"):
                expect_entry(operation, reply)


@check("WXD-SEC-001")
def api_keys_are_accepted_by_every_operation(lab: WatsonxLab) -> None:
    """Every operation accepts the base64 form of user, colon and API key."""
    key = zen_api_key(key_of(lab))

    with lab.judge("WXD-SEC-001"):
        for operation, reply in answers(lab, key):
            expect_entry(operation, reply)


@check("WXD-SEC-002")
def unknown_api_keys_return_401_or_403(lab: WatsonxLab) -> None:
    """Every operation returns 401 or 403 for another key, another user, or both in the wrong
    order, and for a part of the key.
    """
    user, _, key = key_of(lab).partition(":")
    keys = (f"{key[::-1]}x", alter(key), key[:-1], f"{key}x", "")
    users = (f"{lab.name()}:{key}", f"{key}:{user}", f":{key}")
    for wrong in lab.each((*(f"{user}:{other}" for other in keys), *users)):
        for operation, reply in lab.each(answers(lab, zen_api_key(wrong))):
            with lab.judge("WXD-SEC-002"):
                expect.status(
                    reply,
                    401,
                    403,
                    about=f"for {operation} with a key that is none",
                    mutation=UNKNOWN_CREDENTIALS,
                )


@check("WXD-SEC-003")
def malformed_api_keys_are_refused(lab: WatsonxLab) -> None:
    """Every operation returns a 4xx other than 404 for an API key that is not the base64 of user,
    colon and key.
    """
    asks_for_credentials(lab)
    lab.require(lab.send(op.list_namespaces), 200)
    for value in lab.each(BROKEN_KEYS):
        for operation, reply in lab.each(answers(lab, f"ZenApiKey {value}".strip())):
            with lab.judge("WXD-SEC-003"):
                expect.status(
                    reply,
                    *REFUSALS,
                    about=f"for {operation} with a malformed ZenApiKey",
                    mutation=Wrong.SYNTAX("Authorization"),
                )


@check("WXD-SEC-005")
def unknown_passwords_are_refused(lab: WatsonxLab) -> None:
    """Every operation returns a 4xx other than 404 for an unknown user and password with the scheme
    Basic.
    """
    asks_for_credentials(lab)
    lab.require(lab.send(op.list_namespaces), 200)
    password = zen_api_key(f"{lab.name()}:{lab.name()}").replace("ZenApiKey", "Basic")
    for operation, reply in lab.each(answers(lab, password)):
        with lab.judge("WXD-SEC-005"):
            expect.status(
                reply,
                *REFUSALS,
                about=f"for {operation} with an unknown password",
                mutation=UNKNOWN_CREDENTIALS,
            )


@check("WXD-SEC-004")
def newlines_after_api_keys_are_noted(lab: WatsonxLab) -> None:
    """Note whether a trailing newline in an API key, as `echo` adds it, is accepted."""
    authorization = zen_api_key(key_of(lab) + "\n")
    reply = lab.send(op.get_config, headers=[("Authorization", authorization)], anonymous=True)

    lab.note("WXD-SEC-004", f"answered with status {reply.status}")


def alter(credential: str) -> str:
    """Return a credential with another character in its last part, the signature of a token.

    The character is in the middle, because the last one of base64 may hold no bits.
    """
    middle = (credential.rfind(".") + 1 + len(credential)) // 2
    other = "a" if credential[middle : middle + 1] != "a" else "b"
    return credential[:middle] + other + credential[middle + 1 :]


def expect_entry(operation: OperationId, reply: Reply) -> None:
    """Expect an operation to accept the caller, with any status but 401, 403, 419 and 5xx."""
    is_open = reply.status not in {401, 403, 419} and reply.status < 500
    if operation in {op.get_config, op.list_namespaces}:
        is_open = reply.status == 200
    expect.serves(reply, is_open, f"{operation} to be open")
