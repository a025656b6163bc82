"""Listings, page by page, and the names in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from lakepact.conformance.checks.iceberg_rest.kit.lab import CHILDREN, CatalogLab, Namespace
from lakepact.conformance.evidence.exchanges import Document, Place, Reply
from lakepact.conformance.judging import expect
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

Page: TypeAlias = "tuple[Names, str | None]"
FIRST = ""  #: the page token that asks for the first page
LISTS = {
    op.list_namespaces: "namespaces",
    op.list_tables: "identifiers",
    op.list_views: "identifiers",
}


class Names(list[Any]):
    """The names in a listing, with their place; `None` if they are on several pages."""

    def __init__(self, names: Iterable[Any], *, at: Place | None) -> None:
        super().__init__(names)
        self.at = at

    def are(self, expected: Iterable[Any], what: str) -> None:
        """Expect these names, in any order."""
        expect.same_items(expected, self, what, at=self.at)

    @property
    def next(self) -> Place | None:
        """The place of the token of the next page."""
        return self.at and Reply(self.at.exchange).place("next-page-token")


def names_on(pages: Iterable[Page]) -> Names:
    """Return the names on some pages."""
    lists = [page for page, _ in pages]
    return (
        lists[0] if len(lists) == 1 else Names((name for page in lists for name in page), at=None)
    )


def names(reply: Reply) -> Names:
    """Return the names in a listing of tables or views.

    Raises:
        Unmet: the answer has no array `identifiers`.
    """
    expect.status(reply, 200)
    identifiers = reply.at("identifiers")
    expect.true(
        isinstance(identifiers, list),
        "an array as `identifiers`",
        expect.excerpt(identifiers),
        at=reply.place("identifiers"),
    )
    return Names(
        (reply.at("identifiers", n, "name") for n in range(len(identifiers))),
        at=reply.place("identifiers"),
    )


def identifiers(reply: Reply) -> Names:
    """Return the identifiers of a listing, without members that a target may add.

    Raises:
        Unmet: there is no list.
    """
    members = names(reply)
    return Names(
        (
            {"namespace": reply.at("identifiers", n, "namespace"), "name": name}
            for n, name in enumerate(members)
        ),
        at=members.at,
    )


class Listing:
    """Children of one namespace, listed page by page; without a namespace, the top level, which
    others use too.
    """

    def __init__(
        self, lab: CatalogLab, operation: OperationId, *, namespace: Namespace, count: int
    ) -> None:
        self.lab = lab
        self.operation = operation
        self.namespace = namespace
        self.at: Document = {"namespace": namespace}
        if operation == op.list_namespaces:
            self.at = {"parent": namespace} if namespace else {}
        self.names = [lab.name(f"{n:02}") for n in range(count)]
        for name in self.names:
            self.make(name)

    def get(self, **parameters: Any) -> Reply:
        """Return the answer to one request of the listing."""
        return self.lab.send(self.operation, **{**self.at, **parameters})

    def page(self, **parameters: Any) -> Page:
        """Return the names on one page, and the token of the next."""
        reply = self.get(**parameters)
        expect.status(reply, 200)
        return self.names_in(reply), reply.document.get("next-page-token")

    def names_in(self, reply: Reply) -> Names:
        """Return the names of the items in an answer."""
        member = LISTS[self.operation]
        return Names(
            (item[-1] if isinstance(item, list) else item["name"] for item in reply.at(member)),
            at=reply.place(member),
        )

    def drop(self, name: str) -> None:
        """Drop an item.

        Raises:
            Blocked: it cannot be dropped.
        """
        if self.operation == op.list_namespaces:
            self.lab.require(self.lab.send(op.drop_namespace, namespace=(*self.namespace, name)))
        else:
            self.lab.drop_table(table=name, **self.at)

    def make(self, name: str) -> None:
        """Make one more item.

        Raises:
            Blocked: it cannot be made.
        """
        if self.operation == op.list_namespaces:
            self.lab.make_namespace(self.namespace, level=name)
        elif self.operation == op.list_views:
            self.lab.make_view(self.namespace, name=name)
        else:
            self.lab.make_table(self.namespace, name=name)

    def try_make(self, name: str) -> None:
        """Create an item if the target accepts the name, and drop it after the check."""
        if self.operation == op.list_namespaces:
            namespace = (*self.namespace, name)
            reply = self.lab.send(op.create_namespace, body={"namespace": list(namespace)})
            self.lab.add_cleanup(lambda: self.lab.send(op.drop_namespace, namespace=namespace))
        else:
            reply = self.lab.try_create_table(self.namespace, name)
            self.lab.drop_afterwards(self.namespace, name)
        if reply.status == 200:
            self.names.append(name)

    def pages(self, **first: Any) -> list[Page]:
        """Return all pages, followed from the first.

        Raises:
            Unmet: the chain does not end, or a token comes back.
        """
        pages = [self.page(**first)]
        tokens: set[str] = set()
        while token := pages[-1][1]:
            if token in tokens or len(pages) > len(self.names) + 5:
                actual = (
                    f"{len(pages)} pages for {len(self.names)} items, token {expect.excerpt(token)}"
                )
                raise expect.unmet("a chain of tokens that ends", actual, at=pages[-1][0].next)
            tokens.add(token)
            pages.append(
                self.page(page_token=token, **{k: v for k, v in first.items() if k != "page_token"})
            )
        return pages

    def is_paged(self) -> bool:
        """Return whether the target pages at all: a page of one of several items leaves a token."""
        return bool(self.page(page_token=FIRST, page_size=1)[1])


def listing(
    lab: CatalogLab, operation: OperationId = op.list_namespaces, *, count: int = 5
) -> Listing:
    """Return a listing with `count` items of its own: tables instead of namespaces if the target
    does not nest those.
    """
    nests = lab.feature("nesting") and lab.offer.results.get(CHILDREN, True)
    operation = op.list_tables if operation == op.list_namespaces and not nests else operation
    return Listing(lab, operation, namespace=lab.make_namespace(), count=count)
