"""Tests whether the columns of a data file match a schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lakepact.conformance.evidence.arrow import Schema, pa, pq
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

BYTES = frozenset({"binary", "large_binary", "binary_view"})
TEXT = frozenset({"string", "large_string", "string_view"}) | BYTES


def _is(question: str) -> Callable[[Any], bool]:
    return lambda t: bool(getattr(pa.types, question)(t))


#: Delta's type → what a Parquet file may hold it as; narrower integers fit, and what says nothing
#: of characters may be text.
FITTING: dict[str, Callable[[Any], bool]] = {
    "string": lambda t: str(t) in TEXT or pa.types.is_dictionary(t),
    "long": _is("is_integer"),
    "integer": lambda t: pa.types.is_integer(t) and t.bit_width <= 32,
    "short": lambda t: pa.types.is_integer(t) and t.bit_width <= 32,
    "byte": lambda t: pa.types.is_integer(t) and t.bit_width <= 32,
    "float": _is("is_float32"),
    "double": _is("is_floating"),
    "boolean": _is("is_boolean"),
    "binary": lambda t: str(t) in BYTES or pa.types.is_fixed_size_binary(t),
    "date": _is("is_date32"),
    "timestamp": _is("is_timestamp"),
    "timestamp_ntz": _is("is_timestamp"),
}


def stored(content: bytes) -> Schema:
    """Return the columns of a data file.

    Raises:
        Unmet: it is no Parquet file.
    """
    try:
        return pq.ParquetFile(pa.BufferReader(content)).schema_arrow
    except (pa.ArrowException, OSError) as broken:
        raise Unmet(
            "a parquet file",
            f"{len(content)} bytes starting with {expect.excerpt(content[:8])}: {broken}",
        ) from broken


def column(schema: Schema, name: str) -> Any:
    """Return the column of that name in any case, or None."""
    return next((f for f in schema if f.name == name), None) or next(
        (f for f in schema if f.name.lower() == name.lower()), None
    )


def fits(field: Mapping[str, Any], actual: Any, what: str) -> None:
    """Check that a column of a file has the type in the schema; a missing column is null.

    Raises:
        Unmet: it has another type.
    """
    if actual is not None and not _is_of(field["type"], actual.type):
        raise Unmet(f"{what} of type {_name(field['type'])}", f"{actual.type} in the file")


def _is_of(kind: Any, actual: Any) -> bool:
    if isinstance(kind, dict):
        return _is_nested(kind, actual)
    if str(kind).startswith("decimal"):
        return bool(pa.types.is_decimal(actual)) and str(kind).rstrip(")").rpartition(",")[
            2
        ].strip() == str(actual.scale)
    return bool(FITTING.get(kind, lambda _: False)(actual))


def _is_nested(kind: Mapping[str, Any], actual: Any) -> bool:
    if kind.get("type") == "struct" and pa.types.is_struct(actual):
        inner = [(f, column(list(actual), f["name"])) for f in kind["fields"]]
        return all(part is None or _is_of(f["type"], part.type) for f, part in inner)
    if kind.get("type") == "array" and (pa.types.is_list(actual) or pa.types.is_large_list(actual)):
        return _is_of(kind["elementType"], actual.value_type)
    if kind.get("type") == "map" and pa.types.is_map(actual):
        return _is_of(kind["keyType"], actual.key_type) and _is_of(
            kind["valueType"], actual.item_type
        )
    return False


def _name(kind: Any) -> str:
    return str(kind.get("type")) if isinstance(kind, dict) else str(kind)
