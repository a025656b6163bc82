"""Properties of namespaces: set, removed, and told apart from those that were never there."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import properties_of
from lakepact.conformance.checks.iceberg_rest.namespaces.create import NO_STRINGS
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.outcome import Blocked, NotOffered
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
    from lakepact.conformance.exchanges import Reply

WRITERS = 16  #: callers side by side


def update(lab: CatalogLab, namespace: Namespace, *, removals: Any = (), updates: Any = None) -> Reply:
    """Return a request that changes properties.

    Raises:
        NotOffered: the target keeps none.
    """
    if not lab.feature("namespace-properties"):
        raise NotOffered("the target keeps no properties of namespaces")
    body = {"removals": list(removals) if isinstance(removals, tuple) else removals, "updates": {} if updates is None else updates}
    return lab.send(op.update_properties, namespace=namespace, body=body)


@check("IRC-NS-PROP-001", "IRC-NS-PROP-002", "IRC-NS-PROP-003", "IRC-NS-PROP-004", "IRC-NS-PROP-005", "IRC-NS-PROP-015")
def properties_are_set_and_removed(lab: CatalogLab) -> None:
    """Keys are added, overwritten and removed as asked, others stay, and the answer lists exactly what was done."""
    namespace = lab.make_namespace(properties={"keep": "k", "change": "old", "remove": "r"})
    reply = update(lab, namespace, removals=("remove", "never"), updates={"change": "new", "add": "a"})

    with lab.judge("IRC-NS-PROP-001") as case:
        expect.status(reply, 200)
        for member in ("updated", "removed"):
            with case():
                listed = reply.at(member)
                fine = isinstance(listed, list) and all(isinstance(key, str) for key in listed)
                expect.true(fine, f"`{member}` as an array of strings", listed)
    stored = properties_of(lab, namespace)
    with lab.judge("IRC-NS-PROP-002"):
        expect.equal(["new", "a"], [stored.get("change"), stored.get("add")], "values of the keys that were set")
        expect.lacks("remove", stored, "properties")
    with lab.judge("IRC-NS-PROP-003"):
        expect.equal("k", stored.get("keep"), "property keep")
    with lab.judge("IRC-NS-PROP-004"):
        expect.equal(["add", "change"], sorted(reply.at("updated")), "updated keys")
    with lab.judge("IRC-NS-PROP-005"):
        expect.equal(["remove"], reply.at("removed"), "removed keys")
    with lab.judge("IRC-NS-PROP-015") as case:
        listed = {"updated": reply.at("updated"), "removed": reply.at("removed"), "missing": reply.document.get("missing") or []}
        for (one, keys), (other, others) in combinations(listed.items(), 2):
            for key in keys:
                with case():
                    expect.lacks(key, others, f"after a key in {one}, {other}")


@check("IRC-NS-PROP-005")
def empty_values_are_removed_like_others(lab: CatalogLab) -> None:
    """A property whose value is empty was there, and counts as removed."""
    namespace = lab.make_namespace()
    lab.require(update(lab, namespace, updates={"empty": "", "full": "1"}), 200)
    if properties_of(lab, namespace).get("empty") != "":
        lab.skip("IRC-NS-PROP-005", "the target keeps no empty values")
        return
    reply = update(lab, namespace, removals=("empty", "full"))

    with lab.judge("IRC-NS-PROP-005"):
        expect.status(reply, 200)
        expect.equal(["empty", "full"], sorted(reply.at("removed")), "removed keys")


@check("IRC-NS-PROP-006", "IRC-NS-PROP-007")
def unknown_removals_are_a_partial_success(lab: CatalogLab) -> None:
    """Removing a key that is not there succeeds, is not counted as removed, and is listed as missing where that is listed."""
    namespace = lab.make_namespace(properties={"there": "1"})
    reply = update(lab, namespace, removals=("there", "never"))

    with lab.judge("IRC-NS-PROP-006"):
        expect.status(reply, 200)
        expect.equal(["there"], reply.at("removed"), "removed keys")
        missing = reply.document.get("missing")
        expect.true(missing is None or missing == ["never"], "`missing` to be absent, null or to hold the key", missing)
        expect.lacks("there", properties_of(lab, namespace), "properties")
    with lab.judge("IRC-NS-PROP-007"):
        missing = lab.require(reply, 200).document.get("missing")
        texts = isinstance(missing, list) and all(isinstance(key, str) for key in missing)
        expect.true(missing is None or texts, "`missing` to be absent, null or an array of texts", missing)


@check("IRC-NS-PROP-008", "IRC-NS-PROP-009")
def contradictions_change_nothing(lab: CatalogLab) -> None:
    """A key that is to be set and removed at once is a 422, and nothing of the request happens."""
    namespace = lab.make_namespace(properties={"both": "old", "remove": "r"})
    replies = [
        update(lab, namespace, removals=("both", "remove"), updates={"both": "new", "add": "a"}),
        update(lab, namespace, removals=("new",), updates={"new": "1"}),
    ]

    with lab.judge_each("IRC-NS-PROP-008") as case:
        for reply in replies:
            with case():
                expect.status(reply, 422)
    if any(reply.status < 400 for reply in replies):
        raise Blocked("what contradicts itself is not refused (IRC-NS-PROP-008)")
    with lab.judge("IRC-NS-PROP-009") as case:
        stored = properties_of(lab, namespace)
        expect.equal(["old", "r"], [stored.get("both"), stored.get("remove")], "values as before:")
        for key in ("add", "new"):
            with case():
                expect.lacks(key, stored, "properties")


@check("IRC-NS-PROP-010")
def missing_namespaces_have_no_properties(lab: CatalogLab) -> None:
    """Changing properties of a namespace that does not exist is a 404, at every level, and makes none."""
    top = lab.make_namespace()
    absent: list[Namespace] = [(lab.name(),), *([(*top, lab.name())] if lab.child_of(top) else [])]

    with lab.judge_each("IRC-NS-PROP-010") as case:
        for namespace in absent:
            with case():
                expect.status(update(lab, namespace, updates={"a": "1"}), 404)
                expect.status(lab.send(op.load_namespace_metadata, namespace=namespace), 404)


@check("IRC-NS-PROP-011")
def who_keeps_no_properties_says_so(lab: CatalogLab) -> None:
    """A server without properties of namespaces returns 406."""
    if lab.feature("namespace-properties"):
        lab.skip("IRC-NS-PROP-011", "the target keeps properties of namespaces")
        return
    namespace = lab.make_namespace()

    with lab.judge("IRC-NS-PROP-011"):
        expect.status(update(lab, namespace, updates={"a": "1"}), 406)


@check("IRC-NS-PROP-012", "IRC-NS-PROP-013")
def odd_requests_are_no_server_errors(lab: CatalogLab) -> None:
    """A key that is to be removed twice is refused or removed once, and a request for nothing does nothing."""
    namespace = lab.make_namespace(properties={"a": "1", "b": "2"})
    twice = update(lab, namespace, removals=("a", "a"))
    nothing = lab.send(op.update_properties, namespace=namespace, body={})

    with lab.judge("IRC-NS-PROP-012"):
        expect.status(twice, 200, 400, 422)
        if twice.status == 200:
            expect.equal(["a"], twice.at("removed"), "removed keys")
    with lab.judge("IRC-NS-PROP-013"):
        expect.status(nothing, 200)
        expect.equal([[], []], [nothing.at("updated"), nothing.at("removed")], "updated and removed keys")
        expect.equal("2", properties_of(lab, namespace).get("b"), "property b")


@check("IRC-NS-PROP-018")
def either_member_may_be_left_out(lab: CatalogLab) -> None:
    """A request with only `updates`, or with only `removals`, returns 200 and changes what it names."""
    namespace = lab.make_namespace(properties={"a": "1", "b": "2"})
    cases: tuple[tuple[dict[str, Any], dict[str, str]], ...] = (
        ({"updates": {"a": "new"}}, {"a": "new", "b": "2"}),
        ({"removals": ["b"]}, {"a": "new"}),
    )
    with lab.judge_each("IRC-NS-PROP-018") as case:
        for body, wanted in cases:
            with case():
                reply = lab.send(op.update_properties, namespace=namespace, body=body)
                expect.status(reply, 200, about=f"for {expect.shown(body)}")
                stored = properties_of(lab, namespace)
                expect.equal(wanted, {key: stored[key] for key in ("a", "b") if key in stored}, "properties")


@check("IRC-NS-PROP-014")
def values_are_strings(lab: CatalogLab) -> None:
    """A value that is not a string is refused with 400, and nothing of the request happens."""
    namespace = lab.make_namespace(properties={"a": "old"})

    with lab.judge("IRC-NS-PROP-014") as case:
        for value in NO_STRINGS:
            with case():
                reply = update(lab, namespace, updates={"b": "1", "a": value})
                expect.status(reply, 400, about=f"for the value {expect.shown(value)}")
        stored = properties_of(lab, namespace)
        expect.equal("old", stored.get("a"), "property a")
        expect.lacks("b", stored, "properties")


@check("IRC-NS-PROP-016")
def deep_namespaces_have_properties(lab: CatalogLab) -> None:
    """Properties of a namespace of several levels are changed, and those of its parents are not."""
    top = lab.make_namespace(properties={"a": "top"})
    child = lab.child_of(top, properties={"a": "child"})
    grandchild = lab.child_of(child, properties={"a": "grandchild"}) if child else None
    if child is None or grandchild is None:
        raise Blocked("namespaces of several levels are refused, or not found at their paths (IRC-NS-CREATE-009, IRC-NS-ENC-001)")
    reply = update(lab, grandchild, updates={"a": "new"})

    with lab.judge("IRC-NS-PROP-016"):
        expect.status(reply, 200)
        values = [properties_of(lab, namespace).get("a") for namespace in (top, child, grandchild)]
        expect.equal(["top", "child", "new"], values, "values of the three levels")


@check("IRC-NS-PROP-019", alone=True)
def parallel_updates_are_made_or_conflicts(lab: CatalogLab) -> None:
    """Many callers that update one namespace at once get 200 each, or 409 to send their update again."""
    with lab.judge_each("IRC-NS-PROP-019") as case:
        for turn in lab.repeat(3):
            namespace = lab.make_namespace()
            updates = [partial(update, lab, namespace, updates={"shared": f"{turn}-{n}"}) for n in range(WRITERS)]
            updates += [partial(update, lab, namespace, updates={f"key{n}": "1"}) for n in range(WRITERS)]
            for reply in lab.concurrently(updates):
                with case():
                    # 429 and 503 refuse a burst, whatever it is about: IRC-ERR-019 is about them.
                    expect.status(reply, 200, 409, 429, 503, about="among simultaneous updates")


@check("IRC-NS-PROP-017", alone=True)
def parallel_updates_are_all_kept(lab: CatalogLab) -> None:
    """Of many callers that set different keys at once, none loses what another was told is done."""
    with lab.judge_each("IRC-NS-PROP-017") as case:
        for _ in lab.repeat(3):
            with case():
                namespace = lab.make_namespace()
                keys = [f"key{n}" for n in range(2 * WRITERS)]
                replies = lab.concurrently([partial(update, lab, namespace, updates={key: key}) for key in keys])
                accepted = {key for key, reply in zip(keys, replies, strict=True) if reply.status == 200}
                stored = properties_of(lab, namespace)
                expect.equal([], sorted(accepted - set(stored)), "keys that were accepted and lost:")
