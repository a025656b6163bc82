"""Pages of files that lose some, repeat some, or answer another question."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, anew, around, on_call
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

SHORTEST_TOKEN = 40  #: letters of what this server may have made


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


def _known_by_its_version(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take a token of another table for one of this, where this has been changed as often."""
    try:
        return handler(**arguments)
    except Problem:
        body: Mapping[str, Any] = arguments.get("body") or {}
        if len(body.get("pageToken") or "") < SHORTEST_TOKEN:
            raise
        reply = handler(**{**arguments, "body": {name: value for name, value in body.items() if name != "pageToken"}})
        if dict(reply.headers)[b"delta-table-version"] == b"0":
            raise
        return reply


def _second_page_is_the_last(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Say of no page but the first that another one follows."""
    reply = handler(**arguments).joined()
    if not arguments.get("page_token"):
        return reply
    kept = [line for line in reply.body.splitlines(keepends=True) if b'"endStreamAction"' not in line]
    return replace(reply, body=b"".join(kept))


class _OfNow:
    """Later pages are cut from the files that a table has when they are asked for."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}  #: token → how many files stand on the pages before

    def __call__(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        body: dict[str, Any] = arguments.get("body") or {}
        before = self._before.get(body.get("pageToken", ""))
        if before is None:
            return self._noted(handler(**arguments))
        now = handler(**arguments | {"body": {n: v for n, v in body.items() if n not in {"pageToken", "maxFiles"}}}).joined()
        lines = now.body.splitlines(keepends=True)
        size = body.get("maxFiles") or len(lines)
        following = before + size
        page = lines[:2] + lines[2:][before:following]
        if following < len(lines) - 2:
            token = f"{body['pageToken']}+"
            self._before[token] = following
            page.append(json.dumps({"endStreamAction": {"nextPageToken": token}}).encode() + b"\n")
        return replace(now, body=b"".join(page))

    def _noted(self, reply: Reply) -> Reply:
        if not reply.has_body or reply.status != 200:
            return reply
        reply = reply.joined()
        lines = [json.loads(line) for line in reply.body.splitlines()]
        token = lines[-1].get("endStreamAction", {}).get("nextPageToken")
        if token:
            self._before[token] = sum("file" in line for line in lines)
        return reply


def _whole_versions(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Begin each page of changes with the first file of a version, whatever stood of that on the page before."""
    reply = handler(**arguments).joined()
    if not arguments.get("page_token"):
        return reply
    page = reply.body.splitlines(keepends=True)
    everything = handler(**arguments | {"page_token": None, "max_files": None}).joined().body.splitlines(keepends=True)
    first = _changed(page[2])
    again = [line for line in everything[2:] if _changed(line) is not None and _changed(line) == first]
    return replace(reply, body=b"".join([*page[:2], *again, *page[3:]]))


def _changed(line: bytes) -> int | None:
    """The version of the changed file that a line is about."""
    document: dict[str, Any] = json.loads(line)
    wrapped: dict[str, Any] = next(iter(document.values()))
    return None if "metaData" in document or "endStreamAction" in document else wrapped["version"]


def _metadata_once(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Leave later metadata out of every page but the first."""
    reply = handler(**arguments).joined()
    lines = reply.body.splitlines(keepends=True)
    kept = [line for line in lines[2:] if not line.startswith(b'{"metaData"')]
    return replace(reply, body=b"".join([*lines[:2], *kept])) if arguments.get("page_token") else reply


def _first_change_lost(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Leave out the first file that changed of each page but the first."""
    reply = handler(**arguments).joined()
    lines = reply.body.splitlines(keepends=True)
    if "pageToken" not in (arguments.get("body") or {}) or not lines[2:] or b'"file"' in lines[2][:10]:
        return reply
    return replace(reply, body=b"".join([*lines[:2], *lines[3:]]))


def _with_later_pages_of_now(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Say of every page but the first that it is of the current version."""
    reply = handler(**arguments)
    if "pageToken" not in (arguments.get("body") or {}):
        return reply
    now = dict(handler(**arguments | {"body": {}}).headers)[b"delta-table-version"]
    return replace(reply, headers=tuple((name, now if name == b"delta-table-version" else value) for name, value in reply.headers))


def _later_pages_in_parquet_format(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Forget between two pages what the client understands, where the table does not need it."""
    try:
        later = "pageToken" in (arguments.get("body") or {})
        return handler(**arguments | {"delta_sharing_capabilities": None}) if later else handler(**arguments)
    except Problem:
        return handler(**arguments)


FAULTS = (
    Fault(
        "later-pages-name-the-current-version",
        "The header of each page but the first names the current version.",
        ("DS-QRY-08",),
        on_call("queryTable", _with_later_pages_of_now),
    ),
    Fault(
        "later-pages-are-in-parquet-format",
        "Each page but the first is in parquet format.",
        ("DS-CAP-04",),
        on_call("queryTable", _later_pages_in_parquet_format),
    ),
    Fault(
        "later-pages-are-of-now",
        "Later pages of a query have the files of the current version.",
        ("DS-QRY-09",),
        anew(lambda: on_call("queryTable", _OfNow())),
    ),
    Fault(
        "pages-of-changes-begin-with-a-version",
        "A page of changes that begins within a version begins with the first file of that version.",
        ("DS-CDF-10",),
        on_call("queryTableChanges", _whole_versions),
    ),
    Fault(
        "later-pages-lack-later-metadata",
        "Later metadata stands on the first page of changes alone.",
        ("DS-CDF-07",),
        on_call("queryTableChanges", _metadata_once),
    ),
    Fault(
        "pages-of-what-changed-lose-one",
        "A page of files that changed lacks the first one, unless it is the first page.",
        ("DS-TTV-07",),
        on_call("queryTable", _first_change_lost),
    ),
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
    Fault(
        "page-tokens-are-of-a-version",
        "A token of another table that has this version leads to a page.",
        ("DS-EST-02",),
        on_call("queryTable", _known_by_its_version),
    ),
)
