"""The verdicts of one check: it runs, and each requirement that it cites gets one, also if it ends
early.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lakepact.conformance.evidence.outcome import (
    ENDED_EARLY,
    Blocked,
    NotOffered,
    Outcome,
    StepFailed,
    Unmet,
    Verdict,
    merge,
)
from lakepact.conformance.judging.definitions import Check, Invariant
from lakepact.conformance.judging.invariants import InvariantBook, place_of
from lakepact.conformance.judging.lab import Lab


def run_check(check: Check, lab: Lab, invariants: Iterable[Invariant] = ()) -> list[Verdict]:
    """Run one check and return a verdict for every requirement that it cites.

    Args:
        check: the scenario.
        lab: the lab of this check.
        invariants: an unexpected error in a check is blocked, not an error, if an answer broke one
            of these.
    """
    end: _EarlyEnd | None = None
    try:
        check.run(lab)
    except Exception as error:  # noqa: BLE001 - no error of a check may end the run
        outcome, why = _outcome_of_rest(error, check, lab, invariants)
        end = _EarlyEnd(outcome, why, frozenset().union(*lab.unfinished))
    also = [v.requirement for v in lab.verdicts if v.requirement in lab.implicit_requirements]
    by_requirement: dict[str, list[Verdict]] = {
        requirement: [] for requirement in (*check.requirements, *also)
    }
    for verdict in lab.verdicts:
        by_requirement.get(verdict.requirement, []).append(verdict)
    stray = {verdict.requirement for verdict in lab.verdicts} - by_requirement.keys()
    verdicts = [
        _of_cases(requirement, cases, check, lab, end)
        for requirement, cases in by_requirement.items()
    ]
    return verdicts + [
        Verdict(
            check.requirements[0],
            Outcome.ERROR,
            check.name,
            actual=f"the check judges {s} without citing it",
        )
        for s in sorted(stray)
    ]


def _outcome_of_rest(
    error: Exception, check: Check, lab: Lab, invariants: Iterable[Invariant]
) -> tuple[Outcome, str]:
    """Return the outcome of requirements that a check did not judge because of an error, and the
    reason.
    """
    rest, why = outcome_of_error(error)
    if isinstance(error, StepFailed):
        if error.requirement in check.requirements:
            lab.fail_step(error)
    elif lab.unsound and rest is not Outcome.NOT_OFFERED:
        return Outcome.BLOCKED, str(lab.unsound[0])
    elif rest is Outcome.ERROR and any(v.outcome is Outcome.FAIL for v in lab.verdicts):
        return Outcome.BLOCKED, f"an earlier expectation of the check failed ({why})"
    elif rest is Outcome.ERROR and (requirement := _invariant_breach(lab, invariants)):
        return Outcome.BLOCKED, f"an earlier answer breaks {requirement} ({why})"
    return rest, why


@dataclass(frozen=True)
class _EarlyEnd:
    """The early end of a check."""

    outcome: Outcome  #: of the requirements that were not judged
    why: str
    incomplete: frozenset[
        str
    ]  #: requirements that were judged in the loop that the check left: cases are missing


def _of_cases(
    requirement: str, cases: Sequence[Verdict], check: Check, lab: Lab, end: _EarlyEnd | None
) -> Verdict:
    """Return the verdict of a check about a requirement; it is no pass if the check left the loop
    over the cases.

    Args:
        requirement: its id.
        cases: the verdicts that the check recorded about it.
        check: the check.
        lab: the lab of the check.
        end: why the check ended early, if it did.
    """
    verdict = merge(cases) if cases else None
    rest, why = (
        (end.outcome, end.why)
        if end
        else (Outcome.BLOCKED, "the check found no case to judge on this target")
    )
    if verdict is None:
        actual = why if rest is not Outcome.NOT_OFFERED else ""
        return Verdict(
            requirement,
            rest,
            check.name,
            actual=actual,
            remark=why,
            exchanges=lab.trail(),
            judged=0,
        )
    if (
        verdict.outcome is Outcome.PASS
        and end
        and requirement in end.incomplete
        and rest is not Outcome.NOT_OFFERED
    ):
        why = f"{ENDED_EARLY}{why}"
        return replace(verdict, outcome=rest, actual=why, remark=why, exchanges=lab.trail())
    return verdict


def add_remark(verdict: Verdict, remark: str) -> Verdict:
    """Return a verdict with a remark, also in its failures."""
    failures = tuple(
        replace(failure, actual=f"{failure.actual} ({remark})") for failure in verdict.failures
    )
    actual = f"{verdict.actual} ({remark})" if verdict.actual else ""
    return replace(
        verdict,
        actual=actual,
        remark="; ".join(filter(None, (verdict.remark, remark))),
        failures=failures,
    )


def block(check: Check, requirement: str, why: str) -> Verdict:
    """Return the verdict of a check that did not run, for one of its requirements."""
    return Verdict(requirement, Outcome.BLOCKED, check.name, actual=why, remark=why, judged=0)


def _invariant_breach(lab: Lab, invariants: Iterable[Invariant]) -> str:
    """Return a requirement whose invariant an answer to a check breaks; empty if there is none."""
    for invariant in invariants:
        book = InvariantBook(invariant)
        for number in lab.sent:
            book.look_at(lab.wire.exchanges[number])
        if book.breaches:
            return invariant.requirements[0]
    return ""


def outcome_of_error(error: Exception) -> tuple[Outcome, str]:
    """Return the outcome of requirements that were not judged because of this exception, and the
    reason.
    """
    if isinstance(error, NotOffered):
        return Outcome.NOT_OFFERED, str(error)
    if isinstance(error, (Blocked, Unmet, threading.BrokenBarrierError)):
        return Outcome.BLOCKED, str(error)
    return Outcome.ERROR, "".join(traceback.format_exception_only(error)).strip() + place_of(error)
