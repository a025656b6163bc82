"""The cost of a request is bounded by its size, and requests of real clients are within the
limits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bench.update_costs import KINDS, VIEW, Kind, schema, snapshot, view_version
from lakepact.reference_server.http.bodies import MOST_VALUES
from lakepact.reference_server.iceberg_rest.commits.preconditions import check
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from lakepact.reference_server.iceberg_rest.views.metadata import new_view_metadata
from lakepact.reference_server.iceberg_rest.views.preconditions import check_view
from lakepact.reference_server.iceberg_rest.views.updates import apply_view_updates
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA
from sample_tables.table_documents import field

FEW, MANY = 60, 240


def steps(work: Callable[[], object]) -> int:
    """Return how many instructions the interpreter executes."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(former)
    return count


def cost(kind: Kind, count: int) -> int:
    """Return how many instructions a commit of so many members takes."""
    if kind.path == VIEW:
        request = {"schema": schema(2), "view-version": view_version(-1)["view-version"]}
        base = new_view_metadata(request, view_uuid="X", location="memory:/v", now_ms=1)
        apply, hold = apply_view_updates, check_view
    else:
        base = new_table_metadata(
            {"schema": schema(2)}, table_uuid="x", location="memory:/t", now_ms=1
        )
        apply, hold = apply_updates, check
    if kind.before:
        base = apply(base, kind.before(count), now_ms=2)
    sent = kind.commit(count)
    return steps(lambda: (hold(base, sent["requirements"]), apply(base, sent["updates"], now_ms=3)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_cost_of_a_commit_grows_no_faster_than_its_updates(kind: Kind) -> None:
    assert cost(kind, MANY) <= MANY / FEW * 1.25 * cost(kind, FEW)


def commit(*updates: dict[str, Any]) -> dict[str, Any]:
    return {"requirements": [], "updates": list(updates)}


def add_schema(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"action": "add-schema", "schema": {"type": "struct", "fields": list(fields)}}


LARGE = {
    "2000 new schemas": (
        [{"action": "add-schema", "schema": schema(3 * number)} for number in range(2000)],
        2001,
    ),
    "2000 equal schemas": ([{"action": "add-schema", "schema": schema(0)}] * 2000, 2),
    "expiring 10000 snapshots one by one": (
        [{"action": "remove-snapshots", "snapshot-ids": [number]} for number in range(10_000)],
        1,
    ),
    "1000 columns": (
        [add_schema(*(field(n, f"c{n}", "string", doc="of many") for n in range(1, 1001)))],
        2,
    ),
}


@pytest.mark.parametrize("case", LARGE)
def test_large_commit_is_applied(send: Sender, table: str, case: str) -> None:
    updates, schemas = LARGE[case]
    answer = send("POST", table, commit(*updates))

    assert answer.status == 200
    assert [one["schema-id"] for one in answer.document["metadata"]["schemas"]] == list(
        range(schemas)
    )


@pytest.mark.parametrize("item", [b"[]", b"{}", b'""', b"0"])
def test_body_of_too_many_values_returns_413(send: Sender, table: str, item: bytes) -> None:
    answer = send("POST", table, b"[%s]" % b",".join([item] * MOST_VALUES))

    assert answer.status == 413
    assert f"more than {MOST_VALUES} values" in answer.message


def deep_column() -> dict[str, Any]:
    column_type: Any = "int"
    for number in range(2, 152):
        column_type = {
            "type": "list",
            "element-id": number,
            "element-required": False,
            "element": column_type,
        }
    return field(1, "deep", column_type)


def deep_filter(depth: int) -> bytes:
    return b'{"filter":%s{"type":"true"}%s}' % (b'{"type":"not","child":' * depth, b"}" * depth)


INVALID = {
    "as many values as allowed": (
        "",
        b'{"requirements":[],"updates":[%s]}' % b",".join([b"0"] * (MOST_VALUES - 5)),
    ),
    "a deep schema": ("", commit(add_schema(deep_column()))),
    **{f"a filter {depth} deep": ("/plan", deep_filter(depth)) for depth in (199, 300, 10_000)},
}


@pytest.mark.parametrize("case", INVALID)
def test_large_invalid_request_returns_400(send: Sender, table: str, case: str) -> None:
    path, body = INVALID[case]

    assert send("POST", table + path, body).error == (400, "BadRequestException")


def test_expiring_10000_snapshots_at_once_returns_200(send: Sender, table: str) -> None:
    for start in range(0, 10_000, 2000):
        added = [
            {"action": "add-snapshot", "snapshot": snapshot(number)}
            for number in range(start, start + 2000)
        ]
        assert send("POST", table, commit(*added)).status == 200
    answer = send(
        "POST",
        table,
        commit({"action": "remove-snapshots", "snapshot-ids": list(range(1, 10_000))}),
    )

    assert [one["snapshot-id"] for one in answer.document["metadata"]["snapshots"]] == [10_000]


def test_transaction_over_100_tables_returns_204(send: Sender, namespace: str, tables: str) -> None:
    added = [{"action": "add-snapshot", "snapshot": snapshot(one)} for one in range(20)]
    changes = []
    for number in range(100):
        name = f"t{number}"
        assert send("POST", tables, {"name": name, "schema": SCHEMA}).status == 200
        changes.append({"identifier": {"namespace": [namespace], "name": name}, **commit(*added)})

    assert send("POST", "/v1/transactions/commit", {"table-changes": changes}).status == 204


def test_removing_20000_unknown_properties_returns_them_as_missing(
    send: Sender, namespace: str
) -> None:
    removals = [f"p{number}" for number in range(20_000)]
    answer = send("POST", f"/v1/namespaces/{namespace}/properties", {"removals": removals})

    assert answer.document["missing"] == removals


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_readers_are_answered_while_a_thread_changes_records(kind: str, tmp_path: Path) -> None:
    statuses: list[int] = []

    def create(url: str) -> None:
        with Sender(url) as send:
            statuses.append(send("POST", "/v1/namespaces", {"namespace": ["n"]}).status)

    kept = "memory" if kind == "memory" else tmp_path / "store.sqlite"
    with serving(contract="iceberg_rest", warehouse=str(tmp_path / "w"), store=kept) as send:
        writer = threading.Thread(target=create, args=[send.url])
        turn = send.server.service.turn
        assert turn is not None
        turn.acquire()
        try:
            writer.start()
            during = [send("GET", "/v1/namespaces/n").status for _ in range(20)]
            early = list(statuses)
        finally:
            turn.release()
        writer.join(10)

        assert (during, early, statuses) == ([404] * 20, [], [200])
        assert send("GET", "/v1/namespaces/n").status == 200


def test_commit_to_a_large_table_is_applied(send: Sender, table: str) -> None:
    for part in range(3):
        values = {f"p{part}-{number}": "x" * 500 for number in range(1000)}
        assert (
            send("POST", table, commit({"action": "set-properties", "updates": values})).status
            == 200
        )
    answer = send("POST", table, commit({"action": "set-properties", "updates": {"last": "yes"}}))

    assert (answer.status, answer.document["metadata"]["properties"]["last"]) == (200, "yes")
    assert (
        send("GET", f"{table}?snapshots=refs").document["metadata"]["properties"]["last"] == "yes"
    )


def test_long_request_with_an_idempotency_key_is_carried_out_once() -> None:
    with serving(contract="iceberg_rest", contract_version="1.11.0", warehouse="memory:") as send:
        body = {
            "namespace": ["n"],
            "properties": {f"p{number}": "x" * 100 for number in range(1000)},
        }
        key = "01997c5e-9a4a-7bc2-8a3f-0123456789ab"
        answers = [send("POST", "/v1/namespaces", body, idempotency_key=key) for _ in range(2)]

        assert [answer.status for answer in answers] == [200, 200]
        assert send("POST", "/v1/namespaces", body).status == 409
