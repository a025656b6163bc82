"""Data files and delete files as answers tell them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.scan_planning.manifests import (
    DATA,
    EQUALITY_DELETES,
    by_id,
)
from lakepact.reference_server.iceberg_rest.scan_planning.transforms import result_type
from lakepact.reference_server.iceberg_rest.scan_planning.values import from_bytes, value_as_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.iceberg_rest.documents import PartitionField, PartitionSpec
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.scan_planning.manifests import Entry

CONTENTS = ("data", "position-deletes", "equality-deletes")
_COUNTS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts")
_BOUNDS = ("lower_bounds", "upper_bounds")


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells files of one table.

    Args:
        specs: its partition specs by their ids.
        types: the types of all its columns by their ids.
        stats: the ids of the columns whose statistics are wanted.
    """

    specs: Mapping[int, PartitionSpec]
    types: Mapping[int, Any]
    stats: frozenset[int]

    def data_file(self, entry: Entry) -> Document:
        """Return a data file, with statistics of the columns that are asked for."""
        document = self._content_file(entry, CONTENTS[DATA])
        if entry.first_row_id is not None:
            document["first-row-id"] = entry.first_row_id
        if self.stats:
            self._add_statistics(document, entry.file)
        return document

    def delete_file(self, entry: Entry) -> Document:
        """Return a delete file."""
        file = entry.file
        document = self._content_file(entry, CONTENTS[file["content"]])
        if file["content"] == EQUALITY_DELETES:
            document["equality-ids"] = list(file.get("equality_ids") or ())
            return document
        for member in ("referenced_data_file", "content_offset"):
            if file.get(member) is not None:
                document[member.replace("_", "-")] = file[member]
        if file.get("content_size_in_bytes") is not None:
            document["content-size-in-bytes"] = file["content_size_in_bytes"]
        return document

    def _content_file(self, entry: Entry, content: str) -> Document:
        file = entry.file
        document: Document = {
            "spec-id": entry.spec_id,
            "partition": self.partition(entry),
            "content": content,
            "file-path": entry.path,
            "file-format": str(file["file_format"]).lower(),
            "file-size-in-bytes": file["file_size_in_bytes"],
            "record-count": file["record_count"],
        }
        if file.get("key_metadata") is not None:
            document["key-metadata"] = file["key_metadata"].hex().upper()
        if file.get("split_offsets"):
            document["split-offsets"] = list(file["split_offsets"])
        if file.get("sort_order_id") is not None:
            document["sort-order-id"] = file["sort_order_id"]
        return document

    def partition(self, entry: Entry) -> list[Any]:
        """Return the partition of a file, a value for each field of its spec."""
        fields = self.specs[entry.spec_id]["fields"]
        return [
            self._partition_value(value, field)
            for value, field in zip(entry.partition, fields, strict=True)
        ]

    def _partition_value(self, value: Any, field: PartitionField) -> Any:
        if value is None:
            return None
        kind = result_type(field["transform"], self.types.get(field["source-id"], "string"))
        return value_as_json(value, kind)

    def _add_statistics(self, document: Document, file: Mapping[str, Any]) -> None:
        for member in _COUNTS:
            counts = {
                key: value for key, value in by_id(file.get(member)).items() if key in self.stats
            }
            if file.get(member) is not None:
                document[member.replace("_", "-")] = {
                    "keys": list(counts),
                    "values": list(counts.values()),
                }
        for member in _BOUNDS:
            if file.get(member) is None:
                continue
            bounds = {
                key: self._bound(key, raw)
                for key, raw in by_id(file[member]).items()
                if key in self.stats
            }
            present = {key: value for key, value in bounds.items() if value is not None}
            document[member.replace("_", "-")] = {
                "keys": list(present),
                "values": list(present.values()),
            }

    def _bound(self, column: int, raw: bytes) -> Any:
        kind = self.types.get(column)
        return None if kind is None else value_as_json(from_bytes(raw, kind), kind)
