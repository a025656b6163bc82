"""The published schema of the lines between `lakepact check-client` and the program that runs a
client.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "specs" / "client-task.schema.json").read_text("utf-8")
)
ICEBERG = {"uri": "http://127.0.0.1:1/task-1", "properties": {}}


@pytest.mark.parametrize(
    "line",
    [
        {"task": "list-tables", "arguments": {**ICEBERG, "namespace": ["a"]}},
        {"task": "read-table", "arguments": {"profile": "/tmp/a.share", "table": "a.b.c"}},
        {"result": None},
        {"error": {"type": "NoSuchTableError", "message": "t"}},
        {"not_offered": True},
    ],
)
def test_lines_of_the_protocol_are_valid(line: dict[str, Any]) -> None:
    assert Draft202012Validator(SCHEMA).is_valid(line)


@pytest.mark.parametrize(
    "line",
    [
        {"task": "list-tables"},
        {"task": "list-tables", "arguments": {}},
        {"result": 1, "error": {}},
        {},
    ],
)
def test_other_lines_are_invalid(line: dict[str, Any]) -> None:
    assert not Draft202012Validator(SCHEMA).is_valid(line)
