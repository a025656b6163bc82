"""A change that the server answered with success, in a body that the client cannot read, has an
unknown outcome.
"""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from driving import KINDS, Driven
from lakepact.client import TableChange, errors
from lakepact.client.iceberg_rest.refusals import REFUSALS
from lakepact.generated.contract import Contract
from sample_tables.table_documents import table

from .test_views import version

ADDRESS = "http://catalog"
OPERATIONS = Contract("iceberg_rest", "1.11.0").operations
SCHEMA = {"type": "struct", "fields": []}
UPDATES = [{"action": "set-properties", "updates": {"a": "1"}}]
REPORT = {
    "report-type": "commit-report",
    "table-name": "t",
    "snapshot-id": 1,
    "sequence-number": 1,
    "operation": "append",
    "metrics": {},
}
#: A call of each operation that changes something.
CALLS: dict[str, Any] = {
    "createNamespace": lambda catalog: catalog.create_namespace("n"),
    "dropNamespace": lambda catalog: catalog.drop_namespace("n"),
    "updateProperties": lambda catalog: catalog.update_namespace_properties(
        "n", updates={"b": "2"}
    ),
    "createTable": lambda catalog: catalog.create_table("n.t", SCHEMA),
    "registerTable": lambda catalog: catalog.register_table("n.t", "file:///absent"),
    "updateTable": lambda catalog: catalog.commit_table("n.t", UPDATES),
    "dropTable": lambda catalog: catalog.drop_table("n.t"),
    "renameTable": lambda catalog: catalog.rename_table("n.t", "n.u"),
    "reportMetrics": lambda catalog: catalog.report_metrics("n.t", REPORT),
    "commitTransaction": lambda catalog: catalog.commit_transaction(
        [TableChange("n", "t", UPDATES)]
    ),
    "createView": lambda catalog: catalog.create_view("n.v", SCHEMA, version=version()),
    "registerView": lambda catalog: catalog.register_view("n.v", "file:///absent"),
    "replaceView": lambda catalog: catalog.replace_view("n.v", UPDATES),
    "dropView": lambda catalog: catalog.drop_view("n.v"),
    "renameView": lambda catalog: catalog.rename_view("n.v", "n.w"),
}
#: Operations that no method of the catalog calls on its own: the client cancels plans that it
#: leaves, and fetches tokens as credentials.
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
    return {
        operation.id
        for operation in OPERATIONS.values()
        if operation.method in {"POST", "PUT", "DELETE"}
    } - REFUSALS.reads


def answering(
    content: bytes,
    *,
    status: int = 200,
    lacks: str = "",
    requests: list[httpx.Request] | None = None,
    **headers: str,
) -> httpx.MockTransport:
    """Return a server of all operations but one, which answers every call but that for its
    configuration with a status and a body.
    """
    endpoints = [
        f"{operation.method} {operation.path}"
        for operation in OPERATIONS.values()
        if operation.id != lacks
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/config"):
            return httpx.Response(
                200, json={"defaults": {}, "overrides": {}, "endpoints": endpoints}
            )
        if requests is not None:
            requests.append(request)
        return httpx.Response(status, content=content, headers=headers)

    return httpx.MockTransport(answer)


def test_every_operation_that_changes_something_is_called() -> None:
    assert set(CALLS) == changing() - UNCALLED


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("operation", CALLS)
def test_change_with_an_unreadable_reply_has_an_unknown_outcome(
    operation: str, body: bytes, kind: str
) -> None:
    answer = OPERATIONS[operation].answers[str(OPERATIONS[operation].success)]  # type: ignore[index]
    with Driven(KINDS[kind], ADDRESS, carrier=answering(body)) as catalog:
        if answer.schema is None:  # the status says all there is to say
            assert CALLS[operation](catalog) is None
            return
        with pytest.raises(
            errors.OutcomeUnknown,
            match=re.escape("the body of the reply is not what the contract says"),
        ) as exc_info:
            CALLS[operation](catalog)

    assert (exc_info.value.operation, exc_info.value.status, exc_info.value.is_retry_safe) == (
        operation,
        200,
        False,
    )


@pytest.mark.parametrize("operation", CALLS)
def test_change_whose_reply_cannot_be_decompressed_has_an_unknown_outcome(operation: str) -> None:
    carrier = answering(b"not gzip", **{"Content-Encoding": "gzip"})
    with (
        Driven(KINDS["sync"], ADDRESS, carrier=carrier) as catalog,
        pytest.raises(errors.OutcomeUnknown),
    ):
        CALLS[operation](catalog)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("operation", ["updateTable", "commitTransaction", "replaceView"])
def test_commit_answered_5xx_is_sent_once(operation: str, status: int, kind: str) -> None:
    requests: list[httpx.Request] = []
    carrier = answering(b"", status=status, requests=requests)
    with (
        Driven(KINDS[kind], ADDRESS, carrier=carrier) as catalog,
        pytest.raises(errors.OutcomeUnknown),
    ):
        CALLS[operation](catalog)

    assert len(requests) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operation", [*CALLS, "loadView"])
def test_unlisted_endpoint_is_not_requested(operation: str, kind: str) -> None:
    requests: list[httpx.Request] = []
    call = CALLS.get(operation, lambda catalog: catalog.load_view("n.v"))
    carrier = answering(b"{}", lacks=operation, requests=requests)
    with (
        Driven(KINDS[kind], ADDRESS, carrier=carrier) as catalog,
        pytest.raises(errors.OperationNotSupported) as exc_info,
    ):
        call(catalog)

    assert (exc_info.value.operation, exc_info.value.status, exc_info.value.tries, requests) == (
        operation,
        None,
        0,
        [],
    )


def test_invalid_item_in_the_reply_to_a_change_has_an_unknown_outcome() -> None:
    body = json.dumps({"metadata-location": "m", "metadata": {**table(), "snapshots": [{}]}})
    with Driven(KINDS["sync"], ADDRESS, carrier=answering(body.encode())) as catalog:
        result = catalog.commit_table("n.t", UPDATES)

    with pytest.raises(errors.OutcomeUnknown, match="snapshots/0"):
        _ = result.metadata.snapshots[0]


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_load_with_an_unreadable_reply_is_a_bad_reply(body: bytes) -> None:
    with (
        Driven(KINDS["sync"], ADDRESS, carrier=answering(body)) as catalog,
        pytest.raises(errors.BadReply),
    ):
        catalog.load_table("n.t")
