"""Listings of more items than a page, and invalid page sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import Kind, Wrong, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.listings import (
    FIRST,
    Listing,
    Names,
    Page,
    listing,
    names_on,
)
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check

MOST = 250  #: items that the page allows in an answer
SIDE_BY_SIDE = 8


def listings(lab: WatsonxLab, *, count: int) -> Iterator[Listing]:
    """Yield a listing of tables, and one of views if the target has views."""
    yield listing(lab, op.list_tables, count=count)
    if lab.offers(op.list_views) and lab.offers(op.create_view):
        yield listing(lab, op.list_views, count=count)


def everything(reads: Callable[..., Page], **first: Any) -> Names:
    """Return all items of all pages.

    Raises:
        Unmet: pages do not end.
    """
    pages = [reads(**first)]
    for _ in range(1000):
        if not (token := pages[-1][1]):
            return names_on(pages)
        pages.append(reads(page_token=token))
    raise expect.unmet(
        "a last page, without next-page-token",
        "a next-page-token on page 1000",
        at=pages[-1][0].next,
    )


@check("WXD-PAG-001", alone=True)
def listings_of_251_namespaces_are_complete(lab: WatsonxLab) -> None:
    """Listing more namespaces than one response may hold returns all of them, over its pages."""
    names = [lab.name() for _ in range(MOST + 1)]
    for begin in range(0, len(names), SIDE_BY_SIDE):
        lab.concurrently(
            [
                partial(lab.make_namespace, level=name)
                for name in names[begin : begin + SIDE_BY_SIDE]
            ]
        )

    with lab.judge("WXD-PAG-001"):
        members = everything(Listing(lab, op.list_namespaces, namespace=(), count=0).page)
        missing, expected = sorted(set(names) - set(members)), f"all of {len(names)} namespaces"
        expect.true(
            not missing,
            expected,
            f"{len(missing)} are missing: {expect.excerpt(missing)}",
            at=members.at,
            kind=Kind.MISSING,
        )


@check("WXD-PAG-004")
def listings_without_token_are_complete(lab: WatsonxLab) -> None:
    """A listing without `pageToken` returns all items, or a page with a token for the rest."""
    for items in lab.each(listings(lab, count=6)):
        with lab.judge("WXD-PAG-004"):
            everything(items.page).are(items.names, f"names by {items.operation}")


@check("WXD-PAG-002", "WXD-PAG-003")
def invalid_page_sizes_return_400(lab: WatsonxLab) -> None:
    """A negative or non-integer `pageSize` returns 400; a `pageSize` of 0 returns 400 or all
    items.
    """
    for items in lab.each(listings(lab, count=3)):
        for size in lab.each(("-1", "1.5", "abc")):
            reply = items.get(page_token=FIRST, page_size=size)
            if reply.status == 200 and sorted(items.names) == sorted(
                items.page(page_token=FIRST, page_size=size)[0]
            ):
                lab.warn(
                    "WXD-PAG-002",
                    expected="status 400",
                    actual=f"pageSize={size} is ignored by {items.operation}",
                    expected_status=(400,),
                )
                continue
            with lab.judge("WXD-PAG-002"):
                expect.status(
                    reply,
                    400,
                    about=f"for pageSize={size} of {items.operation}",
                    mutation=Wrong.VALUE("pageSize"),
                )
        none = items.get(page_token=FIRST, page_size=0)
        with lab.judge("WXD-PAG-003"):
            expect.status(none, 200, 400, about=f"for pageSize=0 of {items.operation}")
            if none.status == 200:
                everything(items.page, page_token=FIRST, page_size=0).are(
                    items.names, f"names by {items.operation}"
                )
