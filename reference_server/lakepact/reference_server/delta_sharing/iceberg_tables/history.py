"""A table of the Iceberg catalog, with the versions that its metadata files make."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.delta_sharing.iceberg_tables.files import Kept, data_paths, files_of
from lakepact.reference_server.delta_sharing.iceberg_tables.schemas import (
    current_schema,
    delta_schema,
    is_without_zone,
)
from lakepact.reference_server.delta_sharing.log import Commit, Snapshot
from lakepact.reference_server.delta_sharing.log.refusals import (
    DamagedLog,
    NoSuchVersion,
    NoTable,
    UnsupportedTable,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.iceberg_rest.tables.metadata_files import decode, number_of
from lakepact.reference_server.iceberg_rest.tables.registration import existing_table_metadata
from lakepact.reference_server.warehouse.avro import AvroReader
from lakepact.reference_server.warehouse.local import Outside, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.generated.delta_sharing.documents import DeltaMetadataAction, DeltaProtocolAction
    from lakepact.generated.iceberg_rest.documents import TableMetadata
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.tables.locations import Located

    Document = dict[str, Any]

READER, WRITER = 1, 2  #: the protocol of a table without further features
NTZ: DeltaProtocolAction = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["timestampNtz"],
    "writerFeatures": ["timestampNtz"],
}


@dataclass(frozen=True, slots=True)
class _Version:
    number: int
    location: str  #: of its metadata file
    timestamp: int


class IcebergHistory:
    """The versions of one table, as they were when it was looked up.

    A version is a metadata file: the number of the one is that of the other, so that what has a
    number keeps it, and every change of the table, of its rows or of its schema, has one of its
    own.

    Args:
        catalog: the catalog that has it.
        name: the levels of its namespace, and its name.
        located: where the tables of the catalog lie, if principals have rights to some of them
            only: a writer of this table names files in its metadata, and must not share those of
            another one by it. None if every caller may read every table.
    """

    checkpoints: Sequence[int] = ()  #: none: versions are read as they are

    def __init__(
        self, catalog: Catalog, name: Sequence[str], locations: Located | None = None
    ) -> None:
        self._key = identifier_key(name[:-1], name[-1])
        self._located = locations
        record = catalog.store.get(self._key)
        if record is None or record.kind != "table":
            raise NoTable(f"the Iceberg catalog has no table {'.'.join(name)}")
        self._catalog, self._name = catalog, tuple(name)
        self._metadata: TableMetadata = record.document["metadata"]
        self._location: str = record.document["metadata-location"]
        self._root = Path(catalog.warehouse.root.removeprefix("file://"))
        self.lineage: object = object()  #: shared by a history and its continuation
        self._kept = Kept()

    def refresh(self) -> IcebergHistory:
        """Return the history as it is now: this one if nothing happened, else one that continues
        it, or one of another table.
        """
        now = IcebergHistory(self._catalog, self._name, self._located)
        if now._location == self._location:
            return self
        former = {entry["metadata-file"] for entry in now._metadata.get("metadata-log") or ()}
        if now._metadata["table-uuid"] == self._metadata["table-uuid"] and self._location in former:
            now.lineage, now._kept = self.lineage, self._kept
        return now

    @cached_property
    def _versions(self) -> list[_Version]:
        """The versions that can be read, the oldest first: those whose metadata files follow each
        other up to the newest.
        """
        number = number_of(self._location)
        versions = [_Version(number, self._location, self._metadata["last-updated-ms"])]
        for entry in reversed(self._metadata.get("metadata-log") or ()):
            number -= 1
            if number < 0 or number_of(entry["metadata-file"]) != number:
                break
            versions.append(_Version(number, entry["metadata-file"], entry["timestamp-ms"]))
        versions.reverse()
        return versions

    def latest(self) -> int:
        """Return the newest version."""
        return self._versions[-1].number

    def earliest(self) -> int:
        """Return the oldest version that can be read."""
        return self._versions[0].number

    def existing(self, version: int) -> int:
        """Return a version.

        Raises:
            NoSuchVersion: the table does not have it, or it can no longer be read.
        """
        if version > self.latest():
            raise NoSuchVersion(
                f"the table has no version {version}; the newest is {self.latest()}"
            )
        if version < self.earliest():
            raise NoSuchVersion(
                f"version {version} of the table cannot be read; the oldest that can be is"
                f" {self.earliest()}"
            )
        return version

    @cached_property
    def _times(self) -> list[int]:
        """When each version was made; clocks may go back, versions do not."""
        times = list[int]()
        for version in self._versions:
            times.append(version.timestamp if not times else max(version.timestamp, times[-1] + 1))
        return times

    def timestamp(self, version: int) -> int:
        """Return the time of a version, in milliseconds since 1970.

        Raises:
            NoSuchVersion: the table does not have it.
        """
        return self._times[self.existing(version) - self.earliest()]

    def at_or_before(self, timestamp: int) -> int:
        """Return the newest version that was there at a time.

        Raises:
            NoSuchVersion: none was, or it cannot be read any more.
        """
        index = bisect_right(self._times, timestamp) - 1
        if index < 0:
            raise NoSuchVersion(
                f"the time is before that of version {self.earliest()}, the oldest that can be read"
            )
        return self._versions[index].number

    def at_or_after(self, timestamp: int) -> int:
        """Return the oldest version that is not older than a time.

        Raises:
            NoSuchVersion: all versions are.
        """
        index = bisect_left(self._times, timestamp)
        if index == len(self._times):
            raise NoSuchVersion(f"the time is after that of version {self.latest()}, the newest")
        return self._versions[index].number

    def heading(
        self, version: int | None = None
    ) -> tuple[DeltaProtocolAction, DeltaMetadataAction]:
        """Protocol and metadata of a version, as a Delta log has them.

        Raises:
            LogError: there are none.
        """
        snapshot = self.snapshot(
            version
        )  # which columns are partition columns is seen from the files
        return snapshot.protocol, snapshot.metadata

    def snapshot(self, version: int | None = None, *, base: Snapshot | None = None) -> Snapshot:
        """Return a version of the table, the newest one if none is named.

        Raises:
            NoSuchVersion: the table does not have it, or it cannot be read any more.
            UnsupportedTable: reading its files would not give its rows.
            DamagedLog: its metadata cannot be read.
        """
        del base  # what both have in common is kept by manifest
        number = self.existing(self.latest() if version is None else version)
        metadata = self._metadata_of(number)
        schema = delta_schema(current_schema(metadata))
        reader = AvroReader(self._catalog.warehouse, self._catalog.max_manifest)
        files, columns = files_of(
            reader, self._root, metadata, self._kept, places=self._places(metadata)
        )
        protocol: DeltaProtocolAction = (
            NTZ.copy()
            if is_without_zone(schema)
            else {"minReaderVersion": READER, "minWriterVersion": WRITER}
        )
        action: DeltaMetadataAction = {
            "id": metadata["table-uuid"],
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema,
            "partitionColumns": list(columns),
            "configuration": {},
            "createdTime": self._versions[0].timestamp,
        }
        return Snapshot(number, self.timestamp(number), protocol, action, files)

    def commit(self, version: int) -> Commit:
        """Return the changes of one version.

        Raises:
            LogError: they are no longer known.
        """
        return next(self.commits(version, version))

    def commits(self, first: int, last: int) -> Iterator[Commit]:
        """Yield the changes of each version from `first` to `last`, in order.

        Raises:
            LogError: some are no longer known; raised before the first one is yielded.
        """
        if first > last:
            return iter(())
        self.existing(last)
        if self.existing(first) == self.earliest() != 0:
            raise NoSuchVersion(
                f"what version {first} of the table changed is not known any more; ask for later"
                " ones"
            )
        before = self.snapshot(first - 1) if first else None
        return self._commits(before, first, last)

    def _commits(self, before: Snapshot | None, first: int, last: int) -> Iterator[Commit]:
        for number in range(first, last + 1):
            now = self.snapshot(number)
            old = {add["path"]: add for add in before.files} if before else {}
            new = {add["path"]: add for add in now.files}
            changes = self._changes_rows(number)
            adds = tuple(
                {**add, "dataChange": changes} for path, add in new.items() if path not in old
            )
            removes = tuple(
                _remove_action(add, now.timestamp, changes=changes)
                for path, add in old.items()
                if path not in new
            )
            protocol = now.protocol if before is None or before.protocol != now.protocol else None
            metadata = now.metadata if before is None or before.metadata != now.metadata else None
            yield Commit(number, now.timestamp, protocol, metadata, adds, removes, ())
            before = now

    def _changes_rows(self, version: int) -> bool:
        """Return whether a version changed rows, rather than rewriting the same rows."""
        if version == self.earliest():
            return True
        ids = {s["snapshot-id"] for s in self._metadata_of(version - 1).get("snapshots") or ()}
        new = [
            s
            for s in self._metadata_of(version).get("snapshots") or ()
            if s["snapshot-id"] not in ids
        ]
        return not new or any((s.get("summary") or {}).get("operation") != "replace" for s in new)

    def _places(self, metadata: TableMetadata) -> tuple[str, ...]:
        """Return the folders in which data files of a version lie.

        Raises:
            UnsupportedTable: another table lies there, or the version has another folder than the
                table has now.
        """
        location: str = self._metadata["location"]
        if self._located is None:
            return (metadata["location"], *data_paths(metadata))
        if metadata["location"] != location:
            raise UnsupportedTable(
                "this version of the table lies in another folder than the newest one"
            )
        if not self._located.is_alone(self._key, location):
            raise UnsupportedTable(
                "the folder of the table is not its own: another table or view lies in it, or"
                " around it"
            )
        return (location,)

    def _metadata_of(self, version: int) -> TableMetadata:
        if version == self.latest():
            return self._metadata
        location = self._versions[version - self.earliest()].location
        try:
            metadata = existing_table_metadata(
                orjson.loads(decode(location, self._catalog.warehouse.read(location)))
            )
        except (Outside, Unreadable):
            raise NoSuchVersion(f"version {version} of the table cannot be read any more") from None
        except (orjson.JSONDecodeError, Problem) as error:
            raise DamagedLog(f"the metadata of version {version} cannot be read: {error}") from None
        snapshot = metadata.get("current-snapshot-id")
        if snapshot not in {None, -1} and snapshot not in {
            s["snapshot-id"] for s in self._metadata.get("snapshots") or ()
        }:
            raise NoSuchVersion(f"the snapshot of version {version} of the table has expired")
        return metadata


def _remove_action(add: Mapping[str, Any], timestamp: int, *, changes: bool) -> Document:
    members = {name: add[name] for name in ("path", "partitionValues", "size")}
    return {
        **members,
        "deletionTimestamp": timestamp,
        "dataChange": changes,
        "extendedFileMetadata": True,
    }
