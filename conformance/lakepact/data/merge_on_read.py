"""Snapshots of Iceberg tables with delete files, or in format 3: pyiceberg reads both, and writes
neither.
"""

from __future__ import annotations

import io
import json
import uuid
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lakepact.conformance.checks.iceberg_rest.kit.files import manifests
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    DATA,
    POSITION_DELETES,
    File,
    Manifest,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.deletion_vectors import POSITION, puffin_of
from lakepact.conformance.evidence.arrow import pa, pq
from lakepact.data.shapes import VECTORS
from lakepact.data.writers import cuts

if TYPE_CHECKING:
    from lakepact.data.shapes import Shape
    from lakepact.data.truth import Version

NAME = 2147483546  #: field id of the path in position deletes


@dataclass
class MergeOnRead:
    """An Iceberg table that gets data files and delete files."""

    table: Any  #: as pyiceberg has it
    shape: Shape
    manifests: tuple[Manifest, ...] = ()
    rows: dict[str, Version] = field(default_factory=dict)  #: of each data file

    def add(self, version: Version, *, files: int) -> None:
        """Commit a snapshot with further rows, cut into files."""
        data_files = []
        for first, last in cuts(version, files):
            content = io.BytesIO()
            with pq.ParquetWriter(content, self.table.schema().as_arrow()) as file:
                for batch in self.shape.batches(first, last):
                    file.write_table(pa.Table.from_batches([batch]).cast(file.schema))
            path = self._write("data", "parquet", content.getvalue())
            self.rows[path] = replace(version, first=first, last=last)
            data_files.append(File(path, rows=last - first, size=content.tell()))
        self._commit(data_files, operation="append")

    def delete(self, first: int) -> None:
        """Commit a snapshot in which the rows before a number are deleted."""
        counts = {
            path: min(first, rows.last) - rows.first
            for path, rows in self.rows.items()
            if rows.first < first
        }
        deletes = (
            self._vectors(counts) if self.shape.deletes == VECTORS else self._positions(counts)
        )
        self._commit(deletes, operation="delete")

    def _positions(self, counts: dict[str, int]) -> list[File]:
        """Write one file of position deletes, sorted by file and position, as the specification
        demands.
        """
        fields = [
            pa.field(name, type_, nullable=False, metadata={"PARQUET:field_id": str(number)})
            for name, type_, number in (
                ("file_path", pa.string(), NAME),
                ("pos", pa.int64(), POSITION),
            )
        ]
        paths = [path for path, count in sorted(counts.items()) for _ in range(count)]
        places = np.concatenate([np.arange(count) for _, count in sorted(counts.items())])
        content = io.BytesIO()
        pq.write_table(
            pa.Table.from_arrays([pa.array(paths), pa.array(places)], schema=pa.schema(fields)),
            content,
        )
        path = self._write("data", "parquet", content.getvalue())
        return [File(path, rows=len(paths), size=content.tell(), content=POSITION_DELETES)]

    def _vectors(self, counts: dict[str, int]) -> list[File]:
        """Write one Puffin file with a deletion vector for each data file."""
        content, places = puffin_of({path: range(count) for path, count in counts.items()})
        path = self._write("data", "puffin", content)
        return [
            File(
                path,
                (),
                count,
                POSITION_DELETES,
                "PUFFIN",
                len(content),
                target=target,
                offset=offset,
                length=length,
            )
            for (offset, length), (target, count) in zip(places, counts.items(), strict=True)
        ]

    def _commit(self, files: list[File], *, operation: str) -> None:
        update = import_module("pyiceberg.table.update")
        snapshots = import_module("pyiceberg.table.snapshots")
        metadata, parent = self.table.metadata, self.table.current_snapshot()
        before = parent.snapshot_id if parent else None
        identifier, sequence = uuid.uuid4().int >> 65, metadata.last_sequence_number + 1
        schema, version = json.loads(self.table.schema().model_dump_json()), metadata.format_version
        manifest = Manifest(
            tuple(files),
            sequence=sequence,
            snapshot=identifier,
            first_row=metadata.next_row_id if version == 3 else None,
        )
        content = manifests.manifest_bytes(manifest, schema, format_version=version)
        manifest = replace(
            manifest, path=self._write("metadata", "avro", content), length=len(content)
        )
        self.manifests = (manifest, *self.manifests)
        ids = {"snapshot": identifier, "parent": before, "sequence": sequence}
        members: dict[str, Any] = {"schema": schema, "format_version": version, **ids}
        manifest_list = self._write(
            "metadata", "avro", manifests.list_bytes(self.manifests, **members)
        )
        record_count = sum(file.rows for file in files if file.content == DATA)
        snapshot = snapshots.Snapshot(
            snapshot_id=identifier,
            parent_snapshot_id=before,
            sequence_number=sequence,
            manifest_list=manifest_list,
            summary=snapshots.Summary(snapshots.Operation(operation), **self._totals()),
            schema_id=self.table.schema().schema_id,
            **(
                {"first_row_id": metadata.next_row_id, "added_rows": record_count}
                if version == 3
                else {}
            ),
        )
        self.table.catalog.commit_table(
            self.table,
            (update.AssertRefSnapshotId(ref="main", snapshot_id=before),),
            (
                update.AddSnapshotUpdate(snapshot=snapshot),
                update.SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=identifier),
            ),
        )
        self.table.refresh()

    def _totals(self) -> dict[str, str]:
        files = [file for manifest in self.manifests for file in manifest.files]
        data, deletes = (
            [file.rows for file in files if (file.content == DATA) is is_data]
            for is_data in (True, False)
        )
        totals = {
            "records": sum(data),
            "data-files": len(data),
            "delete-files": len(deletes),
            "position-deletes": sum(deletes),
        }
        return {f"total-{name}": str(total) for name, total in totals.items()}

    def _write(self, folder: str, suffix: str, content: bytes) -> str:
        """Write a file of the table; return its location."""
        location = f"{self.table.location().rstrip('/')}/{folder}/{uuid.uuid4()}.{suffix}"
        with self.table.io.new_output(location).create() as file:
            file.write(content)
        return location
