"""Sequences of requests: drawn from a seed, sent, judged after each request, and shrunk when they show something."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from lakepact.conformance.fuzz.near import near_miss
from lakepact.conformance.fuzz.shrinking import ATTEMPTS, Shrinking
from lakepact.conformance.fuzz.steps import Step, content, filled
from lakepact.conformance.wire import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lakepact.conformance.fuzz.bodies import Bodies
    from lakepact.conformance.fuzz.judging import Breach, Fuzz, Judge
    from lakepact.conformance.fuzz.world import World
    from lakepact.conformance.lab import Lab
    from lakepact.conformance.wire import Exchange

STEPS = 20  #: requests of a sequence, those that open it included
FIRST_LAB = 1_000_000  #: labs of sequences are numbered from here, those of checks below
KINDS = ("example", "example", "near", "near", "valid", "wild")
FEWEST_ATTEMPTS = 12  #: at shrinking, however much is broken: where everything is, less work for each will do
PAUSES = (0.0, 0.1, 0.5)  #: seconds before each look whether a target that fell silent still answers


@dataclass
class Sent:
    """A sequence as it was sent: its steps so far, the numbers of the exchanges, and what was found in it."""

    steps: list[Step] = field(default_factory=list)
    exchanges: list[int] = field(default_factory=list)
    found: list[tuple[Breach, list[Step], list[int]]] = field(default_factory=list)
    silent: NoAnswer | None = None  #: what ended the sequence, if it was no answer

    def show(self, breach: Breach) -> None:
        """Keep a breach with the requests that lead to it."""
        self.found.append((breach, list(self.steps), list(self.exchanges)))


class Sequences:
    """The sequences of one search for what a target breaks.

    Args:
        lab: makes the bench of one sequence from its number.
        fuzz: what the contract gives the fuzzer.
        judge: what exchanges are judged by.
        bodies: what schemathesis makes.
        start: the seed.
    """

    def __init__(self, lab: Callable[[int], Lab], *, fuzz: Fuzz, judge: Judge, bodies: Bodies, start: int) -> None:
        self._numbers = itertools.count(FIRST_LAB)
        self._lab = lab
        self._fuzz = fuzz
        self._judge = judge
        self._bodies = bodies
        self._start = start
        self._operations: tuple[str, ...] = ()
        self._shrunk = 0  #: findings that were shrunk
        self.requests = 0  #: those of shrinking and cleaning up apart

    # -- drawing -----------------------------------------------------------------------------------------------

    def new(self, number: int, *, most: int = STEPS) -> Sent:
        """Send a new sequence of at most so many steps; what it shows for the first time is in `found`."""
        random = Random(f"{self._start} {number}")  # noqa: S311 - nothing secret
        lab, sent = self._new_lab(), Sent()
        self._operations = tuple(o for o in self._fuzz.operations if lab.offers(o))
        try:
            world = self._fuzz.world(lab)
            for step in itertools.islice(self._drawn(world, random), most if self._operations else 0):
                sent.steps.append(step)
                self.requests += 1
                exchange = self._exchanged(lab, world, step, sent)
                if exchange is None:
                    break
                for breach in filter(self._judge.is_new, list(self._judge.breaches(exchange))):
                    self._judge.remember(breach)
                    sent.show(breach)
        finally:
            lab.clean_up()
        return sent

    def _new_lab(self) -> Lab:
        return self._lab(next(self._numbers))

    def _drawn(self, world: World, random: Random) -> Iterator[Step]:
        yield from (step for step in world.opening(random) if step.operation in self._operations)
        while True:
            operation = random.choice(self._operations)
            arguments = world.arguments(operation, random)
            kind = random.choice(KINDS)
            example = world.example(operation, arguments, random) if kind in {"example", "near"} else None
            if example is not None:
                body = example if kind == "example" else near_miss(example, random)
                yield Step(operation, arguments, world.confined(operation, body), kind=kind)
                continue
            drawn = self._bodies.draw(operation, valid=kind != "wild")
            asked = kind == "example" or (kind == "near" and self._says_more(operation, arguments))
            query = () if asked else drawn.query
            yield Step(operation, arguments, world.confined(operation, drawn.body), query, "wild" if kind == "wild" else "valid")

    def _says_more(self, operation: str, arguments: Mapping[str, Any]) -> bool:
        """Whether arguments are more than the path of an operation, so that nothing else has to be drawn for it."""
        return any(p.where != "path" and p.argument in arguments for p in self._judge.contract.operations[operation].parameters)

    # -- sending -----------------------------------------------------------------------------------------------

    def _exchanged(self, lab: Lab, world: World, step: Step, sent: Sent) -> Exchange | None:
        """Send one step, teach the world, and return the exchange; `None` when there was no answer."""
        try:
            arguments = filled(dict(step.arguments), world.known)
            reply = lab.send(step.operation, content=content(step.body, world.known), query=step.query, **arguments)
        except NoAnswer as silent:
            sent.silent = silent
            sent.exchanges = [*lab.sent, silent.keep().number]
            return None
        sent.exchanges = list(lab.sent)
        world.learn(step, reply)
        return reply.exchange

    def answers(self) -> bool:
        """Whether the target answers anything at all."""
        lab = self._new_lab()
        for pause in PAUSES:
            time.sleep(pause)
            try:
                lab.send_raw("GET", "/", alone=True)
            except NoAnswer:
                continue
            return True
        return False

    # -- shrinking ---------------------------------------------------------------------------------------------

    def shortest(self, breach: Breach, steps: Sequence[Step]) -> tuple[Breach, list[int], int] | None:
        """The breach in the shortest sequence that shows it, with its exchanges and steps; `None` if it did not happen again."""
        last: tuple[Breach, list[int], int] | None = None

        def shows(candidate: Sequence[Step]) -> int:
            nonlocal last
            again = self._again(candidate, breach)
            last = again or last
            return again[2] if again else 0

        attempts = max(FEWEST_ATTEMPTS, ATTEMPTS // (1 + self._shrunk // 4))
        self._shrunk += 1
        needed = shows(steps)
        if needed:
            Shrinking(steps[:needed], shows, plain=self._fuzz.world(self._new_lab()).plain, attempts=attempts).shortest()
        return last

    def _again(self, steps: Sequence[Step], breach: Breach) -> tuple[Breach, list[int], int] | None:
        """The same requests in a new corner, up to the one that breaks the same."""
        lab, sent = self._new_lab(), Sent()
        try:
            world = self._fuzz.world(lab)
            for done, step in enumerate(steps, start=1):
                exchange = self._exchanged(lab, world, step, sent)
                for other in self._breaches(exchange, step, sent):
                    if (other.rule, other.operation) == (breach.rule, breach.operation):
                        return other, sent.exchanges, done
                if exchange is None:
                    break
        finally:
            lab.clean_up()
        return None

    def _breaches(self, exchange: Exchange | None, step: Step, sent: Sent) -> list[Breach]:
        if exchange is not None:
            return list(self._judge.breaches(exchange))
        return [self._judge.silence(step.operation, str(sent.silent))] if sent.silent and not sent.silent.late else []
