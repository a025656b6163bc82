# Made by codegen.errors from the contract of iceberg_rest 1.10.0, sha256 46f4931e05ec1a54. Do not edit: nox -s generate
"""The types of error that Apache Iceberg REST Catalog API 1.10.0 names, by operation and status."""

from __future__ import annotations

ERRORS: dict[tuple[str, int], tuple[str, ...]] = {}
