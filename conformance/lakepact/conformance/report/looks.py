"""The colour, sign and words of each outcome and verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from lakepact.generated.report import ResultLine


@dataclass(frozen=True)
class Look:
    """How one outcome is shown."""

    style: str  #: class of the style sheet; empty for none
    sign: str
    sentence: str


LOOKS: Mapping[Outcome, Look] = {
    Outcome.PASS: Look("pass", "✓", "pass"),
    Outcome.FAIL: Look("fail", "✗", "fail"),
    Outcome.UNEXPECTED_PASS: Look("fail", "↑", "passes, but is listed as a known failure"),
    Outcome.WARN: Look("warn", "!", "warn"),
    Outcome.KNOWN_FAIL: Look("inconclusive", "k", "known failure"),
    Outcome.BLOCKED: Look("inconclusive", "?", "blocked"),
    Outcome.ERROR: Look("error", "⚡", "error of the suite"),
    Outcome.NOT_OFFERED: Look("", "·", "not offered"),
}

#: How verdicts of a campaign are shown; an empty one is of a requirement that no exchange concerns.
OF_CAMPAIGNS: Mapping[str, Look] = {
    **{
        outcome.value: LOOKS[outcome]
        for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.WARN, Outcome.ERROR)
    },
    "inconclusive": Look("inconclusive", "?", "inconclusive"),
    "": Look("", "·", "not seen"),
}

#: How a whole run is shown.
VERDICTS = {
    "conformant": Look("pass", "✓", "Conformant"),
    "not conformant": Look("fail", "✗", "Not conformant"),
    "incomplete": Look("inconclusive", "?", "Incomplete"),
}


def looks(outcomes: Mapping[str, int]) -> dict[Look, int]:
    """Return how many outcomes have each look, in the order in which pages show them."""
    return {look: outcomes[outcome] for outcome, look in LOOKS.items() if outcomes.get(outcome)}


def by_area(results: Iterable[ResultLine]) -> dict[str, Counter[str]]:
    """Return the counts of outcomes in each area."""
    areas: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        areas[result["area"]][result["outcome"]] += 1
    return areas
