# Made by codegen.errors from the contract of delta_sharing 2026-02, sha256 94ad4c0756e6ffc1. Do not edit: nox -s generate
"""The types of error that Delta Sharing Protocol 2026-02 names, by operation and status."""

from __future__ import annotations

ERRORS: dict[tuple[str, int], tuple[str, ...]] = {}
