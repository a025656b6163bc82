"""Light models of items cannot be told from whole ones."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from lakepact.generated.iceberg_rest.models import Snapshot, SortOrder, StructField, TableIdentifier
from lakepact.generated.light import light

SNAPSHOT = {
    "snapshot-id": 1,
    "timestamp-ms": 2,
    "manifests": ["a"],
    "summary": {"operation": "append", "rows": "3"},
    "of-others": [1],
}
DOCUMENTS: list[tuple[type[BaseModel], dict[str, Any]]] = [
    (TableIdentifier, {"namespace": ["a", "b.c"], "name": "t", "of-others": {"x": None}}),
    (Snapshot, SNAPSHOT),
    (Snapshot, {"snapshot-id": 1, "timestamp-ms": 2, "parent-snapshot-id": None, "summary": None}),
]


def pair(kind: type[BaseModel], document: dict[str, Any]) -> tuple[Any, Any]:
    """Return the light model and the whole one of a document."""
    make = light(kind)
    assert make is not None
    (item,) = make([copy.deepcopy(document)]) or [None]
    return item, kind.model_validate(document)


@pytest.mark.parametrize(("kind", "document"), DOCUMENTS)
@pytest.mark.parametrize(
    "use",
    [
        repr,
        str,
        list,
        vars,
        copy.copy,
        copy.deepcopy,
        BaseModel.model_dump_json,
        lambda model: {name: getattr(model, name) for name in type(model).model_fields},
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: (model.model_fields_set, model.model_extra),
        lambda model: (model.to_wire(), model.to_json()),
        lambda model: model.model_copy(update={"name": "u"}),
        lambda model: getattr(model, "of-others", "absent"),
        lambda model: Container(part=model, parts=[model]).model_dump(),
        lambda model: TypeAdapter(list[Any]).dump_json([model]),
    ],
)
def test_light_model_behaves_like_a_whole_one(
    kind: type[BaseModel], document: dict[str, Any], use: Any
) -> None:
    item, whole = pair(kind, document)

    assert isinstance(item, kind)
    assert use(item) == use(whole)
    assert item == whole == item
    assert type(item).__qualname__ == kind.__qualname__


class Container(BaseModel):
    """A model that no contract has."""

    part: TableIdentifier | Snapshot
    parts: list[TableIdentifier | Snapshot]


def test_light_model_refuses_changes_and_unknown_names_like_a_whole_one() -> None:
    for model in pair(TableIdentifier, {"namespace": ["a"], "name": "t"}):
        with pytest.raises(ValidationError, match="frozen"):
            model.name = "u"
        with pytest.raises(AttributeError, match="nothing"):
            _ = model.nothing
        with pytest.raises(TypeError, match="unhashable"):
            hash(model)


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=2)
    | st.lists(st.text(max_size=1) | st.integers(), max_size=2)
)


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"namespace": VALUES, "name": VALUES, "x": VALUES})
        | VALUES,
        max_size=3,
    )
)
def test_document_is_light_only_if_validation_changes_nothing(documents: list[Any]) -> None:
    make = light(TableIdentifier)
    assert make is not None

    models = make(copy.deepcopy(documents))

    if models is not None:
        assert [model.to_wire() for model in models] == documents
        assert models == [TableIdentifier.model_validate(document) for document in documents]


@pytest.mark.parametrize("kind", [SortOrder, StructField, dict, list[str], Any])
def test_types_with_other_members_have_no_light_models(kind: Any) -> None:
    assert light(kind) is None
