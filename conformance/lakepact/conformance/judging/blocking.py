"""Blocked verdicts beside the failures that show the same answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import STEP, Outcome, Verdict
from lakepact.generated.contract import Requirement

Evidence: TypeAlias = tuple[str | None, int, str, str]

BROKEN = frozenset({Outcome.FAIL, Outcome.WARN, Outcome.KNOWN_FAIL})
EXPECTED = frozenset({200, 204})  #: statuses that say nothing about why a step failed
#: Parts of a message that differ between requests: quoted values, names of the suite, UUIDs and
#: other hexadecimal ids, numbers.
VOLATILE = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|lp[_x]\w+|[0-9a-fA-F]{8}[0-9a-fA-F-]{8,}|\d+")


def with_like_failures(
    verdicts: Sequence[Verdict],
    exchanges: Mapping[int, Exchange],
    requirements: Mapping[str, Requirement],
) -> Iterator[Verdict]:
    """Yield the verdicts; a blocked one whose step has no requirement points to a failure with the
    same answer, if there is one.

    Args:
        verdicts: the verdicts of a run.
        exchanges: its exchanges by number.
        requirements: the requirements of the contract by id.
    """
    alike: dict[Evidence, list[str]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.outcome in BROKEN:
            for number in {
                f.exchanges[-1] for f in verdict.failures if f.exchanges
            } & exchanges.keys():
                alike[evidence(exchanges[number])].append(verdict.requirement)
    for verdict in verdicts:
        last = exchanges.get(verdict.exchanges[-1]) if verdict.exchanges else None
        failing = alike.get(evidence(last), []) if last and last.status not in EXPECTED else []
        if verdict.outcome is Outcome.BLOCKED and failing and STEP not in verdict.actual:
            least = min(
                failing,
                key=lambda requirement: (len(requirements[requirement].operations), requirement),
            )
            yield replace(verdict, actual=f"{verdict.actual} (as in {least})")
        else:
            yield verdict


def evidence(exchange: Exchange) -> Evidence:
    """Return what equal failures have in common: operation, status, error type, and the message
    without values.
    """
    error = exchange.error
    kind, message = (error.type or "", error.message) if error else ("", "")
    return exchange.operation, exchange.status, kind, VOLATILE.sub("*", message)
