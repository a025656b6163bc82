"""Updates of snapshots, branches and tags."""

from __future__ import annotations

from typing import Any

import pytest

from sample_tables import table_documents as td
from sample_tables.table_documents import snapshot, update
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

TABLE = td.table()
THREE = td.appended(td.appended(td.appended(TABLE, 11), 12), 13)
HIGHEST = 2**63 - 1
CONFLICT: Any = {"status": 409, "kind": "CommitFailedException"}


def add(*snapshots: Document) -> list[Document]:
    return [update("add-snapshot", snapshot=each) for each in snapshots]


def remove(*snapshot_ids: int) -> Document:
    return update("remove-snapshots", snapshot_ids=list(snapshot_ids))


def log(metadata: Document) -> list[tuple[int, int]]:
    return [(entry["snapshot-id"], entry["timestamp-ms"]) for entry in metadata["snapshot-log"]]


def ids(metadata: Document) -> list[int]:
    return [each["snapshot-id"] for each in metadata["snapshots"]]


def test_a_snapshot_is_kept_to_the_letter() -> None:
    sent = snapshot(2**53 + 1, 5, at=td.CREATED + 7, added_rows=3, key_id="k", x_unknown={"a": [1]})

    after = td.committed(TABLE, *add(sent))

    assert after["snapshots"] == [sent]
    assert after["last-sequence-number"] == 5


def test_adding_a_snapshot_moves_no_branch() -> None:
    after = td.committed(THREE, *add(snapshot(14, 4, parent=13)))

    assert (after["current-snapshot-id"], after["refs"], log(after)) == (13, THREE["refs"], log(THREE))


@pytest.mark.parametrize("number", [0, 2, 3])
def test_snapshot_with_a_stale_sequence_number_is_a_conflict(number: int) -> None:
    assert td.refused_commit(THREE, *add(snapshot(14, number, parent=13)), **CONFLICT) == (
        "at /updates/0/snapshot/sequence-number: expected more than the last sequence number 3 of the table, "
        f"found {number}; load the table and commit on top of it"
    )


def test_snapshots_of_one_commit_with_one_sequence_number_are_a_bad_request() -> None:
    said = td.refused_commit(THREE, *add(snapshot(14, 4, parent=13), snapshot(15, 4, parent=14)))

    assert said == "at /updates/1/snapshot/sequence-number: expected more than the last sequence number 4 of the table, found 4"


def test_snapshot_with_a_stale_row_id_is_a_conflict() -> None:
    said = td.refused_commit(V3, *add(snapshot(12, 2, first_row_id=2, added_rows=1)), **CONFLICT)

    assert said.startswith("at /updates/0/snapshot/first-row-id: expected at least the next row id 3 of the table, found 2")


def test_last_sequence_number_stays_for_a_snapshot_without_parent() -> None:
    assert td.committed(THREE, *add(snapshot(14, 1)))["last-sequence-number"] == 3


def test_snapshots_need_a_sequence_number_from_format_version_two_on() -> None:
    assert td.refused_commit(THREE, *add(snapshot(14, None))) == (
        "at /updates/0/snapshot/sequence-number: snapshots need a sequence number from format version 2 on; the next is 4"
    )


def test_snapshots_have_no_sequence_number_in_format_version_one() -> None:
    table = td.table(version=1)

    assert ids(td.committed(table, *add(snapshot(1, None), snapshot(2, 0)))) == [1, 2]
    assert td.refused_commit(table, *add(snapshot(1, 5))) == (
        "at /updates/0/snapshot/sequence-number: format version 1 has no sequence numbers, found 5; upgrade the table first"
    )


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (snapshot(13, 4), "/snapshot-id: the table has a snapshot 13 already; choose another id"),
        (snapshot(-1, 4), "/snapshot-id: -1 stands for no snapshot; choose another id"),
        (snapshot(14, 4, schema_id=9), "/schema-id: the table has no schema 9"),
        ({**snapshot(14, 4), "manifest-list": ""}, "/manifest-list: expected a text that is not empty, found ''"),
        ({**snapshot(14, 4), "summary": {"operation": "append", "n": 1}}, "/summary/n: expected a text, found 1"),
    ],
)
def test_a_snapshot_that_does_not_fit_the_table_is_refused(sent: Document, said: str) -> None:
    assert td.refused_commit(THREE, *add(sent)) == f"at /updates/0/snapshot{said}"


@pytest.mark.parametrize("member", ["snapshot-id", "sequence-number", "timestamp-ms", "parent-snapshot-id", "schema-id"])
@pytest.mark.parametrize("value", [1.0, 1e20, 2**63, True, "7"])
def test_numbers_of_a_snapshot_are_exact(member: str, value: Any) -> None:
    said = td.refused_commit(THREE, *add({**snapshot(14, 4), member: value}))

    assert said == (
        f"at /updates/0/snapshot/{member}: expected an integer from {0 if member in ('sequence-number', 'timestamp-ms') else -(2**63)} "
        f"to {HIGHEST}{', written without a fraction' if isinstance(value, float) else ''}, found {value!r}"
    )


def test_one_commit_adds_a_snapshot_once() -> None:
    assert "has a snapshot 14 already" in td.refused_commit(THREE, *add(snapshot(14, 4), snapshot(14, 5)))


V3 = td.appended(td.table(version=3), 11)  # which adds three rows


def test_row_ids_go_on_where_the_table_stands() -> None:
    after = td.committed(V3, *add(snapshot(12, 2, first_row_id=3, added_rows=4), snapshot(13, 3, first_row_id=10, added_rows=0)))

    assert after["next-row-id"] == 10


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"added_rows": 1}, "first-row-id: snapshots need a first row id from format version 3 on; the next is 3"),
        ({"first_row_id": 3}, "added-rows: snapshots say from format version 3 on how many row ids they take: 0, or more"),
    ],
)
def test_snapshots_say_which_row_ids_they_take(rows: dict[str, int], said: str) -> None:
    assert td.refused_commit(V3, *add(snapshot(12, 2, **rows))) == f"at /updates/0/snapshot/{said}"


def test_row_ids_fit_into_64_bits() -> None:
    said = td.refused_commit(V3, *add(snapshot(12, 2, first_row_id=HIGHEST, added_rows=1)))

    assert said.startswith("at /updates/0/snapshot/added-rows: expected an integer from 0 to 9223372036854775807")


def test_main_is_the_current_snapshot_and_is_logged() -> None:
    first = td.appended(TABLE, 11, at=td.CREATED + 5)

    after = td.committed(first, td.tag("v1", 11), *add(snapshot(12, 2, at=td.CREATED + 9)), td.branch("main", 12))

    assert after["current-snapshot-id"] == 12
    assert after["refs"]["main"] == {"snapshot-id": 12, "type": "branch"}
    assert log(after) == [(11, td.CREATED + 5), (12, td.CREATED + 9)]


def test_a_rollback_is_logged_at_the_time_of_its_commit() -> None:
    assert log(td.committed(THREE, td.branch("main", 11), now_ms=td.LATER + 1))[-1] == (11, td.LATER + 1)


def test_the_log_is_in_order_of_time_even_when_a_clock_is_not() -> None:
    ahead = td.appended(TABLE, 11, at=td.LATER + 500)

    after = td.appended(ahead, 12, at=td.CREATED)

    assert log(after) == [(11, td.LATER + 500), (12, td.LATER + 500)]
    assert after["last-updated-ms"] == td.LATER + 500


def test_other_branches_and_tags_leave_the_current_snapshot_alone() -> None:
    after = td.committed(THREE, td.branch("audit", 11), td.tag("v1", 12))

    assert (after["current-snapshot-id"], log(after)) == (13, log(THREE))
    assert after["refs"] == {
        "main": {"snapshot-id": 13, "type": "branch"},
        "audit": {"snapshot-id": 11, "type": "branch"},
        "v1": {"snapshot-id": 12, "type": "tag"},
    }


def test_retention_is_that_of_the_last_update() -> None:
    retention = {"min_snapshots_to_keep": 2, "max_snapshot_age_ms": 3, "max_ref_age_ms": 4}
    kept = td.committed(THREE, td.branch("audit", 11, **retention), td.tag("v1", 11, max_ref_age_ms=5))

    assert kept["refs"]["audit"] == {
        "snapshot-id": 11,
        "type": "branch",
        "min-snapshots-to-keep": 2,
        "max-snapshot-age-ms": 3,
        "max-ref-age-ms": 4,
    }
    assert kept["refs"]["v1"] == {"snapshot-id": 11, "type": "tag", "max-ref-age-ms": 5}
    assert td.committed(kept, td.branch("audit", 11))["refs"]["audit"] == {"snapshot-id": 11, "type": "branch"}


def test_retention_of_main_changes_without_an_entry_in_the_log() -> None:
    after = td.committed(THREE, td.branch("main", 13, min_snapshots_to_keep=2))

    assert after["refs"]["main"]["min-snapshots-to-keep"] == 2
    assert log(after) == log(THREE)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (td.branch("main", 99), "snapshot-id: the table has no snapshot 99"),
        (td.tag("main", 13), "type: main is a branch and cannot become a tag"),
        (td.branch("", 13), "ref-name: expected a text that is not empty, found ''"),
        ({**td.branch("b", 13), "type": "x"}, "type: expected branch or tag, found 'x'"),
        (
            td.tag("t", 13, min_snapshots_to_keep=1),
            "min-snapshots-to-keep: a tag has no history to keep; min-snapshots-to-keep is for branches",
        ),
        (td.tag("t", 13, max_snapshot_age_ms=1), "max-snapshot-age-ms: a tag has no history to keep; max-snapshot-age-ms is for branches"),
        (
            td.branch("b", 13, max_ref_age_ms=0),
            f"max-ref-age-ms: expected an integer from 1 to {HIGHEST}, found 0",
        ),
    ],
)
def test_invalid_reference_is_refused_with_its_place(sent: Document, said: str) -> None:
    assert td.refused_commit(THREE, sent) == f"at /updates/0/{said}"


def test_a_removed_reference_leaves_its_snapshot() -> None:
    tagged = td.committed(THREE, td.tag("v1", 11))

    after = td.committed(tagged, update("remove-snapshot-ref", ref_name="v1"))

    assert (after["refs"], ids(after)) == (THREE["refs"], [11, 12, 13])


def test_without_main_there_is_no_current_snapshot() -> None:
    after = td.committed(THREE, update("remove-snapshot-ref", ref_name="main"))

    assert "current-snapshot-id" not in after
    assert (after["refs"], ids(after), log(after)) == ({}, [11, 12, 13], log(THREE))


def test_removed_snapshots_are_gone_and_others_stay() -> None:
    after = td.committed(THREE, remove(11, 999))

    assert (ids(after), after["current-snapshot-id"]) == ([12, 13], 13)
    assert after["snapshots"] == THREE["snapshots"][1:]


def test_the_log_begins_behind_the_last_removed_snapshot() -> None:
    assert [entry for entry, _ in log(td.committed(THREE, remove(12)))] == [13]


def test_branches_and_tags_go_with_their_snapshot() -> None:
    table = td.committed(THREE, td.tag("v1", 11), td.branch("audit", 11), td.tag("v2", 12))

    assert set(td.committed(table, remove(11))["refs"]) == {"main", "v2"}


def test_main_goes_with_its_snapshot_and_nothing_is_current_then() -> None:
    after = td.committed(THREE, remove(13))

    assert (after["refs"], "current-snapshot-id" in after, log(after)) == ({}, False, [])
    assert broken_invariants(after) == []


def test_statistics_go_with_their_snapshot() -> None:
    table = td.committed(
        THREE,
        *(update("set-statistics", statistics=td.statistics(number)) for number in (11, 12)),
        *(update("set-partition-statistics", partition_statistics=td.partition_statistics(number)) for number in (11, 12)),
    )

    after = td.committed(table, remove(11))

    assert (after["statistics"], after["partition-statistics"]) == ([td.statistics(12)], [td.partition_statistics(12)])


def test_a_snapshot_may_be_added_and_removed_in_one_commit() -> None:
    after = td.committed(THREE, *add(snapshot(14, 4)), td.branch("b", 14), remove(14))

    assert (ids(after), set(after["refs"]), after["last-sequence-number"]) == ([11, 12, 13], {"main"}, 4)


def test_five_hundred_snapshots_are_shared_with_the_document_before() -> None:
    table = td.committed(TABLE, *add(*(snapshot(number, number) for number in range(1, 501))), td.branch("main", 500))

    after = td.appended(table, 501)

    assert all(mine is theirs for mine, theirs in zip(after["snapshots"], table["snapshots"], strict=False))
    assert after["schemas"] is table["schemas"]
