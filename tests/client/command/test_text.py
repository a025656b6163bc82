"""Terminal output holds no control characters, and written names parse to the same levels."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client.command.layout import table
from lakepact.client.command.names import parts, whole
from lakepact.client.command.values import as_text, csv_line
from lakepact.client.text import cut, json_line, plain, width

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
ANY = st.text(st.characters(codec=None))
LEVELS = st.lists(st.text(st.sampled_from('a."`, é'), min_size=1), min_size=1)


def acting(text):
    return [character for character in text if unicodedata.category(character) in ACTING]


@given(ANY)
def test_plain_text_holds_no_control_characters(text):
    assert acting(plain(text)) == []


@given(st.dictionaries(ANY, ANY))
def test_json_line_round_trips_without_control_characters(document):
    assert json.loads(json_line(document)) == document
    assert acting(json_line(document)) == []
    assert json.loads(json_line(document, indent=2)) == document


@given(LEVELS, st.sampled_from(".,"))
def test_written_names_parse_to_the_same_levels(levels, between):
    assert parts(whole(levels, between), between) == tuple(levels)


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", '"a', '"a"b', '""'])
def test_malformed_name_raises_value_error(text):
    with pytest.raises(ValueError, match=r"empty|closed|follow"):
        parts(text)


@given(st.text(), st.integers(1, 20))
def test_cut_text_fits_the_cells(text, cells):
    assert width(cut(plain(text), cells)) <= cells


@given(st.lists(st.tuples(*[st.text("ab日 ", max_size=30)] * 4), max_size=5), st.integers(1, 60))
def test_table_lines_fit_the_terminal(rows, cells):
    assert all(
        width(line) <= cells for line in table(("one", "two", "three", "four"), rows, cells=cells)
    )


def test_columns_that_do_not_fit_are_counted():
    assert list(table(("a", "bb"), [("x" * 12, "y" * 12)], cells=16))[-1] == "(1 more columns…"


def test_null_and_empty_text_differ_in_csv():
    assert csv_line([None, "", 'a"b', 1.5, True]) == ',"","a""b",1.5,true'


def test_parts_of_values_are_json_and_bytes_hexadecimal():
    assert [as_text(value) for value in ({"a": b"\x01"}, [float("nan")], b"\xff")] == [
        '{"a": "01"}',
        '["nan"]',
        "ff",
    ]
