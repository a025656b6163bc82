"""Messages about documents that do not follow their schema."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server.http.validation import Invalid, Validators

VALIDATORS = Validators(Contract("iceberg_rest"))


def said(schema: str, document: Any) -> str:
    with pytest.raises(Invalid) as refused:
        VALIDATORS.check(schema, document)
    return str(refused.value)


def commit(*updates: Any, requirements: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"requirements": list(requirements), "updates": list(updates)}


def column(column_type: Any) -> dict[str, Any]:
    return {
        "type": "struct",
        "fields": [{"id": 1, "name": "a", "required": False, "type": column_type}],
    }


def nested(column_type: Any, *, depth: int) -> Any:
    for element_id in range(depth):
        column_type = {
            "type": "list",
            "element-id": element_id,
            "element-required": False,
            "element": column_type,
        }
    return column_type


@pytest.mark.parametrize(
    ("schema", "document", "sentence"),
    [
        ("CommitTableRequest", commit({}), 'at /updates/0: "action" is a required property'),
        ("CommitTableRequest", commit(5), 'at /updates/0: 5 is not of type "object"'),
        (
            "CommitTableRequest",
            commit({"action": "set-location"}),
            'at /updates/0: "location" is a required property',
        ),
        (
            "RemoveSnapshotsUpdate",
            {"action": "remove-snapshots", "snapshot-ids": ["1"]},
            'at /snapshot-ids/0: "1" is not of type "integer"',
        ),
        ("Schema", column(7), 'at /fields/0/type: 7 is not of types "string", "object"'),
        (
            "Schema",
            column({"type": "set"}),
            "at /fields/0/type/type: 'set' is not one of struct, list, map",
        ),
        (
            "Schema",
            column({"type": "map", "key-id": 1, "key": "int"}),
            'at /fields/0/type: "value-id" is a required property',
        ),
        ("CreateNamespaceRequest", {"namespace": "a"}, 'at /namespace: "a" is not of type "array"'),
    ],
)
def test_a_sentence_names_the_place_and_what_is_wrong_there(
    schema: str, document: Any, sentence: str
) -> None:
    assert said(schema, document) == sentence


def test_unknown_tag_is_refused_with_the_known_tags() -> None:
    sentence = said("CommitTableRequest", commit({"action": "explode"}))

    assert sentence.startswith(
        "at /updates/0/action: 'explode' is not one of assign-uuid, upgrade-format-version, "
    )
    assert sentence.endswith(", set-partition-statistics, remove-partition-statistics")


def test_a_fault_deep_inside_is_named_where_it_is() -> None:
    sentence = said("Schema", column(nested({"type": "set"}, depth=150)))

    assert (
        sentence
        == f"at /fields/0/type{'/element' * 150}/type: 'set' is not one of struct, list, map"
    )


def test_of_many_faults_the_first_is_named() -> None:
    assert (
        said("CommitTableRequest", commit(*([{}] * 100_000)))
        == 'at /updates/0: "action" is a required property'
    )


def test_a_sentence_does_not_hold_the_whole_document() -> None:
    assert len(said("CreateNamespaceRequest", {"namespace": "a" * 100_000})) < 400


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_a_number_beyond_a_long_is_refused(number: int) -> None:
    assert f"at /updates/0/snapshot-ids/0: {number} is " in said(
        "CommitTableRequest", commit({"action": "remove-snapshots", "snapshot-ids": [number]})
    )
