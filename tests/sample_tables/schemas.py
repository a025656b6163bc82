"""Schemas of one column, for tests that are about something else."""

from __future__ import annotations

from typing import Any


def one_column(name: str, *, required: bool) -> dict[str, Any]:
    fields = [{"id": 1, "name": name, "type": "long", "required": required}]
    return {"type": "struct", "fields": fields}


SCHEMA = one_column("id", required=True)
OPTIONAL = one_column("id", required=False)
OPTIONAL_X = one_column("x", required=False)
