"""Parquet files that are added to a table as they are."""

from __future__ import annotations

import itertools
from pathlib import Path

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakepact.client import CommitRejected, IcebergCatalog, LimitExceeded
from lakepact.client.limits import Limits
from lakepact.client.retries import NO_RETRIES
from sample_tables.table_documents import field, struct

_NAMES = (f"n.t{number}" for number in itertools.count())


@pytest.fixture
def catalog(server):
    with IcebergCatalog(server.url, retries=NO_RETRIES) as catalog:
        yield catalog


def _table(catalog, kinds, partition=None):
    name = next(_NAMES)
    fields = [field(n, f"c{n}", kind) for n, kind in enumerate(kinds, 1)]
    catalog.create_table(name, struct(*fields))
    if partition:
        catalog.change(name).add_partition_field("c1", partition).commit()
    return name


def _file(tmp_path, columns, ids=None):
    table = pa.table(columns)
    if ids:
        fields = zip(table.schema, ids, strict=True)
        table = table.cast(
            pa.schema(one.with_metadata({"PARQUET:field_id": str(n)}) for one, n in fields)
        )
    pq.write_table(table, tmp_path / "file.parquet")
    return str(tmp_path / "file.parquet")


def test_added_file_is_found_by_its_partition(catalog, tmp_path):
    table = _table(catalog, ["string", "int"], "identity")
    path = _file(tmp_path, {"c1": ["a", "a"], "c2": pa.array([1, None], pa.int32())})

    catalog.add_files(table, [path])

    assert catalog.files(table)["partition"].to_pylist() == [{"c1": "a"}]
    assert catalog.scan(table, row_filter="c1 = 'a' and c2 is null").count() == 1


@pytest.mark.parametrize(
    ("kind", "values", "partition"),
    [
        ("string", ["a", None], "identity"),
        ("double", [1.0, float("nan")], "identity"),
        ("string", ["a", "b"], "identity"),
        ("string", ["a", "a"], "bucket[3]"),
    ],
)
def test_file_of_several_partitions_is_refused(catalog, tmp_path, kind, values, partition):
    table = _table(catalog, [kind], partition)

    with pytest.raises(ValueError, match=r"file\.parquet.* cannot be added: .*artition"):
        catalog.add_files(table, [_file(tmp_path, {"c1": values})])


def test_file_whose_ids_are_those_of_other_columns_is_refused(catalog, tmp_path):
    table = _table(catalog, ["string", "string"])

    with pytest.raises(ValueError, match="c1 has the field id of another one"):
        catalog.add_files(table, [_file(tmp_path, {"c1": ["a"], "c2": ["b"]}, ids=[2, 1])])


def test_rejected_addition_leaves_the_file(catalog, server, tmp_path):
    table, path = _table(catalog, ["string"]), _file(tmp_path, {"c1": ["a"]})

    def change_before(request):
        if request.method == "POST":
            catalog.append(table, {"c1": ["b"]})

    with (
        httpx.Client(event_hooks={"request": [change_before]}) as http,
        IcebergCatalog(server.url, http=http, retries=NO_RETRIES) as late,
        pytest.raises(CommitRejected),
    ):
        late.add_files(table, [path])

    assert catalog.scan(table).count() == 1
    assert Path(path).exists()


def test_footer_beyond_the_limit_is_refused(catalog, server, tmp_path):
    table = _table(catalog, ["string"])
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"c1": ["a"]}).replace_schema_metadata({"k": "x" * 400_000}), path)

    with (
        IcebergCatalog(server.url, limits=Limits(decoded=300_000)) as careful,
        pytest.raises(LimitExceeded, match="decoded="),
    ):
        careful.add_files(table, [str(path)])
