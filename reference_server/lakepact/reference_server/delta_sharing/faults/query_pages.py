"""Pages of files that lose some, repeat some, or answer another question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, around, on_call
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _boundary_twice(page: Callable[..., Any]) -> Callable[..., Any]:
    def again(places: Sequence[int], start: int, most: int | None) -> Any:
        found, following = page(places, start, most)
        return found, following - 1 if following is not None and len(found) > 1 else following

    return again


def _boundary_lost(page: Callable[..., Any]) -> Callable[..., Any]:
    def beyond(places: Sequence[int], start: int, most: int | None) -> Any:
        found, following = page(places, start, most)
        return found, following + 1 if following is not None and following + 1 < len(places) else following

    return beyond


def _loses_with_hints(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Leave out the first file of each page but the first, where there are hints."""
    body: Mapping[str, Any] = arguments.get("body") or {}
    if not ("pageToken" in body and body.get("predicateHints")):
        return handler(**arguments)
    reply = handler(**arguments).joined()
    lines = reply.body.splitlines(keepends=True)
    return replace(reply, body=b"".join([*lines[:2], *lines[3:]]))


def _head_once(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Leave out protocol and metadata on every page but the first."""
    reply = handler(**arguments).joined()
    later = (arguments.get("body") or {}).get("pageToken")
    return replace(reply, body=b"\n".join(reply.body.split(b"\n")[2:])) if later and reply.status == 200 else reply


def _unknown_token_is_none(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Give the first page for a token that is none of this table."""
    try:
        return handler(**arguments)
    except Problem:
        body: Mapping[str, Any] = arguments.get("body") or {}
        if "pageToken" not in body:
            raise
        return handler(**{**arguments, "body": {name: value for name, value in body.items() if name != "pageToken"}})


def _second_page_is_the_last(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Say of no page but the first that another one follows."""
    reply = handler(**arguments).joined()
    if not arguments.get("page_token"):
        return reply
    kept = [line for line in reply.body.splitlines(keepends=True) if b'"endStreamAction"' not in line]
    return replace(reply, body=b"".join(kept))


FAULTS = (
    Fault(
        "pages-of-files-overlap",
        "A page of files begins with the last one of the page before.",
        ("DS-QRY-09",),
        around("rules", "page-of-files", _boundary_twice),
    ),
    Fault(
        "pages-of-files-lose-one",
        "Between two pages of files one is lost.",
        ("DS-QRY-09",),
        around("rules", "page-of-files", _boundary_lost),
    ),
    Fault("later-pages-have-no-head", "Only the first page has protocol and metaData.", ("DS-QRY-09",), on_call("queryTable", _head_once)),
    Fault(
        "later-pages-lose-what-hints-leave",
        "With hints, the first file of each later page is lost.",
        ("DS-HNT-03",),
        on_call("queryTable", _loses_with_hints),
    ),
    Fault(
        "second-page-of-changes-is-the-last",
        "Changes end with the second page, however many there are.",
        ("DS-CDF-10",),
        on_call("queryTableChanges", _second_page_is_the_last),
    ),
    Fault(
        "any-page-token-will-do",
        "A token of another table leads to the first page.",
        ("DS-EST-02",),
        on_call("queryTable", _unknown_token_is_none),
    ),
)
