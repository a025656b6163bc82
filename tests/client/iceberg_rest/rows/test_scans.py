"""Server-planned scans through both catalogs, with a desk and with the reference server."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import httpx
import pyarrow as pa
import pytest
from pyiceberg import expressions as e
from pyiceberg.catalog.rest import RestCatalog

from driving import ENDPOINTS, KINDS, Desk, Driven
from lakepact.client import ScanPlan, column, errors
from lakepact.reference_server import running

PLAN = "POST /base/v1/namespaces/n/tables/t/plan"
FETCH, CANCEL = (
    "GET /base/v1/namespaces/n/tables/t/plan/p-1",
    "DELETE /base/v1/namespaces/n/tables/t/plan/p-1",
)
TASKS = "POST /base/v1/namespaces/n/tables/t/tasks"


def file(path, content="data", **members):
    about = {
        "spec-id": 0,
        "partition": [],
        "file-format": "parquet",
        "file-size-in-bytes": 1,
        "record-count": 1,
    }
    return {"content": content, "file-path": path, **about, **members}


def task(path, *references, **members):
    return {"data-file": file(path), "delete-file-references": list(references), **members}


DELETES = [file("d0", "position-deletes"), file("d1", "equality-deletes", **{"equality-ids": [1]})]
RESIDUAL = {"type": "eq", "term": "id", "value": 3}


@pytest.fixture(params=KINDS)
def at_a_desk(request):
    """Return a function that opens a catalog of a desk, with its requests and pauses."""
    clients = []
    pauses = []

    async def slept(seconds):
        pauses.append(seconds)

    def catalog(answers):
        in_turn = {
            name: iter(several) if isinstance(several, list) else None
            for name, several in answers.items()
        }
        desk = Desk(
            {
                "GET /base/v1/config": {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS},
                **{
                    name: (lambda _, turn=turn: reply(next(turn))) if turn else answers[name]
                    for name, turn in in_turn.items()
                },
            }
        )
        sleep = slept if request.param == "async" else pauses.append
        clients.append(
            Driven(KINDS[request.param], "https://catalog/base", carrier=desk.carrier, sleep=sleep)
        )
        return clients[-1], desk, pauses

    yield catalog
    for client in clients:
        client.__exit__()


def reply(answer):
    return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)


def paths_of(tasks):
    return [
        (one.data_file.file_path, [delete.file_path for delete in one.delete_files])
        for one in tasks
    ]


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
EXPRESSIONS = {
    "id = 3": RESIDUAL,
    "true": {"type": "true"},
    "x is not nan": {"type": "not", "child": {"type": "is-nan", "term": "x"}},
    column("at") < NOON: {"type": "lt", "term": "at", "value": "2026-05-01T12:00:00.000000+00:00"},
    column("b") == b"\x0f": {"type": "eq", "term": "b", "value": "0F"},
    e.EqualTo("day", date(2026, 5, 1)): {"type": "eq", "term": "day", "value": "2026-05-01"},
}


@pytest.mark.parametrize(
    ("row_filter", "expression"), EXPRESSIONS.items(), ids=range(len(EXPRESSIONS))
)
def test_filter_is_planned_as_an_expression_of_the_contract(at_a_desk, row_filter, expression):
    client, desk, _ = at_a_desk({PLAN: {"status": "completed", "file-scan-tasks": []}})

    client.plan_scan("n.t", row_filter=row_filter)

    assert json.loads(desk.requests[-1].content) == {"filter": expression}


def test_time_that_may_have_a_zone_is_not_planned(at_a_desk):
    client, _, _ = at_a_desk({})

    with pytest.raises(TypeError, match="does not say whether its time has a zone"):
        client.plan_scan("n.t", row_filter=e.EqualTo("at", NOON))


def test_plan_request_holds_the_given_arguments(at_a_desk):
    client, desk, _ = at_a_desk({PLAN: {"status": "completed", "file-scan-tasks": []}})

    client.plan_scan(
        "n.t",
        row_filter=RESIDUAL,
        select=["id", "a.b"],
        snapshot_id=2**62,
        stats_fields=["id"],
        case_sensitive=False,
        use_snapshot_schema=True,
    )

    assert json.loads(desk.requests[-1].content) == {
        "filter": RESIDUAL,
        "select": ["id", "a.b"],
        "snapshot-id": 2**62,
        "stats-fields": ["id"],
        "case-sensitive": False,
        "use-snapshot-schema": True,
    }


def test_omitted_arguments_are_absent_from_the_plan_request(at_a_desk):
    client, desk, _ = at_a_desk({PLAN: {"status": "completed", "file-scan-tasks": []}})

    client.plan_scan("n.t")

    assert json.loads(desk.requests[-1].content) == {}


def test_tasks_have_their_delete_files_and_residual_filter(at_a_desk):
    tasks = [
        task("a", 1, 0),
        task("b", **{"residual-filter": RESIDUAL}),
        task("c", 1, **{"residual-filter": True}),
    ]
    client, _, _ = at_a_desk(
        {
            PLAN: {
                "status": "completed",
                "plan-id": "p-1",
                "delete-files": DELETES,
                "file-scan-tasks": tasks,
            }
        }
    )

    plan = client.plan_scan("n.t")

    assert paths_of(plan.tasks) == [("a", ["d1", "d0"]), ("b", []), ("c", ["d1"])]
    assert [getattr(one.residual, "type", one.residual) for one in plan.tasks] == [None, "eq", True]
    assert (plan.plan_id, plan.plan_tasks) == ("p-1", ())


def test_submitted_plan_is_polled_until_completed(at_a_desk):
    result = {"status": "completed", "file-scan-tasks": [task("a")], "plan-tasks": ["more"]}
    client, desk, pauses = at_a_desk(
        {
            PLAN: {"status": "submitted", "plan-id": "p-1"},
            FETCH: [{"status": "submitted"}, {"status": "submitted"}, result],
        }
    )

    plan = client.plan_scan("n.t")

    assert desk.calls == [PLAN, FETCH, FETCH, FETCH]
    assert pauses == [0.05, 0.1]
    assert (plan.plan_id, paths_of(plan.tasks), plan.plan_tasks) == ("p-1", [("a", [])], ("more",))


def test_plan_beyond_the_patience_is_cancelled(at_a_desk):
    client, desk, pauses = at_a_desk(
        {
            PLAN: {"status": "submitted", "plan-id": "p-1"},
            FETCH: {"status": "submitted"},
            CANCEL: httpx.Response(204),
        }
    )

    with pytest.raises(errors.PlanningFailed, match=r"not made within 0\.3 s"):
        client.plan_scan("n.t", patience=0.3)

    assert desk.calls == [PLAN, FETCH, FETCH, FETCH, CANCEL]
    assert sum(pauses) >= 0.3


def test_planning_is_retried_on_503(at_a_desk):
    busy = httpx.Response(
        503, json={"error": {"message": "busy", "type": "SlowDownException", "code": 503}}
    )
    result = {"status": "completed", "file-scan-tasks": [], "plan-tasks": ["more"]}
    client, desk, _ = at_a_desk(
        {PLAN: [busy, result], TASKS: [busy, {"file-scan-tasks": [task("a")]}]}
    )

    tasks = client.scan_tasks("n.t", client.plan_scan("n.t"))

    assert desk.calls == [PLAN, PLAN, TASKS, TASKS]
    assert paths_of(tasks) == [("a", [])]


@pytest.mark.parametrize("background", [False, True])
def test_failed_plan_raises_planning_failed_with_its_error(at_a_desk, *, background):
    failure = {
        "status": "failed",
        "error": {"message": "no such manifest", "type": "RuntimeIOException", "code": 500},
    }
    start = {"status": "submitted", "plan-id": "p-1"}
    client, _, _ = at_a_desk({PLAN: start if background else failure, FETCH: failure})

    with pytest.raises(errors.PlanningFailed, match="no such manifest") as exc_info:
        client.plan_scan("n.t")

    assert (exc_info.value.status, exc_info.value.type) == (500, "RuntimeIOException")


def test_cancelled_plan_raises_planning_failed(at_a_desk):
    client, _, _ = at_a_desk(
        {PLAN: {"status": "submitted", "plan-id": "p-1"}, FETCH: {"status": "cancelled"}}
    )

    with pytest.raises(errors.PlanningFailed, match="was cancelled"):
        client.plan_scan("n.t")


def test_plan_tasks_are_exchanged_for_tasks_and_further_plan_tasks(at_a_desk):
    answers = [
        {"file-scan-tasks": [task("b", 0)], "delete-files": DELETES[:1], "plan-tasks": ["3"]},
        {"file-scan-tasks": [task("c")]},
        {"file-scan-tasks": [task("d")]},
    ]
    client, desk, _ = at_a_desk(
        {
            PLAN: {"status": "completed", "file-scan-tasks": [task("a")], "plan-tasks": ["1", "2"]},
            TASKS: answers,
        }
    )

    tasks = client.scan_tasks("n.t", client.plan_scan("n.t"))

    assert paths_of(tasks) == [("a", []), ("b", ["d0"]), ("c", []), ("d", [])]
    assert [json.loads(request.content)["plan-task"] for request in desk.requests[-3:]] == [
        "1",
        "2",
        "3",
    ]


@pytest.mark.parametrize("references", [[0], [-1], [0, 1]])
def test_unknown_delete_file_reference_is_a_bad_reply(at_a_desk, references):
    client, _, _ = at_a_desk(
        {PLAN: {"status": "completed", "file-scan-tasks": [task("a", *references)]}}
    )

    with pytest.raises(errors.BadReply, match="refers to delete files"):
        client.plan_scan("n.t")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("NoSuchPlanIdException", errors.NoSuchPlan),
        ("NoSuchTableException", errors.NoSuchTable),
        ("Other", errors.NotFound),
    ],
)
def test_cancelling_a_missing_plan_raises_the_error_of_its_type(at_a_desk, kind, expected):
    missing = httpx.Response(404, json={"error": {"message": "gone", "type": kind, "code": 404}})
    client, _, _ = at_a_desk({CANCEL: missing})

    with pytest.raises(expected) as exc_info:
        client.cancel_plan("n.t", "p-1")

    assert type(exc_info.value) is expected


def test_cancelling_a_plan_without_an_id_sends_no_request(at_a_desk):
    client, desk, _ = at_a_desk({})

    client.cancel_plan("n.t", ScanPlan(None, (), ()))

    assert desk.calls == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at_once", ["0", "1000"])
def test_reference_server_plans_the_files_that_pyiceberg_wrote(kind, at_once):
    properties = {
        "lakepact.scan-planning.page-files": "2",
        "lakepact.scan-planning.at-once-files": at_once,
    }
    with running() as server:
        writer = RestCatalog("writer", uri=server.url)
        writer.create_namespace("n")
        rows = pa.table({"id": [1, 2, 3]})
        table = writer.create_table("n.t", schema=rows.schema, properties=properties)
        for _ in range(5):
            table.append(rows)
        with Driven(KINDS[kind], server.url) as client:
            plan = client.plan_scan("n.t")
            actual = [one.data_file.file_path for one in client.scan_tasks("n.t", plan)]
            client.cancel_plan("n.t", plan)
            with pytest.raises(errors.NoSuchPlanTask):
                client.scan_tasks("n.t", plan)
        expected = [one.file.file_path for one in table.scan().plan_files()]

    assert sorted(expected) == sorted(actual)
    assert (len(plan.tasks), len(plan.plan_tasks)) == (2, 2)
