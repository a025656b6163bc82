"""Checks of namespace properties: they are set and removed, and `missing` names those that did not
exist.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Kind,
    Namespace,
    NotOffered,
    Reply,
    Wrong,
    check,
    expect,
    op,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import expect_loads, properties_of
from lakepact.conformance.checks.iceberg_rest.namespaces.create import NO_STRINGS

WRITERS = 16  #: callers side by side


def update(
    lab: CatalogLab, namespace: Namespace, *, removals: Any = (), updates: Any = None
) -> Reply:
    """Return a request that changes properties.

    Raises:
        NotOffered: the target keeps none.
    """
    if not lab.feature("namespace-properties"):
        raise NotOffered("the target keeps no properties of namespaces")
    body = {
        "removals": list(removals) if isinstance(removals, tuple) else removals,
        "updates": {} if updates is None else updates,
    }
    return lab.send(op.update_properties, namespace=namespace, body=body)


def holding(lab: CatalogLab, **properties: str) -> Namespace:
    """Return a new namespace that holds properties.

    Raises:
        NotOffered: the target keeps none.
        StepFailed: it does not hold them.
    """
    if not lab.feature("namespace-properties"):
        raise NotOffered("the target keeps no properties of namespaces")
    namespace = lab.make_namespace(properties=properties)
    with lab.step("IRC-NS-GET-002"):
        stored = properties_of(lab, namespace)
        for key, value in properties.items():
            expect.member_of(stored, key, value)
    return namespace


@check(
    "IRC-NS-PROP-001",
    "IRC-NS-PROP-002",
    "IRC-NS-PROP-003",
    "IRC-NS-PROP-004",
    "IRC-NS-PROP-005",
    "IRC-NS-PROP-015",
)
def updates_set_and_remove_properties(lab: CatalogLab) -> None:
    """Updating properties sets, replaces and removes the named keys, keeps others, and reports
    exactly the changed keys.
    """
    namespace = holding(lab, keep="k", change="old", remove="r")
    reply = update(
        lab, namespace, removals=("remove", "never"), updates={"change": "new", "add": "a"}
    )

    with lab.judge("IRC-NS-PROP-001") as case:
        expect.status(reply, 200)
        for member in ("updated", "removed"):
            with case():
                keys_by_member = reply.at(member)
                fine = isinstance(keys_by_member, list) and all(
                    isinstance(key, str) for key in keys_by_member
                )
                expect.true(
                    fine,
                    f"`{member}` as an array of strings",
                    keys_by_member,
                    at=reply.place(member),
                )
    stored = properties_of(lab, namespace)
    with lab.judge("IRC-NS-PROP-002"):
        expect.member_of(stored, "change", "new")
        expect.member_of(stored, "add", "a")
        expect.lacks("remove", stored, "properties", at=stored.place())
    with lab.judge("IRC-NS-PROP-003"):
        expect.member_of(stored, "keep", "k")
    with lab.step("IRC-NS-PROP-001"):  # a refusal has no such members
        expect.status(reply, 200)
    with lab.judge("IRC-NS-PROP-004"):
        expect.equal(
            ["add", "change"],
            sorted(reply.at("updated")),
            "updated keys",
            at=reply.place("updated"),
        )
    with lab.judge("IRC-NS-PROP-005"):
        expect.member(["remove"], reply.place("removed"), "removed keys")
    with lab.judge("IRC-NS-PROP-015") as case:
        keys_by_member = {
            "updated": reply.at("updated"),
            "removed": reply.at("removed"),
            "missing": reply.document.get("missing") or [],
        }
        for (one, keys), (other, others) in combinations(keys_by_member.items(), 2):
            for key in keys:
                with case():
                    expect.lacks(
                        key, others, f"after a key in {one}, {other}", at=reply.place(other)
                    )


@check("IRC-NS-PROP-005")
def removed_empty_values_are_reported(lab: CatalogLab) -> None:
    """Removing a property with an empty value lists its key in `removed`."""
    namespace = lab.make_namespace()
    lab.require(update(lab, namespace, updates={"empty": "", "full": "1"}), 200)
    if properties_of(lab, namespace).get("empty") != "":
        lab.skip("IRC-NS-PROP-005", "the target keeps no empty values")
        return
    reply = update(lab, namespace, removals=("empty", "full"))

    with lab.judge("IRC-NS-PROP-005"):
        expect.status(reply, 200)
        expect.equal(
            ["empty", "full"],
            sorted(reply.at("removed")),
            "removed keys",
            at=reply.place("removed"),
        )


@check("IRC-NS-PROP-006", "IRC-NS-PROP-007")
def unknown_removals_return_200(lab: CatalogLab) -> None:
    """Removing an unknown key returns 200 and lists it in `missing`, if sent, and not in
    `removed`.
    """
    namespace = holding(lab, there="1")
    reply = update(lab, namespace, removals=("there", "never"))

    with lab.judge("IRC-NS-PROP-006"):
        expect.status(reply, 200)
        expect.member(["there"], reply.place("removed"), "removed keys")
        missing = reply.document.get("missing")
        expect.true(
            missing is None or missing == ["never"],
            "`missing` to be absent, null or to hold the key",
            missing,
            at=reply.place("missing"),
        )
        stored = properties_of(lab, namespace)
        expect.lacks("there", stored, "properties", at=stored.place())
    with lab.judge("IRC-NS-PROP-007"):
        missing = lab.require(reply, 200).document.get("missing")
        texts = isinstance(missing, list) and all(isinstance(key, str) for key in missing)
        expect.true(
            missing is None or texts,
            "`missing` to be absent, null or an array of texts",
            missing,
            at=reply.place("missing"),
        )


@check("IRC-NS-PROP-008", "IRC-NS-PROP-009")
def keys_both_set_and_removed_return_422(lab: CatalogLab) -> None:
    """A request that sets and removes the same key returns 422 and changes nothing."""
    namespace = holding(lab, both="old", remove="r")
    replies = [
        update(lab, namespace, removals=("both", "remove"), updates={"both": "new", "add": "a"}),
        update(lab, namespace, removals=("new",), updates={"new": "1"}),
    ]

    with lab.judge_each("IRC-NS-PROP-008") as case:
        for reply in replies:
            with case():
                expect.status(reply, 422, mutation=Wrong.DUPLICATE("/updates"))
    if any(reply.status < 400 for reply in replies):
        raise Blocked("requests that set and remove the same key are not refused (IRC-NS-PROP-008)")
    with lab.judge("IRC-NS-PROP-009") as case:
        stored = properties_of(lab, namespace)
        expect.member_of(stored, "both", "old")
        expect.member_of(stored, "remove", "r")
        for key in ("add", "new"):
            with case():
                expect.lacks(key, stored, "properties", at=stored.place())


@check("IRC-NS-PROP-010")
def updating_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Updating properties of a missing namespace returns 404 and does not create it."""
    top = lab.make_namespace()
    absent: list[Namespace] = [(lab.name(),), *([(*top, lab.name())] if lab.child_of(top) else [])]

    with lab.judge_each("IRC-NS-PROP-010") as case:
        for namespace in absent:
            with case():
                expect.not_found(update(lab, namespace, updates={"a": "1"}), "namespace")
                expect.not_found(
                    lab.send(op.load_namespace_metadata, namespace=namespace), "namespace"
                )


@check("IRC-NS-PROP-011")
def unsupported_properties_return_406(lab: CatalogLab) -> None:
    """A server without namespace properties returns 406 when they are updated."""
    if lab.feature("namespace-properties"):
        lab.skip("IRC-NS-PROP-011", "the target keeps properties of namespaces")
        return
    namespace = lab.make_namespace()

    with lab.judge("IRC-NS-PROP-011"):
        expect.status(
            update(lab, namespace, updates={"a": "1"}),
            406,
            mutation=Wrong.VALUE("/updates"),
        )


@check("IRC-NS-PROP-012", "IRC-NS-PROP-013")
def repeated_removals_and_empty_updates_do_not_fail(lab: CatalogLab) -> None:
    """Removing a key twice in one request returns 200, 400 or 422; an empty request returns 200 and
    changes nothing.
    """
    namespace = holding(lab, a="1", b="2")
    twice = update(lab, namespace, removals=("a", "a"))
    nothing = lab.send(op.update_properties, namespace=namespace, body={})

    with lab.judge("IRC-NS-PROP-012"):
        expect.status(twice, 200, 400, 422)
        if twice.status == 200:
            expect.member(["a"], twice.place("removed"), "removed keys")
    with lab.judge("IRC-NS-PROP-013") as case:
        expect.status(nothing, 200)
        for member in ("updated", "removed"):
            with case():
                expect.member([], nothing.place(member), f"{member} keys")
        expect.member_of(properties_of(lab, namespace), "b", "2")


@check("IRC-NS-PROP-018")
def updates_or_removals_may_be_omitted(lab: CatalogLab) -> None:
    """A request with only `updates`, or with only `removals`, returns 200 and changes what it
    names.
    """
    namespace = holding(lab, a="1", b="2")
    cases: tuple[tuple[Document, dict[str, str]], ...] = (
        ({"updates": {"a": "new"}}, {"a": "new", "b": "2"}),
        ({"removals": ["b"]}, {"a": "new"}),
    )
    with lab.judge_each("IRC-NS-PROP-018") as case:
        for body, expected in cases:
            with case():
                reply = lab.send(op.update_properties, namespace=namespace, body=body)
                expect.status(reply, 200, about=f"for {expect.excerpt(body)}")
                stored = properties_of(lab, namespace)
                expect.equal(
                    expected,
                    {key: stored[key] for key in ("a", "b") if key in stored},
                    "properties",
                    at=stored.place(),
                )


@check("IRC-NS-PROP-014")
def property_values_that_are_not_strings_return_400(lab: CatalogLab) -> None:
    """Updating a property to a value that is not a string returns 400 and changes nothing."""
    namespace = holding(lab, a="old")

    with lab.judge("IRC-NS-PROP-014") as case:
        for value in NO_STRINGS:
            with case():
                reply = update(lab, namespace, updates={"b": "1", "a": value})
                expect.status(
                    reply,
                    400,
                    about=f"for the value {expect.excerpt(value)}",
                    mutation=Wrong.TYPE("/updates/*"),
                )
        stored = properties_of(lab, namespace)
        expect.member_of(stored, "a", "old")
        expect.lacks("b", stored, "properties", at=stored.place())


@check("IRC-NS-PROP-016")
def nested_namespaces_have_their_own_properties(lab: CatalogLab) -> None:
    """Updating properties of a nested namespace returns 200 and keeps those of its parents."""
    top = holding(lab, a="top")
    child = lab.child_of(top, properties={"a": "child"})
    grandchild = lab.child_of(child, properties={"a": "grandchild"}) if child else None
    if child is None or grandchild is None:
        raise Blocked(
            "namespaces of several levels are refused, or not found at their paths"
            " (IRC-NS-CREATE-009, IRC-NS-ENC-001)"
        )
    reply = update(lab, grandchild, updates={"a": "new"})

    with lab.judge("IRC-NS-PROP-016") as case:
        expect.status(reply, 200)
        for namespace, value in ((top, "top"), (child, "child"), (grandchild, "new")):
            with case():
                expect.member_of(properties_of(lab, namespace), "a", value)


@check("IRC-NS-PROP-020")
def updates_keep_tables_and_child_namespaces(lab: CatalogLab) -> None:
    """Updating properties of a namespace keeps its tables, its child namespaces and their
    tables.
    """
    top = holding(lab, a="old", b="1")
    child = lab.child_of(top, properties={"a": "child"})
    tables = [lab.load(lab.make_table(namespace)) for namespace in (top, child) if namespace]
    reply = update(lab, top, removals=("b",), updates={"a": "new"})
    with lab.step("IRC-NS-PROP-001"):
        expect.status(reply, 200)

    with lab.judge_each("IRC-NS-PROP-020") as case:
        for before in tables:
            with case():
                after = lab.send(op.load_table, **before.at)
                expect.status(
                    after, 200, about="for a table below a namespace whose properties were updated"
                )
                states.assert_same_table(lab, before, before.in_reply(after))
        if child:
            with case():
                expect_loads(lab, child)
                expect.member_of(properties_of(lab, child), "a", "child")


@check("IRC-NS-PROP-019", alone=True)
def concurrent_updates_return_200_or_409(lab: CatalogLab) -> None:
    """Concurrent property updates of one namespace return 200 or 409."""
    with lab.judge_each("IRC-NS-PROP-019") as case:
        for turn in lab.repeat(3):
            namespace = lab.make_namespace()
            updates = [
                partial(update, lab, namespace, updates={"shared": f"{turn}-{n}"})
                for n in range(WRITERS)
            ]
            updates += [
                partial(update, lab, namespace, updates={f"key{n}": "1"}) for n in range(WRITERS)
            ]
            for reply in lab.concurrently(updates):
                with case():
                    # 429 and 503 refuse a burst, whatever it is about: IRC-ERR-019 is about them.
                    expect.status(reply, 200, 409, 429, 503, about="among concurrent updates")


@check("IRC-NS-PROP-017", alone=True)
def concurrent_updates_with_200_are_kept(lab: CatalogLab) -> None:
    """When many clients set different keys concurrently, every key whose request returned 200 is
    stored.
    """
    with lab.judge_each("IRC-NS-PROP-017") as case:
        for _ in lab.repeat(3):
            with case():
                namespace = lab.make_namespace()
                keys = [f"key{n}" for n in range(2 * WRITERS)]
                replies = lab.concurrently(
                    [partial(update, lab, namespace, updates={key: key}) for key in keys]
                )
                keys_with_200 = {
                    key for key, reply in zip(keys, replies, strict=True) if reply.status == 200
                }
                stored = properties_of(lab, namespace)
                missing = sorted(keys_with_200 - set(stored))
                expected = "every key whose update returned 200 to be stored"
                expect.true(
                    not missing,
                    expected,
                    f"without {expect.excerpt(missing)}",
                    at=stored.place(),
                    kind=Kind.LOST,
                )
