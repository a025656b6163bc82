"""Operations that meet at one table or one name, of which one undoes the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.tables import at, exists, followed, promised

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply


def _location(handlers: Handlers, arguments: Arguments) -> str:
    """Where the table is that is to be renamed, by now."""
    location: str = handlers["loadTable"](**at(arguments["body"]["source"])).document["metadata-location"]
    return location


def _can_be_done(handlers: Handlers, arguments: Arguments) -> None:
    """Look whether there is the table, and whether its new name is free."""
    source, destination = (arguments["body"][side] for side in ("source", "destination"))
    if not exists(handlers, source) or exists(handlers, destination):
        handlers["renameTable"](**arguments)  # says what is wrong


def _as_it_was(handlers: Handlers, arguments: Arguments, location: str) -> None:
    """Rename a table, and let it be what it was when it was read."""
    destination: Document = arguments["body"]["destination"]
    handlers["renameTable"](**arguments)
    handlers["dropTable"](**at(destination))
    body = {"name": destination["name"], "metadata-location": location}
    handlers["registerTable"](namespace=SEPARATOR.join(destination["namespace"]), body=body)


def _into_its_place(handlers: Handlers, arguments: Arguments, _: object) -> None:
    """Rename a table, in the place of any that has come there meanwhile."""
    destination: Document = arguments["body"]["destination"]
    if exists(handlers, destination):
        handlers["dropTable"](**at(destination))
    handlers["renameTable"](**arguments)


def _put_again(handlers: Handlers, arguments: Arguments, reply: Reply) -> None:
    """Put what was committed where it belongs, in case that it is not there."""
    namespace, name = arguments["namespace"], arguments["table"]
    if not exists(handlers, {"namespace": namespace.split(SEPARATOR), "name": name}):
        handlers["registerTable"](namespace=namespace, body={"name": name, "metadata-location": reply.document["metadata-location"]})


FAULTS = (
    Fault(
        "renames-move-what-they-read",
        "A rename loses what is committed to the table meanwhile.",
        ("IRC-TBL-REN-014",),
        promised("renameTable", _location, act=_as_it_was),
    ),
    Fault(
        "commits-bring-tables-back",
        "A table that is dropped while a commit is made comes back.",
        ("IRC-TBL-DROP-011",),
        followed("updateTable", _put_again),
    ),
    Fault(
        "renames-replace-new-tables",
        "A rename replaces a table that was created under its new name meanwhile.",
        ("IRC-TBL-CREATE-030",),
        promised("renameTable", _can_be_done, act=_into_its_place),
    ),
)
