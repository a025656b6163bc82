"""Changes that end where they are when their caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lakepact.conformance.checks.iceberg_rest.commits.disconnects import UNWRITABLE
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call, on_wire
from lakepact.reference_server.http.endpoint import refusal
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.http.wire import Wire

WHILE = 0.1  #: seconds between the two halves of a change


@dataclass(frozen=True, slots=True)
class _Half(Reply):
    """A reply to what is half done."""

    rest: Callable[[], Reply] = lambda: NO_CONTENT


def in_halves(
    operation: OperationId, begin: Callable[[Handler, Arguments], Callable[[], Reply] | None]
) -> Install:
    """Apply one half of a change at once and the other a while later, if the client waits for the
    answer.

    Args:
        operation: its id.
        begin: does the first half by the original handler and returns the second; `None` leaves
            everything to the handler.
    """

    def install(service: Service) -> None:
        handler = service.handlers[operation]

        def do(**arguments: object) -> Reply:
            rest = begin(handler, arguments)
            return handler(**arguments) if rest is None else _Half(200, rest=rest)

        async def answer(wire: Wire, reply: Reply) -> None:
            if isinstance(reply, _Half):
                try:
                    async with asyncio.timeout(WHILE):
                        await wire.left()
                        return
                except TimeoutError:
                    try:
                        reply = reply.rest()
                    except Problem as problem:
                        reply = refusal(problem, service)
            await wire.answer(reply)

        service.handlers[operation] = do
        on_wire(operation, answer)(service)

    return install


@fault("IRC-COM-022", by=partial(in_halves, op.update_table))
def commits_end_when_callers_leave(
    handler: Handler, arguments: Arguments
) -> Callable[[], Reply] | None:
    body = arguments["body"]
    first, *rest = body["updates"] or [None]
    if not rest:
        return None
    handler(**{**arguments, "body": {**body, "updates": [first]}})
    return lambda: handler(**{**arguments, "body": {**body, "requirements": [], "updates": rest}})


@fault("IRC-TXN-015", by=partial(in_halves, op.commit_transaction))
def transactions_end_when_callers_leave(
    handler: Handler, arguments: Arguments
) -> Callable[[], Reply] | None:
    first, *rest = arguments["body"]["table-changes"] or [None]
    if not rest:
        return None
    handler(body={"table-changes": [first]})
    return lambda: handler(body={"table-changes": rest})


@fault("IRC-TXN-015", by=partial(on_call, op.commit_transaction))
def transactions_stop_at_unwritable_tables(handler: Handler, arguments: Arguments) -> Reply:
    changes = arguments["body"]["table-changes"]
    unwritable = [
        any(update.get("location") == UNWRITABLE for update in change["updates"])
        for change in changes
    ]
    if not any(unwritable):
        return handler(**arguments)
    if before := changes[: unwritable.index(True)]:
        handler(**{**arguments, "body": {"table-changes": before}})
    raise Problem(500, "RuntimeIOException", "no storage has this location")


@fault("IRC-TBL-CREATE-031")
def names_stay_taken_when_creators_leave() -> Install:
    taken: set[tuple[str, str]] = set()

    def begin(handler: Handler, arguments: Arguments) -> Callable[[], Reply] | None:
        name = (arguments["namespace"], arguments["body"]["name"])
        if name in taken:
            raise Problem(409, "AlreadyExistsException", "the table is being created")
        if arguments["body"].get("stage-create"):
            return None
        taken.add(name)

        def create() -> Reply:
            taken.discard(name)
            return handler(**arguments)

        return create

    return in_halves(op.create_table, begin)
