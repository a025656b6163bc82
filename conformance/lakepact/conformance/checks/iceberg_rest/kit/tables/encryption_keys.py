"""Encryption keys, and the format version that has them."""

from __future__ import annotations

from lakepact.conformance.evidence.exchanges import Document

VERSION = 3  #: the format version that encryption keys came with


#: Two keys; the second encrypts the first.
KEY: Document = {
    "key-id": "data",
    "encrypted-key-metadata": "c2VjcmV0",
    "encrypted-by-id": "root",
    "properties": {"made-by": "lakepact"},
}


ROOT: Document = {"key-id": "root", "encrypted-key-metadata": "cm9vdA=="}
