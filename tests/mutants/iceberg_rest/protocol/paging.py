"""Listings that lose items, repeat them, or never end."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_answer,
    on_call,
    on_reply,
    replace_rule,
)
from lakepact.reference_server.http.paging import BadToken, name_in_token, page
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR

LISTS = (op.list_namespaces, op.list_tables)


def replace_page(change: Callable[..., Any]) -> Install:
    """Page in another way: `change(records, listing, after, size)`."""
    return replace_rule(
        "page", lambda records, listing, *, after, size: change(records, listing, after, size)
    )


def _hundred(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return (items, token) if size or len(items) <= 100 else (items[:100], None)


def _hundred_of(pattern: str) -> Install:
    """End those listings after a hundred items whose names match a pattern, unless a size was asked
    for.
    """
    wanted = re.compile(pattern)

    def change(records: Any, listing: str, after: str | None, size: int | None) -> Any:
        return (_hundred if wanted.fullmatch(listing) else _whole)(records, listing, after, size)

    return replace_page(change)


def _whole(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    return page(records, listing, after=after, size=size)


def _odd_token(document: dict[str, Any]) -> None:
    if document.get("next-page-token"):
        document["next-page-token"] += "+/="


def _token_as_it_was_not_sent(handler: Handler, arguments: Arguments) -> Reply:
    """A token that needed percent-encoding returns 400."""
    if str(arguments.get("page_token", "")).endswith("+/="):
        raise Problem(400, "BadRequestException", "unknown page token")
    return handler(**arguments)


@fault("IRC-PAG-018", by=replace_page)
def page_size_alone_truncates(
    records: Any, listing: str, after: str | None, size: int | None
) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return items, None if after is None and size else token


@fault("IRC-PAG-004", by=replace_page)
def first_page_without_token(
    records: Any, listing: str, after: str | None, size: int | None
) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return items, None if after == "" and size == 2 else token


@fault("IRC-PAG-004", by=replace_page)
def pages_end_at_odd_names(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return items, token if items and items[-1][0].isascii() else None


@fault("IRC-PAG-004", by=replace_page)
def last_page_lost(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    rest = page(records, listing, after=token, size=size)[1] if token else "more"
    return items, token if rest else None


@fault("IRC-PAG-011", "IRC-PAG-008", by=replace_page)
def pages_overlap(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    if after:
        before = [record for record in records(None) if record[0] < items[0][0]] if items else []
        items = [*before[-1:], *items]
    return items, token


@fault("IRC-PAG-012", "IRC-PAG-005", by=replace_page)
def chain_never_ends(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    if after is not None and token is None:
        token = page(records, listing, after="", size=1)[1]
    return items, token


@fault("IRC-PAG-003", by=partial(on_answer, LISTS))
def empty_token_at_the_end(document: dict[str, Any]) -> None:
    if document.get("next-page-token") is None:
        document["next-page-token"] = ""


@fault("IRC-PAG-003", by=partial(on_answer, LISTS))
def tokens_are_numbers(document: dict[str, Any]) -> None:
    if document.get("next-page-token") is not None:
        document["next-page-token"] = 2


@fault("IRC-PAG-024", by=partial(on_answer, LISTS))
def listings_repeat_items(document: dict[str, Any]) -> None:
    items = document.get("namespaces") or document.get("identifiers") or []
    items += items[:1]


@fault("IRC-PAG-014", by=replace_page)
def garbage_token_starts_again(
    records: Any, listing: str, after: str | None, size: int | None
) -> Any:
    try:
        return page(records, listing, after=after, size=size)
    except BadToken:
        return page(records, listing, after="", size=size)


@fault("IRC-PAG-017", by=replace_page)
def pages_by_offset(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    if after is None and size is None:
        return list(records(None)), None
    start = int(after or 0)
    every = list(records(None))
    end = start + (size or 100)
    return every[start:end], str(end) if end < len(every) else None


@fault("IRC-PAG-017", by=replace_page)
def pages_behind_a_dropped_item_are_empty(
    records: Any, listing: str, after: str | None, size: int | None
) -> Any:
    behind = name_in_token(listing, after) if after else None
    if behind is not None and behind not in [name for name, _ in records(None)]:
        return [], None
    return page(records, listing, after=after, size=size)


@fault("IRC-PAG-019", by=replace_page)
def first_page_is_all_without_a_size(
    records: Any, listing: str, after: str | None, size: int | None
) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return (items[:2], None) if after == "" and size is None else (items, token)


@fault("IRC-PAG-010", by=partial(on_reply, LISTS))
def bad_page_sizes_are_empty_pages(reply: Reply, scope: Scope) -> Reply:
    bad = reply.status == 400 and b"pageSize" in scope["query_string"]
    return (
        json_reply({"namespaces": [], "identifiers": [], "next-page-token": None}) if bad else reply
    )


@fault("IRC-PAG-015")
def tokens_work_once() -> Install:
    used: set[str] = set()

    def change(records: Any, listing: str, after: str | None, size: int | None) -> Any:
        items, token = page(records, listing, after=after, size=size)
        if after in used:
            return [], token
        used.add(after or "")
        used.discard("")
        return items, token

    return replace_page(change)


@fault("IRC-PAG-016")
def tokens_of_others_work() -> Install:
    listings: dict[str, Any] = {}

    def change(records: Any, listing: str, after: str | None, size: int | None) -> Any:
        listings[listing] = records
        if after:
            for other, theirs in listings.items():
                try:
                    name_in_token(other, after)
                except BadToken:
                    continue
                return page(theirs, other, after=after, size=size)
        return page(records, listing, after=after, size=size)

    return replace_page(change)


@fault("IRC-PAG-022", by=partial(on_call, op.list_namespaces))
def token_forgets_the_parent(handler: Handler, arguments: Arguments) -> Reply:
    if "page_token" in arguments:
        arguments.pop("parent", None)
    return handler(**arguments)


@fault("IRC-PAG-023", by=partial(on_call, LISTS))
def missing_namespace_has_empty_pages(handler: Handler, arguments: Arguments) -> Reply:
    if "page_token" in arguments:
        try:
            return handler(**arguments)
        except Problem:
            return json_reply({"namespaces": [], "identifiers": [], "next-page-token": None})
    return handler(**arguments)


@fault("IRC-PAG-021", "IRC-PAG-020", by=replace_page)
def multiples_lose_the_last_item(
    records: Any, listing: str, after: str | None, size: int | None
) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return (items[:-1], token) if token is None and size and len(items) == size else (items, token)


FAULTS = {
    "empty-token-without-pages IRC-PAG-007": replace_page(
        lambda records, _listing, _after, _size: (list(records(None)), "")
    ),
    "pages-of-ten-unasked IRC-PAG-001": replace_page(
        lambda records, listing, after, size: page(
            records, listing, after=after or "", size=size or 10
        )
    ),
    "listings-end-at-a-hundred IRC-PAG-001": replace_page(_hundred),
    "tables-end-at-a-hundred IRC-PAG-001": _hundred_of("tables.*"),
    "views-end-at-a-hundred IRC-PAG-001": _hundred_of("views.*"),
    "top-level-ends-at-a-hundred IRC-PAG-001": _hundred_of(f"namespaces{SEPARATOR}"),
    "pages-one-too-large IRC-PAG-008 IRC-PAG-002": replace_page(
        lambda records, listing, after, size: page(
            records, listing, after=after, size=size + 1 if size else size
        )
    ),
    "tokens-are-not-decoded IRC-PAG-013": all_of(
        on_answer(LISTS, _odd_token), on_call(LISTS, _token_as_it_was_not_sent)
    ),
}
