"""Whether a history of reads and conditional writes of registers could have come from one that does one thing at a time.

After Wing and Gong: the operations are put into an order in which each does what it did, and none comes before one that had ended when it
began. What changes nothing is put into the order as soon as it fits, for nothing can depend on it; only about writes there is a choice, and
no combination of what is done and what the registers hold is looked at twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Values = dict[str, int]  #: by the name of a register


@dataclass(frozen=True)
class Operation:
    """What somebody asked for, and what came of it."""

    began: float
    ended: float  #: infinity for one whose answer never came
    expected: Mapping[str, int]  #: what registers had to hold, or were seen to hold
    written: Mapping[str, int] = field(default_factory=dict)  #: what they hold afterwards; nothing for one that only read
    done: bool | None = True  #: False if it was refused, because something expected was not so; None if nobody knows

    def fits(self, values: Values) -> bool:
        """Return whether it could have come out so at this moment."""
        held = all(values[name] == value for name, value in self.expected.items())
        return not held if self.done is False else held

    @property
    def changes(self) -> bool:
        """Whether registers may hold something else afterwards."""
        return bool(self.written) and self.done is not False


def explained(history: Sequence[Operation], first: Values) -> str | None:
    """Why no order explains a history; None if one does.

    Args:
        history: all operations.
        first: what the registers held before all of them.
    """
    operations = sorted(history, key=lambda operation: operation.began)
    needed = sum(1 << index for index, operation in enumerate(operations) if operation.done is not None)
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
    stuck = [operations[index] for index in _next(operations, furthest[2]) if operations[index].done is not None]
    return f"after {furthest[0]} of {len(operations)} operations, with {furthest[1]}, none of these can be next: {stuck}"


def _next(operations: Sequence[Operation], done: int) -> Iterator[int]:
    """Return the operations that began before any other ended that is still to come."""
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
    """What is done, and everything that fits here and changes nothing."""
    while True:
        before = done
        for index in _next(operations, done):
            if not operations[index].changes and operations[index].fits(values):
                done |= 1 << index
        if done == before:
            return done
