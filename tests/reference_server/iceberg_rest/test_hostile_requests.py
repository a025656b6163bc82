"""Any JSON in the place of any value returns 400 or is applied consistently."""

from __future__ import annotations

import copy
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.commits.preconditions import check
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from raw_requests import Sender
from sample_tables import table_documents as td
from sample_tables.table_documents import partition_field, sort_field, update
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

TABLE = td.appended(td.table(), 7)
LIST = {
    "type": "list",
    "element-id": 7,
    "element": {"type": "map", "key-id": 8, "key": "int", "value-id": 9, "value": "int"},
}
SCHEMA = {
    **td.struct(*td.ORDERS["fields"], td.field(6, "l", {**LIST, "element-required": False})),
    "identifier-field-ids": [1],
}
SPEC = {"spec-id": 1, "fields": [partition_field(1, "bucket[3]", "p", **{"field-id": 1000})]}
ORDER = {"order-id": 1, "fields": [sort_field(1)]}
UPDATES = [
    update("assign-uuid", uuid=td.UUID),
    update("upgrade-format-version", format_version=2),
    update("add-schema", schema=SCHEMA),
    update("set-current-schema", schema_id=-1),
    update("add-spec", spec=SPEC),
    update("set-default-spec", spec_id=-1),
    update("add-sort-order", sort_order=ORDER),
    update("set-default-sort-order", sort_order_id=-1),
    update("set-location", location=td.LOCATION),
    update("set-properties", updates={"a": "b"}),
    update("remove-properties", removals=["a"]),
    update("add-snapshot", snapshot=td.snapshot(8, 2, parent=7)),
    td.branch("main", 8, min_snapshots_to_keep=2),
    td.tag("t", 7, max_ref_age_ms=4),
    update("set-statistics", statistics=td.statistics(8)),
    update("set-partition-statistics", partition_statistics=td.partition_statistics(8)),
    update("remove-statistics", snapshot_id=8),
    update("remove-partition-statistics", snapshot_id=8),
    update("remove-snapshot-ref", ref_name="t"),
    update("remove-snapshots", snapshot_ids=[7]),
    update("remove-schemas", schema_ids=[0]),
    update("remove-partition-specs", spec_ids=[0]),
    update("add-encryption-key", encryption_key={"key-id": "k", "encrypted-key-metadata": "YQ=="}),
    update("remove-encryption-key", key_id="k"),
]
REQUEST = td.request(
    SCHEMA, partition_spec=SPEC, write_order=ORDER, properties={"format-version": "2"}
)
REQUIREMENTS = [
    {"type": "assert-table-uuid", "uuid": td.UUID},
    {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7},
    {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 5},
]

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["struct", "main", "int"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "fields", "id", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all values within a document."""
    steps = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    return [path] * bool(path) + [
        place for step, value in steps for place in places(value, (*path, step))
    ]


@st.composite
def spoiled(draw: st.DrawFn, document: Any) -> Any:
    """Generate the document with one or two values replaced or removed."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        *path, last = draw(st.sampled_from(places(changed)))
        holder: Any = changed
        for step in path:
            holder = holder[step]
        if draw(st.booleans()):
            holder[last] = draw(ANYTHING)
        else:
            del holder[last]
    return changed


def refusal(act: Any) -> int | None:
    """Return the status that `act` is refused with."""
    try:
        act()
    except Problem as problem:
        return problem.status
    return None


@settings(deadline=None, max_examples=300)
@given(spoiled(UPDATES))
def test_spoiled_updates_are_refused_or_make_a_table_that_is_whole(updates: Any) -> None:
    made: list[Document] = []
    status = refusal(lambda: made.append(apply_updates(TABLE, updates, now_ms=td.LATER)))

    assert status in {None, 400}
    assert [broken_invariants(metadata) for metadata in made] in ([], [[]])
    assert orjson.dumps(made)


@settings(deadline=None, max_examples=300)
@given(spoiled(REQUEST))
def test_spoiled_create_requests_are_refused_or_make_a_table_that_is_whole(body: Any) -> None:
    made: list[Document] = []
    status = refusal(
        lambda: made.append(
            new_table_metadata(body, table_uuid=td.UUID, location=td.LOCATION, now_ms=td.CREATED)
        )
    )

    assert status in {None, 400}
    assert [broken_invariants(metadata) for metadata in made] in ([], [[]])


@settings(deadline=None)
@given(spoiled(REQUIREMENTS))
def test_spoiled_requirements_are_refused_or_do_not_hold_or_hold(requirements: Any) -> None:
    assert refusal(lambda: check(TABLE, requirements)) in {None, 400, 409}


REQUESTS: dict[str, Document] = {
    "plan": {
        "select": ["id"],
        "filter": {
            "type": "and",
            "left": {"type": "not", "child": {"type": "in", "term": "id", "values": [1, 2]}},
            "right": {
                "type": "eq",
                "term": {"type": "transform", "transform": "bucket[4]", "term": "id"},
                "value": 3,
            },
        },
        "case-sensitive": True,
        "use-snapshot-schema": False,
        "stats-fields": ["id"],
    },
    "metrics": {
        "report-type": "commit-report",
        "table-name": "t",
        "snapshot-id": 1,
        "sequence-number": 1,
        "operation": "append",
        "metrics": {"added-data-files": {"unit": "count", "value": 1}},
    },
}


@pytest.mark.parametrize("path", REQUESTS)
def test_spoiled_request_about_a_table_returns_no_5xx(send: Sender, table: str, path: str) -> None:
    @settings(deadline=None)
    @given(spoiled(REQUESTS[path]))
    def invariant(body: Any) -> None:
        assert send("POST", f"{table}/{path}", body).status < 500

    invariant()
