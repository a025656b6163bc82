# Made by codegen.errors from the contract of shelf 2, sha256 61417d132981829b. Do not edit: nox -s generate
"""The types of error that Shelf 2 names, by operation and status."""

from __future__ import annotations

ERRORS: dict[tuple[str, int], tuple[str, ...]] = {
    ("listBooks", 404): ("NoSuchShelf",),
    ("changeShelf", 409): ("Conflict",),
}
