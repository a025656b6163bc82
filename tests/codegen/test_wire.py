"""Properties of every generated model."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from lakepact.generated.wire import TaggedModel, WireModel


class Plain(WireModel):
    page_size: Annotated[int | None, Field(alias="page-size")] = None
    name: str | None = None


class Tagged(TaggedModel):
    kind: Literal["tagged"] = "tagged"
    order: Literal["up", "down"]
    value: int = 1


class Heir(Tagged):
    kind: Literal["heir"] = "heir"  # type: ignore[assignment]  # as generated alternatives do


@pytest.mark.parametrize(
    "document", [{}, {"name": None}, {"page-size": 0, "x-unknown": {"a": [1, None]}}]
)
def test_document_round_trips(document: dict[str, object]) -> None:
    assert Plain.model_validate(document).to_wire() == document


def test_members_can_be_given_by_their_python_names() -> None:
    assert Plain(page_size=3).to_json() == b'{"page-size":3}'


def test_default_tag_is_written() -> None:
    assert Tagged(order="up").to_wire() == {"kind": "tagged", "order": "up"}


def test_subclass_writes_its_own_tag() -> None:
    assert Heir(order="down").to_wire() == {"kind": "heir", "order": "down"}
