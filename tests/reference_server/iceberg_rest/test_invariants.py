"""Random commits are refused without a trace, or make a table that holds all invariants."""

from __future__ import annotations

import copy
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.tables.metadata import finish_commit
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td
from sample_tables.commit_sequences import commits, tables
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

FILE = "file:///warehouse/sales/orders/metadata/former.metadata.json"

#: Values that the contract's JSON Schema accepts for an integer or a text.
ODD = {
    int: st.sampled_from(
        [-1, 0, 1, 2, 3, 5, 1000, 1.0, 1e20, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63)]
    ),
    str: st.sampled_from(
        [
            "",
            " ",
            "main",
            "void",
            "identity",
            "hour",
            "bucket[0]",
            "variant",
            "unknown",
            "9" * 5000,
            "\u202e",
            "💥",
            td.UUID,
        ]
    ),
    bool: st.booleans(),
    float: st.just(0),
}
TAGS = {
    "action"
}  #: members that the schema fixes; `type` of types is among them where it names a nested one
FIXED = {"struct", "list", "map", "branch", "tag", "append"}


def leaves(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all scalars that the schema does not fix."""
    if isinstance(document, dict):
        return [
            place
            for name, value in document.items()
            if name not in TAGS
            for place in leaves(value, (*path, name))
        ]
    if isinstance(document, list):
        return [
            place for index, value in enumerate(document) for place in leaves(value, (*path, index))
        ]
    return [] if document in FIXED else [path]


@st.composite
def spoiled_commits(draw: st.DrawFn, metadata: Document) -> list[Document]:
    """Generate commits with a few wrong values, repeated updates or another order."""
    updates: list[Document] = copy.deepcopy(draw(commits(metadata)))
    for _ in range(draw(st.integers(0, 2))):
        places = leaves(updates)
        if places:
            *path, last = draw(st.sampled_from(places))
            holder: Any = updates
            for step in path:
                holder = holder[step]
            holder[last] = draw(ODD[type(holder[last])])
    if draw(st.booleans()):
        updates = draw(st.permutations(updates))
    return updates + draw(st.lists(st.sampled_from(updates), max_size=2)) if updates else updates


#: A snapshot with a number or first row id of before is a conflict: the commit can succeed on top
#: of the present table.
REFUSALS = {None, (400, "BadRequestException"), (409, "CommitFailedException")}


def attempted(
    metadata: Document, updates: list[Document]
) -> tuple[Document, tuple[int, str] | None]:
    """Return the document after a commit, and the refusal if there was one."""
    try:
        return apply_updates(metadata, updates, now_ms=td.LATER), None
    except Problem as problem:
        return metadata, (problem.status, problem.kind)


@settings(deadline=None, max_examples=250)
@given(st.data())
def test_a_commit_leaves_no_trace_or_a_table_that_is_whole(data: st.DataObject) -> None:
    metadata = data.draw(tables())
    for _ in range(data.draw(st.integers(1, 3))):
        updates = data.draw(spoiled_commits(metadata))
        before = orjson.dumps(metadata)
        after, refusal = attempted(metadata, updates)

        assert refusal in REFUSALS
        assert orjson.dumps(metadata) == before
        assert broken_invariants(after) == []
        assert after["last-updated-ms"] >= metadata["last-updated-ms"]
        assert after["table-uuid"] == metadata["table-uuid"]
        assert (
            min(
                after[m] - metadata[m]
                for m in ("last-column-id", "last-partition-id", "last-sequence-number")
            )
            >= 0
        )
        metadata = finish_commit(after, metadata, FILE)


@settings(deadline=None)
@given(st.data())
def test_unknown_members_survive_commits(data: st.DataObject) -> None:
    metadata = data.draw(tables())
    metadata["x-table"] = {"a": [1, None]}
    metadata["schemas"] = [{**metadata["schemas"][0], "x-schema": 1}]
    added = td.snapshot(
        5,
        None if metadata["format-version"] == 1 else 1,
        first_row_id=0,
        added_rows=0,
        x_snapshot="kept",
        key_id="k",
    )
    metadata = td.committed(metadata, td.update("add-snapshot", snapshot=added))

    after = apply_updates(metadata, data.draw(commits(metadata)), now_ms=td.LATER)

    assert after["x-table"] == {"a": [1, None]}
    assert [schema["x-schema"] for schema in after["schemas"] if schema["schema-id"] == 0] in (
        [1],
        [],
    )
    kept = [snapshot for snapshot in after["snapshots"] if snapshot["snapshot-id"] == 5]
    assert [{**added, **snapshot} for snapshot in kept] == kept


@settings(deadline=None)
@given(st.data())
def test_untouched_members_are_shared_with_the_previous_document(data: st.DataObject) -> None:
    metadata = td.appended(data.draw(tables()), 7)

    after = apply_updates(
        metadata, [td.update("set-properties", updates={"a": "b"})], now_ms=td.LATER
    )

    changed = {member for member in after if after[member] is not metadata.get(member)}
    assert changed <= {"properties", "last-updated-ms"}
