"""The generated tables, documents and models of the contract agree with each other."""

from __future__ import annotations

import importlib
from typing import Any

import jsonschema_rs
import pytest

from lakepact.generated.contract import Contract, Operation
from lakepact.generated.iceberg_rest import models
from lakepact.generated.iceberg_rest.errors import ERRORS
from lakepact.generated.iceberg_rest.server import Handlers

CONTRACT = Contract("iceberg_rest")
OPERATIONS = list(CONTRACT.operations.values())


def routed(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = CONTRACT.routing["paths"][operation.path][operation.method.lower()]
    return found


def bundled(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = CONTRACT.bundle["paths"][operation.path][operation.method.lower()]
    return found


def test_there_are_thirty_operations() -> None:
    assert len(OPERATIONS) == 30


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_an_operation_is_in_every_document(operation: Operation) -> None:
    assert (bundled(operation)["operationId"], routed(operation)["operationId"]) == (operation.id, operation.id)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_every_parameter_is_routed(operation: Operation) -> None:
    expected = [(p.name, p.where, p.required) for p in operation.parameters]

    assert [(p["name"], p["in"], p.get("required", False)) for p in routed(operation)["parameters"]] == expected


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.body], ids=lambda operation: operation.id)
def test_a_body_is_routed_with_its_schema(operation: Operation) -> None:
    schema = {"type": "object", "x-schema-ref": f"#/components/schemas/{operation.body}"}

    assert routed(operation)["requestBody"] == {
        "required": operation.body_required,
        "content": {operation.body_media_type: {"schema": schema}},
    }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_every_answer_is_routed_and_ranges_are_spelled_out(operation: Operation) -> None:
    statuses = set(operation.answers) - {"5XX"} | ({"500", "501", "502", "503", "504"} if "5XX" in operation.answers else set())

    assert set(routed(operation)["responses"]) == statuses


@pytest.mark.parametrize(
    "schema", sorted({a.schema for o in OPERATIONS for a in o.answers.values() if a.schema} | {o.body for o in OPERATIONS if o.body})
)
def test_a_schema_that_an_operation_names_compiles_and_has_a_model(schema: str) -> None:
    jsonschema_rs.Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": CONTRACT.bundle["components"]})

    assert hasattr(models, schema)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_an_operation_has_an_endpoint_and_a_handler(operation: Operation) -> None:
    endpoint = importlib.import_module(f"lakepact.generated.iceberg_rest.endpoints.{operation.function}")

    assert list(endpoint.ANSWERS) == sorted(operation.answers)
    assert callable(getattr(Handlers, operation.function))


def test_errors_are_those_of_the_operations() -> None:
    of_operations = {(o.id, int(a.status)): a.errors for o in OPERATIONS for a in o.answers.values() if a.errors}

    assert of_operations == ERRORS


def test_answers_to_head_have_no_body() -> None:
    assert {answer.schema for o in OPERATIONS if o.method == "HEAD" for answer in o.answers.values()} == {None}


def test_calls_are_percent_encoded_whole() -> None:
    endpoint = importlib.import_module("lakepact.generated.iceberg_rest.endpoints.load_table")

    call = endpoint.call(prefix="a/b", namespace="x\x1fy", table="ü%", snapshots="refs", if_none_match='"1"')

    assert (call.method, call.path) == ("GET", "/v1/a%2Fb/namespaces/x%1Fy/tables/%C3%BC%25")
    assert (call.query, call.headers, call.content) == ((("snapshots", "refs"),), (("If-None-Match", '"1"'),), None)


def test_a_body_is_sent_with_its_media_type() -> None:
    endpoint = importlib.import_module("lakepact.generated.iceberg_rest.endpoints.get_token")
    body = models.OAuthClientCredentialsRequest(grant_type="client_credentials", client_id="a", client_secret="b&c")

    call = endpoint.call(body=body)

    assert call.headers == (("Content-Type", "application/x-www-form-urlencoded"),)
    assert call.content == b"grant_type=client_credentials&client_id=a&client_secret=b%26c"
