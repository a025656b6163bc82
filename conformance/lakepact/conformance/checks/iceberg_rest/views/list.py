"""Checks of listing the views of a namespace, and of asking whether one exists."""

from __future__ import annotations

from itertools import chain

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Namespace,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_namespaces
from lakepact.conformance.checks.iceberg_rest.kit.listings import FIRST, listing, names
from lakepact.conformance.checks.iceberg_rest.kit.views import TABLE_AS_VIEW, make_view


@check("IRC-VIEW-LIST-001")
def listings_hold_views_of_one_namespace(lab: CatalogLab) -> None:
    """Listing views returns those of the namespace, and no tables or views of its parent, children
    or others.
    """
    top = lab.make_namespace()
    child = lab.child_of(top)
    homes = [top, lab.make_namespace(level=f"{top[0]}b"), *([child] if child else [])]
    views = {home: [lab.make_view(home) for _ in range(2)] for home in homes}
    for home in homes:
        lab.make_table(home)

    with lab.judge_each("IRC-VIEW-LIST-001") as case:
        for home, expected in views.items():
            with case():
                reply = lab.send(op.list_views, namespace=home)
                expect.same_items(
                    expected,
                    names(reply),
                    "names of views",
                    at=reply.place("identifiers"),
                )
                for number, identifier in enumerate(reply.at("identifiers")):
                    with case():
                        at = reply.place("identifiers", number, "namespace")
                        expect.equal(
                            list(home),
                            identifier.get("namespace"),
                            "the namespace of the path as `namespace`",
                            at=at,
                        )


@check("IRC-VIEW-LIST-001")
def listings_follow_create_rename_and_drop(lab: CatalogLab) -> None:
    """A view is listed after it is created, under its new name after a rename, and not after it is
    dropped.
    """
    home = lab.make_namespace()
    first, second = lab.make_view(home), lab.make_view(home)

    with lab.judge("IRC-VIEW-LIST-001"):
        _expect_names(lab, home, [first, second], "views after creations:")
    if lab.offers(op.rename_view):
        new = lab.name()
        lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=home, view=new))
        ends = {
            end: {"namespace": list(home), "name": name}
            for end, name in (("source", first), ("destination", new))
        }
        lab.require(lab.send(op.rename_view, body=ends))
        first = new
        with lab.judge("IRC-VIEW-LIST-001"):
            _expect_names(lab, home, [first, second], "views after a rename:")
    lab.require(lab.send(op.drop_view, namespace=home, view=first))
    with lab.judge("IRC-VIEW-LIST-001"):
        _expect_names(lab, home, [second], "views after a drop:")


def _expect_names(lab: CatalogLab, namespace: Namespace, expected: list[str], what: str) -> None:
    """Expect a list of exactly these views."""
    reply = lab.send(op.list_views, namespace=namespace)
    expect.same_items(expected, names(reply), what, at=reply.place("identifiers"))


@check("IRC-VIEW-LIST-002")
def listing_views_of_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Listing the views of a missing or dropped namespace returns 404 with an error body."""
    view = make_view(lab)
    never: list[Namespace] = [(lab.name(),)]
    if lab.child_of(view.namespace):
        never += [(*view.namespace, lab.name()), (*view.namespace, view.name)]

    with lab.judge_each("IRC-VIEW-LIST-002") as case:
        for namespace in chain(never, former_namespaces(lab)):
            with case():
                reply = lab.send(op.list_views, namespace=namespace)
                expect.not_found(reply, "namespace")
                expect.true(
                    isinstance(reply.at("error"), dict),
                    '`{"error": {…}}` as the body',
                    reply.summary,
                    at=reply.place("error"),
                )


@check("IRC-VIEW-LIST-003")
def empty_namespaces_list_no_views(lab: CatalogLab) -> None:
    """Listing the views of a namespace without views returns 200 and an empty array."""
    fresh, left, other = (lab.make_namespace() for _ in range(3))
    lab.require(lab.send(op.drop_view, **make_view(lab, left).at))
    lab.make_table(other)

    with lab.judge_each("IRC-VIEW-LIST-003") as case:
        for namespace in (fresh, left, other):
            with case():
                reply = lab.send(op.list_views, namespace=namespace)
                expect.status(reply, 200)
                expect.member([], reply.place("identifiers"))


@check("IRC-VIEW-LIST-004")
def view_listings_are_paged(lab: CatalogLab) -> None:
    """Pages of views hold at most `pageSize` items; following their tokens yields every view
    exactly once.
    """
    views = listing(lab, op.list_views)

    with lab.judge_each("IRC-VIEW-LIST-004") as case:
        has_pages = views.is_paged()
        for size in (1, 2, 3):
            with case():
                pages = views.pages(page_token=FIRST, page_size=size)
                expect.same_items(
                    views.names,
                    (name for page, _ in pages for name in page),
                    "names on all pages",
                    at=None,
                )
                for page, _ in pages:
                    with case():
                        expect.true(
                            not has_pages or len(page) <= size,
                            f"at most {size} views on a page",
                            page,
                            at=None,
                        )


@check("IRC-VIEW-LOAD-005")
def head_view_returns_204_or_404(lab: CatalogLab) -> None:
    """HEAD of a view returns 204 if it exists and 404 if not, without a body."""
    view = make_view(lab)
    table = lab.make_table(view.namespace)
    there = lab.send(op.view_exists, alone=True, **view.at)
    lab.require(lab.send(op.drop_view, **view.at))
    nowhere = ((lab.name(),), view.name)

    with lab.judge("IRC-VIEW-LOAD-005") as case:
        expect.status(there, 204)
        expect.no_body(there)
        for namespace, name in (
            (view.namespace, view.name),
            (view.namespace, lab.name()),
            (table.namespace, table.name),
            nowhere,
        ):
            with case():
                reply = lab.send(op.view_exists, alone=True, namespace=namespace, view=name)
                expect.status(
                    reply,
                    404,
                    mutation=TABLE_AS_VIEW if name == table.name else Wrong.ABSENT("view"),
                )
                expect.no_body(reply)
