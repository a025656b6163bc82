"""What can be said of a requirement after it was looked at, and the three ways a check stops early."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.generated.contract import Requirement


class Outcome(StrEnum):
    """How a requirement came out, worst first: the first of several judgements is the one that counts."""

    ERROR = "error"  #: the harness broke; says nothing about the target
    FAIL = "fail"  #: a MUST is not kept
    UNEXPECTED_PASS = "unexpected-pass"  #: listed as a known failure, yet kept
    BLOCKED = "blocked"  #: a step that had to come first did not work, so this could not be judged
    KNOWN_FAIL = "known-fail"  #: not kept, and listed as such with a reason
    WARN = "warn"  #: a SHOULD is not kept
    PASS = "pass"
    NOT_OFFERED = "not-offered"  #: the target does not declare what this is about

    @property
    def weight(self) -> int:
        """Place in the order of badness, 0 being the worst."""
        return list(Outcome).index(self)


def broken(requirement: Requirement) -> Outcome:
    """How a requirement comes out that is not kept; a MAY cannot be broken."""
    return {"MUST": Outcome.FAIL, "SHOULD": Outcome.WARN, "MAY": Outcome.PASS}[requirement.level]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judgement of one requirement by one check."""

    requirement: str
    outcome: Outcome
    check: str
    expected: str = ""
    actual: str = ""
    remark: str = ""  #: what a reader should know of a requirement that is kept, or why one was not judged
    exchanges: tuple[int, ...] = ()  #: numbers of the exchanges that lead to and show it


class Unmet(Exception):
    """An expectation that the target does not meet: its fault.

    Args:
        expected: what the requirement asks for.
        actual: what came instead.
        exchange: number of the exchange that shows it, where one alone does.
    """

    def __init__(self, expected: str, actual: str, *, exchange: int | None = None) -> None:
        super().__init__(f"expected {expected}, got {actual}")
        self.expected = expected
        self.actual = actual
        self.exchange = exchange


class Blocked(Exception):
    """A step that has to work before anything can be judged did not: nobody's fault yet."""


class NotOffered(Exception):
    """The target does not declare the operation or the feature that a check needs."""
