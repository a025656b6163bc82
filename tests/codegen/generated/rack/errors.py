# Made by codegen.errors from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""The types of error that Rack 2 names, by operation and status."""

from __future__ import annotations

ERRORS: dict[tuple[str, int], tuple[str, ...]] = {
    ("listBooks", 404): ("NoSuchRack",),
    ("changeRack", 409): ("Conflict",),
}
