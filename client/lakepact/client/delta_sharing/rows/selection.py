"""Which rows of a file count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyroaring import BitMap64

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import DeletionVector


def numbers(bitmap: bytes, vector: DeletionVector) -> BitMap64:
    """Return the numbers of rows in a bitmap.

    Raises:
        ValueError: It is damaged, or holds another number of them than the line says.
    """
    try:
        read = BitMap64.deserialize(bitmap)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("the bitmap of a deletion vector is damaged") from None
    if len(read) != vector.cardinality:
        raise ValueError(
            f"a deletion vector holds {len(read)} rows, and the line says {vector.cardinality}"
        )
    return read


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows in `only`, or all where that is None, that are not in `but_not`."""

    only: BitMap64 | None = None
    but_not: BitMap64 | None = None

    def mask(self, count: int) -> Any:
        """For each of so many rows, whether it counts; None where all do.

        Raises:
            ValueError: A number is beyond the last row.
        """
        if self.only is None and self.but_not is None:
            return None
        for rows in (self.only, self.but_not):
            if rows and rows.max() >= count:
                raise ValueError(
                    f"a deletion vector names row {rows.max()} of a file that has {count}"
                )
        marks = bytearray(count) if self.only is not None else bytearray(b"\x01") * count
        for row in self.only or ():
            marks[row] = 1
        for row in self.but_not or ():
            marks[row] = 0
        return pa.Array.from_buffers(pa.uint8(), count, [None, pa.py_buffer(marks)]).cast(
            pa.bool_()
        )
