"""Linearizability of histories of reads and conditional writes of registers.

The algorithm is that of Wing and Gong: it searches an order of the operations that explains all
outcomes and respects real time. Reads are ordered as soon as they fit, because nothing depends on
them; only writes are choices. No pair of done operations and register values is visited twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Values = dict[str, int]  #: by the name of a register


@dataclass(frozen=True)
class Operation:
    """An operation of a client, and its outcome."""

    began: float
    ended: float  #: infinity without an answer
    expected: Mapping[str, int]  #: required or read values of registers
    written: Mapping[str, int] = field(default_factory=dict)  #: values afterwards; empty for a read
    done: bool | None = (
        True  #: False if the expected values did not hold; None if the outcome is unknown
    )

    def fits(self, values: Values) -> bool:
        """Return whether these values allow the outcome."""
        held = all(values[name] == value for name, value in self.expected.items())
        return not held if self.done is False else held

    @property
    def changes(self) -> bool:
        """Whether the operation may have changed registers."""
        return bool(self.written) and self.done is not False


def explained(history: Sequence[Operation], first: Values) -> str | None:
    """Return why no order explains a history; None if an order does.

    Args:
        history: all operations.
        first: the initial values of the registers.
    """
    operations = sorted(history, key=lambda operation: operation.began)
    needed = sum(
        1 << index for index, operation in enumerate(operations) if operation.done is not None
    )
    seen: set[tuple[int, tuple[int, ...]]] = set()
    furthest: tuple[int, Values, int] = (-1, first, 0)
    ways: list[tuple[int, Values]] = [(0, dict(first))]
    while ways:
        done, values = ways.pop()
        done = _with_reads(operations, done, values)
        if done & needed == needed:
            return None
        state = (done, tuple(values.values()))
        if state in seen:
            continue
        seen.add(state)
        if done.bit_count() > furthest[0]:
            furthest = (done.bit_count(), values, done)
        for index in _next(operations, done):
            operation = operations[index]
            if operation.changes and operation.fits(values):
                ways.append((done | 1 << index, {**values, **operation.written}))
    stuck = [
        operations[index]
        for index in _next(operations, furthest[2])
        if operations[index].done is not None
    ]
    return f"after {furthest[0]} of {len(operations)} operations, with {furthest[1]}, none of these can be next: {stuck}"


def _next(operations: Sequence[Operation], done: int) -> Iterator[int]:
    """Return the remaining operations that began before the first end of a remaining operation."""
    first_end = math.inf
    candidates: list[int] = []
    for index in range(_first_left(done), len(operations)):
        if operations[index].began > first_end:
            break
        if not done >> index & 1:
            candidates.append(index)
            first_end = min(first_end, operations[index].ended)
    return (index for index in candidates if operations[index].began <= first_end)


def _first_left(done: int) -> int:
    return (~done & done + 1).bit_length() - 1


def _with_reads(operations: Sequence[Operation], done: int, values: Values) -> int:
    """Return the done operations together with all reads that fit these values."""
    while True:
        before = done
        for index in _next(operations, done):
            if not operations[index].changes and operations[index].fits(values):
                done |= 1 << index
        if done == before:
            return done
