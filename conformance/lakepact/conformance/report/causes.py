"""The causes of a report's failures: requirements whose evidence is equal, told once, the gravest first.

`evidence` says what findings of one cause have in common.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.evidence import Evidence, Finding, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from lakepact.conformance.report.evidence import Key, Line

SHOWN = 160  #: characters of a text in the title of a cause


class Severity(StrEnum):
    """The harm of a cause to clients, the gravest first."""

    DATA = "data lost or corrupted"
    EFFECT = "wrong effect"
    STATUS = "wrong status"
    TEXT = "wrong text"

    @property
    def rank(self) -> int:
        """Rank of the severity; 0 is the gravest."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of failures."""

    severity: Severity
    title: str  #: what was sent, expected and returned
    requirements: tuple[str, ...]  #: ids, the clearest first
    outcome: Outcome  #: the worst of the requirements


def causes(report: Iterable[Line], unrefusing: Collection[str] = ()) -> list[Cause]:
    """Return the causes of the broken requirements of a report, the gravest first.

    Args:
        report: the lines of results and exchanges.
        unrefusing: operations that answered no request of the run with a 4xx status.
    """
    evidence = Evidence(report, unrefusing)
    groups: dict[Key, list[Finding]] = defaultdict(list)
    for finding in evidence.findings:
        groups[evidence.key(finding)].append(finding)
    found = [_cause(key, group) for key, group in _by_status(groups, evidence).items()]
    return sorted(found, key=lambda cause: (cause.outcome is not Outcome.FAIL, cause.severity.rank, -len(cause.requirements)))


def _by_status(groups: Mapping[Key, list[Finding]], evidence: Evidence) -> dict[Key, list[Finding]]:
    """Return the groups; errors that say no more than their status are grouped by what else is equal."""
    merged: dict[Key, list[Finding]] = defaultdict(list)
    for key, group in groups.items():
        by_status = key[0] == "error" and _is_told_by_status(group)
        for finding in group:
            merged[_status_key(finding, evidence) if by_status else key].append(finding)
    return merged


def _status_key(finding: Finding, evidence: Evidence) -> Key:
    """Return the status of a server error with the type, which names an exception; of others what `Evidence.status_key` returns."""
    error = error_of(finding) if finding.status >= 500 else None
    return ("type of error", finding.status, error[0], finding.expects_success) if error else evidence.status_key(finding)


def _is_told_by_status(group: Sequence[Finding]) -> bool:
    """Return whether one finding alone has an error, or all are refusals of one operation with another 4xx status than expected."""
    if len(group) == 1:
        return group[0].is_about_status
    return len({finding.operation for finding in group}) == 1 and all(finding.is_refused_otherwise for finding in group)


def _cause(key: Key, group: Sequence[Finding]) -> Cause:
    worst = min(group, key=lambda finding: (finding.result["outcome"] != Outcome.FAIL, _severity(finding).rank))
    ordered = sorted(group, key=lambda finding: (finding is not worst, finding.result["outcome"] != Outcome.FAIL))
    outcome = Outcome(worst.result["outcome"])
    title = TITLES[key[0]](group, *key[1:]) if key[0] in TITLES else _title(worst)
    return Cause(_severity(worst), title, tuple(finding.requirement for finding in ordered), outcome)


def _severity(finding: Finding) -> Severity:
    at_stake = finding.result.get("risk") == "data"
    if finding.expected_status and finding.status not in finding.expected_status and not finding.accepted:
        return Severity.STATUS
    if not finding.expected_status and finding.status >= 400:
        return Severity.STATUS if finding.failure.get("about_status") else Severity.TEXT
    return Severity.DATA if at_stake else Severity.EFFECT


def _title_of_unrefusing(group: Sequence[Finding]) -> str:
    return _short(f"no request was refused by {_operations(group)}")


def _title_of_accepting(group: Sequence[Finding], flaw: str) -> str:
    wrong = "a value of the wrong JSON type" if flaw == "wrong type" else f"a {flaw} that does not exist"
    return _short(f"requests with {wrong} were accepted by {_operations(group)}")


def _title_of_unchanging(group: Sequence[Finding]) -> str:
    return f"commits were accepted and changed nothing, for {len(group)} requirements"


def _operations(group: Sequence[Finding]) -> str:
    return ", ".join(dict.fromkeys(finding.operation or "" for finding in group if finding.accepted))


#: By the kind of a key: titles of causes that more than one operation can show.
TITLES: Mapping[object, Callable[..., str]] = {
    "refuses nothing": _title_of_unrefusing,
    "accepts": _title_of_accepting,
    "changes nothing": _title_of_unchanging,
}


def _title(finding: Finding) -> str:
    exchange = finding.exchange
    expected, actual = (_short(finding.failure[side]) for side in ("expected", "actual"))
    if exchange is None:
        return f"expected {expected}, got {actual}"
    request = exchange["operation"] or f"{exchange['request']['method']} {exchange['request']['url']}"
    request += f" with {finding.subject}" if finding.accepted and finding.subject else ""
    if finding.expected_status and finding.status not in finding.expected_status:
        error = error_of(finding)
        wanted = " or ".join(map(str, finding.expected_status))
        has_none = finding.status >= 400 and exchange["request"]["method"] != "HEAD"
        body = f" ({error[0] or 'an empty type'})" if error else " without the contract's error body" if has_none else ""
        return f"{request} returned {finding.status}{body}, expected {wanted}"
    return f"{request} returned {finding.status}: expected {expected}, got {actual}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def summary(report: Sequence[Line]) -> str:
    """Return how many causes and requirements a report has, by severity, such as "25 causes, 95 requirements"; empty without failures."""
    counted: Mapping[str, int] = report[-1].get("causes", {})
    if not counted:
        return ""
    failed = sum(line["line"] == "result" and line["outcome"] == Outcome.FAIL for line in report)
    kinds = ", ".join(f"{counted[severity]} {severity}" for severity in Severity if severity in counted)
    return f"{plural(sum(counted.values()), 'cause')}, {plural(failed, 'requirement')}: {kinds}"


def plural(number: int, thing: str) -> str:
    """Return a number with its noun."""
    return f"{number} {thing}" + ("" if number == 1 else "s")
