"""Avro files of others: schemas and blocks are checked here before fastavro decodes a record.

fastavro trusts what it reads. A schema that names itself ends the process, and a count of records takes all memory.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from fastavro import parse_schema, schemaless_reader

from lakepact.reference_server.settings import MAX_MANIFEST
from lakepact.reference_server.warehouse.local import Outside, TooLarge, Unreadable, Warehouse

MOST_RECORDS = 1_000_000  #: of one file
MOST_TYPES, MOST_DEPTH = 10_000, 32  #: of a schema, in which each use of a named type counts
FILES = 16  #: as many files of the largest size are read for one task
#: Parts of the largest size that a header and a record may have. The record of a wide table has 100 KiB.
HEADERS, RECORDS = 32, 256
VALUES = 2  #: that a byte may stand for; a value takes up to 200 bytes of memory
_ONE = dict.fromkeys(("boolean", "int", "long", "bytes", "string"), 1)
_BYTES = {"null": 0, **_ONE, "float": 4, "double": 8}  # the fewest of each type
_SYNC = {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": 16}}
_META = {"name": "meta", "type": {"type": "map", "values": "bytes"}}
_MAGIC = {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": 4}}
_HEADER = {"type": "record", "name": "Header", "fields": [_MAGIC, _META, _SYNC]}
_COUNT, _CONTENT = {"name": "count", "type": "long"}, {"name": "content", "type": "bytes"}
_BLOCK = {"type": "record", "name": "Block", "fields": [_COUNT, _CONTENT, _SYNC]}


class Damaged(Exception):
    """A file that cannot be read within the limits, or not at all; the message names file and fault."""


class _Fault(Exception):
    """The fault of a file."""


class _Limit(Exception):
    """The limit of a size that a file exceeds."""


@dataclass(frozen=True, slots=True)
class AvroFile:
    """The metadata of an Avro file, and its records, which are decoded one by one.

    Values have no logical types: Python's dates and decimals have a smaller range than those of tables.
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
        self._warehouse, self._largest = warehouse, largest
        self._left = FILES * largest

    def open(self, location: str) -> AvroFile:
        """Return the file at a location.

        Raises:
            Damaged: it cannot be read; iterating over its records may raise this too.
        """
        try:
            raw = self._warehouse.read(location, self._largest)
            self._spend(len(raw))
            stream = io.BytesIO(raw[: self._largest // HEADERS])
            try:
                header: Any = schemaless_reader(stream, _HEADER, None)
            finally:
                if stream.tell() == self._largest // HEADERS:
                    raise _Limit(f"its header is longer than {self._largest // HEADERS} bytes")
            metadata = header["meta"]
            schema = parse_schema(_checked(metadata["avro.schema"], self._largest // RECORDS))
        except Exception as error:  # noqa: BLE001 - whatever fastavro makes of bytes that are no Avro
            raise _damaged(location, error) from None
        blocks = io.BytesIO(raw)
        blocks.seek(stream.tell())
        return AvroFile(metadata, self._records(location, self._blocks(blocks, header), schema))

    def _records(
        self, location: str, blocks: Iterator[tuple[bytes, int]], schema: Any
    ) -> Iterator[Any]:
        try:
            for content, count in blocks:
                yield from _split(content, count, schema, self._largest // RECORDS)
        except Exception as error:  # noqa: BLE001 - as above
            raise _damaged(location, error) from None

    def _blocks(self, stream: io.BytesIO, header: Any) -> Iterator[tuple[bytes, int]]:
        """Yield the content of each block, and how many records it has."""
        codec, end = header["meta"].get("avro.codec", b"null"), len(stream.getbuffer())
        decoded = records = 0
        while stream.tell() < end:
            block: Any = schemaless_reader(stream, _BLOCK, None)
            content, count = (
                _decoded(codec, block["content"], self._largest - decoded),
                block["count"],
            )
            self._spend(len(content))
            decoded, records = decoded + len(content), records + count
            if block["sync"] != header["sync"] or not 0 <= count <= len(content):
                raise _Fault(f"a block has {len(content)} bytes for {count} records")
            if records > MOST_RECORDS:
                raise _Fault(f"it has more than {MOST_RECORDS} records")
            yield content, count

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _Limit(f"it and the files before it have more than {FILES * self._largest} bytes")


def _decoded(codec: bytes, content: bytes, most: int) -> bytes:
    if codec == b"deflate":
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        content = inflate.decompress(content, most + 1)
    elif codec != b"null":
        raise _Fault(f"its codec is {_shown(codec.decode())}, expected deflate or null")
    if len(content) > most:
        raise _Limit("its records have too many bytes when decompressed")
    return content


def _split(content: bytes, count: int, schema: Any, largest: int) -> Iterator[Any]:
    """Yield the records of a block, each read from a window that has room for the largest one."""
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
                raise _Limit(f"a record is longer than {largest} bytes")
        yield record


def _checked(text: bytes, largest: int) -> Any:
    """Return a schema whose named types are written out, so that none can contain itself."""
    if len(text) > largest:
        raise _Limit(f"its schema is longer than {largest} bytes")
    types = _Types()
    schema, excess = types.written_out(orjson.loads(text), "", 0)
    types.check(excess)
    return schema


class _Types:
    """The types of one schema.

    With each type comes its excess: by how many values more than its bytes may stand for.
    """

    def __init__(self) -> None:
        self._count = 0
        self._definitions: dict[str, tuple[Any, str]] = {}

    def check(self, excess: int) -> None:
        """Refuse a repeated type that takes more memory than its bytes justify."""
        if excess > 0:
            raise _Fault(f"its schema has more than {VALUES} values in a byte")

    def written_out(self, schema: Any, space: str, depth: int) -> tuple[Any, int]:
        """Return a type and its excess."""
        self._count += 1
        if self._count > MOST_TYPES or depth > MOST_DEPTH:
            limit = f"more than {MOST_TYPES} types, or nests them more than {MOST_DEPTH} deep"
            raise _Fault(f"its schema has {limit}")
        if isinstance(schema, list):
            branches = [self.written_out(branch, space, depth + 1) for branch in schema]
            return [branch for branch, _ in branches], max(x for _, x in branches) - VALUES
        if isinstance(schema, dict):
            return self._complex(schema, space, depth)
        if schema in _BYTES:
            return schema, 1 - VALUES * _BYTES[schema]
        for name in (schema, f"{space}.{schema}"):
            if name in self._definitions:
                return self.written_out(*self._definitions[name], depth + 1)
        raise _Fault(f"its schema uses {_shown(schema)} before the end of its definition")

    def _complex(self, schema: dict[str, Any], space: str, depth: int) -> tuple[Any, int]:
        kind = schema["type"]
        if kind == "array":
            items, excess = self.written_out(schema["items"], space, depth + 1)
            self.check(excess)
            return {"type": kind, "items": items}, 1 - VALUES
        if kind == "map":
            values, excess = self.written_out(schema["values"], space, depth + 1)
            self.check(excess + 1 - VALUES)
            return {"type": kind, "values": values}, 1 - VALUES
        if kind not in ("record", "fixed", "enum"):
            return self.written_out(kind, space, depth + 1)
        new: dict[str, Any] = {"type": kind, "name": f"t{self._count}"}
        name = schema["name"]
        space = name.rpartition(".")[0] or schema.get("namespace", space)
        if kind == "fixed":
            new["size"], excess = schema["size"], 1 - VALUES * schema["size"]
        elif kind == "enum":
            new["symbols"], excess = schema["symbols"], 1 - VALUES
        else:
            types = [self.written_out(f["type"], space, depth + 1) for f in schema["fields"]]
            names = (f["name"] for f in schema["fields"])
            new["fields"] = [{"name": n, "type": t} for n, (t, _) in zip(names, types, strict=True)]
            excess = 1 + sum(x for _, x in types)
        self._definitions[f"{space}.{name.rpartition('.')[2]}" if space else name] = schema, space
        return new, excess


def _damaged(location: str, error: Exception) -> Damaged:
    if isinstance(error, _Fault | _Limit):
        why = f"{_shown(location)} cannot be read: {error}"
    elif isinstance(error, Outside | Unreadable):
        why = str(error)
    else:
        why = f"{_shown(location)} is not an Avro file that can be read ({type(error).__name__})"
    is_limit = isinstance(error, _Limit | TooLarge)
    return Damaged(f"{why}; --max-manifest sets the limit" if is_limit else why)


def _shown(text: Any) -> str:
    return orjson.dumps(str(text)[-200:]).decode(errors="replace")
