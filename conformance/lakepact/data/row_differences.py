"""The first row in which each column of a table differs from what was written."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lakepact.conformance.evidence.arrow import Array, pa, pc
from lakepact.data.shapes import Shape
from lakepact.data.truth import Version

KEY = "id"
SHOWN = 80  #: characters of a value
#: Kinds of types: the predicates of `pyarrow.types` that hold for them, and the type in which their values are compared.
KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "whole number": (("is_integer",), "int64"),
    "fraction": (("is_floating",), "float64"),
    "date": (("is_date",), "date32"),
    "text": (("is_string", "is_large_string", "is_string_view"), "large_string"),
    "bytes": (
        ("is_binary", "is_large_binary", "is_binary_view", "is_fixed_size_binary"),
        "large_binary",
    ),
}


@dataclass(frozen=True)
class Difference:
    """A column, and the first row in which it differs."""

    column: str
    row: int | None  #: the value of `id`; None where no row has one
    expected: str
    actual: str


def differences(shape: Shape, version: Version, batches: Iterable[Any]) -> list[Difference]:
    """Return the first difference of each column, and the first row that is missing, repeated or of no version.

    Args:
        shape: of the rows.
        version: the rows as they were written; each follows from its `id`.
        batches: the rows as they are now.
    """
    times = np.zeros(version.count, np.int64)
    found: dict[tuple[str, str], Difference] = {}
    for batch in batches:
        if KEY not in batch.schema.names or kind(batch.schema.field(KEY).type) != "whole number":
            return [Difference(KEY, None, "a column of whole numbers", str(batch.schema))]
        numbers = np.asarray(pc.fill_null(batch.column(KEY), -1)).astype(np.int64)
        inside = (numbers >= version.first) & (numbers < version.last)
        here = [
            ("foreign", Difference(KEY, int(number), "no row", "a row"))
            for number in np.sort(numbers[~inside])[:1]
        ]
        here += [
            ("value", one)
            for one in _values(shape, numbers[inside], batch.filter(pa.array(inside)))
        ]
        for what, one in here:
            before = found.setdefault((what, one.column), one)
            if one.row is not None and before.row is not None and one.row < before.row:
                found[what, one.column] = one
        times += np.bincount(numbers[inside] - version.first, minlength=len(times))
    wrong = [
        Difference(KEY, int(n) + version.first, "1 row", f"{times[n]} rows")
        for n in np.flatnonzero(times != 1)[:1]
    ]
    return [*wrong, *found.values()]


def _values(shape: Shape, numbers: Any, actual: Any) -> Iterator[Difference]:
    """Yield the row of the least number in which each column of a batch differs."""
    meant = shape.rows(numbers)
    for name in meant.schema.names:
        if name in actual.schema.names:
            places = np.flatnonzero(differing(meant.column(name), actual.column(name)))
            if len(places):
                place = int(places[np.argmin(numbers[places])])
                yield Difference(
                    name,
                    int(numbers[place]),
                    *_shown((meant.column(name)[place], actual.column(name)[place])),
                )


def differing(meant: Array, actual: Array) -> Any:
    """Return where values differ; those of types of two kinds always do: a date is not its number, a text not its bytes."""
    if kind(meant.type) != kind(actual.type):
        return np.ones(len(meant), bool)
    if pa.types.is_nested(meant.type):
        with contextlib.suppress(
            pa.ArrowException
        ):  # nested values of other types are compared in Python
            same = meant if isinstance(actual, pa.Array) else pa.chunked_array([meant])
            # pyarrow 23 ends the process in casts of maps.
            if "map<" not in str(meant.type) and actual.cast(meant.type).equals(same):
                return np.zeros(len(meant), bool)
        pairs = zip(meant.to_pylist(), actual.to_pylist(), strict=True)
        return np.array([repr(_plain(one)) != repr(_plain(other)) for one, other in pairs], bool)
    one, other = _comparable(meant), _comparable(actual)
    return np.asarray(pc.fill_null(pc.not_equal(one, other), False)) | (
        np.asarray(one.is_null()) != np.asarray(other.is_null())
    )


def kind(type_: Any) -> str:
    """Return the kind of a type: without its width, but with the zone of times and the kinds within nested types."""
    if pa.types.is_timestamp(type_):
        return "timestamp with zone" if type_.tz else "timestamp"
    if pa.types.is_nested(type_):
        is_struct = pa.types.is_struct(type_)
        inner = [type_.field(n) for n in range(type_.num_fields)]
        kinds = sorted(f"{field.name if is_struct else ''} {kind(field.type)}" for field in inner)
        return (
            f"{'struct' if is_struct else 'map' if pa.types.is_map(type_) else 'list'} of {kinds}"
        )
    if pa.types.is_dictionary(type_):
        return kind(type_.value_type)
    found = (
        name
        for name, (tests, _) in KINDS.items()
        if any(getattr(pa.types, test)(type_) for test in tests)
    )
    return next(found, "decimal" if pa.types.is_decimal(type_) else str(type_))


def _comparable(values: Array) -> Array:
    """Return values in the type in which those of their kind are compared."""
    if pa.types.is_timestamp(values.type):
        return values.cast(pa.timestamp("us", "UTC" if values.type.tz else None))
    name = kind(values.type)
    return values.cast(pa.type_for_alias(KINDS[name][1])) if name in KINDS else values


def _plain(value: Any) -> Any:
    """Return a nested value in one form: members and entries sorted, times with a zone in UTC."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        inner = [_plain(item) for item in value]
        return (
            sorted(inner, key=repr) if inner and isinstance(value[0], tuple) else inner
        )  # only entries of maps are tuples
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.astimezone(dt.UTC) if isinstance(value, dt.datetime) and value.tzinfo else value


def _shown(values: tuple[Any, Any]) -> Iterator[str]:
    """Yield two values as JSON where they differ, with their types if those are of two kinds."""
    texts = [
        json.dumps(
            value.as_py(),
            ensure_ascii=False,
            default=lambda one: one.hex() if isinstance(one, bytes) else str(one),
        )
        for value in values
    ]
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
    start = max(0, len(list(same)) - SHOWN // 2)
    for text, value in zip(texts, values, strict=True):
        part = (
            ("…" if start else "")
            + text[start : start + SHOWN]
            + ("…" if len(text) > start + SHOWN else "")
        )
        yield part if len({kind(one.type) for one in values}) == 1 else f"{part} ({value.type})"
