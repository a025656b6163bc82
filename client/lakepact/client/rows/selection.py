"""Which rows of a file count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa
from pyroaring import BitMap64


def numbers(bitmap: bytes, cardinality: int) -> BitMap64:
    """Return the numbers of rows in a bitmap.

    Raises:
        ValueError: It is damaged, or holds another number of them than `cardinality`.
    """
    try:
        read = BitMap64.deserialize(bitmap)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("the bitmap of a deletion vector is damaged") from None
    if len(read) != cardinality:
        raise ValueError(
            f"a deletion vector holds {len(read)} rows, and the line says {cardinality}"
        )
    return read


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows in `only`, or all where that is None, that are not in `but_not`."""

    only: BitMap64 | None = None
    but_not: BitMap64 | None = None

    def within(self, count: int) -> Self:
        """Return the selection of a file with so many rows.

        Raises:
            ValueError: A number is beyond the last row.
        """
        for rows in (self.only, self.but_not):
            if rows and rows.max() >= count:
                raise ValueError(
                    f"a deletion vector names row {rows.max()} of a file that has {count}"
                )
        return self

    def mask(self, count: int, start: int = 0) -> Any:
        """For each of so many rows from the row `start` on, whether it counts; None where all
        do.
        """
        if self.only is None and self.but_not is None:
            return None
        marks = bytearray(count) if self.only is not None else bytearray(b"\x01") * count
        for mark, rows in ((1, self.only), (0, self.but_not)):
            for row in rows.iter_equal_or_larger(start) if rows else ():
                if row >= start + count:
                    break
                marks[row - start] = mark
        return pa.Array.from_buffers(pa.uint8(), count, [None, pa.py_buffer(marks)]).cast(
            pa.bool_()
        )
