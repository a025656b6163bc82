"""The files of limitHint, which counts only certain rows."""

from __future__ import annotations

import json

import pytest

from lakepact.reference_server.delta_sharing.hints import select, selection
from lakepact.reference_server.delta_sharing.hints.predicates import Comparison
from sample_tables.shared_snapshots import file, snapshot

FILES = [
    file(
        {"day": "a"},
        {"numRecords": 10, "minValues": {"x": 0}, "maxValues": {"x": 9}, "nullCount": {"x": 0}},
    ),
    file({"day": "a"}, None),
    file(
        {"day": "b"},
        {"numRecords": 10, "minValues": {"x": 5}, "maxValues": {"x": 20}, "nullCount": {"x": 0}},
        deleted=7,
    ),
    file(
        {"day": "b"},
        {"numRecords": 10, "minValues": {"x": 30}, "maxValues": {"x": 40}, "nullCount": {"x": 0}},
    ),
    file(
        {"day": "b"},
        {"numRecords": 10, "minValues": {"x": 50}, "maxValues": {"x": 60}, "nullCount": {"x": 3}},
    ),
]
TABLE = snapshot({"day": "string", "x": "long"}, *FILES, partitioned=["day"])


def kept(limit, *hints, **more):
    return select(TABLE, predicate_hints=hints, limit=limit, **more)


@pytest.mark.parametrize(
    ("limit", "hints", "files"),
    [
        *((1, [], [0]), (10, [], [0])),
        *((13, [], [0, 2]), (14, [], [0, 2, 3])),  # deleted rows are not counted
        *(
            (33, [], [0, 2, 3, 4]),
            (34, [], None),
        ),  # files without a row count come when the others do not suffice
        *((0, [], []), (0, ["day = 'a'"], [])),
        *((None, [], None), (-1, [], None)),
        *(
            (1, ["day = 'b'"], [2]),
            (4, ["day = 'b'"], [2, 3]),
            (1, ["day = 'c'"], []),
        ),  # predicates come before the limit
        (5, ["x > 10"], [3]),  # rows count only if all of a file match
        (11, ["x > 10"], [1, 2, 3, 4]),  # the last one holds nulls
        (10, ["day = 'b' AND x >= 30"], [3]),
        *(
            (1, ["x LIKE 'a'"], None),
            (1, ["x LIKE 'a'", "day = 'b'"], [2, 3, 4]),
        ),  # no rows count beside an unknown predicate
    ],
)
def test_files_are_given_until_they_certainly_hold_enough_rows(limit, hints, files):
    assert kept(limit, *hints) == files


def test_a_limit_counts_no_rows_beside_a_tree_that_is_not_understood():
    assert kept(1, json_predicate_hints="{") is None


def test_a_cardinality_that_is_none_counts_no_rows():
    files = [
        ({"day": "a"}, '{"numRecords":10}', {"storageType": "i", "cardinality": odd})
        for odd in (None, "x", -1)
    ]
    assert select(snapshot({"day": "string"}, *files, partitioned=["day"]), limit=1) is None


def test_counts_that_are_none_count_no_rows():
    files = [
        file({}, text)
        for text in (
            '{"numRecords":-5}',
            '{"numRecords":true}',
            '{"numRecords":"9"}',
            '{"numRecords":1.5}',
        )
    ]
    assert select(snapshot({"x": "long"}, *files), limit=1) is None


def test_a_limit_beside_a_tree_is_reached_by_files_that_match_for_certain():
    tree = {
        "op": "equal",
        "children": [
            {"op": "column", "name": "day", "valueType": "string"},
            {"op": "literal", "value": "b", "valueType": "string"},
        ],
    }
    assert kept(3, json_predicate_hints=json.dumps(tree)) == [2]


def test_predicate_with_too_many_comparisons_is_ignored(monkeypatch):
    monkeypatch.setattr(
        "lakepact.reference_server.delta_sharing.hints.selection.MOST_COMPARISONS", 11
    )
    assert kept(None, "x > 100") == [1]
    assert kept(None, "x > 100 AND x > 100 AND x > 100") is None
    assert (
        kept(None, "x > 0 AND x > 0", "x > 100") is None
    )  # every file may hold what is more than 0
    assert (
        kept(None, "day = 'c' OR day = 'd'") == []
    )  # two partitions, to be looked at, to be read, and two comparisons for each


@pytest.mark.parametrize("partitioned", [True, False])
def test_predicates_of_one_request_share_the_limit_of_comparisons(monkeypatch, partitioned):
    judged = []
    compare = Comparison.outcomes
    monkeypatch.setattr(
        Comparison, "outcomes", lambda self, known: judged.append(1) or compare(self, known)
    )
    values = [({"n": str(number)} if partitioned else {}) for number in range(100)]
    files = [
        file(
            value,
            {"numRecords": 1, "minValues": {"n": 1}, "maxValues": {"n": 9}, "nullCount": {"n": 0}},
        )
        for value in values
    ]
    table = snapshot({"n": "long"}, *files, partitioned=["n"] if partitioned else [])
    monkeypatch.setattr(selection, "MOST_COMPARISONS", 10_000)

    select(table, predicate_hints=[" OR ".join(f"n = {number}" for number in range(1, 41))] * 100)

    assert len(judged) <= 2 * 10_000


def test_hints_without_end_are_not_read():
    assert kept(None, *["x LIKE 'a'"] * 100, "x > 100") is None
    assert kept(None, *["x > 0" + " " * 16_000] * 5, "x > 100") is None


def test_repeated_selection_gives_the_same_files():
    for hint in ("x > 100", "x > 35", "x IS NULL", "NOT x > 35", "x = 5", "x > 100"):
        fresh = snapshot({"day": "string", "x": "long"}, *FILES, partitioned=["day"])
        assert (
            select(fresh, predicate_hints=[hint])
            == select(TABLE, predicate_hints=[hint])
            == select(TABLE, predicate_hints=[hint])
        )


@pytest.mark.parametrize("depth", [51, 300, 2500, 10_000])
@pytest.mark.parametrize(("before", "after"), [("CAST(", " AS INT)"), ("(", ")")])
def test_nested_casts_and_parentheses_are_ignored(depth, before, after):
    assert kept(None, before * depth + "x" + after * depth + " > 100") is None


@pytest.mark.parametrize("depth", [101, 300, 10_000, 100_000])
@pytest.mark.parametrize("leaf", ['{"op":"column","name":"b","valueType":"bool"}', "[]"])
def test_nested_trees_are_ignored(depth, leaf):
    assert (
        kept(None, json_predicate_hints='{"op":"not","children":[' * depth + leaf + "]}" * depth)
        is None
    )


def test_tree_of_a_million_values_is_ignored():
    assert kept(None, json_predicate_hints="[" + "[]," * 1_000_000 + "[]]") is None
