"""View metadata stays consistent after every valid request, and the previous document is
unchanged.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.generated.contract import Contract
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.validation import Invalid, Validators
from lakepact.reference_server.iceberg_rest.views.metadata import (
    finish_view_commit,
    new_view_metadata,
)
from lakepact.reference_server.iceberg_rest.views.preconditions import check_view
from lakepact.reference_server.iceberg_rest.views.updates import apply_view_updates
from sample_tables.schemas import OPTIONAL as SCHEMA
from sample_tables.table_documents import view_version

from .test_hostile_requests import refusal, spoiled

Document = dict[str, Any]

UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1"
CREATED, LATER = 1_700_000_000_000, 1_700_000_001_000
OTHER: Document = {
    "type": "struct",
    "fields": [{"id": 1, "name": "n", "type": "string", "required": False}],
}

VALIDATORS = Validators(Contract("iceberg_rest"))


def version(sql: str = "SELECT 1", *, number: int = 1, schema_id: int = 0) -> Document:
    return view_version(sql, version_id=number, schema_id=schema_id)


def request(**members: Any) -> Document:
    return {
        "name": "v",
        "schema": SCHEMA,
        "view-version": version(),
        "properties": {"a": "b"},
        **members,
    }


def view(**members: Any) -> Document:
    return new_view_metadata(
        request(**members), view_uuid=UUID, location="memory:/v", now_ms=CREATED
    )


def add(sql: str, **members: Any) -> Document:
    return {"action": "add-view-version", "view-version": version(sql, **members)}


def current(number: int = -1) -> Document:
    return {"action": "set-current-view-version", "view-version-id": number}


VIEW = view()
UPDATES = [
    {"action": "assign-uuid", "uuid": UUID},
    {"action": "upgrade-format-version", "format-version": 1},
    {"action": "add-schema", "schema": OTHER},
    add("SELECT 2", number=2, schema_id=-1),
    current(),
    add("SELECT 3", number=2),
    current(1),
    {"action": "set-location", "location": "memory:/w"},
    {"action": "set-properties", "updates": {"version.history.num-entries": "2"}},
    {"action": "remove-properties", "removals": ["a"]},
]


def replaced(metadata: Document, updates: list[Document]) -> Document:
    return finish_view_commit(apply_view_updates(metadata, updates, now_ms=LATER), metadata)


def is_valid(component: str, document: Any) -> bool:
    try:
        VALIDATORS.check(component, document)
    except Invalid:
        return False
    return True


def flaws(metadata: Document) -> list[str]:
    """Return the inconsistencies of view metadata."""
    versions = [one["version-id"] for one in metadata["versions"]]
    schemas = [one["schema-id"] for one in metadata["schemas"]]
    log = metadata["version-log"]
    holds = {
        "it is valid": is_valid("ViewMetadata", metadata),
        "ids of versions are given once": len(set(versions)) == len(versions),
        "ids of schemas are given once": len(set(schemas)) == len(schemas),
        "the current version is there": metadata["current-version-id"] in versions,
        "versions of the log are there": all(entry["version-id"] in versions for entry in log),
        "the log ends with the current version": log[-1]["version-id"]
        == metadata["current-version-id"],
        "the log goes forward": log == sorted(log, key=lambda entry: entry["timestamp-ms"]),
        "schemas of versions are there": all(
            one["schema-id"] in schemas for one in metadata["versions"]
        ),
    }
    return [invariant for invariant, held in holds.items() if not held]


@settings(deadline=None, max_examples=300)
@given(spoiled(request()))
def test_valid_create_requests_return_400_or_make_a_consistent_view(body: Any) -> None:
    if not is_valid("CreateViewRequest", body):
        return
    made: list[Document] = []
    status = refusal(
        lambda: made.append(
            new_view_metadata(body, view_uuid=UUID, location="memory:/v", now_ms=CREATED)
        )
    )

    assert status in {None, 400}
    assert [flaws(metadata) for metadata in made] in ([], [[]])


@settings(deadline=None, max_examples=300)
@given(spoiled(UPDATES))
def test_valid_updates_return_400_or_leave_a_consistent_view(updates: Any) -> None:
    if not is_valid("CommitViewRequest", {"updates": updates}):
        return
    before, made = copy.deepcopy(VIEW), list[Document]()
    status = refusal(lambda: made.append(replaced(VIEW, updates)))

    assert status in {None, 400}
    assert [flaws(metadata) for metadata in made] in ([], [[]])
    assert before == VIEW


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(UPDATES), max_size=4), max_size=8))
def test_a_view_is_whole_all_its_life(commits: list[list[Document]]) -> None:
    states = [VIEW]
    for updates in commits:
        assert refusal(lambda updates=updates: states.append(replaced(states[-1], updates))) in {
            None,
            400,
        }

    assert [flaws(metadata) for metadata in states] == [[]] * len(states)
    assert {metadata["view-uuid"] for metadata in states} == {UUID}


@settings(deadline=None)
@given(
    spoiled(
        [
            {"type": "assert-view-uuid", "uuid": UUID},
            {"type": "assert-view-uuid", "uuid": UUID.upper()},
        ]
    )
)
def test_spoiled_requirements_are_refused_or_do_not_hold_or_hold(requirements: Any) -> None:
    assert refusal(lambda: check_view(VIEW, requirements)) in {None, 400, 409}


def test_updates_that_change_nothing_leave_the_document_itself() -> None:
    same = [
        {"action": "assign-uuid", "uuid": UUID.upper()},
        {"action": "upgrade-format-version", "format-version": 1},
        current(1),
    ]

    assert apply_view_updates(VIEW, same, now_ms=LATER) is VIEW


@pytest.mark.parametrize(
    ("sent", "stored"), [(1, 1), (7, 7), (0, 1), (-1, 1), (2**31 - 1, 2**31 - 1)]
)
def test_new_version_keeps_its_id_unless_it_is_special(sent: int, stored: int) -> None:
    assert view(**{"view-version": version(number=sent)})["current-version-id"] == stored


def test_when_no_id_is_left_no_version_is_added() -> None:
    last = view(**{"view-version": version(number=2**31 - 1)})

    with pytest.raises(Problem, match="no id is left"):
        replaced(last, [add("SELECT 2")])


def test_former_versions_go_where_there_is_no_room_for_them() -> None:
    three = replaced(VIEW, [add("SELECT 2"), add("SELECT 3"), current(2), current(3), current(1)])
    few = replaced(
        three, [{"action": "set-properties", "updates": {"version.history.num-entries": "2"}}]
    )

    assert [one["version-id"] for one in few["versions"]] == [1, 3]
    assert [entry["version-id"] for entry in few["version-log"]] == [3, 1]


def test_new_versions_and_the_current_one_outlast_the_history_size() -> None:
    few = {"action": "set-properties", "updates": {"version.history.num-entries": "1"}}
    added = replaced(VIEW, [few, add("SELECT 2"), add("SELECT 3"), current(1)])

    assert [one["version-id"] for one in added["versions"]] == [1, 2, 3]
    assert flaws(added) == []


def test_members_that_are_unknown_survive() -> None:
    known = {**VIEW, "x-unknown": {"a": [1]}}

    assert replaced(known, [add("SELECT 2"), current()])["x-unknown"] == {"a": [1]}


def test_a_clock_that_goes_backwards_does_not_turn_the_log_around() -> None:
    metadata = apply_view_updates(VIEW, [add("SELECT 2"), current()], now_ms=CREATED - 5)

    assert [entry["timestamp-ms"] for entry in metadata["version-log"]] == [CREATED, CREATED]
