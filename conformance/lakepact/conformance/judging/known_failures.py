"""Known failures: patterns of requirement ids, each with a reason.

A pattern that matches no requirement is an error. A known failure that passes in every check fails
the run. Every line needs a reason.

    # requirement pattern      reason
    IRC-TBL-REG-*              registering is refused in this edition, ticket 4711
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lakepact.conformance.evidence.outcome import Outcome, Verdict


class KnownFailuresError(ValueError):
    """A file of known failures is malformed."""


@dataclass(frozen=True)
class KnownFailure:
    """One line of the file."""

    pattern: str
    reason: str


def read(path: Path | None, requirements: Collection[str]) -> tuple[KnownFailure, ...]:
    """Read the known failures of a file; none without a file.

    Raises:
        KnownFailuresError: the file is not UTF-8, a line has no reason, or a pattern matches no
            requirement.
    """
    if path is None:
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise KnownFailuresError(f"{path} is not a text file in UTF-8") from error
    entries = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        pattern, *reason = text.split(maxsplit=1)
        if not reason:
            raise KnownFailuresError(
                f"{path}:{number}: {pattern} has no reason; write it after the pattern"
            )
        if not fnmatch.filter(requirements, pattern):
            raise KnownFailuresError(
                f"{path}:{number}: {pattern} matches no requirement; see `lakepact list`"
            )
        entries.append(KnownFailure(pattern, *reason))
    return tuple(entries)


def apply(verdict: Verdict, entries: tuple[KnownFailure, ...]) -> Verdict:
    """Return `verdict`, as a known failure if it fails and is listed."""
    match = matching(verdict.requirement, entries)
    if match is None or verdict.outcome not in (Outcome.FAIL, Outcome.WARN):
        return verdict
    return replace(verdict, outcome=Outcome.KNOWN_FAIL, remark=match.reason)


def flag_passes(
    verdicts: Iterable[Verdict], entries: tuple[KnownFailure, ...]
) -> tuple[Verdict, ...]:
    """Return the verdicts of one requirement; if it is listed and all that were judged pass, each
    of these is unexpected.
    """
    results = tuple(verdicts)
    match = matching(results[0].requirement, entries) if results else None
    if match is None or not {v.outcome for v in results} <= {Outcome.PASS, Outcome.NOT_OFFERED}:
        return results
    expected, actual = (
        f"the known failure ({match.reason})",
        "the requirement passes; remove it from the list",
    )
    return tuple(
        replace(v, outcome=Outcome.UNEXPECTED_PASS, expected=expected, actual=actual)
        if v.outcome is Outcome.PASS
        else v
        for v in results
    )


def matching(name: str, entries: tuple[KnownFailure, ...]) -> KnownFailure | None:
    """Return the first line whose pattern matches the name of a requirement."""
    return next((entry for entry in entries if fnmatch.fnmatchcase(name, entry.pattern)), None)
