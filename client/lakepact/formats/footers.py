"""Footers of Parquet files, checked before pyarrow shows them: it ends the process for some."""

from __future__ import annotations

from typing import Any, TypeAlias

from lakepact.formats.limits import Unreadable
from lakepact.formats.thrift import BINARY, I32, I64, LIST, STRUCT, Reader

#: The fewest bytes of a value of each leaf of the schema.
Leaves: TypeAlias = list[int]
#: The same by physical type; those of type 7 have a length of their own.
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8}
_FIXED = 7
_MOST_LEAVES = 100_000
_CODECS = range(8)
_MINIMA_AND_MAXIMA = (1, 2, 5, 6)
#: Types of items in lists of the metadata of a column, and of its statistics of sizes and places.
_LISTS = {2: I32, 3: BINARY, 8: STRUCT, 13: STRUCT}
_SIZES = {(16, STRUCT): {2: I64, 3: I64}, (17, STRUCT): {2: I32}}


def check_footer(footer: bytes) -> int:
    """Return the number of leaves of the schema of a footer.

    Raises:
        Unreadable: The column chunks of a row group do not fit the schema, are encrypted, have an
            unknown codec, or have statistics of another type.
    """
    reader, leaves = Reader(footer), Leaves()
    try:
        for key in reader.fields():
            if key == (2, LIST):
                leaves = _leaves(reader)
            elif key == (4, LIST):
                for _ in range(_structures(reader)):
                    _check_group(reader, leaves)
            else:
                _value(reader, key, {5: STRUCT, 7: STRUCT})
    except (IndexError, KeyError):
        raise Unreadable("a Parquet file has no valid footer") from None
    return len(leaves)


def _structures(reader: Reader) -> int:
    """Return the number of structures in a list; readers take its items for such, whatever it says."""
    kind, count = reader.items()
    if kind != STRUCT:
        raise Unreadable("a list of a footer has items of another type")
    return count


def _value(reader: Reader, key: tuple[int, int], lists: dict[int, int]) -> Any:
    """Return a value; items of lists that readers know have their type, as in `_structures`."""
    number, kind = key
    if kind == LIST and lists.get(number) not in (None, reader.data[reader.position] & 15):
        raise Unreadable("a list of a footer has items of another type")
    return reader.value(kind)


def _leaves(reader: Reader) -> Leaves:
    leaves = Leaves()
    for _ in range(_structures(reader)):
        element = reader.struct()
        if (1, I32) in element and not element.get((5, I32)):
            physical = element[1, I32]
            width = element.get((2, I32), 0) if physical == _FIXED else _WIDTHS.get(physical, 0)
            leaves.append(width)
        if len(leaves) > _MOST_LEAVES:
            raise Unreadable(f"a Parquet file has more than {_MOST_LEAVES} columns")
    return leaves


def _check_group(reader: Reader, leaves: Leaves) -> None:
    for key in reader.fields():
        if key != (1, LIST):
            _value(reader, key, {4: STRUCT})
            continue
        count = _structures(reader)
        if count != len(leaves):
            raise Unreadable(f"a row group has {count} columns, and the schema {len(leaves)}")
        for width in leaves:
            _check_column(reader, width)


def _check_column(reader: Reader, width: int) -> None:
    for key in reader.fields():
        if key == (3, STRUCT):
            _check_metadata(reader, width)
        elif key == (8, STRUCT):
            raise Unreadable("a column is encrypted")
        else:
            reader.value(key[1])


def _check_metadata(reader: Reader, width: int) -> None:
    for key in reader.fields():
        if key == (12, STRUCT):
            _check_statistics(reader, width)
        elif key in _SIZES:
            for inner in reader.fields():
                _value(reader, inner, _SIZES[key])
        elif (value := _value(reader, key, _LISTS)) not in _CODECS and key == (4, I32):
            raise Unreadable(f"a column has the unknown codec {value}")


def _check_statistics(reader: Reader, width: int) -> None:
    for number, kind in reader.fields():
        start = reader.position
        size = reader.varint() if kind == BINARY else 0
        reader.position = start
        reader.value(kind)
        if kind == BINARY and number in _MINIMA_AND_MAXIMA and size < width:
            raise Unreadable(f"a minimum or maximum has {size} bytes, expected {width}")
