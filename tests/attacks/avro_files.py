"""Avro files written byte by byte, so that they may be what no library writes."""

from __future__ import annotations

import json
import zlib
from typing import Any

SYNC = b"0123456789abcdef"
Fields = list[dict[str, Any]]


def long(number: int) -> bytes:
    """Return a number as Avro encodes int and long."""
    rest, encoded = (number << 1) ^ (number >> 63), bytearray()
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


def text(content: str | bytes) -> bytes:
    """Return a string or bytes."""
    raw = content.encode() if isinstance(content, str) else content
    return long(len(raw)) + raw


def header(schema: Any, **metadata: str | bytes) -> bytes:
    """Return the header of a file, up to its first block."""
    spelled = schema if isinstance(schema, str | bytes) else json.dumps(schema)
    members = {"avro.schema": spelled, **{k.replace("_", "."): v for k, v in metadata.items()}}
    pairs = b"".join(text(name) + text(value) for name, value in members.items())
    return b"Obj\x01" + long(len(members)) + pairs + long(0) + SYNC


def block(count: int, content: bytes) -> bytes:
    """Return a block that claims to have so many records."""
    return long(count) + text(content) + SYNC


def deflated(content: bytes) -> bytes:
    """Return content as the codec deflate has it."""
    squeeze = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return squeeze.compress(content) + squeeze.flush()


def record(fields: Fields, name: str = "r") -> dict[str, Any]:
    """Return the schema of a record."""
    return {"type": "record", "name": name, "fields": fields}


def field(name: str, type_: Any) -> dict[str, Any]:
    """Return a field of a record."""
    return {"name": name, "type": type_}


#: The schema of a list of manifests, with the fewest fields.
LIST = record([field("manifest_path", "string"), field("partition_spec_id", "int")])
#: The schema of a manifest, with the fewest fields.
MANIFEST = record(
    [
        field("status", "int"),
        field(
            "data_file",
            record(
                [
                    field("content", "int"),
                    field("file_path", "string"),
                    field("file_format", "string"),
                    field("partition", record([], "r102")),
                    field("record_count", "long"),
                    field("file_size_in_bytes", "long"),
                ],
                "r2",
            ),
        ),
    ]
)
