"""pyiceberg reads the manifests that checks write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import read_manifest_list

from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    DELETED,
    EQUALITY_DELETES,
    EXISTING,
    File,
    Manifest,
    at,
    list_bytes,
    long_bound,
    manifest_bytes,
)
from lakepact.conformance.checks.iceberg_rest.scans.values import VALUES, by_each, schema

SCHEMA: dict[str, Any] = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "name", "type": "string", "required": False},
    ],
}
BY_NAME = {
    "spec-id": 3,
    "fields": [{"source-id": 2, "field-id": 1000, "name": "name", "transform": "identity"}],
}


def entries_of(folder: Path, manifests: Sequence[Manifest], columns: dict[str, Any]) -> list[Any]:
    """Return the manifest list with these manifests, as pyiceberg reads it."""
    (folder / "metadata").mkdir()
    stored = []
    for manifest in manifests:
        manifest_of_list = at(manifest, str(folder), sequence=7, snapshot=77)
        content = manifest_bytes(manifest_of_list, columns, format_version=2)
        (folder / "metadata" / manifest_of_list.path.rpartition("/")[2]).write_bytes(content)
        stored.append(manifest_of_list)
    whole = folder / "list.avro"
    whole.write_bytes(
        list_bytes(stored, schema=columns, snapshot=77, parent=76, sequence=7, format_version=2)
    )
    return list(read_manifest_list(PyArrowFileIO().new_input(str(whole))))


def test_files_keep_partitions_statistics_and_sequence_numbers(tmp_path: Path) -> None:
    bounds = {1: long_bound(5)}
    old = File("b", ("y",), state=EXISTING, snapshot=70, sequence=3)
    files = (
        File(
            "a", (None,), 20, lower=bounds, upper=bounds, values={1: 20}, nulls={1: 0}, splits=(4,)
        ),
        old,
    )
    (manifest,) = entries_of(
        tmp_path,
        [Manifest((*files, File("c", ("z",), state=DELETED, sequence=2)), spec=BY_NAME)],
        SCHEMA,
    )

    first, second = manifest.fetch_manifest_entry(PyArrowFileIO())
    assert (
        manifest.partition_spec_id,
        manifest.added_snapshot_id,
        manifest.sequence_number,
        manifest.deleted_files_count,
    ) == (3, 77, 7, 1)
    assert [
        (e.snapshot_id, e.sequence_number, e.data_file.file_path, e.data_file.partition[0])
        for e in (first, second)
    ] == [
        (77, 7, "a", None),
        (70, 3, "b", "y"),
    ]
    assert (
        first.data_file.lower_bounds,
        first.data_file.value_counts,
        first.data_file.split_offsets,
    ) == (bounds, {1: 20}, [4])


def test_delete_files_have_their_own_manifest(tmp_path: Path) -> None:
    deletes = File("d", content=EQUALITY_DELETES, equality_ids=(1,))
    data, of_deletes = entries_of(tmp_path, [Manifest((File("a"),)), Manifest((deletes,))], SCHEMA)

    (entry,) = of_deletes.fetch_manifest_entry(PyArrowFileIO())
    assert (int(data.content), int(of_deletes.content)) == (0, 1)
    assert (int(entry.data_file.content), entry.data_file.equality_ids) == (2, [1])


@pytest.mark.parametrize(
    "place", [place for place, kind in enumerate(VALUES) if kind not in {"decimal(9, 2)", "uuid"}]
)
def test_partition_values_survive_writing_and_reading(tmp_path: Path, place: int) -> None:
    values = tuple(value for value, _, _ in VALUES.values())
    (manifest,) = entries_of(tmp_path, [Manifest((File("a", values),), spec=by_each())], schema())

    (entry,) = manifest.fetch_manifest_entry(PyArrowFileIO())
    assert entry.data_file.partition[place] == values[place]
