"""The facts that findings of one cause have in common.

A finding is a failing case of a requirement. Its key has what was wrong with the request, if a refusal was expected, and what the answer
did: it accepted the request, refused it with a status and an error, had no error body, lost a simultaneous change, or differs at a place.
The operation is part of a key only where nothing else says more. Cases of one check about one exchange have one key, and what a wrongly
accepted request left behind has the key of that request. No key depends on the words of a requirement.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import urlsplit

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
#: Members whose members have names that clients invent.
MAPS = frozenset({"config", "defaults", "overrides", "properties", "refs", "summary"})
NAMESPACE = frozenset(
    {"loadNamespaceMetadata", "updateProperties", "listNamespaces"}
)  #: their last word is another
READS = frozenset({"GET", "HEAD"})
UNCLEAR = "?"  #: in place of a deviation that does not say what a client meets
MANY = 10  #: mistakes that a server which refuses none accepts, or refuses with one wrong status, from which on they are one cause
SEVERAL = 5  #: members that may be missing, or have another type, from which on they are one cause
NOT_FOUND = 404
SERVER_ERROR = 500  #: the lowest status of an error that the server makes
#: Mistakes of a request whose content is right.
OF_THE_STATE = frozenset({Wrong.ABSENT, Wrong.PRESENT, Wrong.STALE, Wrong.ACCESS})

#: Parts of a server's message that differ between requests: names of checks, UUIDs, quoted texts without calls, places of classes, numbers.
PARTICULAR = re.compile(
    r"lp_[0-9a-f]+_[0-9_a-z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b"
    r"|'[^'(]*'|\"[^\"(]*\"|`[^`(]*`|\bat /\S+|(?:file|s3|http)s?:\S+|\d+"
)
EXCEPTION = re.compile(r"^(?:\w+\.)+\w+: ")  #: the class of an exception before its message
#: A message that any error of a server may have.
SAYS_NOTHING = re.compile(
    r"\W*(?:\S*|.*\b(?:internal|server|unexpected|unknown|unhandled) error\b.*)\W*",
    re.IGNORECASE,
)


def place_in(at: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer that say something: positions, and names that clients invent, are `*`."""
    steps: list[str] = []
    for step in at.split("/")[1:]:
        is_any = step.isdigit() or bool(steps and steps[-1] in MAPS) or "lakepact" in step
        steps.append("*" if is_any else step)
    while steps and (steps[0] == "*" or steps[0] in ENVELOPES):
        del steps[0]
    while steps and steps[-1] == "*":
        steps.pop()
    return tuple(steps)


@dataclass(frozen=True)
class Finding:
    """One failing case of a requirement, with the exchange that shows it."""

    result: Line
    verdict: Line
    failure: Line
    exchange: Line | None
    #: The last accepted change of its check before, of the same objects, and a later one that was refused.
    change: Line | None = None
    refused: Line | None = None

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
        return (
            bool(self.failure.get("about_status"))
            or self.place == ("status",)
            or (bool(self.expected_status) and self.status not in self.expected_status)
        )

    @property
    def expects_success(self) -> bool:
        """Whether the requirement demands that a right request succeeds."""
        is_right = "mutation" not in self.failure
        return is_right and bool(self.expected_status) and min(self.expected_status) < LOWEST_ERROR

    @property
    def is_error(self) -> bool:
        """Whether the response is a refusal or an error of the server, and the finding is about it."""
        return self.status >= LOWEST_ERROR and (
            not self.place or self.place[0] in {"error", "status"}
        )

    @property
    def accepted(self) -> bool:
        """Whether a request was accepted that should have been refused."""
        demanded = self.failure.get("refusal", min(self.expected_status, default=0) >= LOWEST_ERROR)
        return bool(demanded) and LOWEST_ERROR > self.status >= 200

    @property
    def is_let_in(self) -> bool:
        """Whether a request without the rights got an error that its content explains: it was carried out."""
        is_access = self.failure.get("mutation", {}).get("kind") == Wrong.ACCESS
        return is_access and self.is_about_status and LOWEST_ERROR <= self.status < SERVER_ERROR

    @property
    def refusal(self) -> tuple[int, ...]:
        """The status of the response and the expected one."""
        return (self.status, *self.expected_status[:1])

    @property
    def difference(self) -> str:
        """The JSON pointer of the place that is not as expected; empty if it is not known."""
        return str(self.failure.get("difference", {}).get("at", ""))

    @cached_property
    def place(self) -> tuple[str, ...]:
        """The steps to the place that is not as expected; none if it is not known."""
        return place_in(self.difference)

    @property
    def is_of_any_exchange(self) -> bool:
        """Whether an invariant found it, which judges the exchanges of all checks."""
        return self.exchange is not None and self.exchange.get("check") != self.verdict.get("check")

    @property
    def error_type(self) -> str | None:
        """The type in the contract's error body; `None` if the response has no such body."""
        kind = self.exchange.get("error", {}).get("type") if self.exchange else None
        return None if kind is None else str(kind)

    @cached_property
    def message(self) -> str:
        """The message of an error without what differs between requests; empty if it says nothing."""
        text = str(self.exchange.get("error", {}).get("message", "")) if self.exchange else ""
        if self.error_type is None:
            text = EXCEPTION.sub("", text).partition(" (")[0]
        general = PARTICULAR.sub("…", text)
        return "" if SAYS_NOTHING.fullmatch(general) else general

    @property
    def mistake(self) -> tuple[str, str]:
        """The kind of mistake in the request, and the member or thing; the kind is empty if the check does not say it."""
        mutation = self.failure.get("mutation", {})
        named = subject(self.exchange["request"]["body"], self.failure) if self.exchange else ""
        if not mutation:
            return "", f"{self.operation} with {named}" if named else self.operation
        kind = Wrong.TYPE if mutation["kind"] in WRONG_TYPES else mutation["kind"]
        steps = [
            "*" if step.isdigit() or "lakepact" in step else step
            for step in mutation["at"].strip("/").split("/")
        ]
        before, fields, member = "/".join(steps).rpartition("fields/*/")
        if fields:  # of a schema, or of a partition spec or sort order
            return kind, f"{'schema' if 'schema' in before else 'spec'}/{fields}{member}"
        within = "/".join(steps).removeprefix("table-changes/*/")
        # The name of an unknown kind is an invented one.
        listed = re.match(r"(?:updates|requirements)/\*(?!/(?:action|type)$)", within)
        return kind, f"{named}{within[listed.end() :]}" if listed and named else within

    @property
    def names(self) -> str:
        """The sort of special names in the path: nested or encoded; empty for usual ones."""
        path = urlsplit(self.exchange["request"]["url"]).path.upper() if self.exchange else ""
        return "nested" if "%1F" in path else "encoded" if "%" in path else ""

    @property
    def kind_of_request(self) -> tuple[str, ...]:
        """The special names and query parameters of a right request; otherwise its resource and kind of update."""
        if self.exchange is None:
            return ()
        request, query = self.exchange["request"], urlsplit(self.exchange["request"]["url"]).query
        parameters = sorted({pair.partition("=")[0] for pair in query.split("&") if pair})
        special = tuple(filter(None, (self.names, *parameters)))
        return special or (_resource(self.operation), subject(request["body"], self.failure))

    @property
    def loss(self) -> tuple[str, ...]:
        """The special parts of a request for an object that is not found, or the accepted change that should have left it."""
        is_special = self.exchange and (
            self.names or urlsplit(self.exchange["request"]["url"]).query
        )
        if self.change is None or is_special:
            return self.kind_of_request
        return ("after", str(self.change["operation"]))

    def is_about(self, *kinds: Kind) -> bool:
        """Return whether the response differs in one of these ways from what is expected."""
        return self.failure.get("difference", {}).get("kind") in kinds

    @property
    def deviation(self) -> str:
        """The operation, the mistake in the request, and what the answer did; empty if that does not say what a client meets.

        Clients send no bad requests but for things that do not exist, or exist already. Equal places say nothing of the values there.
        """
        mutation = self.failure.get("mutation", {})
        is_sent = not mutation or mutation["kind"] in {Wrong.ABSENT, Wrong.PRESENT}
        if self.exchange is None or not is_sent or (self.accepted and not mutation):
            return ""
        mistake = f" {mutation['kind']} {mutation['at']}" if mutation else ""
        if self.is_about_status or self.accepted:
            expected = "/".join(map(str, self.expected_status)) or "another"
            answer = f"{self.status} {self.error_type or ''}, expected {expected}"
        elif self.is_about(Kind.TYPE, Kind.SPELLING):
            answer = f"{'/'.join(self.place)} {self.failure['difference']['kind']}"
        else:
            return ""
        return f"{self.operation}{mistake}: {answer}"


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
        changes = _changes(exchanges)
        self.findings = [
            replace(case, **_before(case, changes))
            for result in broken
            for case in _cases(result, exchanges)
        ]
        self._accepted: dict[int, Finding] = {}
        self._first: dict[int, Finding] = {}  #: by exchange, the case that says most about it
        self._places: dict[tuple[str, ...], Key] = {}  #: by requirement and operation or place
        for case in sorted(self.findings, key=_clarity):
            if case.accepted and case.exchange:
                self._accepted.setdefault(case.exchange["number"], case)
            if case.exchange and (case.is_about_status or not case.is_of_any_exchange):
                self._first.setdefault(case.exchange["number"], case)
        # What an accepted request did is no effect of a later one that was refused.
        self.findings = [
            replace(case, refused=None) if case.refused and self._origin(case) else case
            for case in self.findings
        ]
        accepted = {(case.reads, case.mistake) for case in self._accepted.values()}
        refusing = {method in READS for method in refused}
        self._refuses_none = {
            reads
            for reads, _ in accepted
            if reads not in refusing and sum(r is reads for r, _ in accepted) >= MANY
        }
        keys = {(_key(finding), finding.refusal) for finding in self.findings}
        alike = Counter(
            refusal for key, refusal in keys if key[0] == "refused" and refusal[0] < SERVER_ERROR
        )
        self._alike = {refusal for refusal, mistakes in alike.items() if mistakes >= MANY}
        whichever = Counter(filter(None, (_whichever(key) for key, _ in keys)))
        self._whichever = {key for key, members in whichever.items() if members >= SEVERAL}
        self._undue = {
            _error(finding)
            for finding in self.findings
            if finding.expects_success and finding.is_error
        }
        self._crashes = _crashes(self.findings)
        #: Numbers of accepted requests after which right requests fail.
        self._breaking = {
            origin.exchange["number"]
            for finding in self.findings
            if finding.expects_success
            and finding.is_error
            and (origin := self._origin(finding)) is not None
            and origin.exchange
        }

    def key(self, finding: Finding) -> Key:
        """Return what a finding has in common with others of its cause."""
        cause = self._origin(finding) or self._of_exchange(finding)
        if cause.accepted and cause.reads in self._refuses_none:
            return ("refuses none", cause.reads)
        if cause.is_error and cause.is_about_status and self._is_undue(cause):
            return _error(cause)
        key = _key(cause)
        if key[0] in {"place", "check"} and not cause.is_of_any_exchange:
            return self._of_requirement(cause, key)
        if key[0] == "refused" and cause.refusal in self._alike:
            return ("refused alike", *cause.refusal)
        if _whichever(key) in self._whichever and not self._breaks_more(cause):
            return _whichever(key)
        return self._crashes.get(key, key)

    def _of_requirement(self, finding: Finding, key: Key) -> Key:
        """Return the first key of values that are wrong for one requirement, in one operation or at one place."""
        judged = [(finding.requirement, finding.operation), (finding.requirement, *finding.place)]
        key = next((self._places[each] for each in judged if each in self._places), key)
        self._places.update(dict.fromkeys(judged, key))
        return key

    def _breaks_more(self, finding: Finding) -> bool:
        """Return whether right requests fail after an accepted one."""
        return finding.exchange is not None and finding.exchange["number"] in self._breaking

    def _is_undue(self, finding: Finding) -> bool:
        """Return whether right requests get the same error, and no mistake in the request's own content explains it."""
        kind = finding.failure.get("mutation", {}).get("kind", "")
        return kind in {"", *OF_THE_STATE} and _error(finding) in self._undue

    def _of_exchange(self, finding: Finding) -> Finding:
        """Return the case that says most about the exchange of a finding, if both are about the same deviation."""
        first = self._first.get(finding.exchange["number"]) if finding.exchange else None
        if first is None or finding.is_about(Kind.LOST):
            return finding
        if finding.is_of_any_exchange and not (finding.is_error and first.is_error):
            return finding
        return first

    def _origin(self, finding: Finding) -> Finding | None:
        """Return the case of an accepted request that a finding follows from.

        The finding's response answers that request, or a later one of the check about the same objects. A refusal follows from nothing.
        """
        if finding.exchange is None or (
            finding.is_about_status and not finding.expects_success and finding.is_error
        ):
            return None
        number, objects = finding.exchange["number"], _objects(finding.exchange)
        if number in self._accepted:
            return self._accepted[number]
        if finding.accepted or finding.is_of_any_exchange:
            return None
        before = (
            (n, other.exchange)
            for n, other in self._accepted.items()
            if n < number and other.exchange is not None
        )
        return next(
            (
                self._accepted[n]
                for n, accepted in before
                if accepted.get("check") == finding.verdict.get("check")
                and (_objects(accepted) <= objects or objects <= _objects(accepted))
            ),
            None,
        )


def _whichever(key: Key) -> Key:
    """Return a key without the member that a request lacks, or that has the wrong type; an empty one for other mistakes."""
    match key:
        case ("accepted", Wrong.MISSING | Wrong.TYPE as kind, _):
            return ("accepted", kind, "")
        case ("refused", Wrong.MISSING | Wrong.TYPE as kind, _, int() as status, error):
            is_parsed = kind == Wrong.TYPE or status < SERVER_ERROR
            return ("refused", kind, "", status, error) if is_parsed else ()
        case _:
            return ()


def _crashes(findings: Iterable[Finding]) -> dict[Key, Key]:
    """Return the keys of 5xx answers to bad requests, each with the key of its cause: those with equal messages have one."""
    causes: dict[Key, Key] = {}
    messages: dict[Key, Key] = {}
    for finding in findings:
        key = _key(finding)
        if key[0] in {"refused", "error"} and finding.status >= SERVER_ERROR and finding.message:
            error = _error(finding)
            causes.setdefault(key, messages.get(error, key))
            messages.setdefault(error, causes[key])
    return causes


def deviations(report: Iterable[Line]) -> dict[str, frozenset[str]]:
    """Return what each broken requirement shows: its checks, each with a deviation, or `UNCLEAR`."""
    lines = list(report)
    exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
    shown = {
        line["requirement"]: {
            f"{case.verdict['check']} {case.deviation or UNCLEAR}"
            for case in _cases(line, exchanges)
        }
        for line in lines
        if line["line"] == "result" and line["outcome"] in BROKEN
    }
    return {requirement: frozenset(each) for requirement, each in shown.items()}


def _cases(result: Line, exchanges: Mapping[int, Line]) -> Iterator[Finding]:
    """Yield the failing cases of a result."""
    for verdict in result["verdicts"]:
        if verdict["outcome"] == result["outcome"]:
            for failure in verdict.get("failures", ()) or (verdict,):
                shown = failure.get("exchange", next(reversed(verdict.get("exchanges", ())), None))
                yield Finding(result, verdict, failure, exchanges.get(shown))


def _changes(exchanges: Mapping[int, Line]) -> dict[object, list[Line]]:
    """Return the requests of each check that are no reads, the last one first."""
    changes: dict[object, list[Line]] = defaultdict(list)
    for _, line in sorted(exchanges.items(), reverse=True):
        if line["request"]["method"] not in READS:
            changes[line.get("check")].append(line)
    return changes


def _before(finding: Finding, changes: Mapping[object, Sequence[Line]]) -> dict[str, Line]:
    """Return the last change before a finding, if it was refused, and the last one that was accepted."""
    if finding.exchange is None:
        return {}
    number, objects = finding.exchange["number"], _objects(finding.exchange)
    own = changes.get(finding.exchange.get("check"), ())
    before = [e for e in own if e["number"] < number and _objects(e) & objects]
    accepted = (e for e in before if e["response"]["status"] < LOWEST_ERROR)
    found = {"change": next(accepted, None), "refused": next(iter(before), None)}
    if found["refused"] is found["change"]:
        del found["refused"]
    return {name: line for name, line in found.items() if line is not None}


def _clarity(finding: Finding) -> tuple[int, ...]:
    """Return the rank of a case among those about one exchange: what was accepted says most, then a status with its mistake."""
    return (
        not finding.accepted,
        not finding.is_about_status,
        not finding.failure.get("mutation"),
        finding.is_of_any_exchange,
        len(finding.result.get("operations", ())) or 99,
        len(finding.place),
    )


def _objects(exchange: Line) -> frozenset[str]:
    return frozenset(exchange.get("objects", ()))


def _key(finding: Finding) -> Key:
    if finding.is_about(Kind.LOST):
        return ("lost", _resource(finding.operation))
    if finding.accepted or finding.is_let_in:
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
    is_bare = (
        finding.error_type is None
        and finding.exchange is not None
        and finding.exchange["request"]["method"] != "HEAD"
    )
    if not finding.is_about_status:
        if is_bare and (not finding.difference or finding.is_about(Kind.MISSING, Kind.TYPE)):
            return ("no error body",)
        if finding.difference:
            kind = finding.error_type if finding.place[-1:] == ("type",) else ""
            return ("error body", finding.place, kind)
        return ("check", finding.verdict.get("check"), finding.operation)
    if is_bare and not finding.expects_success:
        return ("no error body", finding.status)
    is_crash = finding.status >= SERVER_ERROR and not finding.failure.get("mutation")
    if finding.expects_success or is_crash:
        return _error(finding)
    return ("refused", *finding.mistake, finding.status, finding.error_type or "")


def _error(finding: Finding) -> Key:
    """Return status, type and message of an error, and the kind of request where they do not say what failed."""
    kind, key = finding.error_type or "", ("error", finding.status, finding.error_type or "")
    is_refusal = finding.status < SERVER_ERROR and finding.expects_success
    if kind and finding.status == NOT_FOUND:  # whose message just names the object
        return (*key, *finding.loss)
    if is_refusal and finding.names:
        return (*key, finding.names)
    if finding.message:
        return (*key, finding.message)
    return (
        *key,
        *(finding.mistake if finding.failure.get("mutation") else finding.kind_of_request),
    )


def _effect_key(finding: Finding) -> Key:
    """Return what is wrong with a response whose status is right."""
    if finding.is_about(Kind.SPELLING):
        return ("number as text",)
    if finding.exchange and (flaw := flaw_of(finding.exchange["response"]["body"])):
        return (flaw, finding.operation)
    if finding.place and finding.place[0] in {"headers", "media-type", "length"}:
        return ("header", finding.difference)
    if finding.place:
        resource, surplus = _resource(finding.operation), finding.is_about(Kind.SURPLUS)
        return ("place", resource, finding.place, surplus)
    return ("check", finding.verdict.get("check"), finding.operation)


def flaw_of(body: str) -> str:
    """Return why the body that a report shows has no members: it is empty, a web page, or no JSON; empty for others."""
    try:
        return "empty body" if orjson.loads(body) in ({}, [], None) else ""
    except orjson.JSONDecodeError:
        if body.lstrip().startswith("<"):
            return "empty body"
        is_whole = body.startswith("{") and not body.endswith(" bytes)") and "\n{" not in body
        return "no JSON" if is_whole else ""


def _resource(operation: str) -> str:
    """Return the last word of an operation, such as "Table" of createTable, loadTable and updateTable."""
    return (
        "Namespace"
        if operation in NAMESPACE
        else re.findall(r"[A-Z][a-z]+|$", operation)[-2:][0] or operation
    )
