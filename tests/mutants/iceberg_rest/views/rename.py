"""Renames that lose views, copy them, or reach the wrong ones."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.namespaces import make_namespace
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.requests import taken_as
from mutants.iceberg_rest.operators.tables import Handlers, carried_over, for_operation
from mutants.iceberg_rest.operators.views import RENAME, overlooks, takes_tables


def _at(identifier: Document) -> dict[str, Any]:
    return {"namespace": SEPARATOR.join(identifier["namespace"]), "view": identifier["name"]}


def _created(handlers: Handlers, identifier: Document, metadata: Document) -> None:
    at = _at(identifier)
    version, schema = metadata["versions"][-1], metadata["schemas"][-1]
    body = {
        "name": at["view"],
        "schema": schema,
        "view-version": version,
        "properties": metadata["properties"],
    }
    handlers[op.create_view](namespace=at["namespace"], body=body)


@fault("IRC-VIEW-REN-001", by=partial(carried_over, RENAME))
def renamed_views_lose_their_history(metadata: Document) -> Document:
    current = metadata["current-version-id"]
    versions = [version for version in metadata["versions"] if version["version-id"] == current]
    return {**metadata, "versions": versions, "version-log": metadata["version-log"][-1:]}


@fault("IRC-VIEW-REN-001", by=partial(for_operation, RENAME))
def renames_no_views(handlers: Handlers, arguments: Arguments) -> Reply:
    handlers[op.view_exists](**_at(arguments["body"]["source"]))
    return NO_CONTENT


@fault("IRC-VIEW-REN-001", by=partial(for_operation, RENAME))
def copies_views(handlers: Handlers, arguments: Arguments) -> Reply:
    source = arguments["body"]["source"]
    metadata = handlers[op.load_view](**_at(source)).document["metadata"]
    reply = handlers[RENAME](**arguments)
    _created(handlers, source, metadata)
    return reply


@fault("IRC-VIEW-REN-001", by=partial(for_operation, RENAME))
def recreates_views(handlers: Handlers, arguments: Arguments) -> Reply:
    destination = arguments["body"]["destination"]
    reply = handlers[RENAME](**arguments)
    metadata = handlers[op.load_view](**_at(destination)).document["metadata"]
    handlers[op.drop_view](**_at(destination))
    _created(handlers, destination, metadata)
    return reply


@fault("IRC-VIEW-REN-003", by=partial(for_operation, RENAME))
def renames_of_views_make_namespaces(handlers: Handlers, arguments: Arguments) -> Reply:
    make_namespace(handlers, arguments["body"]["destination"]["namespace"])
    return handlers[RENAME](**arguments)


@fault("IRC-VIEW-REN-004", by=partial(for_operation, RENAME))
def loses_views_in_conflict(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[RENAME](**arguments)
    except Problem as problem:
        if problem.status == 409:
            handlers[op.drop_view](**_at(arguments["body"]["source"]))
        raise


@fault("IRC-VIEW-REN-006", by=partial(taken_as, RENAME))
def guesses_what_renames_of_views_leave_out(body: Document) -> Document:
    sides = {side: body.get(side) or {} for side in ("source", "destination")}
    known = {**sides["source"], **sides["destination"]}
    return {**body, **{side: {**known, **given_} for side, given_ in sides.items()}}


FAULTS = {
    "renames-of-views-are-200 IRC-VIEW-REN-001": on_status(RENAME, {204: 200}),
    "renames-missing-views IRC-VIEW-REN-002 IRC-VIEW-REN-003 IRC-VIEW-REN-007": on_status(
        RENAME, {404: 204}
    ),
    "missing-destinations-are-called-views IRC-VIEW-REN-003": refusals_become(
        RENAME, 404, called("NoSuchViewException", instead_of="NoSuchNamespaceException")
    ),
    "renames-views-over-views IRC-VIEW-REN-004": overlooks(RENAME, "view"),
    "renames-views-over-tables IRC-VIEW-REN-004": overlooks(RENAME, "table"),
    "renames-tables-as-views IRC-VIEW-REN-007": takes_tables(RENAME),
}
