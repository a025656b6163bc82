"""Data files of Iceberg divided into partitions of Spark, as many as Iceberg's own source has."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pyiceberg.manifest import FileFormat
from pyiceberg.utils.bin_packing import PackingIterator

from lakepact.spark.iceberg_files import END

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lakepact.spark.iceberg_files import PlannedFile

_MIB = 1024 * 1024
_SPLIT, _LEAST = 128 * _MIB, 16 * _MIB
_OPENING = 4 * _MIB  #: bytes that could be read while a file is opened
_SLOTS = 200  #: parts to aim at: `spark.sql.shuffle.partitions`, whose value a Python data source cannot ask for
_LOOKBACK = 10


def partitions_of(files: Iterable[PlannedFile], most: int | None, properties: Mapping[str, str]) -> Iterator[tuple[PlannedFile, ...]]:
    """Divide files at row groups, or by bytes if their manifests name no row groups, and yield the parts of each partition.

    Args:
        files: The files of a scan.
        most: The bytes of a partition; None for the table's setting, or less if that gives few partitions.
        properties: The settings of the table.
    """
    whole = list(files)
    size = _partition_bytes(sum(file.size for file in whole), properties) if most is None else most
    parts = (part for file in whole for part in _parts(file, size))
    for group in PackingIterator(parts, size, _LOOKBACK, _weight, largest_bin_first=True):
        yield tuple(_joined(group))


def _partition_bytes(total: int, properties: Mapping[str, str]) -> int:
    target = int(properties.get("read.split.target-size", _SPLIT))
    return target if total > target * (_SLOTS - 1) else max(total // _SLOTS, min(_LEAST, target))


def _parts(file: PlannedFile, size: int) -> Iterator[PlannedFile]:
    data = file.task.file
    offsets = data.split_offsets or [data.file_size_in_bytes]
    known = offsets == sorted(set(offsets)) and offsets[-1] < data.file_size_in_bytes
    starts = offsets[1:] if known else range(max(size, _OPENING), data.file_size_in_bytes, max(size, _OPENING))
    for start, end in pairwise((0, *starts, END)) if data.file_format == FileFormat.PARQUET else ((0, END),):
        yield replace(file, start=start, end=end)


def _weight(part: PlannedFile) -> int:
    return max(part.size, (1 + len(part.task.delete_files)) * _OPENING)


def _joined(parts: Iterable[PlannedFile]) -> Iterator[PlannedFile]:
    """Yield adjacent parts of a file as one, so that a task opens the file once."""
    held: PlannedFile | None = None
    for part in parts:
        if held is not None and part.task is held.task and part.start == held.end:
            held = replace(held, end=part.end)
            continue
        if held is not None:
            yield held
        held = part
    if held is not None:
        yield held
