"""The causes of a report's failures: requirements whose evidence is equal, told once, the gravest first.

`evidence` says what findings of one cause have in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lakepact.conformance.evidence.outcome import Outcome, Wrong
from lakepact.conformance.http.wire import BUSY
from lakepact.conformance.report.evidence import Evidence, Finding, Key, Line, error_of

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

    severity: Severity  #: of the gravest finding
    title: str  #: what was sent, expected and returned
    findings: tuple[Finding, ...]  #: one of each requirement, the gravest first
    outcome: Outcome  #: the worst of the requirements

    @property
    def requirements(self) -> tuple[str, ...]:
        """The ids of the requirements that the cause breaks."""
        return tuple(finding.requirement for finding in self.findings)


def causes(report: Iterable[Line], *, refused: Collection[str] = ("GET", "POST")) -> list[Cause]:
    """Return the causes of the broken requirements of a report, the gravest first.

    Args:
        report: the lines of results and exchanges.
        refused: methods with a request that the server refused.
    """
    evidence = Evidence(report, refused=refused)
    groups: dict[Key, list[Finding]] = defaultdict(list)
    for finding in evidence.findings:
        groups[evidence.key(finding)].append(finding)
    found = [_cause(key, group) for key, group in groups.items()]
    return sorted(
        found,
        key=lambda cause: (
            cause.severity.rank,
            cause.outcome is not Outcome.FAIL,
            -len(cause.findings),
        ),
    )


def _cause(key: Key, group: Sequence[Finding]) -> Cause:
    ordered = sorted(
        group,
        key=lambda finding: (_severity(finding).rank, finding.result["outcome"] != Outcome.FAIL),
    )
    outcome = min(
        (Outcome(finding.result["outcome"]) for finding in group),
        key=lambda outcome: outcome.weight,
    )
    shown = next((finding for finding in ordered if finding.accepted), ordered[0])
    return Cause(
        _severity(ordered[0]), _common_title(key, group) or _title(shown), tuple(ordered), outcome
    )


def _severity(finding: Finding) -> Severity:
    """Return what clients lose by a finding; by one about a refusal, nothing that is stored."""
    is_data = finding.result.get("risk") == "data"
    if finding.is_error and not (is_data and finding.expects_success and _is_lost(finding)):
        return Severity.TEXT if finding.difference.endswith("/message") else Severity.STATUS
    if finding.is_about_status and not finding.accepted and not finding.is_error:
        return Severity.STATUS
    return Severity.DATA if is_data else Severity.EFFECT


def _is_lost(finding: Finding) -> bool:
    # A busy server asks its clients to come again.
    return finding.reads and finding.status not in BUSY


#: By kind of mistake: requests with it, where `{}` is the member, the parameter or the thing.
MISTAKES: Mapping[str, str] = {
    Wrong.ABSENT: "about a {} that does not exist",
    Wrong.PRESENT: "about a {} that exists already or is not empty",
    Wrong.MISSING: "without a required member",
    Wrong.TYPE: "with a value of the wrong JSON type",
    Wrong.VALUE: "with an invalid value of `{}`",
    Wrong.DUPLICATE: "with a duplicate in `{}`",
    Wrong.UNKNOWN_ID: "with an unknown id in `{}`",
    Wrong.IN_USE: "that remove what is in use by `{}`",
    Wrong.STALE: "whose `{}` does not hold",
    Wrong.SYNTAX: "with an unreadable `{}`",
    Wrong.ACCESS: "without the rights or the credentials ({})",
}


def _mistake(kind: str, at: object) -> str:
    return re.sub(r"\ba (?=[aeio])", "an ", MISTAKES[kind].format(at))


def _common_title(key: Key, group: Sequence[Finding]) -> str:
    """Return the title of a cause that several operations can show: an empty text for another cause."""
    operations = ", ".join(dict.fromkeys(finding.operation for finding in group))
    match key:
        case ("refuses none", reads):
            methods = "GET or HEAD" if reads else "POST, PUT or DELETE"
            return f"no {methods} request of the run was refused, for {plural(len(group), 'requirement')}"
        case ("no error body", status):
            return _short(
                f"errors with status {status} have no error body of the contract: {operations}"
            )
        case ("accepted", kind, at) if kind in MISTAKES:
            accepting = ", ".join(
                dict.fromkeys(finding.operation for finding in group if finding.accepted)
            )
            return _short(f"requests {_mistake(str(kind), at)} were accepted by {accepting}")
        case ("refused", kind, at, status, error) if kind in MISTAKES:
            wanted = " or ".join(map(str, group[0].expected_status))
            returned = f"{status} ({error})" if error else status
            return _short(
                f"requests {_mistake(str(kind), at)} returned {returned}, expected {wanted}: {operations}"
            )
        case ("refused alike", status, wanted):
            return _short(
                f"requests with mistakes of many kinds returned {status}, expected {wanted}: {operations}"
            )
        case _:
            return ""


def _title(finding: Finding) -> str:
    exchange = finding.exchange
    expected, actual = (_short(finding.failure[side]) for side in ("expected", "actual"))
    if exchange is None:
        return f"expected {expected}, got {actual}"
    request = (
        finding.mistake[1] if finding.accepted and not finding.mistake[0] else finding.operation
    )
    request = request or f"{exchange['request']['method']} {exchange['request']['url']}"
    if finding.expected_status and finding.is_about_status:
        error = error_of(finding)
        wanted = " or ".join(map(str, finding.expected_status))
        has_none = finding.status >= 400 and exchange["request"]["method"] != "HEAD"
        body = (
            f" ({error[0] or 'an empty type'})"
            if error
            else " without the contract's error body"
            if has_none
            else ""
        )
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
    kinds = ", ".join(
        f"{counted[severity]} {severity}" for severity in Severity if severity in counted
    )
    return f"{plural(sum(counted.values()), 'cause')}, {plural(failed, 'requirement')}: {kinds}"


def plural(number: int, thing: str) -> str:
    """Return a number with its noun."""
    return f"{number} {thing}" + ("" if number == 1 else "s")
