"""Hostile bodies return a 4xx error with the reason and change nothing."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server import Server
from lakepact.reference_server.iceberg_rest.offered import NOT_OFFERED
from raw_requests import Sender
from sample_tables import table_documents as td
from sample_tables.schemas import SCHEMA

SNAPSHOT = td.snapshot(1)
VERSION = td.view_version()

#: For each operation that takes a body, one that is valid; those of rename and register are about
#: what does not exist.
GOOD: dict[str, dict[str, Any]] = {
    "createNamespace": {"namespace": ["hostile-new"], "properties": {"a": "b"}},
    "updateProperties": {"removals": ["x"], "updates": {"a": "b"}},
    "createTable": {
        "name": "new",
        "schema": SCHEMA,
        "properties": {"a": "b"},
        "stage-create": False,
    },
    "registerTable": {"name": "registered", "metadata-location": "memory:/none.json"},
    "updateTable": {
        "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}],
        "updates": [
            {"action": "set-properties", "updates": {"a": "b"}},
            {"action": "add-snapshot", "snapshot": SNAPSHOT},
        ],
    },
    "renameTable": {
        "source": {"namespace": ["hostile"], "name": "missing"},
        "destination": {"namespace": ["hostile"], "name": "u"},
    },
    "commitTransaction": {
        "table-changes": [
            {
                "identifier": {"namespace": ["hostile"], "name": "t"},
                "requirements": [
                    {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}
                ],
                "updates": [
                    {"action": "set-properties", "updates": {"a": "b"}},
                    {"action": "add-snapshot", "snapshot": SNAPSHOT},
                ],
            }
        ]
    },
    "reportMetrics": {
        "report-type": "commit-report",
        "table-name": "t",
        "snapshot-id": 1,
        "sequence-number": 1,
        "operation": "append",
        "metrics": {"added-data-files": {"unit": "count", "value": 1}},
    },
    "createView": {
        "name": "new",
        "schema": SCHEMA,
        "view-version": VERSION,
        "properties": {"a": "b"},
    },
    "replaceView": {
        "requirements": [
            {"type": "assert-view-uuid", "uuid": "5f0c1c1e-0000-4000-8000-000000000000"}
        ],
        "updates": [
            {"action": "set-properties", "updates": {"a": "b"}},
            {"action": "add-view-version", "view-version": VERSION},
        ],
    },
    "planTableScan": {
        "select": ["id"],
        "filter": {
            "type": "and",
            "left": {"type": "not", "child": {"type": "in", "term": "id", "values": [1, 2]}},
            "right": {
                "type": "eq",
                "term": {"type": "transform", "transform": "bucket[4]", "term": "id"},
                "value": 3,
            },
        },
        "case-sensitive": True,
        "use-snapshot-schema": False,
        "stats-fields": ["id"],
    },
    "fetchScanTasks": {"plan-task": "unknown"},
    "renameView": {
        "source": {"namespace": ["hostile"], "name": "missing"},
        "destination": {"namespace": ["hostile"], "name": "u"},
    },
}
OPERATIONS = {o.id: o for o in Contract("iceberg_rest").operations.values()}
PLACES = {"/{prefix}": "", "{namespace}": "hostile", "{table}": "t", "{view}": "v"}


def _path(operation: str) -> str:
    path = OPERATIONS[operation].path
    for hole, filling in PLACES.items():
        path = path.replace(hole, filling)
    return path


PATHS = {operation: _path(operation) for operation in GOOD}
MADE = {
    "/v1/namespaces": {"namespace": ["hostile"]},
    "/v1/namespaces/hostile/tables": {"name": "t", "schema": SCHEMA},
    "/v1/namespaces/hostile/views": {
        "name": "v",
        "schema": SCHEMA,
        "view-version": VERSION,
        "properties": {},
    },
}


@pytest.fixture(scope="module")
def hostile(server: Server) -> None:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    for path, body in MADE.items():
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        connection.getresponse().read()
    connection.close()


@pytest.fixture
def unchanged(hostile: None, send: Sender) -> Iterator[None]:
    """Assert that the catalog is the same after the test as before."""
    paths = [
        "/v1/namespaces",
        "/v1/namespaces/hostile",
        *(f"/v1/namespaces/hostile/{of}" for of in ("tables", "tables/t", "views", "views/v")),
    ]
    before = [send("GET", path).body for path in paths]
    yield
    assert [send("GET", path).body for path in paths] == before


def test_every_route_that_takes_a_body_is_tried() -> None:
    assert set(GOOD) == {o.id for o in OPERATIONS.values() if o.body and o.id not in NOT_OFFERED}


RAW = {
    "empty": (b"", "the body is empty"),
    "cut off": (b'{"namespace":[', "unexpected end of data at line 1 column"),
    "array": (b"[]", "at the top: "),
    "null": (b"null", "at the top: "),
    "nothing in it": (b"{}", "is a required property"),
    "given twice": (b'{"name":"a","name":"b"}', "at the top: the member 'name' is given twice"),
    "300 arrays deep": (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", "deep"),
}


#: An update of nothing is a valid request, and so is the scan of all there is; bodies of scans may
#: be left out.
FINE = {
    ("updateProperties", "nothing in it"),
    ("planTableScan", "nothing in it"),
    ("planTableScan", "empty"),
    ("fetchScanTasks", "empty"),
}
CASES = sorted({(operation, case) for operation in GOOD for case in RAW} - FINE)


@pytest.mark.parametrize(("operation", "case"), CASES)
@pytest.mark.usefixtures("unchanged")
def test_invalid_body_returns_400_with_the_reason(send: Sender, operation: str, case: str) -> None:
    raw, why = RAW[case]
    answer = send("POST", PATHS[operation], raw)

    assert answer.error == (400, "BadRequestException")
    assert why in answer.message
    assert len(answer.message) < 2000


@pytest.mark.parametrize("operation", GOOD)
@pytest.mark.usefixtures("unchanged")
def test_a_body_of_ten_megabytes_is_413(send: Sender, operation: str) -> None:
    answer = send("POST", PATHS[operation], b'{"a":"' + b"x" * 10_000_000 + b'"}')

    assert answer.error == (413, "PayloadTooLargeException")


@pytest.mark.usefixtures("unchanged")
def test_a_body_that_grows_too_large_in_chunks_is_413(server: Server) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(
            b"POST /v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        for _ in range(9):
            connection.sendall(chunk)
        connection.sendall(b"0\r\n\r\n")
        status = connection.recv(65536).split(b" ", 2)[
            1
        ]  # the words behind it are not those of every Python

    assert status == b"413"


@pytest.mark.parametrize("operation", GOOD)
@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""],
)
@pytest.mark.usefixtures("unchanged")
def test_a_body_of_another_type_is_415(send: Sender, operation: str, content_type: str) -> None:
    answer = send("POST", PATHS[operation], GOOD[operation], content_type=content_type)

    assert answer.error == (415, "UnsupportedMediaTypeException")


@pytest.mark.usefixtures("unchanged")
def test_a_compressed_body_is_415(send: Sender) -> None:
    assert (
        send("POST", "/v1/namespaces", GOOD["createNamespace"], content_encoding="gzip").status
        == 415
    )


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/json;v=1"],
)
def test_json_content_type_with_parameters_is_accepted(
    send: Sender, content_type: str, request: pytest.FixtureRequest
) -> None:
    answer = send(
        "POST", "/v1/namespaces", {"namespace": [request.node.name]}, content_type=content_type
    )

    assert answer.status == 200


def mutated(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the place of every member of a document with each of several wrong values."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield from mutated(value, (*path, name))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from mutated(value, (*path, index))
    for wrong in (5, 1.5, 10**30, True, "irc", [], [[]], {}, {"irc": {}}, None, -1, "", "x" * 5000):
        yield path, wrong


def with_member(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    copied = json.loads(json.dumps(document))
    if not path:
        return value
    at = copied
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return copied


@pytest.mark.parametrize("operation", sorted(set(GOOD) - {"createNamespace", "updateProperties"}))
def test_no_wrong_member_is_an_error_of_the_server(
    send: Sender, hostile: None, operation: str
) -> None:
    mutants = [
        with_member(GOOD[operation], path, wrong) for path, wrong in mutated(GOOD[operation])
    ]
    failed = [
        (mutant, answer.status)
        for mutant in mutants
        if (answer := send("POST", PATHS[operation], mutant)).status >= 500
    ]

    assert failed == []
