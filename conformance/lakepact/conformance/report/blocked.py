"""Blocked requirements, grouped by what blocks them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.outcome import ENDED_EARLY, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STEP = re.compile(r"(?:blocked by |a set-up step failed \()([A-Z][\w-]+)")  #: the requirement of the step that failed


def grouped(results: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group results that are blocked for the same reason; every other result is a group of its own."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        key = _key(result) if result["outcome"] == Outcome.BLOCKED else result["requirement"]
        groups.setdefault(key, []).append(result)
    return list(groups.values())


def reason(result: Mapping[str, Any]) -> str:
    """Return why a requirement is blocked."""
    return str(_verdict(result).get("actual") or _key(result))


def _key(result: Mapping[str, Any]) -> str:
    """Return the requirement whose step blocks a result, or else the reason."""
    why = str(_verdict(result).get("remark", "")).removeprefix(ENDED_EARLY)
    step = STEP.match(why)
    return step[1] if step else why


def _verdict(result: Mapping[str, Any]) -> Mapping[str, Any]:
    blocked: Mapping[str, Any] = next(v for v in result["verdicts"] if v["outcome"] == Outcome.BLOCKED)
    return blocked
