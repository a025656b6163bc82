"""Deletion vectors are decoded inline and from files; damaged vectors raise an error."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap64

from lakepact.client.delta_sharing import deletion_vectors
from lakepact.client.delta_sharing.downloads import Span
from lakepact.client.delta_sharing.lines import DeletionVector
from lakepact.client.rows.selection import Selection, numbers

MAGIC = struct.pack("<I", 1681511377)
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def z85(content: bytes) -> str:
    """Return the Z85 text of whole blocks of four bytes."""
    content += bytes(-len(content) % 4)
    words = struct.unpack(f">{len(content) // 4}I", content)
    return "".join(ALPHABET[word // 85**place % 85] for word in words for place in (4, 3, 2, 1, 0))


def inline(rows) -> DeletionVector:
    content = MAGIC + BitMap64(rows).serialize()
    return DeletionVector(
        storage_type="i",
        path_or_inline=z85(content),
        offset=None,
        size=len(content),
        cardinality=len(set(rows)),
    )


def stored(rows, at=1) -> tuple[DeletionVector, bytes]:
    content = MAGIC + BitMap64(rows).serialize()
    vector = DeletionVector(
        storage_type="p",
        path_or_inline="u",
        offset=at,
        size=len(content),
        cardinality=len(set(rows)),
    )
    return vector, struct.pack(">i", len(content)) + content + struct.pack(
        ">I", zlib.crc32(content)
    )


ROWS = st.lists(st.integers(0, 2**40), max_size=50)


@given(ROWS)
def test_inline_vector_round_trips(rows):
    vector = inline(rows)

    assert set(numbers(deletion_vectors.from_line(vector), vector.cardinality)) == set(rows)


@given(ROWS)
def test_vector_in_a_file_round_trips(rows):
    vector, content = stored(rows)

    assert set(numbers(deletion_vectors.from_file(content, vector), vector.cardinality)) == set(
        rows
    )


def test_vector_of_deltas_own_tests_is_decoded():
    """The vector comes from the tests of Delta's readers."""
    text = "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
    vector = DeletionVector(
        storage_type="i", path_or_inline=text, offset=None, size=44, cardinality=6
    )

    assert list(numbers(deletion_vectors.from_line(vector), vector.cardinality)) == [
        3,
        4,
        7,
        11,
        18,
        29,
    ]


def test_vector_span_includes_size_and_checksum():
    vector, content = stored([1], at=77)

    assert deletion_vectors.span(vector) == Span(77, len(content))


@pytest.mark.parametrize("change", ["\u00e9", "~", " ", "ab", "0"])
def test_invalid_z85_raises_value_error(change):
    vector = inline([1, 2])
    invalid = DeletionVector(
        storage_type="i",
        path_or_inline=vector.path_or_inline + change,
        offset=None,
        size=vector.size,
        cardinality=2,
    )

    with pytest.raises(ValueError, match=r"not in Z85"):
        deletion_vectors.from_line(invalid)


@given(st.data())
def test_changed_byte_in_a_file_raises_value_error(data):
    vector, content = stored([1, 5, 70_000])
    place = data.draw(st.integers(0, len(content) - 1))
    invalid = bytearray(content)
    invalid[place] ^= data.draw(st.integers(1, 255))

    with pytest.raises(ValueError, match="deletion vector"):
        numbers(deletion_vectors.from_file(invalid, vector), vector.cardinality)


@pytest.mark.parametrize("length", [0, 3, 4, 20])
def test_truncated_file_raises_value_error(length):
    vector, content = stored([1, 5])

    with pytest.raises(ValueError, match="deletion vector"):
        deletion_vectors.from_file(content[:length], vector)


def test_unknown_magic_number_raises_value_error():
    bitmap = struct.pack("<I", 1681511376) + BitMap64([1]).serialize()
    vector = DeletionVector(
        storage_type="i", path_or_inline=z85(bitmap), offset=None, size=len(bitmap), cardinality=1
    )

    with pytest.raises(ValueError, match="begins with 1681511376, not with 1681511377"):
        deletion_vectors.from_line(vector)


def test_wrong_cardinality_raises_value_error():
    vector = inline([1, 2])

    with pytest.raises(ValueError, match="holds 2 rows, and the line says 3"):
        numbers(deletion_vectors.from_line(vector), 3)


@pytest.mark.parametrize(
    "change", [{"storage_type": "x"}, {"offset": None}, {"offset": -1}, {"size": -1}]
)
def test_vector_without_a_location_raises_value_error(change):
    members = {
        "storage_type": "p",
        "path_or_inline": "u",
        "offset": 1,
        "size": 10,
        "cardinality": 1,
    } | change

    with pytest.raises(ValueError, match="deletion vector"):
        deletion_vectors.span(DeletionVector(**members))


@given(st.integers(1, 300), st.integers(0, 300), st.data())
def test_selection_keeps_the_difference_of_two_vectors(count, start, data):
    rows = st.none() | st.sets(st.integers(0, start + count))
    only, but_not = data.draw(rows), data.draw(rows)
    bitmaps = [None if each is None else BitMap64(each) for each in (only, but_not)]

    mask = Selection(*bitmaps).mask(count, start)

    selection = (
        set(range(start, start + count))
        if mask is None
        else {start + row for row, is_selected in enumerate(mask.to_pylist()) if is_selected}
    )
    rows = set(range(start, start + count))
    assert selection == (rows if only is None else rows & only) - (but_not or set())


def test_row_number_beyond_the_file_raises_value_error():
    with pytest.raises(ValueError, match="names row 10 of a file that has 10"):
        Selection(but_not=BitMap64([10])).within(10)
