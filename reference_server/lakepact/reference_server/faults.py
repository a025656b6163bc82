"""Misbehaviour on demand: every way in which the server can be made wrong has a name.

A fault of one contract stands in the tuple `FAULTS` of a module in `<contract>/faults/`; modules there are found by themselves. What
several of them are made from stands in a package there. A profile of a contract has that one's faults too: in its own package
`ALSO_BREAKS` says what they break of its own requirements, by name, and `NOT_INHERITED` which ones break nothing there, and why.

    from lakepact.reference_server.faults import Fault, accept, instead, on_answer, on_call, on_status

    FAULTS = (
        Fault(
            "config-without-defaults",
            "GET config leaves out `defaults`.",
            ("IRC-CFG-001",),
            on_answer("getConfig", without_defaults),
        ),
        Fault("drop-twice", "Dropping a table that is gone succeeds.", ("IRC-TBL-DROP-002",), on_status("dropTable", {404: 204})),
        Fault("any-uuid", "assert-table-uuid holds.", ("IRC-REQ-004",), instead("preconditions", "assert-table-uuid", accept)),
    )

where `without_defaults(document)` is `del document["defaults"]`. Ways to act, each returning what goes into
`Fault.install`; `operations` is an operation id, a tuple of ids, `EVERY`, `UNKNOWN_PATH` or `WRONG_METHOD`:

    instead(table, key, value)       another entry in a table: "handlers", "rules", or one of `Service.tables` ("updates", "preconditions")
    around(table, key, wrapper)      the same, given the entry that stood there: wrapper(original) -> replacement
    on_call(operations, around)      around(handler, arguments) -> Reply, in place of the handler
    on_request(operations, guard)    guard(scope) before anything else is looked at; raise Problem to refuse
    on_answer(operations, edit)      edit(document) changes the decoded body in place and returns None, or returns what is sent instead;
                                     of answers that succeed, or of those with `status=404`
    on_lines(operations, change)     change(lines) changes the list of decoded lines of answers that are sent in lines, in place, or
                                     returns the lines that are sent instead
    on_reply(operations, change)     change(reply, scope) -> Reply, bytes and headers of any answer, refusals too
    on_status(operations, {a: b})    answers of status a are sent with status b
    on_headers(operations, {n: v})   headers added to every answer; None removes the content type
    on_wire(operations, act)         async act(wire, reply): what goes over the connection, and when
    unchecked(*operations)           bodies are not held against their schema
    all_of(*installs)                several of them together
    anew(make)                       what `make()` makes, for each server by itself: for whatever counts or remembers something

Faults that fit any operation are the entries of `GENERIC`, switched on as `name@operation` (or for all operations as `name`).
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
import json
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.contract import Contract, version_module

from .problems import Problem
from .replies import NDJSON, Reply
from .service import EVERY, UNKNOWN_PATH, WRONG_METHOD, Filter, Guard, Handler, Scope, Sender, Service

if TYPE_CHECKING:
    from types import ModuleType

    from .wire import Wire

__all__ = [
    "EVERY",
    "GENERIC",
    "UNKNOWN_PATH",
    "WRONG_METHOD",
    "Fault",
    "Install",
    "Operations",
    "UnknownFault",
    "accept",
    "all_of",
    "anew",
    "around",
    "fault_named",
    "faults",
    "instead",
    "on_answer",
    "on_call",
    "on_headers",
    "on_lines",
    "on_reply",
    "on_request",
    "on_status",
    "on_wire",
    "unchecked",
]

Install = Callable[[Service], None]
Operations = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One named misbehaviour of the server, and the requirements that it breaks."""

    name: str
    says: str
    breaks: tuple[str, ...]
    install: Install


class UnknownFault(Exception):
    """No fault has this name; the message lists the nearest ones."""


def faults(contract: str, version: str | None = None) -> dict[str, Fault]:
    """The faults of one contract by name; of a version of it, those of what came with it too."""
    found = own_faults(contract, Contract(contract).versions[0])
    if version in {None, Contract(contract).versions[0]}:
        return found
    return {**found, **own_faults(contract, str(version))}


def own_faults(contract: str, version: str) -> dict[str, Fault]:
    """The faults of a version of a contract by name, without those of the version that it adds to.

    Those of a version beside the one that has models stand in a package of its name.
    """
    package = importlib.import_module(f"lakepact.reference_server.{contract}.faults")
    found: dict[str, Fault] = {}
    if version == Contract(contract).versions[0]:
        found = _inherited(contract, package)
    else:
        package = importlib.import_module(f"{package.__name__}.{version_module(version)}")
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            continue
        listed: tuple[Fault, ...] = importlib.import_module(f"{package.__name__}.{module.name}").FAULTS
        for fault in listed:
            if fault.name in found:
                message = f"two faults of {contract} are called {fault.name}"
                raise ValueError(message)
            found[fault.name] = fault
    return found


def _inherited(contract: str, package: ModuleType) -> dict[str, Fault]:
    """The faults that a profile has from the contract that it is one of: those that break what it demands."""
    profile = Contract(contract)
    if profile.profile_of is None:
        return {}
    without: Mapping[str, str] = getattr(package, "NOT_INHERITED", {})
    also: Mapping[str, tuple[str, ...]] = getattr(package, "ALSO_BREAKS", {})
    known = faults(profile.profile_of)
    idle = sorted({*without, *also} - set(known))
    if idle:
        message = f"{profile.profile_of} has no faults called {', '.join(idle)}, of which {contract} says something"
        raise ValueError(message)
    found: dict[str, Fault] = {}
    for name, fault in known.items():
        breaks = (*(r for r in fault.breaks if r in profile.requirements), *also.get(name, ()))
        if breaks and name not in without:
            found[name] = replace(fault, breaks=breaks)
    return found


def fault_named(spelled: str, *, contract: str, operations: Mapping[str, Any], version: str | None = None) -> Fault:
    """The fault that is spelled `name` or `name@operation`.

    Raises:
        UnknownFault: there is none, or the operation is not in the contract.
    """
    name, at, operation = spelled.partition("@")
    known = faults(contract, version)
    if name in known and not at:
        return known[name]
    if name not in GENERIC:
        near = difflib.get_close_matches(name, [*known, *GENERIC], n=5, cutoff=0.4)
        hint = f"near: {', '.join(near)}" if near else f"generic ones: {', '.join(GENERIC)}"
        raise UnknownFault(f"no fault is called {spelled!r}; {hint}")
    if at and operation not in operations:
        near = difflib.get_close_matches(operation, operations, n=5, cutoff=0.4)
        raise UnknownFault(f"{contract} has no operation {operation!r}{'; near: ' + ', '.join(near) if near else ''}")
    says, install = GENERIC[name]
    return Fault(spelled, f"{operation or 'Every operation'}: {says}", (), install(operation or EVERY))


def each(operations: Operations) -> tuple[str, ...]:
    """Operations as a tuple of ids."""
    return (operations,) if isinstance(operations, str) else operations


def accept(*_: object, **__: object) -> None:
    """Object to nothing, in the place of a rule or of another entry that refuses by raising."""


def all_of(*installs: Install) -> Install:
    """Several ways together."""

    def install(service: Service) -> None:
        for one in installs:
            one(service)

    return install


def anew(make: Callable[[], Install]) -> Install:
    """What `make` makes, made for each server by itself: what one remembers, another has never heard of."""

    def install(service: Service) -> None:
        make()(service)

    return install


def around(table: str, key: str, wrapper: Callable[[Any], Any]) -> Install:
    """Replace the entry `key` of a table of the service by `wrapper(entry)`."""

    def install(service: Service) -> None:
        entries = service.handlers if table == "handlers" else service.rules if table == "rules" else service.tables[table]
        if key not in entries:
            near = difflib.get_close_matches(key, entries, n=3, cutoff=0.0)
            raise UnknownFault(f"{table} has no entry {key!r}; near: {', '.join(near)}")
        entries[key] = wrapper(entries[key])

    return install


def instead(table: str, key: str, value: Any) -> Install:
    """Replace the entry `key` of a table of the service by `value`."""
    return around(table, key, lambda _: value)


def on_call(operations: Operations, act: Callable[[Handler, dict[str, Any]], Reply]) -> Install:
    """Answer calls of some operations by `act(handler, arguments)`."""

    def install(service: Service) -> None:
        for operation in each(operations):
            if operation != EVERY and operation not in service.handlers:
                raise UnknownFault(f"{operation} is not offered, so it cannot be answered wrongly")
            for id_ in service.handlers if operation == EVERY else (operation,):
                service.handlers[id_] = partial(_acted, act, service.handlers[id_])

    return install


def _acted(act: Callable[[Handler, dict[str, Any]], Reply], handler: Handler, **arguments: Any) -> Reply:
    return act(handler, arguments)


def on_request(operations: Operations, guard: Guard) -> Install:
    """Look at requests of some operations first."""

    def install(service: Service) -> None:
        for operation in each(operations):
            service.guards[operation].append(guard)

    return install


def on_reply(operations: Operations, change: Filter) -> Install:
    """Change replies of some operations, refusals too."""

    def install(service: Service) -> None:
        for operation in each(operations):
            service.filters[operation].append(change)

    return install


def on_answer(operations: Operations, edit: Callable[[Any], Any], *, status: int | None = None) -> Install:
    """Change the decoded body of answers with `status`, or of all that succeed.

    `edit` changes the document in place and returns None, or returns what is sent instead.
    """

    def change(reply: Reply, _: Scope) -> Reply:
        if not reply.body or (reply.status != status if status is not None else not 200 <= reply.status < 300):
            return reply
        document = reply.document
        edited = edit(document)
        return replace(reply, body=orjson.dumps(document if edited is None else edited))

    return on_reply(operations, change)


def on_lines(operations: Operations, change: Callable[[list[Any]], Any]) -> Install:
    """Change the decoded lines of answers that succeed and are sent in lines.

    `change` changes the list in place and returns None, or returns the lines that are sent instead.
    """

    def changed(reply: Reply, _: Scope) -> Reply:
        if reply.media_type != NDJSON or not reply.has_body or not 200 <= reply.status < 300:
            return reply
        lines = [orjson.loads(line) for line in reply.joined().body.split(b"\n") if line]
        edited = change(lines)
        written = [json.dumps(line, separators=(",", ":")) for line in (lines if edited is None else edited)]
        return replace(reply, chunks=None, body="".join(f"{line}\n" for line in written).encode())

    return on_reply(operations, changed)


def on_status(operations: Operations, become: Mapping[int, int]) -> Install:
    """Send answers of one status with another; a body goes with it unless the new status is 204."""

    def change(reply: Reply, _: Scope) -> Reply:
        status = become.get(reply.status, reply.status)
        return replace(reply, status=status) if status != 204 else replace(reply, status=204, body=b"", chunks=None)

    return on_reply(operations, change)


def on_headers(operations: Operations, headers: Mapping[str, str]) -> Install:
    """Add headers to answers; `content-type` replaces the one that the answer had."""

    def change(reply: Reply, _: Scope) -> Reply:
        media_type = headers.get("content-type", reply.media_type.decode()).encode()
        added = tuple((n.encode(), v.encode()) for n, v in headers.items() if n != "content-type")
        return replace(reply, media_type=media_type, headers=reply.headers + added)

    return on_reply(operations, change)


def on_wire(operations: Operations, act: Sender) -> Install:
    """Send replies of some operations by `act(wire, reply)`."""

    def install(service: Service) -> None:
        for operation in each(operations):
            service.senders[operation] = act

    return install


def unchecked(*operations: str) -> Install:
    """Do not hold the bodies of some operations against their schemas."""

    def install(service: Service) -> None:
        service.unchecked.update(service.handlers if EVERY in operations else operations)

    return install


async def _drop(wire: Wire, _: Reply) -> None:
    await wire.close()


async def _truncate(wire: Wire, reply: Reply) -> None:
    reply = reply.joined()
    await wire.start(reply)
    await wire.write(reply.body[: len(reply.body) // 2], more=True)
    await wire.close()


async def _dawdle(wire: Wire, reply: Reply) -> None:
    await asyncio.sleep(2)
    await wire.answer(reply)


async def _add_body(wire: Wire, reply: Reply) -> None:
    reply = reply.joined()
    body = reply.body or b'{"unexpected": "body"}'
    await wire.start(reply, length=len(body))
    await wire.write(b"" if wire.scope["method"] == "HEAD" else body)
    if wire.scope["method"] == "HEAD":
        wire.raw(body)


def _status(status: int) -> Callable[[Operations], Install]:
    def fail(_handler: Handler, _arguments: dict[str, Any]) -> Reply:
        raise Problem(status, "Fault", "asked for by a fault")

    return lambda operations: on_call(operations, fail)


def _body(body: bytes, media_type: bytes = b"application/json") -> Callable[[Operations], Install]:
    def change(reply: Reply, _: Scope) -> Reply:
        return replace(reply, body=body, chunks=None, media_type=media_type) if reply.has_body else reply

    return lambda operations: on_reply(operations, change)


def _wired(act: Callable[[Wire, Reply], Awaitable[None]]) -> Callable[[Operations], Install]:
    return lambda operations: on_wire(operations, act)


#: Faults that fit any operation: what they say, and how they are installed for it.
GENERIC: dict[str, tuple[str, Callable[[Operations], Install]]] = {
    "answers-500": ("every call is answered with status 500.", _status(500)),
    "answers-503": ("every call is answered with status 503.", _status(503)),
    "answers-404": ("every call is answered with status 404.", _status(404)),
    "answers-200": ("every refusal is sent with status 200.", lambda o: on_status(o, dict.fromkeys(range(400, 600), 200))),
    "answers-201": ("what should be 200 or 204 is 201.", lambda o: on_status(o, {200: 201, 204: 201})),
    "drops-connection": ("the connection is closed without an answer.", _wired(_drop)),
    "truncates-body": ("the connection is closed in the middle of the body.", _wired(_truncate)),
    "slow": ("every answer comes two seconds late.", _wired(_dawdle)),
    "not-json": ("bodies are a web page.", _body(b"<html><body>It works!</body></html>")),
    "empty-body": ("bodies are an empty object.", _body(b"{}")),
    "null-body": ("bodies are null.", _body(b"null")),
    "list-body": ("bodies are an empty list.", _body(b"[]")),
    "wrong-content-type": ("bodies are sent as text/html.", lambda o: on_headers(o, {"content-type": "text/html; charset=utf-8"})),
    "adds-body": ("answers that must not have a body (204, HEAD) have one.", _wired(_add_body)),
    "bare-errors": ("errors are sent without the envelope around them.", lambda o: on_reply(o, _unwrap)),
    "text-errors": ("errors are sent as plain text.", lambda o: on_reply(o, _plain)),
}


def _unwrap(reply: Reply, _: Scope) -> Reply:
    if reply.status < 400 or not reply.body:
        return reply
    document = reply.document
    return replace(reply, body=orjson.dumps(document.get("error", document)))


def _plain(reply: Reply, _: Scope) -> Reply:
    return replace(reply, body=b"something went wrong", media_type=b"text/plain") if reply.status >= 400 and reply.body else reply
