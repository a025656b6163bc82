"""Outcomes and verdicts of requirements, and the exceptions that end a check early."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lakepact.conformance.evidence.differences import Difference
from lakepact.generated.contract import Requirement

LOWEST_ERROR = 400  #: the lowest status of a refusal
#: Statuses of a step that succeeded; one that the contract does not document for it is judged by a
#: check of its own.
SUCCESS = (200, 201, 202, 204)
STEP = "a set-up step failed ("  #: begins the reason of what a step blocks; its requirement follows
NOT_JUDGED = " not judged: "  #: in the remark of a requirement of which only some cases were judged
#: begins the reason of a requirement whose other cases pass
ENDED_EARLY = "the check ended before it had judged every case: "


def any_of(statuses: Sequence[int]) -> str:
    """Return statuses that are allowed as "200 or 204", those of any success as "2xx"."""
    return "2xx" if tuple(statuses) == SUCCESS else " or ".join(map(str, statuses))


class Outcome(StrEnum):
    """The outcome of a requirement, worst first; of several verdicts the worst counts."""

    ERROR = "error"  #: lakepact itself failed; not a statement about the target
    FAIL = "fail"  #: a MUST is broken
    UNEXPECTED_PASS = "unexpected-pass"  #: listed as a known failure, but the requirement passes
    BLOCKED = "blocked"  #: an earlier step failed, so the requirement could not be judged
    KNOWN_FAIL = "known-fail"  #: broken, and listed as a known failure with a reason
    WARN = "warn"  #: a SHOULD is broken
    PASS = "pass"
    NOT_OFFERED = "not-offered"  #: the target does not declare the operation or feature

    @property
    def weight(self) -> int:
        """Rank of the outcome; 0 is the worst."""
        return list(Outcome).index(self)


def partial_pass(passes: int, others: int, why: str) -> str:
    """Return the remark on cases that passed beside others that could not be judged."""
    return f"{passes} cases passed, {others}{NOT_JUDGED}{why}"


def breach_outcome(requirement: Requirement) -> Outcome:
    """Return the outcome of a requirement that is broken: fail for a MUST, warn for a SHOULD; a MAY
    cannot be broken.
    """
    return {"MUST": Outcome.FAIL, "SHOULD": Outcome.WARN, "MAY": Outcome.PASS}[requirement.level]


#: Type of the requirement that a branch is at a snapshot; it keeps commits from undoing others.
ASSERT_REF = "assert-ref-snapshot-id"


class Wrong(StrEnum):
    """The kind of mistake in a request that should be refused; requests with different kinds never
    share a cause.
    """

    ABSENT = "absent"  #: something does not exist: `at` is its noun, such as "table"
    PRESENT = "present"  #: something exists already, or is not empty: `at` is its noun
    MISSING = "missing"  #: a required member or parameter is left out
    TYPE = "wrong type"  #: a value of the wrong JSON type
    VALUE = "invalid value"  #: a value that the contract forbids whatever the state
    DUPLICATE = "duplicate"  #: an id or a name that is given twice
    UNKNOWN_ID = "unknown id"  #: an id that the document does not have
    IN_USE = "in use"  #: something that must stay, such as the current schema
    STALE = "stale"  #: a requirement of a commit that does not hold: `at` is its type
    SYNTAX = "syntax"  #: a body, token or header that cannot be read
    ACCESS = "access"  #: no credentials, wrong ones, or too few rights

    def __call__(self, at: str, phrase: str = "") -> Mutation:
        """Return the mistake of this kind at a place."""
        return Mutation(self, at, phrase)


@dataclass(frozen=True, slots=True)
class Mutation:
    """The mistake of a request that should be refused."""

    kind: str  #: one of `Wrong`, or `as boolean` and so on for a value of this wrong type
    at: str  #: JSON pointer into the body, name of a parameter or header, or a noun
    phrase: str = (
        ""  #: says it in a title, such as "for a view as a table", if kind and place do not
    )


@dataclass(frozen=True, slots=True)
class Claim:
    """An expectation about a place of one answer that a script can test again."""

    schema: Mapping[
        str, Any
    ]  #: what the place must match, in the keywords of `reproduction.replaying`
    at: str  #: JSON pointer into `{"status", "headers", "media-type", "length", "body"}`


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that breaks a requirement."""

    expected: str
    actual: str
    exchanges: tuple[
        int, ...
    ] = ()  #: numbers of the exchanges that lead to it; the last one shows it
    expected_status: tuple[
        int, ...
    ] = ()  #: the statuses that the requirement allows, if it demands a status
    mutation: Mutation | None = None
    claim: Claim | None = None  #: the expectation in a form that a script can test
    refusal: bool = False  #: whether the requirement demands that the request is refused
    difference: Difference | None = None  #: where the answer is not as expected, if it is known


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one check about one requirement."""

    requirement: str
    outcome: Outcome
    check: str
    expected: str = ""
    actual: str = ""
    remark: str = ""  #: a note about a pass, or the reason why it was not judged
    exchanges: tuple[
        int, ...
    ] = ()  #: numbers of the exchanges that lead to the verdict; the last one shows it
    judged: int = 1  #: cases that were judged
    failures: tuple[Failure, ...] = ()  #: cases that break the requirement, the clearest first
    failed: int = 0  #: number of cases that break it, of which `failures` may hold some

    @classmethod
    def of_failures(
        cls,
        requirement: str,
        outcome: Outcome,
        check: str,
        *,
        failures: tuple[Failure, ...],
        cases: int = 1,
        failing_cases: int = 0,
    ) -> Verdict:
        """Return a verdict that shows the first of its failures; `failing_cases` is their number, if there
        are more.
        """
        first = failures[0]
        return cls(
            requirement,
            outcome,
            check,
            first.expected,
            first.actual,
            exchanges=first.exchanges,
            judged=cases,
            failures=failures,
            failed=failing_cases or len(failures),
        )


def merge(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict of a check about a requirement from those of its cases: the worst, with
    all its failures.
    """
    worst = min(verdicts, key=lambda v: v.outcome.weight)
    same = [v for v in verdicts if v.outcome is worst.outcome]
    cases = sum(v.judged for v in verdicts)
    remark = "; ".join(dict.fromkeys(v.remark for v in same if v.remark))
    failures = tuple(
        sorted((f for v in same for f in v.failures), key=lambda failure: len(failure.exchanges))
    )
    if not failures:
        return replace(worst, remark=remark, judged=cases)
    failing_cases = sum(v.failed for v in same)
    verdict = Verdict.of_failures(
        worst.requirement,
        worst.outcome,
        worst.check,
        failures=failures,
        cases=cases,
        failing_cases=failing_cases,
    )
    return replace(verdict, remark=remark)


def deciding_first(
    verdicts: Iterable[Verdict], invariants: Collection[str] = ()
) -> tuple[Verdict, ...]:
    """Return the verdicts about a requirement, the deciding one first: the worst, but none without
    a case if a check judged one.

    The remark of the deciding one then names the blocked checks.

    Args:
        verdicts: at least one verdict.
        invariants: names of invariants, which see only what the checks sent: their passes do not
            replace a blocked check.
    """
    by_weight = sorted(verdicts, key=lambda v: v.outcome.weight)
    silent = [v for v in by_weight if v.outcome is Outcome.BLOCKED and not v.judged]
    judging = (
        v
        for v in by_weight
        if v.outcome not in {Outcome.BLOCKED, Outcome.NOT_OFFERED} and v.check not in invariants
    )
    if not silent or not any(judging):
        return tuple(by_weight)
    first, *rest = [v for v in by_weight if v not in silent]
    remarks = (first.remark, *(f"{v.check} judged no case: {v.actual or v.remark}" for v in silent))
    return (replace(first, remark="; ".join(filter(None, remarks))), *rest, *silent)


class Unmet(Exception):
    """An expectation that the target does not meet.

    Args:
        expected: what the requirement demands.
        actual: what the target returned.
        exchange: number of the exchange that shows it, if a single one does.
        expected_status: the statuses that the requirement allows, if it demands a status.
        refusal: whether the requirement demands that the request is refused; by default, whether
            the statuses are refusals.
        claim: the expectation in a form that a script can test.
        difference: where the answer is not as expected.
        mutation: the change that made the request invalid.
    """

    def __init__(
        self,
        expected: str,
        actual: str,
        *,
        exchange: int | None = None,
        expected_status: tuple[int, ...] = (),
        refusal: bool = False,
        claim: Claim | None = None,
        difference: Difference | None = None,
        mutation: Mutation | None = None,
    ) -> None:
        super().__init__(f"expected {expected}, got {actual}")
        self.expected = expected
        self.actual = actual
        self.exchange = exchange
        self.expected_status = expected_status
        self.refusal = refusal or (bool(expected_status) and min(expected_status) >= LOWEST_ERROR)
        self.mutation = mutation
        #: the requirement that it belongs to, if that is another one than the one that is judged
        self.requirement = ""
        self.claim = claim
        self.difference = difference

    def failure(self, exchanges: tuple[int, ...]) -> Failure:
        """Return the failing case that this and these exchanges show."""
        return Failure(
            self.expected,
            self.actual,
            exchanges,
            self.expected_status,
            self.mutation,
            self.claim,
            self.refusal,
            self.difference,
        )


class Blocked(Exception):
    """A step that has to succeed before a requirement can be judged failed."""


class StepFailed(Blocked):
    """A step of a check broke a requirement that other checks judge.

    Args:
        requirement: its id.
        unmet: the expectation that the step does not meet.
        decides_statuses: whether the statuses of later answers may depend on it, beside what they
            show.
    """

    def __init__(self, requirement: str, unmet: Unmet, *, decides_statuses: bool = True) -> None:
        super().__init__(f"{STEP}{requirement}): {unmet}")
        self.requirement = requirement
        self.unmet = unmet
        self.decides_statuses = decides_statuses


class NotOffered(Exception):
    """The target does not declare the operation or the feature that a check needs."""
