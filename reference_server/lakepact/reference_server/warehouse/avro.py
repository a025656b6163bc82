"""Records of Avro files of others: `lakepact.formats` checks the files before fastavro decodes a
record.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from fastavro import parse_schema, schemaless_reader

from lakepact.formats.avro import Avro
from lakepact.formats.limits import Limit, TooLarge
from lakepact.formats.limits import Unreadable as UnreadableAvro
from lakepact.reference_server.settings import MAX_MANIFEST
from lakepact.reference_server.warehouse.local import Outside, Unreadable, Warehouse
from lakepact.reference_server.warehouse.local import TooLarge as TooLargeFile

FILES = 16  #: as many files of the largest size are read for one task
#: The part of the largest size that a record may have. The record of a wide table has 100 KiB.
RECORDS = 256


class Damaged(Exception):
    """A file that cannot be read within the limits, or not at all; the message names file and
    fault.
    """


@dataclass(frozen=True, slots=True)
class AvroFile:
    """The metadata of an Avro file, and its records, which are decoded one by one.

    Values have no logical types: Python's dates and decimals have a smaller range than those of
    tables.
    """

    metadata: Mapping[str, bytes]
    records: Iterator[Any]


class AvroReader:
    """The Avro files of one task.

    Args:
        warehouse: where they are.
        largest: the bytes that one file may have, as stored and as decoded.
    """

    def __init__(self, warehouse: Warehouse, largest: int = MAX_MANIFEST) -> None:
        self._warehouse, self._limit = warehouse, Limit(largest, "--max-manifest")
        self._left = FILES * largest

    def open(self, location: str) -> AvroFile:
        """Return the file at a location.

        Raises:
            Damaged: it cannot be read; iterating over its records may raise this too.
        """
        try:
            raw = self._warehouse.read(location, self._limit.size)
            self._spend(len(raw))
            avro = Avro(raw, self._limit)
            schema = parse_schema(avro.schema)
        except Exception as error:  # noqa: BLE001 - whatever fastavro makes of schemas that are no Avro
            raise _damage(location, error) from None
        return AvroFile(avro.metadata, self._records(location, avro, schema))

    def _records(self, location: str, avro: Avro, schema: Any) -> Iterator[Any]:
        try:
            for content, count in avro.blocks():
                self._spend(len(content))
                yield from self._split(content, count, schema)
        except Exception as error:  # noqa: BLE001 - whatever fastavro makes of bytes that are no Avro
            raise _damage(location, error) from None

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            most = FILES * self._limit.size
            raise self._limit.error(f"it and the files before it have more than {most} bytes")

    def _split(self, content: bytes, count: int, schema: Any) -> Iterator[Any]:
        """Yield the records of a block, each read from a window that has room for the largest
        one.
        """
        largest = self._limit.size // RECORDS
        start, window = 0, io.BytesIO(content[: 2 * largest])
        size = len(window.getbuffer())
        for _ in range(count):
            if size - window.tell() < largest and start + size < len(content):
                start += window.tell()
                window = io.BytesIO(content[start : start + 2 * largest])
                size = len(window.getbuffer())
            try:
                record = schemaless_reader(window, schema, None)
            finally:
                if window.tell() == size and start + size < len(content):
                    raise self._limit.error(f"a record is longer than {largest} bytes")
            yield record


def _damage(location: str, error: Exception) -> Damaged:
    if isinstance(error, UnreadableAvro | TooLarge):
        return Damaged(f"{_quote(location)} cannot be read: {error}")
    if isinstance(error, TooLargeFile):
        return Damaged(f"{error}; --max-manifest allows more")
    if isinstance(error, Outside | Unreadable):
        return Damaged(str(error))
    kind = type(error).__name__
    return Damaged(f"{_quote(location)} is not an Avro file that can be read ({kind})")


def _quote(text: Any) -> str:
    return orjson.dumps(str(text)[-200:]).decode(errors="replace")
