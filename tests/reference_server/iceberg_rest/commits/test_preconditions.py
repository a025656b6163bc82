"""A commit whose requirements do not hold returns 409 with the expected and the found value."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

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

Document = dict[str, Any]

REQUIREMENT: TypeAdapter[Any] = TypeAdapter(TableRequirement)
EMPTY = td.table()
WITH_MAIN = td.appended(EMPTY, 11)
OTHER = "00000000-0000-4000-8000-000000000000"
SAID = "Requirement failed: "  #: as Iceberg's own library begins
ADVICE = "; load the table and commit on top of what it is now"


def conflict(metadata: Document | None, *requirements: Document) -> str:
    said = td.complaint(
        lambda: check(metadata, requirements), status=409, kind="CommitFailedException"
    )

    assert said.startswith(SAID)
    assert said.endswith(ADVICE)
    return said.removeprefix(SAID).removesuffix(ADVICE)


def refused(metadata: Document | None, *requirements: Document) -> str:
    return td.complaint(lambda: check(metadata, requirements))


def changed(what: str, found: int) -> str:
    return f"{what} changed: expected 77, found {found}"


def asserts(kind: str, **members: Any) -> Document:
    return {"type": kind, **{name.replace("_", "-"): value for name, value in members.items()}}


@pytest.mark.parametrize(
    ("metadata", "requirement", "said"),
    [
        (
            EMPTY,
            asserts("assert-create"),
            f"table already exists: expected none, found the table with uuid {td.UUID}",
        ),
        (
            None,
            asserts("assert-current-schema-id", current_schema_id=0),
            "current schema changed: expected 0, found none",
        ),
        (
            EMPTY,
            asserts("assert-table-uuid", uuid=OTHER),
            f"UUID does not match: expected '{OTHER}', found {td.UUID}",
        ),
        (
            WITH_MAIN,
            asserts("assert-ref-snapshot-id", ref="main", snapshot_id=10),
            "branch or tag 'main' changed: expected 10, found 11",
        ),
        (
            WITH_MAIN,
            asserts("assert-ref-snapshot-id", ref="main", snapshot_id=None),
            "branch or tag 'main' changed: expected none, found 11",
        ),
        (
            WITH_MAIN,
            asserts("assert-ref-snapshot-id", ref="nope", snapshot_id=11),
            "branch or tag 'nope' changed: expected 11, found none",
        ),
        (
            EMPTY,
            {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 77},
            changed("last assigned field id", 5),
        ),
        (
            EMPTY,
            {"type": "assert-current-schema-id", "current-schema-id": 77},
            changed("current schema", 0),
        ),
        (
            EMPTY,
            {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 77},
            changed("last assigned partition id", 999),
        ),
        (
            EMPTY,
            {"type": "assert-default-spec-id", "default-spec-id": 77},
            changed("default partition spec", 0),
        ),
        (
            EMPTY,
            {"type": "assert-default-sort-order-id", "default-sort-order-id": 77},
            changed("default sort order", 0),
        ),
    ],
)
def test_conflict_names_the_expected_and_the_found_value(
    metadata: Document | None, requirement: Document, said: str
) -> None:
    assert conflict(metadata, requirement) == said


@pytest.mark.parametrize(
    ("metadata", "requirements", "said"),
    [
        (
            None,
            [asserts("assert-create"), asserts("assert-table-uuid", uuid=td.UUID)],
            (
                "at /requirements: assert-create requires that the table does not exist, "
                "so it cannot be combined with other requirements; send it alone"
            ),
        ),
        (
            EMPTY,
            [asserts("assert-ref-snapshot-id", ref="main")],
            "at /requirements/0/snapshot-id: is missing; send null if the branch or tag must not exist",
        ),
    ],
)
def test_invalid_requirements_are_refused_with_their_place(
    metadata: Document | None, requirements: list[Document], said: str
) -> None:
    assert refused(metadata, *requirements) == said


@pytest.mark.parametrize("kind", ["assert-view-uuid", "assert-irc", "Assert-Create", None, 5])
def test_an_unknown_requirement_is_refused_even_when_another_does_not_hold(kind: Any) -> None:
    said = refused(EMPTY, asserts("assert-current-schema-id", current_schema_id=9), {"type": kind})

    assert said.startswith("at /requirements/1/type: ")
    assert said.endswith(", ".join(PRECONDITIONS))


@pytest.mark.parametrize("value", [0.0, 2**31, True, "0", None])
def test_an_id_that_is_no_exact_integer_is_refused(value: Any) -> None:
    said = refused(EMPTY, asserts("assert-current-schema-id", current_schema_id=value))

    assert said.startswith(
        "at /requirements/0/current-schema-id: expected an integer from -2147483648 to 2147483647"
    )


def requirements_near(metadata: Document) -> st.SearchStrategy[Document]:
    """Return requirements that hold about as often as not."""
    around = {
        member: st.integers(metadata[of] - 1, metadata[of] + 1) for of, member in _IDS.items()
    }
    snapshot_ids = [snapshot["snapshot-id"] for snapshot in metadata["snapshots"]]
    return st.one_of(
        st.just(asserts("assert-create")),
        st.builds(
            lambda uuid: asserts("assert-table-uuid", uuid=uuid),
            st.sampled_from([td.UUID, OTHER, td.UUID.upper()]),
        ),
        st.builds(
            lambda ref, snapshot_id: asserts(
                "assert-ref-snapshot-id", ref=ref, snapshot_id=snapshot_id
            ),
            st.sampled_from(["main", "audit", "v1"]),
            st.sampled_from([None, 1, *snapshot_ids]),
        ),
        *(
            st.builds(lambda value, m=member: {"type": f"assert-{m}", m: value}, values)
            for member, values in around.items()
        ),
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
    # pyiceberg does not let other branches than main be asserted, not even to be absent, while
    # there are no snapshots.
    if not metadata["snapshots"] and requirement.get("ref", "main") != "main":
        return
    # It reads last-partition-id of format version 1 from the specs that are left; ours never goes
    # down.
    if (
        metadata["format-version"] == 1
        and requirement["type"] == "assert-last-assigned-partition-id"
    ):
        return
    theirs = TableMetadataUtil.parse_obj(copy.deepcopy(metadata))

    assert conflicts(lambda: check(metadata, [requirement])) == conflicts(
        lambda: REQUIREMENT.validate_python(requirement).validate(theirs)
    )


def conflicts(judge: Callable[[], None]) -> bool:
    """Return whether a requirement does not hold."""
    try:
        judge()
    except (CommitFailedException, Problem) as conflict:
        return getattr(conflict, "status", 409) == 409
    return False
