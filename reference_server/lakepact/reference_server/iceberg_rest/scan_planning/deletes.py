"""Which delete files apply to a data file: by sequence numbers, by partition, and by the file that
they name.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.scan_planning.manifests import EQUALITY_DELETES, by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lakepact.generated.iceberg_rest.documents import PartitionSpec
    from lakepact.reference_server.iceberg_rest.scan_planning.manifests import Entry

_PATH_COLUMN = 2_147_483_546  #: the id of the column of position delete files that names data files

#: Members of delete files that answers have, or that say which data files they apply to.
_MEMBERS = (
    *("content", "file_path", "file_format", "record_count", "file_size_in_bytes"),
    *("key_metadata", "split_offsets", "sort_order_id", "equality_ids"),
    *("referenced_data_file", "content_offset", "content_size_in_bytes"),
)

_Place = tuple[int, tuple[Any, ...]]


class Deletes:
    """The delete files of a snapshot.

    Args:
        entries: all of them.
        specs: the partition specs of the table by their ids.
    """

    def __init__(self, entries: Iterable[Entry], specs: Mapping[int, PartitionSpec]) -> None:
        self._vectors: dict[str, list[Entry]] = defaultdict(list)
        self._of_files: dict[str, list[Entry]] = defaultdict(list)
        self._of_partitions: dict[_Place, list[Entry]] = defaultdict(list)
        self._equality: dict[_Place, list[Entry]] = defaultdict(list)
        self._everywhere: list[Entry] = []
        for entry in entries:
            self._add(entry, specs[entry.spec_id])

    def _add(self, entry: Entry, spec: PartitionSpec) -> None:
        file = entry.file
        if file["content"] == EQUALITY_DELETES:
            if all(field["transform"] == "void" for field in spec["fields"]):
                self._everywhere.append(entry)
            else:
                self._equality[entry.spec_id, entry.partition].append(entry)
            return
        target = file.get("referenced_data_file") or _only_target(file)
        if is_vector(entry):
            self._vectors[target or ""].append(entry)
        elif target is not None:
            self._of_files[target].append(entry)
        else:
            self._of_partitions[entry.spec_id, entry.partition].append(entry)

    def of(self, data: Entry) -> list[Entry]:
        """Return the delete files that apply to a data file, in the order in which they came."""
        place = (data.spec_id, data.partition)
        vectors = [
            entry
            for entry in self._vectors.get(data.path, ())
            if entry.sequence_number >= data.sequence_number
        ]
        # A deletion vector holds what the position delete files before it said.
        positions = vectors or [
            entry
            for entry in (*self._of_files.get(data.path, ()), *self._of_partitions.get(place, ()))
            if entry.sequence_number >= data.sequence_number and _may_name(entry.file, data.path)
        ]
        equality = [
            entry
            for entry in (*self._everywhere, *self._equality.get(place, ()))
            if entry.sequence_number > data.sequence_number
        ]
        return sorted((*equality, *positions), key=lambda entry: entry.sequence_number)


def compact(entry: Entry) -> Entry:
    """Return a delete file with the members that scans need, and the bounds of the path column."""
    file = {member: entry.file[member] for member in _MEMBERS if member in entry.file}
    for member, bound in zip(("lower_bounds", "upper_bounds"), _bounds(entry.file), strict=True):
        file[member] = {} if bound is None else {_PATH_COLUMN: bound}
    return replace(entry, file=file)


def weight(entry: Entry) -> int:
    """Return how much memory a compact delete file takes: at most four times as many bytes."""
    lower, upper = _bounds(entry.file)
    size = 300 + len(lower or b"") + len(upper or b"")
    for value in chain(map(entry.file.get, _MEMBERS), entry.partition):
        if isinstance(value, dict):
            raise TypeError("an object stands for a value")
        if isinstance(value, str | bytes | list):
            size += len(value) * (50 if isinstance(value, list) else 1)
    return size


def is_vector(entry: Entry) -> bool:
    """Return whether a file holds a deletion vector."""
    return str(entry.file["file_format"]).lower() == "puffin"


def _bounds(file: Mapping[str, Any]) -> tuple[bytes | None, bytes | None]:
    lower, upper = (
        by_id(file.get(bound)).get(_PATH_COLUMN) for bound in ("lower_bounds", "upper_bounds")
    )
    return lower, upper


def _only_target(file: Mapping[str, Any]) -> str | None:
    """Return the one data file that a position delete file names, if its bounds tell."""
    lower, upper = _bounds(file)
    return lower.decode(errors="replace") if lower is not None and lower == upper else None


def _may_name(file: Mapping[str, Any], path: str) -> bool:
    """Return whether a position delete file may name a data file, as far as its bounds tell; they
    may be cut short.
    """
    lower, upper = _bounds(file)
    raw = path.encode()
    return (lower is None or lower <= raw) and (
        upper is None or raw <= upper or raw.startswith(upper)
    )
