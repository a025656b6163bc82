"""Servers that take locations which begin with the same characters for one inside the other."""

from __future__ import annotations

import shutil
from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from mutants.iceberg_rest.operators.tables import Handlers, for_operation, metadata_path


@fault("IRC-TBL-CREATE-033")
def locations_that_begin_alike_overlap() -> Install:
    taken: set[str] = set()

    def act(handler: Handler, arguments: Arguments) -> Reply:
        wanted = arguments["body"].get("location")
        if wanted and any(wanted.startswith(other) or other.startswith(wanted) for other in taken):
            raise bad_request(f"the location {wanted} overlaps with that of another table")
        reply = handler(**arguments)
        taken.add(reply.document["metadata"]["location"])
        return reply

    return on_call(op.create_table, act)


@fault("IRC-TBL-DROP-012", by=partial(for_operation, op.drop_table))
def purges_what_begins_alike(handlers: Handlers, arguments: Arguments) -> Reply:
    folder = metadata_path(
        handlers, namespace=arguments["namespace"], table=arguments["table"]
    ).parent.parent
    reply = handlers[op.drop_table](**arguments)
    if arguments.get("purge_requested"):
        for sibling in folder.parent.glob(f"{folder.name}*"):
            shutil.rmtree(sibling, ignore_errors=True)
    return reply


@fault("IRC-TBL-DROP-012", by=partial(for_operation, op.drop_table))
def purges_names_that_begin_alike(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.drop_table](**arguments)
    listing = handlers[op.list_tables](namespace=arguments["namespace"]).document
    for name in (identifier["name"] for identifier in listing["identifiers"]):
        if arguments.get("purge_requested") and name.startswith(arguments["table"]):
            handlers[op.drop_table](**{**arguments, "table": name})
    return reply
