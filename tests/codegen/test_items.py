"""Arrays and maps of models are read-only, and their items are validated when they are read."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from pydantic import ValidationError

from lakepact.generated.iceberg_rest.models import (
    LoadTableResult,
    PartitionSpec,
    Snapshot,
    TableMetadata,
)
from lakepact.generated.items import Reading
from lakepact.generated.light import light
from sample_tables.table_documents import table

SNAPSHOT = {
    "snapshot-id": 1,
    "timestamp-ms": 2,
    "manifest-list": "m",
    "summary": {"operation": "append"},
}
INVALID = {**SNAPSHOT, "timestamp-ms": "soon"}
STRUCT = {"type": "struct", "fields": [{"id": 2, "name": "inner", "type": "int", "required": True}]}
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "outer", "type": STRUCT, "required": False}],
}
METADATA = {
    **table(),
    "properties": {"a": "b"},
    "schemas": [SCHEMA],
    "snapshots": [SNAPSHOT, SNAPSHOT],
}


class Broken(Exception):
    """The error of the tests' reader."""


def metadata(**members: Any) -> TableMetadata:
    """Return metadata whose arrays are read later."""
    reading = Reading(lambda error, place: Broken(f"{place}: {error.error_count()}"), light)
    return TableMetadata.model_validate(json.loads(json.dumps(METADATA | members)), context=reading)


def test_invalid_item_raises_when_it_is_read_and_not_before() -> None:
    snapshots = metadata(snapshots=[SNAPSHOT, INVALID]).snapshots
    assert snapshots

    assert snapshots[0].timestamp_ms == 2
    with pytest.raises(Broken, match="snapshots/1: 1"):
        _ = snapshots[1]
    with pytest.raises(Broken, match="snapshots/1: 1"):
        _ = snapshots[-1]


@pytest.mark.parametrize(
    "read",
    [list, lambda read: read[:1], lambda read: read == [], reversed, lambda read: None in read],
)
def test_reading_all_items_raises_for_an_invalid_one(read: Any) -> None:
    with pytest.raises(Broken, match="snapshots: 1"):
        read(metadata(snapshots=[SNAPSHOT, INVALID]).snapshots)


@pytest.mark.parametrize(
    "write",
    [TableMetadata.to_wire, TableMetadata.to_json, pickle.dumps, copy.deepcopy],
    ids=lambda f: f.__name__,
)
def test_writing_a_model_raises_for_an_invalid_item(write: Any) -> None:
    with pytest.raises(Broken):
        write(metadata(snapshots=[INVALID]))


def test_repr_with_an_invalid_item_is_their_number() -> None:
    assert repr(metadata(snapshots=[SNAPSHOT, INVALID]).snapshots) == "<2 items>"


def test_error_of_an_item_does_not_carry_the_original() -> None:
    with pytest.raises(Broken) as exc_info:
        list(metadata(snapshots=[INVALID]).snapshots)

    assert (exc_info.value.__cause__, exc_info.value.__context__) == (None, None)


def test_invalid_item_raises_at_once_without_a_reading() -> None:
    with pytest.raises(ValidationError):
        TableMetadata.model_validate(METADATA | {"snapshots": [INVALID]})


def test_array_that_is_none_raises_at_once() -> None:
    with pytest.raises(ValidationError):
        metadata(snapshots={"0": SNAPSHOT})


def test_array_read_later_equals_the_one_read_at_once() -> None:
    later, at_once = metadata(), TableMetadata.model_validate(METADATA)

    assert (later == at_once, later.to_wire(), later.snapshots) == (
        True,
        at_once.to_wire(),
        [Snapshot.model_validate(SNAPSHOT)] * 2,
    )


def test_nested_arrays_are_read_later_too() -> None:
    invalid = {
        **SCHEMA,
        "fields": [
            {
                "id": 1,
                "name": "outer",
                "type": {"type": "struct", "fields": [{}]},
                "required": False,
            }
        ],
    }
    schemas = metadata(schemas=[invalid]).schemas
    assert schemas
    inner = schemas[0].fields[0].type

    with pytest.raises(Broken, match="fields/0: 4"):
        _ = inner.fields[0]  # type: ignore[union-attr]


def test_item_is_validated_once() -> None:
    snapshots = metadata().snapshots
    assert snapshots

    assert (snapshots[0] is snapshots[0], next(iter(snapshots)) is snapshots[0]) == (True, True)


@pytest.mark.parametrize(
    "make",
    [lambda read: pickle.loads(pickle.dumps(read)), copy.deepcopy, copy.copy],
    ids=["pickle", "deep", "copy"],
)
def test_copies_are_equal(make: Any) -> None:
    assert make(metadata()) == metadata()


def test_arrays_of_a_model_are_taken_by_other_models() -> None:
    spec = PartitionSpec.model_validate(
        {"fields": [{"source-id": 1, "name": "p", "transform": "identity"}]}
    )

    assert PartitionSpec.model_validate({"fields": spec.fields}) == spec


def test_models_cannot_be_changed() -> None:
    read = metadata()

    with pytest.raises(ValidationError, match="frozen"):
        read.location = "elsewhere"  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot be changed"):
        read.properties["a"] = "c"  # type: ignore[index]
    with pytest.raises(TypeError, match="item assignment"):
        read.snapshots[0] = None  # type: ignore[index]


def test_map_is_written_as_json() -> None:
    assert json.dumps(metadata().properties) == '{"a": "b"}'


def test_names_of_python_are_not_taken_from_a_document() -> None:
    document = {"metadata": METADATA, "metadata_location": 1}

    assert (
        LoadTableResult.model_validate(
            document, context=Reading(lambda *_: Broken()), by_alias=True, by_name=False
        ).metadata_location
        is None
    )


ABSENT = (
    "properties",
    "snapshots",
    "refs",
    "snapshot-log",
    "metadata-log",
    "statistics",
    "partition-statistics",
    "encryption-keys",
)


def bare() -> dict[str, Any]:
    """Return metadata without arrays and maps that may be absent."""
    return {name: value for name, value in table().items() if name not in ABSENT}


@pytest.mark.parametrize("members", [{}, dict.fromkeys(ABSENT)], ids=["absent", "null"])
def test_arrays_and_maps_that_are_not_there_are_empty(members: dict[str, Any]) -> None:
    read = TableMetadata.model_validate({**bare(), **members})

    empty = [getattr(read, name.replace("-", "_")) for name in ABSENT]
    assert [list(each) for each in empty] == [[]] * len(ABSENT)
    with pytest.raises(TypeError, match="cannot be changed"):
        read.properties["a"] = "c"  # type: ignore[index]


def test_absent_array_is_not_written() -> None:
    assert TableMetadata.model_validate(bare()).to_wire() == bare()
