"""A complete random search: sequences until the budget is spent, and a verdict for each judged
requirement.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from lakepact.conformance.evidence.outcome import Outcome, Verdict, breach_outcome
from lakepact.conformance.fuzz.answers import Breach, Fuzz, Judge
from lakepact.conformance.fuzz.drawing import Drawing
from lakepact.conformance.fuzz.sequences import Sent, Sequences
from lakepact.conformance.fuzz.steps import Step
from lakepact.conformance.fuzz.world import Remembering
from lakepact.conformance.http.wire import NoAnswer
from lakepact.conformance.judging.definitions import Invariant
from lakepact.conformance.judging.lab import Lab
from lakepact.generated.contract import Contract, OperationId

FUZZED, MODELLED = "fuzz", "model"  #: the check in verdicts
HISTORY = 100  #: requests of one stateful test
PATIENCE = 3  #: late answers in a row that end the search


@dataclass(frozen=True)
class Progress:
    """The number of requests of a run, without those of shrinking and cleaning up."""

    requests: int


def run_fuzzer(
    lab: Callable[[int], Lab],
    contract: Contract,
    invariants: Sequence[Invariant],
    *,
    fuzz: Fuzz,
    budget: int,
    start: int,
) -> Iterator[Verdict | Progress]:
    """Fuzz a target; yields progress, and a verdict for every requirement that was judged.

    Args:
        lab: returns the lab of one sequence by its number.
        contract: the contract that the target is checked against.
        invariants: the invariants of the contract.
        fuzz: the settings of the fuzzer.
        budget: about how many requests to send, without those of shrinking and cleaning up.
        start: the seed; the same seed, target and version send the same requests.
    """
    from lakepact.conformance.fuzz.schemathesis_bodies import SchemathesisBodies  # noqa: PLC0415 - an extra, and slow to import

    judge = Judge(contract, invariants, fuzz)
    drawing = Drawing(contract, SchemathesisBodies(contract, start))
    sequences = Sequences(
        lab,
        world=fuzz.world,
        operations=fuzz.operations,
        draw=drawing.drawn,
        judge=judge,
        start=start,
    )
    yield from _Search(FUZZED, judge, sequences, answers=fuzz.answers, start=start).verdicts(budget)


def run_stateful_tests(
    lab: Callable[[int], Lab],
    contract: Contract,
    *,
    fuzz: Fuzz,
    model: Callable[[Any], Remembering],
    budget: int,
    start: int,
) -> Iterator[Verdict | Progress]:
    """Run stateful tests: random sequences in which every read must return what was accepted
    before.

    Args:
        lab: returns the lab of one sequence by its number.
        contract: the contract that the target is checked against.
        fuzz: the settings of the fuzzer.
        model: the model of the state.
        budget: about how many requests to send, without those of shrinking and cleaning up.
        start: the seed; the same seed, target and version send the same requests.
    """
    # Invariants look at these exchanges in a run of their own, and nothing is sent that has to be
    # refused for its form.
    judge = Judge(contract, (), replace(fuzz, refusals={}))
    operations = tuple(dict.fromkeys(fuzz.operations))
    sequences = Sequences(
        lab,
        world=model,
        operations=operations,
        draw=_history,
        judge=judge,
        start=start,
        most=HISTORY,
    )
    yield from _Search(MODELLED, judge, sequences, answers=fuzz.answers, start=start).verdicts(
        budget
    )


def _history(
    world: Remembering, random: Random, operations: Sequence[OperationId]
) -> Iterator[Step]:
    return world.history(random, operations)


class _Search:
    """One run of sequences, and its verdicts."""

    def __init__(
        self, check: str, judge: Judge, sequences: Sequences, *, answers: str, start: int
    ) -> None:
        self._check = check
        self._judge = judge
        self._sequences = sequences
        self._answers = answers
        self._start = start
        self._late_in_a_row = 0  # sequences whose last answer did not come in time
        self._given_up = ""

    def verdicts(self, budget: int) -> Iterator[Verdict | Progress]:
        """Yield the verdicts on sequences until the budget is spent."""
        for number in itertools.count():
            before = self._sequences.requests
            if before >= budget or self._given_up:
                break
            sequence = self._sequences.new(number)
            if self._sequences.requests == before:
                self._given_up = "the target offers nothing that could be asked for"
            yield Progress(self._sequences.requests)
            for breach, steps, exchanges in sequence.breaches:
                yield self._verdict(
                    breach, self._sequences.shortest(breach, steps) or (breach, exchanges, 0)
                )
            if sequence.no_answer is not None:
                yield from self._silence(sequence, sequence.no_answer)
            else:
                self._late_in_a_row = 0
        yield from self._rest()

    def _verdict(
        self, breach: Breach, finding: tuple[Breach, list[int], int], remark: str = ""
    ) -> Verdict:
        """Return a broken requirement, with the requests that show it."""
        repetition, exchanges, count = finding
        text = (
            f"shrunk to {count} request{'s' if count > 1 else ''}"
            if count
            else remark or "not seen again when it was repeated"
        )
        requirement = breach.requirements[0]
        failure = repetition.unmet.failure(tuple(exchanges))
        outcome = breach_outcome(self._judge.contract.requirements[requirement])
        return replace(
            Verdict.of_failures(requirement, outcome, self._check, failures=(failure,)),
            remark=f"seed {self._start}, {text}",
        )

    def _silence(self, sequence: Sent, no_answer: NoAnswer) -> Iterator[Verdict]:
        """Yield a failure if a sequence that ended without an answer does so again, or the target
        answers nothing any more. A late answer is no failure; several in a row end the search.
        """
        if no_answer.late:
            self._late_in_a_row += 1
            self._given_up = str(no_answer) if self._late_in_a_row >= PATIENCE else ""
            return
        breach = self._judge.silence(sequence.steps[-1].operation, str(no_answer))
        if not self._sequences.answers():
            self._given_up = "the target answers nothing any more"
            self._judge.remember(breach)
            yield self._verdict(
                breach,
                (breach, sequence.exchanges, 0),
                f"after these {len(sequence.steps)} requests {self._given_up}",
            )
        elif self._judge.is_new(breach):
            repetition = self._sequences.shortest(breach, sequence.steps)
            if repetition is not None:  # else it was an idle connection that happened to be closed
                self._judge.remember(breach)
                yield self._verdict(breach, repetition)

    def _rest(self) -> Iterator[Verdict]:
        """Yield passes for all requirements without a failure."""
        for name, (requirements, trouble) in self._judge.trouble.items():
            for requirement in requirements:
                yield Verdict(
                    requirement,
                    Outcome.ERROR,
                    self._check,
                    actual=f"the invariant {name} broke: {trouble!r}",
                )
        if self._given_up and self._answers not in self._judge.broken:
            yield Verdict(
                self._answers,
                Outcome.BLOCKED,
                self._check,
                actual=self._given_up,
                remark=f"seed {self._start}",
            )
        for requirement in sorted(self._judge.held - self._judge.broken):
            yield Verdict(
                requirement,
                Outcome.PASS,
                self._check,
                remark=f"{self._sequences.requests} requests, seed {self._start}",
            )
