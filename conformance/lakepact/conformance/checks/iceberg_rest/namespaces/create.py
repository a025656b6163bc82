"""Creating and loading namespaces."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    SUCCESS,
    CatalogLab,
    Document,
    Kind,
    Mutation,
    Namespace,
    Reply,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import side_by_side, sole_winner
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import (
    children,
    create,
    expect_loads,
    expect_namespace,
    properties_of,
)

NO_STRINGS: tuple[Any, ...] = (1, None, {}, [], True)
WRITERS = 16  #: callers side by side
NEIGHBOURS = 6  #: namespaces that are created, and as many that are dropped
WIDE = 2**31  #: numbers below which one is drawn

EXISTING = Wrong.PRESENT("namespace")
NOT_NESTED = "no namespace below another can be made and found, which other requirements judge"


@check("IRC-NS-CREATE-001", "IRC-NS-CREATE-002", "IRC-NS-CREATE-003", "IRC-NS-CREATE-004")
def create_namespace_returns_name_and_properties(lab: CatalogLab) -> None:
    """Creating a namespace returns 200 with its name and at least the properties that were sent; a
    request may omit them.
    """
    name, bare, properties = lab.name(), lab.name(), {"owner": "a", "empty": "", "żółć": "表"}
    reply = create(lab, [name], properties=properties)
    without = create(lab, [bare])

    with lab.judge_each("IRC-NS-CREATE-001") as case:
        for answer, level in ((reply, name), (without, bare)):
            with case():
                expect_namespace(answer, [level])
    for created, level in ((reply, name), (without, bare)):
        if created.status in SUCCESS:
            lab.find_namespace((level,))
    response = lab.require(reply, *SUCCESS).document.get("properties") or {}
    with lab.judge("IRC-NS-CREATE-004"):
        expect.status(without, *SUCCESS)
    with lab.judge("IRC-NS-CREATE-002"):
        expect.includes(
            properties,
            response,
            "properties",
            at=reply.place("properties"),
        )
    additions = sorted(set(response) - set(properties))
    lab.note("IRC-NS-CREATE-003", f"added by the server: {', '.join(additions) or 'nothing'}")


@check("IRC-NS-CREATE-005", "IRC-NS-CREATE-006")
def creating_existing_namespaces_returns_409(lab: CatalogLab) -> None:
    """Creating an existing namespace returns 409 and leaves its properties as they were."""
    namespace = lab.make_namespace(properties={"owner": "first"})
    child = lab.child_of(namespace, properties={"owner": "first"})
    existing = [namespace, *([child] if child else [])]
    before = [properties_of(lab, n).get("owner") for n in existing]
    replies = [create(lab, list(n), properties={"owner": "second", "new": "1"}) for n in existing]

    with lab.judge_each("IRC-NS-CREATE-005") as case:
        for reply in replies:
            with case():
                expect.status(reply, 409, mutation=EXISTING)
    with lab.judge_each("IRC-NS-CREATE-006") as case:
        for owner, stored in zip(before, [properties_of(lab, n) for n in existing], strict=True):
            with case():
                expect.member_of(stored, "owner", owner, "property owner, as before:")
                expect.lacks("new", stored, "properties", at=stored.place())


@check("IRC-NS-CREATE-007", "IRC-NS-CREATE-014", last=3)
def invalid_create_bodies_return_400(lab: CatalogLab) -> None:
    """A create request without `namespace`, or with property values that are not strings, returns
    400 and creates nothing.
    """
    wrong: dict[str, list[tuple[Namespace, Document]]] = {
        "IRC-NS-CREATE-007": [
            ((lab.name(),), {}),
            ((lab.name(),), {"properties": {}}),
            ((other := lab.name(),), {"Namespace": [other]}),
        ],
        "IRC-NS-CREATE-014": [
            ((name := lab.name(),), {"namespace": [name], "properties": {"a": value}})
            for value in NO_STRINGS
        ],
    }
    _judge_refusals(
        lab,
        wrong,
        {
            "IRC-NS-CREATE-007": Wrong.MISSING("/namespace"),
            "IRC-NS-CREATE-014": Wrong.TYPE("/properties/*"),
        },
    )


@check("IRC-NS-CREATE-017", last=5)
def levels_that_are_not_strings_return_400(lab: CatalogLab) -> None:
    """A create request whose `namespace` is not an array of strings returns 400 and creates
    nothing.
    """
    number = secrets.randbelow(
        WIDE
    )  # a server that stored it in an earlier run would answer with 409
    parent = lab.make_namespace()
    is_nested = lab.child_of(parent) is not None
    wrong: list[tuple[Namespace, Document]] = [
        ((str(number),), {"namespace": [number]}),
        *([((*parent, "null"), {"namespace": [*parent, None]})] if is_nested else []),
        ((level := lab.name(),), {"namespace": [[level]]}),
        ((level := lab.name(),), {"namespace": level}),
    ]
    _judge_refusals(
        lab, {"IRC-NS-CREATE-017": wrong}, {"IRC-NS-CREATE-017": Wrong.TYPE("/namespace")}
    )


def _judge_refusals(
    lab: CatalogLab,
    wrong: Mapping[str, Iterable[tuple[Namespace, Document]]],
    mutations: Mapping[str, Mutation],
) -> None:
    """Judge requests that have to be refused, by requirement, each with the name of a namespace
    that it may not create.
    """
    lab.make_namespace()  # a server that creates none shows nothing by its refusals
    for requirement, requests in lab.each(wrong.items()):
        with lab.judge_each(requirement) as case:
            for namespace, body in requests:
                with case(mutations[requirement]):
                    expect.status(create(lab, **body), 400, about=f"for {expect.excerpt(body)}")
                    load = lab.send(op.load_namespace_metadata, namespace=namespace)
                    if load.status not in {200, 404}:  # what is stored may be unreadable
                        names = children(lab, namespace[:-1] or None)
                        expect.lacks([*namespace], names, "namespaces", at=names.at)
                    expect.not_found(
                        load, "namespace", about="for the namespace whose creation was refused"
                    )


@check("IRC-NS-CREATE-008", "IRC-NS-CREATE-012", "IRC-NS-CREATE-013", last=2)
def unaddressable_namespaces_are_refused(lab: CatalogLab) -> None:
    """Creating a namespace without levels, with an empty level, or with the separator in a level is
    refused.
    """
    parent, wrong = lab.make_namespace(), Wrong.VALUE("/namespace")

    with lab.judge("IRC-NS-CREATE-008"):
        expect.status(create(lab, []), 400, mutation=wrong)
    with lab.judge_each("IRC-NS-CREATE-012") as case:
        for levels in ([""], [*parent, ""], ["", *parent]):
            with case():
                expect.status(create(lab, levels), 400, mutation=Wrong.VALUE("/namespace/*"))
    with lab.judge("IRC-NS-CREATE-013"):
        expect.status(
            create(lab, [f"{parent[0]}\u001fb"]),
            400,
            mutation=Wrong.VALUE("/namespace/*"),
        )
        below = children(lab, parent)
        expect.lacks([*parent, "b"], below, "children", at=below.at)


@check("IRC-NS-CREATE-009")
def child_namespaces_are_created_below_their_parent(lab: CatalogLab) -> None:
    """Creating a namespace below an existing one returns 200, and the parent lists it as a
    child.
    """
    parent = lab.make_namespace()
    child = [*parent, lab.name()]
    reply = create(lab, child, properties={"level": "2"})

    with lab.judge("IRC-NS-CREATE-009"):
        expect_namespace(reply, child)
        below, above = children(lab, parent), properties_of(lab, parent)
        expect.contains(child, below, "children", at=below.at)
        expect.lacks("level", above, "properties of the parent", at=above.place())


@check("IRC-NS-CREATE-010")
def missing_parents_are_treated_consistently(lab: CatalogLab) -> None:
    """Creating a child of a missing parent returns 200 and the child loads, or fails with 4xx and
    the child returns 404.
    """
    there, parent, child = lab.make_namespace(), lab.name(), lab.name()
    below = [*there, child]
    if create(lab, below).status == 200:
        with lab.step("IRC-NS-ENC-001"):
            expect.status(
                lab.send(op.load_namespace_metadata, namespace=tuple(below)),
                200,
                about="for a child namespace at its path",
            )
    reply = create(lab, [parent, child])
    load = lab.send(op.load_namespace_metadata, namespace=(parent, child))

    with lab.judge("IRC-NS-CREATE-010"):
        if reply.status == 200:
            expect.status(load, 200)
        else:
            expect.status(reply, 400, 404, 409, mutation=Wrong.ABSENT("parent"))
            expect.not_found(load, "namespace")
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=(parent,)))


@check("IRC-NS-CREATE-011")
def servers_without_nesting_refuse_nested_namespaces(lab: CatalogLab) -> None:
    """A server without nested namespaces refuses them with 4xx, and neither flattens nor truncates
    their names.
    """
    if lab.feature("nesting"):
        lab.skip("IRC-NS-CREATE-011", "the target nests namespaces")
        return
    parent, child = lab.make_namespace()[0], lab.name()
    reply = create(lab, [parent, child])

    with lab.judge("IRC-NS-CREATE-011") as case:
        expect.client_error(reply, mutation=Wrong.VALUE("/namespace"))
        for level in (f"{parent}.{child}", child, f"{parent}{child}"):
            with case():
                expect.not_found(
                    lab.send(op.load_namespace_metadata, namespace=(level,)), "namespace"
                )


@check("IRC-NS-CREATE-015", "IRC-NS-GET-003")
def properties_may_be_unsupported(lab: CatalogLab) -> None:
    """A server without namespace properties returns `properties` as null when a namespace is
    loaded.
    """
    if lab.feature("namespace-properties"):
        for requirement in ("IRC-NS-CREATE-015", "IRC-NS-GET-003"):
            lab.skip(requirement, "the target keeps properties of namespaces")
        return
    name = lab.name()
    reply = lab.send(op.create_namespace, body={"namespace": [name], "properties": {"a": "1"}})
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=(name,)))
    lab.note("IRC-NS-CREATE-015", f"properties are answered with status {reply.status}")
    bare = lab.make_namespace()

    with lab.judge("IRC-NS-GET-003"):
        load = lab.send(op.load_namespace_metadata, namespace=bare)
        expect.equal(
            None, load.document.get("properties"), "properties", at=load.place("properties")
        )


@check("IRC-NS-CREATE-016", alone=True)
def concurrent_creates_have_one_winner(lab: CatalogLab) -> None:
    """When many clients create the same namespace concurrently, exactly one gets 200 and the others
    get 409.
    """
    existing = lab.make_namespace()
    with lab.step("IRC-NS-CREATE-005"):
        expect.refusal(create(lab, list(existing)), mutation=EXISTING)
    with lab.judge_each("IRC-NS-CREATE-016") as case:
        for _ in lab.repeat(3):
            with case():
                name = lab.name()
                replies = lab.concurrently(
                    [
                        partial(create, lab, [name], properties={"by": str(n)})
                        for n in range(WRITERS)
                    ]
                )
                winner = str(sole_winner(replies, what="creations"))
                stored = properties_of(lab, (name,))
                if (
                    stored.get("by") is not None
                ):  # otherwise properties are not stored, and do not show the winner
                    expect.member_of(stored, "by", winner, "the winner's property")


@check("IRC-NS-CREATE-018", alone=True)
def creates_survive_concurrent_drops_of_siblings(lab: CatalogLab) -> None:
    """Creating a namespace returns 200 and the namespace loads, while other namespaces are dropped
    concurrently.
    """
    for _ in lab.each(lab.repeat(3)):
        leaving = [lab.make_namespace() for _ in range(NEIGHBOURS)]
        coming = [lab.name() for _ in range(NEIGHBOURS)]
        creates = [partial(create, lab, [name]) for name in coming]
        drops = [partial(lab.send, op.drop_namespace, namespace=namespace) for namespace in leaving]
        replies = side_by_side(lab, [*creates, *drops], what="requests for different namespaces")[
            :NEIGHBOURS
        ]
        with lab.judge_each("IRC-NS-CREATE-018") as case:
            for name, reply in zip(coming, replies, strict=True):
                with case():
                    expect.status(reply, 200, about="while other namespaces are dropped")
                    expect.status(
                        lab.send(op.load_namespace_metadata, namespace=(name,)),
                        200,
                        about="for the created namespace",
                    )


@check("IRC-NS-GET-001", "IRC-NS-GET-002", "IRC-NS-GET-004")
def load_namespace_returns_full_path_and_properties(lab: CatalogLab) -> None:
    """Loading a namespace returns its full path and all its properties as strings."""
    top, properties = lab.make_namespace(), {"a": "1", "b": "two words", "c": ""}
    full = [lab.make_namespace(properties=properties), lab.child_of(top, properties=properties)]
    there = [namespace for namespace in full if namespace]

    with lab.judge_each("IRC-NS-GET-001") as case:
        for namespace in (top, *there):
            with case():
                expect_loads(lab, namespace)
    with lab.judge_each("IRC-NS-GET-002") as case:
        for namespace in there:
            with case():
                stored = properties_of(lab, namespace)
                expect.includes(
                    properties,
                    stored,
                    "properties",
                    at=stored.place(),
                )
                for key, value in stored.items():
                    expect.true(
                        isinstance(value, str),
                        "strings as values",
                        {key: value},
                        at=stored.place(key),
                        kind=Kind.TYPE,
                    )
    with lab.judge("IRC-NS-GET-004"):
        properties_of(lab, top)


@check("IRC-NS-GET-005", "IRC-NS-GET-006", "IRC-NS-HEAD-001", "IRC-NS-HEAD-002", "IRC-NS-HEAD-003")
def head_and_get_of_namespaces_agree(lab: CatalogLab) -> None:
    """GET and HEAD of a namespace return 200 and 204 while it exists, and 404 before it is created
    and after it is dropped.
    """
    top = lab.make_namespace()
    levels: list[Namespace] = [(lab.name(),), *([(*top, lab.name())] if lab.child_of(top) else [])]
    here: list[tuple[Reply, Reply | None]] = []
    absent: list[tuple[Reply, Reply | None]] = []

    def get_and_head(namespace: Namespace) -> tuple[Reply, Reply | None]:
        got = lab.send(op.load_namespace_metadata, namespace=namespace)
        return got, lab.send(op.namespace_exists, namespace=namespace) if lab.offers(
            op.namespace_exists
        ) else None

    for namespace in levels:
        absent.append(get_and_head(namespace))
        lab.require(lab.send(op.create_namespace, body={"namespace": list(namespace)}))
        here.append(get_and_head(namespace))
        if lab.offers(op.drop_namespace):
            lab.require(lab.send(op.drop_namespace, namespace=namespace))
            absent.append(get_and_head(namespace))

    of_one = len(absent) // len(levels)
    _judge_not_found(lab, "IRC-NS-GET-005", [got for got, _ in absent[:of_one]])
    if levels[1:]:
        _judge_not_found(lab, "IRC-NS-GET-006", [got for got, _ in absent[of_one:]])
    else:
        lab.skip("IRC-NS-GET-006", NOT_NESTED)
    if not lab.offers(op.namespace_exists):
        for requirement in ("IRC-NS-HEAD-001", "IRC-NS-HEAD-002", "IRC-NS-HEAD-003"):
            lab.skip(requirement, "the target does not declare namespaceExists")
        return
    _judge_status(lab, "IRC-NS-HEAD-001", 204, [head for _, head in here if head])
    _judge_not_found(lab, "IRC-NS-HEAD-002", [head for _, head in absent if head])
    with lab.judge_each("IRC-NS-HEAD-003") as case:
        for got, head in ((got, head) for got, head in (*here, *absent) if head):
            with case():
                if got.status == 200:
                    expect.status(head, 200, 204, about="because GET returned 200")
                else:
                    expect.refusal(
                        head,
                        about=f"because GET returned {got.status}",
                        mutation=Wrong.ABSENT("namespace"),
                    )


def _judge_not_found(lab: CatalogLab, requirement: str, replies: Iterable[Reply]) -> None:
    """Judge the status of each of several replies about a namespace that does not exist."""
    with lab.judge_each(requirement) as case:
        for reply in replies:
            with case():
                expect.not_found(reply, "namespace")


def _judge_status(lab: CatalogLab, requirement: str, status: int, replies: Iterable[Reply]) -> None:
    """Judge the status of each of several replies."""
    with lab.judge_each(requirement) as case:
        for reply in replies:
            with case():
                expect.status(reply, status)
