"""Numbers and structures in Thrift's compact protocol, as the pages of Parquet have them."""

from __future__ import annotations

from typing import Any, TypeAlias

from lakepact.formats.limits import Unreadable

#: Values of fields by number and type: a reader ignores a field of another type than it expects.
Fields: TypeAlias = dict[tuple[int, int], Any]
TRUE, FALSE, I32, STRUCT = 1, 2, 5, 12
_BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP = 3, 7, 8, 9, 10, 11
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

    def struct(self, depth: int = 0) -> Fields:
        """Return the fields of a structure; texts and collections in it are None."""
        fields: Fields = {}
        number = 0
        while (head := self.byte()) & 15:
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            key = number, head & 15
            if depth > _MOST_DEPTH or not 0 < number < 1 << 15 or key in fields:
                raise Unreadable("a header is no structure of Parquet")
            fields[key] = self._value(head & 15, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in (4, I32, 6):
            value = self.zigzag()
            if kind == I32 and not -(1 << 31) <= value < 1 << 31:
                raise Unreadable("a number has more than 32 bits")
            return value
        if kind == STRUCT:
            return self.struct(depth)
        if kind in (_LIST, _SET):
            head = self.byte()
            self._skip([head & 15], head >> 4 if head >> 4 < 15 else self.varint(), depth)
        elif kind == _MAP:
            if count := self.varint():
                head = self.byte()
                self._skip([head >> 4, head & 15], count, depth)
        else:
            length = self.varint() if kind == _BINARY else _LENGTHS[kind]
            self.position += length
        return None

    def _skip(self, kinds: list[int], count: int, depth: int) -> None:
        for _ in range(count):
            for kind in kinds:
                if kind in (TRUE, FALSE):
                    self.byte()
                else:
                    self._value(kind, depth)


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
