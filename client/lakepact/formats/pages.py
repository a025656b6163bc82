"""The pages of Parquet files, each checked before pyarrow decodes it."""

from __future__ import annotations

import struct
from bisect import bisect_right
from io import SEEK_END
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lakepact.formats.limits import TooLarge, Unreadable
from lakepact.formats.thrift import FALSE, I32, STRUCT, Fields, Reader, skip_numbers

if TYPE_CHECKING:
    from lakepact.formats.limits import Limit

#: The bytes that the rows of a batch may have.
MOST_BATCH = 32 << 20
#: The bytes of a column chunk that are fetched at once, and the most of a page header.
_FETCHED, _HEADER = 4 << 20, 16 << 20
#: The bytes at the end of a file that are fetched first; most footers are shorter.
_TAIL = 64 << 10
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
#: By kind of page, the field of the header that describes it.
_DETAILS = {_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4}
_IN_DICTIONARY, _RLE, _LENGTHS, _PREFIXES = (2, 8), 3, 6, 7
_LENGTH = struct.Struct("<I")
#: The bytes that levels and an offset take for a value in a list.
_LEVELS = 8


class Pages:
    """A Parquet file whose reads end where a page ends, so that pyarrow enters one page after the
    other.
    """

    closed = False

    def __init__(self, source: Any, limit: Limit) -> None:
        self.source, self.limit = source, limit
        #: The failure of the storage, if there was one: other errors are of the file.
        self.failure: OSError | None = None
        #: The rows of the batch that is read.
        self.rows = 1
        #: The bytes of the pages and dictionaries in memory; those of a row; those of the pages
        #: that began and ended in the batch.
        self.held = self.each = self.whole = 0
        self.batch = self._position = 0
        self._chunks: list[_Chunk] = []
        self._starts: list[int] = []
        self._tail, self._tail_start = b"", 0

    def footer(self) -> bytes:
        """Return the footer, which is read from memory then; nothing if there is none."""
        size, end = _TAIL, self.seek(0, SEEK_END)
        while True:
            self._tail_start = max(0, end - size)
            self._tail = self.fetch(self._tail_start, end - self._tail_start)
            length = int.from_bytes(self._tail[-8:-4], "little")
            if self._tail[-4:] != b"PAR1" or length + 12 > end:
                return b""
            self.limit.check(length)
            if length + 8 <= len(self._tail):
                return self._tail[-8 - length : -8]
            size = length + 8

    def open_group(self, metadata: Any, group: int) -> None:
        """Begin to read a row group, from its start."""
        self._tail = b""
        footer = metadata.row_group(group)
        chunks = [
            _Chunk(self, footer.column(n), metadata.schema.column(n), footer.num_rows or 1)
            for n in range(footer.num_columns)
        ]
        self._chunks = sorted(chunks, key=lambda chunk: chunk.start)
        self._starts = [chunk.start for chunk in self._chunks]
        if any(left.end > right.start for left, right in pairwise(self._chunks)):
            raise Unreadable("two columns of a Parquet file have the same bytes")
        self.held = self.each = 0

    def close_group(self) -> None:
        """Free the bytes of a row group now: chunks and pages refer to each other."""
        self._chunks = []

    def begin(self, rows: int) -> None:
        """Begin a batch."""
        self.rows, self.whole = rows, 0
        self.batch += 1

    def check(self) -> None:
        """Refuse a batch that takes too much memory; one of fewer rows may take less.

        Raises:
            TooLarge: It does.
        """
        size = self.rows * self.each + self.whole
        if self.rows > 1 and size > MOST_BATCH:
            raise TooLarge
        self.limit.check(size + self.held)

    def read(self, size: int) -> Any:
        """Return the next bytes, of one page at most."""
        if self._chunks:
            number = max(0, bisect_right(self._starts, self._position) - 1)
            content = self._chunks[number].read(self._position, size)
        elif self._position >= self._tail_start:
            content = memoryview(self._tail)[self._position - self._tail_start :][:size]
        else:
            content = memoryview(self.fetch(self._position, size))
        self._position += len(content)
        return content

    def fetch(self, position: int, size: int) -> bytes:
        """Return bytes of the file."""
        try:
            self.source.seek(position)
            content: bytes = self.source.read(size)
        except OSError as error:
            self.failure = error
            raise
        return content

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position."""
        self._position = self.source.seek(offset, whence) if whence else offset
        return self._position

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def close(self) -> None:
        """Leave the file open: the caller opened it."""


class _Chunk:
    """The pages of a column in a row group."""

    def __init__(self, pages: Pages, footer: Any, column: Any, rows: int) -> None:
        self._pages = pages
        offsets = (footer.dictionary_page_offset, footer.data_page_offset)
        self.start = min(filter(None, offsets), default=0)
        self.end = self.start + footer.total_compressed_size
        codec = footer.compression.lower()
        self._codec = None if codec == "uncompressed" else codec
        self._is_text = column.physical_type == "BYTE_ARRAY"
        self._is_repeated = column.max_repetition_level > 0
        self._values_of_row = footer.num_values // rows + 1 if self._is_repeated else 1
        self._is_optional = column.max_definition_level > 0
        self._width = 0 if self._is_text else _WIDTHS.get(column.physical_type, column.length or 8)
        self._longest = 0
        self._page, self._next = -1, self.start
        self._entered = 0
        self._window, self._at = memoryview(b""), self.start
        self._held = self._each = self._content = 0

    def read(self, position: int, size: int) -> memoryview:
        """Return bytes of the page that is there."""
        if position == self._next < self.end:
            self._enter()
        elif not self._page <= position < self._next:
            raise Unreadable("pages of a Parquet file are not read in their order")
        return self._bytes(position, min(size, self._next - position))

    def _bytes(self, start: int, size: int) -> memoryview:
        if not self._at <= start <= start + size <= self._at + len(self._window):
            length = max(size, min(_FETCHED, self.end - start))
            self._window, self._at = memoryview(self._pages.fetch(start, length)), start
        return self._window[start - self._at :][:size]

    def _header(self) -> tuple[Fields, int]:
        """Return the header of the next page, and where its content begins."""
        for size in (1 << 10, 1 << 16, _HEADER):
            data = self._bytes(self._next, min(size, self.end - self._next))
            reader = Reader(data)
            try:
                header = reader.struct()
            except IndexError:
                continue
            if reader.position <= len(data):
                return header, self._next + reader.position
        raise Unreadable("the header of a page does not end")

    def _enter(self) -> None:
        try:
            self._enter_page(*self._header())
        except (KeyError, IndexError) as error:
            raise Unreadable("a page of a Parquet file has no valid header") from error

    def _enter_page(self, header: Fields, start: int) -> None:
        pages = self._pages
        kind, size, stored = (header[n, I32] for n in (1, 2, 3))
        if min(size, stored) < 0 or start + stored > self.end:
            raise Unreadable("a page is larger than its column")
        pages.limit.check(size)
        before = self._held + self._content, self._each
        if self._entered == pages.batch:
            pages.whole += self._content
        is_first, self._entered = self._page < 0, pages.batch
        self._page, self._next = self._next, start + stored
        self._content, self._held = 0, size + stored
        if kind == _DICTIONARY:
            self._enter_dictionary(header[7, STRUCT][1, I32], size, start, is_first=is_first)
        elif kind in _DETAILS:
            self._enter_data(kind, header[_DETAILS[kind], STRUCT], size, start)
        pages.held += self._held + self._content - before[0]
        pages.each += self._each - before[1]
        pages.check()

    def _enter_dictionary(self, count: int, size: int, start: int, *, is_first: bool) -> None:
        if not is_first or not 0 <= count <= size:
            raise Unreadable("a dictionary is not the first page of its column")
        self._pages.held += size
        if self._is_text:
            self._pages.held += 16 * count
            content = self._decode(self._bytes(start, self._next - start), size)
            self._longest = size if content is None else _longest(content)
        self._held = 0

    def _enter_data(self, kind: int, details: Fields, size: int, start: int) -> None:
        count, encoding = details[1, I32], details[2 if kind == _DATA else 4, I32]
        width = self._width
        if self._is_text and encoding in _IN_DICTIONARY:
            width = self._longest
        elif encoding in (_LENGTHS, _PREFIXES):
            self._held += 8 * count
            reader = Reader(*self._values(kind, details, size, start))
            skip_numbers(reader, count)
            if encoding == _PREFIXES:
                width = size
                skip_numbers(reader, count)
        plain = size if self._is_text and not width else 0
        self._each = max(self._each, width * self._values_of_row)
        self._content = count * (width + _LEVELS) + plain if self._is_repeated else plain

    def _values(self, kind: int, details: Fields, size: int, start: int) -> tuple[memoryview, int]:
        """Return the content of a page, and where its values begin behind the levels."""
        content, position = self._bytes(start, self._next - start), 0
        if kind == _DATA_V2:
            levels = details[5, I32] + details[6, I32]
            content = content[levels:]
            if (7, FALSE) in details:
                return content, 0
            size -= levels
        data = self._decode(content, size)
        if data is None or (kind == _DATA and details[3, I32] | details[4, I32] != _RLE):
            raise Unreadable("the lengths of a page cannot be read: write the file again")
        for has_levels in (self._is_repeated, self._is_optional) if kind == _DATA else ():
            if has_levels:
                position += 4 + int.from_bytes(data[position : position + 4], "little")
        return data, position

    def _decode(self, content: memoryview, size: int) -> memoryview | None:
        """Return the content of a page; None if pyarrow may take it for LZ4 as Hadoop writes it."""
        if self._codec is None:
            return content
        if self._codec == "lz4" and int.from_bytes(content[4:8], "big") <= len(content):
            return None
        codec: Any = "lz4_raw" if self._codec == "lz4" else self._codec
        return memoryview(pa.decompress(content, size, codec)).cast("B")


def _longest(texts: memoryview) -> int:
    """Return the length of the longest of texts that stand behind their lengths."""
    position, end, longest = 0, len(texts) - 3, 0
    length_at = _LENGTH.unpack_from
    while position < end:
        length = length_at(texts, position)[0]
        position += 4 + length
        if length > longest:  # noqa: PLR1730 - max() takes twice as long, for 100,000 texts
            longest = length
    return longest
