"""Listings that lose items, repeat them, or never end."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer, refused
from lakepact.reference_server.faults import Fault, Install, all_of, around, on_answer, on_call, on_reply
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

LISTS = ("listShares", "listSchemas", "listTables", "listAllTables")


def paged(change: Callable[..., Any]) -> Install:
    """Page in another way: `change(page, items, start, size)`, given the way that is right."""
    return around("rules", "page", lambda page: lambda items, start, size: change(page, items, start, size))


def _one_too_many(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size + 1)
    return found, following


def _first_page_alone(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, None if start == 0 and size == 2 else following


def _last_page_lost(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, None if following is not None and following + size >= len(items) else following


def _overlapping(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return ([items[start - 1], *found[: size - 1]] if start and size > 1 else found), following


def _skips_when_sizes_change(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    """Count pages rather than items."""
    number = start // 1000
    found, following = page(items, number * size, size)
    return found, (number + 1) * 1000 if following is not None else None


def _full_pages_go_on(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, start + size if following is None and size and len(found) == size else following


def _sizes_overflow(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    """Count to the end of a page in 32 bits."""
    return ([], None) if start + size >= 2**31 else page(items, start, size)


def _one_size_never_ends(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    """Go on for ever, with nothing, behind a page that holds all there is."""
    found, following = page(items, start, size)
    return found, start + size if size == len(items) > 1 else following


def _never_ends(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, max(len(items), start + 1) if following is None else following


def _nothing_means_everything(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    return page(items, start, size or len(items))


def _nothing_skips_one(page: Callable[..., Any], items: Sequence[Any], start: int, size: int) -> Any:
    found, following = page(items, start, size)
    return found, start + 1 if size == 0 and following is not None else following


def _bad_sizes_are_taken(spellings: tuple[bytes, ...]) -> Install:
    """Answer sizes that are none with an empty page."""

    def change(reply: Reply, scope: Scope) -> Reply:
        wrong = reply.status == 400 and any(b"maxResults=" + s in scope["query_string"] for s in spellings)
        return json_answer({"items": []}) if wrong else reply

    return on_reply(LISTS, change)


def _null_items(document: dict[str, Any]) -> None:
    if not document.get("items"):
        document["items"] = None


def _nothing_is_missing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    if not reply.document.get("items") and arguments.get("max_results") is None:
        raise refused(404, "there is nothing")
    return reply


def _forged_starts_again(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 400 or arguments.get("page_token") is None:
            raise
        return handler(**{**arguments, "page_token": None})


def _forged_is_the_end(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 400 or arguments.get("page_token") is None:
            raise
        return json_answer({"items": []})


def _by_place(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Page by the places of items alone, whatever they are items of."""
    token, size = arguments.get("page_token"), arguments.get("max_results")
    place = re.fullmatch(r"place-(\d+)", token or "place-0")
    if place is None:
        raise refused(400, "that is no place")
    items = handler(**{**arguments, "max_results": None, "page_token": None}).document["items"]
    start = int(place[1])
    end = len(items) if size is None else start + size
    return json_answer({"items": items[start:end], **({"nextPageToken": f"place-{end}"} if end < len(items) else {})})


def _as_it_was_spelled(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Know a token only where the share is spelled as it was when the token was made."""
    spelled, token = arguments.get("share", ""), arguments.get("page_token")
    if token is not None:
        made_for, _, token = token.partition("~")
        if made_for != spelled.encode().hex():
            raise refused(400, "the page token is of another listing")
    reply = handler(**{**arguments, "page_token": token})
    document = reply.document
    if "nextPageToken" in document:
        document["nextPageToken"] = f"{spelled.encode().hex()}~{document['nextPageToken']}"
    return json_answer(document)


def _odd_token(document: dict[str, Any]) -> None:
    if document.get("nextPageToken"):
        document["nextPageToken"] += "+/="


def _undecoded(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Know a token only if nobody decodes it."""
    if str(arguments.get("page_token") or "").endswith("+/="):
        raise refused(400, "unknown page token")
    return handler(**arguments)


def _empty_token(document: dict[str, Any]) -> None:
    document.setdefault("nextPageToken", "")


def _over_several_lines(reply: Reply, _: Scope) -> Reply:
    return replace(reply, body=json.dumps(reply.document, indent=2).encode()) if reply.status == 200 else reply


FAULTS = (
    Fault("large-pages-overflow", "The second page is empty if very many items are asked for.", ("DS-PAG-07",), paged(_sizes_overflow)),
    Fault(
        "full-listings-never-end", "Behind a page with all items stand empty ones, for ever.", ("DS-PAG-09",), paged(_one_size_never_ends)
    ),
    Fault("pages-one-too-large", "Pages hold one item more than asked for.", ("DS-PAG-02",), paged(_one_too_many)),
    Fault("first-page-without-token", "The first page of two comes without a token.", ("DS-PAG-03",), paged(_first_page_alone)),
    Fault("last-page-lost", "The last page is never reached.", ("DS-PAG-03", "DS-PAG-14"), paged(_last_page_lost)),
    Fault("pages-overlap", "Each page begins with the last item of the one before.", ("DS-PAG-14",), paged(_overlapping)),
    Fault(
        "tokens-count-pages",
        "A token is the number of a page, whatever the size of those before it.",
        ("DS-PAG-14",),
        paged(_skips_when_sizes_change),
    ),
    Fault("chain-never-ends", "There is always a token for more.", ("DS-PAG-09",), paged(_never_ends)),
    Fault(
        "full-page-has-a-token",
        "A page that is full has a token for more, though nothing is left.",
        ("DS-PAG-09",),
        paged(_full_pages_go_on),
    ),
    Fault("negative-sizes-are-taken", "A negative size is answered with an empty page.", ("DS-PAG-05",), _bad_sizes_are_taken((b"-",))),
    Fault(
        "sizes-need-not-be-numbers",
        "A size that is no integer is answered with an empty page.",
        ("DS-PAG-07",),
        _bad_sizes_are_taken((b"abc", b"1.5")),
    ),
    Fault("no-results-are-all", "maxResults=0 is answered with everything.", ("DS-PAG-06",), paged(_nothing_means_everything)),
    Fault("no-results-skip-one", "The token that comes with maxResults=0 skips an item.", ("DS-PAG-06",), paged(_nothing_skips_one)),
    Fault("no-items-are-null", "A listing without items has null for them.", ("DS-PAG-11",), on_answer(LISTS, _null_items)),
    Fault("nothing-is-not-found", "A listing without items is a 404.", ("DS-PAG-11",), on_call(LISTS, _nothing_is_missing)),
    Fault(
        "forged-token-starts-again",
        "A token that was never issued starts the listing again.",
        ("DS-PAG-13",),
        on_call(LISTS, _forged_starts_again),
    ),
    Fault(
        "forged-token-is-the-end",
        "A token that was never issued leads to an empty page.",
        ("DS-PAG-13",),
        on_call(LISTS, _forged_is_the_end),
    ),
    Fault("tokens-are-places", "A token holds for the schemas of any share.", ("DS-PAG-13",), on_call("listSchemas", _by_place)),
    Fault(
        "tokens-have-the-case-of-names",
        "A token holds for one spelling of the share.",
        ("DS-PAG-15",),
        on_call(LISTS[1:], _as_it_was_spelled),
    ),
    Fault(
        "tokens-are-not-decoded",
        "Tokens that have to be percent-encoded are not known again.",
        ("DS-PAG-15",),
        all_of(on_answer(LISTS, _odd_token), on_call(LISTS, _undecoded)),
    ),
    Fault("empty-token-at-the-end", "The last page has an empty token instead of none.", ("DS-DF-07",), on_answer(LISTS, _empty_token)),
    Fault("listings-over-several-lines", "Listings are printed over several lines.", ("DS-DF-08",), on_reply(LISTS, _over_several_lines)),
)
