"""Generated tables, documents and models of each contract agree."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import jsonschema_rs
import pytest

from codegen.contracts import all_sources
from lakepact.generated.contract import (
    Contract,
    Operation,
    UnknownVersion,
    client_contract,
    contracts,
)

CONTRACTS = {name: Contract(name) for name in contracts()}
EVERY = [
    (contract, operation)
    for contract in CONTRACTS.values()
    for operation in contract.operations.values()
]

ENDPOINTS = [
    (name, endpoint.name)
    for name, contract in CONTRACTS.items()
    if contract.profile_of is None
    for endpoint in pkgutil.iter_modules(
        importlib.import_module(f"lakepact.generated.{name}.endpoints").__path__
    )
]

every_contract = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=str)
every_operation = pytest.mark.parametrize(
    ("contract", "operation"), [pytest.param(c, o, id=f"{c.name}-{o.id}") for c, o in EVERY]
)


def route_of(contract: Contract, operation: Operation) -> dict[str, Any]:
    document: dict[str, Any] = contract.routing["paths"][operation.path][operation.method.lower()]
    return document


def operation_of_bundle(contract: Contract, operation: Operation) -> dict[str, Any]:
    document: dict[str, Any] = contract.bundle["paths"][operation.path][operation.method.lower()]
    return document


def module(contract: Contract, name: str) -> Any:
    return importlib.import_module(f"lakepact.generated.{contract.name}.{name}")


def schemas_of(contract: Contract) -> list[str]:
    operations = contract.operations.values()
    return sorted(
        {a.schema for o in operations for a in o.answers.values() if a.schema}
        | {o.body for o in operations if o.body}
    )


def test_contracts_have_the_published_number_of_operations() -> None:
    assert {name: len(contract.operations) for name, contract in CONTRACTS.items()} == {
        "iceberg_rest": 30,
        "delta_sharing": 11,
        "watsonx_data": 23,
    }


@every_contract
def test_op_has_a_constant_for_each_operation_of_any_version(contract: Contract) -> None:
    constants = {
        name: value
        for name, value in vars(module(contract, "op")).items()
        if isinstance(value, str) and name[0] != "_"
    }

    versions = [Contract(contract.name, version) for version in contract.versions]
    assert constants == {
        o.function: o.id for version in versions for o in version.operations.values()
    }


@every_operation
def test_operation_is_in_every_document(contract: Contract, operation: Operation) -> None:
    assert {
        operation_of_bundle(contract, operation)["operationId"],
        route_of(contract, operation)["operationId"],
    } == {operation.id}


@every_operation
def test_every_parameter_is_routed(contract: Contract, operation: Operation) -> None:
    expected = [(p.name, p.where, p.required) for p in operation.parameters]

    assert [
        (p["name"], p["in"], p.get("required", False))
        for p in route_of(contract, operation)["parameters"]
    ] == expected


@pytest.mark.parametrize(
    ("contract", "operation"),
    [pytest.param(c, o, id=f"{c.name}-{o.id}") for c, o in EVERY if o.body],
)
def test_body_is_routed_with_its_schema(contract: Contract, operation: Operation) -> None:
    schema = {"type": "object", "x-schema-ref": f"#/components/schemas/{operation.body}"}

    assert route_of(contract, operation)["requestBody"] == {
        "required": operation.body_required,
        "content": {operation.body_media_type: {"schema": schema}},
    }


@every_operation
def test_every_answer_is_routed_and_5xx_is_expanded(
    contract: Contract, operation: Operation
) -> None:
    statuses = set(operation.answers) - {"5XX"} | (
        {"500", "501", "502", "503", "504"} if "5XX" in operation.answers else set()
    )

    assert set(route_of(contract, operation)["responses"]) == statuses


@pytest.mark.parametrize(
    ("contract", "schema"),
    [pytest.param(c, s, id=f"{c.name}-{s}") for c in CONTRACTS.values() for s in schemas_of(c)],
)
def test_schema_of_an_operation_compiles_and_has_a_model(contract: Contract, schema: str) -> None:
    jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{schema}", "components": contract.bundle["components"]}
    )

    base = CONTRACTS[contract.profile_of or contract.name]
    assert hasattr(module(base, "models"), schema)


@pytest.mark.parametrize(("contract", "function"), ENDPOINTS)
def test_endpoint_lists_the_answers_of_its_operation(contract: str, function: str) -> None:
    endpoint = module(CONTRACTS[contract], f"endpoints.{function}")
    (operation,) = (
        o for o in client_contract(contract).operations.values() if o.function == function
    )

    assert list(endpoint.ANSWERS) == sorted(operation.answers)
    assert getattr(endpoint, "LINES", frozenset()) == {
        a.status for a in operation.answers.values() if a.media_type == "application/x-ndjson"
    }


@every_contract
def test_answers_to_head_have_no_body(contract: Contract) -> None:
    heads = [operation for operation in contract.operations.values() if operation.method == "HEAD"]

    assert {answer.schema for operation in heads for answer in operation.answers.values()} == {None}


@every_contract
def test_every_clause_is_in_the_document_or_the_prose(contract: Contract) -> None:
    places = {
        contract.place(requirement.clause).partition("#")[0]
        for requirement in contract.requirements.values()
    }

    document = f"{contract.profile_of} openapi.yaml" if contract.profile_of else "openapi.yaml"
    assert places <= {document, contract.prose.name if contract.prose else document}


def test_prose_clause_is_shown_with_its_heading() -> None:
    assert (
        CONTRACTS["delta_sharing"].place("#list-shares") == "PROTOCOL.md#list-shares (List Shares)"
    )


def test_document_clause_is_shown_as_a_pointer() -> None:
    assert CONTRACTS["iceberg_rest"].place("/paths") == "openapi.yaml#/paths"


@every_contract
def test_other_versions_equal_those_of_the_sources(contract: Contract) -> None:
    (source,) = (source for source in all_sources() if source.name == contract.name)

    assert contract.other_versions == tuple(other.version for other in source.beside)
    assert [contract.difference(version)["to"] for version in contract.other_versions] == list(
        contract.other_versions
    )


def test_version_without_models_has_its_own_tables() -> None:
    newer = Contract("iceberg_rest", "1.11.0")

    assert newer.version == "1.11.0"
    assert newer.operations.keys() - Contract("iceberg_rest").operations.keys() == {
        "registerView",
        "signRequest",
    }
    assert "RegisterViewRequest" in newer.schemas["components"]["schemas"]
    assert {operation for _, _, operation in newer.routes} == set(newer.operations)


def test_extending_version_inherits_requirements() -> None:
    newer, older = (
        Contract("iceberg_rest", "1.11.0").requirements,
        Contract("iceberg_rest").requirements,
    )
    additions = set(Contract("iceberg_rest").difference("1.11.0")["requirements"]["added"])

    assert newer.keys() - older.keys() == additions
    assert older.keys() <= newer.keys()


def test_unknown_version_raises_with_the_known_versions() -> None:
    with pytest.raises(
        UnknownVersion, match=r"iceberg_rest 0\.9 is not known; .* 1\.10\.0, 1\.11\.0"
    ):
        Contract("iceberg_rest", "0.9")
