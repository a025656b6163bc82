"""A commit whose requirements do not hold returns 409 with the expected and the found value."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.table.update import TableRequirement

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS, check
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td
from sample_tables.commit_sequences import commits, tables

if TYPE_CHECKING:
    from collections.abc import Callable

Document = dict[str, Any]

REQUIREMENT: TypeAdapter[Any] = TypeAdapter(TableRequirement)
EMPTY = td.table()
WITH_MAIN = td.appended(EMPTY, 11)
OTHER = "00000000-0000-4000-8000-000000000000"
SAID = "Requirement failed: "  #: as Iceberg's own library begins
ADVICE = "; load the table and commit on top of what it is now"


def conflict(metadata: Document | None, *requirements: Document) -> str:
    said = td.complaint(lambda: check(metadata, requirements), status=409, kind="CommitFailedException")

    assert said.startswith(SAID)
    assert said.endswith(ADVICE)
    return said.removeprefix(SAID).removesuffix(ADVICE)


def refused(metadata: Document | None, *requirements: Document) -> str:
    return td.complaint(lambda: check(metadata, requirements))


def asserts(kind: str, **members: Any) -> Document:
    return {"type": kind, **{name.replace("_", "-"): value for name, value in members.items()}}


def test_no_requirements_hold_for_any_table() -> None:
    check(EMPTY, [])


def test_creation_needs_that_there_is_no_table() -> None:
    check(None, [asserts("assert-create")])

    assert conflict(EMPTY, asserts("assert-create")) == f"table already exists: expected none, found the table with uuid {td.UUID}"


def test_creation_goes_with_no_other_requirement() -> None:
    said = refused(None, asserts("assert-create"), asserts("assert-table-uuid", uuid=td.UUID))

    assert said == (
        "at /requirements: assert-create requires that the table does not exist, "
        "so it cannot be combined with other requirements; send it alone"
    )


def test_other_requirements_do_not_hold_without_a_table() -> None:
    assert conflict(None, asserts("assert-current-schema-id", current_schema_id=0)) == ("current schema changed: expected 0, found none")


@pytest.mark.parametrize("uuid", [td.UUID, td.UUID.upper()])
def test_a_uuid_is_the_same_in_any_case(uuid: str) -> None:
    check(EMPTY, [asserts("assert-table-uuid", uuid=uuid)])


def test_another_uuid_is_a_conflict() -> None:
    assert conflict(EMPTY, asserts("assert-table-uuid", uuid=OTHER)) == f"UUID does not match: expected '{OTHER}', found {td.UUID}"


def test_branch_at_another_snapshot_is_a_conflict() -> None:
    check(WITH_MAIN, [asserts("assert-ref-snapshot-id", ref="main", snapshot_id=11)])

    assert conflict(WITH_MAIN, asserts("assert-ref-snapshot-id", ref="main", snapshot_id=10)) == (
        "branch or tag 'main' changed: expected 10, found 11"
    )


def test_tag_at_another_snapshot_is_a_conflict() -> None:
    tagged = td.committed(WITH_MAIN, td.tag("v1", 11))
    check(tagged, [asserts("assert-ref-snapshot-id", ref="v1", snapshot_id=11)])

    assert conflict(tagged, asserts("assert-ref-snapshot-id", ref="v1", snapshot_id=12)) == (
        "branch or tag 'v1' changed: expected 12, found 11"
    )


def test_null_snapshot_id_asserts_a_missing_branch() -> None:
    check(EMPTY, [asserts("assert-ref-snapshot-id", ref="main", snapshot_id=None)])
    check(EMPTY, [asserts("assert-ref-snapshot-id", ref="audit", snapshot_id=None)])

    assert conflict(WITH_MAIN, asserts("assert-ref-snapshot-id", ref="main", snapshot_id=None)) == (
        "branch or tag 'main' changed: expected none, found 11"
    )


def test_a_missing_branch_is_a_conflict() -> None:
    assert conflict(WITH_MAIN, asserts("assert-ref-snapshot-id", ref="nope", snapshot_id=11)) == (
        "branch or tag 'nope' changed: expected 11, found none"
    )


def test_an_absent_snapshot_id_is_not_null() -> None:
    said = refused(EMPTY, asserts("assert-ref-snapshot-id", ref="main"))

    assert said == "at /requirements/0/snapshot-id: is missing; send null if the branch or tag must not exist"


def test_snapshot_ids_are_compared_to_the_last_bit() -> None:
    metadata = td.appended(EMPTY, 2**53 + 1)

    assert conflict(metadata, asserts("assert-ref-snapshot-id", ref="main", snapshot_id=2**53 + 2)) == (
        f"branch or tag 'main' changed: expected {2**53 + 2}, found {2**53 + 1}"
    )


@pytest.mark.parametrize(
    ("kind", "member", "found", "what"),
    [
        ("assert-last-assigned-field-id", "last-assigned-field-id", 5, "last assigned field id"),
        ("assert-current-schema-id", "current-schema-id", 0, "current schema"),
        ("assert-last-assigned-partition-id", "last-assigned-partition-id", 999, "last assigned partition id"),
        ("assert-default-spec-id", "default-spec-id", 0, "default partition spec"),
        ("assert-default-sort-order-id", "default-sort-order-id", 0, "default sort order"),
    ],
)
def test_id_other_than_the_current_is_a_conflict(kind: str, member: str, found: int, what: str) -> None:
    check(EMPTY, [{"type": kind, member: found}])

    assert conflict(EMPTY, {"type": kind, member: 77}) == f"{what} changed: expected 77, found {found}"


def test_the_last_field_id_counts_columns_that_are_gone() -> None:
    wider = td.struct(*td.ORDERS["fields"], td.field(6, "note", "string"))
    added = td.committed(EMPTY, td.update("add-schema", schema=wider), td.update("set-current-schema", schema_id=-1))
    dropped = td.committed(added, td.update("set-current-schema", schema_id=0), td.update("remove-schemas", schema_ids=[1]))

    check(dropped, [asserts("assert-last-assigned-field-id", last_assigned_field_id=6)])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_all_requirements_are_looked_at_in_any_order(order: tuple[int, int]) -> None:
    requirements = [asserts("assert-table-uuid", uuid=td.UUID), asserts("assert-current-schema-id", current_schema_id=9)]

    assert conflict(EMPTY, *(requirements[index] for index in order)) == "current schema changed: expected 9, found 0"


def test_requirements_of_one_kind_are_all_looked_at() -> None:
    requirements = [asserts("assert-ref-snapshot-id", ref=name, snapshot_id=11) for name in ("main", "audit")]

    assert conflict(WITH_MAIN, *requirements) == "branch or tag 'audit' changed: expected 11, found none"


@pytest.mark.parametrize("kind", ["assert-view-uuid", "assert-irc", "Assert-Create", None, 5])
def test_an_unknown_requirement_is_refused_even_when_another_does_not_hold(kind: Any) -> None:
    said = refused(EMPTY, asserts("assert-current-schema-id", current_schema_id=9), {"type": kind})

    assert said.startswith("at /requirements/1/type: ")
    assert said.endswith(", ".join(PRECONDITIONS))


@pytest.mark.parametrize("value", [0.0, 2**31, True, "0", None])
def test_an_id_that_is_no_exact_integer_is_refused(value: Any) -> None:
    said = refused(EMPTY, asserts("assert-current-schema-id", current_schema_id=value))

    assert said.startswith("at /requirements/0/current-schema-id: expected an integer from -2147483648 to 2147483647")


def requirements_near(metadata: Document) -> st.SearchStrategy[Document]:
    """Return requirements that hold about as often as not."""
    around = {member: st.integers(metadata[of] - 1, metadata[of] + 1) for of, member in _IDS.items()}
    snapshot_ids = [snapshot["snapshot-id"] for snapshot in metadata["snapshots"]]
    return st.one_of(
        st.just(asserts("assert-create")),
        st.builds(lambda uuid: asserts("assert-table-uuid", uuid=uuid), st.sampled_from([td.UUID, OTHER, td.UUID.upper()])),
        st.builds(
            lambda ref, snapshot_id: asserts("assert-ref-snapshot-id", ref=ref, snapshot_id=snapshot_id),
            st.sampled_from(["main", "audit", "v1"]),
            st.sampled_from([None, 1, *snapshot_ids]),
        ),
        *(st.builds(lambda value, m=member: {"type": f"assert-{m}", m: value}, values) for member, values in around.items()),
    )


_IDS = {
    "last-column-id": "last-assigned-field-id",
    "current-schema-id": "current-schema-id",
    "last-partition-id": "last-assigned-partition-id",
    "default-spec-id": "default-spec-id",
    "default-sort-order-id": "default-sort-order-id",
}


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_requirement_holds_exactly_when_it_does_for_pyiceberg(data: st.DataObject) -> None:
    metadata = data.draw(tables())
    metadata = apply_updates(metadata, data.draw(commits(metadata)), now_ms=td.LATER)
    requirement = data.draw(requirements_near(metadata))
    # pyiceberg does not let other branches than main be asserted, not even to be absent, while there are no snapshots.
    if not metadata["snapshots"] and requirement.get("ref", "main") != "main":
        return
    # It reads last-partition-id of format version 1 from the specs that are left; ours never goes down.
    if metadata["format-version"] == 1 and requirement["type"] == "assert-last-assigned-partition-id":
        return
    theirs = TableMetadataUtil.parse_obj(copy.deepcopy(metadata))

    assert conflicts(lambda: check(metadata, [requirement])) == conflicts(lambda: REQUIREMENT.validate_python(requirement).validate(theirs))


def conflicts(judge: Callable[[], None]) -> bool:
    """Return whether a requirement does not hold."""
    try:
        judge()
    except (CommitFailedException, Problem) as conflict:
        return getattr(conflict, "status", 409) == 409
    return False
