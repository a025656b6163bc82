"""Encryption keys, and the format version that has them."""

from __future__ import annotations

from typing import Any

VERSION = 3  #: the format version that encryption keys came with


#: Two keys; the second encrypts the first.
KEY: dict[str, Any] = {
    "key-id": "data",
    "encrypted-key-metadata": "c2VjcmV0",
    "encrypted-by-id": "root",
    "properties": {"made-by": "lakepact"},
}


ROOT: dict[str, Any] = {"key-id": "root", "encrypted-key-metadata": "cm9vdA=="}
