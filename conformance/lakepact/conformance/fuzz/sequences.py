"""Sequences of requests: drawn from a seed, sent, judged after each request, and shrunk when they
show something.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from lakepact.conformance.fuzz.shrinking import ATTEMPTS, Shrinking
from lakepact.conformance.fuzz.steps import content, fill
from lakepact.conformance.http.wire import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from lakepact.conformance.fuzz.answers import Breach, Judge
    from lakepact.conformance.fuzz.steps import Step
    from lakepact.conformance.fuzz.world import World
    from lakepact.conformance.judging.lab import Lab
    from lakepact.generated.contract import OperationId

STEPS = 20  #: requests of a sequence, those that open it included
FIRST_LAB = 1_000_000  #: labs of sequences are numbered from here, those of checks below
FEWEST_ATTEMPTS = (
    12  #: at shrinking, however much is broken: where everything is, less work for each will do
)
PAUSES = (
    0.0,
    0.1,
    0.5,
)  #: seconds before each look whether a target that fell silent still answers

if TYPE_CHECKING:
    Draw: TypeAlias = Callable[
        [Any, Random, Sequence[OperationId]], Iterator[Step]
    ]  #: of a world, by chance, of these operations


@dataclass
class Sent:
    """A sequence as it was sent: its steps so far, the numbers of the exchanges, and the
    breaches.
    """

    steps: list[Step] = field(default_factory=list)
    exchanges: list[int] = field(default_factory=list)
    breaches: list[tuple[Breach, list[Step], list[int]]] = field(default_factory=list)
    no_answer: NoAnswer | None = None  #: the missing answer that ended the sequence

    def show(self, breach: Breach) -> None:
        """Keep a breach with the requests that lead to it."""
        self.breaches.append((breach, list(self.steps), list(self.exchanges)))


class Sequences:
    """The sequences of one search for breaches of a target.

    Args:
        lab: makes the lab of one sequence from its number.
        world: makes a corner of the target for one sequence.
        operations: those to send, as far as the target offers them.
        draw: draws the steps of a sequence.
        judge: judges the exchanges.
        start: the seed.
        most: steps of one sequence.
    """

    def __init__(
        self,
        lab: Callable[[int], Lab],
        *,
        world: Callable[[Any], World],
        operations: Sequence[OperationId],
        draw: Draw,
        judge: Judge,
        start: int,
        most: int = STEPS,
    ) -> None:
        self._numbers = itertools.count(FIRST_LAB)
        self._lab = lab
        self._world = world
        self._operations = operations
        self._draw = draw
        self._judge = judge
        self._start = start
        self._most = most
        self._shrunk = 0  #: findings that were shrunk
        self.requests = 0  #: those of shrinking and cleaning up apart

    # -- drawing -----------------------------------------------------------------------------------

    def new(self, number: int) -> Sent:
        """Send a new sequence; new breaches are in `breaches`."""
        random = Random(f"{self._start} {number}")  # noqa: S311 - nothing secret
        lab, sequence = self._new_lab(), Sent()
        operations = tuple(o for o in self._operations if lab.offers(o))
        try:
            world = self._world(lab)
            for step in itertools.islice(
                self._draw(world, random, operations), self._most if operations else 0
            ):
                sequence.steps.append(step)
                self.requests += 1
                breaches = self._exchange(lab, world, step, sequence)
                if breaches is None:
                    break
                for breach in filter(self._judge.is_new, breaches):
                    self._judge.remember(breach)
                    sequence.show(breach)
        finally:
            lab.clean_up()
        return sequence

    def _new_lab(self) -> Lab:
        return self._lab(next(self._numbers))

    # -- sending -----------------------------------------------------------------------------------

    def _exchange(self, lab: Lab, world: World, step: Step, sequence: Sent) -> list[Breach] | None:
        """Send one step, check the answer, and update the model; return None without an answer."""
        try:
            arguments = fill(dict(step.arguments), world.value_of)
            reply = lab.send(
                step.operation,
                content=content(step.body, world.value_of),
                query=step.query,
                **arguments,
            )
        except NoAnswer as error:
            sequence.no_answer = error
            sequence.exchanges = [*lab.sent, error.keep().number]
            return None
        sequence.exchanges = list(lab.sent)
        exchanges, number = lab.wire.exchanges, reply.exchange.number
        later = (exchanges.get(n) for n in range(number + 1, len(exchanges) + 1))
        looks = [one for one in later if one and one.look and one.look.refused.number == number]
        sequence.exchanges += [one.number for one in looks if one.look and one.look.unmet]
        breaches = [
            *self._judge.breaches(reply.exchange),
            *(breach for look in looks for breach in self._judge.breaches(look)),
            *self._judge.contradictions(world.verdicts(step, reply), step.operation),
        ]
        world.learn(step, reply)
        return breaches

    def answers(self) -> bool:
        """Return whether the target answers anything at all."""
        lab = self._new_lab()
        for pause in PAUSES:
            time.sleep(pause)
            try:
                lab.send_raw("GET", "/", alone=True)
            except NoAnswer:
                continue
            return True
        return False

    # -- shrinking ---------------------------------------------------------------------------------

    def shortest(
        self, breach: Breach, steps: Sequence[Step]
    ) -> tuple[Breach, list[int], int] | None:
        """Return the breach in the shortest sequence that shows it, with its exchanges and steps;
        `None` if it did not happen again.
        """
        last: tuple[Breach, list[int], int] | None = None

        def shows(candidate: Sequence[Step]) -> int:
            nonlocal last
            again = self._again(candidate, breach)
            last = again or last
            return again[2] if again else 0

        attempts = max(FEWEST_ATTEMPTS, ATTEMPTS // (1 + self._shrunk // 4))
        self._shrunk += 1
        count = shows(steps)
        if count:
            Shrinking(
                steps[:count], shows, plain=self._world(self._new_lab()).plain, attempts=attempts
            ).shortest()
        return last

    def _again(self, steps: Sequence[Step], breach: Breach) -> tuple[Breach, list[int], int] | None:
        """Return the same requests in a new corner, up to the one that breaks the same."""
        lab, sequence = self._new_lab(), Sent()
        try:
            world = self._world(lab)
            for count, step in enumerate(steps, start=1):
                breaches = self._exchange(lab, world, step, sequence)
                for other in self._silence(step, sequence) if breaches is None else breaches:
                    if other.shows(breach):
                        return other, sequence.exchanges, count
                if breaches is None:
                    break
        finally:
            lab.clean_up()
        return None

    def _silence(self, step: Step, sequence: Sent) -> list[Breach]:
        return (
            [self._judge.silence(step.operation, str(sequence.no_answer))]
            if sequence.no_answer and not sequence.no_answer.late
            else []
        )
