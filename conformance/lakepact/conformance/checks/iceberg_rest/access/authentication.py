"""Checks of authentication: requests without a token, with an invalid one, and with an expired
one.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Mutation,
    NotOffered,
    OperationId,
    Reply,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    EXPIRED,
    EXPIRED_CREDENTIALS,
    NO_CREDENTIALS,
    UNKNOWN_CREDENTIALS,
    Headers,
    bearing,
    own_token,
    require_secret,
)
from lakepact.conformance.checks.iceberg_rest.kit.probes import PROBES

#: Unknown bearer tokens.
UNKNOWN = ("lakepact-known-to-nobody", "null", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJsYWtlcGFjdCJ9.")

REFUSED = frozenset({401, 403, 419})


def answers(lab: CatalogLab, headers: Headers) -> Iterator[tuple[OperationId, Reply]]:
    """Yield the answer of every operation to a request about nothing that there is, by the caller
    with these headers.
    """
    nothing: Document = {
        "namespace": (lab.name(),),
        "table": lab.name(),
        "view": lab.name(),
        "plan_id": lab.name(),
    }
    configuration = {"warehouse": lab.target.parameters.get("warehouse")}
    requests: dict[OperationId, Document] = {
        op.get_config: configuration,
        **{operation: {**probe, **nothing} for operation, probe in PROBES.items()},
    }
    for operation, arguments in requests.items():
        if operation in lab.contract.operations and lab.offers(operation):
            yield operation, lab.send(operation, headers=headers, anonymous=True, **arguments)


def requires_credentials(lab: CatalogLab) -> None:
    """Go on if the target asks who calls.

    Raises:
        NotOffered: it does not.
    """
    if not lab.feature("authentication"):
        raise NotOffered("the target asks for no credentials")


@check("IRC-SEC-001", "IRC-SEC-009", "IRC-SEC-015")
def requests_without_credentials_return_401_or_403(lab: CatalogLab) -> None:
    """Every operation returns 401 or 403 to a request without credentials; a 401 has the header
    WWW-Authenticate.
    """
    requires_credentials(lab)
    for operation, reply in lab.each(answers(lab, [])):
        with lab.judge("IRC-SEC-009" if operation == op.get_config else "IRC-SEC-001"):
            expect.status(
                reply,
                401,
                403,
                about=f"for {operation} without credentials",
                mutation=NO_CREDENTIALS,
            )
        if reply.status == 401:
            with lab.judge("IRC-SEC-015"):
                expect_challenge(operation, reply)


@check("IRC-SEC-001", "IRC-SEC-002")
def existing_objects_are_hidden_without_credentials(lab: CatalogLab) -> None:
    """Existing objects return 401 or 403 without credentials, and 401 with an unknown token, right
    after the owner loaded them.
    """
    requires_credentials(lab)
    table = lab.make_table()
    requests: list[tuple[OperationId, Document]] = [
        (op.load_table, table.at),
        (op.table_exists, table.at),
        (op.list_tables, {"namespace": table.namespace}),
        (op.load_namespace_metadata, {"namespace": table.namespace}),
        (op.load_credentials, table.at),
        (op.list_views, {"namespace": table.namespace}),
    ]
    if lab.offers(op.create_view):
        requests.append(
            (op.load_view, {"namespace": table.namespace, "view": lab.make_view(table.namespace)})
        )

    for operation, arguments in lab.each(requests):
        if lab.offers(operation):
            # A cached answer of an authorized caller must not be returned to another one.
            lab.send(operation, **arguments)
            with lab.judge("IRC-SEC-001"):
                reply = lab.send(operation, anonymous=True, **arguments)
                expect.status(
                    reply,
                    401,
                    403,
                    about=f"for {operation} of an existing object, without credentials",
                    mutation=NO_CREDENTIALS,
                )
            with lab.judge("IRC-SEC-002"):
                reply = lab.send(
                    operation, headers=bearing(UNKNOWN[0]), anonymous=True, **arguments
                )
                about = f"for {operation} of an existing object, with an unknown token"
                expect.status(reply, 401, about=about, mutation=UNKNOWN_CREDENTIALS)


@check("IRC-SEC-002", "IRC-SEC-015")
def unknown_tokens_return_401(lab: CatalogLab) -> None:
    """Every operation returns 401 with WWW-Authenticate for an unknown bearer token."""
    requires_credentials(lab)
    for token in lab.each(UNKNOWN):
        for operation, reply in lab.each(answers(lab, bearing(token))):
            with lab.judge("IRC-SEC-002"):
                expect.status(
                    reply,
                    401,
                    about=f"for {operation} with an unknown token",
                    mutation=UNKNOWN_CREDENTIALS,
                )
            if reply.status == 401:
                with lab.judge("IRC-SEC-015"):
                    expect_challenge(operation, reply)


@check("IRC-SEC-002")
def altered_tokens_return_401(lab: CatalogLab) -> None:
    """Every operation returns 401 for a valid token with a letter appended or its last letter
    removed.
    """
    requires_credentials(lab)
    token = own_token(lab)
    near_tokens = {f"{token}x": "with a letter too many", token[:-1]: "without its last letter"}
    for near_token, what in lab.each(near_tokens.items()):
        for operation, reply in lab.each(answers(lab, bearing(near_token))):
            with lab.judge("IRC-SEC-002"):
                expect.status(
                    reply,
                    401,
                    about=f"for {operation} with a token {what}",
                    mutation=UNKNOWN_CREDENTIALS,
                )
    # A value without the scheme is not a bearer token; a server may accept it: not checked.
    bare = lab.send(
        op.get_config,
        headers=[("Authorization", token)],
        anonymous=True,
        warehouse=lab.target.parameters.get("warehouse"),
    )
    if bare.status == 200:
        lab.note("IRC-SEC-002", "a valid token without the scheme Bearer is accepted, too")


@check("IRC-SEC-003", "IRC-ERR-016")
def expired_tokens_return_401_or_419(lab: CatalogLab) -> None:
    """Every operation returns 401 or 419 for an expired token."""
    requires_credentials(lab)
    expired = require_secret(lab, EXPIRED)
    for operation, reply in lab.each(answers(lab, bearing(expired))):
        with lab.judge("IRC-SEC-003"):
            expect.status(
                reply,
                401,
                419,
                about=f"for {operation} with an expired token",
                mutation=EXPIRED_CREDENTIALS,
            )
        if reply.status in {401, 419}:
            with lab.judge("IRC-ERR-016"):
                expect.status(
                    reply,
                    401,
                    about=f"for {operation} with an expired token",
                    mutation=EXPIRED_CREDENTIALS,
                )


@check("IRC-SEC-006", "IRC-SEC-007")
def valid_tokens_are_accepted_by_every_operation(lab: CatalogLab) -> None:
    """Every operation accepts a valid token, whatever the letter case of the scheme Bearer."""
    requires_credentials(lab)
    token = own_token(lab)
    with lab.judge("IRC-SEC-006"):
        for operation, reply in answers(lab, bearing(token)):
            expect_entry(operation, reply)
    with lab.judge("IRC-SEC-007"):
        for word in ("bearer", "BEARER"):
            for operation, reply in answers(lab, [("Authorization", f"{word} {token}")]):
                expect_entry(operation, reply)


@check("IRC-SEC-012")
def tokens_in_load_responses_are_accepted(lab: CatalogLab) -> None:
    """A token in the `config` of a loaded table or view is accepted when loading that table or
    view.
    """
    requires_credentials(lab)
    table = lab.make_table()
    loads: list[tuple[OperationId, Document]] = [(op.load_table, table.at)]
    if lab.offers(op.create_view) and lab.offers(op.load_view):
        loads.append(
            (op.load_view, {"namespace": table.namespace, "view": lab.make_view(table.namespace)})
        )
    tokens = [
        (operation, at, token)
        for operation, at in loads
        if (token := _token_in(lab.require(lab.send(operation, **at), 200)))
    ]
    if not tokens:
        raise NotOffered("the target gives no tokens with tables and views")

    with lab.judge_each("IRC-SEC-012") as case:
        for operation, at, token in tokens:
            with case():
                expect.status(
                    lab.send(operation, headers=bearing(token), anonymous=True, **at),
                    200,
                    about=f"for {operation} with its token",
                )


def _token_in(reply: Reply) -> str:
    config = reply.document.get("config")
    token = config.get("token") if isinstance(config, dict) else None
    return token if isinstance(token, str) else ""


@check("IRC-TBL-ETAG-010")
def conditional_loads_need_credentials(lab: CatalogLab) -> None:
    """Loading a table with its current ETag and without valid credentials returns 401 or 403, not
    304.
    """
    requires_credentials(lab)
    table = lab.load(lab.make_table())
    tag = table.reply.headers.get("etag")
    if not tag:
        raise NotOffered("the target's tables carry no ETag")
    callers: dict[Mutation, Headers] = {
        NO_CREDENTIALS: [],
        UNKNOWN_CREDENTIALS: bearing(UNKNOWN[0]),
    }
    for wrong, headers in lab.each(callers.items()):
        reply = lab.send(
            op.load_table, headers=[*headers, ("If-None-Match", tag)], anonymous=True, **table.at
        )
        with lab.judge("IRC-TBL-ETAG-010"):
            expect.status(
                reply, 401, 403, about=f"for the current ETag with {wrong.at}", mutation=wrong
            )


def expect_challenge(operation: OperationId, reply: Reply) -> None:
    """Expect a 401 to name the way in which a caller can show who it is.

    Raises:
        Unmet: it does not.
    """
    sentence = f"the header WWW-Authenticate in the 401 answer of {operation}"
    at = reply.header("www-authenticate")
    expect.true(
        bool(reply.headers.get("www-authenticate", "").strip()),
        sentence,
        "none",
        at=at,
        kind=Kind.MISSING,
    )


def expect_entry(operation: OperationId, reply: Reply) -> None:
    """Expect that an operation was reached; its own answer is not checked here.

    Raises:
        Unmet: the caller was turned away.
    """
    is_accepted = (
        reply.status == 200
        if operation in {op.get_config, op.list_namespaces}
        else reply.status not in REFUSED
    )
    expect.serves(reply, is_accepted, f"{operation} to accept a valid token")
