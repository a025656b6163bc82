"""Builders of commit requirements, and the answers that they lead to when they hold or fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table, set_properties
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Mutation, Wrong
from lakepact.conformance.judging import expect

Update = Mapping[str, Any]

Assertion = dict[str, Any]
Cases = dict[
    str, Assertion | list[Assertion]
]  #: what is so of a commit, and what it asserts although or because it is so

CONFLICT = "IRC-COM-005"  #: a commit whose requirement does not hold is refused
ASSERT_CREATE: Assertion = {"type": "assert-create"}

UNKNOWN_TYPE = Mutation(Wrong.VALUE, "/requirements/*/type")
UNKNOWN_REQUIREMENT = {
    "type": "assert-lakepact-no-such-type",
    "ref": "main",
    "snapshot-id": None,
}  #: of no version of the contract
#: The UUID of no table.
NOBODY = "00000000-0000-4000-8000-000000000000"

HARMLESS: Mapping[str, Any] = set_properties(
    lakepact="committed"
)  #: an update that every table can take, as often as one likes


def assert_uuid(uuid: Any) -> Assertion:
    """The table has this UUID."""
    return {"type": "assert-table-uuid", "uuid": uuid}


def assert_ref(ref: str, snapshot_id: int | None) -> Assertion:
    """The branch or tag is at this snapshot or, for None, does not exist."""
    return {"type": "assert-ref-snapshot-id", "ref": ref, "snapshot-id": snapshot_id}


def assert_last_field(field_id: Any) -> Assertion:
    """Return the last column id of the table is this."""
    return {"type": "assert-last-assigned-field-id", "last-assigned-field-id": field_id}


def assert_schema(schema_id: Any) -> Assertion:
    """Return the current schema of the table is this."""
    return {"type": "assert-current-schema-id", "current-schema-id": schema_id}


def assert_last_partition(field_id: Any) -> Assertion:
    """Return the last partition id of the table is this."""
    return {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": field_id}


def assert_spec(spec_id: Any) -> Assertion:
    """Return the default partition spec of the table is this."""
    return {"type": "assert-default-spec-id", "default-spec-id": spec_id}


def assert_order(order_id: Any) -> Assertion:
    """Return the default sort order of the table is this."""
    return {"type": "assert-default-sort-order-id", "default-sort-order-id": order_id}


def stale(assertion: Mapping[str, Any]) -> Mutation:
    """Return the mistake of a commit whose assertion does not hold."""
    return Mutation(Wrong.STALE, assertion["type"])


def expect_refusal_alone(
    lab: CatalogLab, table: Table, assertions: Sequence[Assertion], mutation: Mutation
) -> None:
    """Check that of assertions which were accepted together, the one that fails is refused by a
    commit that has no other.

    Raises:
        StepFailed: all of them are accepted alone, although they fail together.
    """
    replies = [
        lab.try_commit(table, HARMLESS, requirements=[assertion]) for assertion in assertions
    ]
    with lab.step(CONFLICT):
        kinds = ", ".join(dict.fromkeys(str(assertion.get("type")) for assertion in assertions))
        about = f"of one of the commits with {kinds} alone, since one does not hold"
        expect.refusal(max(replies, key=lambda reply: reply.status), about=about, mutation=mutation)


def judge_without(
    lab: CatalogLab, requirement: str, table: Table, assertion: Assertion, member: str
) -> None:
    """Judge a requirement by a commit whose assertion, which holds, lacks a required member."""
    cases: Cases = {
        f"there is no {member}": {
            name: value for name, value in assertion.items() if name != member
        }
    }
    mutation = Mutation(Wrong.MISSING, f"/requirements/*/{member}")
    judge_answers(lab, requirement, table, cases=cases, allowed=[400], mutation=mutation)


def judge_answers(
    lab: CatalogLab,
    requirement: str,
    table: Table,
    *,
    cases: Mapping[str, Assertion | list[Assertion]],
    allowed: Sequence[int],
    updates: Sequence[Mapping[str, Any]] = (HARMLESS,),
    several: bool = False,
    mutation: Mutation | None = None,
) -> None:
    """Judge a requirement by the statuses that commits with some assertions are answered with.

    Args:
        lab: the lab of the check.
        requirement: its id.
        table: the table that they are for.
        cases: what is so of each commit, and what it asserts.
        allowed: the statuses that are right for all of them.
        updates: of each commit.
        several: judge how assertions stand together, so that one which fails has to be refused
            alone.
        mutation: the mistake of commits that have to be refused; by default their last assertion
            does not hold.
    """
    for situation, one_or_more in lab.each(cases.items()):
        assertions = one_or_more if isinstance(one_or_more, list) else [one_or_more]
        wrong = mutation or (stale(assertions[-1]) if min(allowed) >= LOWEST_ERROR else None)
        reply = lab.try_commit(table, *updates, requirements=assertions)
        with lab.judge(requirement):
            if several and reply.status < 400:
                expect_refusal_alone(lab, table, assertions, wrong or stale(assertions[-1]))
            expect.status(reply, *allowed, about=f"when {situation}", mutation=wrong)
