"""The first row in which each column of a table differs from what was written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lakepact.conformance.data.digests import hashes
from lakepact.conformance.evidence.arrow import pa, pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.conformance.data.shapes import Shape
    from lakepact.conformance.data.truth import Version

KEY = "id"
SHOWN = 80  #: characters of a value


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
    times = np.zeros(version.last - version.first, np.int64)
    found: dict[tuple[str, str], Difference] = {}

    def keep(what: str, difference: Difference) -> None:
        before = found.setdefault((what, difference.column), difference)
        if before.row is not None and difference.row is not None and difference.row < before.row:
            found[what, difference.column] = difference

    for batch in batches:
        if KEY not in batch.schema.names:
            return [Difference(KEY, None, "a column", "none")]
        if not pa.types.is_integer(batch.schema.field(KEY).type):
            return [Difference(KEY, None, "whole numbers", str(batch.schema.field(KEY).type))]
        if batch.column(KEY).null_count:
            keep("null", Difference(KEY, None, "a number in each row", f"{batch.column(KEY).null_count} nulls"))
        numbers = np.asarray(pc.fill_null(batch.column(KEY), -1)).astype(np.int64)
        inside = (numbers >= version.first) & (numbers < version.last)
        for number in np.unique(numbers[~inside & (numbers >= 0)])[:1]:
            keep("foreign", Difference(KEY, int(number), "no row", "a row"))
        numbers = numbers[inside]
        times += np.bincount(numbers - version.first, minlength=len(times))
        for difference in _values(shape, numbers, batch.filter(pa.array(inside))):
            keep("value", difference)
    for number in np.flatnonzero(times != 1)[:1]:
        keep("count", Difference(KEY, int(number) + version.first, "1 row", f"{times[number]} rows"))
    return list(found.values())


def _values(shape: Shape, numbers: Any, actual: Any) -> Iterable[Difference]:
    """Yield the row of the least number in which each column of a batch differs."""
    meant = shape.rows(numbers)
    for name in meant.schema.names:
        if name in actual.schema.names and len(numbers):
            places = np.flatnonzero(hashes(meant.column(name)) != hashes(actual.column(name)))
            if len(places):
                place = int(places[np.argmin(numbers[places])])
                yield Difference(name, int(numbers[place]), *(_shown(table.column(name)[place]) for table in (meant, actual)))


def _shown(value: Any) -> str:
    """Return a value as JSON, with its type where JSON has no such values."""
    plain = value.as_py()
    text = json.dumps(plain, ensure_ascii=False, default=lambda one: one.hex() if isinstance(one, bytes) else str(one))
    return (text if len(text) <= SHOWN else f"{text[:SHOWN]}…") + ("" if isinstance(plain, str | int | None) else f" ({value.type})")
