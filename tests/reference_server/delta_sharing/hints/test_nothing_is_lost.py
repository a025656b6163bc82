"""Hints never omit a file with a matching row."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.hints import select
from sample_tables.rows_and_predicates import (
    READERS,
    as_json,
    as_sql,
    holds,
    random_predicate,
    random_table,
)
from sampling import some

TABLES, PREDICATES = (
    90,
    28,
)  #: two tests, and eight by night, each of so many tables, with so many predicates for each


@pytest.mark.parametrize("router", some(range(8), 4))
def test_no_file_with_a_matching_row_is_left_out(router):
    @settings(max_examples=TABLES, derandomize=False, database=None)
    @given(seed=st.integers(0, 2**63))
    def invariant(seed):
        random = Random(f"{router} {seed}")
        table = random_table(random)
        snapshot = table.snapshot()
        read = {
            reader: [table.live_rows(part, reader) for part in table.parts] for reader in READERS
        }
        for number in range(PREDICATES):
            predicates = [random_predicate(random, table) for _ in range(random.choice((1, 1, 2)))]
            sql = [as_sql(random, predicate) for predicate in predicates]
            tree = as_json(random, predicates[0]) if number % 2 else None
            meant = ("and", *predicates)
            hints = {
                "predicate_hints": [*(hint if hint is not None else "what is this" for hint in sql)]
            }
            if tree is not None:
                hints = {
                    "json_predicate_hints": json.dumps(tree),
                    "predicate_hints": hints["predicate_hints"][1:],
                }
            limit = random.choice((None, 0, 1, 3, 1000))
            found = select(snapshot, limit=limit, **hints)
            for reader, rows in read.items() if found is not None else ():
                matching = [sum(holds(meant, row, reader) is True for row in part) for part in rows]
                wanted = sum(matching) if limit is None else min(sum(matching), limit)
                assert sum(matching[place] for place in found) >= wanted, (
                    hints,
                    limit,
                    reader,
                    table,
                )

    invariant()
