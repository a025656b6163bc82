"""Names reach the server unchanged or raise an error."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog
from lakepact.client.iceberg_rest.names import encode_namespace, levels, table_identifier
from lakepact.generated.iceberg_rest.models import TableIdentifier
from lakepact.reach.urls import path_segment

LEVELS = st.lists(st.text(st.characters(exclude_characters="\x1f"), min_size=1), min_size=1)


def test_string_is_split_at_its_dots_and_parts_are_not():
    assert levels("a.b") == ["a", "b"]
    assert levels(("a.b", "c")) == levels(["a.b", "c"]) == ["a.b", "c"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("n.t", (["n"], "t")),
        ("a.b.t", (["a", "b"], "t")),
        (("n", "t"), (["n"], "t")),
        (("a", "b", "t"), (["a", "b"], "t")),
        (["a", "b", "t"], (["a", "b"], "t")),
        ((("a", "b"), "t"), (["a", "b"], "t")),
        (("a.b", "c.t"), (["a.b"], "c.t")),
        (TableIdentifier(namespace=["a.b", "c"], name="t"), (["a.b", "c"], "t")),
    ],
)
def test_every_form_names_a_table(table, expected):
    assert table_identifier(table) == expected


@pytest.mark.parametrize(
    "table", ["t", "", ".t", "n.", "a..t", ("t",), (), ("", "t"), ((), "t"), ("n", ""), 3, None]
)
def test_name_without_two_parts_raises_value_error(table):
    with pytest.raises(
        ValueError, match=r"a table is named \"namespace.name\"|cannot be addressed"
    ):
        table_identifier(table)


@given(LEVELS.filter(lambda names: names not in (["."], [".."])))
def test_encoded_namespace_splits_into_its_levels(names):
    assert encode_namespace(names).split("\x1f") == names


def test_levels_are_joined_by_the_separator_of_the_server():
    assert encode_namespace(("a", "b"), "%2E") == "a.b"


@pytest.mark.parametrize(
    ("use", "name", "complaint"),
    [
        *((levels, name, "at least one level") for name in ("", (), [], ("a", ""), ("",))),
        *((path_segment, name, "cannot be addressed by a path") for name in ("", ".", "..")),
        (encode_namespace, ("..",), "cannot be addressed by a path"),
        (encode_namespace, ("a\x1fb", "c"), "no level of a namespace can hold"),
    ],
)
def test_unaddressable_name_raises_value_error(use, name, complaint):
    with pytest.raises(ValueError, match=complaint):
        use(name)


def test_methods_show_their_own_signatures():
    for kind in (AsyncIcebergCatalog, IcebergCatalog):
        assert list(inspect.signature(kind.load_table).parameters)[:3] == [
            "self",
            "table",
            "snapshots",
        ]
    with pytest.raises(TypeError, match="positional argument"):
        IcebergCatalog("http://127.0.0.1:1").load_table("n", "t")  # type: ignore[call-arg]
