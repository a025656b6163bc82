# Made by codegen.errors from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""The types of error that Delta Sharing Protocol 2026-08 names, by operation and status."""

from __future__ import annotations

ERRORS: dict[tuple[str, int], tuple[str, ...]] = {}
