"""Tables that are dropped, renamed and registered by other operations than were asked for, or too
late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import orjson

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, on_wire
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, identifier_key
from lakepact.reference_server.iceberg_rest.wiring import CatalogService
from lakepact.reference_server.storage.store import Record

Handlers = Mapping[OperationId, Handler]

WHILE = 0.1  #: seconds between looking and doing, where others get in between

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
}


def for_operation(operation: OperationId, act: Callable[[Handlers, Arguments], Reply]) -> Install:
    """Answer an operation by `act(handlers, arguments)`, which may call every operation as it is
    without this.
    """

    def install(service: Service) -> None:
        right = dict(service.handlers)
        service.handlers[operation] = lambda **arguments: act(right, arguments)

    return install


def store_of(service: Service) -> Any:
    """Return the store of the only catalog of a service."""
    return cast("CatalogService", service).catalogs[0].store


def carried_over(operation: OperationId, edit: Callable[[Document], Document]) -> Install:
    """A renamed table has the metadata `edit(metadata)`, under the old metadata location."""

    def install(service: Service) -> None:
        store, rename = store_of(service), service.handlers[operation]

        def moved(*, body: Document, **arguments: Any) -> Reply:
            reply = rename(body=body, **arguments)
            key = identifier_key(body["destination"]["namespace"], body["destination"]["name"])
            with store.begin() as transaction:
                record = transaction.get(key)
                document = {**record.document, "metadata": edit(record.document["metadata"])}
                transaction.put(
                    key, Record(record.kind, document, orjson.dumps(document), record.tag)
                )
            return reply

        service.handlers[operation] = moved

    return install


def at(identifier: Document) -> Arguments:
    """The arguments that address the table of an identifier."""
    return {"namespace": SEPARATOR.join(identifier["namespace"]), "table": identifier["name"]}


def exists(handlers: Handlers, identifier: Document) -> bool:
    """Whether there is a table."""
    try:
        handlers[op.table_exists](**at(identifier))
    except Problem:
        return False
    return True


def create(handlers: Handlers, *, namespace: str, name: str) -> Reply:
    """Make a table of one column."""
    return handlers[op.create_table](namespace=namespace, body={"name": name, "schema": SCHEMA})


def metadata_path(handlers: Handlers, *, namespace: str, table: str) -> Path:
    """Return the path of a table's metadata file."""
    location: str = handlers[op.load_table](namespace=namespace, table=table).document[
        "metadata-location"
    ]
    return Path(location.removeprefix("file://"))


@dataclass(frozen=True, slots=True)
class _Promise(Reply):
    """A reply to something that is not done yet."""

    act: Callable[[], object] = object


def promised(
    operation: OperationId,
    look: Callable[[Handlers, Arguments], object],
    *,
    act: Callable[[Handlers, Arguments, Any], object] | None = None,
    too_late: Reply | None = None,
) -> Install:
    """Look whether an operation can be done, and do it a while later, when others may have looked
    as well.

    Args:
        operation: its id; it returns 204.
        look: raises Problem where it cannot.
        act: does it, by what was seen then; without it, it is done as always.
        too_late: the answer to those who find that it has become impossible; None for the one that
            was promised.
    """

    def promise(handlers: Handlers, arguments: Arguments) -> Reply:
        seen = look(handlers, arguments)
        late = (
            partial(act, handlers, arguments, seen)
            if act
            else partial(handlers[operation], **arguments)
        )
        return _Promise(NO_CONTENT.status, act=late)

    return _later(operation, promise, too_late=too_late)


def followed(
    operation: OperationId, act: Callable[[Handlers, Arguments, Reply], object]
) -> Install:
    """Do an operation, and something more a while later, before it is answered."""

    def do(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[operation](**arguments)
        return _Promise(
            reply.status, reply.body, reply.headers, act=partial(act, handlers, arguments, reply)
        )

    return _later(operation, do)


def _later(
    operation: OperationId,
    begin: Callable[[Handlers, Arguments], Reply],
    *,
    too_late: Reply | None = None,
) -> Install:
    """Answer what `begin` promises once it is done, a while later."""

    async def answer(wire: Wire, reply: Reply) -> None:
        if isinstance(reply, _Promise):
            await asyncio.sleep(WHILE)
            try:
                reply.act()
            except Problem:
                await wire.answer(too_late or reply)
                return
        await wire.answer(reply)

    return all_of(for_operation(operation, begin), on_wire(operation, answer))
