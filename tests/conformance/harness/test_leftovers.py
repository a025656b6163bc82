"""The leftovers of a run are the objects that are still on the target: all of them, and no
others.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from faulty_servers import checked
from lakepact.reference_server.running import running

CHECKED = (
    "IRC-NS-CREATE-001",
    "IRC-TBL-CREATE-003",
    "IRC-TBL-REN-001",
    "IRC-TBL-STAGE-004",
    "IRC-TBL-DROP-001",
)


def objects(url: str) -> set[str]:
    """Return the paths of all namespaces and tables of a server."""

    def get(path: str, **query: str) -> Any:
        return httpx.get(f"{url}{path}", params=query, trust_env=False).json()

    paths: set[str] = set()
    waiting = [[level] for (level,) in get("/v1/namespaces")["namespaces"]]
    while waiting:
        levels = waiting.pop()
        path = f"/v1/namespaces/{quote(chr(31).join(levels), safe='')}"
        paths |= {path} | {
            f"{path}/tables/{quote(table['name'], safe='')}"
            for table in get(f"{path}/tables")["identifiers"]
        }
        waiting += get("/v1/namespaces", parent="\x1f".join(levels))["namespaces"]
    return paths


@pytest.mark.parametrize("keep", [True, False], ids=["no cleanup", "cleanup"])
@pytest.mark.parametrize("fault", [None, "dropTable.answers-500", "answers-200"])
def test_leftovers_are_the_objects_on_the_target(fault: str | None, *, keep: bool) -> None:
    with running(contract="iceberg_rest", faults=[fault] if fault else []) as server:
        run = checked(server.url, *CHECKED, keep=keep)
        there = objects(server.url)

    assert {line.partition(": ")[0] for line in run.leftovers} == there


def test_leftover_says_what_the_request_to_drop_it_returned() -> None:
    with running(contract="iceberg_rest", faults=["dropTable.answers-500"]) as server:
        run = checked(server.url, *CHECKED)

    assert {line.partition(": ")[2] for line in run.leftovers if "/tables/" in line} == {
        "DELETE returned 500"
    }
