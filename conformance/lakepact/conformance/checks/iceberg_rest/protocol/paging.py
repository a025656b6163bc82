"""Paging of the listings: every rule is judged on namespaces, and the chain rules on tables too;
all on tables where nothing is nested.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Kind,
    Reply,
    Wrong,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.listings import (
    FIRST,
    LISTS,
    Listing,
    Names,
    Page,
    listing,
    names_on,
)
from lakepact.conformance.evidence.exchanges import NO_OPERATION

MANY = 101  #: items, one more than a common size of pages
PATIENCE = 5.0  #: seconds for making them: of a slow target fewer are listed


@invariant("IRC-PAG-024")
def listings_have_no_duplicates(exchange: Exchange) -> bool:
    """No listing contains an item twice."""
    member = LISTS.get(exchange.operation or NO_OPERATION)
    if member is None or exchange.status != 200 or not isinstance(exchange.json, dict):
        return False
    items = exchange.json.get(member)
    if not isinstance(items, list):
        return False
    texts = [orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in items]
    expect.equal(
        len(texts),
        len(set(texts)),
        "different items",
        at=Reply(exchange).place(member),
        kind=Kind.SURPLUS,
    )
    return True


@invariant("IRC-PAG-003")
def next_page_tokens_are_strings_null_or_absent(exchange: Exchange) -> bool:
    """`next-page-token` is a non-empty string, null or absent."""
    if (
        exchange.operation not in LISTS
        or exchange.status != 200
        or not isinstance(exchange.json, dict)
    ):
        return False
    token = exchange.json.get("next-page-token")
    at = Reply(exchange).place("next-page-token")
    expected = "a token that is a non-empty string, null or absent"
    expect.true(token is None or (isinstance(token, str) and token != ""), expected, token, at=at)
    return True


@check("IRC-PAG-001", "IRC-PAG-018")
def listing_without_token_is_complete(lab: CatalogLab) -> None:
    """A listing without `pageToken` returns all items; with `pageSize` alone, its pages together
    hold all of them.
    """
    names = listing(lab, count=12)

    with lab.judge("IRC-PAG-001"):
        page, token = names.page()
        page.are(names.names, "names")
        expect.true(not token, "no next page token", token, at=page.next, kind=Kind.SURPLUS)
    with lab.judge("IRC-PAG-018"):
        names_on(names.pages(page_size=1)).are(names.names, "names on all pages")


@check("IRC-PAG-001", "IRC-PAG-004")
def long_listings_are_complete(lab: CatalogLab) -> None:
    """A listing of about 100 items is complete, both without a token and on pages of the server's
    default size.
    """
    for items in lab.each(_listings_of_each_kind(lab)):
        start = time.monotonic()
        for number in range(1, MANY):
            if time.monotonic() - start > PATIENCE:
                break
            name = lab.name(f"{number:03}")
            items.make(name)
            items.names.append(name)

        with lab.judge("IRC-PAG-001"):
            page, token = items.page()
            _expect_all(items, page, items.operation)
            expect.true(not token, "no next page token", token, at=page.next, kind=Kind.SURPLUS)
        if items.namespace:  # among namespaces of others there may be any number of pages
            with lab.judge("IRC-PAG-004"):
                _expect_all(items, names_on(items.pages(page_token=FIRST)), "the pages")


def _expect_all(items: Listing, names: Names, where: str) -> None:
    """Expect all items among those that were found, which may be others' too."""
    missing = sorted(set(items.names) - set(names))
    expect.true(
        not missing,
        f"all {len(items.names)} items in {where}",
        f"without {expect.excerpt(missing)}",
        at=names.at,
        kind=Kind.MISSING,
    )


def _listings_of_each_kind(lab: CatalogLab) -> Iterator[Listing]:
    """Listings of one item each: of what is at the top, of what lies in a namespace."""
    yield Listing(lab, op.list_namespaces, namespace=(), count=1)
    children = listing(lab, count=1)
    yield children
    if children.operation != op.list_tables:
        yield listing(lab, op.list_tables, count=1)
    if lab.offers(op.create_view) and lab.offers(op.list_views):
        yield listing(lab, op.list_views, count=1)


@check(
    "IRC-PAG-002",
    "IRC-PAG-003",
    "IRC-PAG-004",
    "IRC-PAG-005",
    "IRC-PAG-008",
    "IRC-PAG-011",
    "IRC-PAG-012",
)
def pages_hold_every_item_once(lab: CatalogLab) -> None:
    """Pages hold at most `pageSize` items; following their tokens yields every item exactly once
    and ends.
    """
    for operation in lab.each((op.list_namespaces, op.list_tables)):
        items = listing(lab, operation)
        with lab.judge("IRC-PAG-002"):
            first, token = items.page(page_token=FIRST, page_size=2)
            expect.true(
                len(first) <= 2 or sorted(first) == sorted(items.names),
                "at most 2 items, or all",
                first,
                at=first.at,
            )
        if not items.is_paged():
            for requirement in ("IRC-PAG-003", "IRC-PAG-008"):
                lab.skip(requirement, "the target does not page")
        else:
            with lab.judge("IRC-PAG-003"):
                expect.true(
                    isinstance(token, str) and bool(token),
                    "a token while there is more",
                    token,
                    at=first.next,
                )
        pages: list[Page] = []
        with lab.judge("IRC-PAG-012"):
            pages = items.pages(page_token=FIRST, page_size=2)
        names = names_on(pages)
        with lab.judge("IRC-PAG-004"):
            expect.same_items(items.names, set(names), "names on all pages", at=names.at)
        with lab.judge("IRC-PAG-011"):
            expect.equal(
                len(set(names)),
                len(names),
                "as many items as names:",
                at=names.at,
                kind=Kind.SURPLUS,
            )
        with lab.judge("IRC-PAG-005"):
            last = pages[-1][0].next if pages else None
            expect.true(
                bool(pages) and not pages[-1][1],
                "no token on the last page",
                pages[-1][1] if pages else "no page",
                at=last,
            )
        if pages and items.is_paged():
            with lab.judge_each("IRC-PAG-008") as case:
                for size in (1, 2, 3):
                    for page, _ in items.pages(page_token=FIRST, page_size=size):
                        with case():
                            expect.true(
                                len(page) <= size,
                                f"at most {size} items on a page",
                                page,
                                at=page.at,
                                kind=Kind.SURPLUS,
                            )


@check("IRC-PAG-004")
def paging_continues_after_special_characters(lab: CatalogLab) -> None:
    """Paging continues after items with special characters in their names."""
    items = listing(lab, count=2)
    for tail in ("ä🧊", "a b", "a+b", "a,b", "a=b&c"):
        items.try_make(f"{items.names[0]}-{tail}")
    with lab.judge("IRC-PAG-004"):
        expected = items.page()[0]
        actual = names_on(items.pages(page_token=FIRST, page_size=1))
        expect.same_items(expected, set(actual), "names on all pages", at=actual.at)


@check("IRC-PAG-007")
def servers_without_paging_send_no_token(lab: CatalogLab) -> None:
    """A server that does not page returns all items for any token, with `next-page-token` null or
    absent.
    """
    items = listing(lab, count=3)
    if items.is_paged():
        lab.skip("IRC-PAG-007", "the target pages")
        return
    reply = items.get(page_token=FIRST, page_size=1)

    with lab.judge("IRC-PAG-007"):
        expect.status(reply, 200)
        expect.equal(
            None,
            reply.document.get("next-page-token"),
            "next-page-token",
            at=reply.place("next-page-token"),
        )
        expect.equal(
            3,
            len(reply.at(LISTS[items.operation])),
            "number of items:",
            at=reply.place(LISTS[items.operation]),
        )


@check("IRC-PAG-010")
def invalid_page_sizes_return_400(lab: CatalogLab) -> None:
    """A `pageSize` of 0, a negative one, a fraction or a word returns 400."""
    items = listing(lab, count=3)
    replies = {
        size: items.get(page_token=FIRST, page_size=size) for size in ("0", "-1", "1.5", "abc")
    }

    if all(
        reply.status == 200 and len(reply.at(LISTS[items.operation])) == 3
        for reply in replies.values()
    ):
        lab.warn(
            "IRC-PAG-010",
            expected="status 400",
            actual="the page size is ignored",
            expected_status=(400,),
        )
        return
    with lab.judge_each("IRC-PAG-010") as case:
        for size, reply in replies.items():
            with case():
                expect.status(
                    reply,
                    400,
                    about=f"for pageSize={size}",
                    mutation=Wrong.VALUE("pageSize"),
                )


@check("IRC-PAG-013", "IRC-PAG-015")
def tokens_are_repeatable(lab: CatalogLab) -> None:
    """A percent-encoded token returns the next page, and the same page each time while the catalog
    does not change.
    """
    items = listing(lab)
    if not items.is_paged():
        for requirement in ("IRC-PAG-013", "IRC-PAG-015"):
            lab.skip(requirement, "the target does not page")
        return
    first, token = items.page(page_token=FIRST, page_size=2)

    with lab.judge("IRC-PAG-013"):
        second, _ = items.page(page_token=token, page_size=2)
        expect.true(
            bool(second) and not set(first) & set(second),
            "the page after the first",
            second,
            at=second.at,
        )
    with lab.judge("IRC-PAG-015") as case:
        pages = [items.page(page_token=token, page_size=2)[0] for _ in range(3)]
        expect.true(
            bool(pages[0]), "names on the page", pages[0], at=pages[0].at, kind=Kind.MISSING
        )
        for page in pages[1:]:
            with case():
                expect.equal(pages[0], page, "the same page", at=page.at)


@check("IRC-PAG-014")
def unknown_page_tokens_return_400(lab: CatalogLab) -> None:
    """A page token that the server never issued returns 400."""
    items = listing(lab, count=3)
    if not items.is_paged():
        lab.skip("IRC-PAG-014", "the target does not page")
        return

    with lab.judge_each("IRC-PAG-014") as case:
        for token in ("lakepact-garbage", "%%%", "0", "-1"):
            with case():
                expect.status(
                    items.get(page_token=token, page_size=1),
                    400,
                    mutation=Wrong.SYNTAX("pageToken"),
                )


@check("IRC-PAG-016")
def tokens_are_bound_to_their_listing(lab: CatalogLab) -> None:
    """A token of one namespace's listing returns no items of it when used for another namespace."""
    one, other = listing(lab, count=4), listing(lab, count=4)
    token = one.page(page_token=FIRST, page_size=1)[1]
    if not token:
        lab.skip("IRC-PAG-016", "the target does not page")
        return
    reply = other.get(page_token=token, page_size=4)

    with lab.judge("IRC-PAG-016"):
        expect.status(reply, 200, 400)
        if reply.status == 200:
            names = other.names_in(reply)
            expect.equal(
                [],
                [name for name in names if name in one.names],
                "names of the other listing:",
                at=names.at,
            )


@check("IRC-PAG-017")
def changes_between_pages_lose_no_item(lab: CatalogLab) -> None:
    """Unchanged items are listed exactly once while others are created or dropped between pages."""
    for change in lab.each((_drop_first_item, _make_earlier_item)):
        items = listing(lab, count=6)
        first, token = items.page(page_token=FIRST, page_size=2)
        constant = set(items.names) - change(items, first)
        names = list(first)
        for _ in range(len(items.names) + 3):
            if not token:
                break
            page, token = items.page(page_token=token, page_size=2)
            names += page

        with lab.judge_each("IRC-PAG-017") as case:
            for name in sorted(constant):
                with case():
                    kind = Kind.SURPLUS if name in names else Kind.MISSING
                    expect.equal(
                        1,
                        names.count(name),
                        f"number of times that {name} is on the pages:",
                        at=None,
                        kind=kind,
                    )


@check("IRC-PAG-017")
def dropping_a_page_loses_no_later_item(lab: CatalogLab) -> None:
    """The next pages hold all further items after every item of a page was dropped."""
    for operation in lab.each((op.list_tables, op.list_namespaces)):
        for size in lab.each((1, 2, 3)):
            items = listing(lab, operation, count=6)
            first, token = items.page(page_token=FIRST, page_size=size)
            for name in first:
                items.drop(name)
            rest = (
                names_on(items.pages(page_token=token, page_size=size))
                if token
                else Names((), at=first.next)
            )
            with lab.judge("IRC-PAG-017"):
                rest.are(
                    set(items.names) - set(first),
                    f"names on the pages after one of {size} whose items were dropped:",
                )


@check("IRC-PAG-021")
def page_boundaries_lose_no_item(lab: CatalogLab) -> None:
    """Tables, namespaces and views at page boundaries are listed once, on pages of one, two and
    three.
    """
    views = (op.list_views,) if lab.feature("views") and lab.offers(op.list_views) else ()
    for operation in lab.each((op.list_tables, op.list_namespaces, *views)):
        items = listing(lab, operation, count=6)
        with lab.judge_each("IRC-PAG-021") as case:
            for size in (1, 2, 3):
                with case():
                    names_on(items.pages(page_token=FIRST, page_size=size)).are(
                        items.names, f"names on pages of {size}"
                    )


def _drop_first_item(items: Listing, page: list[Any]) -> set[Any]:
    """Drop the first item that was listed; it is no longer untouched. A first page may be empty."""
    for name in page[:1]:
        items.drop(name)
    return set(page[:1])


def _make_earlier_item(items: Listing, _page: list[Any]) -> set[Any]:
    """Make an item that sorts before all others."""
    items.make(f"a{items.names[0]}")
    return set()


@check("IRC-PAG-019", "IRC-PAG-020", "IRC-PAG-021")
def page_sizes_near_the_count_lose_no_item(lab: CatalogLab) -> None:
    """Every item is listed with no page size and with sizes that divide, equal or exceed the number
    of items.
    """
    items = listing(lab, count=4)

    with lab.judge("IRC-PAG-019"):
        names_on(items.pages(page_token=FIRST)).are(items.names, "names on all pages")
    with lab.judge_each("IRC-PAG-020") as case:
        for size in (4, 5, 2147483647):
            with case():  # the size bounds a page from above; nothing does from below
                pages = items.pages(page_token=FIRST, page_size=size)
                names_on(pages).are(items.names, f"names on pages of {size}")
    with lab.judge("IRC-PAG-021"):
        names_on(items.pages(page_token=FIRST, page_size=2)).are(items.names, "names on all pages")


@check("IRC-PAG-022")
def paging_composes_with_parent(lab: CatalogLab) -> None:
    """Pages of a listing with `parent` hold only children of that parent."""
    if not lab.feature("nesting"):
        lab.skip("IRC-PAG-022", "the target has no namespaces below others")
        return
    items, _other = (
        Listing(lab, op.list_namespaces, namespace=lab.make_namespace(), count=count)
        for count in (3, 2)
    )

    with lab.judge("IRC-PAG-022"):
        names_on(items.pages(page_token=FIRST, page_size=1)).are(
            items.names, "children of the parent"
        )


@check("IRC-PAG-023")
def paging_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Listing a missing namespace returns 404, with paging parameters as without."""
    lab.make_namespace()  # a server that has none finds none
    absent = (lab.name(),)

    with lab.judge_each("IRC-PAG-023") as case:
        if lab.feature("nesting"):
            with case():
                with lab.step("IRC-NS-LIST-006"):
                    expect.not_found(lab.send(op.list_namespaces, parent=absent), "namespace")
                expect.not_found(
                    lab.send(op.list_namespaces, parent=absent, page_token=FIRST, page_size=1),
                    "namespace",
                )
        with case():
            with lab.step("IRC-TBL-LIST-004"):
                expect.not_found(lab.send(op.list_tables, namespace=absent), "namespace")
            expect.not_found(
                lab.send(op.list_tables, namespace=absent, page_token=FIRST, page_size=1),
                "namespace",
            )
