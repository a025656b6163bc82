"""Deletion vectors: from their bytes to the bitmap of deleted rows.

In a line they are Z85 text; in a file they have a size before and a checksum after them. Invalid
ones raise an error, because a wrong vector yields wrong rows.
"""

from __future__ import annotations

import base64
import string
import struct
import zlib
from typing import TYPE_CHECKING

from lakepact.client.delta_sharing.downloads import Span

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import DeletionVector

#: The first four bytes of a bitmap in the portable form.
MAGIC = 1681511377

_Z85 = (
    string.digits + string.ascii_lowercase + string.ascii_uppercase + ".-:+=^!/*?&<>()[]{}@%$#"
).encode()
_B85 = (
    string.digits + string.ascii_uppercase + string.ascii_lowercase + "!#$%&()*+-;<=>?@^_`{|}~"
).encode()
_TO_B85 = bytes.maketrans(_Z85, _B85)
_SIZE, _CHECKSUM = 4, 4


def is_inline(vector: DeletionVector) -> bool:
    """Return whether the line itself holds the vector."""
    return vector.storage_type == "i"


def span(vector: DeletionVector) -> Span:
    """Return the position of the vector in its file, including size and checksum.

    Raises:
        ValueError: The line does not give it, or the file is not one with a URL.
    """
    if vector.storage_type not in {"p", "u"}:
        raise ValueError(
            f"a deletion vector is stored in a way that is not known: {vector.storage_type[:20]!r}"
        )
    if vector.offset is None or vector.offset < 0 or vector.size < 0:
        raise ValueError("a deletion vector has no place in its file")
    return Span(vector.offset, _SIZE + vector.size + _CHECKSUM)


def from_line(vector: DeletionVector) -> bytes:
    """Return the bitmap of a vector that stands in the line.

    Raises:
        ValueError: It is damaged.
    """
    text = vector.path_or_inline
    if not text.isascii() or len(text) % 5 or set(text.encode()) - set(_Z85):
        raise ValueError("the deletion vector in the line is not in Z85")
    try:
        content = base64.b85decode(text.encode().translate(_TO_B85))
    except ValueError:
        raise ValueError("the deletion vector in the line is not in Z85") from None
    if not vector.size <= len(content) < vector.size + 4:
        raise ValueError(
            f"the deletion vector in the line has {len(content)} bytes, not {vector.size}"
        )
    return _bitmap(content[: vector.size])


def from_file(content: bytes | bytearray, vector: DeletionVector) -> bytes:
    """Return the bitmap of a vector, from its place in a file.

    Raises:
        ValueError: It is damaged.
    """
    size = int.from_bytes(content[:_SIZE], "big")
    if size != vector.size or len(content) != _SIZE + size + _CHECKSUM:
        raise ValueError(
            f"the deletion vector in the file has {size} bytes, and the line says {vector.size}"
        )
    bitmap = bytes(content[_SIZE : _SIZE + size])
    (checksum,) = struct.unpack_from(">I", content, _SIZE + size)
    if zlib.crc32(bitmap) != checksum:
        raise ValueError("the deletion vector in the file does not have its checksum")
    return _bitmap(bitmap)


def _bitmap(content: bytes) -> bytes:
    magic = int.from_bytes(content[:4], "little")
    if len(content) < 4 or magic != MAGIC:
        raise ValueError(f"a deletion vector begins with {magic}, not with {MAGIC}")
    return content[4:]
