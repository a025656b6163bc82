"""U+0000 in names, and members that are given twice, get errors of the contract from every
operation.
"""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server import Server, running

VERSION = "1.12.0"
OPERATIONS = Contract("iceberg_rest", VERSION).operations
BODIES = [
    b'{"name":"a","name":"b"}',
    b'{"x":{"a":1,"a":2}}',
    b'{"namespace":["a\\u0000"]}',
    b'{"a\\u0000":1}',
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(contract="iceberg_rest", contract_version=VERSION) as server:
        yield server


def answer(server: Server, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
    """Return the status and the body of an answer, which is no page."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
    connection.request(
        method, path, body, {} if body is None else {"content-type": "application/json"}
    )
    response = connection.getresponse()
    content = response.read()
    connection.close()
    assert not content or response.getheader("content-type") == "application/json"
    return response.status, content


def bare(path: str) -> str:
    return path.replace("/{prefix}", "")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["a%00b", "%00"])
def test_nul_in_the_path_returns_an_error_of_the_contract(
    server: Server, operation: str, name: str
) -> None:
    one = OPERATIONS[operation]
    path = re.sub(r"\{[^}]+\}", name, bare(one.path))
    if path == bare(one.path):
        path = f"{path}/{name}"

    status, content = answer(server, one.method.upper(), path, b"{}" if one.body else None)

    assert 400 <= status < 500
    assert one.method.upper() == "HEAD" or json.loads(content)["error"]["code"] == status


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    "operation",
    [o.id for o in OPERATIONS.values() if o.body and o.body_media_type == "application/json"],
)
def test_body_with_nul_or_duplicates_returns_400(
    server: Server, operation: str, body: bytes
) -> None:
    one = OPERATIONS[operation]
    path = re.sub(r"\{[^}]+\}", "x", bare(one.path))

    status, content = answer(server, one.method.upper(), path, body)

    is_offered = one.id in server.service.handlers
    assert (status, json.loads(content)["error"]["code"]) == (
        (400, 400) if is_offered else (406, 406)
    )
