"""Table metadata round-trips through the generated models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.generated.iceberg_rest import models
from sample_tables.table_documents import table

FILES = sorted((Path(__file__).parent / "metadata").glob("*.json"))
LONGS = st.integers(-(2**63), 2**63 - 1)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | LONGS
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
TYPES = st.recursive(
    st.sampled_from(["long", "decimal(9,2)", "fixed[16]", "variant", "anything"]),
    lambda inner: (
        st.fixed_dictionaries(
            {
                "type": st.just("list"),
                "element-id": st.integers(1, 9),
                "element": inner,
                "element-required": st.booleans(),
            }
        )
        | st.fixed_dictionaries(
            {
                "type": st.just("map"),
                "key-id": st.integers(1, 9),
                "key": inner,
                "value-id": st.integers(1, 9),
                "value": inner,
                "value-required": st.booleans(),
            }
        )
        | st.fixed_dictionaries(
            {
                "type": st.just("struct"),
                "fields": st.lists(
                    st.fixed_dictionaries(
                        {
                            "id": st.integers(1, 9),
                            "name": st.text(),
                            "type": inner,
                            "required": st.booleans(),
                        }
                    ),
                    max_size=3,
                ),
            }
        )
    ),
    max_leaves=8,
)


def exactly(document: Any) -> str:
    """Return a document as text in which 1, 1.0 and true differ."""
    return json.dumps(document, sort_keys=True)


def there_and_back(metadata: dict[str, Any]) -> Any:
    result = models.LoadTableResult.model_validate_json(json.dumps({"metadata": metadata}))
    return json.loads(result.to_json())["metadata"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_metadata_of_every_format_version_round_trips(path: Path) -> None:
    metadata = json.loads(path.read_bytes())

    assert exactly(there_and_back(metadata)) == exactly(metadata)


@given(st.text(), JSON)
def test_unknown_members_round_trip(name: str, value: Any) -> None:
    metadata = {**table(), f"x-{name}": value}

    assert exactly(there_and_back(metadata)) == exactly(metadata)


@given(LONGS)
def test_longs_round_trip(number: int) -> None:
    metadata = {**table(), "current-snapshot-id": number, "last-sequence-number": number}

    assert exactly(there_and_back(metadata)) == exactly(metadata)


@given(TYPES)
def test_nested_types_round_trip(column_type: Any) -> None:
    field = {"id": 1, "name": "a", "required": False, "type": column_type}
    metadata = {**table(), "schemas": [{"type": "struct", "fields": [field]}]}

    assert exactly(there_and_back(metadata)) == exactly(metadata)


@given(
    st.none()
    | st.booleans()
    | LONGS
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.dates().map(str)
    | st.uuids().map(str)
)
def test_column_defaults_round_trip(value: Any) -> None:
    field = {"id": 1, "name": "a", "required": False, "type": "x", "initial-default": value}
    metadata = {**table(version=3), "schemas": [{"type": "struct", "fields": [field]}]}

    assert exactly(there_and_back(metadata)) == exactly(metadata)


def test_update_action_selects_the_class() -> None:
    document = {
        "requirements": [],
        "updates": [
            {"action": "set-location", "location": "s3://a"},
            {"action": "remove-statistics", "snapshot-id": 1},
        ],
    }

    request = models.CommitTableRequest.model_validate(document)

    assert [type(update) for update in request.updates] == [
        models.SetLocationUpdate,
        models.RemoveStatisticsUpdate,
    ]


def test_requirement_of_null_writes_null() -> None:
    requirement = models.AssertRefSnapshotId(ref="main", snapshot_id=None)

    assert requirement.to_wire() == {
        "type": "assert-ref-snapshot-id",
        "ref": "main",
        "snapshot-id": None,
    }
