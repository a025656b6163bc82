"""The table of what broken requirements do to clients, against its schema, the registry and the
mutants.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from impact.table import candidates, listed
from lakepact.conformance.programs.everyday.outcomes import difference, is_clear
from lakepact.generated.contract import Contract
from mutants import faults

SPECS = Path(__file__).parents[2] / "specs"
TABLE: dict[str, Any] = json.loads((SPECS / "impact" / "iceberg_rest.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(json.loads((SPECS / "impact.schema.json").read_text("utf-8")))


def test_table_is_valid_by_its_schema() -> None:
    assert [error.message for error in VALIDATOR.iter_errors(TABLE)] == []


def test_each_requirement_is_a_must_of_servers_that_its_mutant_breaks() -> None:
    demanded, known = (
        Contract(TABLE["contract"], TABLE["version"]).requirements,
        faults(TABLE["contract"], TABLE["version"]),
    )

    for name, entry in TABLE["requirements"].items():
        assert (demanded[name].level, demanded[name].side) == ("MUST", "server")
        assert name in known[entry["mutant"]].breaks


def test_table_measures_at_least_300_requirements_and_six_clients() -> None:
    assert len(TABLE["requirements"]) >= 300
    assert len(TABLE["clients"]) >= 6


def test_each_requirement_has_an_outcome_of_each_client() -> None:
    missing = {
        name: set(TABLE["clients"]) - set(entry["clients"])
        for name, entry in TABLE["requirements"].items()
    }

    assert {name: clients for name, clients in missing.items() if clients} == {}


@pytest.mark.parametrize(
    "outcome",
    [{"outcome": "wrong"}, {"outcome": "works", "task": "read-rows"}, {"outcome": "broken"}],
)
def test_incomplete_or_unknown_outcome_is_invalid(outcome: dict[str, str]) -> None:
    clients = {"pyiceberg": outcome}

    assert not VALIDATOR.is_valid(
        {**TABLE, "requirements": {"IRC-TBL-LOAD-001": {"mutant": "m", "clients": clients}}}
    )


@pytest.mark.parametrize(
    ("error", "clear"),
    [
        ("RESTError\nReceived 404 for a table", True),
        (
            "ErrRESTError\ncannot unmarshal number into Go struct field configResponse.defaults of type string",
            True,
        ),
        ("ValidationError\n1 validation error for ConfigResponse\nendpoints\n  Value error", True),
        ("IllegalArgumentException\nCannot parse missing string: prefix", True),
        ("IllegalArgumentException\nCurrent snapshot ID does not match main branch", True),
        ("CommitFailedError\norders was changed", True),
        ("ErrRESTError\nREST error", False),
        ('Unexpected\nFailed to parse {"metadata-location": null}', False),
        ("TypeError\nCannot read properties of undefined (reading 'table-uuid')", False),
    ],
)
def test_error_is_clear_if_it_names_the_matter(error: str, *, clear: bool) -> None:
    assert is_clear(error, ["orders"]) == clear


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ([{"id": 1, "data": "a"}], [], "0 rows instead of 1"),
        ({"uuid": "uuid 1"}, {"uuid": "abc"}, "an unknown one instead of uuid 1 at /uuid"),
        (["a"], [], '[] instead of ["a"]'),
    ],
)
def test_difference_shows_the_first_place(expected: Any, actual: Any, shown: str) -> None:
    assert difference(expected, actual) == shown


def test_listed_mutant_is_the_one_that_hurts_most() -> None:
    requirement, (first, second, *_) = next(
        (name, mutants) for name, mutants in candidates().items() if len(mutants) > 1
    )
    about = {"requirement": requirement, "client": "pyiceberg"}
    lines = [
        {**about, "mutant": first, "outcome": "works"},
        {**about, "mutant": second, "outcome": "wrong", "task": "t", "detail": "d"},
    ]

    assert listed(lines)[requirement]["mutant"] == second
    assert (
        listed([*lines, {**lines[0], "client": "duckdb"}])[requirement]["mutant"] == first
    )  # measured with more clients
