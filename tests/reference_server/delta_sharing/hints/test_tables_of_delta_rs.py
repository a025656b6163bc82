"""Hints never omit a file with a matching row of a table that delta-rs wrote, with the statistics
that it wrote.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import deltalake
import pyarrow as pa

from lakepact.reference_server.delta_sharing.hints import select
from sample_tables.rows_and_predicates import (
    DECIMALS,
    READERS,
    Table,
    as_json,
    as_sql,
    holds,
    random_predicate,
    random_table,
)

TABLES, PREDICATES = 40, 25
ARROW: dict[str, pa.DataType] = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    **{name: pa.decimal128(*numbers) for name, numbers in DECIMALS.items()},
}


def written(random: Random, folder: Path) -> Table:
    """Write a table without partitions, a file for each of its parts, and return it with the
    statistics in the log.
    """
    table = random_table(random)
    table.mapped = False
    table.columns = [replace(column, partition=False, former=None) for column in table.columns]
    table.parts = [part for part in table.parts if part.rows and not part.old]
    schema = pa.schema([(column.name, ARROW[column.type]) for column in table.columns])
    for part in table.parts:
        part.partition, part.alive = {}, [True] * len(part.rows)
        rows = [
            {column.name: row.get(column.name) for column in table.columns} for row in part.rows
        ]
        part.rows = rows
        deltalake.write_deltalake(folder, pa.Table.from_pylist(rows, schema=schema), mode="append")
        log = max((folder / "_delta_log").glob("*.json")).read_bytes()
        (part.stats,) = (
            action["add"]["stats"]
            for action in map(json.loads, log.splitlines())
            if "add" in action
        )
    return table


def test_no_file_with_a_matching_row_is_left_out(tmp_path: Path) -> None:
    omitted = 0
    for number in range(TABLES):
        random = Random(f"delta-rs {number}")
        table = written(random, tmp_path / str(number))
        snapshot = table.snapshot()
        for turn in range(PREDICATES if table.parts else 0):
            predicate = random_predicate(random, table)
            sql, tree = as_sql(random, predicate), as_json(random, predicate)
            hints: dict[str, Any] = (
                {"json_predicate_hints": json.dumps(tree)}
                if turn % 2 and tree
                else {"predicate_hints": [sql or ""]}
            )
            found = select(snapshot, **hints)
            omitted += 0 if found is None else len(table.parts) - len(found)
            for reader in READERS if found is not None else ():
                lost = [
                    row
                    for place, part in enumerate(table.parts)
                    if place not in found
                    for row in table.live_rows(part, reader)
                    if holds(predicate, row, reader)
                ]
                assert not lost, (hints, reader)
    assert omitted > TABLES
