"""Deletion vectors, and the Puffin files that hold them."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Collection, Iterable, Mapping

POSITION = 2147483545  #: field id of the position of a row
PUFFIN, VECTOR_MAGIC = b"PFA1", b"\xd1\xd3\x39\x64"


def vector_of(rows: Iterable[int]) -> bytes:
    """Return a deletion vector of some rows of a file, with length and checksum, as Puffin and
    Delta files have it.
    """
    from pyroaring import BitMap64  # noqa: PLC0415 - of use to deletion vectors alone

    bitmap = BitMap64(rows)
    bitmap.run_optimize()
    data = VECTOR_MAGIC + bitmap.serialize()
    return struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data))


def puffin_of(rows_by_path: Mapping[str, Collection[int]]) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a Puffin file with a deletion vector for each data file, and the offset and length of
    each.
    """
    content, blobs = PUFFIN, []
    for path, rows in rows_by_path.items():
        vector = vector_of(rows)
        about = {"referenced-data-file": path, "cardinality": str(len(rows))}
        place = {
            "offset": len(content),
            "length": len(vector),
            "snapshot-id": -1,
            "sequence-number": -1,
        }
        blobs.append(
            {"type": "deletion-vector-v1", "fields": [POSITION], "properties": about, **place}
        )
        content += vector
    footer = json.dumps({"blobs": blobs}).encode()
    content += PUFFIN + footer + struct.pack("<i", len(footer)) + bytes(4) + PUFFIN
    return content, [(int(str(blob["offset"])), int(str(blob["length"]))) for blob in blobs]
