"""The checks and invariants of a run, filtered by the user's patterns."""

from __future__ import annotations

import difflib
import fnmatch
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from lakepact.conformance.judging.definitions import Check, Invariant
from lakepact.conformance.running.suite import Suite


class NothingSelected(LookupError):
    """The filters select no requirement."""


@dataclass(frozen=True)
class Plan:
    """The checks and invariants of a run, and the requirements that they judge."""

    suite: Suite[Any]
    checks: tuple[Check, ...]
    invariants: tuple[Invariant, ...]
    requirements: frozenset[str]
    only: tuple[str, ...] = ()
    #: whether all checks run for invariants that judge every exchange, although `only` selects none
    #: of them
    whole: bool = False


def plan(
    suite: Suite[Any], *, only: Sequence[str] = (), each: bool = False, narrow: bool = False
) -> Plan:
    """Return the plan of a run.

    Args:
        suite: the suite of a contract.
        only: patterns of requirement ids, areas, operations or check names; empty selects
            everything.
        each: whether every pattern must match a requirement, or at least one of them.
        narrow: whether an invariant that judges every exchange judges those of the selected checks,
            if there are any; otherwise all checks run for it.

    Raises:
        NothingSelected: the patterns match no requirement that a check judges.
    """
    judges = suite.judges()
    selection = frozenset(judges)
    if only:
        matches = {
            pattern: frozenset(r for r, by in judges.items() if _matches(suite, r, by, pattern))
            for pattern in only
        }
        vain = [pattern for pattern, matching in matches.items() if not matching]
        if vain if each else len(vain) == len(matches):
            near = alike(
                vain[0], {name for r, by in judges.items() for name in _names(suite, r, by)}
            )
            raise NothingSelected(
                f"nothing matches {', '.join(vain)};"
                f" {near or '`lakepact list` shows ids, areas and checks'}"
            )
        selection = frozenset().union(*matches.values())
    invariants = tuple(
        invariant
        for invariant in suite.invariants.values()
        if selection.intersection(invariant.requirements)
    )
    scenarios = frozenset(r for c in suite.checks.values() for r in c.requirements)
    # A requirement that only invariants judge needs exchanges: other checks run too, to produce
    # them.
    lookers = [
        invariant
        for invariant in invariants
        if not selection.intersection(invariant.requirements) <= scenarios
    ]
    traffic = frozenset(name for invariant in invariants for name in invariant.traffic)
    everything = not all(invariant.traffic for invariant in lookers) and not (
        narrow and selection & scenarios
    )
    checks = tuple(
        c
        for c in suite.checks.values()
        if selection.intersection(c.requirements)
        or c.name in traffic
        or (everything and not c.alone)
    )
    return Plan(suite, checks, invariants, selection, tuple(only), everything and bool(only))


def quick(suite: Suite[Any]) -> tuple[str, ...]:
    """Return the ids of the requirements that clients of a contract depend on in every session."""
    contract = suite.contract
    checks = resources.files("lakepact.conformance.checks")
    lists = [
        checks.joinpath(name, "quick.toml") for name in (contract.profile_of, contract.name) if name
    ]
    texts = [file.read_text("utf-8") for file in lists if file.is_file()]
    groups = [group for text in texts for group in tomllib.loads(text).values()]
    return tuple(
        requirement
        for group in groups
        for requirement in group["requirements"]
        if requirement in suite.judges()
    )


def _matches(suite: Suite[Any], requirement: str, checks: tuple[str, ...], pattern: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for name in _names(suite, requirement, checks))


def _names(suite: Suite[Any], requirement: str, checks: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names by which a requirement can be selected."""
    definition = suite.requirement(requirement)
    return (requirement, definition.area, *definition.operations, *checks)


def alike(name: str, names: Collection[str]) -> str:
    """Return a question with the names most like a misspelled one, at first those with its
    beginning; empty if there are none.
    """
    beginning = f"{name.rpartition('-')[0]}-"
    candidates = [each for each in names if each.startswith(beginning)] or names
    near = difflib.get_close_matches(name, sorted(candidates), n=3)
    return f"did you mean {', '.join(near)}?" if near else ""
