"""Races of operations at one table or name, in which one undoes the other."""

from __future__ import annotations

from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.tables import Handlers, at, exists, followed, promised


def _as_it_was(handlers: Handlers, arguments: Arguments, location: str) -> None:
    """Rename a table, and let it be what it was when it was read."""
    destination: Document = arguments["body"]["destination"]
    handlers[op.rename_table](**arguments)
    handlers[op.drop_table](**at(destination))
    body = {"name": destination["name"], "metadata-location": location}
    handlers[op.register_table](namespace=SEPARATOR.join(destination["namespace"]), body=body)


def _into_its_place(handlers: Handlers, arguments: Arguments, _: object) -> None:
    """Rename a table, replacing any table that was created there in between."""
    destination: Document = arguments["body"]["destination"]
    if exists(handlers, destination):
        handlers[op.drop_table](**at(destination))
    handlers[op.rename_table](**arguments)


@fault("IRC-TBL-REN-014", by=partial(promised, op.rename_table, act=_as_it_was))
def renames_move_what_they_read(handlers: Handlers, arguments: Arguments) -> str:
    location: str = handlers[op.load_table](**at(arguments["body"]["source"])).document[
        "metadata-location"
    ]
    return location


@fault("IRC-TBL-DROP-011", by=partial(followed, op.update_table))
def commits_bring_tables_back(handlers: Handlers, arguments: Arguments, reply: Reply) -> None:
    namespace, name = arguments["namespace"], arguments["table"]
    if not exists(handlers, {"namespace": namespace.split(SEPARATOR), "name": name}):
        handlers[op.register_table](
            namespace=namespace,
            body={"name": name, "metadata-location": reply.document["metadata-location"]},
        )


@fault("IRC-TBL-CREATE-030", by=partial(promised, op.rename_table, act=_into_its_place))
def renames_replace_new_tables(handlers: Handlers, arguments: Arguments) -> None:
    source, destination = (arguments["body"][side] for side in ("source", "destination"))
    if not exists(handlers, source) or exists(handlers, destination):
        handlers[op.rename_table](**arguments)  # says what is wrong
