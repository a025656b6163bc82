"""Wrong ways with commits that create their table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, no_such_table
from mutants.iceberg_rest.operators.commits import creates, on_commit
from mutants.iceberg_rest.operators.namespaces import made_where_missing, make_namespace
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.preconditions import always_holds
from mutants.iceberg_rest.operators.refusals import refusals_become, with_status
from mutants.iceberg_rest.operators.requests import taken_as
from mutants.iceberg_rest.operators.tables import Handlers, for_operation

AS_FAILURE = with_status(500, "NullPointerException")


@fault("IRC-REQ-001", by=partial(wrap_rule, "table_to_commit"))
def commits_create_nothing(find: Callable[..., Any]) -> Callable[..., Any]:
    def committed_table(transaction: Any, key: Any, requirements: list[Document]) -> Any:
        record = find(transaction, key, requirements)
        if record is None:
            raise no_such_table(key.place, key.name)
        return record

    return committed_table


@fault("IRC-REQ-001")
def commits_create_what_was_staged(service: Service) -> None:
    create, commit = service.handlers[op.create_table], service.handlers[COMMIT]
    staged: set[tuple[str, str]] = set()

    def stage(*, namespace: str, body: Document, **arguments: Any) -> Reply:
        reply = create(namespace=namespace, body=body, **arguments)
        if body.get("stage-create"):
            staged.add((namespace, body["name"]))
        return reply

    def only_staged(*, namespace: str, table: str, body: Document, **arguments: Any) -> Reply:
        if creates(body) and (namespace, table) not in staged:
            raise no_such_table(namespace.split(SEPARATOR), table)
        reply = commit(namespace=namespace, table=table, body=body, **arguments)
        if creates(body):
            staged.discard((namespace, table))
        return reply

    service.handlers |= {op.create_table: stage, COMMIT: only_staged}


@fault("IRC-REQ-001", by=partial(taken_as, COMMIT))
def created_tables_lack_properties(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    return {
        **body,
        "updates": [
            update for update in body["updates"] if update.get("action") != "set-properties"
        ],
    }


@fault("IRC-REQ-040", by=partial(taken_as, COMMIT))
def created_tables_have_an_empty_schema(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    empty = {
        "action": "add-schema",
        "schema": {"type": "struct", "schema-id": 0, "fields": []},
        "last-column-id": 0,
    }
    return {**body, "updates": [empty, *body["updates"]]}


@fault("IRC-TBL-STAGE-005", "IRC-UPD-045", by=partial(taken_as, COMMIT))
def created_tables_have_main_alone(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    return {
        **body,
        "updates": [
            update for update in body["updates"] if update.get("ref-name", "main") == "main"
        ],
    }


@fault("IRC-UPD-005", by=partial(taken_as, COMMIT))
def created_tables_are_of_version_2(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    return {
        **body,
        "updates": [
            update for update in body["updates"] if update.get("action") != "upgrade-format-version"
        ],
    }


@fault("IRC-REQ-003")
def incomplete_tables_are_made_up(service: Service) -> None:
    create, commit = service.handlers[op.create_table], service.handlers[COMMIT]

    def make_up(*, namespace: str, table: str, body: Document, **arguments: Any) -> Reply:
        try:
            return commit(namespace=namespace, table=table, body=body, **arguments)
        except Problem as problem:
            if problem.status != 400 or not creates(body):
                raise
        schemas = [
            update["schema"] for update in body["updates"] if update["action"] == "add-schema"
        ]
        return create(
            namespace=namespace,
            body={"name": table, "schema": (schemas or [{"type": "struct", "fields": []}])[-1]},
        )

    service.handlers[COMMIT] = make_up


@fault("IRC-REQ-003")
def refused_tables_stay(service: Service) -> None:
    create, commit = service.handlers[op.create_table], service.handlers[COMMIT]

    def begin(*, namespace: str, table: str, body: Document, **arguments: Any) -> Reply:
        try:
            return commit(namespace=namespace, table=table, body=body, **arguments)
        except Problem as problem:
            if problem.status == 400 and creates(body):
                create(
                    namespace=namespace,
                    body={"name": table, "schema": {"type": "struct", "fields": []}},
                )
            raise

    service.handlers[COMMIT] = begin


@fault("IRC-REQ-004", by=on_commit)
def assert_create_gives_way(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    others = [
        requirement
        for requirement in body["requirements"]
        if requirement.get("type") != "assert-create"
    ]
    return handler(
        **{**arguments, "body": {**body, "requirements": others or body["requirements"]}}
    )


@fault("IRC-REQ-005", by=partial(for_operation, COMMIT))
def creating_leaves_namespaces(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[COMMIT](**arguments)
    except Problem as problem:
        if problem.status == 404 and creates(arguments["body"]):
            make_namespace(handlers, arguments["namespace"].split(SEPARATOR))
        raise


FAULTS = {
    "assert-create-always-holds IRC-REQ-002": always_holds("assert-create"),
    "existing-tables-are-bad-requests IRC-REQ-002": refusals_become(
        COMMIT, 409, with_status(400, "AlreadyExistsException"), when=creates
    ),
    "incomplete-tables-are-failures IRC-REQ-003": refusals_become(
        COMMIT, 400, AS_FAILURE, when=lambda body: creates(body) and len(body["requirements"]) == 1
    ),
    "assert-create-beside-others-fails IRC-REQ-004": refusals_become(
        COMMIT, 400, AS_FAILURE, when=lambda body: creates(body) and len(body["requirements"]) > 1
    ),
    "creating-makes-namespaces IRC-REQ-005": made_where_missing(COMMIT, when=creates),
    "creating-without-namespace-fails IRC-REQ-005": refusals_become(COMMIT, 404, AS_FAILURE),
}
