"""A plan holds every file that may have a matching row, and its residuals keep the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.catalog.rest import RestCatalog

from lakepact.reference_server import Server, running
from sample_tables.scans import FILTERS, SPECS, data_files, matching, table_of_kind


class Asked:
    """Tables on a server, and the planned tasks of those tables."""

    def __init__(self, server: Server) -> None:
        catalog = RestCatalog("own", uri=server.url)
        catalog.create_namespace("scans")
        self._handle = server.service.handlers["planTableScan"]
        self.files = [data_files(table_of_kind(catalog, number)) for number in range(len(SPECS))]

    def tasks(self, number: int, wanted: Any) -> list[dict[str, Any]]:
        reply = self._handle(namespace="scans", table=f"t{number}", body={"filter": wanted})
        return list(reply.document["file-scan-tasks"])


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    with running() as server:
        yield Asked(server)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(number=st.integers(0, len(SPECS) - 1), wanted=FILTERS)
def test_every_matching_row_is_in_a_planned_file_and_kept_by_its_residual(
    asked: Asked, number: int, wanted: Any
) -> None:
    tasks = {
        task["data-file"]["file-path"]: task["residual-filter"]
        for task in asked.tasks(number, wanted)
    }

    expected = {file.path: matching(file.rows, wanted) for file in asked.files[number]}
    actual = {
        file.path: matching(file.rows, tasks.get(file.path, False)) for file in asked.files[number]
    }
    assert expected == actual


def test_files_that_cannot_match_are_left_out(asked: Asked) -> None:
    left_out = [
        len(asked.files[n]) - len(asked.tasks(n, {"type": "eq", "term": "new", "value": 4}))
        for n in range(len(SPECS))
    ]

    assert all(count > 0 for count in left_out[1:])
