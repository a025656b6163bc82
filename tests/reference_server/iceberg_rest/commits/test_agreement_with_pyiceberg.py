"""Commits of this server and of pyiceberg lead to the same table, for updates that pyiceberg
supports.

The comparison leaves out intended differences, each with its reason.
"""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.table.update import TableUpdate, update_table_metadata

from lakepact.reference_server.iceberg_rest.tables.metadata import finish_commit
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td
from sample_tables.commit_sequences import commits, tables

Document = dict[str, Any]

UPDATES: TypeAdapter[Any] = TypeAdapter(TableUpdate)
FORMER = "file:///warehouse/sales/orders/metadata/00000.metadata.json"


def parsed(metadata: Document) -> TableMetadata:
    return TableMetadataUtil.parse_obj(copy.deepcopy(metadata))


def dumped(metadata: TableMetadata) -> Document:
    return metadata.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)


def comparable(metadata: Document) -> Document:
    """Return the document without the intended differences."""
    document = dict(metadata)
    # This server writes its own time; pyiceberg takes the time of the client from the snapshot.
    del document["last-updated-ms"]
    # pyiceberg has no sequence numbers in format version 1, and no row ids before version 3; this
    # server writes 0.
    if document["format-version"] < 3:
        document.pop("next-row-id", None)
    if document["format-version"] == 1:
        document.pop("last-sequence-number", None)
        # pyiceberg does not keep these up to date when the current schema or the default spec
        # changes.
        del document["schema"], document["partition-spec"]
    present = {snapshot["snapshot-id"] for snapshot in document["snapshots"]}
    # Committed snapshots do not change here; pyiceberg removes their references to removed parents.
    document["snapshots"] = [
        {
            name: value
            for name, value in snapshot.items()
            if name != "parent-snapshot-id" or value in present
        }
        for snapshot in document["snapshots"]
    ]
    # pyiceberg leaves partition statistics of removed snapshots behind.
    document["partition-statistics"] = [
        file for file in document["partition-statistics"] if file["snapshot-id"] in present
    ]
    document["snapshot-log"] = steps_of_main(document)
    return document


def steps_of_main(document: Document) -> list[int]:
    """Return the former snapshots of main; pyiceberg repeats a snapshot when only its retention
    changes.
    """
    ids = [entry["snapshot-id"] for entry in document["snapshot-log"]]
    return [
        snapshot_id
        for index, snapshot_id in enumerate(ids)
        if index == 0 or ids[index - 1] != snapshot_id
    ]


def assert_same(ours: Document, theirs: Document, *, before: Document) -> None:
    mine, other = comparable(ours), comparable(theirs)
    if before["format-version"] == 1:
        # pyiceberg computes it again when it reads format version 1, so that removing a spec frees
        # ids which files still use.
        del mine["last-partition-id"], other["last-partition-id"]
    # The specification has all entries before a removed snapshot removed too; pyiceberg removes
    # that snapshot's alone.
    kept = len(mine["snapshot-log"])
    other["snapshot-log"] = other["snapshot-log"][len(other["snapshot-log"]) - kept :]

    assert mine == other


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_a_valid_commit_makes_the_same_table(data: st.DataObject) -> None:
    metadata = data.draw(tables())
    for _ in range(data.draw(st.integers(1, 3))):
        updates = data.draw(commits(metadata))
        theirs = update_table_metadata(
            parsed(metadata),
            tuple(UPDATES.validate_python(copy.deepcopy(update)) for update in updates),
        )
        ours = apply_updates(metadata, updates, now_ms=td.LATER)

        assert_same(dumped(parsed(ours)), dumped(theirs), before=metadata)
        metadata = ours


@settings(deadline=None)
@given(st.integers(-2, 12), st.integers(0, 12))
def test_the_metadata_log_is_kept_to_the_same_length(limit: int, commits_before: int) -> None:
    metadata = td.table(properties={"write.metadata.previous-versions-max": str(limit)})
    for number in range(commits_before):
        metadata = finish_commit(
            td.committed(metadata, td.update("set-properties", updates={"n": str(number)})),
            metadata,
            FORMER,
        )
    update = td.update("set-properties", updates={"last": "one"})
    theirs = update_table_metadata(
        parsed(metadata), (UPDATES.validate_python(update),), metadata_location=FORMER
    )

    ours = finish_commit(td.committed(metadata, update), metadata, FORMER)

    assert dumped(parsed(ours))["metadata-log"] == dumped(theirs)["metadata-log"]
