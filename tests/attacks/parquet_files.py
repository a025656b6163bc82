"""Parquet files written byte by byte, so that they may be what no library writes."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from attacks.avro_files import long

BOOL, I32, I64, BINARY, LIST, STRUCT = 1, 5, 6, 8, 9, 12
INT32, INT64, TEXT, FIXED = 1, 2, 6, 7  #: types of columns
PLAIN, RLE, DELTA, LENGTHS, PREFIXES, IN_DICTIONARY = 0, 3, 5, 6, 7, 8  #: encodings
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
CODECS = {"none": 0, "snappy": 1, "gzip": 2, "zstd": 6, "lz4_raw": 7}
DATA, DICTIONARY, DATA_V2 = 0, 2, 3  #: kinds of pages


def varint(number: int) -> bytes:
    """Return a number without a sign."""
    return long(number >> 1 if not number & 1 else -((number + 1) >> 1))


def thrift(fields: dict[int, tuple[int, Any]]) -> bytes:
    """Return a structure of types and values by number, in Thrift's compact protocol."""
    encoded, last = bytearray(), 0
    for number, (kind, value) in sorted(fields.items()):
        code = kind if kind != BOOL or value else 2
        near = 0 < number - last < 16
        encoded += bytes([(number - last) << 4 | code]) if near else bytes([code]) + long(number)
        encoded += _value(kind, value)
        last = number
    return bytes(encoded) + b"\0"


def _value(kind: int, value: Any) -> bytes:
    if kind in (I32, I64):
        return long(value)
    if kind == BINARY:
        content = value.encode() if isinstance(value, str) else value
        return varint(len(content)) + content
    if kind == STRUCT:
        return thrift(value)
    if kind == LIST:
        inner, items = value
        return (
            bytes([0xF0 | inner]) + varint(len(items)) + b"".join(_value(inner, i) for i in items)
        )
    return b""


def run(count: int, value: int = 0, bits: int = 1) -> bytes:
    """Return one value so many times, as runs of the encoding RLE have it."""
    return varint(count << 1) + value.to_bytes((bits + 7) // 8, "little")


def levels(*runs: bytes) -> bytes:
    """Return the levels of a page."""
    return struct.pack("<I", len(b"".join(runs))) + b"".join(runs)


def numbers(count: int, *, first: int = 0, block: int | None = None) -> bytes:
    """Return one number so many times in the encoding DELTA_BINARY_PACKED, as one block."""
    size = (count + 127) // 128 * 128 if block is None else block
    return varint(size) + varint(1) + varint(count) + long(first) + long(0) + b"\0"


@dataclass
class Page:
    """A page; by default its header is right."""

    content: bytes
    count: int
    encoding: int = PLAIN
    kind: int = DATA
    codec: str = "none"
    #: Fields of the header in place of the right ones.
    header: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def encoded(self) -> bytes:
        """Return header and content."""
        stored = self.content
        if self.codec != "none":
            stored = pa.Codec(self.codec).compress(stored, asbytes=True)
        details = {1: (I32, self.count), 2: (I32, self.encoding)}
        if self.kind == DATA:
            details |= {3: (I32, RLE), 4: (I32, RLE)}
        elif self.kind == DATA_V2:
            details = {1: (I32, self.count), 2: (I32, 0), 3: (I32, self.count)}
            details |= {4: (I32, self.encoding), 5: (I32, 0), 6: (I32, 0)}
        sizes = {2: (I32, len(self.content)), 3: (I32, len(stored))}
        place = {DATA: 5, DICTIONARY: 7, DATA_V2: 8}.get(self.kind, 6)
        header = {1: (I32, self.kind), **sizes, place: (STRUCT, details), **self.header}
        return thrift(header) + stored


@dataclass
class Column:
    """A column of one chunk."""

    name: str
    type: int
    pages: list[Page]
    repetition: int = REQUIRED
    length: int | None = None  #: of a value with a fixed length
    count: int | None = None  #: of values; by default those of the pages
    #: Fields of the metadata of the chunk in place of the right ones.
    footer: dict[int, tuple[int, Any]] = field(default_factory=dict)
    #: Fields of the chunk beside the right ones.
    chunk: dict[int, tuple[int, Any]] = field(default_factory=dict)
    is_in_schema: bool = True

    def element(self) -> dict[int, tuple[int, Any]]:
        """Return the element of the schema."""
        element = {1: (I32, self.type), 3: (I32, self.repetition), 4: (BINARY, self.name)}
        return element if self.length is None else element | {2: (I32, self.length)}


def parquet(rows: int, *columns: Column) -> bytes:
    """Return a file of one row group."""
    body, chunks = bytearray(b"PAR1"), []
    for column in columns:
        start = len(body)
        pages = [page.encoded() for page in column.pages]
        body += b"".join(pages)
        values = sum(page.count for page in column.pages if page.kind != DICTIONARY)
        encodings = sorted({page.encoding for page in column.pages})
        has_dictionary = bool(pages) and column.pages[0].kind == DICTIONARY
        codec = column.pages[0].codec if pages else "none"
        chunk = {
            1: (I32, column.type),
            2: (LIST, (I32, encodings)),
            3: (LIST, (BINARY, [column.name])),
            4: (I32, CODECS[codec]),
            5: (I64, values if column.count is None else column.count),
            6: (I64, len(body) - start),
            7: (I64, len(body) - start),
            9: (I64, start + (len(pages[0]) if has_dictionary else 0)),
            **({11: (I64, start)} if has_dictionary else {}),
            **column.footer,
        }
        chunks.append({2: (I64, start), 3: (STRUCT, chunk), **column.chunk})
    elements = [column.element() for column in columns if column.is_in_schema]
    root = {4: (BINARY, "schema"), 5: (I32, len(elements))}
    group = {1: (LIST, (STRUCT, chunks)), 2: (I64, len(body)), 3: (I64, rows)}
    footer = thrift(
        {
            1: (I32, 1),
            2: (LIST, (STRUCT, [root, *elements])),
            3: (I64, rows),
            4: (LIST, (STRUCT, [group])),
        }
    )
    return bytes(body) + footer + struct.pack("<I", len(footer)) + b"PAR1"
