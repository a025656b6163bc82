"""The error model: invariants over every refusal, and scenarios that provoke one of each kind."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    LOWEST_ERROR,
    CatalogLab,
    Document,
    Exchange,
    Kind,
    Mutation,
    Place,
    Reply,
    Wrong,
    check,
    expect,
    invariant,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import COMPONENTS, CONTRACT
from lakepact.conformance.checks.iceberg_rest.kit.metrics_reports import scan_report
from lakepact.conformance.checks.iceberg_rest.kit.views import create as create_view
from lakepact.conformance.checks.iceberg_rest.kit.views import make_view
from lakepact.conformance.evidence.exchanges import NO_OPERATION
from lakepact.conformance.judging.definitions import refusals

#: These routes answer errors in OAuth's own form.
OAUTH = frozenset({op.get_token})

#: Operations that fail if files cannot be read which checks make unreadable.
READ_FILES = frozenset(
    {op.plan_table_scan, op.fetch_planning_result, op.fetch_scan_tasks, op.register_table}
)

#: Methods that the contract has on none of its paths; what answers them may stand before the
#: catalog.
CONTRACT_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE"})

#: Checks that also ask for what the target does not declare, which a router may answer that knows
#: no catalog.
UNDECLARED = frozenset(
    {
        "protocol.configuration.configuration_lists_true_endpoints",
        "protocol.rejections.undeclared_operations_return_no_5xx_but_501",
    }
)


def is_refusal(exchange: Exchange) -> bool:
    """Return whether the error model has to do with the exchange: an operation was refused, and a
    body may follow.
    """
    has_error_model = exchange.operation is not None and exchange.operation not in OAUTH
    return (
        has_error_model
        and exchange.status >= 400
        and exchange.method in CONTRACT_METHODS - {"HEAD"}
    )


def middleware_may_answer(exchange: Exchange) -> bool:
    """Return whether the refusal may come from a layer that knows no catalog, in plain text or in a
    form of its own.

    The contract says so of 400; statuses that it does not document at all (404 and 405 of a router,
    413, 415 …) are the same. An empty 400 or 413 comes from the catalog.
    """
    of_router = {404} if exchange.check in UNDECLARED else set()
    return (
        exchange.status in {400, 405, 411, 413, 414, 415, 431, 501} | of_router
        and exchange.media_type != "application/json"
        and (bool(exchange.body) or exchange.status not in {400, 413})
    )


def error_of(exchange: Exchange) -> Document | None:
    """Return the error object of a refusal, or `None` where there is none to look at."""
    if not is_refusal(exchange) or not isinstance(exchange.json, dict):
        return None
    error = exchange.json.get("error")
    return error if isinstance(error, dict) else None


@invariant("IRC-ERR-015", concerns=refusals)
def view_errors_have_an_error_object(exchange: Exchange) -> bool:
    """Every error response of a view operation, and every 406, has a JSON body with an `error`
    object.
    """
    return ("View" in (exchange.operation or "") or exchange.status == 406) and bool(
        error_responses_have_an_error_object(exchange)
    )


@invariant("IRC-ERR-001", concerns=refusals)
def error_responses_have_an_error_object(exchange: Exchange) -> bool:
    """Every error response has a JSON body with an `error` object."""
    if not is_refusal(exchange) or middleware_may_answer(exchange):
        return False
    reply = Reply(exchange)
    if not isinstance(reply.at("error"), dict):
        schema = {"type": "object"}
        raise expect.unmet(
            '`{"error": {…}}` as the body',
            reply.summary,
            at=reply.place("error"),
            kind=Kind.TYPE,
            schema=schema,
        )
    return True


@invariant("IRC-ERR-002", concerns=refusals)
def errors_have_message_type_and_code(exchange: Exchange) -> bool:
    """Every error object has `message` and `type` as strings and `code` as an integer."""
    error = error_of(exchange)
    if error is None:
        return False
    for member, kind in (("message", str), ("type", str), ("code", int)):
        value = error.get(member)
        if not isinstance(value, kind) or isinstance(value, bool):
            reply, way = Reply(exchange), Kind.TYPE if member in error else Kind.MISSING
            expected = f"`error.{member}` as {'an integer' if kind is int else 'a string'}"
            schema = {"type": "integer" if kind is int else "string"}
            raise expect.unmet(
                expected, reply.summary, at=reply.place("error", member), kind=way, schema=schema
            )
    return True


@invariant("IRC-ERR-021", concerns=refusals)
def error_messages_are_not_empty(exchange: Exchange) -> bool:
    """The `message` of an error body is not empty."""
    error = error_of(exchange)
    if error is None or not isinstance(error.get("message"), str):
        return False
    at = Reply(exchange).place("error", "message")
    expect.true(
        bool(error["message"].strip()),
        "a message that says what went wrong",
        error["message"],
        at=at,
        kind=Kind.MISSING,
    )
    return True


@invariant("IRC-ERR-003", concerns=refusals)
def error_code_is_the_status(exchange: Exchange) -> bool:
    """The `code` of an error body equals the status of the response."""
    error = error_of(exchange)
    if error is None or "code" not in error:
        return False
    expect.equal(
        exchange.status, error["code"], "error code", at=Reply(exchange).place("error", "code")
    )
    return True


@invariant("IRC-ERR-004", concerns=refusals)
def error_code_is_in_range(exchange: Exchange) -> bool:
    """The `code` of an error body is from 400 to 600."""
    error = error_of(exchange)
    if error is None or not isinstance(error.get("code"), int):
        return False
    expect.true(
        400 <= error["code"] <= 600,
        "a code from 400 to 600",
        error["code"],
        at=Reply(exchange).place("error", "code"),
    )
    return True


@invariant("IRC-ERR-005", concerns=refusals)
def stack_is_an_array_of_strings(exchange: Exchange) -> bool:
    """The `stack` of an error body is an array of strings."""
    error = error_of(exchange)
    if error is None or "stack" not in error:
        return False
    stack, at = error["stack"], Reply(exchange).place("error", "stack")
    expect.true(
        isinstance(stack, list) and all(isinstance(s, str) for s in stack),
        "`error.stack` as an array of strings",
        stack,
        at=at,
    )
    return True


@invariant("IRC-ERR-006", concerns=refusals)
def error_bodies_hold_only_error(exchange: Exchange) -> bool:
    """An error body has no top-level member except `error`."""
    if error_of(exchange) is None:
        return False
    further = sorted(exchange.json.keys() - {"error"})
    at = Reply(exchange).place(*further[:1])
    expect.true(
        not further, "no top-level member except `error`", further, at=at, kind=Kind.SURPLUS
    )
    return True


@invariant("IRC-ERR-007", concerns=refusals)
def error_bodies_are_json(exchange: Exchange) -> bool:
    """Error bodies have the media type application/json; only a 400 from a layer before the catalog
    may be plain text.
    """
    if (
        not is_refusal(exchange)
        or not exchange.body
        or (middleware_may_answer(exchange) and exchange.media_type == "text/plain")
    ):
        return False
    if middleware_may_answer(exchange) and exchange.status != 400:
        return False
    expect.equal(
        "application/json", exchange.media_type, "media type", at=Place(exchange, "/media-type")
    )
    return True


@invariant("IRC-ERR-014")
def invalid_requests_return_no_5xx(exchange: Exchange) -> bool:
    """No invalid request returns a 5xx status."""
    if exchange.operation is None or exchange.status in {501, 503}:
        return False
    if not (
        exchange.is_invalid
        or 400 <= exchange.status < 500
        or (exchange.status >= 500 and _is_malformed(exchange))
    ):
        return False
    expect.no_server_error(Reply(exchange))
    return True


def is_outcome_unknown(exchange: Exchange) -> bool:
    """Return whether an answer leaves open if the commit was applied."""
    error_type = exchange.error.type if exchange.error else ""
    return exchange.status in {502, 504} or error_type == "CommitStateUnknownException"


@invariant("IRC-ERR-025")
def well_formed_requests_return_no_500(exchange: Exchange) -> bool:
    """No request whose body fits the contract returns 500, except where files cannot be read, or
    the outcome is unknown.
    """
    if exchange.operation in READ_FILES | {None} or exchange.is_invalid:
        return False
    if exchange.status != 500:  # only an answer with content shows that a body was read
        is_success = exchange.status < LOWEST_ERROR
        return is_success and bool(exchange.request_body and exchange.json)
    if _is_malformed(exchange) or is_outcome_unknown(exchange):
        return False
    expect.no_server_error(Reply(exchange))
    return True


def _is_malformed(exchange: Exchange) -> bool:
    """Return whether the body of a request does not fit its schema."""
    body = (
        CONTRACT.operations[exchange.operation or NO_OPERATION].body
        if exchange.operation in CONTRACT.operations
        else None
    )
    return bool(body) and (
        exchange.request_json is None
        or any(COMPONENTS.flaws(str(body), exchange.request_json).values())
    )


@invariant("IRC-ERR-018", concerns=refusals)
def errors_leak_no_secret(exchange: Exchange) -> bool:
    """No error body repeats a secret of the request."""
    if exchange.status < 400 or not exchange.secrets:
        return False
    secrets = [secret for secret in exchange.secrets if secret.encode() in exchange.body]
    at = Reply(exchange).place()
    expect.true(
        not secrets,
        "an error body without the credentials of the request",
        "the body contains them",
        at=at,
        kind=Kind.SURPLUS,
    )
    return True


@check("IRC-ERR-007")
def errors_are_json_for_any_accept(lab: CatalogLab) -> None:
    """Errors are JSON for clients that accept any media type or send no Accept header."""
    namespace = lab.make_namespace()
    for media_type in lab.each(("*/*", "")):
        accept = ("Accept", media_type)
        missing = lab.send(op.load_table, namespace=namespace, table=lab.name(), headers=[accept])
        invalid = lab.send(op.create_namespace, content=b'{"namespace":[', headers=[accept])
        with lab.judge("IRC-ERR-007"):
            for reply in (missing, invalid):
                error_bodies_are_json(reply.exchange)


def _type_of(lab: CatalogLab, requirement: str, refusals_by_name: Document) -> None:
    """Judge the type names of several refusals; a request that was accepted breaks other
    requirements.
    """
    with lab.judge_each(requirement) as case:
        for name, reply in (
            (name, reply)
            for name, reply in refusals_by_name.items()
            if reply.status >= LOWEST_ERROR
        ):
            with case():
                expect.client_error(reply, mutation=_mistake(name))
                expect.member(name.partition(" ")[0], reply.place("error", "type"), "error type")


def _mistake(name: str) -> Mutation:
    """Return the mistake of a request by the name of its case: the type of error and, after a
    space, words that end with the object.
    """
    kind, _, rest = name.partition(" ")
    noun = rest.rpartition(" ")[2]
    if kind == "CommitFailedException":
        return Wrong.STALE(f"assert-{noun or 'table'}-uuid")
    if kind == "AlreadyExistsException":
        return Wrong.PRESENT(noun or "namespace")
    absent = kind.removeprefix("NoSuch").removesuffix("Exception").lower()
    return Wrong.PRESENT("table") if kind == "NamespaceNotEmptyException" else Wrong.ABSENT(absent)


@check("IRC-ERR-008")
def missing_objects_are_named(lab: CatalogLab) -> None:
    """The error type names the missing object: NoSuchNamespaceException or NoSuchTableException."""
    namespace, table, nowhere = lab.make_namespace(), lab.name(), (lab.name(),)
    missing: Document = {"namespace": namespace, "table": table}
    identifier = {"namespace": list(namespace), "name": table}
    replies: dict[str, Reply] = {
        "NoSuchNamespaceException": lab.send(op.load_namespace_metadata, namespace=nowhere),
        "NoSuchNamespaceException on listing": lab.send(op.list_tables, namespace=nowhere),
        "NoSuchNamespaceException on creating": lab.try_create_table(nowhere, table),
        "NoSuchTableException": lab.send(op.load_table, **missing),
    }
    if lab.offers(op.drop_table):
        replies["NoSuchTableException on dropping"] = lab.try_drop_table(**missing)
    commit = {"requirements": [], "updates": [set_properties(lakepact="nowhere")]}
    if lab.offers(op.update_table):
        replies["NoSuchTableException on committing"] = lab.send(
            op.update_table, body=commit, **missing
        )
    if lab.offers(op.commit_transaction):
        changes = {"table-changes": [{"identifier": identifier, **commit}]}
        replies["NoSuchTableException in a transaction"] = lab.send(
            op.commit_transaction, body=changes
        )
    if lab.offers(op.rename_table):
        body = {"source": identifier, "destination": {**identifier, "name": lab.name()}}
        replies["NoSuchTableException on renaming"] = lab.send(op.rename_table, body=body)
    if lab.offers(op.load_credentials):
        replies["NoSuchTableException of credentials"] = lab.send(op.load_credentials, **missing)
    if lab.offers(op.report_metrics):
        report = scan_report(lab.make_table(namespace))
        replies["NoSuchTableException of metrics"] = lab.send(
            op.report_metrics, body=report, **missing
        )
    # Other statuses are judged elsewhere.
    _type_of(
        lab,
        "IRC-ERR-008",
        {name: reply for name, reply in replies.items() if " " not in name or reply.status == 404},
    )


@check("IRC-ERR-008")
def missing_views_are_named(lab: CatalogLab) -> None:
    """The error type for a missing view is NoSuchViewException."""
    home = make_view(lab).namespace
    absent: Document = {"namespace": home, "view": lab.name()}
    commit = {"requirements": [], "updates": [set_properties(lakepact="nowhere")]}
    identifiers = [{"namespace": list(home), "name": name} for name in (absent["view"], lab.name())]
    replies = {
        "NoSuchViewException": lab.send(op.load_view, **absent),
        "NoSuchViewException on dropping": lab.send(op.drop_view, **absent),
    }
    if lab.offers(op.replace_view):
        replies["NoSuchViewException on replacing"] = lab.send(
            op.replace_view, body=commit, **absent
        )
    if lab.offers(op.rename_view):
        replies["NoSuchViewException on renaming"] = lab.send(
            op.rename_view, body={"source": identifiers[0], "destination": identifiers[1]}
        )
    _type_of(lab, "IRC-ERR-008", replies)


@check("IRC-ERR-009")
def renames_name_the_missing_object(lab: CatalogLab) -> None:
    """A rename returns 404 with NoSuchTableException for a missing source, NoSuchNamespaceException
    for a missing target.
    """
    table = lab.make_table()
    absent = {"namespace": list(table.namespace), "name": lab.name()}
    nowhere = {"namespace": [lab.name()], "name": lab.name()}
    no_source = lab.send(
        op.rename_table, body={"source": absent, "destination": {**absent, "name": lab.name()}}
    )
    no_target = lab.send(op.rename_table, body={"source": table.identifier, "destination": nowhere})

    with lab.judge("IRC-ERR-009"):
        expect.not_found(no_source, "table")
        expect.not_found(no_target, "namespace")
        expect.member(
            "NoSuchTableException",
            no_source.place("error", "type"),
            "error type for a missing source",
        )
        expect.member(
            "NoSuchNamespaceException",
            no_target.place("error", "type"),
            "error type for a missing target namespace",
        )


@check("IRC-ERR-010")
def conflicts_are_named(lab: CatalogLab) -> None:
    """The error type names the conflict: AlreadyExists-, CommitFailed- or
    NamespaceNotEmptyException.
    """
    table = lab.make_table()
    here, nobody = table.namespace, "00000000-0000-4000-8000-000000000000"
    refusals: dict[str, Reply] = {
        "AlreadyExistsException": lab.send(op.create_namespace, body={"namespace": list(here)}),
        "AlreadyExistsException of a table": lab.try_create_table(here, table.name),
        "CommitFailedException": lab.try_commit(
            table,
            set_properties(lakepact="refused"),
            requirements=[{"type": "assert-table-uuid", "uuid": nobody}],
        ),
    }
    if lab.offers(op.drop_namespace):
        refusals["NamespaceNotEmptyException"] = lab.send(op.drop_namespace, namespace=here)
    if lab.offers(op.rename_table):
        other = lab.make_table(here)
        body = {"source": other.identifier, "destination": table.identifier}
        refusals["AlreadyExistsException of a renamed table"] = lab.send(op.rename_table, body=body)
    location = lab.load(table).metadata_location
    if lab.offers(op.register_table) and location:
        registration = {"name": table.name, "metadata-location": location}
        refusals["AlreadyExistsException of a registered table"] = lab.send(
            op.register_table, namespace=here, body=registration
        )
    # Errors other than conflicts are checked elsewhere.
    _type_of(
        lab,
        "IRC-ERR-010",
        {name: reply for name, reply in refusals.items() if " " not in name or reply.status == 409},
    )


@check("IRC-ERR-010")
def view_conflicts_are_named(lab: CatalogLab) -> None:
    """The error type of a view conflict is AlreadyExistsException or CommitFailedException."""
    view = make_view(lab)
    other = make_view(lab, view.namespace)
    refusals = {"AlreadyExistsException of a view": create_view(lab, view.namespace, view.name)}
    if lab.offers(op.rename_view):
        body = {"source": other.identifier, "destination": view.identifier}
        refusals["AlreadyExistsException of a renamed view"] = lab.send(op.rename_view, body=body)
    if lab.offers(op.replace_view):
        stale = {"type": "assert-view-uuid", "uuid": "00000000-0000-4000-8000-000000000000"}
        commit = {"requirements": [stale], "updates": [set_properties(lakepact="refused")]}
        refusals["CommitFailedException of a view"] = lab.send(
            op.replace_view, body=commit, **view.at
        )
    _type_of(
        lab,
        "IRC-ERR-010",
        {name: reply for name, reply in refusals.items() if reply.status == 409},
    )


@check("IRC-ERR-017")
def head_errors_have_no_body(lab: CatalogLab) -> None:
    """HEAD of a missing namespace or table returns 404 without a body."""
    namespace = lab.make_namespace()
    replies = [
        lab.send(op.namespace_exists, namespace=(lab.name(),)),
        lab.send(op.table_exists, namespace=namespace, table=lab.name()),
    ]

    with lab.judge_each("IRC-ERR-017") as case:
        for reply in replies:
            with case():
                expect.not_found(
                    reply,
                    "namespace" if reply.exchange.operation == op.namespace_exists else "table",
                )
                expect.no_body(reply)
