"""Requests that read or write many records or files run in a thread, from the start and once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import Server, running
from lakepact.reference_server.http.endpoint import Endpoint
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.workers import LARGE_RECORD, Place
from sample_tables.schemas import SCHEMA

LARGE = {
    "source": {"namespace": ["n"], "name": "large"},
    "destination": {"namespace": ["n"], "name": "renamed"},
}
REQUESTS: dict[str, tuple[OperationId, dict[str, Any]]] = {
    "the first location that a caller chooses": (
        op.create_table,
        {"namespace": "n", "body": {"name": "t", "schema": SCHEMA, "location": "memory:/n/t"}},
    ),
    "a file that is registered": (
        op.register_table,
        {"namespace": "n", "body": {"name": "t", "metadata-location": "memory:/n/absent"}},
    ),
    "the referenced snapshots of a large table": (
        op.load_table,
        {"namespace": "n", "table": "large", "snapshots": "refs"},
    ),
    "a commit to a large table": (
        op.update_table,
        {"namespace": "n", "table": "large", "body": {"updates": []}},
    ),
    "a transaction with a large table": (
        op.commit_transaction,
        {
            "body": {
                "table-changes": [{"identifier": LARGE["source"], "updates": []}, {"updates": []}]
            }
        },
    ),
    "a purge": (op.drop_table, {"namespace": "n", "table": "small", "purge_requested": True}),
    "dropping a large table": (op.drop_table, {"namespace": "n", "table": "large"}),
    "renaming a large table": (op.rename_table, {"body": LARGE}),
}
SMALL = {"namespace": "n", "table": "small"}
SHORT: dict[str, tuple[OperationId, dict[str, Any]]] = {
    "a default location": (
        op.create_table,
        {"namespace": "n", "body": {"name": "t", "schema": SCHEMA}},
    ),
    "loading a large table": (op.load_table, {"namespace": "n", "table": "large"}),
    "the referenced snapshots of a small table": (op.load_table, {**SMALL, "snapshots": "refs"}),
    "a commit to a small table": (op.update_table, {**SMALL, "body": {"updates": []}}),
    "a commit to an absent table": (
        op.update_table,
        {**SMALL, "table": "absent", "body": {"updates": []}},
    ),
    "dropping a small table": (op.drop_table, SMALL),
}
TABLE = "/v1/namespaces/{namespace}/tables/{table}"
SCOPE = {"method": "POST", "query_string": b"", "headers": [(b"content-type", b"application/json")]}


async def arrived() -> dict[str, Any]:
    return {
        "type": "http.request",
        "body": b'{"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}',
    }


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Yield a server with a small table and one of more than a megabyte."""
    with running(warehouse="memory:") as server:
        handlers = server.service.handlers
        handlers[op.create_namespace](body={"namespace": ["n"]})
        for name, size in (("small", 1), ("large", LARGE_RECORD)):
            handlers[op.create_table](
                namespace="n",
                body={"name": name, "schema": SCHEMA, "properties": {"p": "x" * size}},
            )
        yield server


@pytest.mark.parametrize("request_", REQUESTS)
def test_long_work_gets_a_thread_before_its_handler_begins(server: Server, request_: str) -> None:
    operation, arguments = REQUESTS[request_]

    assert server.service.places[operation](**arguments) is Place.QUEUE


@pytest.mark.parametrize("request_", SHORT)
def test_short_work_runs_on_the_event_loop(server: Server, request_: str) -> None:
    operation, arguments = SHORT[request_]

    assert server.service.places[operation](**arguments) is Place.LOOP


def test_commit_to_a_large_table_runs_once(server: Server) -> None:
    threads: list[str] = []
    commit = server.service.handlers[op.update_table]

    def counted(**arguments: Any) -> Reply:
        threads.append(threading.current_thread().name)
        return commit(**arguments)

    endpoint = Endpoint(
        server.service.contract.operations[op.update_table],
        counted,
        service=server.service,
        template=TABLE,
    )

    async def answer() -> Reply:
        return await endpoint.answer(SCOPE, arrived, ("n", "large"))

    assert (asyncio.run(answer()).status, [name.rpartition("_")[0] for name in threads]) == (
        200,
        ["lakepact long calls"],
    )
