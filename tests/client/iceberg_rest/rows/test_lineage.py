"""Tables of format version 3 keep the ids and versions of rows that are not changed."""

from __future__ import annotations

import itertools
import json
import struct

import pyarrow as pa
import pytest
import zstandard
from pyiceberg.manifest import ManifestContent

from lakepact.client import DamagedData, IcebergCatalog, pyiceberg_table
from lakepact.client.iceberg_rest.rows.manifests import entries_of, manifests_of
from lakepact.client.iceberg_rest.rows.planning import plan_files, scan_of
from lakepact.reference_server import running
from rows_fuzz.deletes import delete_positions
from rows_fuzz.lineage import lineage

_NAMES = (f"n.t{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def catalog():
    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        yield catalog


def created(catalog, version=3, properties=None, **columns):
    """Return the name of a new table with the columns `id` and `city`, or others."""
    name = next(_NAMES)
    fields = columns or {"id": "long", "city": "string"}
    schema = {
        "type": "struct",
        "fields": [
            {"id": number, "name": field, "type": kind, "required": field == "id"}
            for number, (field, kind) in enumerate(fields.items(), 1)
        ],
    }
    properties = {"format-version": str(version), **(properties or {})}
    catalog.create_table(name, schema, properties=properties)
    return name


def rows(*numbers, city="Rome"):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("city", pa.string())])
    return pa.table({"id": numbers, "city": [city] * len(numbers)}, schema=schema)


def manifests(catalog, name, content=ManifestContent.DATA):
    """Return the manifests of a table that have files."""
    table = pyiceberg_table(catalog, name)
    every = manifests_of(table.current_snapshot(), table.io)
    return [one for one in every if one.content == content and entries_of(one, table.io)]


def test_appended_rows_get_the_next_ids(catalog):
    name = created(catalog)
    catalog.append(name, rows(10, 11, 12))
    catalog.append(name, rows(13, 14))
    metadata = pyiceberg_table(catalog, name).metadata
    last = metadata.current_snapshot()
    assert (last.first_row_id, last.added_rows, metadata.next_row_id) == (3, 2, 5)
    assert lineage(catalog, name, "id") == {
        10: (0, 1), 11: (1, 1), 12: (2, 1), 13: (3, 2), 14: (4, 2),
    }  # fmt: skip


def test_rows_that_a_delete_keeps_keep_their_ids_and_versions(catalog):
    name = created(catalog)
    catalog.append(name, rows(10, 11, 12))
    catalog.delete(name, "id = 10")
    catalog.delete(name, "id = 11")
    assert lineage(catalog, name, "id") == {12: (2, 1)}


def test_upsert_keeps_ids_and_changes_versions_of_updated_rows_alone(catalog):
    name = created(catalog)
    catalog.append(name, rows(10, 11, 12))
    catalog.upsert(name, pa.concat_tables([rows(11, 13, city="Oslo"), rows(12)]), ["id"])
    numbers = lineage(catalog, name, "id")
    assert {key: numbers[key] for key in (10, 11, 12)} == {10: (0, 1), 11: (1, 2), 12: (2, 1)}
    assert numbers[13][0] > 2
    assert numbers[13][1] == 2


def test_deletion_vector_is_removed_with_its_file(catalog):
    name = created(catalog)
    catalog.append(name, rows(10, 11, 12, 13))
    table = pyiceberg_table(catalog, name)
    (file,) = plan_files(scan_of(table, None), None)
    delete_positions(table, file.task.file, [1], vector=True)
    assert len(manifests(catalog, name, ManifestContent.DELETES)) == 1
    catalog.delete(name, "id = 12")
    assert lineage(catalog, name, "id") == {10: (0, 1), 13: (3, 1)}
    assert manifests(catalog, name, ManifestContent.DELETES) == []
    summary = pyiceberg_table(catalog, name).current_snapshot().summary
    assert (summary["removed-delete-files"], summary["deleted-records"]) == ("1", "4")


def test_deletion_vector_with_a_codec_raises_damaged_data(catalog):
    name = created(catalog)
    catalog.append(name, rows(10, 11))
    table = pyiceberg_table(catalog, name)
    (file,) = plan_files(scan_of(table, None), None)
    delete_positions(table, file.task.file, [1], vector=True)
    (scan,) = pyiceberg_table(catalog, name).scan().plan_files()
    (vector,) = scan.delete_files
    with table.io.new_output(vector.file_path).create(overwrite=True) as output:
        output.write(puffin_with_a_codec(file.task.file.file_path, bytes(1 << 20)))

    with pytest.raises(DamagedData, match="expected a deletion vector without compression-codec"):
        catalog.scan(name).to_arrow()


def puffin_with_a_codec(data_file, content):
    """Return a Puffin file whose only blob is compressed."""
    blob = zstandard.compress(content)
    about = {
        "type": "deletion-vector-v1",
        "fields": [2147483645],
        "snapshot-id": -1,
        "sequence-number": -1,
        "offset": 4,
        "length": len(blob),
        "compression-codec": "zstd",
        "properties": {"referenced-data-file": data_file, "cardinality": "1"},
    }
    footer = json.dumps({"blobs": [about]}).encode()
    return b"PFA1" + blob + b"PFA1" + footer + struct.pack("<i", len(footer)) + bytes(4) + b"PFA1"


def test_rows_of_an_upgraded_table_get_ids_with_the_next_snapshot(catalog):
    name = created(catalog, version=2)
    catalog.append(name, rows(10, 11))
    catalog.change(name).upgrade_format_version(3).commit()
    assert lineage(catalog, name, "id") == {10: (None, 1), 11: (None, 1)}
    catalog.append(name, rows(12))
    numbers = lineage(catalog, name, "id")
    assert sorted(row_id for row_id, _ in numbers.values()) == [0, 1, 2]
    catalog.delete(name, "id = 10")
    assert lineage(catalog, name, "id") == {key: numbers[key] for key in (11, 12)}


def test_rows_are_refused_until_a_column_with_a_reserved_name_is_renamed(catalog):
    name = created(catalog, id="long", _row_id="long")
    with pytest.raises(ValueError, match="the name of column _row_id is reserved"):
        catalog.append(name, {"id": [1, 2], "_row_id": [5, 6]})
    catalog.change(name).rename_column("_row_id", "number").commit()
    catalog.append(name, {"id": [1, 2], "number": [5, 6]})
    catalog.delete(name, "id = 1")
    assert catalog.scan(name).to_arrow().to_pylist() == [{"id": 2, "number": 6}]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_manifests_are_merged_if_the_table_asks_for_it(catalog, version):
    merging = {
        "commit.manifest-merge.enabled": "true",
        "commit.manifest.min-count-to-merge": "3",
    }
    name = created(catalog, version, merging)
    for number in range(4):
        catalog.append(name, rows(number))
    assert len(manifests(catalog, name)) == 2
    assert sorted(catalog.scan(name).to_arrow().column("id").to_pylist()) == [0, 1, 2, 3]
    if version == 3:
        numbers = lineage(catalog, name, "id")
        assert [numbers.pop(key) for key in range(3)] == [(0, 1), (1, 2), (2, 3)]
        assert numbers[3][0] > 2


def test_void_partition_of_a_required_column_is_written(catalog):
    name = created(catalog, version=1)
    catalog.change(name).add_partition_field("id", "bucket[2]", name="p").commit()
    catalog.append(name, rows(1, 2))
    catalog.change(name).remove_partition_field("p").commit()
    catalog.append(name, rows(3))
    catalog.delete(name, "id = 1")
    assert sorted(catalog.scan(name).to_arrow().column("id").to_pylist()) == [2, 3]


def test_partition_of_nan_is_replaced(catalog):
    name = created(catalog, version=2, x="double", n="long")
    catalog.change(name).add_partition_field("x").commit()
    catalog.append(name, {"x": [float("nan"), 1.0], "n": [1, 2]})
    catalog.overwrite_partitions(name, {"x": [float("nan")], "n": [3]})
    assert sorted(catalog.scan(name).to_arrow().column("n").to_pylist()) == [2, 3]


def test_rows_without_a_column_get_its_default(catalog):
    name = created(catalog)
    nested = {"id": 9, "name": "in-ner", "type": "int", "required": False}
    struct = {"type": "struct", "fields": [nested]}
    change = catalog.change(name).add_column("num-ber", "int", default=0)
    change.add_column("struct", struct).commit()
    catalog.append(name, rows(1))
    catalog.append(name, {"id": [2], "num-ber": [7], "struct": [{"in-ner": 3}]})
    values = catalog.scan(name, ["num-ber", "struct"]).to_arrow().to_pylist()
    assert sorted(values, key=str) == [
        {"num-ber": 0, "struct": None},
        {"num-ber": 7, "struct": {"in-ner": 3}},
    ]
