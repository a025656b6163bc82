"""Outcomes and verdicts of requirements, and the exceptions that end a check early."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.generated.contract import Requirement


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


def broken(requirement: Requirement) -> Outcome:
    """Return the outcome of a requirement that is broken: fail for a MUST, warn for a SHOULD; a MAY cannot be broken."""
    return {"MUST": Outcome.FAIL, "SHOULD": Outcome.WARN, "MAY": Outcome.PASS}[requirement.level]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one check about one requirement."""

    requirement: str
    outcome: Outcome
    check: str
    expected: str = ""
    actual: str = ""
    remark: str = ""  #: a note about a pass, or the reason why it was not judged
    exchanges: tuple[int, ...] = ()  #: numbers of the exchanges that lead to the verdict; the last one shows it


class Unmet(Exception):
    """An expectation that the target does not meet.

    Args:
        expected: what the requirement demands.
        actual: what the target returned.
        exchange: number of the exchange that shows it, if a single one does.
    """

    def __init__(self, expected: str, actual: str, *, exchange: int | None = None) -> None:
        super().__init__(f"expected {expected}, got {actual}")
        self.expected = expected
        self.actual = actual
        self.exchange = exchange


class Blocked(Exception):
    """A step that has to succeed before a requirement can be judged failed."""


class NotOffered(Exception):
    """The target does not declare the operation or the feature that a check needs."""
