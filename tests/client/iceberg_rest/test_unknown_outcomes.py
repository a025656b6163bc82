"""A change that the server answered with success, in a body that the client cannot read, has an unknown outcome."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from driving import KINDS, Driven
from lakepact.client import TableChange, errors
from lakepact.client.iceberg_rest.refusals import REFUSALS
from lakepact.generated.iceberg_rest.versions.v1_11_0.operations import OPERATIONS
from sample_tables.table_documents import table

ADDRESS = "http://catalog"
SCHEMA = {"type": "struct", "fields": []}
VERSION = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "representations": [], "default-namespace": ["n"]}
UPDATES = [{"action": "set-properties", "updates": {"a": "1"}}]
REPORT = {"report-type": "commit-report", "table-name": "t", "snapshot-id": 1, "sequence-number": 1, "operation": "append", "metrics": {}}
#: A call of each operation that changes something.
CALLS: dict[str, Any] = {
    "createNamespace": lambda catalog: catalog.create_namespace("n"),
    "dropNamespace": lambda catalog: catalog.drop_namespace("n"),
    "updateProperties": lambda catalog: catalog.update_namespace_properties("n", updates={"b": "2"}),
    "createTable": lambda catalog: catalog.create_table("n.t", SCHEMA),
    "registerTable": lambda catalog: catalog.register_table("n.t", "file:///absent"),
    "updateTable": lambda catalog: catalog.commit_table("n.t", UPDATES),
    "dropTable": lambda catalog: catalog.drop_table("n.t"),
    "renameTable": lambda catalog: catalog.rename_table("n.t", "n.u"),
    "reportMetrics": lambda catalog: catalog.report_metrics("n.t", REPORT),
    "commitTransaction": lambda catalog: catalog.commit_transaction([TableChange("n", "t", UPDATES)]),
    "createView": lambda catalog: catalog.create_view("n.v", SCHEMA, version=VERSION),
    "registerView": lambda catalog: catalog.register_view("n.v", "file:///absent"),
    "replaceView": lambda catalog: catalog.replace_view("n.v", UPDATES),
    "dropView": lambda catalog: catalog.drop_view("n.v"),
    "renameView": lambda catalog: catalog.rename_view("n.v", "n.w"),
}
#: Operations that no method of the catalog calls on its own: the client cancels plans that it leaves, and fetches tokens as credentials.
UNCALLED = {"cancelPlanning", "getToken"}
UNREADABLE = {
    "not-json": b"<html>",
    "empty": b"",
    "cut": b'{"metadata": {"format-ver',
    "null": b"null",
    "array": b"[]",
    "another-shape": b'{"namespace": 1, "metadata": {}}',
    "error": b'{"error": {"message": "no", "type": "CommitFailedException", "code": 409}}',
}


def changing() -> set[str]:
    """Return the operations that change something."""
    return {operation.id for operation in OPERATIONS.values() if operation.method in {"POST", "PUT", "DELETE"}} - REFUSALS.reads


def answering(content: bytes, **headers: str) -> httpx.MockTransport:
    """Return a server that answers every call but that for its configuration with 200 and a body."""
    endpoints = [f"{operation.method} {operation.path}" for operation in OPERATIONS.values()]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/config"):
            return httpx.Response(200, json={"defaults": {}, "overrides": {}, "endpoints": endpoints})
        return httpx.Response(200, content=content, headers=headers)

    return httpx.MockTransport(answer)


def test_every_operation_that_changes_something_is_called() -> None:
    assert set(CALLS) == changing() - UNCALLED


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("operation", CALLS)
def test_change_with_an_unreadable_reply_has_an_unknown_outcome(operation: str, body: bytes, kind: str) -> None:
    answer = OPERATIONS[operation].answers[str(OPERATIONS[operation].success)]  # type: ignore[index]
    with Driven(KINDS[kind], ADDRESS, carrier=answering(body)) as catalog:
        if answer.schema is None:  # the status says all there is to say
            assert CALLS[operation](catalog) is None
            return
        with pytest.raises(errors.OutcomeUnknown, match=re.escape("the body of the reply is not what the contract says")) as caught:
            CALLS[operation](catalog)

    assert (caught.value.operation, caught.value.status, caught.value.is_retry_safe) == (operation, 200, False)


@pytest.mark.parametrize("operation", CALLS)
def test_change_whose_reply_cannot_be_decompressed_has_an_unknown_outcome(operation: str) -> None:
    carrier = answering(b"not gzip", **{"Content-Encoding": "gzip"})
    with Driven(KINDS["sync"], ADDRESS, carrier=carrier) as catalog, pytest.raises(errors.OutcomeUnknown):
        CALLS[operation](catalog)


def test_invalid_item_in_the_reply_to_a_change_has_an_unknown_outcome() -> None:
    body = json.dumps({"metadata-location": "m", "metadata": {**table(), "snapshots": [{}]}})
    with Driven(KINDS["sync"], ADDRESS, carrier=answering(body.encode())) as catalog:
        done = catalog.commit_table("n.t", UPDATES)

    with pytest.raises(errors.OutcomeUnknown, match="snapshots/0"):
        _ = done.metadata.snapshots[0]


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_load_with_an_unreadable_reply_is_a_bad_reply(body: bytes) -> None:
    with Driven(KINDS["sync"], ADDRESS, carrier=answering(body)) as catalog, pytest.raises(errors.BadReply):
        catalog.load_table("n.t")
