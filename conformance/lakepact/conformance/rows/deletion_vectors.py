"""Reads deletion vectors: which rows of a data file are gone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.exchanges import place_of
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from pyroaring import BitMap64

MAGIC = 1681511377
Z85 = {
    c: n
    for n, c in enumerate(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
}


def rows_of_vector(vector: Mapping[str, Any], fetch: Callable[[str], bytes]) -> BitMap64:
    """Return the rows that a deletion vector says are gone.

    Args:
        vector: its descriptor; one that is stored in a file has a URL there.
        fetch: gets what stands at a URL.

    Raises:
        Unmet: it cannot be read, or holds another number of rows than it says.
    """
    storage, place = vector.get("storageType"), vector.get("pathOrInlineDv")
    if not isinstance(place, str):
        raise expect.unmet(
            "a deletion vector with pathOrInlineDv",
            expect.excerpt(place),
            at=place_of(vector, "pathOrInlineDv"),
        )
    size = _number(vector, "sizeInBytes")
    if storage == "i":
        data = from_z85(place)[:size]
    elif storage == "p":
        data = _stored(fetch(place), _number(vector, "offset"), size)
    else:
        expected = "a deletion vector that stands in the line (storageType i) or at a URL (p)"
        raise expect.unmet(
            expected, f"storageType {expect.excerpt(storage)}", at=place_of(vector, "storageType")
        )
    if len(data) < 4 or struct.unpack("<I", data[:4]) != (MAGIC,):
        raise Unmet(f"a deletion vector that starts with {MAGIC}", f"{data[:4].hex()}")
    from pyroaring import BitMap64  # noqa: PLC0415 - suites are listed without it

    try:
        rows = BitMap64.deserialize(data[4:])
    except (ValueError, RuntimeError) as broken:
        raise Unmet("a 64-bit roaring bitmap in the deletion vector", str(broken)) from broken
    if len(rows) != vector.get("cardinality"):
        expected = f"a deletion vector of {vector.get('cardinality')} rows, as its cardinality says"
        raise expect.unmet(expected, f"{len(rows)} rows", at=place_of(vector, "cardinality"))
    return rows


def _number(vector: Mapping[str, Any], name: str) -> int:
    """Return a number of a descriptor; 0 where it is left out."""
    number = vector.get(name) or 0
    if not isinstance(number, int) or number < 0:
        raise expect.unmet(
            f"a deletion vector whose {name} is a number of bytes",
            expect.excerpt(number),
            at=place_of(vector, name),
        )
    return number


def _stored(file: bytes, offset: int, size: int) -> bytes:
    if len(file) < offset + 4 + size + 4:
        raise Unmet(
            f"a deletion vector of {size} bytes at offset {offset}", f"a file of {len(file)} bytes"
        )
    data = file[offset + 4 : offset + 4 + size]
    checksum = file[offset + 4 + size : offset + 8 + size]
    if struct.unpack(">I", file[offset : offset + 4]) != (size,):
        raise Unmet(f"the size {size} before the deletion vector", file[offset : offset + 4].hex())
    if struct.unpack(">I", checksum) != (zlib.crc32(data),):
        raise Unmet(
            "a deletion vector with the checksum behind it", f"another one: {checksum.hex()}"
        )
    return data


def from_z85(text: str) -> bytes:
    """Return the bytes of a text in Z85.

    Raises:
        Unmet: it is none.
    """
    out = bytearray()
    try:
        for start in range(0, len(text), 5):
            value = 0
            for character in text[start : start + 5]:
                value = value * 85 + Z85[character]
            out += value.to_bytes(4, "big")
    except (KeyError, OverflowError) as broken:
        raise Unmet("an inline deletion vector in Z85", f"{expect.excerpt(text[:40])}") from broken
    return bytes(out)
