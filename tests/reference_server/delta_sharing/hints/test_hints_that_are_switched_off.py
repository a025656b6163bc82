"""Hints and limits are ignored when the shares file switches hints off."""

from __future__ import annotations

import json

import pytest

from raw_requests import serving
from sample_tables import delta_logs
from sample_tables.shared_tables import write_shares

COLUMN, LITERAL = (
    {"op": "column", "name": "p", "valueType": "string"},
    {"op": "literal", "value": "b", "valueType": "string"},
)
TREE = {"op": "equal", "children": [COLUMN, LITERAL]}


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ({}, 2),
        ({"limitHint": 1}, 1),
        ({"predicateHints": ["p = 'b'"]}, 2),
        ({"predicateHints": ["p = 'b'"], "limitHint": 1}, 2),
        ({"jsonPredicateHints": json.dumps(TREE), "limitHint": 1}, 2),
    ],
)
def test_a_limit_counts_no_rows_beside_hints_that_are_switched_off(tmp_path, body, files):
    adds = [
        delta_logs.add(f"{p}.parquet", partitionValues={"p": p}, stats='{"numRecords":5}')
        for p in "ab"
    ]
    delta_logs.Table(tmp_path / "t").commit(0, *delta_logs.HEAD, *adds)
    tables = [{"name": "t", "location": "t"}]
    off = {"evaluatePredicateHints": False, "evaluateJsonPredicateHints": False}
    shares = write_shares(tmp_path, tables, {"me": "t"}, **off)
    with serving(warehouse="memory:", shares=shares) as send:
        answer = send(
            "POST",
            "/delta-sharing/shares/s/schemas/d/tables/t/query",
            body,
            Authorization="Bearer t",
        )
    assert sum(b'"file"' in line for line in answer.body.splitlines()) == files
