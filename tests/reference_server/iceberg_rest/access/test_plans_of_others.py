"""A scan plan belongs to its principal: its id and tasks return 404 to another principal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from .conftest import Answer, As, guarded

TABLE = "/v1/namespaces/open/tables/shown"
#: Requests about a plan, by operation: method, end of the path, body.
REQUESTS: dict[str, tuple[str, str, Any]] = {
    "fetchPlanningResult": ("GET", "/plan/{plan}", None),
    "cancelPlanning": ("DELETE", "/plan/{plan}", None),
    "fetchScanTasks": ("POST", "/tasks", {"plan-task": "{task}"}),
}


@dataclass(frozen=True)
class Planned:
    """A plan of root, and the principals."""

    bearing: As
    plan: str
    task: str

    def send(self, token: str, operation: str, *, plan: str, task: str, at: str = TABLE) -> Answer:
        method, path, body = REQUESTS[operation]
        return self.bearing(token)(
            method, at + path.format(plan=plan), body and {"plan-task": task}
        )

    def statuses(self) -> list[int]:
        """Return the statuses with which root gets its result and its tasks."""
        operations = ("fetchPlanningResult", "fetchScanTasks")
        return [
            self.send("root-token", operation, plan=self.plan, task=self.task).status
            for operation in operations
        ]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planned]:
    """Yield a table of three files, and root's plan of it on three pages."""
    folder: Path = tmp_path_factory.mktemp("planned")
    with guarded(folder, warehouse=str(folder / "warehouse")) as (server, bearing):
        catalog = RestCatalog("root", uri=server.url, token="root-token")
        catalog.create_namespace("open")
        rows = pa.table({"id": pa.array([1], pa.int64())})
        table = catalog.create_table(
            "open.shown", rows.schema, properties={"lakepact.scan-planning.page-files": "1"}
        )
        for _ in range(3):
            table.append(rows)
        made = bearing("root-token")("POST", f"{TABLE}/plan", {}).document
        yield Planned(bearing, made["plan-id"], made["plan-tasks"][0])


@pytest.mark.parametrize("token", ["reader-token", "writer-token", "looker-token"])
@pytest.mark.parametrize("operation", REQUESTS)
def test_plan_of_another_principal_does_not_exist(
    planned: Planned, operation: str, token: str
) -> None:
    foreign = planned.send(token, operation, plan=planned.plan, task=planned.task)
    unknown = planned.send(token, operation, plan="unknown", task="unknown")

    assert (foreign.status, foreign.body) == (404, unknown.body)
    assert planned.statuses() == [200, 200]


@pytest.mark.parametrize("operation", REQUESTS)
def test_plan_of_a_hidden_table_answers_like_a_missing_table(
    planned: Planned, operation: str
) -> None:
    hidden = planned.send("stranger-token", operation, plan=planned.plan, task=planned.task)
    missing = planned.send(
        "stranger-token",
        operation,
        plan=planned.plan,
        task=planned.task,
        at=TABLE.replace("shown", "nothing"),
    )

    assert hidden.error == (404, "NoSuchTableException")
    assert hidden.body.replace(b"shown", b"nothing") == missing.body


def test_principal_uses_its_own_plan(planned: Planned) -> None:
    made = planned.bearing("looker-token")("POST", f"{TABLE}/plan", {}).document
    answers = [
        planned.send("looker-token", operation, plan=made["plan-id"], task=made["plan-tasks"][0])
        for operation in sorted(REQUESTS)
    ]

    assert [answer.status for answer in answers] == [204, 200, 404]
