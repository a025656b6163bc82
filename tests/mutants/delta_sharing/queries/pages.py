"""Pages of files that lose some, repeat some, or answer another question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import fault, on_call, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler

SHORTEST_TOKEN = 40  #: letters of what this server may have made


class _OfNow:
    """Later pages are cut from the files that a table has when they are asked for."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}  #: token → how many files stand on the pages before

    def __call__(self, handler: Handler, arguments: Arguments) -> Reply:
        body: dict[str, Any] = arguments.get("body") or {}
        before = self._before.get(body.get("pageToken", ""))
        if before is None:
            return self._noted(handler(**arguments))
        now = handler(
            **arguments
            | {"body": {n: v for n, v in body.items() if n not in {"pageToken", "maxFiles"}}}
        ).as_whole()
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
        reply = reply.as_whole()
        lines = [json.loads(line) for line in reply.body.splitlines()]
        token = lines[-1].get("endStreamAction", {}).get("nextPageToken")
        if token:
            self._before[token] = sum("file" in line for line in lines)
        return reply


def _changed(line: bytes) -> int | None:
    """The version of the changed file that a line is about."""
    document: dict[str, Any] = json.loads(line)
    wrapped: dict[str, Any] = next(iter(document.values()))
    return None if "metaData" in document or "endStreamAction" in document else wrapped["version"]


@fault("DS-QRY-08", by=partial(on_call, op.query_table))
def later_pages_name_the_current_version(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if "pageToken" not in (arguments.get("body") or {}):
        return reply
    now = dict(handler(**arguments | {"body": {}}).headers)[b"delta-table-version"]
    return replace(
        reply,
        headers=tuple(
            (name, now if name == b"delta-table-version" else value)
            for name, value in reply.headers
        ),
    )


@fault("DS-CAP-04", by=partial(on_call, op.query_table))
def later_pages_are_in_parquet_format(handler: Handler, arguments: Arguments) -> Reply:
    try:
        later = "pageToken" in (arguments.get("body") or {})
        return (
            handler(**arguments | {"delta_sharing_capabilities": None})
            if later
            else handler(**arguments)
        )
    except Problem:
        return handler(**arguments)


@fault("DS-CDF-10", by=partial(on_call, op.query_table_changes))
def pages_of_changes_begin_with_a_version(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments).as_whole()
    if not arguments.get("page_token"):
        return reply
    page = reply.body.splitlines(keepends=True)
    everything = (
        handler(**arguments | {"page_token": None, "max_files": None})
        .as_whole()
        .body.splitlines(keepends=True)
    )
    first = _changed(page[2])
    again = [
        line for line in everything[2:] if _changed(line) is not None and _changed(line) == first
    ]
    return replace(reply, body=b"".join([*page[:2], *again, *page[3:]]))


@fault("DS-CDF-07", by=partial(on_call, op.query_table_changes))
def later_pages_lack_later_metadata(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments).as_whole()
    lines = reply.body.splitlines(keepends=True)
    kept = [line for line in lines[2:] if not line.startswith(b'{"metaData"')]
    return (
        replace(reply, body=b"".join([*lines[:2], *kept])) if arguments.get("page_token") else reply
    )


@fault("DS-TTV-07", by=partial(on_call, op.query_table))
def pages_of_what_changed_lose_one(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments).as_whole()
    lines = reply.body.splitlines(keepends=True)
    if (
        "pageToken" not in (arguments.get("body") or {})
        or not lines[2:]
        or b'"file"' in lines[2][:10]
    ):
        return reply
    return replace(reply, body=b"".join([*lines[:2], *lines[3:]]))


@fault("DS-QRY-09", by=partial(wrap_rule, "page_of_files"))
def pages_of_files_overlap(page: Callable[..., Any]) -> Callable[..., Any]:
    def again(places: Sequence[int], start: int, most: int | None) -> Any:
        found, following = page(places, start, most)
        return found, following - 1 if following is not None and len(found) > 1 else following

    return again


@fault("DS-QRY-09", by=partial(wrap_rule, "page_of_files"))
def pages_of_files_lose_one(page: Callable[..., Any]) -> Callable[..., Any]:
    def beyond(places: Sequence[int], start: int, most: int | None) -> Any:
        found, following = page(places, start, most)
        return found, following + 1 if following is not None and following + 1 < len(
            places
        ) else following

    return beyond


@fault("DS-QRY-09", by=partial(on_call, op.query_table))
def later_pages_have_no_head(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments).as_whole()
    later = (arguments.get("body") or {}).get("pageToken")
    return (
        replace(reply, body=b"\n".join(reply.body.split(b"\n")[2:]))
        if later and reply.status == 200
        else reply
    )


@fault("DS-QRY-09", by=partial(on_call, op.query_table))
def later_pages_lose_deletion_vectors(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments).as_whole()
    if "pageToken" not in (arguments.get("body") or {}):
        return reply
    lines = [json.loads(line) for line in reply.body.splitlines()]
    for line in lines:
        action = line.get("file", {}).get("deltaSingleAction", {})
        action.get("add", {}).pop("deletionVector", None)
    return replace(reply, body="".join(f"{json.dumps(line)}\n" for line in lines).encode())


@fault("DS-HNT-03", by=partial(on_call, op.query_table))
def later_pages_lose_what_hints_leave(handler: Handler, arguments: Arguments) -> Reply:
    body: Mapping[str, Any] = arguments.get("body") or {}
    if not ("pageToken" in body and body.get("predicateHints")):
        return handler(**arguments)
    reply = handler(**arguments).as_whole()
    lines = reply.body.splitlines(keepends=True)
    return replace(reply, body=b"".join([*lines[:2], *lines[3:]]))


@fault("DS-CDF-10", by=partial(on_call, op.query_table_changes))
def second_page_of_changes_is_the_last(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments).as_whole()
    if not arguments.get("page_token"):
        return reply
    kept = [
        line for line in reply.body.splitlines(keepends=True) if b'"endStreamAction"' not in line
    ]
    return replace(reply, body=b"".join(kept))


@fault("DS-EST-02", by=partial(on_call, op.query_table))
def any_page_token_will_do(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem:
        body: Mapping[str, Any] = arguments.get("body") or {}
        if "pageToken" not in body:
            raise
        return handler(
            **{
                **arguments,
                "body": {name: value for name, value in body.items() if name != "pageToken"},
            }
        )


@fault("DS-EST-02", by=partial(on_call, op.query_table))
def page_tokens_are_of_a_version(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem:
        body: Mapping[str, Any] = arguments.get("body") or {}
        if len(body.get("pageToken") or "") < SHORTEST_TOKEN:
            raise
        reply = handler(
            **{
                **arguments,
                "body": {name: value for name, value in body.items() if name != "pageToken"},
            }
        )
        if dict(reply.headers)[b"delta-table-version"] == b"0":
            raise
        return reply


FAULTS = {
    "later-pages-are-of-now DS-QRY-09": on_call(op.query_table, _OfNow()),
}
