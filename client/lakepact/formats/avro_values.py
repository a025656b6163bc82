"""The ends of values in Avro, found without making the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from lakepact.formats.limits import Unreadable

#: Returns the position behind a value of bytes; `IndexError` says that they end too early.
Behind: TypeAlias = Callable[[bytes, int], int]
_MOST = 10  #: bytes of a number


def behind(schema: Any) -> Behind:
    """Return a function that goes behind a value of a type.

    Raises:
        Unreadable: Iceberg has no such type.
    """
    if isinstance(schema, list):
        return _optional(_other(schema))
    if isinstance(schema, str):
        return _PRIMITIVES[schema]
    return _of_document(schema)


def _of_document(schema: dict[str, Any]) -> Behind:
    kind = schema["type"]
    if kind == "record":
        return _record([behind(field["type"]) for field in schema["fields"]])
    if kind == "array":
        return _items(behind(schema["items"]))
    if kind == "map":
        return _items(_record([_text, behind(schema["values"])]))
    if kind == "fixed":
        if schema["size"] < 0:
            raise Unreadable("its schema has a type of less than 0 bytes")
        return _fixed(schema["size"])
    return _PRIMITIVES[kind]


def _other(union: list[Any]) -> Behind:
    """Return the function of the type that a union has beside null."""
    if len(union) != 2 or union[0] != "null":
        raise Unreadable("its schema has a union that is not null or one type")
    return behind(union[1])


def _number(data: bytes, position: int) -> int:
    start = position
    while data[position] > 127:
        position += 1
    if position - start >= _MOST:
        raise Unreadable("a number has more than 64 bits")
    return position + 1


def _size(data: bytes, position: int) -> tuple[int, int]:
    """Return a number that has to be within the data, and the position behind it."""
    end, value = _number(data, position), 0
    for byte in reversed(data[position:end]):
        value = value << 7 | byte & 127
    value = value >> 1 ^ -(value & 1)
    if abs(value) > len(data):
        raise IndexError
    return value, end


def _text(data: bytes, position: int) -> int:
    size, position = _size(data, position)
    if size < 0:
        raise IndexError
    return position + size


def _fixed(size: int) -> Behind:
    return lambda _, position: position + size


def _optional(value: Behind) -> Behind:
    def end(data: bytes, position: int) -> int:
        if (index := data[position]) not in (0, 2):
            raise Unreadable("a union has no such type")
        return value(data, position + 1) if index else position + 1

    return end


def _record(fields: list[Behind]) -> Behind:
    def end(data: bytes, position: int) -> int:
        for field in fields:
            position = field(data, position)
        return position

    return end


def _items(item: Behind) -> Behind:
    def end(data: bytes, position: int) -> int:
        while True:
            count, position = _size(data, position)
            if count == 0:
                return position
            if count < 0:
                position = _number(data, position)
            for _ in range(abs(count)):
                position = item(data, position)

    return end


_PRIMITIVES: dict[str, Behind] = {
    "null": _fixed(0),
    "boolean": _fixed(1),
    "int": _number,
    "long": _number,
    "float": _fixed(4),
    "double": _fixed(8),
    "bytes": _text,
    "string": _text,
}
