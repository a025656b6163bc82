"""A whole run of fuzzing: sequence after sequence until the budget is spent, and a verdict for everything that was looked at."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.conformance.fuzz.bodies import Bodies
from lakepact.conformance.fuzz.judging import Judge
from lakepact.conformance.fuzz.sequences import Sequences
from lakepact.conformance.outcome import Outcome, Verdict, broken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakepact.conformance.fuzz.judging import Breach, Fuzz
    from lakepact.conformance.fuzz.sequences import Sent
    from lakepact.conformance.judges import Law
    from lakepact.conformance.lab import Lab
    from lakepact.generated.contract import Contract

CHECK = "fuzz"  #: what verdicts name as the check
PATIENCE = 3  #: answers in a row that are awaited in vain before the target is given up


@dataclass(frozen=True)
class Progress:
    """How many requests a run has sent, those of shrinking and cleaning up apart."""

    requests: int


def fuzzed(
    lab: Callable[[int], Lab], contract: Contract, laws: Sequence[Law], *, fuzz: Fuzz, budget: int, start: int
) -> Iterator[Verdict | Progress]:
    """Fuzz a target; yields how far it is, and a verdict for every requirement that was looked at.

    Args:
        lab: makes the bench of one sequence from its number.
        contract: what the target is judged by.
        laws: what every exchange is held against.
        fuzz: what the contract gives the fuzzer.
        budget: about how many requests to send, those of shrinking and cleaning up apart.
        start: the seed; the same seed, target and version send the same requests.
    """
    run = _Fuzzing(lab, contract, laws, fuzz=fuzz, start=start)
    for number in itertools.count():
        if run.sequences.requests >= budget or run.given_up:
            break
        before = run.sequences.requests
        sent = run.sequences.new(number)
        if run.sequences.requests == before:
            run.given_up = "the target offers nothing that could be fuzzed"
        yield Progress(run.sequences.requests)
        for breach, steps, exchanges in sent.found:
            yield run.verdict(breach, run.sequences.shortest(breach, steps) or (breach, exchanges, 0))
        if sent.silent is not None:
            yield from run.silence(sent)
        else:
            run.vain = 0
    yield from run.rest()


class _Fuzzing:
    """One run, and what it makes of what its sequences show."""

    def __init__(self, lab: Callable[[int], Lab], contract: Contract, laws: Sequence[Law], *, fuzz: Fuzz, start: int) -> None:
        self._contract = contract
        self._fuzz = fuzz
        self._start = start
        self.judge = Judge(contract, laws, fuzz)
        self.sequences = Sequences(lab, fuzz=fuzz, judge=self.judge, bodies=Bodies(contract, start), start=start)
        self.vain = 0  #: sequences in a row whose last answer did not come in time
        self.given_up = ""

    def verdict(self, breach: Breach, shown: tuple[Breach, list[int], int], remark: str = "") -> Verdict:
        """A broken requirement, with the requests that show it."""
        again, exchanges, needed = shown
        said = f"shrunk to {needed} request{'s' if needed > 1 else ''}" if needed else remark or "not seen again when it was repeated"
        return Verdict(
            breach.requirements[0],
            broken(self._contract.requirements[breach.requirements[0]]),
            CHECK,
            again.unmet.expected,
            again.unmet.actual,
            f"seed {self._start}, {said}",
            tuple(exchanges),
        )

    def silence(self, sent: Sent) -> Iterator[Verdict]:
        """What a sequence means that ended without an answer: a breach, if the connection breaks again or the target is gone."""
        why = str(sent.silent)
        if sent.silent is None or sent.silent.late:
            self.vain += 1
            self.given_up = why if self.vain >= PATIENCE else ""
            return
        breach = self.judge.silence(sent.steps[-1].operation, why)
        if not self.sequences.answers():
            self.given_up = "the target answers nothing any more"
            self.judge.remember(breach)
            yield self.verdict(breach, (breach, sent.exchanges, 0), f"after these {len(sent.steps)} requests {self.given_up}")
        elif self.judge.is_new(breach):
            again = self.sequences.shortest(breach, sent.steps)
            if again is not None:  # else it was an idle connection that happened to be closed
                self.judge.remember(breach)
                yield self.verdict(breach, again)

    def rest(self) -> Iterator[Verdict]:
        """What is to be said of all that was not found broken."""
        for name, (requirements, trouble) in self.judge.trouble.items():
            for requirement in requirements:
                yield Verdict(requirement, Outcome.ERROR, CHECK, actual=f"the law {name} broke: {trouble!r}")
        if self.given_up and self._fuzz.answers not in self.judge.broken:
            yield Verdict(self._fuzz.answers, Outcome.BLOCKED, CHECK, actual=self.given_up, remark=f"seed {self._start}")
        for requirement in sorted(self.judge.held - self.judge.broken):
            yield Verdict(requirement, Outcome.PASS, CHECK, remark=f"{self.sequences.requests} fuzzed requests, seed {self._start}")
