"""The causes of a report's failures: deviating exchanges, each with the requirements that it breaks, the gravest first.

`evidence` says what findings of one cause have in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Outcome, Wrong
from lakepact.conformance.http.wire import BUSY
from lakepact.conformance.report.cases import Finding, Line
from lakepact.conformance.report.evidence import Evidence, Key

#: Operations whose answers name the files that a client reads, and members with the files.
ROWS = frozenset({"planTableScan", "fetchPlanningResult", "fetchScanTasks"})
FILES = frozenset({"file-scan-tasks", "delete-files", "plan-tasks"})

SHOWN = 160  #: characters of a text in a title
STATUS = re.compile(r"^(?:status [\d or]+|a refusal|a 4xx status|no 5xx status) ?")

#: By kind of mistake: what a request has, where `{}` is the member, the parameter or the thing.
MISTAKES: Mapping[str, str] = {
    Wrong.ABSENT: "for a {} that does not exist",
    Wrong.PRESENT: "for a {} that exists already or is not empty",
    Wrong.MISSING: "without a required member",
    Wrong.TYPE: "with a value of the wrong JSON type",
    Wrong.VALUE: "with an invalid value of `{}`",
    Wrong.DUPLICATE: "with a duplicate in `{}`",
    Wrong.UNKNOWN_ID: "with an unknown id in `{}`",
    Wrong.IN_USE: "with a change of what is in use, in `{}`",
    Wrong.STALE: "whose `{}` does not hold",
    Wrong.SYNTAX: "with an unreadable `{}`",
    Wrong.ACCESS: "without the rights or the credentials ({})",
}
#: By what is special about the names in a path.
NAMES = {
    "nested": "for a namespace of several levels",
    "encoded": "for a name with characters that are encoded",
}
#: By kind of difference: what an answer has, where `{}` is the place.
DEVIATIONS: Mapping[str, str] = {
    Kind.MISSING: "`{}` missing or incomplete",
    Kind.SURPLUS: "`{}` with more than it should have",
    Kind.VALUE: "another `{}`",
    Kind.TYPE: "`{}` with another JSON type",
    Kind.SPELLING: "`{}` as text instead of a number, or the reverse",
}


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
    return Cause(grave, _title_of(key, ordered, group), ordered, outcome)


def _gravity(finding: Finding) -> tuple[int, bool]:
    """Return the rank of a case of a requirement: the gravest, and of these one whose mistake needs no words of its own."""
    return severity(finding).rank, "phrase" in finding.failure.get("mutation", {})


def _shows(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in a cause that begins with an accepted request: the gravest shows what it did."""
    return (severity(finding).rank, not finding.accepted, *_explains(finding))


def _explains(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in its cause: what changes more explains the others, then what binds fewer operations."""
    return (
        finding.follows_refusal,
        not finding.accepted and finding.is_error,
        severity(finding) in {Severity.STATUS, Severity.TEXT},
        finding.result["outcome"] != Outcome.FAIL,
        finding.is_of_any_exchange,
        len(finding.result.get("operations", ())) or 99,
        severity(finding).rank,
    )


def severity(finding: Finding) -> Severity:
    """Return what clients lose by a finding, as the exchange shows it."""
    if finding.follows_refusal:
        return Severity.REFUSED
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


def _title_of(key: Key, findings: Sequence[Finding], group: Sequence[Finding]) -> str:
    """Return the title of a cause.

    Args:
        key: what its findings have in common.
        findings: one of each requirement; the first explains the others.
        group: all its cases.
    """
    names = list(dict.fromkeys(filter(None, (each.operation for each in group))))
    operations = ", ".join(names)
    match key:
        case ("refuses none", reads):
            methods = "GET or HEAD" if reads else "POST, PUT or DELETE"
            many = f"{len(findings)} requirements"
            return f"no {methods} request of the run was refused, for {many}"
        case ("no error body", status):
            return _short(
                f"errors with status {status} have no error body of the contract: {operations}"
            )
        case ("no error body",):
            return _short(f"errors have no error body of the contract: {operations}")
        case ("refused alike", status, expected):
            return _short(
                f"requests with mistakes of many kinds returned {status}, expected {expected}: {operations}"
            )
        case _:
            return _title(next((f for f in group if f.accepted), findings[0]), names)


def _title(finding: Finding, operations: Sequence[str]) -> str:
    expected, actual = (_short(finding.failure[side]) for side in ("expected", "actual"))
    if finding.exchange is None:
        return f"expected {expected}, got {actual}"
    request = finding.exchange["request"]
    sent = finding.operation or f"{request['method']} {request['url']}"
    is_about_status = finding.expected_status or STATUS.match(finding.failure["expected"])
    if not is_about_status:
        return f"{sent} returned {_deviation(finding)}: expected {expected}, got {actual}"
    status = " or ".join(map(str, finding.expected_status)) or _sort_of_status(finding)
    also = f" (also {', '.join(o for o in operations if o != finding.operation)})"
    return _short(
        f"{sent} returned {finding.status}{_body(finding)} {_request(finding)}".rstrip()
        + f", expected {status}"
        + (also if set(operations) - {finding.operation} else "")
    )


def _sort_of_status(finding: Finding) -> str:
    expected = STATUS.match(finding.failure["expected"])
    return expected[0].strip().removeprefix("status ") if expected else "a refusal"


def _deviation(finding: Finding) -> str:
    """Return what the answer has at the place that is not as expected; its status if the place is not known."""
    place, kind = "/".join(finding.place), finding.failure.get("difference", {}).get("kind", "")
    return DEVIATIONS[kind].format(place) if place and kind in DEVIATIONS else str(finding.status)


def _request(finding: Finding) -> str:
    """Return what was wrong in the request, or special about it: in the words of the check, or else of the mutation."""
    if phrase := finding.failure.get("mutation", {}).get("phrase", ""):
        return str(phrase)
    about = STATUS.sub("", finding.failure["expected"]).strip()
    if STATUS.match(finding.failure["expected"]) and about:
        return about
    kind, at = finding.mistake
    if not kind and finding.names and finding.expects_success:
        return NAMES[finding.names]
    if kind in MISTAKES:
        return re.sub(r"\ba (?=[aeio])", "an ", MISTAKES[kind].format(at.removesuffix("/*")))
    return f"to {at.partition(' with ')[2]}" if " with " in at else ""


def _body(finding: Finding) -> str:
    """Return what an error's body is: its type, or that it is not the contract's."""
    if finding.status < LOWEST_ERROR:
        return ""
    if finding.error_type is not None:
        return f" ({finding.error_type or 'an empty type'})"
    is_head = finding.exchange is not None and finding.exchange["request"]["method"] == "HEAD"
    return "" if is_head else " without the contract's error body"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


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
