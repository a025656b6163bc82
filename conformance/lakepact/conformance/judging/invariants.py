"""The verdicts of invariants: rules that every exchange of a run must keep.

An invariant says nothing of a state that the suite itself created by a request that should have
been refused.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Outcome, Unmet, Verdict, breach_outcome
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging.definitions import Invariant
from lakepact.generated.contract import OperationId

T = TypeVar("T")
SHOWN_MESSAGE = 40  #: characters of an error's message in which distinct answers differ
LARGE = (
    64 * 1024
)  #: bytes of a body above which only its beginning is kept after all invariants have read it


def place_of(error: BaseException) -> str:
    """Return the file and line where an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""


def selector(
    items: Iterable[T], invariant: Callable[[T], Invariant]
) -> Callable[[OperationId | None, int], tuple[T, ...]]:
    """Return a function that chooses the items whose invariants may apply, once for each operation
    and status.
    """
    candidates = tuple(items)
    return cache(
        lambda operation, status: tuple(
            item for item in candidates if invariant(item).concerns(operation, status)
        )
    )


class InvariantBook:
    """The verdict of one invariant in a run."""

    SHOWN = (
        20  #: breaches whose exchanges are reported, at first each distinct answer; all are counted
    )

    def __init__(self, invariant: Invariant) -> None:
        self.invariant = invariant
        self.passes = 0
        self.breaches: list[tuple[Unmet, Exchange]] = []
        self.error: Exception | None = None

    def look_at(self, exchange: Exchange) -> None:
        """Judge one exchange."""
        if exchange.left_out:  # an invariant of whole bodies says nothing of a part
            return
        try:
            if self.invariant.judge(exchange):
                self.passes += 1
        except Unmet as unmet:
            self.breaches.append((unmet, exchange))
        except Exception as error:  # noqa: BLE001 - ours, reported as such
            self.error = error

    def verdicts(
        self, requirement: Callable[[str], Any], trail: Callable[[Exchange], tuple[int, ...]]
    ) -> Iterator[Verdict]:
        """Yield one verdict for each requirement of the invariant."""
        cases = len(self.breaches) + self.passes
        for r in self.invariant.requirements:
            if self.error is not None:
                yield Verdict(
                    r,
                    Outcome.ERROR,
                    self.invariant.name,
                    actual=repr(self.error) + place_of(self.error),
                )
            elif self.breaches:
                failures = tuple(u.failure(trail(e)) for u, e in self._distinct_first())
                yield Verdict.of_failures(
                    r,
                    breach_outcome(requirement(r)),
                    self.invariant.name,
                    failures=failures,
                    cases=cases,
                    failing_cases=len(self.breaches),
                )
            elif self.passes:
                yield Verdict(r, Outcome.PASS, self.invariant.name, judged=cases)
            else:
                remark = "no exchange of this run has anything to do with it"
                yield Verdict(r, Outcome.NOT_OFFERED, self.invariant.name, remark=remark, judged=0)

    def _distinct_first(self) -> Iterator[tuple[Unmet, Exchange]]:
        """Yield the breaches to report: one of each distinct answer, then others."""
        counts: Counter[object] = Counter()
        breaches = []
        for unmet, exchange in self.breaches:
            error = exchange.error and (exchange.error.type, exchange.error.message[:SHOWN_MESSAGE])
            place = unmet.difference and unmet.difference.at
            answer = (exchange.operation, exchange.status, error, place)
            counts[answer] += 1
            breaches.append((counts[answer] > 1, unmet, exchange))
        breaches.sort(key=lambda each: each[0])
        yield from ((unmet, exchange) for _, unmet, exchange in breaches[: self.SHOWN])


class InvariantBooks:
    """The verdicts of all invariants of a run, by the exchanges of the checks that ended.

    Args:
        invariants: the invariants to judge.
        wire: holds the exchanges.
        before: name of the exchanges that are sent before the first check.
        leave_traces: whether requests change what later ones find.
    """

    def __init__(
        self, invariants: Iterable[Invariant], wire: Wire, *, before: str, leave_traces: bool = True
    ) -> None:
        self.books = [InvariantBook(invariant) for invariant in invariants]
        self._books_for = selector(self.books, lambda book: book.invariant)
        self._wire = wire
        self._leave_traces = leave_traces
        self._last_number = 0  #: number of the last exchange that was sorted by its check
        self._waiting: dict[str, list[Exchange]] = {}
        self._ended = {before}
        self._acceptances: dict[str, list[Exchange]] = {}
        self._poisoned: int | None = (
            None  #: number of the first request of a last check that was accepted wrongly
        )
        self._last: set[str] = set()

    def end(
        self, check: str, *, wrong_acceptances: Collection[int] = (), last: bool = False
    ) -> None:
        """Judge the exchanges of a check that ended, and those that came late from earlier checks.

        Args:
            check: its name.
            wrong_acceptances: numbers of exchanges with requests that should have been refused.
            last: whether its requests may spoil what other checks see.
        """
        self._ended.add(check)
        if wrong_acceptances:
            self._acceptances[check] = [
                self._wire.exchanges[number] for number in wrong_acceptances
            ]
        if last:
            self._last.add(check)
            if wrong_acceptances and self._poisoned is None:
                self._poisoned = min(wrong_acceptances)
        self._sort()
        for name in self._waiting.keys() & self._ended:
            for exchange in self._waiting.pop(name):
                self._look_at(
                    self._wire.exchanges[exchange.number]
                )  # its check may have learned more of it

    def _sort(self) -> None:
        for number in range(self._last_number + 1, len(self._wire.exchanges) + 1):
            exchange = self._wire.exchanges.get(number)
            if exchange is None:
                return
            self._last_number = number
            self._waiting.setdefault(exchange.check, []).append(exchange)

    def _look_at(self, exchange: Exchange) -> None:
        if not self._is_of_our_making(exchange):
            for book in self._books_for(exchange.operation, exchange.status):
                book.look_at(exchange)
        if len(exchange.body) > LARGE:
            self._wire.truncate_body(exchange.number)

    def _is_of_our_making(self, exchange: Exchange) -> bool:
        """Return whether an answer may show what a wrongly accepted request of the suite left
        behind, or accepts it.
        """
        if self._poisoned is not None and exchange.check in self._last:
            return exchange.number >= self._poisoned
        acceptances = [
            one
            for one in self._acceptances.get(exchange.check, ())
            if one.number <= exchange.number
        ]
        if not acceptances or not self._leave_traces:
            return any(one is exchange for one in acceptances)
        names = exchange.objects
        return any(one.objects <= names or names <= one.objects for one in acceptances)
