"""Numbers and structures in Thrift's compact protocol, as the pages of Parquet have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lakepact.formats.limits import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Values of fields by number and type: a reader ignores a field of another type than it expects.
Fields: TypeAlias = dict[tuple[int, int], Any]
TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT = 1, 2, 5, 6, 8, 9, 12
_BYTE, _DOUBLE, _SET, _MAP = 3, 7, 10, 11
_LENGTHS = {_BYTE: 1, _DOUBLE: 8}
_MOST_DEPTH = 8


class Reader:
    """Reads bytes from a position; `IndexError` says that they end too early."""

    def __init__(self, data: bytes | memoryview, position: int = 0) -> None:
        self.data, self.position = data, position

    def byte(self) -> int:
        """Return the next byte."""
        value = self.data[self.position]
        self.position += 1
        return value

    def varint(self) -> int:
        """Return a number of at most 64 bits."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise Unreadable("a number has more than 64 bits")

    def zigzag(self) -> int:
        """Return a number with a sign."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def fields(self, depth: int = 0) -> Iterator[tuple[int, int]]:
        """Yield number and type of each field of a structure; the caller goes behind its value."""
        if depth > _MOST_DEPTH:
            raise Unreadable("a header is no structure of Parquet")
        number = 0
        while (head := self.byte()) & 15:
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            if not 0 < number < 1 << 15:
                raise Unreadable("a header is no structure of Parquet")
            yield number, head & 15

    def struct(self, depth: int = 0) -> Fields:
        """Return the fields of a structure; texts and collections in it are None."""
        fields: Fields = {}
        for key in self.fields(depth):
            if key in fields:
                raise Unreadable("a header is no structure of Parquet")
            fields[key] = self.value(key[1], depth + 1)
        return fields

    def value(self, kind: int, depth: int = 0) -> Any:
        """Return a value; of a text or collection None."""
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in (4, I32, I64):
            value = self.zigzag()
            if kind == I32 and not -(1 << 31) <= value < 1 << 31:
                raise Unreadable("a number has more than 32 bits")
            return value
        if kind == STRUCT:
            return self.struct(depth)
        if kind in (LIST, _SET):
            self._skip(*self.items(), depth)
        elif kind == _MAP:
            if count := self.varint():
                head = self.byte()
                for _ in range(count):
                    self._skip(head >> 4, 1, depth)
                    self._skip(head & 15, 1, depth)
        else:
            length = self.varint() if kind == BINARY else _LENGTHS[kind]
            self.position += length
        return None

    def items(self) -> tuple[int, int]:
        """Return type and number of the items of a list, which follow."""
        head = self.byte()
        return head & 15, head >> 4 if head >> 4 < 15 else self.varint()

    def _skip(self, kind: int, count: int, depth: int) -> None:
        for _ in range(count):
            if kind in (TRUE, FALSE):
                self.byte()
            else:
                self.value(kind, depth)


def skip_numbers(reader: Reader, most: int) -> None:
    """Go behind numbers in the encoding DELTA_BINARY_PACKED.

    Raises:
        Unreadable: More numbers than allowed are stated.
    """
    block, parts, count, _ = (reader.varint() for _ in range(4))
    if count > most or not 0 < parts <= block:
        raise Unreadable(f"a page states {count} lengths of {most} values")
    size = block // parts
    while count > 1:
        reader.varint()
        for width in [reader.byte() for _ in range(parts)]:
            if count > 1:
                reader.position += size * width // 8
                count -= size
