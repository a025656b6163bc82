"""The places of faults, compared with the places of the findings about them.

A fault that changes answers shows where it changes them: its filters and handlers are watched while
it is hunted. A row that ends with `@/metadata/refs`, or `fault(…, breaks_at="/metadata/refs")`,
declares the place instead. Positions in arrays are written as `*`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import orjson

from lakepact.conformance.evidence.differences import pointer
from lakepact.conformance.evidence.outcome import Verdict
from lakepact.conformance.report.grouping.cases import place_in
from lakepact.generated.contract import OperationId
from lakepact.reference_server.faults import Fault
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Filter, Handler, Scope, Service

#: Members that name, or count, items of another member: a wrong item shows at both.
FAMILIES = {
    "current-schema-id": "schemas",
    "last-column-id": "schemas",
    "default-spec-id": "partition-specs",
    "last-partition-id": "partition-specs",
    "default-sort-order-id": "sort-orders",
    "last-sequence-number": "snapshots",
    "next-row-id": "snapshots",
    "current-snapshot-id": "refs",
    "snapshot-log": "refs",
    "current-version-id": "versions",
    "version-log": "versions",
}
POSITION = re.compile(r"/\d+(?=/|$)")


def watched(fault: Fault, places: set[str]) -> Fault:
    """Return a fault that adds the places of answers which it changes to `places`; a declared place
    is the only one.
    """
    if fault.breaks_at:
        places.add(fault.breaks_at)
        return fault

    def install(service: Service) -> None:
        before = {name: len(filters) for name, filters in service.filters.items()}
        right = Right()
        service.handlers.update(
            {
                operation: right.keeping(operation, handler)
                for operation, handler in service.handlers.items()
            }
        )
        kept = dict(service.handlers)
        fault.install(service)
        for operation, handler in service.handlers.items():
            if handler is not kept.get(operation):
                service.handlers[operation] = right.compared(operation, handler, places)
        for name, filters in service.filters.items():
            own = before.get(name, 0)
            filters[own:] = [_watching(change, places) for change in filters[own:]]

    return replace(fault, install=install)


class Right(threading.local):
    """The last right answer of each operation in a thread, and what a fault made of it."""

    def __init__(self) -> None:
        self.replies: dict[OperationId, Reply] = {}

    def keeping(self, operation: OperationId, handler: Handler) -> Handler:
        """Return a handler that keeps its answers."""

        def keeps(**arguments: Any) -> Reply:
            reply = self.replies[operation] = handler(**arguments).as_whole()
            return reply

        return keeps

    def compared(self, operation: OperationId, handler: Handler, places: set[str]) -> Handler:
        """Return a handler that adds the places where its answers differ from those that it was
        made of to `places`.
        """

        def compares(**arguments: Any) -> Reply:
            self.replies.pop(operation, None)
            reply = handler(**arguments).as_whole()
            if operation in self.replies:
                _compare(self.replies[operation], reply, places)
            return reply

        return compares


def _watching(change: Filter, places: set[str]) -> Filter:
    def watching(reply: Reply, scope: Scope) -> Reply:
        given = reply.as_whole()
        changed = change(given, scope).as_whole()
        _compare(given, changed, places)
        return changed

    return watching


def _compare(one: Reply, other: Reply, places: set[str]) -> None:
    if one.status == other.status:  # another status is no place
        places.update(_differing(_content(one), _content(other)))


def _content(reply: Reply) -> dict[str, Any]:
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in reply.headers}
    try:
        body: Any = orjson.loads(reply.body)
    except orjson.JSONDecodeError:
        try:
            body = [orjson.loads(line) for line in reply.body.split(b"\n") if line]
        except orjson.JSONDecodeError:
            body = None
    return {"headers": {**headers, "content-type": reply.media_type.decode()}, "body": body}


def _differing(one: Any, other: Any, at: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Yield the places where two values differ, as they are written in findings."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            if one.get(name, _differing) != other.get(name, _differing):
                yield from _differing(one.get(name), other.get(name), (*at, name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for position, (here, there) in enumerate(zip(one, other, strict=True)):
            if here != there:
                yield from _differing(here, there, (*at, position))
    else:
        yield general(pointer(*at).removeprefix("/body"))


def general(place: str) -> str:
    """Return a JSON pointer with positions in arrays written as `*`, and the header for the media
    type.
    """
    return "/headers/content-type" if place == "/media-type" else POSITION.sub("/*", place)


def is_place(at: str) -> bool:
    """Return whether a difference is at a place of an answer; columns of rows that were read from
    files have none.
    """
    return at != "" and not at.startswith("/rows/")


def misplaced(verdicts: Iterable[Verdict], places: set[str]) -> tuple[bool, list[str]]:
    """Return whether a finding has a place to compare, and the findings without one where the fault
    shows.

    Args:
        verdicts: the failing verdicts about requirements that the fault breaks.
        places: the places where it shows.
    """
    found = {
        v.requirement: {
            general(f.difference.at)
            for f in v.failures
            if f.difference and is_place(f.difference.at)
        }
        for v in verdicts
    }
    compared = {requirement: at for requirement, at in found.items() if at and places}
    wrong = {
        r: at
        for r, at in compared.items()
        if not any(_meet(one, other) for one in at for other in places)
    }
    return bool(compared), [
        f"{r}: found at {', '.join(sorted(at))}, the fault shows at {_some(places)}"
        for r, at in wrong.items()
    ]


def _meet(one: str, other: str) -> bool:
    """Return whether one place is the other, holds it, or names its items, as
    `/metadata/version-log` those of `/metadata/versions`.
    """
    shorter, longer = sorted((f"{one}/", f"{other}/"), key=len)
    names_items = _items(one) == _items(other) in FAMILIES.values()
    return longer.startswith(shorter) or names_items


def _items(place: str) -> str:
    """Return the outermost member of a place, or the member whose items it names."""
    outermost = next(iter(place_in(place)), "")
    return FAMILIES.get(outermost, outermost)


def _some(places: set[str]) -> str:
    shown = sorted(places)[:3]
    return ", ".join(shown) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
