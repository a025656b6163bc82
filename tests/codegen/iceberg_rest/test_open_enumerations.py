"""Enumerations of models take values of later versions, except those that tell alternatives
apart.
"""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import models

OPEN = ("SortDirection", "NullOrder", "FileFormat", "PlanStatus", "TokenType")


@pytest.mark.parametrize("name", OPEN)
def test_enumeration_of_the_contract_stays_closed(name: str) -> None:
    schema = Contract("iceberg_rest").schemas["components"]["schemas"][name]

    assert (schema["type"], "anyOf" in schema, len(schema["enum"]) > 1) == ("string", False, True)


@pytest.mark.parametrize("name", OPEN)
def test_unknown_value_of_an_enumeration_is_read(name: str) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(models, name))

    assert adapter.validate_python("later") == "later"
    with pytest.raises(ValidationError):
        adapter.validate_python(1)


@pytest.mark.parametrize(
    ("union", "document"),
    [
        (models.Expression, {"type": "like", "term": "a", "value": "b"}),
        (models.TableUpdate, {"action": "rename-table"}),
        (models.DeleteFile, {"content": "vector-deletes"}),
        (models.FetchPlanningResult, {"status": "paused"}),
    ],
)
def test_unknown_alternative_is_invalid(union: Any, document: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="does not match any of the expected tags"):
        TypeAdapter(union).validate_python(document)
