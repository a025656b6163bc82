"""The failed requirements that kept others from being judged."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from lakepact.conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.conformance.evidence.exchanges import Exchange
    from lakepact.conformance.evidence.outcome import Verdict
    from lakepact.generated.contract import Requirement

    Evidence: TypeAlias = tuple[str | None, int, str, str]

BROKEN = frozenset({Outcome.FAIL, Outcome.WARN, Outcome.KNOWN_FAIL})
EXPECTED = frozenset({200, 204})  #: statuses that say nothing about why a step failed
#: Parts of a message that differ between requests: quoted values, names of the suite, UUIDs and other hexadecimal ids, numbers.
VOLATILE = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|lp_\w+|[0-9a-fA-F]{8}[0-9a-fA-F-]{8,}|\d+")


def with_causes(
    verdicts: Sequence[Verdict], exchanges: Mapping[int, Exchange], requirements: Mapping[str, Requirement]
) -> Iterator[Verdict]:
    """Yield the verdicts; a blocked one begins with the failed requirement that explains it, where there is one.

    A failed requirement explains a blocked one if the same check found it, or if the same operation returned the same status and error.

    Args:
        verdicts: the verdicts of a run.
        exchanges: its exchanges by number.
        requirements: the requirements of the contract by id.
    """
    of_check: dict[str, list[str]] = defaultdict(list)
    of_evidence: dict[Evidence, list[str]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.outcome in BROKEN:
            of_check[verdict.check].append(verdict.requirement)
            for shown in {f.exchanges[-1] for f in verdict.failures if f.exchanges} & exchanges.keys():
                of_evidence[evidence(exchanges[shown])].append(verdict.requirement)
    named = {requirement for found in of_check.values() for requirement in found}
    for verdict in verdicts:
        if verdict.outcome is not Outcome.BLOCKED or any(requirement in verdict.actual for requirement in named):
            yield verdict
            continue
        last = exchanges.get(verdict.exchanges[-1]) if verdict.exchanges else None
        causes = of_evidence.get(evidence(last), []) if last and last.status not in EXPECTED else []
        cause = _clearest(causes or of_check.get(verdict.check, []), last, requirements)
        yield replace(verdict, actual=f"blocked by {cause}: {verdict.actual}", remark=f"blocked by {cause}") if cause else verdict


def evidence(exchange: Exchange) -> Evidence:
    """Return what equal failures have in common: operation, status, error type, and the message without values."""
    parsed = exchange.parsed
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else {}
    kind, message = (str(error.get(member, "")) for member in ("type", "message")) if isinstance(error, dict) else ("", str(error))
    return exchange.operation, exchange.status, kind, VOLATILE.sub("*", message)


def _clearest(found: Sequence[str], exchange: Exchange | None, requirements: Mapping[str, Requirement]) -> str:
    """Return the requirement that is most about the operation of an exchange; empty if there is none."""

    def rank(requirement: str) -> tuple[bool, int, str]:
        operations = requirements[requirement].operations
        return exchange is None or exchange.operation not in operations, len(operations), requirement

    return min(found, key=rank, default="")
