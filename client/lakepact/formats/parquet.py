"""Parquet files of others, in batches whose size is that of the decoded rows, whatever a file
claims.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from lakepact.formats.footers import check_footer
from lakepact.formats.limits import TooLarge, Unreadable
from lakepact.formats.pages import MOST_BATCH, Pages

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from lakepact.formats.limits import Limit

#: The bytes of a batch, as far as the rows before it show what rows take.
BATCH_BYTES = 8 << 20
#: The rows of the first batch and the most of a later one, and how many times larger it may be.
_FIRST_ROWS, MOST_ROWS, _GROWTH = 16, 1 << 17, 16
#: The rows for which pyarrow reserves values of fixed length, however small a batch is.
_RESERVED_ROWS = 1024


class BoundedParquet:
    """A Parquet file.

    Attributes:
        metadata: The footer.
        schema_arrow: The columns.
    """

    def __init__(self, source: Any, limit: Limit) -> None:
        pages: Any = Pages(source, limit)
        self._pages: Pages = pages
        with _errors(pages):
            columns = check_footer(pages.footer())
            # Pages are read one by one; `Pages` fetches more at once.
            self._file = file = pq.ParquetFile(
                pages, pre_buffer=False, buffer_size=1, coerce_int96_timestamp_unit="us"
            )
            self.metadata, self.schema_arrow = file.metadata, file.schema_arrow
        leaves = [file.schema.column(n).path for n in range(len(file.schema))]
        if len(leaves) != columns or len(set(leaves)) < columns:
            raise Unreadable("two columns of a Parquet file have one name")

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of all row groups, as tables of about `BATCH_BYTES`."""
        parts: list[Any] = []
        size = 0
        groups = (self.batches(n, columns) for n in range(self.metadata.num_row_groups))
        for batch in chain.from_iterable(groups):
            if parts and size + size_of(batch) > BATCH_BYTES:
                yield pa.Table.from_batches(parts)
                parts, size = [], 0
            parts.append(batch)
            size += size_of(batch)
        if parts:
            yield pa.Table.from_batches(parts)

    def batches(self, group: int, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of a row group, first a few, then as many as fit by those before them.

        Raises:
            TooLarge: One row takes more bytes than the limit.
            Unreadable: The file is damaged.
        """
        rows = min(self.metadata.row_group(group).num_rows, _RESERVED_ROWS)
        self._pages.limit.check(rows * self._fixed_width(columns))
        sizes, most, position = [_FIRST_ROWS], MOST_ROWS, 0
        while True:
            try:
                for number, batch in enumerate(self._read(group, columns, sizes)):
                    if number < position:
                        continue
                    yield batch
                    position += 1
                    fitting_rows = BATCH_BYTES * batch.num_rows // (size_of(batch) or 1)
                    fitting = min(fitting_rows, MOST_BATCH // (self._pages.each or 1))
                    sizes.append(max(1, min(sizes[-1] * _GROWTH, most, fitting)))
            except TooLarge:
                if sizes[-1] == 1:
                    raise
                most = sizes[-1] = max(1, sizes[-1] // _GROWTH)
            else:
                return

    def _fixed_width(self, columns: Sequence[str]) -> int:
        """Return the bytes that a row takes in columns of fixed length."""
        leaves = [self._file.schema.column(n) for n in range(len(self._file.schema))]
        names = set(columns)
        return sum(max(leaf.length or 0, 0) for leaf in leaves if leaf.path.split(".")[0] in names)

    def _read(self, group: int, columns: Sequence[str], sizes: list[int]) -> Iterator[Any]:
        """Yield batches; the size of each may be chosen when the batch before it is there."""
        with _errors(self._pages):
            self._pages.open_group(self.metadata, group)
            self._pages.begin(sizes[0])
            read = self._file.iter_batches(sizes[0], [group], list(columns), use_threads=False)
            try:
                for number, batch in enumerate(read, 1):
                    yield batch
                    self._pages.begin(sizes[number])
                    self._file.reader.set_batch_size(sizes[number])
            finally:
                self._pages.close_group()


@contextmanager
def _errors(pages: Pages) -> Generator[None]:
    """Raise `Unreadable` in place of the errors of pyarrow, unless the storage failed."""
    try:
        yield
    except (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError) as error:
        if error is pages.failure:
            raise
        raise Unreadable(" ".join(str(error).split())) from error


def size_of(batch: Any) -> int:
    """Return the bytes of a batch."""
    try:
        size: int = batch.nbytes
    except pa.ArrowTypeError:  # of views, as deltalake writes them
        size = batch.get_total_buffer_size()
    return size
