"""Wrong ways with commits that create their table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, around
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR, no_such_table
from lakepact.reference_server.iceberg_rest.faults.ways.commits import creates, on_commit
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import made_where_missing, make_namespace
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT
from lakepact.reference_server.iceberg_rest.faults.ways.preconditions import always_holds
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import refusals_become, with_status
from lakepact.reference_server.iceberg_rest.faults.ways.requests import taken_as
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

AS_FAILURE = with_status(500, "NullPointerException")


def _never(find: Callable[..., Any]) -> Callable[..., Any]:
    def committed_table(transaction: Any, key: Any, requirements: list[Document]) -> Any:
        record = find(transaction, key, requirements)
        if record is None:
            raise no_such_table(key.place, key.name)
        return record

    return committed_table


def _without_properties(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    return {**body, "updates": [update for update in body["updates"] if update.get("action") != "set-properties"]}


def _with_main_alone(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    return {**body, "updates": [update for update in body["updates"] if update.get("ref-name", "main") == "main"]}


def _of_version_2(body: Document) -> Document:
    if not isinstance(body.get("requirements"), list) or not creates(body):
        return body
    return {**body, "updates": [update for update in body["updates"] if update.get("action") != "upgrade-format-version"]}


def _staged_alone(service: Service) -> None:
    """Commits create only tables whose creation was staged, and each of them once."""
    create, commit = service.handlers["createTable"], service.handlers[COMMIT]
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

    service.handlers |= {"createTable": stage, COMMIT: only_staged}


def _filled_in(service: Service) -> None:
    """What a commit that creates a table lacks is made up."""
    create, commit = service.handlers["createTable"], service.handlers[COMMIT]

    def make_up(*, namespace: str, table: str, body: Document, **arguments: Any) -> Reply:
        try:
            return commit(namespace=namespace, table=table, body=body, **arguments)
        except Problem as problem:
            if problem.status != 400 or not creates(body):
                raise
        schemas = [update["schema"] for update in body["updates"] if update["action"] == "add-schema"]
        return create(namespace=namespace, body={"name": table, "schema": (schemas or [{"type": "struct", "fields": []}])[-1]})

    service.handlers[COMMIT] = make_up


def _begun(service: Service) -> None:
    """A commit that creates a table and is refused leaves a table behind."""
    create, commit = service.handlers["createTable"], service.handlers[COMMIT]

    def begin(*, namespace: str, table: str, body: Document, **arguments: Any) -> Reply:
        try:
            return commit(namespace=namespace, table=table, body=body, **arguments)
        except Problem as problem:
            if problem.status == 400 and creates(body):
                create(namespace=namespace, body={"name": table, "schema": {"type": "struct", "fields": []}})
            raise

    service.handlers[COMMIT] = begin


def _leaving_the_namespace(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[COMMIT](**arguments)
    except Problem as problem:
        if problem.status == 404 and creates(arguments["body"]):
            make_namespace(handlers, arguments["namespace"].split(SEPARATOR))
        raise


def _alone_among_others(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    others = [requirement for requirement in body["requirements"] if requirement.get("type") != "assert-create"]
    return handler(**{**arguments, "body": {**body, "requirements": others or body["requirements"]}})


def _is_alone(body: Document) -> bool:
    return creates(body) and len(body["requirements"]) == 1


def _has_company(body: Document) -> bool:
    return creates(body) and len(body["requirements"]) > 1


FAULTS = (
    Fault(
        "commits-create-nothing",
        "A commit to a table that does not exist is refused, whatever it requires.",
        ("IRC-REQ-001",),
        around("rules", "committed-table", _never),
    ),
    Fault("commits-create-what-was-staged", "Only what was staged can be created, once.", ("IRC-REQ-001",), _staged_alone),
    Fault(
        "created-tables-lack-properties",
        "A commit that creates a table loses its properties.",
        ("IRC-REQ-001",),
        taken_as(COMMIT, _without_properties),
    ),
    Fault(
        "created-tables-have-main-alone",
        "A commit that creates a table loses its tags and other branches.",
        ("IRC-TBL-STAGE-005", "IRC-UPD-045"),
        taken_as(COMMIT, _with_main_alone),
    ),
    Fault(
        "created-tables-are-of-version-2",
        "A commit that creates a table makes one of format version 2.",
        ("IRC-UPD-005",),
        taken_as(COMMIT, _of_version_2),
    ),
    Fault("assert-create-always-holds", "assert-create is not checked.", ("IRC-REQ-002",), always_holds("assert-create")),
    Fault(
        "existing-tables-are-bad-requests",
        "Creating a table that exists is answered with 400.",
        ("IRC-REQ-002",),
        refusals_become(COMMIT, 409, with_status(400, "AlreadyExistsException"), when=creates),
    ),
    Fault(
        "incomplete-tables-are-failures",
        "A new table that lacks something is answered with 500.",
        ("IRC-REQ-003",),
        refusals_become(COMMIT, 400, AS_FAILURE, when=_is_alone),
    ),
    Fault("incomplete-tables-are-made-up", "What a new table lacks is made up by the server.", ("IRC-REQ-003",), _filled_in),
    Fault("refused-tables-stay", "A new table that is refused exists afterwards.", ("IRC-REQ-003",), _begun),
    Fault(
        "assert-create-gives-way",
        "assert-create is not checked beside other requirements.",
        ("IRC-REQ-004",),
        on_commit(_alone_among_others),
    ),
    Fault(
        "assert-create-beside-others-fails",
        "assert-create beside other requirements ends in a status 500.",
        ("IRC-REQ-004",),
        refusals_become(COMMIT, 400, AS_FAILURE, when=_has_company),
    ),
    Fault(
        "creating-makes-namespaces", "A new table brings its namespace along.", ("IRC-REQ-005",), made_where_missing(COMMIT, when=creates)
    ),
    Fault(
        "creating-leaves-namespaces",
        "A new table that is refused for want of a namespace leaves the namespace behind.",
        ("IRC-REQ-005",),
        given(COMMIT, _leaving_the_namespace),
    ),
    Fault(
        "creating-without-namespace-fails",
        "A new table in no namespace is answered with 500.",
        ("IRC-REQ-005",),
        refusals_become(COMMIT, 404, AS_FAILURE),
    ),
)
