"""Requests that read or write many records or files leave the event loop, before anything is changed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.http.workers import LARGE_RECORD, TakesLong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server import Server

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}
LARGE = {"source": {"namespace": ["n"], "name": "large"}, "destination": {"namespace": ["n"], "name": "renamed"}}
REQUESTS: dict[str, tuple[OperationId, dict[str, Any]]] = {
    "the first location that a caller chooses": (
        op.create_table,
        {"namespace": "n", "body": {"name": "t", "schema": SCHEMA, "location": "memory:/n/t"}},
    ),
    "a file that is registered": (op.register_table, {"namespace": "n", "body": {"name": "t", "metadata-location": "memory:/n/absent"}}),
    "a purge": (op.drop_table, {"namespace": "n", "table": "small", "purge_requested": True}),
    "dropping a large table": (op.drop_table, {"namespace": "n", "table": "large"}),
    "renaming a large table": (op.rename_table, {"body": LARGE}),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Yield a server with a small table and one of more than a megabyte."""
    with running(warehouse="memory:") as server:
        handlers = server.service.handlers
        handlers[op.create_namespace](body={"namespace": ["n"]})
        for name, size in (("small", 1), ("large", LARGE_RECORD)):
            handlers[op.create_table](namespace="n", body={"name": name, "schema": SCHEMA, "properties": {"p": "x" * size}})
        yield server


@pytest.mark.parametrize("request_", REQUESTS)
def test_long_work_leaves_the_event_loop_and_changes_nothing(server: Server, request_: str) -> None:
    operation, arguments = REQUESTS[request_]

    async def on_the_loop() -> None:
        server.service.handlers[operation](**arguments)

    with pytest.raises(TakesLong):
        asyncio.run(on_the_loop())
    assert sorted(i["name"] for i in server.service.handlers[op.list_tables](namespace="n").document["identifiers"]) == ["large", "small"]
