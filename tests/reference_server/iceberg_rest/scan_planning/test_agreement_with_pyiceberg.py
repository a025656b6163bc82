"""The server plans the same files as pyiceberg, and pyiceberg reads the same rows from those
plans.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyiceberg import expressions
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.rest.scan_planning import PlanTableScanRequest

from lakepact.reference_server import Server, running
from sample_tables.scans import SPECS, table_of_kind

NUMBERS = range(0, len(SPECS), 2)
FILTERS: list[Any] = [
    expressions.AlwaysTrue(),
    expressions.EqualTo("i2", 9),
    expressions.NotEqualTo("s", "ab"),
    expressions.In("n", {-1, 10}),
    expressions.NotIn("s", {"a", "b"}),
    expressions.IsNull("new"),
    expressions.StartsWith("s", "ab"),
    expressions.LessThanOrEqual("t", "1970-01-01T00:00:00"),
    expressions.GreaterThan("z", "1969-12-31T23:00:00+00:00"),
    expressions.EqualTo("d", "2020-02-29"),
    expressions.GreaterThan("m", "0.00"),
    expressions.Not(expressions.EqualTo("b", True)),
    expressions.And(
        expressions.GreaterThan("i2", 0),
        expressions.Or(expressions.IsNull("s"), expressions.EqualTo("y", b"ab")),
    ),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as started:
        catalog = RestCatalog("writer", uri=started.url)
        catalog.create_namespace("scans")
        for number in NUMBERS:
            table_of_kind(catalog, number)
        yield started


def paths(server: Server, number: int, **request: Any) -> list[str]:
    """Return the files that the server plans."""
    body = {key.replace("_", "-"): value for key, value in request.items()}
    reply = server.service.handlers["planTableScan"](
        namespace="scans", table=f"t{number}", body=body
    )
    return sorted(task["data-file"]["file-path"] for task in reply.document["file-scan-tasks"])


@pytest.mark.parametrize("number", NUMBERS)
def test_files_of_each_snapshot_are_those_that_pyiceberg_plans(server: Server, number: int) -> None:
    table = RestCatalog("own", uri=server.url).load_table(f"scans.t{number}")

    expected = {
        one.snapshot_id: sorted(
            t.file.file_path for t in table.scan(snapshot_id=one.snapshot_id).plan_files()
        )
        for one in table.snapshots()
    }

    assert {
        snapshot: paths(server, number, snapshot_id=snapshot) for snapshot in expected
    } == expected


@pytest.mark.parametrize("number", NUMBERS)
def test_files_that_pyiceberg_leaves_out_are_left_out(server: Server, number: int) -> None:
    table = RestCatalog("own", uri=server.url).load_table(f"scans.t{number}")

    for wanted in FILTERS:
        document = json.loads(
            PlanTableScanRequest(filter=wanted).model_dump_json(by_alias=True, exclude_none=True)
        )
        planned = paths(server, number, **document)
        assert (
            set(planned)
            - {task.file.file_path for task in table.scan(row_filter=wanted).plan_files()}
            == set()
        ), wanted


def test_pyiceberg_reads_the_same_rows_when_its_scans_are_planned(server: Server) -> None:
    own, planned = (
        RestCatalog(mode, uri=server.url, **{"scan-planning-mode": mode}).load_table("scans.t0")
        for mode in ("client", "server")
    )

    for wanted in FILTERS:
        expected, actual = (
            table.scan(row_filter=wanted).to_arrow().to_pylist() for table in (own, planned)
        )
        assert sorted(map(str, expected)) == sorted(map(str, actual)), wanted
