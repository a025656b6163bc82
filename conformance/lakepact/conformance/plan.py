"""What will be run, and why the rest will not: checks and invariants, less what the user filters out."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.conformance.judges import Check, Invariant
    from lakepact.conformance.suite import Suite


class NothingSelected(LookupError):
    """The filters leave nothing to run."""


@dataclass(frozen=True)
class Plan:
    """The checks and invariants of a run, and the requirements that are judged."""

    suite: Suite[Any]
    checks: tuple[Check, ...]
    invariants: tuple[Invariant, ...]
    requirements: frozenset[str]
    only: tuple[str, ...] = ()


def plan(suite: Suite[Any], *, only: Sequence[str] = (), each: bool = False) -> Plan:
    """The plan of a run.

    Args:
        suite: the suite of a contract.
        only: patterns of requirement ids, areas, operations or check names; none means everything.
        each: whether each pattern has to match something; else one of them has to.

    Raises:
        NothingSelected: no requirement that a check judges matches them.
    """
    judged = suite.judged()
    wanted = frozenset(judged)
    if only:
        found = {pattern: frozenset(r for r, by in judged.items() if _matches(suite, r, by, pattern)) for pattern in only}
        vain = [pattern for pattern, matching in found.items() if not matching]
        if vain if each else len(vain) == len(found):
            raise NothingSelected(f"nothing matches {', '.join(vain)}; `lakepact list` shows ids, areas and checks")
        wanted = frozenset().union(*found.values())
    invariants = tuple(invariant for invariant in suite.invariants.values() if wanted.intersection(invariant.requirements))
    scenarios = frozenset(r for c in suite.checks.values() for r in c.requirements)
    # What no scenario of its own judges needs exchanges to look at: whoever asks for it gets the traffic of other checks too.
    lookers = [invariant for invariant in invariants if not wanted.intersection(invariant.requirements) <= scenarios]
    traffic = frozenset(name for invariant in invariants for name in invariant.traffic)
    everything = not all(invariant.traffic for invariant in lookers)
    checks = tuple(
        c for c in suite.checks.values() if wanted.intersection(c.requirements) or c.name in traffic or (everything and not c.alone)
    )
    return Plan(suite, checks, invariants, wanted, tuple(only))


def _matches(suite: Suite[Any], requirement: str, checks: tuple[str, ...], pattern: str) -> bool:
    known = suite.requirement(requirement)
    return any(fnmatch.fnmatchcase(name, pattern) for name in (requirement, known.area, *known.operations, *checks))
