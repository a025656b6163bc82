"""The causes of a report's failures: requirements whose evidence is equal, told once, the gravest first.

Two requirements have one cause if their clearest failures are equal in one of these ways, tried in this order and never combined:

1. The failure follows from a request that should have been refused and was accepted, which is another requirement's failure.
2. An error response has no error body of the contract; the status is the same.
3. Status, error type and message are the same, names and numbers aside.
4. The operation, the expected status and the actual status are the same, and the error is shared with no other requirement.
5. Expected and actual text are the same, names and numbers aside.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from lakepact.conformance.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: One line of a report.
Line: TypeAlias = "Mapping[str, Any]"

BROKEN = (Outcome.FAIL, Outcome.WARN)
SHOWN = 160  #: characters of a text in the title of a cause

#: Parts of a message that differ from request to request: names that checks create, UUIDs, quoted texts, places of classes, numbers.
PARTICULAR = re.compile(
    r"lp_[0-9a-f]+_[0-9_a-z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|'[^']*'|\"[^\"]*\"|`[^`]*`|\bat /\S+|(?:file|s3|http)s?:\S+|\d+"
)


#: An error body of the contract that a report shows in part.
CUT_ERROR = re.compile(r"""\s*\{\s*"error"\s*:\s*\{.*?"message"\s*:\s*"((?:[^"\\]|\\.)*)".*?"type"\s*:\s*"([^"]*)\"""", re.DOTALL)


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


@dataclass(frozen=True, slots=True)
class _Finding:
    """The clearest failure of a requirement, with the exchange that shows it."""

    result: Line
    verdict: Line
    failure: Line
    exchange: Line | None

    @property
    def requirement(self) -> str:
        return str(self.result["requirement"])

    @property
    def status(self) -> int:
        return int(self.exchange["response"]["status"]) if self.exchange else 0

    @property
    def expected_status(self) -> tuple[int, ...]:
        return tuple(self.failure.get("expected_status", ()))

    @property
    def accepted(self) -> bool:
        """Whether a request was accepted that should have been refused."""
        return bool(self.expected_status) and min(self.expected_status) >= 400 > self.status >= 200


def causes(report: Iterable[Line]) -> list[Cause]:
    """Return the causes of the broken requirements of a report, the gravest first.

    Args:
        report: the lines of results and exchanges.
    """
    lines = list(report)
    exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
    findings = [_finding(line, exchanges) for line in lines if line["line"] == "result" and line["outcome"] in BROKEN]
    accepted = {finding.exchange["number"]: finding for finding in findings if finding.accepted and finding.exchange}
    groups: dict[tuple[object, ...], list[_Finding]] = defaultdict(list)
    for finding in findings:
        groups[_key(finding, accepted)].append(finding)
    found = [_cause(group) for group in _by_status(groups)]
    return sorted(found, key=lambda cause: (cause.outcome is not Outcome.FAIL, cause.severity.rank, -len(cause.requirements)))


def _by_status(groups: Mapping[tuple[object, ...], list[_Finding]]) -> Iterable[list[_Finding]]:
    """Return the groups; findings that share their error with no other are grouped by operation, expected and actual status."""
    merged: dict[tuple[object, ...], list[_Finding]] = defaultdict(list)
    for key, group in groups.items():
        alone = group[0]
        by_status = len(group) == 1 and key[0] == "error" and bool(alone.expected_status) and alone.exchange is not None
        merged[_status_key(alone) if by_status else key] += group
    return merged.values()


def _status_key(finding: _Finding) -> tuple[object, ...]:
    return ("status", finding.exchange and finding.exchange["operation"], finding.expected_status, finding.status)


def _finding(result: Line, exchanges: Mapping[int, Line]) -> _Finding:
    verdict = next(v for v in result["verdicts"] if v["outcome"] == result["outcome"])
    failure = next(iter(verdict.get("failures", ())), verdict)
    shown = failure.get("exchange", next(reversed(verdict.get("exchanges", ())), None))
    return _Finding(result, verdict, failure, exchanges.get(shown))


def _key(finding: _Finding, accepted: Mapping[int, _Finding]) -> tuple[object, ...]:
    """Return the evidence that findings of one cause share."""
    origin = _origin(finding, accepted) or finding
    exchange = origin.exchange
    if exchange is None:
        return ("text", _general(origin.failure))
    error = _error(exchange)
    if origin.status >= 400 and error is None and exchange["request"]["method"] != "HEAD":
        return ("no error body", origin.status)
    if origin.status >= 400 and error is not None:
        return ("error", origin.status, error)
    if origin.expected_status and origin.status not in origin.expected_status:
        return _status_key(origin)
    return ("text", exchange["operation"], _general(origin.failure))


def _origin(finding: _Finding, accepted: Mapping[int, _Finding]) -> _Finding | None:
    """Return the finding about an accepted request that this one follows from: it concerns the same objects, and was sent before."""
    if finding.exchange is None:
        return None
    named = _names(finding.exchange)
    before = (accepted[n] for n in finding.verdict.get("exchanges", ()) if n in accepted and n != finding.exchange["number"])
    return next((other for other in before if other.exchange and _names(other.exchange) <= named), None)


def _names(exchange: Line) -> frozenset[str]:
    return frozenset(re.findall(r"lp_[0-9a-f]+_\d+_\d+", exchange["request"]["url"] + exchange["request"]["body"]))


def _error(exchange: Line) -> tuple[str, str] | None:
    """Return type and general message of the contract's error body; None if there is none."""
    try:
        body = orjson.loads(exchange["response"]["body"].partition("… (")[0])
    except orjson.JSONDecodeError:
        cut = re.match(
            r'\s*\{\s*"error"\s*:\s*\{.*?"message"\s*:\s*"((?:[^"\\]|\\.)*)".*?"type"\s*:\s*"([^"]*)"',
            exchange["response"]["body"],
            re.DOTALL,
        )
        return (cut[2], PARTICULAR.sub("…", cut[1])) if cut else None
    error = body.get("error", body) if isinstance(body, dict) else None
    kind = error.get("type", error.get("errorCode")) if isinstance(error, dict) else None
    return (str(kind), PARTICULAR.sub("…", str(error.get("message")))) if isinstance(error, dict) and kind else None


def _general(failure: Line) -> tuple[str, str]:
    """Return the expected and the actual text without what differs from request to request."""
    return PARTICULAR.sub("…", failure["expected"]), PARTICULAR.sub("…", failure["actual"])


def _cause(group: Sequence[_Finding]) -> Cause:
    worst = min(group, key=lambda finding: (finding.result["outcome"] != Outcome.FAIL, _severity(finding).rank))
    ordered = sorted(group, key=lambda finding: (finding is not worst, finding.result["outcome"] != Outcome.FAIL))
    outcome = Outcome(worst.result["outcome"])
    return Cause(_severity(worst), _title(worst), tuple(finding.requirement for finding in ordered), outcome)


def _severity(finding: _Finding) -> Severity:
    at_stake = finding.result.get("risk") == "data"
    if finding.expected_status and finding.status not in finding.expected_status and not finding.accepted:
        return Severity.STATUS
    if not finding.expected_status and finding.status >= 400:
        return Severity.TEXT
    return Severity.DATA if at_stake else Severity.EFFECT


def _title(finding: _Finding) -> str:
    exchange = finding.exchange
    expected, actual = (_short(finding.failure[side]) for side in ("expected", "actual"))
    if exchange is None:
        return f"expected {expected}, got {actual}"
    request = exchange["operation"] or f"{exchange['request']['method']} {exchange['request']['url']}"
    if finding.expected_status and finding.status not in finding.expected_status:
        error = _error(exchange)
        wanted = " or ".join(map(str, finding.expected_status))
        body = f" ({error[0]})" if error else " without the contract's error body" if finding.status >= 400 else ""
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
