"""Builders of commit requirements, and the answers that they lead to when they hold or fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table, set_properties
from lakepact.conformance.evidence.exchanges import Document, Members
from lakepact.conformance.evidence.outcome import ASSERT_REF, LOWEST_ERROR, Mutation, Wrong
from lakepact.conformance.judging import expect

Assertion = Document
Cases = dict[str, Assertion | list[Assertion]]  #: the situation of a commit, and its assertions

CONFLICT = "IRC-COM-005"  #: a commit whose requirement does not hold is refused
ASSERT_CREATE: Assertion = {"type": "assert-create"}
#: By type of an assertion about a number: its member, and the one of the metadata that it is about.
NUMBERS = {
    "assert-last-assigned-field-id": ("last-assigned-field-id", "last-column-id"),
    "assert-current-schema-id": ("current-schema-id", "current-schema-id"),
    "assert-last-assigned-partition-id": ("last-assigned-partition-id", "last-partition-id"),
    "assert-default-spec-id": ("default-spec-id", "default-spec-id"),
    "assert-default-sort-order-id": ("default-sort-order-id", "default-sort-order-id"),
}

UNKNOWN_TYPE = Wrong.VALUE("/requirements/*/type")
UNKNOWN_REQUIREMENT = {
    "type": "assert-lakepact-no-such-type",
    "ref": "main",
    "snapshot-id": None,
}  #: of no version of the contract
#: The UUID of no table.
NOBODY = "00000000-0000-4000-8000-000000000000"

HARMLESS: Members = set_properties(
    lakepact="committed"
)  #: an update that every table accepts, any number of times


def assert_uuid(uuid: Any) -> Assertion:
    """Return the assertion that the table has a UUID."""
    return {"type": "assert-table-uuid", "uuid": uuid}


def assert_ref(ref: str, snapshot_id: int | None) -> Assertion:
    """Return the assertion that a branch or tag is at a snapshot or, for None, does not exist."""
    return {"type": ASSERT_REF, "ref": ref, "snapshot-id": snapshot_id}


def assert_last_field(field_id: Any) -> Assertion:
    """Return the assertion about the last column id of the table."""
    return {"type": "assert-last-assigned-field-id", "last-assigned-field-id": field_id}


def assert_schema(schema_id: Any) -> Assertion:
    """Return the assertion about the id of the current schema."""
    return {"type": "assert-current-schema-id", "current-schema-id": schema_id}


def assert_last_partition(field_id: Any) -> Assertion:
    """Return the assertion about the last partition field id of the table."""
    return {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": field_id}


def assert_spec(spec_id: Any) -> Assertion:
    """Return the assertion about the id of the default partition spec."""
    return {"type": "assert-default-spec-id", "default-spec-id": spec_id}


def assert_order(order_id: Any) -> Assertion:
    """Return the assertion about the id of the default sort order."""
    return {"type": "assert-default-sort-order-id", "default-sort-order-id": order_id}


def stale(assertion: Members) -> Mutation:
    """Return the mutation of a commit with an assertion that does not hold."""
    return Wrong.STALE(assertion["type"])


def expect_refusal_alone(
    lab: CatalogLab, table: Table, assertions: Sequence[Assertion], mutation: Mutation
) -> None:
    """Check that one of several assertions is refused in a commit of its own.

    Raises:
        StepFailed: the server accepts each of them alone, although one does not hold.
    """
    replies = [
        lab.try_commit(table, HARMLESS, requirements=[assertion]) for assertion in assertions
    ]
    with lab.step(CONFLICT):
        kinds = ", ".join(dict.fromkeys(str(assertion.get("type")) for assertion in assertions))
        about = f"of one of the commits with {kinds} alone, since one does not hold"
        expect.refusal(max(replies, key=lambda reply: reply.status), about=about, mutation=mutation)


@dataclass(frozen=True)
class Commits:
    """Commits to a table with assertions, which are judged by their statuses."""

    lab: CatalogLab
    table: Table

    def judge(
        self,
        requirement: str,
        cases: Mapping[str, Assertion | list[Assertion]],
        *allowed: int,
        updates: Sequence[Members] = (HARMLESS,),
        several: bool = False,
        mutation: Mutation | None = None,
    ) -> None:
        """Judge a requirement by the statuses of commits with some assertions.

        Args:
            requirement: its id.
            cases: the situation of each commit, and its assertions.
            allowed: the statuses that are right for all of them.
            updates: of each commit.
            several: whether a commit that is accepted shows that the server checks only one of its
                assertions: then the one that fails must be refused in a commit of its own.
            mutation: of commits that must be refused; by default their last assertion does not
                hold.
        """
        for situation, one_or_more in self.lab.each(cases.items()):
            assertions = one_or_more if isinstance(one_or_more, list) else [one_or_more]
            wrong = mutation or (stale(assertions[-1]) if min(allowed) >= LOWEST_ERROR else None)
            reply = self.lab.try_commit(self.table, *updates, requirements=assertions)
            with self.lab.judge(requirement):
                if several and reply.status < 400:
                    expect_refusal_alone(
                        self.lab, self.table, assertions, wrong or stale(assertions[-1])
                    )
                expect.status(reply, *allowed, about=f"when {situation}", mutation=wrong)

    def judge_without(self, requirement: str, assertion: Assertion, member: str) -> None:
        """Judge a requirement by a commit whose assertion, which holds, lacks a required member."""
        lacking = {name: value for name, value in assertion.items() if name != member}
        mutation = Wrong.MISSING(f"/requirements/*/{member}")
        self.judge(requirement, {f"there is no {member}": lacking}, 400, mutation=mutation)
