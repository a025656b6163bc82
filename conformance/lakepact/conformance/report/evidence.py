"""The facts that findings of one cause have in common.

A finding is a failing case of a requirement. Its key has what was wrong with the request, if a
refusal was expected, and what the answer
did: it accepted the request, refused it with a status and an error, had no error body, lost a
simultaneous change, or differs at a place. The operation is part of a key only where nothing else
says more. Cases of one check about one exchange have one key, and what a wrongly accepted request
left behind has the key of that request. No key depends on the words of a requirement.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import orjson

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Wrong
from lakepact.conformance.report.cases import (
    BROKEN,
    CONFLICT,
    NOT_FOUND,
    READS,
    SERVER_ERROR,
    Finding,
    cases_of,
    kinds,
    resource_of,
    subject,
)

if TYPE_CHECKING:
    from lakepact.generated.report import ExchangeLine, Line

#: The evidence that findings of one cause share; its first item is the kind.
Key: TypeAlias = "tuple[object, ...]"

#: mistakes that a server which refuses none accepts, or refuses with one wrong status, from which
#: on they are one cause
MANY = 10
FEW = 3  #: the same for an error whose status says nothing of what is stored
NO_BODY = (204,)  #: the status that leaves nothing to say of a body and its media type
SEVERAL = 5  #: members that may be missing, or have another type, from which on they are one cause
WEB_PAGE = "a web page"
FLAWS = ("empty body", WEB_PAGE, "no JSON")  #: why a body has no members
NOBODY = "no credentials"  #: the mistake of a request that does not say who calls
STORED = frozenset({NOT_FOUND, CONFLICT})  #: statuses of errors about what is stored
#: Mistakes of a request whose content is right.
OF_THE_STATE = frozenset({Wrong.ABSENT, Wrong.PRESENT, Wrong.STALE, Wrong.ACCESS})


class Evidence:
    """The findings of a report and the keys by which they are grouped.

    Args:
        report: the lines of results and exchanges.
        refused: methods with a request that the server refused; if neither GET nor HEAD is among
            them, or none of the others, many accepted mistakes in requests with those methods are
            one cause.
        always: the status that nearly every request of the run returned; 0 if there is none.
    """

    def __init__(
        self, report: Iterable[Line], *, refused: Collection[str] = ("GET", "POST"), always: int = 0
    ) -> None:
        self._always = always
        lines = list(report)
        exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
        broken = [line for line in lines if line["line"] == "result" and line["outcome"] in BROKEN]
        changes = _changes(exchanges)
        cases = [case for result in broken for case in cases_of(result, exchanges)]
        #: Requirements with places that answers have wrong, whatever was refused before.
        wrong = {
            (case.requirement, case.place)
            for case in cases
            if case.exchange and "refused" not in case.exchange
        }
        self.findings = [
            case
            if case.is_of_any_exchange and (case.requirement, case.place) in wrong
            else _after(case, changes, exchanges)
            for case in cases
        ]
        self._accepted: dict[int, Finding] = {}
        self._first: dict[int, Finding] = {}  #: by exchange, the case that says most about it
        #: By requirement and operation, place, or the status of a conflict.
        self._places: dict[tuple[str, ...], Key] = {}
        for case in sorted(self.findings, key=_clarity):
            if case.accepted and case.exchange:
                self._accepted.setdefault(case.exchange["number"], case)
            if case.exchange and (case.is_about_status or not case.is_of_any_exchange):
                self._first.setdefault(case.exchange["number"], case)
        #: By operation and sort of error, the number of a refused change that a load shows to be
        #: applied.
        self._applied: dict[Key, int] = {}
        for case in self.findings:
            if case.is_of_any_exchange and case.shows_refused and case.refused is not None:
                number, kind = case.refused["number"], _refusal(case.refused)
                if number in self._first or kind not in self._applied:
                    self._applied[kind] = number
        self._undone = {
            case.exchange["number"]: case
            for case in self._first.values()
            if case.exchange and case.expects_success and case.is_error
        }
        self.findings = [self._explained(case) for case in self.findings]
        #: By requirement and mistake, a request that was accepted; by requirement, operation and
        #: objects, a right request that was refused.
        self._of_rule: dict[Key, Finding] = {
            **{(f.requirement, f.mistake): f for f in self._accepted.values()},
            **{_right(case): case for case in self._undone.values()},
        }
        accepted = {(case.reads, case.mistake) for case in self._accepted.values()}
        refusing = {method in READS for method in refused}
        self._refuses_none = {
            reads
            for reads, _ in accepted
            if reads not in refusing and sum(r is reads for r, _ in accepted) >= MANY
        }
        keys = {(_key(finding), finding.refusal) for finding in self.findings}
        alike = Counter(r for key, r in keys if key[0] == "refused" and r[0] < SERVER_ERROR)
        self._alike = {
            refusal
            for refusal, mistakes in alike.items()
            if mistakes >= (MANY if refusal[0] in STORED or not refusal[1] else FEW)
        }
        flaws = Counter(key[0] for key in {key for key, _ in keys} if key[0] in FLAWS)
        #: Why the bodies of several operations have no members.
        self._flaws = {flaw for flaw, number in flaws.items() if number >= SEVERAL}
        #: Statuses from 500 on of bodies that the server cannot read, if it has them for many.
        unread = Counter(key[3] for key in {key for key, _ in keys} if _is_unread(key))
        self._unread = {status for status, number in unread.items() if number >= MANY}
        self._open = {
            case.operation
            for case in self._accepted.values()
            if case.mistake == (Wrong.ACCESS, NOBODY)
        }
        #: By operation, a commit that was accepted although its table had another snapshot.
        self._unchecked = {
            case.operation: case
            for case in self._accepted.values()
            if case.mistake == (Wrong.STALE, "assert-ref-snapshot-id")
        }
        #: The changes that checks sent at the same time, by check.
        self._simultaneous = {
            line["check"]: str(line["operation"])
            for line in exchanges.values()
            if "concurrent" in line and line["request"]["method"] not in READS
        }
        whichever = Counter(filter(None, (_whichever(key) for key, _ in keys)))
        self._whichever = {
            key
            for key, members in whichever.items()
            if members >= (FEW if Wrong.STALE in key else SEVERAL)
        }
        self._undue = {
            _error(finding)
            for finding in self.findings
            if finding.expects_success and finding.is_error
        }
        self._crashes = _crashes(self.findings)
        #: By error and kind of update: a crash that a check met with one such update.
        self._of_update: dict[Key, Finding] = {}
        for finding in sorted(self.findings, key=lambda each: not each.message):
            if _is_crash(finding):
                body = finding.exchange["request"]["body"] if finding.exchange else ""
                what = subject(body, finding.failure)
                self._of_update.setdefault((*finding.crash, what), finding)
        #: Numbers of accepted requests after which right requests fail.
        self._breaking = {
            origin.exchange["number"]
            for finding in self.findings
            if finding.expects_success
            and finding.is_error
            and (origin := self._origin(finding)) is not None
            and origin.exchange
        }
        silent = (f for f in self.findings if f.object_of_crash)
        #: Numbers of objects with a crash that says nothing, by key.
        self._crashed = Counter(
            key for key, _ in {(self._key_of(f), f.object_of_crash) for f in silent}
        )

    def key(self, finding: Finding) -> Key:
        """Return what a finding has in common with others of its cause."""
        cause = self._of_requirement(self._origin(finding) or self._of_exchange(finding))
        key = self._key_of(cause)
        return (*key, *cause.object_of_crash) if self._crashed[key] < MANY else key

    def _key_of(self, cause: Finding) -> Key:
        """Return the key of a finding, whichever object of the target it is about."""
        if cause.is_effect and cause.refused is not None:
            kind = _refusal(cause.refused)
            if number := self._applied.get(kind):
                first = self._first.get(number)
                return self.key(first) if first else ("applied", *kind)
        if wider := self._wider(cause) or _web_page(cause):
            return wider
        key = _key(cause)
        if key[0] in {"place", "check"} and not cause.is_of_any_exchange:
            return self._first_key(cause, key)
        return self._shared(cause, key)

    def _shared(self, cause: Finding, key: Key) -> Key:
        """Return the key of an answer that many requests get; `key` if it is not one."""
        if key[0] in self._flaws:
            return key[:1]
        if _is_unread(key) and cause.status in self._unread:
            return ("unread", cause.status)
        if _whichever(key) in self._whichever and not self._breaks_more(cause):
            return _whichever(key)
        if key[0] == "refused" and cause.refusal in self._alike:
            return ("refused alike", *cause.refusal)
        return self._crashes.get(key, key)

    def _wider(self, finding: Finding) -> Key:
        """Return the key of a fault that shows in many requests; an empty one if there is none."""
        if finding.accepted and finding.reads in self._refuses_none:
            return ("refuses none", finding.reads)
        if finding.accepted and finding.wrong == Wrong.ACCESS and finding.operation in self._open:
            return ("accepted", Wrong.ACCESS, NOBODY)
        if finding.status == self._always and (finding.is_error or finding.is_about_status):
            return ("constant", finding.status)
        if finding.is_unserved:
            return ("unserved", finding.status)
        if finding.is_error and finding.is_about_status and self._is_undue(finding):
            key, of_requirement = _error(finding), (finding.requirement, str(CONFLICT))
            is_conflict = finding.status == CONFLICT
            return self._places.setdefault(of_requirement, key) if is_conflict else key
        return self._raced(finding)

    def _raced(self, finding: Finding) -> Key:
        """Return the key of simultaneous changes of a check; an empty one if the finding has its
        own fault.
        """
        if finding.is_error or finding.accepted or finding.is_of_any_exchange:
            return ()
        operation = self._simultaneous.get(finding.verdict["check"])
        if operation is None or finding.is_about(Kind.TYPE, Kind.SPELLING):
            return ()
        unchecked = self._unchecked.get(operation)
        return self._key_of(unchecked) if unchecked else ("lost", resource_of(operation))

    def _of_requirement(self, finding: Finding) -> Finding:
        """Return the case that says most about a rule that the server does not keep.

        Without the rule a server accepts a mistake, or finds a conflict with what it stores. It may
        refuse the right request, and accept the one with the mistake instead.
        """
        if finding.accepted:
            return self._of_rule.get(_right(finding), finding)
        if finding.is_error and finding.status in STORED and finding.wrong:
            return self._of_rule.get((finding.requirement, finding.mistake), finding)
        return finding

    def _first_key(self, finding: Finding, key: Key) -> Key:
        """Return the first key of values that are wrong for one requirement, in one operation or at
        one place.
        """
        judged = [(finding.requirement, finding.operation), (finding.requirement, *finding.place)]
        key = next((self._places[each] for each in judged if each in self._places), key)
        self._places.update(dict.fromkeys(judged, key))
        return key

    def _breaks_more(self, finding: Finding) -> bool:
        """Return whether right requests fail after an accepted one."""
        return finding.exchange is not None and finding.exchange["number"] in self._breaking

    def _is_undue(self, finding: Finding) -> bool:
        """Return whether right requests get the same error, and no mistake in the request's own
        content explains it.
        """
        return finding.wrong in {"", *OF_THE_STATE} and _error(finding) in self._undue

    def _of_exchange(self, finding: Finding) -> Finding:
        """Return the case that says most about the exchange of a finding, if both are about the
        same deviation.
        """
        if _is_crash(finding) and finding.exchange and not finding.message:
            updates = sorted(kinds(finding.exchange["request"]["body"]))
            met = (self._of_update.get((*finding.crash, each)) for each in updates)
            if (same := next(filter(None, met), None)) is not None:
                return same
        first = self._first.get(finding.exchange["number"]) if finding.exchange else None
        if first is None or finding.is_about(Kind.LOST):
            return finding
        if first.is_about_status and first.expected_status == NO_BODY:
            return first
        if finding.is_of_any_exchange and (
            not (finding.is_error and first.is_error)
            or (finding.place[:1] == ("error",) and first.is_about_status)
        ):
            return finding
        return first

    def _explained(self, case: Finding) -> Finding:
        """Return a case without the refusal before it, if a failure of its own explains that."""
        if case.refused is None:
            return case
        if case.is_of_any_exchange:
            return case
        is_read, origin = case.reads and not case.is_error, self._origin(case)
        follows = is_read and case.refused["number"] in self._undone
        # An accepted request explains the value that is read; the later refusal does not.
        is_explained = not follows and origin is not None and origin.exchange is not case.exchange
        return replace(
            case, follows_refusal=follows, refused=None if is_explained else case.refused
        )

    def _origin(self, finding: Finding) -> Finding | None:
        """Return the case of an earlier request that a finding follows from.

        That is a wrongly accepted request of the same check and objects, or a right change that
        was refused just before. A refusal follows from nothing.
        """
        if finding.exchange is None or (
            finding.is_about_status and not finding.expects_success and finding.is_error
        ):
            return None
        number, objects = finding.exchange["number"], finding.objects
        if number in self._accepted:
            return self._accepted[number]
        if finding.accepted or finding.is_of_any_exchange:
            return None
        if finding.follows_refusal and finding.refused is not None:
            return self._undone[finding.refused["number"]]
        before = [
            (n, other.exchange)
            for n, other in self._accepted.items()
            if n < number and other.exchange is not None and not other.reads
        ]
        if finding.is_error:  # an earlier one would have spoiled the requests between
            before.sort(reverse=True, key=lambda numbered: numbered[0])
        return next(
            (
                self._accepted[n]
                for n, accepted in before
                if accepted.get("check") == finding.verdict.get("check")
                and (_objects(accepted) <= objects or objects <= _objects(accepted))
            ),
            None,
        )


def _right(finding: Finding) -> Key:
    """Return the requirement, the operation and the objects of a finding."""
    return finding.requirement, finding.operation, finding.objects


def _is_crash(finding: Finding) -> bool:
    """Return whether an answer has a 5xx status that it should not have."""
    return finding.is_error and finding.is_about_status and finding.status >= SERVER_ERROR


def _whichever(key: Key) -> Key:
    """Return a key without the member that a request lacks, or that has the wrong type; an empty
    one for other mistakes.
    """
    match key:
        case ("accepted", Wrong.MISSING | Wrong.TYPE | Wrong.STALE as kind, _):
            return ("accepted", kind, "")
        case ("refused", Wrong.MISSING | Wrong.TYPE as kind, _, int() as status, error):
            is_parsed = kind == Wrong.TYPE or status < SERVER_ERROR
            return ("refused", kind, "", status, error) if is_parsed else ()
        case _:
            return ()


def _is_unread(key: Key) -> bool:
    """Return whether a key is of a 5xx answer to a body that lacks a member, or has another type
    there.
    """
    match key:
        case ("refused", Wrong.MISSING | Wrong.TYPE, _, int() as status, _):
            return status >= SERVER_ERROR
        case _:
            return False


def _crashes(findings: Iterable[Finding]) -> dict[Key, Key]:
    """Return the keys of 5xx answers to bad requests, each with the key of its cause: those with
    equal messages have one.
    """
    causes: dict[Key, Key] = {}
    messages: dict[Key, Key] = {}
    for finding in findings:
        key = _key(finding)
        if key[0] in {"refused", "error"} and finding.status >= SERVER_ERROR and finding.message:
            error = _error(finding)
            causes.setdefault(key, messages.get(error, key))
            messages.setdefault(error, causes[key])
    return causes


def _changes(exchanges: Mapping[int, ExchangeLine]) -> dict[str, list[ExchangeLine]]:
    """Return the requests of each check that are no reads, the last one first."""
    changes: dict[str, list[ExchangeLine]] = defaultdict(list)
    for _, line in sorted(exchanges.items(), reverse=True):
        if line["request"]["method"] not in READS:
            changes[line["check"]].append(line)
    return changes


def _after(
    finding: Finding,
    changes: Mapping[str, Sequence[ExchangeLine]],
    exchanges: Mapping[int, ExchangeLine],
) -> Finding:
    """Return a finding with the last change before it, if it was refused, and the last one that was
    accepted.
    """
    if finding.exchange is None:
        return finding
    if finding.is_of_any_exchange:  # others than loads after a refusal say nothing of it
        return replace(finding, refused=exchanges.get(finding.exchange.get("refused", 0)))
    number, objects = finding.exchange["number"], finding.objects
    own = changes.get(finding.exchange["check"], ())
    before = [e for e in own if e["number"] < number and (_objects(e) & objects or not objects)]
    accepted = (e for e in before if e["response"]["status"] < LOWEST_ERROR)
    change, last = next(accepted, None), next(iter(before), None)
    return replace(finding, change=change, refused=None if last is change else last)


def _clarity(finding: Finding) -> tuple[int, ...]:
    """Return the rank of a case among those about one exchange: what was accepted says most, then a
    status with its mistake.
    """
    return (
        not finding.accepted,
        not finding.is_about_status,
        not finding.failure.get("mutation"),
        finding.is_of_any_exchange,
        len(finding.result.get("operations", ())) or 99,
        len(finding.place),
    )


def _refusal(refused: ExchangeLine) -> Key:
    """Return the operation of a refused change, and whether the server failed."""
    return (refused["operation"], refused["response"]["status"] >= SERVER_ERROR)


def _objects(exchange: ExchangeLine) -> frozenset[str]:
    return frozenset(exchange.get("objects", ()))


def _web_page(finding: Finding) -> Key:
    """Return the key of a web page that is no error; an empty one for other answers."""
    body = finding.exchange["response"]["body"] if finding.exchange else ""
    is_page = finding.status < LOWEST_ERROR and flaw_of(body) == WEB_PAGE
    return (WEB_PAGE,) if is_page else ()


def _key(finding: Finding) -> Key:
    if finding.is_about(Kind.LOST):
        return ("lost", resource_of(finding.operation))
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
        return ("no error body",)
    is_crash = finding.status >= SERVER_ERROR and not finding.failure.get("mutation")
    if finding.expects_success or is_crash:
        return _error(finding)
    kind = finding.error_type or "" if is_crash or finding.status >= SERVER_ERROR else ""
    return ("refused", *finding.mistake, finding.status, kind)


def _error(finding: Finding) -> Key:
    """Return status, type and message of an error, and the kind of request where they do not say
    what failed.
    """
    kind, key = finding.error_type or "", ("error", finding.status, finding.error_type or "")
    is_refusal = finding.status < SERVER_ERROR and finding.expects_success
    if kind and finding.status == NOT_FOUND:  # whose message just names the object
        return (*key, *finding.loss)
    if is_refusal and finding.names:
        return (*key, finding.names)
    if finding.message:
        return ("error", finding.status, finding.message)
    return (
        *key,
        *(finding.mistake if finding.failure.get("mutation") else finding.kind_of_request),
    )


def _effect_key(finding: Finding) -> Key:
    """Return what is wrong with a response whose status is right."""
    if finding.is_about(Kind.SPELLING):
        return ("number as text",)
    is_bare = finding.status >= LOWEST_ERROR and finding.error_type is None
    if is_bare and finding.place[:1] == ("media-type",):
        return ("no error body",)
    if finding.exchange and (flaw := flaw_of(finding.exchange["response"]["body"])):
        return (flaw, finding.operation)
    if finding.place and finding.place[0] in {"headers", "media-type", "length"}:
        return ("header", finding.difference)
    if finding.place:
        resource, surplus = resource_of(finding.operation), finding.is_about(Kind.SURPLUS)
        return ("place", resource, finding.place, surplus)
    return ("check", finding.verdict.get("check"), finding.operation)


def flaw_of(body: str) -> str:
    """Return why the body that a report shows has no members: it is empty, a web page, or no JSON;
    empty for others.
    """
    try:
        return "empty body" if orjson.loads(body) in ({}, [], None) else ""
    except orjson.JSONDecodeError:
        if body.lstrip().startswith("<"):
            return WEB_PAGE
        is_whole = body.startswith("{") and not body.endswith(" bytes)") and "\n{" not in body
        return "no JSON" if is_whole else ""
