"""Manifests of a new snapshot, in which data files are added and removed."""

from __future__ import annotations

import contextlib
import itertools
import json
import uuid
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.manifest import (
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFileContent,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    construct_partition_summaries,
    data_file_with_partition,
    manifest_entry_schema_with_data_file,
)
from pyiceberg.schema import Schema
from pyiceberg.table import TableProperties
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import (
    Operation,
    Snapshot,
    SnapshotSummaryCollector,
    Summary,
    update_snapshot_summaries,
)
from pyiceberg.table.update import (
    AddSnapshotUpdate,
    AssertRefSnapshotId,
    AssertTableUUID,
    SetSnapshotRefUpdate,
)
from pyiceberg.types import NestedField
from pyiceberg.utils.bin_packing import ListPacker
from pyiceberg.utils.properties import property_as_bool, property_as_int

from lakepact.client.iceberg_rest.rows.manifests import (
    MANIFEST_FIRST_ROW_ID,
    MEMBERS,
    REFERENCED_DATA_FILE,
    entries_of,
    manifests_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyiceberg.manifest import DataFile
    from pyiceberg.partitioning import PartitionSpec
    from pyiceberg.table import Table
    from pyiceberg.table.metadata import TableMetadata

_ADDED, _EXISTING = ManifestEntryStatus.ADDED, ManifestEntryStatus.EXISTING


class SnapshotWriter:
    """Writes the files of one snapshot, which follows the last one of a branch.

    Raises:
        ValueError: The branch is a tag.
    """

    def __init__(self, table: Table, branch: str) -> None:
        self._table, self._metadata, self._branch = table, table.metadata, branch
        ref = self._metadata.refs.get(branch)
        if ref is not None and ref.snapshot_ref_type != SnapshotRefType.BRANCH:
            raise ValueError(f"{json.dumps(branch)} is a tag: rows are written to branches")
        # A commit that names no retention removes that of the branch.
        self._ref = {} if ref is None else ref.model_dump(by_alias=True, exclude_none=True)
        self._parent = self._metadata.snapshot_by_name(branch)
        self.snapshot_id = self._metadata.new_snapshot_id()
        self._sequence = self._metadata.next_sequence_number()
        self._locations = load_location_provider(self._metadata.location, self._metadata.properties)
        self._name, self._numbers = uuid.uuid4(), itertools.count()
        self._codec: Any = self._metadata.properties.get(
            TableProperties.WRITE_AVRO_COMPRESSION, TableProperties.WRITE_AVRO_COMPRESSION_DEFAULT
        )
        self._files: list[str] = []

    def changes(
        self, old_files: list[DataFile], new_files: list[DataFile], properties: Mapping[str, str]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Write the manifests, and return the requirements and updates of the commit."""
        before = [] if self._parent is None else manifests_of(self._parent, self._table.io)
        deletions: list[DataFile] = []
        manifests = [
            rest
            for one in before
            if (rest := self._without(one, {file.file_path for file in old_files}, deletions))
        ]
        if new_files:
            entries = [
                ManifestEntry.from_args(status=_ADDED, snapshot_id=self.snapshot_id, data_file=file)
                for file in new_files
            ]
            manifests.insert(0, self._manifest(new_files[0].spec_id, ManifestContent.DATA, entries))
        manifests = self._merge(manifests)
        snapshot = self._snapshot(manifests, self._summary(deletions, new_files, properties))
        head: Any = {"snapshot-id": self._parent.snapshot_id if self._parent else None}
        ref: Any = {
            "type": SnapshotRefType.BRANCH,
            **self._ref,
            "ref-name": self._branch,
            "snapshot-id": self.snapshot_id,
        }
        return (
            (
                AssertTableUUID(uuid=self._metadata.table_uuid),
                AssertRefSnapshotId(ref=self._branch, **head),
            ),
            (
                AddSnapshotUpdate(snapshot=snapshot),
                SetSnapshotRefUpdate(**ref),
            ),
        )

    def discard(self) -> None:
        """Delete the written files, which no snapshot has."""
        discard(self._table, self._files)

    # -- manifests --------------------------------------------------------------------------------

    def _without(
        self, manifest: ManifestFile, paths: set[str], deletions: list[DataFile]
    ) -> ManifestFile | None:
        """Return a manifest without files, and without the delete files that name one of them.

        None if it had deleted all of its files before.
        """
        if not (manifest.has_added_files() or manifest.has_existing_files()):
            return None
        if not paths:
            return manifest
        entries = entries_of(manifest, self._table.io)
        matches = [
            entry
            for entry in entries
            if {entry.data_file.file_path, entry.data_file[REFERENCED_DATA_FILE]} & paths
        ]
        if not matches:
            return manifest
        for one in entries:
            one.status = _EXISTING
        for one in matches:
            one.status, one.snapshot_id = ManifestEntryStatus.DELETED, self.snapshot_id
            deletions.append(one.data_file)
        return self._manifest(manifest.partition_spec_id, manifest.content, entries)

    def _merge(self, manifests: list[ManifestFile]) -> list[ManifestFile]:
        """Merge small manifests, if the table asks for it."""
        names, properties = TableProperties, self._metadata.properties
        is_merging = property_as_bool(
            properties, names.MANIFEST_MERGE_ENABLED, names.MANIFEST_MERGE_ENABLED_DEFAULT
        )
        target, least = (
            property_as_int(properties, name, default) or default
            for name, default in (
                (names.MANIFEST_TARGET_SIZE_BYTES, names.MANIFEST_TARGET_SIZE_BYTES_DEFAULT),
                (names.MANIFEST_MIN_MERGE_COUNT, names.MANIFEST_MIN_MERGE_COUNT_DEFAULT),
            )
        )
        small: dict[int, list[ManifestFile]] = {}
        others: list[ManifestFile] = []
        for one in manifests:
            is_small = one.content == ManifestContent.DATA and one.manifest_length < target
            (small.setdefault(one.partition_spec_id, []) if is_small else others).append(one)
        if not is_merging or sum(map(len, small.values())) < least:
            return manifests
        packer = ListPacker[ManifestFile](target, lookback=1, largest_bin_first=False)
        groups = (packer.pack(same, lambda one: one.manifest_length) for same in small.values())
        return [*others, *map(self._one, chain.from_iterable(groups))]

    def _one(self, group: list[ManifestFile]) -> ManifestFile:
        if len(group) == 1:
            return group[0]
        entries = [entry for one in group for entry in entries_of(one, self._table.io)]
        for entry in entries:
            is_new = entry.snapshot_id == self.snapshot_id and entry.status == _ADDED
            entry.status = _ADDED if is_new else _EXISTING
        return self._manifest(group[0].partition_spec_id, ManifestContent.DATA, entries)

    def _manifest(
        self, spec_id: int, content: ManifestContent, entries: list[ManifestEntry]
    ) -> ManifestFile:
        """Write a manifest."""
        version, spec = self._metadata.format_version, self._metadata.specs()[spec_id]
        sources = partition_sources(spec, self._metadata)
        partition = spec.partition_type(sources)
        schemas = [
            manifest_entry_schema_with_data_file(each, data_file_with_partition(partition, each))
            for each in (version, MEMBERS)
        ]
        path = self._locations.new_metadata_location(f"{self._name}-m{next(self._numbers)}.avro")
        self._files.append(path)
        output = self._table.io.new_output(path)
        with AvroOutputFile[ManifestEntry](
            output,
            schemas[0],
            "manifest_entry",
            record_schema=schemas[1],
            metadata={
                "schema": self._metadata.schema().model_dump_json(),
                "partition-spec": json.dumps(json.loads(spec.model_dump_json())["fields"]),
                "partition-spec-id": str(spec_id),
                "format-version": str(version),
                "content": "data" if content == ManifestContent.DATA else "deletes",
                "avro.codec": self._codec,
            },
        ) as writer:
            writer.write_block(entries)
        counts: dict[str, int] = {}
        for status in ManifestEntryStatus:
            files = [entry.data_file for entry in entries if entry.status == status]
            counts[f"{status.name.lower()}_files_count"] = len(files)
            counts[f"{status.name.lower()}_rows_count"] = sum(file.record_count for file in files)
        numbers = [
            self._sequence if entry.sequence_number is None else entry.sequence_number
            for entry in entries
            if entry.status != ManifestEntryStatus.DELETED
        ]
        return ManifestFile.from_args(
            _table_format_version=MEMBERS,
            manifest_path=path,
            manifest_length=len(output),
            partition_spec_id=spec_id,
            content=content,
            sequence_number=self._sequence,
            min_sequence_number=min(numbers, default=self._sequence),
            added_snapshot_id=self.snapshot_id,
            partitions=construct_partition_summaries(
                spec, sources, [entry.data_file.partition for entry in entries]
            ),
            **counts,
        )

    # -- the snapshot -----------------------------------------------------------------------------

    def _snapshot(self, manifests: list[ManifestFile], summary: Summary) -> Snapshot:
        version, parent = self._metadata.format_version, self._parent
        path = self._locations.new_metadata_location(f"snap-{self.snapshot_id}-0-{self._name}.avro")
        rows: dict[str, int] = {}
        if version >= MEMBERS:
            first = row_id = cast("Any", self._metadata).next_row_id or 0
            for manifest in manifests:
                if (
                    manifest.content == ManifestContent.DATA
                    and manifest[MANIFEST_FIRST_ROW_ID] is None
                ):
                    manifest[MANIFEST_FIRST_ROW_ID] = row_id
                    row_id += (manifest.added_rows_count or 0) + (manifest.existing_rows_count or 0)
            rows = {"first-row-id": first, "added-rows": row_id - first}
        self._files.append(path)
        names: dict[str, str] = {
            "snapshot-id": str(self.snapshot_id),
            "parent-snapshot-id": str(parent.snapshot_id) if parent else "null",
            "sequence-number": str(self._sequence),
            "format-version": str(version),
            "avro.codec": self._codec,
            **({"first-row-id": str(rows["first-row-id"])} if rows else {}),
        }
        with AvroOutputFile[ManifestFile](
            self._table.io.new_output(path),
            MANIFEST_LIST_FILE_SCHEMAS[version],
            "manifest_file",
            record_schema=MANIFEST_LIST_FILE_SCHEMAS[MEMBERS],
            metadata=names,
        ) as writer:
            writer.write_block(manifests)
        document: dict[str, Any] = {
            "snapshot-id": self.snapshot_id,
            "parent-snapshot-id": parent.snapshot_id if parent else None,
            "sequence-number": self._sequence,
            "manifest-list": path,
            "summary": summary,
            "schema-id": self._metadata.current_schema_id,
            **rows,
        }
        return Snapshot(**document)

    def _summary(
        self, deletions: list[DataFile], new_files: list[DataFile], properties: Mapping[str, str]
    ) -> Summary:
        metadata = self._metadata
        limit = property_as_int(
            metadata.properties,
            TableProperties.WRITE_PARTITION_SUMMARY_LIMIT,
            TableProperties.WRITE_PARTITION_SUMMARY_LIMIT_DEFAULT,
        )
        collector = SnapshotSummaryCollector(limit or 0)
        for files, note in ((new_files, collector.add_file), (deletions, collector.remove_file)):
            for file in files:
                spec = metadata.specs()[file.spec_id]
                note(file, partition_sources(spec, metadata), spec)
        removes_data = any(deletion.content == DataFileContent.DATA for deletion in deletions)
        operation = Operation.OVERWRITE if removes_data else Operation.APPEND
        before = self._parent.summary if self._parent else None
        return update_snapshot_summaries(
            Summary(operation, **collector.build(), **properties), before
        )


def partition_sources(spec: PartitionSpec, metadata: TableMetadata) -> Schema:
    """Return the source columns of a spec, also dropped ones; values of partitions may be null."""
    columns = {
        number: schema.find_field(number).field_type
        for schema in (*metadata.schemas, metadata.schema())
        for number in {field.source_id for field in spec.fields} & schema.field_ids
    }
    return Schema(
        *(
            NestedField(number, f"source{number}", kind, required=False)
            for number, kind in columns.items()
        )
    )


def discard(table: Table, paths: Iterable[str]) -> None:
    """Delete files that no snapshot has."""
    for path in paths:
        with contextlib.suppress(Exception):  # they change no table
            table.io.delete(path)
