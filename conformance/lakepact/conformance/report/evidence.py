"""The facts that findings of one cause have in common.

The key of a finding says what was wrong with the request, if a refusal was expected, and what the answer did: it accepted the request,
refused it with a status and an error, had no error body, lost a simultaneous change, or differs at a member. The operation is
part of a key only where nothing else says more. Equal errors of the server are one cause, and so are equal errors if a right request
gets one. A finding about a request that should have been refused, or about what such a request
left behind, has the key of that request. No key depends on the words of a requirement, or on the keys of other findings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Outcome, Wrong
from lakepact.conformance.judging.invalid_bodies import WRONG_TYPES
from lakepact.conformance.report.commits import subject

#: One line of a report.
Line: TypeAlias = "Mapping[str, Any]"
#: The evidence that findings of one cause share; its first item is the kind.
Key: TypeAlias = "tuple[object, ...]"

BROKEN = (Outcome.FAIL, Outcome.WARN)
#: Members that hold what a response, or a line of it, is about.
ENVELOPES = frozenset(
    {
        "metadata",
        "protocol",
        "metaData",
        "file",
        "add",
        "remove",
        "cdf",
        "deltaProtocol",
        "deltaMetadata",
        "deltaSingleAction",
    }
)
#: Members that name, or count, items of another member: a wrong item shows at both.
FAMILIES = {
    "current-schema-id": "schemas",
    "last-column-id": "schemas",
    "default-spec-id": "partition-specs",
    "last-partition-id": "partition-specs",
    "default-sort-order-id": "sort-orders",
    "last-sequence-number": "snapshots",
    "next-row-id": "snapshots",
    "current-snapshot-id": "refs",
    "snapshot-log": "refs",
    "current-version-id": "versions",
    "version-log": "versions",
}
NAMESPACE = frozenset(
    {"loadNamespaceMetadata", "updateProperties", "listNamespaces"}
)  #: their last word is another
READS = frozenset({"GET", "HEAD"})
MANY = 10  #: mistakes that a server which refuses none accepts, or refuses with one wrong status, from which on they are one cause
NOT_FOUND = 404
SERVER_ERROR = 500  #: the lowest status of an error that the server makes
CUT = "… ("  #: begins the end of a body of which a report shows a part

#: Parts of a server's message that differ between requests: names of checks, UUIDs, quoted texts, places of classes, numbers.
PARTICULAR = re.compile(
    r"lp_[0-9a-f]+_[0-9_a-z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b"
    r"|'[^']*'|\"[^\"]*\"|`[^`]*`|\bat /\S+|(?:file|s3|http)s?:\S+|\d+"
)
EXCEPTION = re.compile(r"^(?:\w+\.)+\w+: ")  #: the class of an exception before its message
#: An error body of the contract that a report shows in part.
CUT_ERROR = re.compile(
    r"""\s*\{\s*"error"\s*:\s*\{.*?"message"\s*:\s*"((?:[^"\\]|\\.)*)".*?"type"\s*:\s*"([^"]*)\"""",
    re.DOTALL,
)


def member_of(place: str) -> str:
    """Return the outermost member in a JSON pointer that says something, or the member whose items it names."""
    steps = place.split("/")[1:]
    outermost = next((step for step in steps if step not in ENVELOPES and not step.isdigit()), "")
    return FAMILIES.get(outermost, outermost)


@dataclass(frozen=True, slots=True)
class Finding:
    """One failing case of a requirement, with the exchange that shows it."""

    result: Line
    verdict: Line
    failure: Line
    exchange: Line | None

    @property
    def requirement(self) -> str:
        """The id of the broken requirement."""
        return str(self.result["requirement"])

    @property
    def operation(self) -> str:
        """The operation of the request, or its method if no contract has it."""
        return (
            (self.exchange["operation"] or self.exchange["request"]["method"])
            if self.exchange
            else ""
        )

    @property
    def reads(self) -> bool:
        """Whether the request is a GET or HEAD."""
        return self.exchange is not None and self.exchange["request"]["method"] in READS

    @property
    def status(self) -> int:
        """The status of the response; 0 without one."""
        return int(self.exchange["response"]["status"]) if self.exchange else 0

    @property
    def expected_status(self) -> tuple[int, ...]:
        """The statuses that the requirement allows, if it demands a status."""
        return tuple(self.failure.get("expected_status", ()))

    @property
    def is_about_status(self) -> bool:
        """Whether the response has another status than the requirement demands."""
        return bool(self.failure.get("about_status")) or (
            bool(self.expected_status) and self.status not in self.expected_status
        )

    @property
    def expects_success(self) -> bool:
        """Whether the requirement demands a 2xx status."""
        return bool(self.expected_status) and min(self.expected_status) < LOWEST_ERROR

    @property
    def is_error(self) -> bool:
        """Whether the response is a refusal or an error of the server, and the finding is about it."""
        return self.status >= LOWEST_ERROR and self.member in {"", "error"}

    @property
    def accepted(self) -> bool:
        """Whether a request was accepted that should have been refused."""
        demanded = self.failure.get(
            "refusal", bool(self.expected_status) and not self.expects_success
        )
        return bool(demanded) and LOWEST_ERROR > self.status >= 200

    @property
    def refusal(self) -> tuple[int, ...]:
        """The status of the response and the expected one."""
        return (self.status, *self.expected_status[:1])

    @property
    def difference(self) -> str:
        """The JSON pointer of the place that is not as expected; empty if it is not known."""
        return str(self.failure.get("difference", {}).get("at", ""))

    @property
    def member(self) -> str:
        """The outermost member of the response that says something and is not as expected; empty if it is not known."""
        return member_of(self.difference)

    @property
    def mistake(self) -> tuple[str, str]:
        """The kind of mistake in the request, and the member or thing; the kind is empty in reports of earlier releases."""
        mutation = self.failure.get("mutation", {})
        named = subject(self.exchange["request"]["body"], self.failure) if self.exchange else ""
        if not mutation:
            return "", f"{self.operation} with {named}" if named else self.operation
        kind = Wrong.TYPE if mutation["kind"] in WRONG_TYPES else mutation["kind"]
        steps = ["*" if step.isdigit() else step for step in mutation["at"].strip("/").split("/")]
        within = "/".join(steps).removeprefix("table-changes/*/")
        listed = re.match(r"(?:updates|requirements)/\*", within)
        at = f"{named}{within[listed.end() :]}" if listed and named else within
        return kind, "" if kind in {Wrong.TYPE, Wrong.MISSING} else at

    @property
    def deviation(self) -> str:
        """The operation, the mistake in the request, and what the answer did; empty if no answer shows it alone."""
        difference = self.failure.get("difference", {})
        if self.exchange is None or self.is_about(Kind.LOST):
            return ""
        mutation = self.failure.get("mutation", {})
        mistake = f" {mutation['kind']} {mutation['at']}" if mutation else ""
        error = error_of(self)
        if self.is_about_status or self.accepted:
            expected = "/".join(map(str, self.expected_status)) or "another"
            answer = f"{self.status} {error[0] if error else ''}, expected {expected}"
        elif difference:
            answer = f"{difference['at']} {difference['kind']}"
        else:
            return ""
        return re.sub(r"(?<=/)\d+(?=/|$| )", "*", f"{self.operation}{mistake}: {answer}")

    def is_about(self, *kinds: Kind) -> bool:
        """Return whether the response differs in one of these ways from what is expected."""
        return self.failure.get("difference", {}).get("kind") in kinds


class Evidence:
    """The findings of a report and the keys by which they are grouped.

    Args:
        report: the lines of results and exchanges.
        refused: methods with a request that the server refused; if neither GET nor HEAD is among them, or none of the others, many
            accepted mistakes in requests with those methods are one cause.
    """

    def __init__(
        self, report: Iterable[Line], *, refused: Collection[str] = ("GET", "POST")
    ) -> None:
        lines = list(report)
        exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
        broken = [line for line in lines if line["line"] == "result" and line["outcome"] in BROKEN]
        cases = [list(_cases(result, exchanges)) for result in broken]
        self._accepted: dict[int, Finding] = {}
        for case in (case for each in cases for case in each):
            if case.accepted and case.exchange:
                self._accepted.setdefault(case.exchange["number"], case)
        mistakes = {(case.reads, case.mistake) for case in self._accepted.values()}
        refusing = {method in READS for method in refused}
        self._refuses_none = {
            reads
            for reads, _ in mistakes
            if reads not in refusing and sum(r is reads for r, _ in mistakes) >= MANY
        }
        #: The clearest case of each requirement; an accepted mistake is graver than a wrong refusal.
        self.findings = [next((case for case in each if case.accepted), each[0]) for each in cases]
        refusals = {(_key(finding), finding.refusal) for finding in self.findings}
        counted = Counter(refusal for key, refusal in refusals if key[0] == "refused")
        self._alike = {refusal for refusal, mistakes in counted.items() if mistakes >= MANY}
        self._undue = {
            _error(finding)
            for finding in self.findings
            if finding.expects_success and finding.is_error
        }

    def key(self, finding: Finding) -> Key:
        """Return what a finding has in common with others of its cause."""
        cause = self._origin(finding) or finding
        if cause.accepted and cause.reads in self._refuses_none:
            return ("refuses none", cause.reads)
        if cause.is_error and cause.is_about_status and _error(cause) in self._undue:
            return _error(cause)
        key = _key(cause)
        return (
            ("refused alike", *cause.refusal)
            if key[0] == "refused" and cause.refusal in self._alike
            else key
        )

    def _origin(self, finding: Finding) -> Finding | None:
        """Return the case of an accepted request that a finding follows from.

        The finding's response answers that request, or a later one about the same objects. A refusal follows from nothing.
        """
        if finding.exchange is None or (
            finding.is_about_status and not finding.expects_success and finding.is_error
        ):
            return None
        number, named = finding.exchange["number"], _names(finding.exchange)
        if number in self._accepted and not finding.accepted:
            return self._accepted[number]
        before = (
            self._accepted[n]
            for n in finding.verdict.get("exchanges", ())
            if n in self._accepted and n != number
        )
        others = (other for other in before if other.requirement != finding.requirement)
        return next(
            (other for other in others if other.exchange and _names(other.exchange) <= named), None
        )


def deviations(report: Iterable[Line]) -> dict[str, frozenset[str]]:
    """Return what each broken requirement shows: the checks, each with a deviation that one answer shows alone."""
    lines = list(report)
    exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
    shown = {
        line["requirement"]: {
            f"{case.verdict['check']} {case.deviation}"
            for case in _cases(line, exchanges)
            if case.deviation
        }
        for line in lines
        if line["line"] == "result" and line["outcome"] in BROKEN
    }
    return {requirement: frozenset(each) for requirement, each in shown.items()}


def _cases(result: Line, exchanges: Mapping[int, Line]) -> Iterator[Finding]:
    """Yield the failing cases of a result, the clearest first."""
    for verdict in result["verdicts"]:
        if verdict["outcome"] == result["outcome"]:
            for failure in verdict.get("failures", ()) or (verdict,):
                shown = failure.get("exchange", next(reversed(verdict.get("exchanges", ())), None))
                yield Finding(result, verdict, failure, exchanges.get(shown))


def _names(exchange: Line) -> frozenset[str]:
    return frozenset(
        re.findall(
            r"lp_[0-9a-f]+_\d+_\d+", exchange["request"]["url"] + exchange["request"]["body"]
        )
    )


def _key(finding: Finding) -> Key:
    if finding.is_about(Kind.LOST):
        return ("lost", _resource(finding.operation))
    if finding.accepted:
        return ("accepted", *finding.mistake)
    if finding.is_error:
        return _error_key(finding)
    if finding.exchange and not finding.status:
        return ("no answer", *finding.mistake)
    if finding.is_about_status:
        return ("success", finding.expected_status[:1], finding.status)
    return _effect_key(finding)


def _error_key(finding: Finding) -> Key:
    """Return what is wrong with an error response: that it came at all, its status, or its body."""
    error = error_of(finding)
    is_bare = (
        error is None
        and finding.exchange is not None
        and finding.exchange["request"]["method"] != "HEAD"
    )
    if not finding.is_about_status:
        if is_bare and (not finding.difference or finding.is_about(Kind.MISSING, Kind.TYPE)):
            return ("no error body",)
        has_place = ("error body", finding.difference, *finding.mistake, error and error[0])
        return (
            has_place
            if finding.difference
            else ("check", finding.verdict.get("check"), finding.operation)
        )
    if is_bare and not finding.expects_success:
        return ("no error body", finding.status)
    if finding.expects_success or finding.status >= SERVER_ERROR:
        return _error(finding)
    return ("refused", *finding.mistake, finding.status, error[0] if error else "")


def _error(finding: Finding) -> Key:
    kind, message = error_of(finding) or ("", message_of(finding))
    return (
        "error",
        finding.status,
        kind,
        "" if kind and finding.status == NOT_FOUND else message,
    )  # which just names the object


def _effect_key(finding: Finding) -> Key:
    """Return what is wrong with a response whose status is right."""
    if finding.is_about(Kind.SPELLING):
        return ("number as text",)
    if finding.exchange and is_empty(finding.exchange["response"]["body"]):
        return ("empty body", finding.operation)
    if finding.member == "headers":
        return ("header", finding.difference)
    if finding.member:
        return (
            "member",
            _resource(finding.operation),
            finding.member,
            finding.is_about(Kind.SURPLUS),
        )
    return ("check", finding.verdict.get("check"), finding.operation)


def error_of(finding: Finding) -> tuple[str, str] | None:
    """Return type and general message of the contract's error body; None if the response has none."""
    shown = finding.exchange["response"]["body"] if finding.exchange else ""
    try:
        body = orjson.loads(shown.partition(CUT)[0])
    except orjson.JSONDecodeError:
        cut = CUT_ERROR.match(shown)
        return (cut[2], PARTICULAR.sub("…", cut[1])) if cut else None
    if not isinstance(body, dict):
        return None
    error = (
        body["error"]
        if isinstance(body.get("error"), dict)
        else {"type": body.get("errorCode"), "message": body.get("message")}
    )
    kind = error.get("type")
    # An empty type breaks another requirement; the body is the contract's all the same.
    return (kind, PARTICULAR.sub("…", str(error.get("message")))) if isinstance(kind, str) else None


def message_of(finding: Finding) -> str:
    """Return the general message of an error response that is not the contract's, or its text; without an exception's class and details."""
    shown = finding.exchange["response"]["body"].partition(CUT)[0] if finding.exchange else ""
    try:
        body = orjson.loads(shown)
    except orjson.JSONDecodeError:
        body = shown
    text = str(body.get("message", "") if isinstance(body, dict) else body)
    return PARTICULAR.sub("…", EXCEPTION.sub("", text).partition(" (")[0])


def is_empty(body: str) -> bool:
    """Return whether a body is a JSON value with nothing in it, or a web page."""
    try:
        return orjson.loads(body) in ({}, [], None)
    except orjson.JSONDecodeError:
        return body.lstrip().startswith("<")


def _resource(operation: str) -> str:
    """Return the last word of an operation, such as "Table" of createTable, loadTable and updateTable."""
    return (
        "Namespace"
        if operation in NAMESPACE
        else re.findall(r"[A-Z][a-z]+|$", operation)[-2:][0] or operation
    )
