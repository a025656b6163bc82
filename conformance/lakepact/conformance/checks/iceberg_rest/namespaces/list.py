"""Listing namespaces: the top level, the children of a parent, and nothing else."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Kind,
    Namespace,
    Reply,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import children, names_in


@invariant("IRC-NS-LIST-009", "IRC-NS-ENC-005")
def namespaces_are_arrays_of_strings(exchange: Exchange) -> bool:
    """Every response writes a namespace as a non-empty array of strings; listings hold them under
    `namespaces`.
    """
    if exchange.status != 200 or exchange.operation not in {
        op.list_namespaces,
        op.create_namespace,
        op.load_namespace_metadata,
        op.list_tables,
    }:
        return False
    document, reply = exchange.json, Reply(exchange)
    if not isinstance(document, dict):
        return False
    if exchange.operation == op.list_namespaces:
        at, namespaces = reply.place("namespaces"), document.get("namespaces")
        expect.true(isinstance(namespaces, list), "`namespaces` as an array", namespaces, at=at)
    elif exchange.operation in {op.create_namespace, op.load_namespace_metadata}:
        at, namespaces = reply.place("namespace"), [document.get("namespace")]
    elif exchange.operation == op.list_tables and isinstance(document.get("identifiers"), list):
        at = reply.place("identifiers")
        namespaces = [
            identifier.get("namespace") if isinstance(identifier, dict) else identifier
            for identifier in document["identifiers"]
        ]
    else:
        return False
    for namespace in namespaces or []:
        fine = (
            isinstance(namespace, list)
            and namespace
            and all(isinstance(level, str) for level in namespace)
        )
        expect.true(
            bool(fine), "a namespace as an array of strings", namespace, at=at, kind=Kind.TYPE
        )
    return True


@check("IRC-NS-LIST-001", "IRC-NS-LIST-002", "IRC-NS-LIST-003", "IRC-NS-LIST-004")
def listings_hold_direct_children(lab: CatalogLab) -> None:
    """Listing without `parent` returns the top level; with `parent`, its direct children with their
    full paths.
    """
    top = lab.make_namespace()
    nested = lab.feature("nesting")
    middle = lab.make_namespace(top) if nested else top
    bottom, beside = (
        (lab.make_namespace(middle), lab.make_namespace(middle)) if nested else (top, top)
    )

    with lab.judge("IRC-NS-LIST-001"):
        names = children(lab, None)
        expect.contains(list(top), names, "the top level", at=names.at)
        expect.equal(
            [],
            [n for n in names if len(n) != 1],
            "namespaces of other than one level:",
            at=names.at,
        )
    if not nested:
        return  # what else is demanded is demanded of nested namespaces
    with lab.judge("IRC-NS-LIST-002"):
        names = children(lab, top)
        expect.equal([list(middle)], names, "children", at=names.at)
    with lab.judge("IRC-NS-LIST-003"):
        names = children(lab, middle)
        expect.same_items(
            [list(bottom), list(beside)],
            names,
            "children of two levels",
            at=names.at,
        )
    with lab.judge("IRC-NS-LIST-004"):
        names = children(lab, top)
        expect.lacks(list(bottom), names, "children of the first level", at=names.at)


@check("IRC-NS-LIST-005")
def empty_parent_lists_the_top_level(lab: CatalogLab) -> None:
    """Listing with an empty `parent` returns the same namespaces as without."""
    top = lab.make_namespace()
    own = [list(top), list(lab.child_of(top) or top)]
    plain = children(lab, None)
    with lab.step("IRC-NS-LIST-001"):
        expect.contains(list(top), plain, "the top level", at=plain.at)

    with lab.judge("IRC-NS-LIST-005"):
        with_empty_parent = children(lab, "")  # others come and go
        actual, expected = (
            [one for one in own if one in names] for names in (with_empty_parent, plain)
        )
        expect.equal(
            expected,
            actual,
            "of the namespaces of this check, those that are listed:",
            at=with_empty_parent.at,
        )


@check("IRC-NS-LIST-006")
def unknown_parents_return_404(lab: CatalogLab) -> None:
    """Listing below a missing parent returns 404, at the top level and below an existing
    namespace.
    """
    top = lab.make_namespace()
    of_leaf = lab.send(op.list_namespaces, parent=top)
    replies = [
        lab.send(op.list_namespaces, parent=(lab.name(),)),
        lab.send(op.list_namespaces, parent=(*top, lab.name())),
    ]

    with lab.judge_each("IRC-NS-LIST-006") as case:
        for reply in replies:
            with case():
                if reply.status == 200:
                    with lab.step(
                        "IRC-NS-LIST-007"
                    ):  # a server that ignores parents finds them all
                        expect.equal(
                            [], names_in(of_leaf), "children", at=of_leaf.place("namespaces")
                        )
                expect.not_found(reply, "namespace")


@check("IRC-NS-LIST-007")
def namespaces_without_children_list_none(lab: CatalogLab) -> None:
    """Listing below a namespace without children returns an empty list."""
    top = lab.make_namespace()

    def none_below(parent: Namespace, what: str = "children") -> None:
        reply = lab.send(op.list_namespaces, parent=parent)
        expect.equal([], names_in(reply), what, at=reply.place("namespaces"))

    with lab.judge("IRC-NS-LIST-007"):
        none_below(top)
        leaf = lab.child_of(top)
        if leaf:
            none_below(leaf)
            lab.require(lab.send(op.drop_namespace, namespace=leaf))
            none_below(top, "children of a namespace whose only child was dropped:")


@check("IRC-NS-LIST-008")
def similar_names_are_not_children(lab: CatalogLab) -> None:
    """Listing below a namespace omits the children of others whose names begin alike or match it as
    a pattern.
    """
    stem = lab.name()
    tops = [lab.make_namespace(level=f"{stem}{tail}") for tail in ("", "b", "_c", "xc")]
    # Each child has a name of its own: under one name, that of another parent could not be told
    # from the right one.
    below = {top: lab.make_namespace(top, level=f"x{number}") for number, top in enumerate(tops)}

    with lab.judge_each("IRC-NS-LIST-008") as case:
        for top, child in below.items():
            with case():
                names = children(lab, top)
                expect.equal([list(child)], names, f"children of {top[0]}", at=names.at)


@check("IRC-NS-LIST-010")
def listings_follow_create_and_drop(lab: CatalogLab) -> None:
    """A namespace is listed after it is created and not after it is dropped, at the top level and
    below a parent.
    """
    top = lab.make_namespace()

    with lab.judge_each("IRC-NS-LIST-010") as case:
        below: list[tuple[Namespace, Namespace]] = (
            [(top, (*top, lab.name()))] if lab.child_of(top) else []
        )
        for parent, namespace in ((None, (lab.name(),)), *below):
            with case():
                names = children(lab, parent)
                expect.lacks(list(namespace), names, "the list before", at=names.at)
                lab.require(lab.send(op.create_namespace, body={"namespace": list(namespace)}))
                names = children(lab, parent)
                expect.contains(list(namespace), names, "the list after creation", at=names.at)
                if lab.offers(op.drop_namespace):
                    lab.require(lab.send(op.drop_namespace, namespace=namespace))
                    names = children(lab, parent)
                    expect.lacks(list(namespace), names, "the list after dropping", at=names.at)
