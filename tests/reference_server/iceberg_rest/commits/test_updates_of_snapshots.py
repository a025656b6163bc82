"""Updates of snapshots, branches and tags."""

from __future__ import annotations

from typing import Any

import pytest

from sample_tables import table_documents as td
from sample_tables.table_documents import snapshot, update

Document = dict[str, Any]

TABLE = td.table()
THREE = td.appended(td.appended(td.appended(TABLE, 11), 12), 13)
HIGHEST = 2**63 - 1
V3 = td.appended(td.table(version=3), 11)  # which adds three rows
CONFLICT: Any = {"status": 409, "kind": "CommitFailedException"}


def add(*snapshots: Document) -> list[Document]:
    return [update("add-snapshot", snapshot=each) for each in snapshots]


def remove(*snapshot_ids: int) -> Document:
    return update("remove-snapshots", snapshot_ids=list(snapshot_ids))


def log(metadata: Document) -> list[tuple[int, int]]:
    return [(entry["snapshot-id"], entry["timestamp-ms"]) for entry in metadata["snapshot-log"]]


def ids(metadata: Document) -> list[int]:
    return [each["snapshot-id"] for each in metadata["snapshots"]]


@pytest.mark.parametrize("number", [0, 2, 3])
def test_snapshot_with_a_stale_sequence_number_is_a_conflict(number: int) -> None:
    assert td.refused_commit(THREE, *add(snapshot(14, number, parent=13)), **CONFLICT) == (
        "at /updates/0/snapshot/sequence-number: expected more than the last sequence number 3 of the table, "
        f"found {number}; load the table and commit on top of it"
    )


def test_snapshots_of_one_commit_with_one_sequence_number_are_a_bad_request() -> None:
    said = td.refused_commit(THREE, *add(snapshot(14, 4, parent=13), snapshot(15, 4, parent=14)))

    assert (
        said
        == "at /updates/1/snapshot/sequence-number: expected more than the last sequence number 4 of the table, found 4"
    )


def test_snapshot_with_a_stale_row_id_is_a_conflict() -> None:
    said = td.refused_commit(V3, *add(snapshot(12, 2, first_row_id=2, added_rows=1)), **CONFLICT)

    assert said.startswith(
        "at /updates/0/snapshot/first-row-id: expected at least the next row id 3 of the table, found 2"
    )


def test_last_sequence_number_stays_for_a_snapshot_without_parent() -> None:
    assert td.committed(THREE, *add(snapshot(14, 1)))["last-sequence-number"] == 3


def test_snapshots_have_no_sequence_number_in_format_version_one() -> None:
    table = td.table(version=1)

    assert ids(td.committed(table, *add(snapshot(1, None), snapshot(2, 0)))) == [1, 2]
    assert td.refused_commit(table, *add(snapshot(1, 5))) == (
        "at /updates/0/snapshot/sequence-number: format version 1 has no sequence numbers, found 5; upgrade the table first"
    )


@pytest.mark.parametrize(
    ("table", "sent", "said"),
    [
        (
            THREE,
            add(snapshot(13, 4)),
            "snapshot/snapshot-id: the table has a snapshot 13 already; choose another id",
        ),
        (
            THREE,
            add(snapshot(-1, 4)),
            "snapshot/snapshot-id: -1 stands for no snapshot; choose another id",
        ),
        (THREE, add(snapshot(14, 4, schema_id=9)), "snapshot/schema-id: the table has no schema 9"),
        (
            THREE,
            add({**snapshot(14, 4), "manifest-list": ""}),
            "snapshot/manifest-list: expected a text that is not empty, found ''",
        ),
        (
            THREE,
            add({**snapshot(14, 4), "summary": {"operation": "append", "n": 1}}),
            "snapshot/summary/n: expected a text, found 1",
        ),
        (
            THREE,
            add(snapshot(14, None)),
            "snapshot/sequence-number: snapshots need a sequence number from format version 2 on; the next is 4",
        ),
        (
            V3,
            add(snapshot(12, 2, added_rows=1)),
            "snapshot/first-row-id: snapshots need a first row id from format version 3 on; the next is 3",
        ),
        (
            V3,
            add(snapshot(12, 2, first_row_id=3)),
            "snapshot/added-rows: snapshots say from format version 3 on how many row ids they take: 0, or more",
        ),
        (THREE, [td.branch("main", 99)], "snapshot-id: the table has no snapshot 99"),
        (THREE, [td.tag("main", 13)], "type: main is a branch and cannot become a tag"),
        (THREE, [td.branch("", 13)], "ref-name: expected a text that is not empty, found ''"),
        (THREE, [{**td.branch("b", 13), "type": "x"}], "type: expected branch or tag, found 'x'"),
        (
            THREE,
            [td.tag("t", 13, min_snapshots_to_keep=1)],
            "min-snapshots-to-keep: a tag has no history to keep; min-snapshots-to-keep is for branches",
        ),
        (
            THREE,
            [td.tag("t", 13, max_snapshot_age_ms=1)],
            "max-snapshot-age-ms: a tag has no history to keep; max-snapshot-age-ms is for branches",
        ),
        (
            THREE,
            [td.branch("b", 13, max_ref_age_ms=0)],
            f"max-ref-age-ms: expected an integer from 1 to {HIGHEST}, found 0",
        ),
    ],
)
def test_invalid_update_is_refused_with_its_place(
    table: Document, sent: list[Document], said: str
) -> None:
    assert td.refused_commit(table, *sent) == f"at /updates/0/{said}"


@pytest.mark.parametrize(
    "member", ["snapshot-id", "sequence-number", "timestamp-ms", "parent-snapshot-id", "schema-id"]
)
@pytest.mark.parametrize("value", [1.0, 1e20, 2**63, True, "7"])
def test_numbers_of_a_snapshot_are_exact(member: str, value: Any) -> None:
    said = td.refused_commit(THREE, *add({**snapshot(14, 4), member: value}))

    assert said == (
        f"at /updates/0/snapshot/{member}: expected an integer from {0 if member in ('sequence-number', 'timestamp-ms') else -(2**63)} "
        f"to {HIGHEST}{', written without a fraction' if isinstance(value, float) else ''}, found {value!r}"
    )


def test_row_ids_fit_into_64_bits() -> None:
    said = td.refused_commit(V3, *add(snapshot(12, 2, first_row_id=HIGHEST, added_rows=1)))

    assert said.startswith(
        "at /updates/0/snapshot/added-rows: expected an integer from 0 to 9223372036854775807"
    )


def test_a_rollback_is_logged_at_the_time_of_its_commit() -> None:
    assert log(td.committed(THREE, td.branch("main", 11), now_ms=td.LATER + 1))[-1] == (
        11,
        td.LATER + 1,
    )


def test_the_log_is_in_order_of_time_even_when_a_clock_is_not() -> None:
    ahead = td.appended(TABLE, 11, at=td.LATER + 500)

    after = td.appended(ahead, 12, at=td.CREATED)

    assert log(after) == [(11, td.LATER + 500), (12, td.LATER + 500)]
    assert after["last-updated-ms"] == td.LATER + 500


def test_retention_of_main_changes_without_an_entry_in_the_log() -> None:
    after = td.committed(THREE, td.branch("main", 13, min_snapshots_to_keep=2))

    assert after["refs"]["main"]["min-snapshots-to-keep"] == 2
    assert log(after) == log(THREE)


def test_the_log_begins_behind_the_last_removed_snapshot() -> None:
    assert [entry for entry, _ in log(td.committed(THREE, remove(12)))] == [13]


def test_a_snapshot_may_be_added_and_removed_in_one_commit() -> None:
    after = td.committed(THREE, *add(snapshot(14, 4)), td.branch("b", 14), remove(14))

    assert (ids(after), set(after["refs"]), after["last-sequence-number"]) == (
        [11, 12, 13],
        {"main"},
        4,
    )


def test_five_hundred_snapshots_are_shared_with_the_document_before() -> None:
    table = td.committed(
        TABLE, *add(*(snapshot(number, number) for number in range(1, 501))), td.branch("main", 500)
    )

    after = td.appended(table, 501)

    assert all(
        mine is theirs for mine, theirs in zip(after["snapshots"], table["snapshots"], strict=False)
    )
    assert after["schemas"] is table["schemas"]
