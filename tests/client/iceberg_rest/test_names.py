"""Names reach the server as they are, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client.iceberg_rest.names import encode_namespace, levels
from lakepact.client.urls import path_segment

LEVELS = st.lists(st.text(st.characters(exclude_characters="\x1f"), min_size=1), min_size=1)


def test_a_string_is_one_level_dots_and_all():
    assert levels("a.b") == ["a.b"]


def test_any_sequence_of_levels_is_a_namespace():
    assert levels(("a", "b")) == levels(["a", "b"]) == ["a", "b"]


@given(LEVELS.filter(lambda found: found not in (["."], [".."])))
def test_what_is_joined_can_be_taken_apart(found):
    assert encode_namespace(found).split("\x1f") == found


def test_levels_are_joined_by_what_the_server_announces():
    assert encode_namespace(("a", "b"), "%2E") == "a.b"


@pytest.mark.parametrize("namespace", ["", (), [], ("a", ""), ("",)])
def test_a_namespace_without_a_level_or_with_an_empty_one_is_refused(namespace):
    with pytest.raises(ValueError, match="at least one level"):
        levels(namespace)


def test_a_level_that_holds_the_separator_is_refused():
    with pytest.raises(ValueError, match="no level of a namespace can hold"):
        encode_namespace(("a\x1fb", "c"))


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_would_reach_something_else_is_refused(name):
    with pytest.raises(ValueError, match="cannot be addressed by a path"):
        path_segment(name)


def test_a_namespace_of_one_level_that_would_reach_something_else_is_refused():
    with pytest.raises(ValueError, match="cannot be addressed by a path"):
        encode_namespace("..")
