"""The evidence of a report's failures: what findings of one cause have in common.

Findings with equal keys have one cause.
A requirement with several failing cases of one kind is found by the case whose key most requirements share.
A key is found in one of these ways, tried in this order and never combined:

1. The failure follows from a request that should have been refused and was accepted, which is another requirement's failure.
   A request that was refused with a wrong status follows from nothing.
2. An error response has no error body of the contract, and its status is the same. Findings about the body alone join those about
   the status, if there are any with the same status. If success was expected, the message is the same too.
3. Status, error type and message are the same, names and numbers aside; of a 5xx status, whether success was expected too.
4. A request was accepted that should have been refused, and its operation refused none: that is seen of at least five
   operations, or in at least five requirements of one of them.
5. At least two operations accepted a request about something that does not exist, or with a value of the wrong JSON type:
   what is missing is the same. The mutation of a failure says so.
6. A request succeeded with another 2xx status than the documented one; both statuses are the same.
7. The operation, the expected status and the actual status are the same. Of several expected statuses, the one that
   most findings with this operation and actual status expect. Of a commit that was accepted, the action of its update is the same,
   or the type of its requirement where 409 was expected; unless commits with eight or more of them were accepted.
8. A commit was accepted and changed nothing: that is seen in at least five requirements.
9. Of simultaneous changes more were accepted than can have been made, or accepted ones were lost: of namespaces, or of tables and views.
10. The operation is the same, and the response has a body with nothing in it, or a web page; also where a refusal was expected.
11. Numbers are sent as texts.
12. The resource and the member that differs are the same, and it is surplus in all of them or in none. The difference of a
    failure says which member; it may be one of an answer before the last one. A member that names or counts items, such as
    `default-spec-id`, counts as the member with the items.
13. The check and the operation are the same, and none of the above is known.

No key depends on the words of a requirement or of an expectation. Reports written before failures had a difference are grouped by
rule 13 where they need one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Outcome, Wrong
from lakepact.conformance.judging.invalid_bodies import WRONG_TYPES
from lakepact.conformance.report.commits import COMMITS, changed_nothing, commit_requirements, commit_updates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

#: One line of a report.
Line: TypeAlias = "Mapping[str, Any]"
#: The evidence that findings of one cause share; its first item is the kind.
Key: TypeAlias = "tuple[object, ...]"

BROKEN = (Outcome.FAIL, Outcome.WARN)
#: Operations that refused no request, or findings of one of them, from which on it is one cause that nothing is refused.
SEVERAL = 5
#: Kinds of updates or requirements that an operation accepts wrongly, from which on it is one cause that it validates none.
MANY = 8
CONFLICT = 409  #: the status of a commit whose requirements do not hold
#: Members that hold what a response, or a line of it, is about.
ENVELOPES = frozenset(
    {"metadata", "protocol", "metaData", "file", "add", "remove", "cdf", "deltaProtocol", "deltaMetadata", "deltaSingleAction"}
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
OF_NAMESPACES = frozenset({"createNamespace", "loadNamespaceMetadata", "updateProperties", "dropNamespace", "listNamespaces"})
SERVER_ERROR = 500  #: the lowest status of an error that the server makes
CUT = "… ("  #: begins the end of a body of which a report shows a part

#: Parts of a server's message that differ between requests: names of checks, UUIDs, quoted texts, places of classes, numbers.
PARTICULAR = re.compile(
    r"lp_[0-9a-f]+_[0-9_a-z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b"
    r"|'[^']*'|\"[^\"]*\"|`[^`]*`|\bat /\S+|(?:file|s3|http)s?:\S+|\d+"
)
EXCEPTION = re.compile(r"^(?:\w+\.)+\w+: ")  #: the class of an exception before its message
#: An error body of the contract that a report shows in part.
CUT_ERROR = re.compile(r"""\s*\{\s*"error"\s*:\s*\{.*?"message"\s*:\s*"((?:[^"\\]|\\.)*)".*?"type"\s*:\s*"([^"]*)\"""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """The clearest failure of a requirement, with the exchange that shows it."""

    result: Line
    verdict: Line
    failure: Line
    exchange: Line | None

    @property
    def requirement(self) -> str:
        """The id of the broken requirement."""
        return str(self.result["requirement"])

    @property
    def operation(self) -> str | None:
        """The operation of the request; None if it is in no contract."""
        return self.exchange["operation"] if self.exchange else None

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
        return bool(self.expected_status) and self.status not in self.expected_status

    @property
    def expects_success(self) -> bool:
        """Whether the requirement demands a 2xx status."""
        return bool(self.expected_status) and min(self.expected_status) < 400

    @property
    def kind(self) -> tuple[bool, ...]:
        """The properties that are equal in all cases which may stand for one requirement."""
        return self.accepted, self.is_about_status, self.status >= 400, self.is_about(Kind.SURPLUS)

    @property
    def subject(self) -> str:
        """The kind of update, or of requirement where a conflict was expected, that a commit has wrongly; empty if it has several kinds."""
        kinds = commit_requirements if min(self.expected_status, default=0) == CONFLICT else commit_updates
        found = kinds(self.exchange["request"]["body"], self.failure.get("mutation", {}).get("at", "")) if self.exchange else set()
        return next(iter(found)) if len(found) == 1 else ""

    @property
    def member(self) -> str:
        """The member of the response that is not as expected: the outermost that says something; empty if it is not known."""
        steps = str(self.failure.get("difference", {}).get("at", "")).split("/")[1:]
        outermost = next((step for step in steps if step not in ENVELOPES and not step.isdigit()), "")
        return FAMILIES.get(outermost, outermost)

    @property
    def is_about_value(self) -> bool:
        """Whether an earlier response has another value than expected, whatever the last one is."""
        return bool(self.member) and self.member != "error"

    def is_about(self, *kinds: Kind) -> bool:
        """Return whether the response differs in one of these ways from what is expected."""
        return self.failure.get("difference", {}).get("kind") in kinds

    @property
    def is_refused_wrongly(self) -> bool:
        """Whether a request was rightly refused, with another status than the requirement demands."""
        return self.is_about_status and not self.expects_success and self.status >= LOWEST_ERROR

    @property
    def is_refused_otherwise(self) -> bool:
        """Whether a request was rightly refused, with another 4xx status than the requirement demands."""
        return self.is_refused_wrongly and self.status < SERVER_ERROR

    @property
    def accepted(self) -> bool:
        """Whether a request was accepted that should have been refused."""
        demanded = self.failure.get("refusal", bool(self.expected_status) and min(self.expected_status) >= 400)
        return bool(demanded) and 400 > self.status >= 200


class Evidence:
    """The findings of a report and the keys by which they are grouped.

    Args:
        report: the lines of results and exchanges.
        unrefusing: operations that answered no request of the run with a 4xx status.
    """

    def __init__(self, report: Iterable[Line], unrefusing: Collection[str] = ()) -> None:
        lines = list(report)
        exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
        broken = [line for line in lines if line["line"] == "result" and line["outcome"] in BROKEN]
        cases = [list(_cases(result, exchanges)) for result in broken]
        clearest = [first for first, *_ in cases]
        self._accepted: dict[int, Finding] = {}
        for case in chain.from_iterable(cases):
            if case.accepted and case.exchange:
                self._accepted.setdefault(case.exchange["number"], case)
        self._expected: dict[Key, Counter[int]] = defaultdict(Counter)
        for finding in clearest:
            self._expected[finding.operation, finding.status].update(finding.expected_status)
        never = Counter(finding.operation for finding in clearest if finding.accepted and finding.operation in unrefusing)
        self._unrefusing = frozenset(never) if max(len(never), *never.values(), 0) >= SEVERAL else frozenset[str | None]()
        self._bare = {finding.status for finding in clearest if finding.is_about_status and _lacks_error(finding)}
        accepting: dict[str, set[str | None]] = defaultdict(set)
        for finding in clearest:
            if finding.accepted and (flaw := _flaw(finding)):
                accepting[flaw].add(finding.operation)
        self._subjects: dict[Key, set[str]] = defaultdict(set)
        for finding in clearest:
            if finding.accepted and finding.is_about_status and finding.subject:
                self._subjects[self._statuses(finding)].add(finding.subject)
        self._flaws = {flaw for flaw, operations in accepting.items() if len(operations) > 1}
        commits = (finding for finding in clearest if _is_about_commit(finding))
        unchanged = {finding.requirement for finding in commits if changed_nothing(_trail(finding, exchanges))}
        self._unchanged = unchanged if len(unchanged) >= SEVERAL else set[str]()
        self.findings = self._most_shared(cases)

    def _most_shared(self, cases: Iterable[Sequence[Finding]]) -> list[Finding]:
        """Return of each requirement the case whose key most requirements share, of those like its clearest one."""
        keyed = [[(self.key(case), case) for case in alike if case.kind == alike[0].kind] for alike in cases]
        sharing = Counter(key for alike in keyed for key in {key for key, _ in alike})
        return [max(alike, key=lambda pair: sharing[pair[0]])[1] for alike in keyed]

    def key(self, finding: Finding) -> Key:
        """Return what a finding has in common with others of its cause."""
        origin = self._origin(finding) or finding
        if origin.exchange is None:
            return _check_key(origin)
        if _lacks_error(origin) and origin.expects_success:
            return ("no error body", origin.status, message_of(origin))
        if _lacks_error(origin) and not origin.is_about_value:
            alone = not origin.is_about_status and origin.status not in self._bare
            return ("no error body", "" if alone else origin.status)
        if origin.status >= 400 and not origin.is_about_value and (error := error_of(origin)):
            return ("error", origin.status, error, origin.status >= SERVER_ERROR and origin.expects_success)
        if origin.requirement in self._unchanged:
            return ("changes nothing",)
        return self._success_key(origin, origin.exchange)

    def _success_key(self, finding: Finding, exchange: Line) -> Key:
        """Return what is wrong with a response below 400."""
        if finding.accepted and finding.operation in self._unrefusing:
            return ("refuses nothing",)
        if finding.accepted and (flaw := _flaw(finding)) in self._flaws:
            return ("accepts", flaw)
        if finding.accepted and _is_empty(exchange["response"]["body"]):
            return ("empty body", finding.operation)
        return self.status_key(finding) if finding.is_about_status else _effect_key(finding, exchange)

    def status_key(self, finding: Finding) -> Key:
        """Return the operation with the expected and the actual status, and the subject of a commit that was accepted.

        The key has no operation if both statuses are 2xx, and one for all HEAD requests.
        """
        statuses = self._statuses(finding)
        subject = finding.subject if finding.accepted and len(self._subjects[statuses]) < MANY else ""
        return (*statuses, subject)

    def _statuses(self, finding: Finding) -> Key:
        expected = self._expected[finding.operation, finding.status]
        common = max(finding.expected_status, key=lambda status: (expected[status], -status))
        is_head = finding.exchange is not None and finding.exchange["request"]["method"] == "HEAD"
        operation = None if finding.expects_success and finding.status < 300 else "HEAD" if is_head else finding.operation
        return ("status", operation, common, finding.status)

    def _origin(self, finding: Finding) -> Finding | None:
        """Return the case of an accepted request that a finding follows from.

        The finding's response answers that request, or a later one about the same objects.
        """
        if finding.exchange is None or finding.is_refused_wrongly:
            return None
        number, named = finding.exchange["number"], _names(finding.exchange)
        if number in self._accepted and not finding.accepted:
            return self._accepted[number]
        before = (self._accepted[n] for n in finding.verdict.get("exchanges", ()) if n in self._accepted and n != number)
        others = (other for other in before if other.requirement != finding.requirement)
        return next((other for other in others if other.exchange and _names(other.exchange) <= named), None)


def _cases(result: Line, exchanges: Mapping[int, Line]) -> Iterator[Finding]:
    """Yield the failing cases of a result, the clearest first."""
    for verdict in result["verdicts"]:
        if verdict["outcome"] == result["outcome"]:
            for failure in verdict.get("failures", ()) or (verdict,):
                shown = failure.get("exchange", next(reversed(verdict.get("exchanges", ())), None))
                yield Finding(result, verdict, failure, exchanges.get(shown))


def _flaw(finding: Finding) -> str:
    """Return what is wrong with a request that was accepted, if other operations can accept the same; otherwise an empty text."""
    mutation = finding.failure.get("mutation", {})
    if mutation.get("kind") == Wrong.ABSENT:
        return str(mutation["at"])
    return Wrong.TYPE if mutation.get("kind") in WRONG_TYPES else ""


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
    error = body["error"] if isinstance(body.get("error"), dict) else {"type": body.get("errorCode"), "message": body.get("message")}
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


def _is_about_commit(finding: Finding) -> bool:
    """Return whether a requirement is about commits alone, and the commit was rightly accepted."""
    return COMMITS.issuperset(finding.result.get("operations") or [""]) and 0 < finding.status < 300 and not finding.is_about_status


def _trail(finding: Finding, exchanges: Mapping[int, Line]) -> Iterator[Line]:
    return (exchanges[number] for number in finding.verdict.get("exchanges", ()) if number in exchanges)


def _lacks_error(finding: Finding) -> bool:
    """Return whether an error response has no error body of the contract; responses to HEAD have no body at all."""
    is_head = finding.exchange is not None and finding.exchange["request"]["method"] == "HEAD"
    return finding.status >= 400 and not is_head and error_of(finding) is None


def _names(exchange: Line) -> frozenset[str]:
    return frozenset(re.findall(r"lp_[0-9a-f]+_\d+_\d+", exchange["request"]["url"] + exchange["request"]["body"]))


def _effect_key(finding: Finding, exchange: Line) -> Key:
    """Return what is wrong with a response whose status is right."""
    if finding.is_about(Kind.LOST):
        return ("simultaneous changes", exchange["operation"] in OF_NAMESPACES)
    if _is_empty(exchange["response"]["body"]):
        return ("empty body", finding.operation)
    if finding.is_about(Kind.SPELLING):
        return ("number as text",)
    if finding.member:
        return ("member", _resource(exchange), finding.member, finding.is_about(Kind.SURPLUS))
    return _check_key(finding)


def _check_key(finding: Finding) -> Key:
    """Return the check and the operation of a finding that shows no more."""
    return ("check", finding.verdict.get("check"), finding.operation)


def _is_empty(body: str) -> bool:
    """Return whether a body is a JSON value with nothing in it, or a web page."""
    try:
        return orjson.loads(body) in ({}, [], None)
    except orjson.JSONDecodeError:
        return body.lstrip().startswith("<")


def _resource(exchange: Line) -> str:
    """Return the last word of an operation, such as "Table" of createTable, loadTable and updateTable."""
    operation = exchange["operation"] or ""
    return re.findall(r"[A-Z][a-z]+|$", operation)[-2:][0] or operation
