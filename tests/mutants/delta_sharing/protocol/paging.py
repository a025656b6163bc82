"""Listings that lose items, repeat them, or never end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer, refusal
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_answer,
    on_call,
    on_reply,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope

LISTS = (op.list_shares, op.list_schemas, op.list_tables, op.list_all_tables)


def replace_page(change: Callable[..., Any]) -> Install:
    """Page in another way: `change(page, items, start, size)`, given the way that is right."""
    return wrap_rule(
        "page", lambda page: lambda items, start, size: change(page, items, start, size)
    )


def _bad_sizes_are_taken(spellings: tuple[bytes, ...]) -> Install:
    """Answer sizes that are none with an empty page."""

    def change(reply: Reply, scope: Scope) -> Reply:
        wrong = reply.status == 400 and any(
            b"maxResults=" + s in scope["query_string"] for s in spellings
        )
        return json_answer({"items": []}) if wrong else reply

    return on_reply(LISTS, change)


def _odd_token(document: dict[str, Any]) -> None:
    if document.get("nextPageToken"):
        document["nextPageToken"] += "+/="


def _undecoded(handler: Handler, arguments: Arguments) -> Reply:
    """A token that needed percent-encoding returns 400."""
    if str(arguments.get("page_token") or "").endswith("+/="):
        raise refusal(400, "unknown page token")
    return handler(**arguments)


@fault("DS-PAG-09", by=replace_page)
def full_listings_never_end(
    page: Callable[..., Any], items: Sequence[Any], start: int, size: int
) -> Any:
    found, following = page(items, start, size)
    return found, start + size if size == len(items) > 1 else following


@fault("DS-PAG-02", by=replace_page)
def pages_one_too_large(
    page: Callable[..., Any], items: Sequence[Any], start: int, size: int
) -> Any:
    found, following = page(items, start, size + 1)
    return found, following


@fault("DS-PAG-03", by=replace_page)
def first_page_without_token(
    page: Callable[..., Any], items: Sequence[Any], start: int, size: int
) -> Any:
    found, following = page(items, start, size)
    return found, None if start == 0 and size == 2 else following


@fault("DS-PAG-03", "DS-PAG-14", by=replace_page)
def last_page_lost(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, None if following is not None and following + size >= len(items) else following


@fault("DS-PAG-14", by=replace_page)
def pages_overlap(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return ([items[start - 1], *found[: size - 1]] if start and size > 1 else found), following


@fault("DS-PAG-14", by=replace_page)
def tokens_count_pages(
    page: Callable[..., Any], items: Sequence[Any], start: int, size: int
) -> Any:
    number = start // 1000
    found, following = page(items, number * size, size)
    return found, (number + 1) * 1000 if following is not None else None


@fault("DS-PAG-09", by=replace_page)
def chain_never_ends(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, max(len(items), start + 1) if following is None else following


@fault("DS-PAG-09", by=replace_page)
def full_page_has_a_token(
    page: Callable[..., Any], items: Sequence[Any], start: int, size: int
) -> Any:
    found, following = page(items, start, size)
    return found, start + size if following is None and size and len(found) == size else following


@fault("DS-PAG-06", by=replace_page)
def no_results_skip_one(
    page: Callable[..., Any], items: Sequence[Any], start: int, size: int
) -> Any:
    found, following = page(items, start, size)
    return found, start + 1 if size == 0 and following is not None else following


@fault("DS-PAG-11", by=partial(on_answer, LISTS))
def no_items_are_null(document: dict[str, Any]) -> None:
    if not document.get("items"):
        document["items"] = None


@fault("DS-PAG-11", by=partial(on_call, LISTS))
def nothing_is_not_found(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if not reply.document.get("items") and arguments.get("max_results") is None:
        raise refusal(404, "there is nothing")
    return reply


@fault("DS-PAG-13", by=partial(on_call, LISTS))
def forged_token_starts_again(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 400 or arguments.get("page_token") is None:
            raise
        return handler(**{**arguments, "page_token": None})


@fault("DS-PAG-13", by=partial(on_call, LISTS))
def forged_token_is_the_end(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 400 or arguments.get("page_token") is None:
            raise
        return json_answer({"items": []})


@fault("DS-PAG-13", by=partial(on_call, op.list_schemas))
def tokens_are_places(handler: Handler, arguments: Arguments) -> Reply:
    token, size = arguments.get("page_token"), arguments.get("max_results")
    place = re.fullmatch(r"place-(\d+)", token or "place-0")
    if place is None:
        raise refusal(400, "that is no place")
    items = handler(**{**arguments, "max_results": None, "page_token": None}).document["items"]
    start = int(place[1])
    end = len(items) if size is None else start + size
    return json_answer(
        {
            "items": items[start:end],
            **({"nextPageToken": f"place-{end}"} if end < len(items) else {}),
        }
    )


@fault("DS-PAG-15", by=partial(on_call, LISTS[1:]))
def tokens_have_the_case_of_names(handler: Handler, arguments: Arguments) -> Reply:
    spelled, token = arguments.get("share", ""), arguments.get("page_token")
    if token is not None:
        made_for, _, token = token.partition("~")
        if made_for != spelled.encode().hex():
            raise refusal(400, "the page token is of another listing")
    reply = handler(**{**arguments, "page_token": token})
    document = reply.document
    if "nextPageToken" in document:
        document["nextPageToken"] = f"{spelled.encode().hex()}~{document['nextPageToken']}"
    return json_answer(document)


@fault("DS-DF-07", by=partial(on_answer, LISTS))
def empty_token_at_the_end(document: dict[str, Any]) -> None:
    document.setdefault("nextPageToken", "")


FAULTS = {
    "large-pages-overflow DS-PAG-07": replace_page(
        lambda page, items, start, size: (
            ([], None) if start + size >= 2**31 else page(items, start, size)
        )
    ),
    "negative-sizes-are-taken DS-PAG-05": _bad_sizes_are_taken((b"-",)),
    "sizes-need-not-be-numbers DS-PAG-07": _bad_sizes_are_taken((b"abc", b"1.5")),
    "no-results-are-all DS-PAG-06": replace_page(
        lambda page, items, start, size: page(items, start, size or len(items))
    ),
    "tokens-are-not-decoded DS-PAG-15": all_of(
        on_answer(LISTS, _odd_token), on_call(LISTS, _undecoded)
    ),
    "listings-over-several-lines DS-DF-08": on_reply(
        LISTS,
        lambda reply, _: (
            replace(reply, body=json.dumps(reply.document, indent=2).encode())
            if reply.status == 200
            else reply
        ),
    ),
}
