"""Position deletes, deletion vectors and equality deletes, as other engines write them."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.manifest import (
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
)
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate
from pyiceberg.typedef import Record

from lakepact.client.iceberg_rest.rows.manifests import manifests_of
from lakepact.conformance.checks.iceberg_rest.kit.tables.deletion_vectors import puffin_of

_PATH, _POSITION = 2147483546, 2147483545


class _DeleteManifest(ManifestWriterV2):
    """Writes manifests of delete files, which pyiceberg has no writer for."""

    @property
    def version(self) -> Any:
        return 3

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    def new_writer(self) -> AvroOutputFile[ManifestEntry]:
        schema = self._with_partition(3)
        return AvroOutputFile(
            self._output_file,
            schema,
            "manifest_entry",
            schema,
            {**self._meta, "content": "deletes"},
        )


def delete_positions(table: Any, data: DataFile, positions: list[int], *, vector: bool) -> None:
    """Commit a snapshot that deletes rows of a data file by their positions."""
    if vector:
        content, [(offset, length)] = puffin_of({data.file_path: positions})
        path = _write(table, "puffin", content)
        place = {"content_offset": offset, "content_size_in_bytes": length}
        _commit(table, data, path, content, len(positions), referenced=data.file_path, **place)
        return
    columns = {
        "file_path": (_PATH, pa.array([data.file_path] * len(positions))),
        "pos": (_POSITION, pa.array(positions, pa.int64())),
    }
    content = _parquet(columns)
    _commit(table, data, _write(table, "parquet", content), content, len(positions))


def delete_equal(table: Any, data: DataFile, columns: dict[str, tuple[int, Any]]) -> None:
    """Commit a snapshot that deletes, in the partition of a data file, rows with equal values."""
    content = _parquet(columns)
    ids = [number for number, _ in columns.values()]
    count = len(next(iter(columns.values()))[1])
    _commit(table, data, _write(table, "parquet", content), content, count, equality=ids)


def _parquet(columns: dict[str, tuple[int, Any]]) -> bytes:
    fields = [
        pa.field(name, values.type, metadata={"PARQUET:field_id": str(number)})
        for name, (number, values) in columns.items()
    ]
    written = pa.BufferOutputStream()
    arrays = [values for _, values in columns.values()]
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), written)
    return written.getvalue().to_pybytes()


def _write(table: Any, suffix: str, content: bytes) -> str:
    location = f"{table.location()}/data/{uuid.uuid4()}.{suffix}"
    with table.io.new_output(location).create() as file:
        file.write(content)
    return location


def _assign_row_ids(manifests: list[ManifestFile], first: int) -> int:
    """Give ids to the rows of manifests without them, and return the next id."""
    for one in manifests:
        if one.content == ManifestContent.DATA and one[15] is None:
            one[15] = first
            first += one.added_rows_count + one.existing_rows_count
    return first


def _commit(
    table: Any,
    data: DataFile,
    path: str,
    content: bytes,
    count: int,
    *,
    referenced: str | None = None,
    equality: list[int] | None = None,
    **place: int,
) -> None:
    metadata, before = table.metadata, table.current_snapshot()
    identifier, sequence = random.getrandbits(62) | 1, metadata.last_sequence_number + 1
    file = DataFile.from_args(
        _table_format_version=3,
        content=DataFileContent.EQUALITY_DELETES if equality else DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PUFFIN if referenced else FileFormat.PARQUET,
        partition=Record(*data.partition),
        record_count=count,
        file_size_in_bytes=len(content),
        referenced_data_file=referenced,
        equality_ids=equality,
        **place,
    )
    file.spec_id = data.spec_id
    location = f"{table.location()}/metadata/{uuid.uuid4()}"
    writer = _DeleteManifest(
        metadata.specs()[data.spec_id],
        table.schema(),
        table.io.new_output(f"{location}.avro"),
        identifier,
        "gzip",
    )
    with writer:
        writer.add(
            ManifestEntry.from_args(
                status=ManifestEntryStatus.ADDED, snapshot_id=identifier, data_file=file
            )
        )
    written = writer.to_manifest_file()
    deletes = ManifestFile(*(written[place] for place in range(len(written))), None)
    deletes.sequence_number = deletes.min_sequence_number = sequence
    version, kept = metadata.format_version, manifests_of(before, table.io)
    first_row_id = getattr(metadata, "next_row_id", None) or 0
    next_row_id = _assign_row_ids(kept, first_row_id) if version == 3 else 0
    with AvroOutputFile[ManifestFile](
        table.io.new_output(f"{location}-list.avro"),
        MANIFEST_LIST_FILE_SCHEMAS[version],
        "manifest_file",
        MANIFEST_LIST_FILE_SCHEMAS[3],
        {"format-version": str(version)},
    ) as manifests:
        manifests.write_block([deletes, *kept])
    snapshot = Snapshot(
        snapshot_id=identifier,
        parent_snapshot_id=before.snapshot_id,
        sequence_number=sequence,
        manifest_list=f"{location}-list.avro",
        summary=Summary(Operation.DELETE),
        schema_id=metadata.current_schema_id,
        **(
            {"first_row_id": first_row_id, "added_rows": next_row_id - first_row_id}
            if version == 3
            else {}
        ),
    )
    ref = SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=identifier)
    table.catalog.commit_table(
        table,
        (AssertRefSnapshotId(ref="main", snapshot_id=before.snapshot_id),),
        (AddSnapshotUpdate(snapshot=snapshot), ref),
    )
