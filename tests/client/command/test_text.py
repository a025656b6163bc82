"""Text of others stands on a terminal and does nothing to it; names that are written are read as they were meant."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client.command.layout import table
from lakepact.client.command.names import parts, whole
from lakepact.client.command.text import cut, json_line, plain, width
from lakepact.client.command.values import as_text, csv_line

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
ANY = st.text(st.characters(codec=None))
LEVELS = st.lists(st.text(st.sampled_from('a."`, é'), min_size=1), min_size=1)


def acting(text):
    return [character for character in text if unicodedata.category(character) in ACTING]


@given(ANY)
def test_nothing_in_plain_text_acts(text):
    assert acting(plain(text)) == []


@given(st.dictionaries(ANY, ANY))
def test_json_says_the_same_and_nothing_in_it_acts(document):
    assert json.loads(json_line(document)) == document
    assert acting(json_line(document)) == []
    assert json.loads(json_line(document, indent=2)) == document


@given(LEVELS, st.sampled_from(".,"))
def test_names_are_read_as_they_are_written(levels, between):
    assert parts(whole(levels, between), between) == tuple(levels)


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", '"a', '"a"b', '""'])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(ValueError, match=r"empty|closed|follow"):
        parts(text)


@given(st.text(), st.integers(1, 20))
def test_text_is_cut_to_the_cells_that_there_are(text, cells):
    assert width(cut(plain(text), cells)) <= cells


@given(st.lists(st.tuples(*[st.text("ab日 ", max_size=30)] * 4), max_size=5), st.integers(1, 60))
def test_no_line_of_a_table_is_wider_than_the_terminal(rows, cells):
    assert all(width(line) <= cells for line in table(("one", "two", "three", "four"), rows, cells=cells))


def test_columns_that_do_not_fit_are_named():
    assert list(table(("a", "bb"), [("x" * 12, "y" * 12)], cells=16))[-1] == "(1 more columns…"


def test_null_and_empty_text_differ_in_csv():
    assert csv_line([None, "", 'a"b', 1.5, True]) == ',"","a""b",1.5,true'


def test_parts_of_values_are_json_and_bytes_hexadecimal():
    assert [as_text(value) for value in ({"a": b"\x01"}, [float("nan")], b"\xff")] == ['{"a": "01"}', '["nan"]', "ff"]
