"""Every request reaches its operation or gets an error in the contract's form."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server import Server
from lakepact.reference_server.app import service
from lakepact.reference_server.http.service import Service, Unanswered
from lakepact.reference_server.iceberg_rest.offered import NOT_OFFERED
from lakepact.reference_server.settings import Settings
from raw_connections import sent
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA

OPERATIONS = Contract("iceberg_rest").operations.values()


def filled(template: str) -> str:
    path = template.replace("/{prefix}", "")
    for operation in OPERATIONS:
        for parameter in operation.parameters:
            path = path.replace(f"{{{parameter.name}}}", "irc_missing")
    return path


@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if o.id in NOT_OFFERED], ids=lambda o: o.id
)
def test_operation_that_is_not_offered_returns_406(send: Sender, operation: Any) -> None:
    answer = send(operation.method, filled(operation.path))

    assert answer.status == 406
    assert operation.method == "HEAD" or answer.error == (406, "UnsupportedOperationException")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/namespaces", "GET, POST"),
        ("HEAD", "/v1/namespaces", "GET, POST"),
        ("OPTIONS", "/v1/config", "GET"),
        ("PATCH", "/v1/namespaces/a/tables/t", "DELETE, GET, HEAD, POST"),
        ("GET", "/v1/tables/rename", "POST"),
    ],
)
def test_unsupported_method_returns_405_with_allow(
    send: Sender, method: str, path: str, allowed: str
) -> None:
    answer = send(method, path)

    assert (answer.status, answer.headers["allow"]) == (405, allowed)
    assert method == "HEAD" or answer.error == (405, "MethodNotAllowedException")


@pytest.mark.parametrize(
    "name", ["a/b", "a b", "a+b", "a%41", "a.b", "é", "🜁 ̈", "a?b#c", "'\"\\", "a%2Fb", "%", "~"]
)
def test_any_name_is_found_again_under_its_path(send: Sender, name: str) -> None:
    send("POST", "/v1/namespaces", {"namespace": [name]})
    namespace = f"/v1/namespaces/{quote(name, safe='')}"
    created = send("POST", f"{namespace}/tables", {"name": name, "schema": SCHEMA})

    loaded = send("GET", f"{namespace}/tables/{quote(name, safe='')}")
    assert (created.status, loaded.body) == (200, created.body)
    assert send("GET", namespace).document["namespace"] == [name]


def test_answer_to_a_browser_is_json(send: Sender) -> None:
    answer = send("GET", "/v1/config", Accept="text/html")

    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "path",
    ["/v1/namespaces/irc_missing", "/v1/namespaces/head", "/v1/namespaces/%", "/v1/namespaces"],
)
def test_head_sends_no_body_and_the_connection_goes_on(
    server: Server, send: Sender, path: str
) -> None:
    send("POST", "/v1/namespaces", {"namespace": ["head"]})
    first = f"HEAD {path} HTTP/1.1\r\nHost: x\r\n\r\n"
    more = "GET /v1/config HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    head, rest = sent(server.url, f"{first}{more}".encode()).split(b"\r\n\r\n", 1)

    assert b"content-type" not in head.lower()
    assert rest.startswith(b"HTTP/1.1 200 OK\r\n")


def test_204_has_neither_body_nor_content_headers(send: Sender, namespace: str) -> None:
    answer = send("DELETE", f"/v1/namespaces/{namespace}")

    assert (answer.status, answer.headers, answer.body) == (204, {}, b"")


def test_a_page_refuses_in_the_contracts_form(send: Sender) -> None:
    assert send("POST", "/healthz", {}).error == (405, "MethodNotAllowedException")


def test_operation_without_handler_keeps_the_server_from_starting() -> None:
    made = service("iceberg_rest", Settings())
    handlers = {id_: handler for id_, handler in made.handlers.items() if id_ != "loadTable"}

    with pytest.raises(Unanswered, match="no handler for loadTable"):
        Service(made.contract, handlers, made.unavailable, made.error_body, made.kinds, made.paths)


def test_with_a_prefix_only_paths_with_it_are_served() -> None:
    with serving(warehouse="memory:", prefix="my/cat%20alog") as send:
        prefix = send("GET", "/v1/config").document["overrides"]["prefix"]
        statuses = [
            send("GET", f"/v1/{prefix}/namespaces").status,
            send("GET", "/v1/namespaces").status,
        ]

    assert (prefix, statuses) == ("my/cat%20alog", [200, 404])


def test_internal_error_returns_500_with_only_the_incident_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving(warehouse="memory:") as send:
        send.server.service.rules.replace("page", lambda *_, **__: 1 // 0)
        answer = send("GET", "/v1/namespaces")

    incident = answer.message.rpartition(" ")[2]
    assert answer.error == (500, "InternalServerError")
    assert "ZeroDivisionError" not in answer.message
    assert incident in caplog.text
    assert "ZeroDivisionError" in caplog.text
