"""Errors: invariants over every refusal, and scenarios that provoke one of each kind."""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    Exchange,
    Kind,
    Mutation,
    NotOffered,
    OperationId,
    Place,
    Reply,
    SharingLab,
    Unmet,
    Wrong,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import OF_NAMES, OF_TABLES, of_operation

#: Checks that are refused in every way.
REFUSED = (
    "protocol.errors.missing_objects_return_404",
    "protocol.errors.malformed_requests_return_400",
    "protocol.errors.unknown_paths_have_error_bodies",
    "access.recipients.requests_without_a_valid_token_return_401",
    "access.credentials.url_tables_have_no_credentials",
    "protocol.capabilities.no_format_returns_parquet",
    "queries.query.content_types_make_no_difference",
)

#: The statuses whose bodies the protocol describes; a proxy may return others.
DESCRIBED = frozenset({400, 401, 403, 404, 500})

#: 5xx statuses that are no failures: not implemented, and not available now.
NOT_SERVED = frozenset({501, 503})


def is_refusal(exchange: Exchange) -> bool:
    """Return whether an operation was refused, so that the error model applies to the body."""
    return of_operation(exchange) and exchange.method != "HEAD" and exchange.status in DESCRIBED


def _expect_error(exchange: Exchange) -> None:
    """Expect an error body of the protocol."""
    reply = Reply(exchange)
    if exchange.media_type != "application/json":
        expected = "an error of media type application/json"
        actual = f"{exchange.media_type or 'none'}; {reply.summary}"
        raise expect.unmet(
            expected,
            actual,
            at=Place(exchange, "/media-type"),
            schema={"const": "application/json"},
        )
    for member in ("errorCode", "message"):
        if not isinstance(reply.document.get(member), str):
            at, kind = reply.place(member), Kind.TYPE if member in reply.document else Kind.MISSING
            raise expect.unmet(
                f"an error with the text `{member}`",
                reply.summary,
                at=at,
                kind=kind,
                schema={"type": "string"},
            )


@invariant("DS-GEN-07", traffic=REFUSED)
def error_responses_have_code_and_message(exchange: Exchange) -> bool:
    """Every error response is a JSON object with the strings `errorCode` and `message`."""
    if not is_refusal(exchange):
        return False
    _expect_error(exchange)
    return True


@invariant("DS-GEN-12", traffic=REFUSED)
def server_errors_have_error_bodies(exchange: Exchange) -> bool:
    """A server error other than 501 to 504 has status 500 and an error body."""
    if (
        not of_operation(exchange)
        or exchange.status < 500
        or exchange.status in {501, 502, 503, 504}
    ):
        return False
    expect.status(Reply(exchange), 500)
    if exchange.method != "HEAD":
        _expect_error(exchange)
    return True


@invariant("DS-GEN-15", traffic=REFUSED)
def no_request_returns_5xx(exchange: Exchange) -> bool:
    """No request of this suite returns a 5xx status other than 501 and 503."""
    if not of_operation(exchange) or exchange.status in NOT_SERVED:
        return False
    expect.no_server_error(Reply(exchange))
    return True


def _expect_no_failure(reply: Reply, about: str) -> None:
    """Expect no server error."""
    at = Place(reply.exchange, "/status")
    expect.true(
        reply.status < 500 or reply.status in NOT_SERVED,
        f"no failure {about}",
        reply.summary,
        at=at,
    )


@invariant("DS-GEN-16", traffic=REFUSED)
def errors_leak_no_secret(exchange: Exchange) -> bool:
    """No error body repeats a token of the request."""
    if exchange.status < 400 or not exchange.secrets:
        return False
    leaks = [secret for secret in exchange.secrets if secret.encode() in exchange.body]
    expect.true(
        not leaks,
        "an error body without the token of the request",
        "it stands there",
        at=Reply(exchange).place(),
    )
    return True


# -- missing objects -------------------------------------------------------------------------------


@check("DS-GEN-11")
def missing_objects_return_404(lab: SharingLab) -> None:
    """Every operation on a missing share, schema or table returns 404."""
    address = lab.table().address
    for operation, arguments in lab.each(OF_NAMES.items()):
        if not lab.offers(operation):
            continue
        for absent in lab.each(arguments):
            names: Document = {a: lab.name() if a == absent else address[a] for a in arguments}
            with lab.judge("DS-GEN-11"):
                reply = lab.send(
                    operation, headers=[EITHER_FORMAT], **names, **OF_TABLES.get(operation, {})
                )
                expect.not_found(
                    reply, absent, about=f"for {operation} with a {absent} that does not exist"
                )


@check("DS-GEN-11")
def tables_of_other_schemas_return_404(lab: SharingLab) -> None:
    """A table returns 404 in a schema that does not list it, even if another schema does."""
    if not lab.outline.whole:
        raise NotOffered(
            "of the catalogue a part was seen, so that the tables of a schema may be more"
        )
    names = {
        (t.share.casefold(), t.schema.casefold(), t.name.casefold()) for t in lab.outline.tables
    }
    strays = [
        (table, share, schema)
        for table in lab.tables()
        for share, schema in lab.schemas()
        if (share.casefold(), schema.casefold(), table.name.casefold()) not in names
    ]
    near, far = (
        next((s for s in strays if (s[0].share == s[1]) is within), None)
        for within in (True, False)
    )
    for table, share, schema in lab.each(filter(None, (near, far))):
        for operation in lab.each((op.get_table_version, op.get_table_metadata, op.query_table)):
            with lab.judge("DS-GEN-11"):
                arguments: Document = {
                    "share": share,
                    "schema": schema,
                    "table": table.name,
                    **OF_TABLES.get(operation, {}),
                }
                what = (
                    f"for {operation} of {table.name} of {table.share}.{table.schema} in"
                    f" {share}.{schema}, which does not list it"
                )
                expect.not_found(
                    lab.send(operation, headers=[EITHER_FORMAT], **arguments), "table", about=what
                )
    if not strays:
        raise NotOffered("every schema lists the same tables")


@check("DS-GEN-07")
def unknown_paths_have_error_bodies(lab: SharingLab) -> None:
    """A share name with an encoded slash returns 4xx and an error body; for unknown paths anything
    else is a warning.
    """
    with lab.judge("DS-GEN-07"):
        reply = lab.send_raw("GET", "/shares/a%2Fb", operation=op.get_share)
        expect.client_error(reply, about="for /shares/a%2Fb", mutation=Wrong.ABSENT("share"))
        _expect_error(reply.exchange)
    for target in (
        "/lakepact-nothing",
        f"{lab.path(op.get_share, share=lab.shares()[0])}/lakepact-nothing",
    ):
        reply = lab.send_raw("GET", target)
        try:
            expect.client_error(reply)
            _expect_error(reply.exchange)
        except Unmet as unmet:  # the protocol describes the answers of its own paths alone
            lab.warn("DS-GEN-07", expected=f"for {target} {unmet.expected}", actual=unmet.actual)


#: Methods that paths of operations do not have.
OTHER_METHODS = (
    ("DELETE", op.list_shares),
    ("PUT", op.get_share),
    ("POST", op.get_table_metadata),
    ("GET", op.query_table),
    ("PATCH", op.get_table_version),
)


@check("DS-GEN-15")
def other_methods_return_no_5xx(lab: SharingLab) -> None:
    """A method that the path does not have returns no 5xx other than 501 and 503."""
    address = lab.table().address
    for method, operation in lab.each(OTHER_METHODS):
        names = {name: address[name] for name in OF_NAMES.get(operation, ())}
        reply = lab.send_raw(method, lab.path(operation, **names))
        with lab.judge("DS-GEN-15"):
            _expect_no_failure(reply, f"for {method} on the path of {operation}")


NO_TIME = Wrong.SYNTAX("startingTimestamp")

#: Bodies that are no JSON.
NO_JSON = (b"{", b"nope", b'{"limitHint": }', b"{]", b'{"limitHint": 1', b"\xff\xfe")

#: Invalid values of members and parameters of queries and changes that only some servers support.
SENSELESS: tuple[Document, ...] = (
    {"maxFiles": 0},
    {"maxFiles": -1},
    {"maxFiles": 2**31},
    {"maxFiles": "many"},
    {"pageToken": ""},
    {"pageToken": "lakepact-forged"},
    {"refreshToken": ""},
    {"refreshToken": "lakepact-forged"},
    {"includeRefreshToken": "yes"},
    {"limitHint": 0, "maxFiles": 0},
    {"version": 2**63},
    {"timestamp": "0000-00-00T00:00:00Z"},
)


@check("DS-GEN-15")
def invalid_paging_returns_no_5xx(lab: SharingLab) -> None:
    """Invalid page sizes, tokens, versions and bodies return no 5xx other than 501 and 503."""
    table = lab.table()
    for body in lab.each(SENSELESS):
        with lab.judge("DS-GEN-15"):
            reply = lab.send(op.query_table, body=body, headers=[EITHER_FORMAT], **table.address)
            _expect_no_failure(reply, f"for a query with {expect.excerpt(body)}")
    if lab.offers(op.generate_temporary_table_credentials):
        for content in lab.each(NO_JSON):
            with lab.judge("DS-GEN-15"):
                headers = [("Content-Type", "application/json")]
                reply = lab.send(
                    op.generate_temporary_table_credentials,
                    content=content,
                    headers=headers,
                    **table.address,
                )
                _expect_no_failure(
                    reply, f"for credentials with the body {expect.excerpt(content)}"
                )
    changes = [
        (name, str(body[name]))
        for body in SENSELESS
        for name in ("maxFiles", "pageToken")
        if name in body
    ]
    for pair in lab.each(changes if lab.offers(op.query_table_changes) else ()):
        with lab.judge("DS-GEN-15"):
            reply = lab.send(
                op.query_table_changes,
                starting_version=0,
                headers=[EITHER_FORMAT],
                query=[pair],
                **table.address,
            )
            _expect_no_failure(reply, f"for changes with {'='.join(pair)}")
    for version in lab.each((10**30, -(10**30)) if lab.offers(op.query_table_changes) else ()):
        with lab.judge("DS-GEN-15"):
            reply = lab.send(
                op.query_table_changes,
                starting_version=version,
                headers=[EITHER_FORMAT],
                **table.address,
            )
            _expect_no_failure(reply, f"for changes with startingVersion={version}")


# -- malformed requests ----------------------------------------------------------------------------


@check("DS-GEN-08")
def malformed_requests_return_400(lab: SharingLab) -> None:
    """A body that is not JSON, or a parameter of another type, returns 400."""
    address = lab.table().address
    in_json = [("Content-Type", "application/json")]
    requests: list[tuple[str, Mutation, OperationId, Document]] = [
        (
            f"the body {expect.excerpt(body)}",
            Wrong.SYNTAX("body"),
            op.query_table,
            {"content": body, "headers": in_json, **address},
        )
        for body in NO_JSON
    ]
    requests += [
        ("maxResults=abc", Wrong.TYPE("maxResults"), op.list_shares, {"max_results": "abc"}),
        (
            "startingTimestamp=nonsense",
            NO_TIME,
            op.get_table_version,
            {"starting_timestamp": "nonsense", **address},
        ),
        (
            "startingVersion=abc",
            Wrong.TYPE("startingVersion"),
            op.query_table_changes,
            {"starting_version": "abc", **address},
        ),
    ]

    for what, mutation, operation, arguments in lab.each(requests):
        if lab.offers(operation):
            with lab.judge("DS-GEN-08"):
                expect.status(
                    lab.send(operation, **arguments),
                    400,
                    about=f"for {operation} with {what}",
                    mutation=mutation,
                )
