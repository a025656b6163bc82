"""The causes of a report's failures: deviating exchanges, each with the requirements that it breaks, the gravest first.

`evidence` says what findings of one cause have in common, and `titles` how a cause is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Outcome, Wrong
from lakepact.conformance.http.wire import BUSY
from lakepact.conformance.report.evidence import Evidence, Finding, Key, Line
from lakepact.conformance.report.titles import title

#: Operations whose answers name the files that a client reads, and members with the files.
ROWS = frozenset({"planTableScan", "fetchPlanningResult", "fetchScanTasks"})
FILES = frozenset({"file-scan-tasks", "delete-files", "plan-tasks"})


class Severity(StrEnum):
    """The harm of a cause to clients, the gravest first."""

    DATA = "data lost or corrupted"
    EXPOSED = "data exposed"
    REFUSED = "right request refused"
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

    severity: Severity  #: of the gravest finding
    title: str  #: what was sent, expected and returned
    findings: tuple[Finding, ...]  #: one of each requirement; the first explains the others
    outcome: Outcome  #: the worst of the requirements

    @property
    def requirements(self) -> tuple[str, ...]:
        """The ids of the requirements that the cause breaks."""
        return tuple(finding.requirement for finding in self.findings)


def causes(report: Iterable[Line], *, refused: Collection[str] = ("GET", "POST")) -> list[Cause]:
    """Return the causes of the broken requirements of a report: those of failures first, each by severity.

    Args:
        report: the lines of results and exchanges.
        refused: methods with a request that the server refused.
    """
    evidence = Evidence(report, refused=refused)
    groups: dict[Key, list[Finding]] = defaultdict(list)
    for finding in evidence.findings:
        groups[evidence.key(finding)].append(finding)
    return sorted((_cause(key, group) for key, group in groups.items()), key=_order)


def _order(cause: Cause) -> tuple[bool, int, int]:
    return (cause.outcome is not Outcome.FAIL, cause.severity.rank, -len(cause.findings))


def _cause(key: Key, group: Sequence[Finding]) -> Cause:
    gravest: dict[str, Finding] = {}
    for finding in sorted(group, key=_gravity):
        gravest.setdefault(finding.requirement, finding)
    ranked = _shows if key[0] == "accepted" else _explains
    ordered = tuple(sorted(gravest.values(), key=ranked))
    outcome = min(
        (Outcome(finding.result["outcome"]) for finding in group),
        key=lambda outcome: outcome.weight,
    )
    grave = min((severity(finding) for finding in group), key=lambda each: each.rank)
    return Cause(grave, title(key, ordered, group), ordered, outcome)


def _gravity(finding: Finding) -> tuple[int, bool]:
    """Return the rank of a case of a requirement: the gravest, and of these one whose mistake needs no words of its own."""
    return severity(finding).rank, "phrase" in finding.failure.get("mutation", {})


def _shows(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in a cause that begins with an accepted request: the gravest shows what it did."""
    return (severity(finding).rank, not finding.accepted, *_explains(finding))


def _explains(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in its cause: what changes more explains the others, then what binds fewer operations."""
    return (
        not finding.accepted and finding.is_error,
        severity(finding) in {Severity.STATUS, Severity.TEXT},
        finding.result["outcome"] != Outcome.FAIL,
        finding.is_of_any_exchange,
        len(finding.result.get("operations", ())) or 99,
        severity(finding).rank,
    )


def severity(finding: Finding) -> Severity:
    """Return what clients lose by a finding, as the exchange shows it."""
    is_data = finding.result.get("risk") == "data"
    if finding.status >= LOWEST_ERROR:
        return _severity_of_error(finding, is_data=is_data)
    if finding.accepted and finding.failure.get("mutation", {}).get("kind") == Wrong.ACCESS:
        return Severity.EXPOSED
    if finding.is_about_status and not finding.accepted:
        return Severity.STATUS
    is_lost = is_data or _loses_rows(finding) or _shows_refused(finding)
    return Severity.DATA if is_lost else Severity.EFFECT


def _severity_of_error(finding: Finding, *, is_data: bool) -> Severity:
    if finding.difference.endswith("/message"):
        return Severity.TEXT
    if not finding.expects_success or finding.status in BUSY:  # they ask to come again
        return Severity.STATUS
    return Severity.DATA if is_data and finding.reads else Severity.REFUSED


def _shows_refused(finding: Finding) -> bool:
    """Return whether a read shows another value than expected after a change that was refused."""
    changed = finding.is_about(Kind.VALUE, Kind.SURPLUS)
    return finding.refused is not None and finding.reads and changed


def _loses_rows(finding: Finding) -> bool:
    """Return whether a plan has other files than the rows that were asked for."""
    return (
        finding.operation in ROWS
        and len(finding.place) == 1
        and finding.place[0] in FILES
        and not finding.is_about(Kind.TYPE, Kind.SPELLING)
    )


def summary(report: Sequence[Line]) -> str:
    """Return how many causes and requirements a report has, by severity, such as "25 causes, 95 requirements"; empty without failures."""
    lines = [line for line in report if line["line"] == "cause"]
    failed = sum(line["line"] == "result" and line["outcome"] == Outcome.FAIL for line in report)
    failures = [line["severity"] for line in lines if line["outcome"] == Outcome.FAIL]
    warnings = len(lines) - len(failures)
    kinds = ", ".join(
        f"{failures.count(severity)} {severity}" for severity in Severity if severity in failures
    )
    told = f"{plural(len(failures), 'cause')}, {plural(failed, 'requirement')}: {kinds}"
    also = f"{plural(warnings, 'cause')} of warnings"
    return "; ".join(filter(None, (told if failures else "", also if warnings else "")))


def plural(number: int, thing: str) -> str:
    """Return a number with its noun."""
    return f"{number} {thing}" + ("" if number == 1 else "s")
