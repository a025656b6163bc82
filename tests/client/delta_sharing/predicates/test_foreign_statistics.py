"""Reading with a predicate gives the rows that reading everything gives, for tables of delta-spark
and delta-rs.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml
from packaging.version import Version

from lakepact.client import SharingClient
from lakepact.client.delta_sharing.file_skipping import FileSkipping
from lakepact.client.delta_sharing.rows.expressions import bound, row_matcher
from lakepact.client.delta_sharing.schemas import Primitive
from lakepact.client.rows.predicates import columns_of, hint
from lakepact.reference_server import running

from .delta_rs_tables import write
from .nearby_predicates import combinations, predicates_of
from .range_server import may_match

pytestmark = pytest.mark.skipif(
    Version(deltalake.__version__) < Version("1.6.1"),
    reason="deltalake before 1.6.1 cannot write decimals of 38 digits",
)

SPARK = Path(__file__).parent / "spark_tables"
WRITERS = ("delta-spark", "delta-rs")
#: By day every fifth predicate about the tables of one writer; all take minutes.
SAMPLED = (
    ("delta-rs", 5),
    *(pytest.param(writer, 1, marks=pytest.mark.nightly) for writer in WRITERS),
)
TOKEN = "token-of-a-reader"
#: Every so many predicates are sent to the server too.
SENT = 40


class SharedTable(NamedTuple):
    """A shared table: its files, and the rows of all files, with the number of the file of each."""

    table: Any
    metadata: Any
    files: list[Any]
    rows: Any
    predicates: list[Any]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Yield the tables of each writer by name, shared by a server."""
    work = tmp_path_factory.mktemp("foreign")
    write(work / "delta-rs")
    folders = {"delta-spark": SPARK, "delta-rs": work / "delta-rs"}
    places = {
        (writer, log.parent.name): log.parent
        for writer, folder in folders.items()
        for log in sorted(folder.glob("*/_delta_log"))
    }
    schemas = [
        {
            "name": writer,
            "tables": [
                {"name": name, "location": str(path)}
                for (of, name), path in places.items()
                if of == writer
            ],
        }
        for writer in folders
    ]
    document = {
        "version": 1,
        "shares": [{"name": "foreign", "schemas": schemas}],
        "recipients": [{"name": "reader", "bearerToken": TOKEN}],
    }
    (work / "shares.yaml").write_text(yaml.safe_dump(document))
    with running(shares=work / "shares.yaml") as server:
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address("delta_sharing"),
            "bearerToken": TOKEN,
        }
        with SharingClient(profile) as client:
            yield {place: _shared_table(client.table("foreign", *place)) for place in places}


def _shared_table(table):
    with table.query() as listing:
        metadata, files = listing.metadata, list(listing.files())
    parts = list(table.query().batches())
    assert len(parts) == len(files)
    rows = pa.concat_tables(
        part.append_column("file", pa.array([number] * len(part), pa.int32()))
        for number, part in enumerate(parts)
    )
    plain = [each for each in metadata.schema.fields if isinstance(each.type, Primitive)]
    predicates = [
        predicate
        for each in plain
        for predicate in predicates_of(
            each.name, each.type, rows.column(each.name).combine_chunks()
        )
    ]
    return SharedTable(
        table, metadata, files, rows, [*predicates, *combinations(Random(5), predicates, 200)]
    )


def matching_files(shared, predicate):
    """Return the numbers of the files that hold wanted rows."""
    some = shared.rows.select(
        [*{shared.metadata.schema.column(name).name for name in columns_of(predicate)}, "file"]
    )
    match = row_matcher(bound(predicate, shared.metadata.schema), some.schema)
    return pc.unique(some.filter(match(some)).column("file")).to_pylist()


def texts(table):
    """Return the columns as texts, where NaN is like NaN; times are numbers, as Python has none
    after the year 9999.
    """
    numbers = [
        pa.int64()
        if pa.types.is_timestamp(kind)
        else pa.int32()
        if pa.types.is_date(kind)
        else kind
        for kind in table.schema.types
    ]
    return repr(
        [column.cast(kind).to_pylist() for column, kind in zip(table.columns, numbers, strict=True)]
    )


def of(tables, writer):
    return {name: shared for (of_writer, name), shared in tables.items() if of_writer == writer}


@pytest.mark.parametrize(("writer", "every"), SAMPLED)
def test_no_file_with_a_wanted_row_is_skipped(tables, writer, every):
    missing, skips = [], 0
    for name, shared in of(tables, writer).items():
        for predicate in shared.predicates[::every]:
            candidates = {
                number
                for number, file in enumerate(shared.files)
                if FileSkipping(bound(predicate, shared.metadata.schema), shared.metadata).may_hold(
                    file
                )
            }
            skips += len(shared.files) - len(candidates)
            missing += [
                (name, predicate, shared.files[number].stats)
                for number in matching_files(shared, predicate)
                if number not in candidates
            ]

    assert missing == []
    assert skips > 10_000 / every


@pytest.mark.parametrize(("writer", "every"), SAMPLED)
def test_hints_lose_no_row_on_a_server_that_compares_ranges(tables, writer, every):
    missing, skips = [], 0
    for name, shared in of(tables, writer).items():
        for predicate in shared.predicates[::every]:
            if (text := hint(predicate)) is not None:
                candidates = {
                    number
                    for number, file in enumerate(shared.files)
                    if may_match(json.loads(text), file)
                }
                skips += len(shared.files) - len(candidates)
                missing += [
                    (name, predicate, text, shared.files[number].stats)
                    for number in matching_files(shared, predicate)
                    if number not in candidates
                ]

    assert missing == []
    assert skips > 1000 / every


@pytest.mark.parametrize(("writer", "every"), SAMPLED)
def test_rows_with_a_predicate_are_those_of_reading_everything(tables, writer, every):
    for name, shared in of(tables, writer).items():
        for predicate in shared.predicates[:: SENT * every]:
            match = row_matcher(bound(predicate, shared.metadata.schema), shared.rows.schema)
            everything = shared.rows.drop_columns("file").filter(match(shared.rows))

            assert texts(shared.table.to_arrow(row_filter=predicate)) == texts(everything), (
                name,
                predicate,
            )


def test_predicates_are_thousands_about_every_type(tables):
    counts = {
        writer: sum(len(shared.predicates) for shared in of(tables, writer).values())
        for writer in WRITERS
    }
    kinds = {
        writer: {
            getattr(each.type, "name", "")
            for shared in of(tables, writer).values()
            for each in shared.metadata.schema.fields
        }
        for writer in WRITERS
    }

    assert min(counts.values()) > 3000, counts
    every = {
        "byte",
        "short",
        "integer",
        "long",
        "float",
        "double",
        "decimal",
        "string",
        "boolean",
        "date",
        "timestamp",
        "timestamp_ntz",
    }
    assert all(every <= types for types in kinds.values())
