"""Rows of exchanges as columns of Python values, so that each is looked at without being put together."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from lakepact.conformance.arrow import Array, Table, pa, pc
from lakepact.conformance.campaign.execution import evidence

#: Columns of an exchange with few distinct values.
SAME = (
    "contract",
    "operation_id",
    "state",
    "method",
    "accepts",
    "authorized",
    "http_status",
    "response_truncated",
    "target",
    "mode",
)
#: Further columns that judges read.
SEEN = ("number", "step", "latency_us", "reason", "said", "url", "request_body", "response_body")
HEADERS = ("request_headers", "response_headers")


class Rows:
    """Exchanges at hand.

    Args:
        exchanges: rows of the table of that name.
    """

    def __init__(self, exchanges: Table) -> None:
        self._exchanges = exchanges
        self.urls, self.requests, self.responses = (_values(exchanges.column(n)) for n in ("url", "request_body", "response_body"))
        self.checked = pc.is_valid(exchanges.column("said")).to_pylist()
        self.sent, self.answered = (_lines(exchanges.column(name)) for name in HEADERS)
        self.groups, self.numbers = _grouped(exchanges)

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        held = {"url": self.urls, "request_body": self.requests, "response_body": self.responses}
        return {name: held[name] if name in held else _values(self._exchanges.column(name)) for name in SEEN}

    def row(self, number: int) -> dict[str, Any]:
        """One of them, without its headers."""
        same = dict(zip(SAME, self.groups[self.numbers[number]], strict=True))
        return same | {name: column[number] for name, column in self._columns.items()}

    def pairs(self, number: int) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return the headers of one, as it was asked and as it was answered."""
        return tuple(evidence.pairs_of(self._exchanges.column(name)[number].as_py()) for name in HEADERS)


def _values(column: Array) -> list[Any]:
    """Return the same as `to_pylist`, sooner for texts and numbers."""
    if column.null_count == len(column):
        return [None] * len(column)
    if pa.types.is_nested(column.type) or (column.null_count and pa.types.is_integer(column.type)):
        nested: list[Any] = column.to_pylist()
        return nested
    held: list[Any] = column.to_numpy(zero_copy_only=False).tolist() if isinstance(column, pa.Array) else column.to_numpy().tolist()
    return held


def _grouped(exchanges: Table) -> tuple[list[tuple[Any, ...]], list[int]]:
    """Return the groups of exchanges that are the same in what is one of few values, and the number of that of each."""
    together, seen = np.zeros(exchanges.num_rows, np.int64), []
    for name in SAME:
        encoded = pc.dictionary_encode(exchanges.column(name), null_encoding="encode")
        encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
        if isinstance(encoded, pa.ChunkedArray):  # of no chunk at all
            return [], []
        values, places = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        seen.append((values, places))
        together = np.unique(together * len(values) + places, return_inverse=True)[1]
    _, first = np.unique(together, return_index=True)
    return [tuple(values[places[row]] for values, places in seen) for row in first], together.tolist()


def _lines(pairs: Array) -> list[str]:
    """Headers as one text a row, each on a line."""
    one = pairs.combine_chunks() if isinstance(pairs, pa.ChunkedArray) else pairs
    if isinstance(one, pa.ChunkedArray):  # of no chunk at all
        return [""] * len(pairs)
    both = one.flatten()
    lines = pc.binary_join_element_wise(both.field("name"), both.field("value"), ": ")
    lists = pa.ListArray.from_arrays(pc.fill_null(_offsets(one), 0), lines)
    return [f"\n{text or ''}" for text in _values(pc.binary_join(lists, "\n"))]


def _offsets(lists: Array) -> Array:
    """Return the start of each list in the result of `flatten`, which omits missing lists."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
