"""Renames that lose views, copy them, or reach the wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, on_status
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import make_namespace
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become
from lakepact.reference_server.iceberg_rest.faults.ways.requests import taken_as
from lakepact.reference_server.iceberg_rest.faults.ways.tables import carried_over, given
from lakepact.reference_server.iceberg_rest.faults.ways.views import RENAME, overlooks, takes_tables
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, Reply

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers


def _at(identifier: Document) -> dict[str, Any]:
    return {"namespace": SEPARATOR.join(identifier["namespace"]), "view": identifier["name"]}


def _nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    handlers["viewExists"](**_at(arguments["body"]["source"]))
    return NO_CONTENT


def _created(handlers: Handlers, identifier: Document, metadata: Document) -> None:
    at = _at(identifier)
    version, schema = metadata["versions"][-1], metadata["schemas"][-1]
    body = {"name": at["view"], "schema": schema, "view-version": version, "properties": metadata["properties"]}
    handlers["createView"](namespace=at["namespace"], body=body)


def _copy(handlers: Handlers, arguments: Arguments) -> Reply:
    source = arguments["body"]["source"]
    metadata = handlers["loadView"](**_at(source)).document["metadata"]
    reply = handlers[RENAME](**arguments)
    _created(handlers, source, metadata)
    return reply


def _recreate(handlers: Handlers, arguments: Arguments) -> Reply:
    destination = arguments["body"]["destination"]
    reply = handlers[RENAME](**arguments)
    metadata = handlers["loadView"](**_at(destination)).document["metadata"]
    handlers["dropView"](**_at(destination))
    _created(handlers, destination, metadata)
    return reply


def _current_alone(metadata: Document) -> Document:
    current = metadata["current-version-id"]
    versions = [version for version in metadata["versions"] if version["version-id"] == current]
    return {**metadata, "versions": versions, "version-log": metadata["version-log"][-1:]}


def _make_namespace(handlers: Handlers, arguments: Arguments) -> Reply:
    make_namespace(handlers, arguments["body"]["destination"]["namespace"])
    return handlers[RENAME](**arguments)


def _lose(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[RENAME](**arguments)
    except Problem as problem:
        if problem.status == 409:
            handlers["dropView"](**_at(arguments["body"]["source"]))
        raise


def _guess(body: Document) -> Document:
    sides = {side: body.get(side) or {} for side in ("source", "destination")}
    known = {**sides["source"], **sides["destination"]}
    return {**body, **{side: {**known, **given_} for side, given_ in sides.items()}}


FAULTS = (
    Fault(
        "renamed-views-lose-their-history",
        "A renamed view has its current version alone.",
        ("IRC-VIEW-REN-001",),
        carried_over(RENAME, _current_alone),
    ),
    Fault("renames-no-views", "Renames of views do nothing.", ("IRC-VIEW-REN-001",), given(RENAME, _nothing)),
    Fault("copies-views", "A renamed view keeps its old name, too.", ("IRC-VIEW-REN-001",), given(RENAME, _copy)),
    Fault("recreates-views", "A renamed view is another one.", ("IRC-VIEW-REN-001",), given(RENAME, _recreate)),
    Fault("renames-of-views-are-200", "Views are renamed with 200.", ("IRC-VIEW-REN-001",), on_status(RENAME, {204: 200})),
    Fault(
        "renames-missing-views",
        "Renaming no view, or into no namespace, succeeds.",
        ("IRC-VIEW-REN-002", "IRC-VIEW-REN-003", "IRC-VIEW-REN-007"),
        on_status(RENAME, {404: 204}),
    ),
    Fault(
        "missing-destinations-are-called-views",
        "A namespace that a view cannot be renamed into is called a missing view.",
        ("IRC-VIEW-REN-003",),
        refusals_become(RENAME, 404, called("NoSuchViewException", instead_of="NoSuchNamespaceException")),
    ),
    Fault("renames-of-views-make-namespaces", "Renaming makes the namespace.", ("IRC-VIEW-REN-003",), given(RENAME, _make_namespace)),
    Fault("renames-views-over-views", "A renamed view replaces another.", ("IRC-VIEW-REN-004",), overlooks(RENAME, "view")),
    Fault("renames-views-over-tables", "A renamed view replaces a table.", ("IRC-VIEW-REN-004",), overlooks(RENAME, "table")),
    Fault("loses-views-in-conflict", "A view whose new name is taken is lost.", ("IRC-VIEW-REN-004",), given(RENAME, _lose)),
    Fault("guesses-what-renames-of-views-leave-out", "A rename may leave out anything.", ("IRC-VIEW-REN-006",), taken_as(RENAME, _guess)),
    Fault("renames-tables-as-views", "A table is renamed as a view.", ("IRC-VIEW-REN-007",), takes_tables(RENAME)),
)
