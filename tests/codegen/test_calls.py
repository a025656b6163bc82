"""The parts of a call on the wire."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from lakepact.generated.calls import form, present_parameters, segment
from lakepact.generated.wire import WireModel

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@any_of(TEXT)
def test_path_segment_round_trips(name: str) -> None:
    text = segment(name)

    assert not set(text) & set("/?#% ") - {"%"}
    assert unquote(text) == name


@pytest.mark.parametrize(
    ("value", "text"), [("a b", "a b"), (True, "true"), (False, "false"), (0, "0"), ("", "")]
)
def test_parameter_becomes_text(value: str | int, text: str) -> None:
    assert present_parameters(("name", value)) == (("name", text),)


def test_missing_parameter_is_left_out() -> None:
    assert present_parameters(("a", None), ("b", 1)) == (("b", "1"),)


@any_of(st.dictionaries(TEXT.filter(bool), TEXT.filter(bool)))
def test_form_round_trips(members: dict[str, str]) -> None:
    assert dict(parse_qsl(form(WireModel.model_validate(members)).decode())) == members
