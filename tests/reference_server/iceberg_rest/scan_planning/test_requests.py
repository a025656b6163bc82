"""Valid scan requests, and invalid scan requests, which return 400 with reason and place."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.scan_planning.expressions import (
    DEEPEST,
    expression_as_json,
)
from lakepact.reference_server.iceberg_rest.scan_planning.scans import Scan, scan

SCHEMAS = [
    {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
    },
    {
        "type": "struct",
        "schema-id": 1,
        "fields": [
            {"id": 1, "name": "key", "type": "long", "required": True},
            {"id": 2, "name": "a.b", "type": "string", "required": False},
            {"id": 3, "name": "at", "type": "timestamptz", "required": False},
            {"id": 4, "name": "f", "type": "double", "required": False},
            {
                "id": 5,
                "name": "tags",
                "required": False,
                "type": {
                    "type": "list",
                    "element-id": 6,
                    "element": "string",
                    "element-required": False,
                },
            },
            {"id": 7, "name": "Twin", "type": "long", "required": False},
            {"id": 8, "name": "twin", "type": "long", "required": False},
        ],
    },
]


def snapshot(
    number: int, parent: int | None, operation: str = "append", **members: Any
) -> dict[str, Any]:
    document = {
        "snapshot-id": number,
        "manifest-list": f"m{number}",
        "summary": {"operation": operation},
        **members,
    }
    return document if parent is None else {**document, "parent-snapshot-id": parent}


METADATA: dict[str, Any] = {
    "format-version": 2,
    "schemas": SCHEMAS,
    "current-schema-id": 1,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "current-snapshot-id": 4,
    "snapshots": [
        snapshot(1, 99, **{"schema-id": 0}),  # its parent has expired
        snapshot(2, 1),
        snapshot(3, 2, "overwrite"),
        snapshot(4, 3),
        snapshot(5, 2),
    ],
    "refs": {
        "main": {"snapshot-id": 4, "type": "branch"},
        "audit": {"snapshot-id": 5, "type": "branch"},
    },
}


def asked(**request: Any) -> Scan:
    return scan(METADATA, {key.replace("_", "-"): value for key, value in request.items()})


def ids(found: Scan) -> list[int]:
    return [one["snapshot-id"] for one in found.snapshots]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({}, [4]),
        ({"snapshot_id": 5}, [5]),
        ({"start_snapshot_id": 1, "end_snapshot_id": 4}, [2, 4]),
        ({"start_snapshot_id": 2, "end_snapshot_id": 5}, [5]),
        ({"start_snapshot_id": 4, "end_snapshot_id": 4}, []),
        ({"start_snapshot_id": 99, "end_snapshot_id": 2}, [1, 2]),
        ({"end_snapshot_id": 4}, [1, 2, 4]),
        ({"start_snapshot_id": None, "snapshot_id": 1}, [1]),
    ],
)
def test_a_scan_covers_these_snapshots(request_: dict[str, Any], expected: list[int]) -> None:
    assert ids(asked(**request_)) == expected


FILTERS: list[tuple[Any, str]] = [
    ({"type": "eq", "term": "id", "value": 5}, "at /filter/term: the schema has no column 'id'"),
    (
        {"type": "eq", "term": "tags", "value": 5},
        "at /filter/term: values of type list cannot be compared",
    ),
    ({"type": "eq", "term": "tags.element", "value": "a"}, "inside of a list or map"),
    (
        {"type": "eq", "term": "key", "value": None},
        "at /filter/value: nothing is no value of type long",
    ),
    ({"type": "is-nan", "term": "key"}, "is-nan asks for float or double"),
    (
        {"type": "starts-with", "term": "key", "value": "a"},
        "at /filter/value: 'a' is no value of type long",
    ),
    ({"type": "starts-with", "term": "f", "value": 1.5}, "starts-with asks for string"),
    (
        {"type": "not", "child": {"type": "like"}},
        "at /filter/child/type: unknown expression 'like'",
    ),
    (
        {"type": "and", "left": True},
        "at /filter: an expression of the type and has a member `right`",
    ),
    ({"type": "in", "term": "key", "values": [1, "a"]}, "at /filter/values/1: "),
    (
        {
            "type": "eq",
            "term": {"type": "transform", "transform": "bucket[0]", "term": "key"},
            "value": 1,
        },
        "unknown transform",
    ),
    (
        {
            "type": "eq",
            "term": {"type": "transform", "transform": "day", "term": "key"},
            "value": 1,
        },
        "cannot be applied",
    ),
    ("id = 5", "at /filter: expected an expression, which is an object"),
    (
        {"type": "eq", "left": {"type": "reference", "name": "key"}},
        "an expression of the type eq has a member `right`",
    ),
    (
        {"type": "eq", "left": 1, "right": 2},
        "compares a column, or a transform of one, with a literal",
    ),
    (
        {"type": "is-null", "child": {"type": "reference", "id": 99}},
        "at /filter/child/id: the schema has no column",
    ),
    ({"type": "is-null", "child": {"type": "reference", "id": 1}, "term": "key"}, "not both"),
    (
        {"type": "starts-with", "left": "a", "right": {"type": "reference", "id": 2}},
        "at /filter/left: starts-with has",
    ),
    (
        {"type": "is-null", "child": {"type": "apply", "function": "f", "arguments": []}},
        "at /filter/child/arguments: ",
    ),
]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"snapshot_id": 1, "end_snapshot_id": 2}, "send either"),
        ({"snapshot_id": 1, "start_snapshot_id": 2}, "send either"),
        ({"start_snapshot_id": 1}, "needs end-snapshot-id"),
        ({"snapshot_id": 7}, "at /snapshot-id: the table has no snapshot 7"),
        ({"end_snapshot_id": 7}, "at /end-snapshot-id: the table has no snapshot 7"),
        (
            {"start_snapshot_id": 5, "end_snapshot_id": 4},
            "at /start-snapshot-id: the snapshot 5 is no ancestor of 4",
        ),
        ({"start_snapshot_id": 4, "end_snapshot_id": 1}, "at /start-snapshot-id: "),
        ({"snapshot_id": 1.0}, "at /snapshot-id: expected an integer"),
        ({"select": ["key", "nowhere"]}, "at /select/1: the schema has no column 'nowhere'"),
        ({"select": ["KEY"]}, "and letter case counts"),
        ({"stats_fields": ["nowhere"]}, "at /stats-fields/0: "),
        (
            {"filter": {"type": "eq", "term": "TWIN", "value": 5}, "case_sensitive": False},
            "is the name of 2 columns",
        ),
        *(({"filter": document}, why) for document, why in FILTERS),
    ],
)
def test_invalid_scan_request_returns_400_with_reason_and_place(
    request_: dict[str, Any], why: str
) -> None:
    with pytest.raises(Problem) as caught:
        asked(**request_)

    assert (caught.value.status, caught.value.kind) == (400, "BadRequestException")
    assert why in caught.value.message


def test_scan_request_of_an_engine_for_a_whole_table_is_accepted() -> None:
    found = asked(
        snapshot_id=1,
        use_snapshot_schema=True,
        case_sensitive=False,
        filter=True,
        select=["ID", "_file", "_pos", "_spec_id", "_partition"],
    )

    assert (ids(found), expression_as_json(found.filter)) == ([1], True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            {"type": "not", "child": {"type": "lt", "term": "key", "value": 5}},
            {"type": "gt-eq", "term": "key", "value": 5},
        ),
        (
            {"type": "not", "child": {"type": "lt", "term": "f", "value": 5}},
            {"type": "not", "child": {"type": "lt", "term": "f", "value": 5}},
        ),
        ({"type": "not", "child": {"type": "true"}}, False),
        (
            {"type": "or", "left": {"type": "false"}, "right": {"type": "is-null", "term": "at"}},
            {"type": "is-null", "term": "at"},
        ),
        ({"type": "and", "left": False, "right": {"type": "is-null", "term": "at"}}, False),
        ({"type": "in", "term": "key", "values": []}, False),
        ({"type": "not-in", "term": "key", "values": []}, True),
        (
            {"type": "eq", "term": "a.b", "value": "x", "more": 1},
            {"type": "eq", "term": "a.b", "value": "x"},
        ),
    ],
)
def test_filter_is_simplified_and_serialized(written: Any, meant: Any) -> None:
    assert expression_as_json(asked(filter=written).filter) == meant


def test_expressions_may_be_deep_but_not_without_end() -> None:
    def nested(levels: int) -> Any:
        document: Any = {"type": "is-null", "term": "at"}
        for _ in range(levels):
            document = {"type": "not", "child": document}
        return document

    assert expression_as_json(asked(filter=nested(DEEPEST - 2)).filter) == {
        "type": "is-null",
        "term": "at",
    }
    with pytest.raises(Problem, match="levels deep"):
        asked(filter=nested(DEEPEST))


def key(of: Any) -> dict[str, Any]:
    return {"type": "apply", "function": of, "arguments": [{"type": "reference", "id": 1}]}


@pytest.mark.parametrize(
    ("document", "before"),
    [
        (
            {"type": "lt", "left": {"type": "reference", "id": 1}, "right": 5},
            {"type": "lt", "term": "key", "value": 5},
        ),
        (
            {
                "type": "lt",
                "left": {"type": "literal", "value": 5},
                "right": {"type": "reference", "name": "key"},
            },
            {"type": "gt", "term": "key", "value": 5},
        ),
        (
            {
                "type": "in",
                "child": {"type": "reference", "id": 1},
                "values": [{"type": "literal", "value": 5}, 6],
            },
            {"type": "in", "term": "key", "values": [5, 6]},
        ),
        (
            {"type": "not-null", "child": key({"identifier": ["bucket[4]"]})},
            {
                "type": "not-null",
                "term": {"type": "transform", "transform": "bucket[4]", "term": "key"},
            },
        ),
    ],
)
def test_operands_are_written_in_the_form_before(
    document: dict[str, Any], before: dict[str, Any]
) -> None:
    assert expression_as_json(asked(filter=document).filter) == before
