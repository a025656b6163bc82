"""Builders of commit requirements, and the answers that they lead to when they hold or fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import set_properties
from lakepact.conformance.checks.iceberg_rest.kit.steps import refused_alone
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table

    Update = Mapping[str, Any]
    from collections.abc import Sequence


Assertion = dict[str, Any]
Cases = dict[str, Assertion | list[Assertion]]  #: what is so of a commit, and what it asserts although or because it is so

ASSERT_CREATE: Assertion = {"type": "assert-create"}

#: The UUID of no table.
UNKNOWN_REQUIREMENT = {"type": "assert-lakepact-no-such-type", "ref": "main", "snapshot-id": None}  #: of no version of the contract
NOBODY = "00000000-0000-4000-8000-000000000000"

HARMLESS: Mapping[str, Any] = set_properties(lakepact="committed")  #: an update that every table can take, as often as one likes


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


def judge_answers(
    lab: CatalogLab,
    requirement: str,
    table: Table,
    *,
    cases: Mapping[str, Assertion | list[Assertion]],
    allowed: Sequence[int],
    updates: Sequence[Mapping[str, Any]] = (HARMLESS,),
    several: bool = False,
) -> None:
    """Judge a requirement by the statuses that commits with some assertions are answered with.

    Args:
        lab: the bench.
        requirement: its id.
        table: the table that they are for.
        cases: what is so of each commit, and what it asserts.
        allowed: the statuses that are right for all of them.
        updates: of each commit.
        several: judge how assertions stand together, so that one which fails has to be refused alone.
    """
    for situation, asserted in lab.each(cases.items()):
        assertions = asserted if isinstance(asserted, list) else [asserted]
        reply = lab.try_commit(table, *updates, requirements=assertions)
        with lab.judge(requirement):
            if several and reply.status < 400:
                refused_alone(lab, table, HARMLESS, assertions)
            expect.status(reply, *allowed, about=f"when {situation}")
