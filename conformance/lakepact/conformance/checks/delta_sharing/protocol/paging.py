"""Paging of the four listings: sizes, tokens, and complete sequences of pages."""

from __future__ import annotations

import random
from urllib.parse import parse_qs, urlsplit

from lakepact.conformance.checks.delta_sharing.api import (
    Exchange,
    Kind,
    Reply,
    SharingLab,
    Wrong,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import MOST_EMPTY_PAGES
from lakepact.conformance.checks.delta_sharing.kit.listings import (
    LISTS,
    Item,
    Listing,
    Page,
    beside,
    items_of,
    keys,
    listings,
    token_of,
)

LARGEST = 2**31 - 1  #: of an Int32
LARGE = (501, 1001, LARGEST)  #: larger than some servers accept

#: Page tokens that no server has issued: not base64, base64 of nothing sensible, numbers.
FORGED = ("lakepact-forged", "zzz", "e30=", "-1", "%25%25%25")


# -- invariants ------------------------------------------------------------------------------------


@invariant("DS-PAG-02")
def pages_hold_at_most_max_results(exchange: Exchange) -> bool:
    """No page holds more items than `maxResults` allows."""
    sizes = parse_qs(urlsplit(exchange.url).query).get("maxResults", [])
    if (
        exchange.operation not in LISTS
        or exchange.status != 200
        or len(sizes) != 1
        or not sizes[0].isascii()
        or not sizes[0].isdigit()
    ):
        return False
    size = int(sizes[0])
    reply = Reply(exchange)
    items = items_of(reply)
    expect.true(
        len(items) <= size,
        f"at most {size} items",
        f"{len(items)} items",
        at=reply.place("items"),
        kind=Kind.SURPLUS,
    )
    return True


@invariant("DS-PAG-11")
def items_are_a_list_or_missing(exchange: Exchange) -> bool:
    """The items of a listing are a list of objects; where there are none, the list is empty or
    missing.
    """
    if exchange.operation not in LISTS or exchange.status != 200:
        return False
    items_of(Reply(exchange))
    return True


@invariant("DS-DF-07", traffic=("protocol.paging.the_last_page_has_no_token",))
def no_token_is_empty(exchange: Exchange) -> bool:
    """The last page of a listing has no `nextPageToken` rather than an empty one."""
    if (
        exchange.operation not in LISTS
        or exchange.status != 200
        or not isinstance(exchange.json, dict)
    ):
        return False
    token = exchange.json.get("nextPageToken", "absent")
    expect.true(
        token not in {"", None},
        "a token or no member `nextPageToken`",
        token,
        at=Reply(exchange).place("nextPageToken"),
    )
    return True


# -- chains ----------------------------------------------------------------------------------------


@check("DS-PAG-02", "DS-PAG-03", "DS-PAG-14")
def pages_hold_every_item_once(lab: SharingLab) -> None:
    """Pages of any size return every item exactly once."""
    for listing in lab.each(listings(lab, fewest=2)):
        everything = listing.everything()
        count = len(everything)
        for size in lab.each(sorted({1, 2, 3, count - 1, count, count + 1} - {0})):
            pages: list[Page] = []
            items: list[Item] = []
            with lab.judge("DS-PAG-03"):
                for page in listing.pages([size]):
                    pages.append(page)
                    items += page.items
                missing = [k for k in keys(everything) if k not in keys(items)]
                expect.equal(
                    [], missing, f"items that no page of {size} of {listing} leads to:", at=None
                )
            with lab.judge_each("DS-PAG-02") as case:
                for page in pages:
                    with case():
                        count_of = len(page.items)
                        what = f"at most {size} items on a page of {listing}"
                        expect.true(
                            count_of <= size,
                            what,
                            f"{count_of} items",
                            at=page.place,
                            kind=Kind.SURPLUS,
                        )
            with lab.judge("DS-PAG-14"):
                expect.equal(
                    keys(everything),
                    keys(items),
                    f"items on all pages of {size} of {listing}:",
                    at=None,
                )


@check("DS-PAG-14")
def page_sizes_may_change_between_pages(lab: SharingLab) -> None:
    """A client that changes `maxResults` between pages gets every item exactly once."""
    choice = random.Random(lab.check)  # noqa: S311 - nothing secret
    for listing in lab.each(listings(lab, fewest=2)):
        everything = keys(listing.everything())
        for _ in lab.each(range(3)):
            sizes = [choice.randint(1, 4) for _ in range(len(everything) + 1)]
            with lab.judge("DS-PAG-14"):
                items = [item for page in listing.pages(sizes) for item in page.items]
                expect.equal(
                    everything, keys(items), f"items on pages of {sizes} of {listing}:", at=None
                )


@check("DS-PAG-09")
def the_last_page_has_no_token(lab: SharingLab) -> None:
    """The `nextPageToken` of the last page is missing or empty."""
    for listing in lab.each(listings(lab, fewest=1)):
        to_nothing: list[
            int | None
        ] = []  # page sizes whose last page is empty although a token led to it
        with lab.judge("DS-PAG-09") as case:
            for size in (None, 1, listing.count, listing.count + 1):
                pages: list[Page] = []
                for page in listing.pages([size]):
                    with case():
                        pages.append(page)
                        if len(pages) > listing.count + MOST_EMPTY_PAGES:
                            actual = (
                                f"{len(pages)} pages of {expect.excerpt(size)} and a token for more"
                            )
                            raise expect.unmet(
                                f"{listing} to end after {listing.count} items",
                                actual,
                                at=page.token_place,
                            )
                if len(pages) > 1 and not pages[-1].items:
                    to_nothing.append(size)
        if to_nothing:
            actual = (
                f"{listing} with maxResults={to_nothing[0]}: a token that leads to an empty page"
            )
            lab.warn("DS-PAG-09", expected="no token when nothing is left", actual=actual)


# -- sizes -----------------------------------------------------------------------------------------


@check("DS-PAG-05", "DS-PAG-07")
def invalid_max_results_are_refused(lab: SharingLab) -> None:
    """A `maxResults` that is negative or not an Int32 is refused."""
    for listing in lab.each(listings(lab)):
        with lab.judge_each("DS-PAG-05") as case:
            for size in (-1, -(2**31)):
                with case(Wrong.VALUE("maxResults")):
                    expect.status(
                        listing.get(max_results=size),
                        400,
                        about=f"for maxResults={size} of {listing}",
                    )
        with lab.judge("DS-PAG-07") as case:
            for wrong in ("abc", "1.5"):
                with case(Wrong.TYPE("maxResults")):
                    expect.status(
                        listing.get(max_results=wrong),
                        400,
                        about=f"for maxResults={wrong} of {listing}",
                    )
            for size in LARGE:
                with case():
                    expect.status(
                        listing.get(max_results=size),
                        200,
                        about=f"for maxResults={size} of {listing}",
                    )
            if listing.count > 1:
                token = listing.page(max_results=1).token
                rest = (
                    [i for page in listing.pages([LARGEST], page_token=token) for i in page.items]
                    if token
                    else listing.everything()
                )
                expect.true(
                    bool(rest),
                    f"items of {listing} behind the first page with maxResults={LARGEST}",
                    "none",
                    at=None,
                )
        reply = listing.get(max_results=LARGEST + 1)
        if reply.status != 400:
            lab.warn(
                "DS-PAG-07",
                expected=f"status 400 for maxResults={LARGEST + 1} of {listing}",
                actual=reply.summary,
                mutation=Wrong.VALUE("maxResults"),
            )


@check("DS-PAG-06")
def max_results_of_zero_returns_no_items(lab: SharingLab) -> None:
    """`maxResults=0` returns no items; a token that comes with it leads to all of them."""
    for listing in lab.each(listings(lab, fewest=1)):
        everything = keys(listing.everything())
        with lab.judge("DS-PAG-06"):
            first = listing.page(max_results=0)
            expect.equal([], first.items, f"items of {listing} with maxResults=0:", at=first.place)
            if first.token:
                items = [
                    item
                    for page in listing.pages([100], page_token=first.token)
                    for item in page.items
                ]
                expect.equal(
                    everything,
                    keys(items),
                    f"items of {listing} behind a page without any:",
                    at=None,
                )


@check("DS-PAG-11")
def empty_schemas_and_shares_list_nothing(lab: SharingLab) -> None:
    """Listing an empty schema or share returns no items."""
    empty = [
        (share["name"], schema["name"])
        for share in lab.manifest.shares
        for schema in share["schemas"]
        if not schema["tables"]
    ]
    bare = [share["name"] for share in lab.manifest.shares if not share["schemas"]]

    with lab.judge_each("DS-PAG-11") as case:
        for share, schema in empty:
            with case():
                page = Listing(lab, op.list_tables, {"share": share, "schema": schema}).page()
                expect.equal([], page.items, f"tables of {share}.{schema}:", at=page.place)
        for share in bare:
            for operation in (op.list_schemas, op.list_all_tables):
                with case():
                    page = Listing(lab, operation, {"share": share}).page()
                    expect.equal([], page.items, f"{operation} of {share}:", at=page.place)


# -- tokens ----------------------------------------------------------------------------------------


@check("DS-PAG-13")
def tokens_are_bound_to_their_listing(lab: SharingLab) -> None:
    """An unknown token, or one of another listing, returns 400."""
    several = listings(lab, fewest=2)
    tokens = [
        (listing, token) for listing in several if (token := listing.page(max_results=1).token)
    ]

    for listing in lab.each(several):
        first = keys(listing.page(max_results=1).items)
        for unknown_token in lab.each(FORGED):
            _judge_refusal(
                lab,
                listing.get(page_token=unknown_token, max_results=1),
                first,
                f"for the forged token {expect.excerpt(unknown_token)} of {listing}",
            )
        for other, token in lab.each(tokens):
            if other.operation != listing.operation:
                _judge_refusal(
                    lab,
                    listing.get(page_token=token, max_results=1),
                    first,
                    f"for a token of {other} at {listing}",
                )
    for listing, token in lab.each(tokens):
        if (elsewhere := beside(listing)) is not None:
            first = keys(elsewhere.page(max_results=1).items)
            _judge_refusal(
                lab,
                elsewhere.get(page_token=token, max_results=1),
                first,
                f"for a token of {listing} at {elsewhere}",
            )


def _judge_refusal(lab: SharingLab, reply: Reply, first: list[tuple[str, ...]], about: str) -> None:
    """Expect 400 for an invalid token."""
    with lab.judge("DS-PAG-13"):
        again = (
            " (the first page once more)"
            if reply.status == 200 and keys(items_of(reply)) == first
            else ""
        )
        expect.status(reply, 400, about=f"{about}{again}", mutation=Wrong.VALUE("pageToken"))


@check("DS-PAG-15")
def percent_encoded_tokens_work(lab: SharingLab) -> None:
    """A percent-encoded token works twice, and with names in another letter case."""
    first_tokens = [
        (listing, token)
        for listing in listings(lab, fewest=2)
        if (token := token_of(listing.get(max_results=1)))
    ]
    if not first_tokens:
        lab.skip("DS-PAG-15", "no listing of the target is paged")
        return
    for listing, token in lab.each(first_tokens):
        percent_token = "".join(f"%{byte:02X}" for byte in token.encode())
        other_case = Listing(
            lab,
            listing.operation,
            {name: value.swapcase() for name, value in listing.address.items() if value.isascii()},
        )
        with lab.judge("DS-PAG-15"):
            next_page = keys(listing.page(max_results=1, page_token=token).items)
            again = listing.page(max_results=1, page_token=token)
            expect.equal(
                next_page,
                keys(again.items),
                f"items of {listing}, asked for again:",
                at=again.place,
            )
            where = f"{lab.path(listing.operation, **listing.address)}?maxResults=1&pageToken="
            reply = lab.send_raw("GET", where + percent_token, operation=listing.operation)
            expect.status(reply, 200, about=f"for a token of {listing} in percent-encoding")
            what = f"items of {listing} with its token in percent-encoding:"
            expect.equal(next_page, keys(items_of(reply)), what, at=reply.place("items"))
            if other_case.address.keys() == listing.address.keys():
                reply = other_case.get(max_results=1, page_token=token)
                expect.status(reply, 200, about=f"for a token of {listing} at {other_case}")
                expect.equal(
                    next_page,
                    keys(items_of(reply)),
                    f"items of {other_case} with a token of {listing}:",
                    at=reply.place("items"),
                )
