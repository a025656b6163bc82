"""The four listings, read page by page: items of a share, of a schema, or all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from lakepact.conformance.checks.delta_sharing.kit.answers import lower
from lakepact.conformance.checks.delta_sharing.kit.catalog import MOST_EMPTY_PAGES
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import (
    Document,
    Exchange,
    Members,
    Place,
    Placed,
    Reply,
)
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.judging import expect
from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op

Item: TypeAlias = Placed

LISTS = (op.list_shares, op.list_schemas, op.list_tables, op.list_all_tables)

MOST_ITEMS = 60  #: of a listing that is read one by one
MOST_COUNTED = 5  #: listings of a kind that are counted in search of a short one
MOST_PAGES = 40  #: that are read of a longer one
MOST_EVER = 1000  #: pages of one listing, empty ones too; a longer listing counts as endless


@dataclass(frozen=True)
class Page:
    """One page of a listing."""

    reply: Reply
    items: list[Item]
    token: str  #: of the next page; empty where there is none

    @property
    def place(self) -> Place:
        """The place of the items."""
        return self.reply.place("items")

    @property
    def token_place(self) -> Place:
        """The place of the token."""
        return self.reply.place("nextPageToken")


@dataclass(frozen=True)
class Listing:
    """One listing of the target.

    Args:
        lab: the lab of the check that reads it.
        operation: its id.
        address: the share and schema whose items are listed.
        count: how many items were found in it before.
    """

    lab: SharingLab = field(repr=False)
    operation: OperationId
    address: Members
    count: int = 0

    def __str__(self) -> str:
        return (
            f"{self.operation} of {'.'.join(self.address.values())}"
            if self.address
            else self.operation
        )

    def get(self, **parameters: Any) -> Reply:
        """Return the reply to one request of the listing."""
        return self.lab.send(self.operation, **{**self.address, **parameters})

    def page(self, **parameters: Any) -> Page:
        """Return one page.

        Raises:
            Unmet: the answer is no page.
        """
        reply = self.get(**parameters)
        expect.status(
            reply,
            200,
            about=f"for {self} {expect.excerpt(parameters) if parameters else ''}".rstrip(),
        )
        token = token_of(reply)
        return Page(reply, items_of(reply), token)

    def pages(self, sizes: Iterable[int | None] = (), **first: Any) -> Iterator[Page]:
        """Yield the pages; the last of `sizes` is that of all further pages.

        Raises:
            Unmet: an answer is no page, a token comes back, or there is no end of them.
        """
        rest = iter(sizes)
        size = next(rest, None)
        page = self.page(max_results=size, **first)
        tokens: set[str] = set()
        yield page
        while page.token:
            if page.token in tokens:
                actual = f"{self}: the token {expect.excerpt(page.token)} came before"
                raise expect.unmet("a chain of tokens that ends", actual, at=page.token_place)
            tokens.add(page.token)
            if len(tokens) > MOST_EVER:
                self.lab.wire.count_endless()
                actual = f"{self}: more than {MOST_EVER} pages, and another token"
                raise expect.unmet("a chain of tokens that ends", actual, at=page.token_place)
            size = next(rest, size)
            page = self.page(max_results=size, **{**first, "page_token": page.token})
            yield page

    def items(self) -> list[Item]:
        """Return the items on all pages, however few the target puts on one.

        Raises:
            Unmet: an answer is no page, or a token comes back.
        """
        return [item for page in self.pages() for item in page.items]

    def everything(self) -> list[Item]:
        """Return all items, with the target's page size; stop after several empty pages.

        Raises:
            Blocked: the listing does not work, or is too long to be looked at as a whole.
        """
        items: list[Item] = []
        empty = 0
        try:
            for number, page in enumerate(self.pages(), start=1):
                items += page.items
                empty = 0 if page.items else empty + 1
                if empty == MOST_EMPTY_PAGES:
                    break
                if number == MOST_PAGES:
                    raise Blocked(f"{self} has more than {MOST_PAGES} pages")
        except Unmet as unmet:
            raise Blocked(f"{self}: {unmet}") from unmet
        return items


def items_of(reply: Reply) -> list[Item]:
    """Return the items of a page; none where there is no member `items`.

    Raises:
        Unmet: `items` is not a list of objects.
    """
    items = reply.document.get("items", [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise expect.unmet(
            "a list of objects as `items`, or no such member",
            reply.summary,
            at=reply.place("items"),
            kind=Kind.TYPE,
        )
    return _with_places(items, reply.exchange)


def _with_places(items: Iterable[Any], exchange: Exchange) -> list[Item]:
    return [
        Placed(item, Place(exchange, f"/body/items/{n}"))
        for n, item in enumerate(items)
        if isinstance(item, dict)
    ]


def token_of(reply: Reply) -> str:
    """Return the token of the next page; empty where there is none.

    Raises:
        Unmet: it is not a text.
    """
    token = reply.document.get("nextPageToken")
    if not isinstance(token, str | None):
        at = reply.place("nextPageToken")
        raise expect.unmet(
            "a text as `nextPageToken`, or no such member", reply.summary, at=at, kind=Kind.TYPE
        )
    return token or ""


def key(item: Members) -> tuple[str, ...]:
    """Return the identity of an item in a share: names are case-insensitive."""
    return tuple(lower(str(item.get(member, ""))) for member in ("schema", "name"))


def keys(items: Iterable[Members]) -> list[tuple[str, ...]]:
    """Return the identities of several items, sorted."""
    return sorted(key(item) for item in items)


def listings(lab: SharingLab, *, fewest: int = 0) -> list[Listing]:
    """Return the shortest listing of each kind with at least so many items, if it is not too long.

    Raises:
        NotOffered: no listing has so many items.
    """
    selection = [
        listing for operation in LISTS if (listing := _choose(lab, operation, fewest)) is not None
    ]
    if not selection:
        raise NotOffered(f"no listing of the target has {fewest} to {MOST_ITEMS} items")
    return selection


def beside(listing: Listing) -> Listing | None:
    """Return another listing of the same kind that has items, if there is one."""
    for address, count in _counts(listing.lab, listing.operation):
        if count and address != listing.address:
            return Listing(listing.lab, listing.operation, address, count)
    return None


def _choose(lab: SharingLab, operation: OperationId, fewest: int) -> Listing | None:
    candidates = [
        (count, address)
        for address, count in _counts(lab, operation)
        if fewest <= count <= MOST_ITEMS
    ]
    for count, address in sorted(candidates, key=lambda c: c[0])[:MOST_COUNTED]:
        listing = Listing(lab, operation, address, count)
        if lab.outline.whole:
            return listing
        # A large catalogue is walked in part: the listing may be longer than its known part.
        with contextlib.suppress(Blocked):
            whole = replace(listing, count=len(listing.everything()))
            if whole.count <= MOST_ITEMS:
                return whole
    return None


def _counts(lab: SharingLab, operation: OperationId) -> Iterator[tuple[Document, int]]:
    """Yield every listing of a kind, with the number of items that were found in it."""
    catalogue = lab.outline
    shares: Sequence[str] = [share["name"] for share in catalogue.shares]
    match operation:
        case op.list_shares:
            yield {}, len(shares)
        case op.list_schemas:
            for share in shares:
                yield {"share": share}, sum(s == share for s, _ in catalogue.schemas)
        case op.list_tables:
            for share, schema in catalogue.schemas:
                yield (
                    {"share": share, "schema": schema},
                    sum((t.share, t.schema) == (share, schema) for t in catalogue.tables),
                )
        case _:
            for share in shares:
                yield {"share": share}, sum(t.share == share for t in catalogue.tables)


def items_in(exchange: Exchange) -> list[Item] | None:
    """Return the objects that an answer lists; `None` where it is no answer of a listing."""
    if (
        exchange.operation not in LISTS
        or exchange.status != 200
        or not isinstance(exchange.json, dict)
    ):
        return None
    items = exchange.json.get("items", [])
    return _with_places(items, exchange) if isinstance(items, list) else []
