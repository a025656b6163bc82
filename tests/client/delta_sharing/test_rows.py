"""The client reads the rows of the listed files and applies predicates and limits itself."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, date, datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg import expressions as e

from lakepact.client import BadReply, DamagedData, UpgradeNeeded, column
from lakepact.extras import install

from .serving import (
    DAYS,
    PARQUET,
    PROTOCOL,
    TABLE,
    A,
    B,
    Desk,
    desk_of,
    file,
    lines,
    metadata,
    parquet_file,
)


def test_each_file_yields_a_batch(table, both):
    batches = table(both).query().batches()

    assert [batch.column("id").to_pylist() for batch in batches] == [[1, 2, 3], [4, 5, 6]]


def test_table_without_files_has_its_columns(table):
    read = table(desk_of({})).to_arrow(columns=["day", "id"])

    assert (read.schema.names, read.num_rows) == (["day", "id"], 0)


def test_columns_are_matched_without_case_in_the_given_order(table, both):
    assert table(both).to_arrow(columns=["DAY", "id"]).schema.names == ["day", "id"]


@pytest.mark.parametrize(
    ("columns", "kind", "complaint"),
    [
        ([], ValueError, "no columns are wanted"),
        (["x"], ValueError, "no column 'x'"),
        (["id", "ID"], ValueError, "named twice"),
        ("id", TypeError, "columns is a list, such as"),
    ],
)
def test_unreadable_columns_raise_before_a_file_is_fetched(table, both, columns, kind, complaint):
    with pytest.raises(kind, match=complaint):
        table(both).to_arrow(columns=columns)

    assert len(both.requests) == 1


PREDICATES = {
    "small": (column("day") == date(2024, 1, 1)) & (column("id") > 1),
    "text": "day = '2024-01-01' and id > 1",
    "pyiceberg": e.And(e.EqualTo("day", date(2024, 1, 1)), e.GreaterThan("id", 1)),
}


@pytest.mark.parametrize("predicate", PREDICATES.values(), ids=PREDICATES)
@pytest.mark.parametrize("columns", [None, ["id"]], ids=["all columns", "others than it looks at"])
def test_predicate_is_applied_by_the_client(table, both, predicate, columns):
    """DS-HNT-14, DS-SQL-04, DS-JSP-09."""
    read = table(both).to_arrow(row_filter=predicate, columns=columns)

    assert read.column("id").to_pylist() == [4]
    assert read.schema.names == (columns or ["id", "day"])


@pytest.mark.parametrize(("limit", "downloads"), [(0, 0), (1, 1), (3, 1), (4, 2), (100, 2)])
def test_limit_is_applied_by_the_client(table, both, limit, downloads):
    """DS-HNT-14."""
    read = table(both, downloads=1).to_arrow(limit=limit)

    assert read.column("id").to_pylist() == [1, 2, 3, 4, 5, 6][:limit]
    assert len(both.requests) == 1 + downloads


def test_limit_counts_selected_rows(table, both):
    assert table(both).to_arrow(limit=2, row_filter=column("day") == date(2024, 1, 2)).column(
        "id"
    ).to_pylist() == [2, 5]


def test_progress_is_reported_after_each_file(table, both):
    reports = []

    table(both).to_arrow(progress=reports.append)

    size = len(parquet_file(A)) + len(parquet_file(B))
    assert [(each.files, each.of_files, each.rows, each.of_bytes) for each in reports] == [
        (1, 2, 3, size),
        (2, 2, 6, size),
    ]
    assert reports[-1].bytes == size


def test_frames_have_the_same_rows(table, both):
    frame = table(both).to_pandas()

    assert frame["id"].tolist() == table(both).to_polars()["id"].to_list() == [1, 2, 3, 4, 5, 6]


def test_relation_of_duckdb_has_the_same_rows(table, both):
    with duckdb.connect() as connection:
        rows = table(both).to_duckdb(columns=["id"], connection=connection).fetchall()
        relation = table(both).to_duckdb(connection=connection)

        assert (
            sorted(rows)
            == sorted(relation.project("id").fetchall())
            == [(1,), (2,), (3,), (4,), (5,), (6,)]
        )


def test_integers_beside_nulls_stay_integers_in_pandas(table):
    large = 2**53 + 1
    frame = table(desk_of({"a": parquet_file({"id": [large, None], "day": DAYS[:2]})})).to_pandas()

    assert (str(frame["id"].dtype), frame["id"][0]) == ("Int64", large)


def test_partition_columns_have_the_values_of_the_line(table):
    head = (PROTOCOL, metadata(partitionColumns=["day"]))
    desk = desk_of(
        {"a": parquet_file({"id": [1, 2]})}, head=head, partitionValues={"day": "2024-01-01"}
    )

    assert table(desk).to_arrow().to_pydict() == {"id": [1, 2], "day": [date(2024, 1, 1)] * 2}
    assert table(desk).to_arrow(columns=["day"]).to_pydict() == {"day": [date(2024, 1, 1)] * 2}


@pytest.mark.parametrize(
    ("values", "complaint"),
    [({"day": "1.1.24"}, "column day: '1.1.24' is not a date"), ({}, "no value of partition")],
)
def test_broken_partition_value_is_damaged_data(table, values, complaint):
    head = (PROTOCOL, metadata(partitionColumns=["day"]))

    with pytest.raises(DamagedData, match=complaint):
        table(
            desk_of({"a": parquet_file({"id": [1]})}, head=head, partitionValues=values)
        ).to_arrow()


def test_column_missing_from_a_file_is_null(table):
    assert table(desk_of({"a": parquet_file({"id": [1]})})).to_arrow().to_pydict() == {
        "id": [1],
        "day": [None],
    }


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"no parquet at all", "file a: "),
        (parquet_file(A)[:-20], "file a: "),
        (
            parquet_file({"id": ["1"], "day": [None]}),
            "column id is string in the file, and long in the schema of the table",
        ),
    ],
)
def test_broken_file_is_damaged_data(table, content, complaint):
    with pytest.raises(DamagedData, match=complaint):
        table(desk_of({"a": content})).to_arrow()


@pytest.mark.parametrize("more", [-1, 1])
def test_file_of_another_size_is_damaged_data(table, more):
    content = parquet_file(A)
    desk = Desk(query=lines(PROTOCOL, metadata(), file("a", size=len(content) - more))).on(
        "GET store.test/a", content
    )

    with pytest.raises(DamagedData, match="where the listing says"):
        table(desk).to_arrow()


def test_selected_column_of_unknown_type_raises_upgrade_needed(table):
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in (("id", "long"), ("v", "variant"))
    ]
    desk = desk_of(
        {"a": parquet_file({"id": [1]})},
        head=(PROTOCOL, metadata({"type": "struct", "fields": fields})),
    )

    with pytest.raises(
        UpgradeNeeded,
        match="column of type variant, which this client does not know; name other columns",
    ):
        table(desk).to_arrow()
    assert table(desk).to_arrow(columns=["id"]).to_pydict() == {"id": [1]}


@pytest.mark.parametrize(
    "schema", ["x", "[]", "{}", '{"type":"struct"}', '{"type":"struct","fields":[1]}']
)
def test_broken_schema_is_a_bad_reply(table, schema):
    invalid = {"metaData": metadata()["metaData"] | {"schemaString": schema}}

    with pytest.raises(BadReply, match="schema of the table"):
        table(desk_of({}, head=(PROTOCOL, invalid))).to_arrow()


def test_unknown_partition_column_is_a_bad_reply(table):
    with pytest.raises(BadReply, match="has no partition column 'x'"):
        table(desk_of({}, head=(PROTOCOL, metadata(partitionColumns=["x"])))).to_arrow()


@pytest.mark.parametrize(
    "options",
    [{"use_deprecated_int96_timestamps": True}, {"coerce_timestamps": "ms"}, {"version": "2.6"}],
    ids=str,
)
def test_timestamps_of_every_encoding_are_read(table, options):
    moment = datetime(2024, 1, 1, 12, 30, 0, 123000, tzinfo=UTC)
    buffer = io.BytesIO()
    pq.write_table(
        pa.table({"at": pa.array([moment, None], pa.timestamp("ns", tz="UTC"))}), buffer, **options
    )
    schema = {
        "type": "struct",
        "fields": [{"name": "at", "type": "timestamp", "nullable": True, "metadata": {}}],
    }

    assert table(
        desk_of({"a": buffer.getvalue()}, head=(PROTOCOL, metadata(schema)))
    ).to_arrow().to_pydict() == {"at": [moment, None]}


def test_file_without_any_column_of_the_schema_is_damaged_data(table):
    """A file that lacks only some columns is older than those columns."""
    with pytest.raises(DamagedData, match="none of the columns"):
        table(desk_of({"a": parquet_file({"x": [1]})})).to_arrow()


def test_file_line_of_the_wrong_kind_is_a_bad_reply(table):
    at = {"version": 1, "timestamp": 1}
    desk = Desk(
        query=lines(*PARQUET, file("a", "remove", **at)), changes=lines(*PARQUET, file("a", **at))
    )

    with pytest.raises(
        BadReply, match="file a is told as remove, which this answer is not to hold"
    ):
        table(desk).to_arrow()
    with pytest.raises(BadReply, match="file a is told as file, which this answer is not to hold"):
        table(desk).changes(starting_version=1).to_arrow()


def test_missing_library_raises_with_its_pip_command(table, both, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyroaring", None)

    with pytest.raises(ImportError, match=re.escape(f"this needs pyroaring: {install('arrow')}")):
        table(both).to_arrow()


def test_read_sends_one_query_and_one_get_per_file(table, both):
    table(both).to_arrow()

    assert both.calls == [f"POST {TABLE}/query", "GET /a", "GET /b"]
    assert json.loads(both.requests[0].content) == {"includeRefreshToken": True}
