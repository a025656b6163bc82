"""Renames that lose tables, copy them, or reach the wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_call,
    on_status,
    per_server,
    replace_rule,
    skip_validation,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.warehouse.local import below
from mutants.iceberg_rest.operators.namespaces import make_namespace
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.tables import (
    Handlers,
    at,
    carried_over,
    create,
    exists,
    for_operation,
    promised,
)

FAILURE = Reply(
    500, b'{"error":{"message":"database is locked","type":"OperationalError","code":500}}'
)


def _look(handlers: Handlers, arguments: Arguments) -> None:
    body = arguments["body"]
    handlers[op.table_exists](**at(body["source"]))
    if exists(handlers, body["destination"]):
        raise Problem(409, "AlreadyExistsException", "the name is taken")


def _loses_source(status: int) -> Callable[[Handlers, Arguments], Reply]:
    """Rename, and where that is refused with this status drop the table all the same."""

    def rename(handlers: Handlers, arguments: Arguments) -> Reply:
        source = arguments["body"]["source"]
        try:
            return handlers[op.rename_table](**arguments)
        except Problem as problem:
            if problem.status == status and exists(handlers, source):
                handlers[op.drop_table](**at(source))
            raise

    return rename


def _redirect(levels_of: Callable[[Document], Sequence[str]]) -> Install:
    """Rename into the namespace that `levels_of(body)` gives."""

    def rename(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        destination = {**body["destination"], "namespace": list(levels_of(body))}
        return handler(body={**body, "destination": destination})

    return on_call(op.rename_table, rename)


def _location_by_name(catalog: Catalog, _: Document, *, levels: Sequence[str], name: str) -> str:
    return below(catalog.warehouse.root, [*levels, name])


@per_server
def remembering(
    operation: OperationId,
    act: Callable[[Handler, dict[str, Any], Document], Reply],
    *,
    of: Callable[[Document], Document],
) -> Install:
    """Answer calls by the old name of a renamed table, while there is none of that name, by
    `act(handler, arguments, remembered)`.

    Args:
        operation: id of the operation.
        act: what is done instead.
        of: what is remembered of a rename, from its body.
    """
    known: dict[tuple[str, str], Document] = {}

    def rename(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        old = at(arguments["body"]["source"])
        known[old["namespace"], old["table"]] = of(arguments["body"])
        return reply

    def call(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            remembered = known.get((arguments["namespace"], arguments["table"]))
            if problem.status != 404 or remembered is None:
                raise
            return act(handler, arguments, remembered)

    return all_of(on_call(op.rename_table, rename), on_call(operation, call))


def _follow(handler: Handler, arguments: Arguments, new: Document) -> Reply:
    body = {key: value for key, value in arguments["body"].items() if key != "identifier"}
    return handler(**{**arguments, **at(new), "body": body})


def _known_by_old_names(renaming: OperationId, operation: OperationId, kind: str) -> Install:
    """One operation finds what was renamed by its old name, too."""

    def install(service: Service) -> None:
        rename, act = service.handlers[renaming], service.handlers[operation]
        known: dict[tuple[str, str], tuple[str, str]] = {}

        def renamed(**arguments: Any) -> Reply:
            reply = rename(**arguments)
            source, destination = (arguments["body"][side] for side in ("source", "destination"))
            known[SEPARATOR.join(source["namespace"]), source["name"]] = (
                SEPARATOR.join(destination["namespace"]),
                destination["name"],
            )
            return reply

        def found(**arguments: Any) -> Reply:
            try:
                return act(**arguments)
            except Problem as problem:
                new = known.get((arguments["namespace"], arguments[kind]))
                if problem.status != 404 or new is None:
                    raise
                return act(**{**arguments, "namespace": new[0], kind: new[1]})

        service.handlers.update({renaming: renamed, operation: found})

    return install


@fault("IRC-TBL-REN-001", by=partial(for_operation, op.rename_table))
def renames_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    handlers[op.table_exists](**at(arguments["body"]["source"]))
    return NO_CONTENT


@fault("IRC-TBL-REN-001", by=partial(for_operation, op.rename_table))
def renames_change_no_case(handlers: Handlers, arguments: Arguments) -> Reply:
    source, destination = (arguments["body"][end] for end in ("source", "destination"))
    if source != destination and source["name"].casefold() == destination["name"].casefold():
        return NO_CONTENT
    return handlers[op.rename_table](**arguments)


@fault("IRC-TBL-REN-001", "IRC-TBL-REN-013", by=partial(for_operation, op.rename_table))
def copies_instead_of_renaming(handlers: Handlers, arguments: Arguments) -> Reply:
    source = arguments["body"]["source"]
    location = handlers[op.load_table](**at(source)).document["metadata-location"]
    reply = handlers[op.rename_table](**arguments)
    if not exists(handlers, source):
        handlers[op.register_table](
            namespace=at(source)["namespace"],
            body={"name": source["name"], "metadata-location": location},
        )
    return reply


@fault("IRC-TBL-REN-001", by=partial(for_operation, op.rename_table))
def renames_by_recreating(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.rename_table](**arguments)
    new = at(arguments["body"]["destination"])
    handlers[op.drop_table](**new)
    create(handlers, namespace=new["namespace"], name=new["table"])
    return reply


@fault("IRC-TBL-REN-001", by=partial(for_operation, op.rename_table))
def renames_write_metadata(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.rename_table](**arguments)
    update = {"action": "set-properties", "updates": {"renamed": "yes"}}
    handlers[op.update_table](
        **at(arguments["body"]["destination"]), body={"requirements": [], "updates": [update]}
    )
    return reply


@fault("IRC-TBL-REN-001", by=partial(carried_over, op.rename_table))
def renames_tidy_up(metadata: Document) -> Document:
    named = {ref["snapshot-id"] for ref in (metadata.get("refs") or {}).values()}
    return {
        **metadata,
        "snapshots": [
            one for one in metadata.get("snapshots") or () if one["snapshot-id"] in named
        ],
    }


@fault("IRC-TBL-REN-003", by=partial(for_operation, op.rename_table))
def renames_make_namespaces(handlers: Handlers, arguments: Arguments) -> Reply:
    make_namespace(handlers, arguments["body"]["destination"]["namespace"])
    return handlers[op.rename_table](**arguments)


@fault("IRC-TBL-REN-004", "IRC-TBL-REN-012", by=partial(for_operation, op.rename_table))
def renames_over_tables(handlers: Handlers, arguments: Arguments) -> Reply:
    source, destination = arguments["body"]["source"], arguments["body"]["destination"]
    if source != destination and exists(handlers, source) and exists(handlers, destination):
        handlers[op.drop_table](**at(destination))
    return handlers[op.rename_table](**arguments)


@fault(
    "IRC-TBL-REN-007",
    by=lambda act: all_of(skip_validation(op.rename_table), for_operation(op.rename_table, act)),
)
def guesses_what_renames_leave_out(handlers: Handlers, arguments: Arguments) -> Reply:
    body = arguments["body"]
    source, destination = body.get("source") or {}, body.get("destination") or {}
    for member in ("namespace", "name"):
        source[member] = source.get(member) or destination.get(member)
        destination[member] = destination.get(member) or source[member]
    if not source["name"] or not exists(handlers, source):
        return NO_CONTENT
    return handlers[op.rename_table](body={"source": source, "destination": destination})


@fault("IRC-TBL-REN-011")
def stages_in_old_locations() -> Install:
    locations: dict[tuple[str, str], str] = {}

    def rename(handlers: Handlers, arguments: Arguments) -> Reply:
        old = at(arguments["body"]["source"])
        location = handlers[op.load_table](**old).document["metadata"]["location"]
        reply = handlers[op.rename_table](**arguments)
        locations[old["namespace"], old["table"]] = location
        return reply

    def create_table(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        former = locations.get((arguments["namespace"], arguments["body"]["name"]))
        if former is None or not arguments["body"].get("stage-create"):
            return reply
        document = reply.document
        return json_reply({**document, "metadata": {**document["metadata"], "location": former}})

    return all_of(for_operation(op.rename_table, rename), on_call(op.create_table, create_table))


@fault("IRC-TBL-REN-009", by=partial(for_operation, op.rename_table))
def renames_to_the_same_lose_tables(handlers: Handlers, arguments: Arguments) -> Reply:
    source, destination = arguments["body"]["source"], arguments["body"]["destination"]
    if source == destination:
        return handlers[op.drop_table](**at(source))
    return handlers[op.rename_table](**arguments)


@fault(
    "IRC-TBL-REN-013", by=partial(remembering, op.update_table, of=lambda body: body["destination"])
)
def commits_follow_renames_in_secret(
    handler: Handler, arguments: Arguments, new: Document
) -> Reply:
    _follow(handler, arguments, new)
    raise Problem(404, "NoSuchTableException", "the table has another name")


@fault("IRC-TBL-REN-013", by=partial(for_operation, op.update_table))
def commits_make_tables(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[op.update_table](**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        return create(handlers, namespace=arguments["namespace"], name=arguments["table"])


FAULTS = {
    "existence-by-old-names IRC-TBL-REN-001": _known_by_old_names(
        op.rename_table, op.table_exists, "table"
    ),
    "credentials-by-old-names IRC-TBL-REN-001": _known_by_old_names(
        op.rename_table, op.load_credentials, "table"
    ),
    "reports-by-old-names IRC-TBL-REN-001": _known_by_old_names(
        op.rename_table, op.report_metrics, "table"
    ),
    "existence-of-views-by-old-names IRC-VIEW-REN-001": _known_by_old_names(
        op.rename_view, op.view_exists, "view"
    ),
    "replaces-views-by-old-names IRC-VIEW-REN-001": _known_by_old_names(
        op.rename_view, op.replace_view, "view"
    ),
    "drops-views-by-old-names IRC-VIEW-REN-001": _known_by_old_names(
        op.rename_view, op.drop_view, "view"
    ),
    "renames-lose-properties IRC-TBL-REN-001": carried_over(
        op.rename_table, lambda metadata: {**metadata, "properties": {}}
    ),
    "renames-undo-upgrades IRC-TBL-REN-001": carried_over(
        op.rename_table, lambda metadata: {**metadata, "format-version": 2}
    ),
    "renames-answer-200 IRC-TBL-REN-001": on_status(op.rename_table, {204: 200}),
    "renames-what-is-missing IRC-TBL-REN-002 IRC-TBL-REN-003 IRC-TBL-REN-012": on_status(
        op.rename_table, {404: 204}
    ),
    "missing-sources-have-another-type IRC-ERR-008 IRC-ERR-009": refusals_become(
        op.rename_table, 404, called("NotFoundException", instead_of="NoSuchTableException")
    ),
    "missing-destinations-are-called-tables IRC-TBL-REN-003": refusals_become(
        op.rename_table, 404, called("NoSuchTableException", instead_of="NoSuchNamespaceException")
    ),
    "loses-tables-that-cannot-move IRC-TBL-REN-003": for_operation(
        op.rename_table, _loses_source(404)
    ),
    "loses-tables-that-are-in-conflict IRC-TBL-REN-004 IRC-TBL-REN-012": for_operation(
        op.rename_table, _loses_source(409)
    ),
    "taken-names-are-bad-requests IRC-TBL-REN-004 IRC-TBL-REN-012": on_status(
        op.rename_table, {409: 400}
    ),
    "incomplete-renames-fail IRC-TBL-REN-007": on_status(op.rename_table, {400: 500}),
    "renames-into-the-top-level IRC-TBL-REN-010": _redirect(
        lambda body: body["destination"]["namespace"][:1]
    ),
    "renames-into-levels-joined-by-dots IRC-TBL-REN-010": _redirect(
        lambda body: [".".join(body["destination"]["namespace"])]
    ),
    "renames-within-the-namespace IRC-TBL-REN-003 IRC-TBL-REN-010": _redirect(
        lambda body: body["source"]["namespace"]
    ),
    "reuses-locations IRC-TBL-DROP-006 IRC-TBL-REN-011": all_of(
        replace_rule("default_location", _location_by_name),
        replace_rule("files_may_go", lambda *_: True),
    ),
    "renames-race IRC-TBL-REN-012": promised(op.rename_table, _look),
    "racing-renames-fail IRC-TBL-REN-012": promised(op.rename_table, _look, too_late=FAILURE),
    "commits-follow-renames IRC-TBL-REN-013": remembering(
        op.update_table, _follow, of=lambda body: body["destination"]
    ),
    "commits-by-old-names-conflict IRC-TBL-REN-013": on_status(op.update_table, {404: 409}),
}
