"""The findings of a report in the order in which formats show them: by cause, and blocked requirements by what blocks them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lakepact.conformance.evidence.outcome import ENDED_EARLY, Outcome
from lakepact.conformance.report.requests import deciding, of_cause

EVIDENCE = (Outcome.ERROR, Outcome.FAIL, Outcome.UNEXPECTED_PASS, Outcome.BLOCKED, Outcome.WARN)
STEP = re.compile(
    r"(?:blocked by |a set-up step failed \()([A-Z][\w-]+)"
)  #: the requirement of the step that failed


def findings(
    report: Sequence[dict[str, Any]],
) -> Iterator[tuple[dict[str, Any] | None, list[dict[str, Any]]]]:
    """Yield each cause with its results, then results without a cause in groups, the worst outcome first."""
    results = [line for line in report if line["line"] == "result"]
    for line in report:
        if line["line"] == "cause":
            yield line, of_cause(results, line)
    for outcome in EVIDENCE:
        for group in grouped(
            result for result in results if result["outcome"] == outcome and "cause" not in result
        ):
            yield None, group


def grouped(results: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group results that are blocked for the same reason; every other result is a group of its own."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        key = _key(result) if result["outcome"] == Outcome.BLOCKED else result["requirement"]
        groups.setdefault(key, []).append(result)
    return list(groups.values())


def reason(result: Mapping[str, Any]) -> str:
    """Return why a requirement is blocked."""
    return str(deciding(result).get("actual") or _key(result))


def _key(result: Mapping[str, Any]) -> str:
    """Return the requirement whose step blocks a result, or else the reason."""
    why = str(deciding(result).get("remark", "")).removeprefix(ENDED_EARLY)
    step = STEP.match(why)
    return step[1] if step else why
