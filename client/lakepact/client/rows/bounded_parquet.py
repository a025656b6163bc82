"""Parquet files of others, read in batches of bounded size whatever a file claims: a few bytes can decode to gigabytes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The bytes of a batch, and of one whose rows all have the longest text of their column.
BATCH_BYTES, _LONGEST_BATCH = 8 << 20, 32 << 20
#: The bytes of a column that are fetched at once; of the start of one, whose dictionary is looked at.
_FETCHED, _START = 4 << 20, 1 << 16
#: The rows of the first batch, and the most rows of a later one: the sizes of rows may change at any row.
_FIRST_ROWS, _MOST_ROWS = 16, 2048
#: The most rows of a batch if nothing is known about the length of its texts.
_FEW_ROWS = 64
#: How much larger than the batch before it a batch may be.
_GROWTH = 4


def _size(batch: Any) -> int:
    """Return the bytes of a batch."""
    try:
        size: int = batch.nbytes
    except pa.ArrowTypeError:  # of views, as deltalake writes them
        size = batch.get_total_buffer_size()
    return size


class BoundedParquet:
    """A Parquet file.

    Attributes:
        metadata: The footer.
        schema_arrow: The columns.
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        self._file = file = self._opened(buffer_size=_FETCHED)
        self.metadata, self.schema_arrow = file.metadata, file.schema_arrow
        leaves = [file.schema.column(n).path for n in range(len(file.schema))]
        if len(set(leaves)) < len(leaves):
            raise ValueError("two columns of a Parquet file have one name")

    def _opened(self, **options: Any) -> Any:
        return pq.ParquetFile(
            self._source, pre_buffer=False, coerce_int96_timestamp_unit="us", **options
        )

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of all row groups, as tables of about `BATCH_BYTES`."""
        parts: list[Any] = []
        size = 0
        groups = (self.batches(n, columns) for n in range(self.metadata.num_row_groups))
        for batch in chain.from_iterable(groups):
            if parts and size + _size(batch) > BATCH_BYTES:
                yield pa.Table.from_batches(parts)
                parts, size = [], 0
            parts.append(batch)
            size += _size(batch)
        if parts:
            yield pa.Table.from_batches(parts)

    def batches(self, group: int, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of a row group, first a few, then as many as fit by the bytes that those before them took."""
        most = self._most_rows(group, columns)
        rows = min(_FIRST_ROWS, most)
        for batch in self._file.iter_batches(rows, [group], columns, use_threads=False):
            yield batch
            fitting = BATCH_BYTES * batch.num_rows // (_size(batch) or 1) or 1
            rows = min(rows * _GROWTH, most, fitting)
            self._file.reader.set_batch_size(rows)

    def _most_rows(self, group: int, columns: Sequence[str]) -> int:
        """Return the most rows that may all have the longest text in the dictionaries of their columns.

        One long text may stand in any number of rows, at the cost of a few bits.
        """
        footer = self.metadata.row_group(group)
        chunks = [footer.column(n) for n in range(footer.num_columns)]
        texts = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        if any("DELTA" in encoding for chunk in texts for encoding in chunk.encodings):
            return _FEW_ROWS  # a text may be the start of the one before it, at the same cost
        # Arrow refuses the encodings of the line above here, so that a footer cannot hide them.
        start = self._opened(
            buffer_size=_START,
            metadata=self.metadata,
            read_dictionary=[chunk.path_in_schema for chunk in texts],
        )
        first = next(start.iter_batches(_FIRST_ROWS, [group], columns, use_threads=False), None)
        lengths = [] if first is None else [each for one in first.columns for each in _longest(one)]
        if None in lengths:
            return _FEW_ROWS
        times = max(chunk.num_values for chunk in chunks) // (footer.num_rows or 1) + 1
        return max(1, min(_MOST_ROWS, _LONGEST_BATCH // (times * sum(filter(None, lengths)) or 1)))


def _longest(values: Any) -> Iterator[int | None]:
    """Yield the length of the longest text of each dictionary; None for one that is not read yet."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        yield pc.max(pc.binary_length(values.dictionary)).as_py()
    elif pa.types.is_struct(kind):
        for n in range(kind.num_fields):
            yield from _longest(values.field(n))
    elif isinstance(values, pa.MapArray):
        yield from chain(_longest(values.keys), _longest(values.items))
    elif pa.types.is_nested(kind):
        yield from _longest(values.values)
