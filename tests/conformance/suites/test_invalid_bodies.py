"""Invalid bodies come from the schema: each required member is missing once, each value has every
other JSON type.
"""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.conformance.evidence.outcome import Mutation
from lakepact.conformance.judging.invalid_bodies import InvalidBodies
from lakepact.generated.contract import Contract

UPDATE = {"action": "set-properties", "updates": {"a": "1"}}
CHANGE = {"identifier": {"namespace": ["n"], "name": "t"}, "requirements": [], "updates": [UPDATE]}
BODY: dict[str, Any] = {"table-changes": [CHANGE]}


@pytest.fixture(scope="module")
def invalid() -> InvalidBodies:
    """Return the invalid bodies of Iceberg REST."""
    return InvalidBodies(Contract("iceberg_rest"))


def test_required_members_at_every_depth_are_left_out(invalid: InvalidBodies) -> None:
    places = [
        mutation.at for mutation, _ in invalid.without_members("CommitTransactionRequest", BODY)
    ]

    change = "/table-changes/0"
    assert sorted(places) == sorted(
        [
            "/table-changes",
            *(
                f"{change}/{member}"
                for member in ("requirements", "updates", "identifier/namespace", "identifier/name")
            ),
            *(f"{change}/updates/0/{member}" for member in ("action", "updates")),
        ]
    )


def test_value_has_every_other_json_type(invalid: InvalidBodies) -> None:
    kinds = [
        m.kind
        for m, _ in invalid.of_wrong_types("CommitTransactionRequest", BODY)
        if m.at == "/table-changes/0/identifier/name"
    ]

    assert kinds == ["as boolean", "as number", "as array", "as object"]


def test_mutant_differs_in_one_place(invalid: InvalidBodies) -> None:
    mutants = dict(invalid.of_wrong_types("CommitTransactionRequest", BODY))

    expected = {"table-changes": [{**CHANGE, "requirements": "lakepact"}]}
    assert mutants[Mutation("as string", "/table-changes/0/requirements")] == expected
