"""The facts that findings of one cause have in common.

A finding is a failing case of a requirement. `keys` tells the deviation that one finding shows,
`origins` the finding that explains another, and this module the faults that show in many requests:
a server that refuses nothing, an error that all requests get, a member that no answer has right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import ASSERT_REF, Wrong
from lakepact.conformance.report.grouping.cases import (
    CONFLICT,
    READS,
    SERVER_ERROR,
    Answer,
    Finding,
    resource_of,
)
from lakepact.conformance.report.grouping.creations import LostCreations
from lakepact.conformance.report.grouping.keys import (
    FLAWS,
    Key,
    error_of,
    is_server_error,
    is_unread,
    key_of,
    kind_of_refusal,
    web_page,
    without_member,
)
from lakepact.conformance.report.grouping.origins import STORED, Origins

if TYPE_CHECKING:
    from lakepact.generated.report import Line

T = TypeVar("T", bound=Hashable)

#: mistakes that a server which refuses none accepts, or refuses with one wrong status, from which
#: on they are one cause
MANY = 10
FEW = 3  #: the same for an error whose status says nothing of what is stored
SEVERAL = 5  #: members that may be missing, or have another type, from which on they are one cause
NOBODY = "no credentials"  #: the mistake of a request that does not say who calls
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
        lines = list(report)
        self._origins = Origins(lines)
        self.findings = findings = self._origins.findings
        acceptances = list(self._origins.acceptances.values())
        answers = list(dict.fromkeys((key_of(finding), finding.answer) for finding in findings))
        keys = dict(answers)
        self._always = always
        self._lost = LostCreations(line for line in lines if line["line"] == "exchange")
        self._refuses_none = _refuses_none(acceptances, refused)
        self._of_any_mistake = _of_any_mistake(answers)
        #: Why the bodies of several operations have no members.
        #: Statuses of successes that errors come with.
        self._statuses_of_errors = _frequent(
            (finding.status for finding in findings if finding.is_error_as_success), SEVERAL
        )
        self._flaws = _frequent((key[0] for key in keys if key[0] in FLAWS), SEVERAL)
        #: Statuses from 500 on of bodies that the server cannot read.
        self._unread = _frequent((key[3] for key in keys if is_unread(key)), MANY)
        self._of_any_member = _of_any_member(answers)
        self._of_messages = _of_messages(findings)
        #: Errors that right requests get.
        self._undue = {error_of(f) for f in findings if f.expects_success and f.is_error}
        #: Operations that carry out requests without credentials.
        self._open = {f.operation for f in acceptances if f.mistake == (Wrong.ACCESS, NOBODY)}
        #: By operation, a commit that was accepted although its table had another snapshot.
        self._unchecked = {
            f.operation: f for f in acceptances if f.mistake == (Wrong.STALE, ASSERT_REF)
        }
        #: The operation of the changes that a check sent at the same time, by check.
        self._simultaneous = {
            line["check"]: str(line["operation"])
            for line in lines
            if line["line"] == "exchange"
            and "concurrent" in line
            and line["request"]["method"] not in READS
        }
        #: The keys of values that are wrong in several operations, and of conflicts, by requirement
        #: and operation, place, or status: the first finding decides.
        self._first_keys: dict[tuple[str, ...], Key] = {}
        silent = [finding for finding in findings if finding.object_of_crash]
        objects = dict.fromkeys((self._key_of(f), f.object_of_crash) for f in silent)
        #: Crashes without a message that many objects of the target get.
        self._of_any_object = _frequent((key for key, _ in objects), MANY)

    def key(self, finding: Finding) -> Key:
        """Return what a finding has in common with others of its cause."""
        cause = self._origins.of(finding)
        key = self._key_of(cause)
        return key if key in self._of_any_object else (*key, *cause.object_of_crash)

    def _key_of(self, cause: Finding) -> Key:
        """Return the key of a finding, whichever object of the target it is about."""
        if cause.is_effect and cause.refusal is not None:
            kind = kind_of_refusal(cause.refusal)
            if number := self._origins.effects.get(kind):
                clearest = self._origins.clearest.get(number)
                return self.key(clearest) if clearest else ("applied", *kind)
        if self._is_error_as_success(cause):
            return ("error as success", cause.status)
        if operation := self._lost.of(cause):
            return ("lost creation", operation)
        if wider := self._wider(cause) or web_page(cause):
            return wider
        key = key_of(cause)
        if key[0] in {"place", "check"} and not cause.is_of_any_exchange:
            return self._first_key(cause, key)
        return self._shared(cause, key)

    def _is_error_as_success(self, cause: Finding) -> bool:
        """Return whether an error came with the status of a success; HEAD has no body to show it."""
        is_head = cause.exchange is not None and cause.exchange["request"]["method"] == "HEAD"
        return cause.is_error_as_success or (
            is_head and cause.accepts and cause.status in self._statuses_of_errors
        )

    def _shared(self, cause: Finding, key: Key) -> Key:
        """Return the key of an answer that many requests get; `key` if it is not one."""
        if key[0] in self._flaws:
            return key[:1]
        if is_unread(key) and cause.status in self._unread:
            return ("unread", cause.status)
        if without_member(key) in self._of_any_member and not self._origins.breaks_more(cause):
            return without_member(key)
        if key[0] == "refused" and cause.answer in self._of_any_mistake:
            return ("refused alike", *cause.answer)
        return self._of_messages.get(key, key)

    def _wider(self, finding: Finding) -> Key:
        """Return the key of a fault that shows in many requests; an empty one if there is none."""
        if finding.accepts and finding.reads in self._refuses_none:
            return ("refuses none", finding.reads)
        if finding.accepts and finding.wrong == Wrong.ACCESS and finding.operation in self._open:
            return ("accepted", Wrong.ACCESS, NOBODY)
        if finding.status == self._always and (finding.is_error or finding.is_about_status):
            return ("constant", finding.status)
        if finding.is_unserved:
            return ("unserved", finding.status)
        if finding.is_error and finding.is_about_status and self._is_undue(finding):
            key, of_conflict = error_of(finding), (finding.requirement, str(CONFLICT))
            is_conflict = finding.status == CONFLICT
            return self._first_keys.setdefault(of_conflict, key) if is_conflict else key
        return self._race(finding)

    def _race(self, finding: Finding) -> Key:
        """Return the key of simultaneous changes of a check; an empty one if the finding has its
        own fault.
        """
        if finding.is_error or finding.accepts or finding.is_of_any_exchange:
            return ()
        operation = self._simultaneous.get(finding.verdict["check"])
        if operation is None or finding.is_about(Kind.TYPE, Kind.SPELLING):
            return ()
        commit = self._unchecked.get(operation)
        return self._key_of(commit) if commit else ("lost", resource_of(operation))

    def _first_key(self, finding: Finding, key: Key) -> Key:
        """Return the first key of values that are wrong for one requirement, in one operation or at
        one place.
        """
        at = [(finding.requirement, finding.operation), (finding.requirement, *finding.place)]
        key = next((self._first_keys[each] for each in at if each in self._first_keys), key)
        self._first_keys.update(dict.fromkeys(at, key))
        return key

    def _is_undue(self, finding: Finding) -> bool:
        """Return whether right requests get the same error, and no mistake in the request's own
        content explains it.
        """
        return finding.wrong in {"", *OF_THE_STATE} and error_of(finding) in self._undue


def _frequent(items: Iterable[T], least: int) -> set[T]:
    """Return the items that occur at least so often."""
    return {item for item, number in Counter(items).items() if number >= least}


def _refuses_none(acceptances: Iterable[Finding], refused: Collection[str]) -> set[bool]:
    """Return whether reads, and whether changes, are accepted with whatever mistake."""
    mistakes = {(case.reads, case.mistake) for case in acceptances}
    refusing = {method in READS for method in refused}
    return _frequent((reads for reads, _ in mistakes), MANY) - refusing


def _of_any_mistake(answers: Iterable[tuple[Key, Answer]]) -> set[Answer]:
    """Return the answers that mistakes of many kinds get."""
    mistakes = Counter(
        answer for key, answer in answers if key[0] == "refused" and answer[0] < SERVER_ERROR
    )
    return {
        answer
        for answer, number in mistakes.items()
        if number >= (MANY if answer[0] in STORED or not answer[1] else FEW)
    }


def _of_any_member(answers: Iterable[tuple[Key, Answer]]) -> set[Key]:
    """Return the keys of requests that may lack a member, or have a wrong one, whichever it is."""
    members = Counter(filter(None, (without_member(key) for key, _ in answers)))
    return {
        key for key, number in members.items() if number >= (FEW if Wrong.STALE in key else SEVERAL)
    }


def _of_messages(findings: Sequence[Finding]) -> dict[Key, Key]:
    """Return the keys of 5xx answers to bad requests, each with the key of its cause: those with
    equal messages have one.
    """
    causes: dict[Key, Key] = {}
    messages: dict[Key, Key] = {}
    for finding in findings:
        key = key_of(finding)
        if key[0] in {"refused", "error"} and is_server_error(finding) and finding.message:
            error = error_of(finding)
            causes.setdefault(key, messages.get(error, key))
            messages.setdefault(error, causes[key])
    return causes
