"""A call of the client makes few calls of functions: the load of the machine does not change their
number.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import pytest

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running

SCHEMA = {
    "type": "struct",
    "fields": [{"id": 1, "name": "a", "type": "long", "required": False}],
}


@pytest.fixture
def calls_of_a_load():
    """Return the functions of lakepact that load a small table, with the number of their calls."""
    calls: Counter[str] = Counter()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and "/lakepact/" in frame.f_code.co_filename:
            calls[frame.f_code.co_qualname] += 1

    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        catalog.create_table("n.t", SCHEMA)
        catalog.load_table("n.t")
        profiler = sys.getprofile()
        sys.setprofile(note)
        try:
            catalog.load_table(("n", "t"), snapshots="all")
        finally:
            sys.setprofile(profiler)
    return calls


def test_load_of_a_small_table_takes_few_calls(calls_of_a_load):
    assert sum(calls_of_a_load.values()) <= 95, calls_of_a_load.most_common()


def test_name_of_a_table_is_taken_apart_once(calls_of_a_load):
    assert [calls_of_a_load[name] for name in ("_parts", "_join", "levels")] == [1, 1, 0]
