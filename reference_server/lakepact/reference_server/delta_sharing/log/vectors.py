"""Return the paths of deletion vectors that are files."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
VALUES = {digit: value for value, digit in enumerate(DIGITS)}
UUID_DIGITS = 20  #: of a UUID; what stands before it is the folder


def vector_path(vector: Mapping[str, Any]) -> str | None:
    """Return the path of a deletion vector's file as a log would spell it, None if the vector is no
    file.

    Raises:
        DamagedLog: it does not say which file it is.
    """
    stored: str = vector["pathOrInlineDv"]
    if vector["storageType"] == "i":
        return None
    if vector["storageType"] == "p":
        return stored
    try:
        name = uuid.UUID(bytes=decode(stored[-UUID_DIGITS:]))
    except ValueError:
        raise DamagedLog(f"the deletion vector {stored[:60]!r} does not name a file") from None
    folder = stored[:-UUID_DIGITS]
    return quote(
        f"{folder}/deletion_vector_{name}.bin" if folder else f"deletion_vector_{name}.bin"
    )


def decode(text: str) -> bytes:
    """Return the bytes of Z85 digits.

    Raises:
        ValueError: the digits are invalid.
    """
    if len(text) % 5:
        raise ValueError(text)
    result = bytearray()
    for start in range(0, len(text), 5):
        value = 0
        for digit in text[start : start + 5]:
            value = value * 85 + VALUES.get(digit, 1 << 32)
        try:
            result += struct.pack(">I", value)
        except struct.error:
            raise ValueError(text) from None
    return bytes(result)
