"""Names reach the server unchanged or raise an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client.iceberg_rest.names import encode_namespace, levels
from lakepact.client.urls import path_segment

LEVELS = st.lists(st.text(st.characters(exclude_characters="\x1f"), min_size=1), min_size=1)


def test_string_with_dots_is_one_level():
    assert levels("a.b") == ["a.b"]


def test_tuple_and_list_are_namespaces():
    assert levels(("a", "b")) == levels(["a", "b"]) == ["a", "b"]


@given(LEVELS.filter(lambda found: found not in (["."], [".."])))
def test_encoded_namespace_splits_into_its_levels(found):
    assert encode_namespace(found).split("\x1f") == found


def test_levels_are_joined_by_the_separator_of_the_server():
    assert encode_namespace(("a", "b"), "%2E") == "a.b"


@pytest.mark.parametrize("namespace", ["", (), [], ("a", ""), ("",)])
def test_missing_or_empty_level_raises_value_error(namespace):
    with pytest.raises(ValueError, match="at least one level"):
        levels(namespace)


def test_separator_in_a_level_raises_value_error():
    with pytest.raises(ValueError, match="no level of a namespace can hold"):
        encode_namespace(("a\x1fb", "c"))


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_unaddressable_name_raises_value_error(name):
    with pytest.raises(ValueError, match="cannot be addressed by a path"):
        path_segment(name)


def test_unaddressable_namespace_raises_value_error():
    with pytest.raises(ValueError, match="cannot be addressed by a path"):
        encode_namespace("..")
