"""Shrinking: a sequence that shows something becomes the shortest one, with the smallest bodies,
that still shows it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lakepact.conformance.fuzz.near import places_in
from lakepact.conformance.fuzz.steps import Step

ATTEMPTS = 120  #: sequences that are tried for one finding
LONG_TEXT = 20  #: characters of a text that is worth to be made shorter


class Shrinking:
    """A search for the shortest sequence.

    Args:
        steps: a sequence that fails.
        shows: sends a sequence and returns how many steps it took to fail; 0 if it passes.
        plain: arguments that address the objects of every sequence.
        attempts: the maximum number of sequences to send.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        shows: Callable[[Sequence[Step]], int],
        *,
        plain: Mapping[str, Any] | None = None,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.steps = list(steps)
        self._shows = shows
        self._plain = plain or {}
        self._left = attempts

    def shortest(self) -> list[Step]:
        """Return the shortest sequence that was found."""
        self._with_plain_arguments()
        self._without_steps()
        self._with_smaller_bodies()
        self._without_steps()
        return self.steps

    def _try(self, candidate: list[Step]) -> bool:
        if self._left <= 0 or not candidate:
            return False
        self._left -= 1
        count = self._shows(candidate)
        if count:
            self.steps = candidate[:count]
        return bool(count)

    def _without_steps(self) -> None:
        """Leave out all but the last step, then halves, quarters … single steps, until no single
        one can be spared.
        """
        size = len(self.steps) - 1
        while size > 0 and self._left > 0:
            at, smaller = 0, False
            while at < len(self.steps) - 1:
                if self._try(self.steps[:at] + self.steps[min(at + size, len(self.steps) - 1) :]):
                    smaller = True
                else:
                    at += size
            size = size // 2 if size > 1 else int(smaller)

    def _with_plain_arguments(self) -> None:
        """Address the objects of every sequence, so that requests for other objects can be left
        out.
        """
        for number in reversed(range(len(self.steps))):
            if number >= len(self.steps):
                continue
            step = self.steps[number]
            arguments = {
                name: self._plain.get(name, value) for name, value in step.arguments.items()
            }
            if arguments != dict(step.arguments):
                self._try_at(number, replace(step, arguments=arguments))

    def _with_smaller_bodies(self) -> None:
        """Leave out queries, members and items, outer ones first, from the last request to the
        first.
        """
        for number in reversed(range(len(self.steps))):
            if number >= len(self.steps):
                continue
            step = self.steps[number]
            if step.query:
                self._try_at(number, replace(step, query=()))
            skip = 0
            while number < len(self.steps):
                smaller = list(_smaller(self.steps[number].body))[skip:]
                position = next(
                    (
                        n
                        for n, body in enumerate(smaller)
                        if self._try_at(number, replace(self.steps[number], body=body))
                    ),
                    None,
                )
                if position is None:
                    break
                skip += position

    def _try_at(self, number: int, step: Step) -> bool:
        return self._try([*self.steps[:number], step, *self.steps[number + 1 :]])


def _smaller(body: Any) -> Iterator[Any]:
    """Yield bodies with one place less, or with one long text cut, in the order of the places."""
    for place in places_in(body):
        result = copy.deepcopy(body)
        parent = result
        for step in place[:-1]:
            parent = parent[step]
        value = parent[place[-1]]
        if isinstance(value, str) and len(value) > LONG_TEXT:
            parent[place[-1]] = value[: LONG_TEXT // 2]
        else:
            del parent[place[-1]]
        yield result
