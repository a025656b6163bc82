"""Listings that lose items, repeat them, or never end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, all_of, instead, on_answer, on_call, on_reply
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR
from lakepact.reference_server.pages import BadToken, opened, page
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Scope

LISTS = ("listNamespaces", "listTables")


def paged(change: Callable[..., Any]) -> Install:
    """Page in another way: `change(records, listing, after, size)`."""
    return instead("rules", "page", lambda records, listing, *, after, size: change(records, listing, after, size))


def _default_size(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    return page(records, listing, after=after or "", size=size or 10)


def _hundred(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return (items, token) if size or len(items) <= 100 else (items[:100], None)


def _hundred_of(pattern: str) -> Install:
    """End those listings after a hundred items whose names match a pattern, unless a size was asked for."""
    wanted = re.compile(pattern)

    def change(records: Any, listing: str, after: str | None, size: int | None) -> Any:
        return (_hundred if wanted.fullmatch(listing) else _whole)(records, listing, after, size)

    return paged(change)


def _whole(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    return page(records, listing, after=after, size=size)


def _silent_cut(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return items, None if after is None and size else token


def _first_page_alone(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return items, None if after == "" and size == 2 else token


def _ends_at_odd_names(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return items, token if items and items[-1][0].isascii() else None


def _drop_last_page(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    rest = page(records, listing, after=token, size=size)[1] if token else "more"
    return items, token if rest else None


def _repeat_last(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    if after:
        before = [record for record in records(None) if record[0] < items[0][0]] if items else []
        items = [*before[-1:], *items]
    return items, token


def _one_too_many(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    return page(records, listing, after=after, size=size + 1 if size else size)


def _never_ends(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    if after is not None and token is None:
        token = page(records, listing, after="", size=1)[1]
    return items, token


def _starts_again(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    try:
        return page(records, listing, after=after, size=size)
    except BadToken:
        return page(records, listing, after="", size=size)


def _by_offset(records: Any, listing: str, after: str | None, size: int | None) -> Any:  # noqa: ARG001 - the signature of a page
    if after is None and size is None:
        return list(records(None)), None
    start = int(after or 0)
    every = list(records(None))
    end = start + (size or 100)
    return every[start:end], str(end) if end < len(every) else None


def _used_once() -> Install:
    """Give the page of a token once."""
    used: set[str] = set()

    def change(records: Any, listing: str, after: str | None, size: int | None) -> Any:
        items, token = page(records, listing, after=after, size=size)
        if after in used:
            return [], token
        used.add(after or "")
        used.discard("")
        return items, token

    return paged(change)


def _foreign_items() -> Install:
    """Answer a token with the listing that it was made for, whatever is asked now."""
    listings: dict[str, Any] = {}

    def change(records: Any, listing: str, after: str | None, size: int | None) -> Any:
        listings[listing] = records
        if after:
            for other, theirs in listings.items():
                try:
                    opened(other, after)
                except BadToken:
                    continue
                return page(theirs, other, after=after, size=size)
        return page(records, listing, after=after, size=size)

    return paged(change)


def _small_first_page(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return (items[:2], None) if after == "" and size is None else (items, token)


def _odd_token(document: dict[str, Any]) -> None:
    if document.get("next-page-token"):
        document["next-page-token"] += "+/="


def _token_as_it_was_not_sent(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Know a token only if nobody decodes it."""
    if str(arguments.get("page_token", "")).endswith("+/="):
        raise Problem(400, "BadRequestException", "unknown page token")
    return handler(**arguments)


def _bad_size_is_an_empty_page(reply: Reply, scope: Scope) -> Reply:
    bad = reply.status == 400 and b"pageSize" in scope["query_string"]
    return json_reply({"namespaces": [], "identifiers": [], "next-page-token": None}) if bad else reply


def _empty_token(document: dict[str, Any]) -> None:
    if document.get("next-page-token") is None:
        document["next-page-token"] = ""


def _number_token(document: dict[str, Any]) -> None:
    if document.get("next-page-token") is not None:
        document["next-page-token"] = 2


def _pads_with_duplicates(document: dict[str, Any]) -> None:
    items = document.get("namespaces") or document.get("identifiers") or []
    items += items[:1]


def _misses_are_empty(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "page_token" in arguments:
        try:
            return handler(**arguments)
        except Problem:
            return json_reply({"namespaces": [], "identifiers": [], "next-page-token": None})
    return handler(**arguments)


def _forgets_parent(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "page_token" in arguments:
        arguments.pop("parent", None)
    return handler(**arguments)


def _full_page_loses_one(records: Any, listing: str, after: str | None, size: int | None) -> Any:
    items, token = page(records, listing, after=after, size=size)
    return (items[:-1], token) if token is None and size and len(items) == size else (items, token)


def _all_and_an_empty_token(records: Any, _listing: str, _after: str | None, _size: int | None) -> Any:
    return list(records(None)), ""


FAULTS = (
    Fault(
        "empty-token-without-pages",
        "Listings are not cut into pages, and end with an empty token all the same.",
        ("IRC-PAG-007",),
        paged(_all_and_an_empty_token),
    ),
    Fault("pages-of-ten-unasked", "Listings stop after ten items although nobody asked for pages.", ("IRC-PAG-001",), paged(_default_size)),
    Fault("listings-end-at-a-hundred", "Listings end after a hundred items, and say nothing.", ("IRC-PAG-001",), paged(_hundred)),
    Fault("tables-end-at-a-hundred", "Listings of tables end after a hundred.", ("IRC-PAG-001",), _hundred_of("tables.*")),
    Fault("views-end-at-a-hundred", "Listings of views end after a hundred.", ("IRC-PAG-001",), _hundred_of("views.*")),
    Fault(
        "top-level-ends-at-a-hundred",
        "The listing of the namespaces at the top ends after a hundred.",
        ("IRC-PAG-001",),
        _hundred_of(f"namespaces{SEPARATOR}"),
    ),
    Fault("page-size-alone-truncates", "A page size without a token cuts the list and says nothing.", ("IRC-PAG-018",), paged(_silent_cut)),
    Fault("first-page-without-token", "The first page comes without a token for the next.", ("IRC-PAG-004",), paged(_first_page_alone)),
    Fault(
        "pages-end-at-odd-names",
        "A page whose last name is not ASCII is the last one.",
        ("IRC-PAG-004",),
        paged(_ends_at_odd_names),
    ),
    Fault("last-page-lost", "The last page is never reached.", ("IRC-PAG-004",), paged(_drop_last_page)),
    Fault("pages-overlap", "Each page begins with the last item of the one before.", ("IRC-PAG-011", "IRC-PAG-008"), paged(_repeat_last)),
    Fault("pages-one-too-large", "Pages hold one item more than asked for.", ("IRC-PAG-008", "IRC-PAG-002"), paged(_one_too_many)),
    Fault("chain-never-ends", "The last page has a token that leads back to itself.", ("IRC-PAG-012", "IRC-PAG-005"), paged(_never_ends)),
    Fault("empty-token-at-the-end", "The last page has an empty token instead of none.", ("IRC-PAG-003",), on_answer(LISTS, _empty_token)),
    Fault("tokens-are-numbers", "Tokens are numbers.", ("IRC-PAG-003",), on_answer(LISTS, _number_token)),
    Fault("listings-repeat-items", "Listings name an item twice.", ("IRC-PAG-024",), on_answer(LISTS, _pads_with_duplicates)),
    Fault("garbage-token-starts-again", "A token that was never issued starts the listing again.", ("IRC-PAG-014",), paged(_starts_again)),
    Fault("pages-by-offset", "Tokens are offsets: what is dropped meanwhile makes others vanish.", ("IRC-PAG-017",), paged(_by_offset)),
    Fault("first-page-is-all-without-a-size", "Without a page size there is one page of two.", ("IRC-PAG-019",), paged(_small_first_page)),
    Fault(
        "tokens-are-not-decoded",
        "Tokens that have to be percent-encoded are not known again.",
        ("IRC-PAG-013",),
        all_of(on_answer(LISTS, _odd_token), on_call(LISTS, _token_as_it_was_not_sent)),
    ),
    Fault(
        "bad-page-sizes-are-empty-pages",
        "A page size that is none gives an empty page.",
        ("IRC-PAG-010",),
        on_reply(LISTS, _bad_size_is_an_empty_page),
    ),
    Fault("tokens-work-once", "A token that is sent again gives an empty page.", ("IRC-PAG-015",), _used_once()),
    Fault(
        "tokens-of-others-work", "A token shows the listing that it was made for, whatever is asked.", ("IRC-PAG-016",), _foreign_items()
    ),
    Fault(
        "token-forgets-the-parent",
        "Pages list the top level whatever the parent.",
        ("IRC-PAG-022",),
        on_call("listNamespaces", _forgets_parent),
    ),
    Fault(
        "missing-namespace-has-empty-pages",
        "Pages of a namespace that does not exist are empty.",
        ("IRC-PAG-023",),
        on_call(LISTS, _misses_are_empty),
    ),
    Fault(
        "multiples-lose-the-last-item",
        "A last page that is full loses its last item.",
        ("IRC-PAG-021", "IRC-PAG-020"),
        paged(_full_page_loses_one),
    ),
)
