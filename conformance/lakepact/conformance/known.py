"""Known failures: patterns with reasons, kept honest by three rules.

A pattern that matches no requirement is an error; a known failure that passes fails the run; every line gives a reason.

    # requirement pattern      reason
    IRC-TBL-REG-*              registering is refused in this edition, ticket 4711
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lakepact.conformance.outcome import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


class KnownFailuresError(ValueError):
    """A file of known failures that cannot be used."""


@dataclass(frozen=True)
class KnownFailure:
    """One line of the file."""

    pattern: str
    reason: str


def read(path: Path, requirements: Collection[str]) -> tuple[KnownFailure, ...]:
    """The known failures of a file.

    Raises:
        KnownFailuresError: it is no text, a line has no reason, or its pattern matches no requirement.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as wrong:
        raise KnownFailuresError(f"{path} cannot be read: it is no text in UTF-8") from wrong
    known = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        pattern, _, reason = text.partition(" ")
        if not reason.strip():
            raise KnownFailuresError(f"{path}:{number}: {pattern} has no reason; write one behind the pattern")
        if not fnmatch.filter(requirements, pattern):
            raise KnownFailuresError(f"{path}:{number}: {pattern} matches no requirement; see `lakepact list`")
        known.append(KnownFailure(pattern, reason.strip()))
    return tuple(known)


def applied(verdict: Verdict, known: tuple[KnownFailure, ...]) -> Verdict:
    """`verdict` as it counts when these failures are known."""
    match = next((k for k in known if fnmatch.fnmatchcase(verdict.requirement, k.pattern)), None)
    if match is None:
        return verdict
    if verdict.outcome in (Outcome.FAIL, Outcome.WARN):
        return replace(verdict, outcome=Outcome.KNOWN_FAIL, remark=match.reason)
    if verdict.outcome is Outcome.PASS:
        return replace(
            verdict,
            outcome=Outcome.UNEXPECTED_PASS,
            expected=f"the known failure ({match.reason})",
            actual="the requirement is kept; take it out of the list",
        )
    return verdict
