"""Avro files of others, checked before a library decodes their records.

Libraries trust what they read: a schema that names itself ends the process, a count of records
takes all memory, and pyiceberg reads behind the end of a block.
"""

from __future__ import annotations

import bz2
import json
import zlib
from typing import TYPE_CHECKING, Any

from lakepact.formats.avro_values import behind
from lakepact.formats.limits import Unreadable
from lakepact.formats.thrift import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.formats.avro_values import Behind
    from lakepact.formats.limits import Limit

MAGIC = b"Obj\x01"
MOST_RECORDS = 1_000_000  #: of one file
MOST_TYPES, MOST_DEPTH = 10_000, 32  #: of a schema, in which each use of a named type counts
#: Parts of the limit that a header, its schema and a record may have; wide tables have records of
#: 100 KiB.
HEADERS, SCHEMAS, RECORDS = 32, 256, 256
VALUES = 2  #: that a byte may stand for; a value takes up to 200 bytes of memory
_ONE = dict.fromkeys(("boolean", "int", "long", "bytes", "string"), 1)
_BYTES = {"null": 0, **_ONE, "float": 4, "double": 8}  # the fewest of each type
#: The types that pyiceberg expects below logical types, whatever is there.
_LOGICAL = {"decimal": "fixed", "map": "array", "timestamp-micros": "long", "uuid": "fixed"}
_CODECS: dict[str, Any] = {
    "deflate": lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    "bzip2": bz2.BZ2Decompressor,
}
_SYNC = 16


class Avro:
    """An Avro file whose header is checked.

    Attributes:
        metadata: The members of the header.
        schema: The schema, in which named types are written out, so that none contains itself.

    Raises:
        Unreadable: It is not within the rules.
        TooLarge: It is not within the limit.
    """

    def __init__(self, raw: bytes, limit: Limit) -> None:
        self._raw, self._limit = raw, limit
        most = limit.size // HEADERS
        if not raw.startswith(MAGIC):
            raise Unreadable("it is not an Avro file")
        self._reader = reader = Reader(memoryview(raw)[:most], len(MAGIC))
        try:
            self.metadata = {key.decode(): value for key, value in _pairs(reader)}
            self._sync = _content(reader, _SYNC)
        except IndexError:
            if len(raw) > most:
                raise limit.error(f"its header is longer than {most} bytes") from None
            raise Unreadable("its header ends too early") from None
        text = self.metadata.get("avro.schema", b"")
        if len(text) > limit.size // SCHEMAS:
            raise limit.error(f"its schema is longer than {limit.size // SCHEMAS} bytes")
        types = _Types()
        try:
            self.schema, excess = types.expand(json.loads(text), "", 0)
        except (AttributeError, KeyError, TypeError, RecursionError, json.JSONDecodeError):
            raise Unreadable("its schema is not one of Avro") from None
        types.check(excess)
        self._logical_types = types.logical

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield the content of each block, decompressed, and how many records it has.

        Raises:
            Unreadable: It is not within the rules.
            TooLarge: It is not within the limit.
        """
        codec = self.metadata.get("avro.codec", b"null").decode(errors="replace")
        reader = Reader(self._raw, self._reader.position)
        size = records = 0
        while reader.position < len(self._raw):
            try:
                count, content = reader.zigzag(), _content(reader, reader.zigzag())
                sync = _content(reader, _SYNC)
            except IndexError:
                raise Unreadable("a block ends too early") from None
            try:
                content = self._decompress(codec, content, self._limit.size - size)
            except (OSError, EOFError, zlib.error) as error:
                raise Unreadable(f"a block cannot be decompressed: {error}") from None
            size, records = size + len(content), records + count
            if sync != self._sync or not 0 <= count <= len(content):
                raise Unreadable(f"a block has {len(content)} bytes for {count} records")
            if records > MOST_RECORDS:
                raise Unreadable(f"it has more than {MOST_RECORDS} records")
            yield content, count

    def _decompress(self, codec: str, content: bytes, most: int) -> bytes:
        if codec in _CODECS:
            content = _CODECS[codec]().decompress(content, most + 1)
        elif codec in ("zstandard", "snappy"):
            content = _by_arrow(codec, content, most + 1)
        elif codec != "null":
            raise Unreadable(f"its codec is {json.dumps(codec[:100])}, expected deflate or null")
        if len(content) > most:
            raise self._limit.error("its records have too many bytes when decompressed")
        return content

    def decompress(self) -> bytes:
        """Return the file with all blocks decompressed, for a library that trusts their values.

        Raises:
            Unreadable: It is not within the rules, or is none that Iceberg has.
            TooLarge: It is not within the limit.
        """
        try:
            for each in self._logical_types:
                _check_logical(each)
            is_record = json.loads(self.metadata["avro.schema"])["type"] == "record"
        except (KeyError, TypeError) as error:
            raise Unreadable(f"its schema is none of Avro: {error}") from error
        if not is_record:
            raise Unreadable("its schema is not a record")
        end_of_record = behind(self.schema)
        members = {**self.metadata, "avro.codec": b"null"}
        parts = [MAGIC, _long(len(members))]
        for key, value in members.items():
            parts += [_long(len(key.encode())), key.encode(), _long(len(value)), value]
        parts += [_long(0), self._sync]
        for content, count in self.blocks():
            self._check_records(content, count, end_of_record)
            parts += [_long(count), _long(len(content)), content, self._sync]
        return b"".join(parts)

    def _check_records(self, content: bytes, count: int, end_of_record: Behind) -> None:
        largest = self._limit.size // RECORDS
        position = 0
        try:
            for _ in range(count):
                start, position = position, end_of_record(content, position)
                if position - start > largest:
                    raise self._limit.error(f"a record is longer than {largest} bytes")
        except IndexError:
            position = -1
        if position != len(content):
            raise Unreadable(f"a block of {len(content)} bytes does not hold its {count} records")


def _pairs(reader: Reader) -> Iterator[tuple[bytes, bytes]]:
    while count := reader.zigzag():
        if count < 0:
            reader.zigzag()  # the size of the block
        for _ in range(abs(count)):
            key = _content(reader, reader.zigzag())
            yield key, _content(reader, reader.zigzag())


def _content(reader: Reader, size: int) -> bytes:
    content = bytes(reader.data[reader.position : reader.position + size]) if size >= 0 else b""
    if len(content) != size:
        raise IndexError
    reader.position += size
    return content


def _long(number: int) -> bytes:
    """Return a number that is not negative as Avro has it."""
    rest, content = number << 1, bytearray()
    while rest > 127:
        content.append(rest & 127 | 128)
        rest >>= 7
    content.append(rest)
    return bytes(content)


def _by_arrow(codec: str, content: bytes, most: int) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - few files have these codecs

    if codec == "zstandard":
        with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
            return bytes(stream.read(most))
    size = Reader(content).varint()  # which snappy states, and the checksum follows
    return bytes(pa.decompress(content[:-4], min(size, most), "snappy", asbytes=True))


class _Types:
    """The types of one schema.

    With each type comes its excess: by how many values more than its bytes may stand for.
    """

    def __init__(self) -> None:
        self._count = 0
        self._definitions: dict[str, tuple[Any, str]] = {}
        #: The types that have a logical type, as the schema has them.
        self.logical: list[dict[str, Any]] = []

    def check(self, excess: int) -> None:
        """Refuse a repeated type that takes more memory than its bytes justify."""
        if excess > 0:
            raise Unreadable(f"its schema has more than {VALUES} values in a byte")

    def expand(self, schema: Any, space: str, depth: int) -> tuple[Any, int]:
        """Return a type and its excess."""
        self._count += 1
        if self._count > MOST_TYPES or depth > MOST_DEPTH:
            limit = f"more than {MOST_TYPES} types, or nests them more than {MOST_DEPTH} deep"
            raise Unreadable(f"its schema has {limit}")
        if isinstance(schema, list):
            branches = [self.expand(branch, space, depth + 1) for branch in schema]
            return [branch for branch, _ in branches], max(x for _, x in branches) - VALUES
        if isinstance(schema, dict):
            return self._complex(schema, space, depth)
        if schema in _BYTES:
            return schema, 1 - VALUES * _BYTES[schema]
        for name in (schema, f"{space}.{schema}"):
            if name in self._definitions:
                return self.expand(*self._definitions[name], depth + 1)
        raise Unreadable(f"its schema uses {json.dumps(schema)} before the end of its definition")

    def _complex(self, schema: dict[str, Any], space: str, depth: int) -> tuple[Any, int]:
        kind = schema["type"]
        if "logicalType" in schema:
            self.logical.append(schema)
        if kind == "array":
            items, excess = self.expand(schema["items"], space, depth + 1)
            self.check(excess)
            return {"type": kind, "items": items}, 1 - VALUES
        if kind == "map":
            values, excess = self.expand(schema["values"], space, depth + 1)
            self.check(excess + 1 - VALUES)
            return {"type": kind, "values": values}, 1 - VALUES
        if kind not in ("record", "fixed"):
            return self.expand(kind, space, depth + 1)
        plain: dict[str, Any] = {"type": kind, "name": f"t{self._count}"}
        name = schema["name"]
        space = name.rpartition(".")[0] or schema.get("namespace", space)
        if kind == "fixed":
            plain["size"], excess = schema["size"], 1 - VALUES * schema["size"]
        else:
            types = [self.expand(field["type"], space, depth + 1) for field in schema["fields"]]
            names = (field["name"] for field in schema["fields"])
            plain["fields"] = [
                {"name": field_name, "type": field_type}
                for field_name, (field_type, _) in zip(names, types, strict=True)
            ]
            excess = 1 + sum(field_excess for _, field_excess in types)
        self._definitions[f"{space}.{name.rpartition('.')[2]}" if space else name] = schema, space
        return plain, excess


def _check_logical(schema: dict[str, Any]) -> None:
    kind: Any = schema.get("logicalType")
    is_right = schema["type"] == _LOGICAL.get(kind, schema["type"])
    if is_right and kind == "map":
        is_right = [field["name"] for field in schema["items"]["fields"]] == ["key", "value"]
    elif is_right and kind in ("decimal", "uuid"):
        # A UUID has as many bytes as 38 digits.
        digits = min(schema["precision"], 38) if kind == "decimal" else 38
        is_right = schema["size"] == ((10**digits).bit_length() + 8) // 8
    if not is_right:
        raise Unreadable(f"its schema has a {json.dumps(kind)} that Iceberg does not have")
