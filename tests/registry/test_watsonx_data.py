"""The page about watsonx.data agrees with the registry, and its example runs."""

from __future__ import annotations

import base64
import contextlib
import io
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pyiceberg.catalog import load_catalog

from faulty_servers import checked, outcomes_of
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.judging.components import Components
from lakepact.generated.contract import Contract, OperationId
from lakepact.reference_server import running
from miniatures import Answer, answer, miniature

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "watsonx_data" / "2026"
PAGE = (ROOT / "docs" / "watsonx-data.md").read_text("utf-8")
ROWS = {
    row[0]: row[1:]
    for row in (
        line.strip("| ").split(" | ")
        for line in PAGE.splitlines()
        if re.match(r"\| [CD]-\d\d \|", line)
    )
}
NAME = "watsonx_data"
CONTRACT = Contract(NAME)


COMPONENTS = Components(CONTRACT)

#: The answers that the page shows, by operation. Those of views have placeholders instead of types
#: (C-18).
EXAMPLES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("getConfig", {"overrides": {"warehouse": "s3://bucket/warehouse/"}}),
    ("listNamespaces", {"namespaces": [["namespace1"], ["namespace2"]]}),
    ("listNamespaces", {"namespaces": []}),
    (
        "createNamespace",
        {"namespace": ["namespace_name"], "properties": {"owner": "string", "created_at": "0"}},
    ),
    (
        "loadNamespaceMetadata",
        {"namespace": ["string"], "properties": {"owner": "string", "transient_lastDdlTime": "0"}},
    ),
    ("updateProperties", {"updated": ["owner"], "removed": ["foo"], "missing": ["bar"]}),
    ("listTables", {"identifiers": [{"namespace": ["namespace_name"], "name": "table_name"}]}),
    ("listTables", {"identifiers": []}),
    ("listViews", {"identifiers": [{"namespace": ["namespace_name"], "name": "table_name"}]}),
    ("listViews", {"identifiers": []}),
)
#: The error types of statuses that the page shows for every operation, and of further ones by
#: operation.
ERRORS = {
    400: "BadRequestException",
    401: "NotAuthorizedException",
    403: "NotAuthorizedException",
    419: "AuthenticationTimeoutException",
    503: "SlowDownException",
    500: "InternalServerError",
}
UNSUPPORTED, EXISTS = (406, "UnsupportedOperationException"), (409, "AlreadyExistsException")
NO_NAMESPACE, NO_TABLE = (404, "NoSuchNamespaceException"), (404, "NoSuchTableException")
NO_VIEW = (404, "NoSuchViewException")
UNKNOWN_STATE = tuple((status, "CommitStateUnknownException") for status in (500, 502, 504))
FURTHER: dict[str, tuple[tuple[int, str], ...]] = {
    "getConfig": (),
    "listNamespaces": (NO_NAMESPACE,),
    "createNamespace": (UNSUPPORTED, EXISTS),
    "loadNamespaceMetadata": (NO_NAMESPACE,),
    "dropNamespace": (NO_NAMESPACE,),
    "updateProperties": (NO_NAMESPACE, UNSUPPORTED, (422, "UnprocessableEntityException")),
    "listTables": (NO_NAMESPACE,),
    "createTable": (NO_NAMESPACE, EXISTS),
    "registerTable": (NO_NAMESPACE, EXISTS),
    "loadTable": (NO_TABLE,),
    "updateTable": (NO_TABLE, *UNKNOWN_STATE),
    "dropTable": (NO_TABLE,),
    "renameTable": (NO_TABLE, NO_NAMESPACE, UNSUPPORTED),
    "commitTransaction": (NO_TABLE, *UNKNOWN_STATE),
    "listViews": (NO_NAMESPACE,),
    "createView": (NO_NAMESPACE, EXISTS),
    "loadView": (NO_VIEW,),
    "replaceView": (NO_VIEW, *UNKNOWN_STATE),
    "dropView": (NO_VIEW,),
    "renameView": (NO_VIEW, NO_NAMESPACE, UNSUPPORTED),
}


def document(file: str) -> Any:
    return yaml.safe_load((SPEC / file).read_text("utf-8"))


def requirements_of(identifier: str) -> str:
    own = [r for r in CONTRACT.requirements.values() if r.id.startswith("WXD-")]
    return (
        ", ".join(
            sorted(
                r.id
                for r in own
                if r.difference == identifier or r.interpretation.startswith(f"{identifier}:")
            )
        )
        or "·"
    )


def test_page_lists_every_difference_and_interpretation() -> None:
    ids = [
        entry["id"]
        for entry in (
            *document("profile.yaml")["differences"],
            *document("requirements/interpretations.yaml")["interpretations"],
        )
    ]

    assert list(ROWS) == ids


@pytest.mark.parametrize(
    "interpretation",
    document("requirements/interpretations.yaml")["interpretations"],
    ids=lambda interpretation: interpretation["id"],
)
def test_interpretation_is_published_with_ruling_and_checks(interpretation: dict[str, str]) -> None:
    assert ROWS[interpretation["id"]] == [
        interpretation["problem"],
        interpretation["ruling"],
        requirements_of(interpretation["id"]),
    ]


@pytest.mark.parametrize(
    "difference", document("profile.yaml")["differences"], ids=lambda difference: difference["id"]
)
def test_difference_is_published_with_consequence_and_checks(difference: dict[str, Any]) -> None:
    assert ROWS[difference["id"]][:3] == [
        difference["sentence"],
        difference["taken"],
        requirements_of(difference["id"]),
    ]


def test_requirements_are_inherited_unless_a_difference_drops_them() -> None:
    removals = {name for difference in CONTRACT.differences.values() for name in difference.without}
    others = Contract("iceberg_rest").requirements

    assert {
        name for name in CONTRACT.requirements if not name.startswith("WXD-")
    } == others.keys() - removals


def test_inherited_requirements_are_unchanged() -> None:
    others = Contract("iceberg_rest").requirements
    inherited = [r for name, r in CONTRACT.requirements.items() if name in others]

    assert [
        r.id
        for r in inherited
        if (r.sentence, r.level, r.clause)
        != (others[r.id].sentence, others[r.id].level, others[r.id].clause)
    ] == []


def test_every_own_requirement_names_a_difference() -> None:
    assert [
        r.id
        for r in CONTRACT.requirements.values()
        if r.id.startswith("WXD-") and r.difference not in CONTRACT.differences
    ] == []


def test_patterns_of_differences_do_not_overlap() -> None:
    patterns = [
        (d["id"], pattern)
        for d in document("profile.yaml")["differences"]
        for pattern in d.get("without", ())
    ]

    assert [
        (one, other)
        for one in patterns
        for other in patterns
        if one != other and fnmatchcase(one[1], other[1])
    ] == []


@pytest.mark.parametrize(("operation", "answer"), EXAMPLES)
def test_answer_of_the_page_fits_its_schema(operation: str, answer: dict[str, Any]) -> None:
    contract_operation = CONTRACT.operations[OperationId(operation)]
    schema = contract_operation.answers[str(contract_operation.success)].schema

    assert schema is not None
    assert set(COMPONENTS.flaws(schema, answer).values()) == {None}


@pytest.mark.parametrize("operation", FURTHER)
def test_errors_of_the_page_are_documented_and_fit_their_schema(operation: str) -> None:
    contract_operation = CONTRACT.operations[OperationId(operation)]
    for status, kind in (*ERRORS.items(), *FURTHER[operation]):
        documentation = contract_operation.answer(status)
        error = {"error": {"message": "an example", "type": kind, "code": status}}

        assert documentation is not None, (operation, status)
        assert documentation.schema is not None
        assert set(COMPONENTS.flaws(documentation.schema, error).values()) == {None}


def test_configuration_of_the_page_fails_no_requirement() -> None:
    def reply(_: str, target: str, __: bytes) -> Answer:
        if target.startswith("/v1/config"):
            return answer(200, EXAMPLES[0][1])
        return answer(200, {"namespaces": []})

    with miniature(reply) as url:
        target = Target(url, parameters={"warehouse": "c"})
        by_requirement = outcomes_of(
            checked(target, "IRC-SCH-CatalogConfig", "WXD-CFG-00[1-5]", of=NAME)
        )

    assert {name for name, outcome in by_requirement.items() if outcome is not Outcome.PASS} == {
        "WXD-CFG-005"
    }
    assert by_requirement["WXD-CFG-005"] is Outcome.WARN


@pytest.fixture(scope="module", params=["", "account-id: an-account"], ids=["", "account"])
def instance(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[str]:
    """Yield the base path of an instance with the credentials of the page, also in account
    scope.
    """
    (credentials,) = re.findall(r"^```yaml\n(tokens.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    folder = tmp_path_factory.mktemp("instance")
    (folder / "credentials.yaml").write_text(credentials + request.param, "utf-8")
    with running(
        contract=NAME,
        prefix="iceberg_data",
        warehouse=str(folder / "tables"),
        credentials=folder / "credentials.yaml",
    ) as server:
        yield server.address(NAME)


def test_pyiceberg_opens_a_catalog_as_the_page_says(instance: str) -> None:
    (profile,) = re.findall(r"^```yaml\n(catalog:.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (with_key,) = re.findall(r"^```yaml\n( +auth:.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (account,) = re.findall(r"With account scope, also `(header\.\S+): ACCOUNT`", PAGE)
    with_token = yaml.safe_load(profile)["catalog"]["wxd"] | {"uri": instance, "token": "a-token"}
    if instance.endswith("/api/v1/iceberg"):
        with_token[account] = "an-account"
    key = base64.b64encode(b"hank:an-api-key").decode()
    by_key = {name: value for name, value in with_token.items() if name != "token"} | (
        yaml.safe_load(with_key.replace("BASE64", key))
    )

    for number, properties in enumerate((with_token, by_key)):
        catalog = load_catalog("wxd", **properties)
        rows = pa.table({"id": [1, 2]})
        catalog.create_namespace(f"n{number}")
        table = catalog.create_table(f"n{number}.t", rows.schema)
        table.append(rows)

        assert catalog.load_table(f"n{number}.t").scan().to_arrow() == rows


def test_example_prints_its_expected_output(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (credentials,) = re.findall(r"^```yaml\n(tokens.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "credentials.yaml").write_text(credentials, "utf-8")

    with running(
        contract="watsonx_data",
        prefix="iceberg_data",
        warehouse="memory:",
        credentials=tmp_path / "credentials.yaml",
    ) as server:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(
                compile(
                    example.replace("http://127.0.0.1:8181", server.url),
                    "watsonx-data.md",
                    "exec",
                    dont_inherit=True,
                ),
                {},
            )

    assert output.getvalue().splitlines() == re.findall(r"^#> (.*)$", example, re.MULTILINE)
