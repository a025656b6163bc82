"""Two processes write rows while commits and their replies are lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running
from rows_fuzz.spoiled import spoiling

_TESTS = str(Path(__file__).parents[3])
#: The writes of each process.
_WRITES = 8
_FIELDS = [
    {"id": 1, "name": "id", "type": "long", "required": False},
    {"id": 2, "name": "n", "type": "long", "required": False},
]


@pytest.mark.nightly
@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_no_row_is_lost_or_there_twice(tmp_path, version):
    with (
        running(contract="iceberg_rest", warehouse=tmp_path.as_uri()) as server,
        IcebergCatalog(server.url, trusted_origins=["file:"]) as catalog,
    ):
        catalog.create_namespace("n")
        schema = {"type": "struct", "fields": _FIELDS}
        catalog.create_table("n.t", schema, properties={"format-version": version})
        with spoiling(server.url, "t") as url:
            writers = [
                subprocess.Popen(
                    [sys.executable, "-m", "rows_fuzz.spoiled", url, "n.t", first, str(_WRITES)],
                    stdout=subprocess.PIPE,
                    cwd=_TESTS,
                )
                for first in ("1000", "2000")
            ]
            outputs = [writer.communicate(timeout=120)[0] for writer in writers]
        rows = catalog.scan("n.t").to_arrow().to_pylist()
    expected = {int(key): n for text in outputs for key, n in json.loads(text).items()}
    actual = {row["id"]: row["n"] for row in rows}
    assert len(actual) == len(rows)
    assert {key: n for key, n in expected.items() if n is not None} == {
        key: actual.get(key, 0) for key, n in expected.items() if n is not None
    }
    assert actual.keys() <= expected.keys()
    assert sum(n is not None for n in expected.values()) > len(expected) / 2
