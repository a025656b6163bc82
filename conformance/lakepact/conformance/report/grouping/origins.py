"""The finding that explains another: an earlier request that was wrongly accepted, a right change
that was refused, or a case that says more about the same exchange.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR
from lakepact.conformance.report.grouping.cases import (
    BROKEN,
    CONFLICT,
    NOT_FOUND,
    READS,
    Finding,
    cases_of,
    kinds,
    subject,
)
from lakepact.conformance.report.grouping.keys import (
    Key,
    has_mistake,
    is_crash,
    kind_of_refusal,
    right_request,
)

if TYPE_CHECKING:
    from lakepact.generated.report import ExchangeLine, Line

NO_BODY = (204,)  #: the status that leaves nothing to say of a body and its media type
STORED = frozenset({NOT_FOUND, CONFLICT})  #: statuses of errors about what is stored


class Origins:
    """The failing cases of a report, and what explains each of them.

    Args:
        lines: the lines of results and exchanges.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        exchanges = {line["number"]: line for line in lines if line["line"] == "exchange"}
        cases = [
            case
            for line in lines
            if line["line"] == "result" and line["outcome"] in BROKEN
            for case in cases_of(line, exchanges)
        ]
        cases = _with_changes(cases, exchanges)
        #: By exchange, the case that says most about it.
        self.clearest = _by_exchange(
            cases, lambda case: case.is_about_status or not case.is_of_any_exchange
        )
        #: The same of accepted requests that should have been refused.
        self.acceptances = _by_exchange(cases, lambda case: case.accepts)
        #: The same of right requests that were refused.
        self._refusals = {
            number: case
            for number, case in self.clearest.items()
            if case.expects_success and case.is_error
        }
        #: By operation and sort of error, a refused change that a load shows to be applied.
        self.effects = _effects(cases, self.clearest)
        self.findings = [self._with_its_refusal(case) for case in cases]
        #: By requirement and mistake, a request that was accepted; by requirement, operation and
        #: objects, a right request that was refused.
        self._of_rule: dict[Key, Finding] = {
            **{(case.requirement, case.mistake): case for case in self.acceptances.values()},
            **{right_request(case): case for case in self._refusals.values()},
        }
        #: By error and kind of update: a crash that a check met with one such update.
        self._of_update: dict[Key, Finding] = {}
        for finding in sorted(self.findings, key=lambda each: not each.message):
            if is_crash(finding):
                body = finding.exchange["request"]["body"] if finding.exchange else ""
                update = subject(body, finding.failure)
                self._of_update.setdefault((*finding.crash, update), finding)
        origins = (
            self._origin(finding)
            for finding in self.findings
            if finding.expects_success and finding.is_error
        )
        #: Numbers of accepted requests after which right requests fail.
        self._breaking = {
            origin.exchange["number"] for origin in origins if origin and origin.exchange
        }

    def of(self, finding: Finding) -> Finding:
        """Return the finding that explains another one; itself, if none does."""
        return self._of_requirement(self._origin(finding) or self._of_exchange(finding))

    def breaks_more(self, finding: Finding) -> bool:
        """Return whether right requests fail after an accepted one."""
        return finding.exchange is not None and finding.exchange["number"] in self._breaking

    def _of_requirement(self, finding: Finding) -> Finding:
        """Return the case that says most about a rule that the server does not keep.

        Without the rule a server accepts a mistake, or finds a conflict with what it stores. It may
        refuse the right request, and accept the one with the mistake instead.
        """
        if finding.accepts:
            return self._of_rule.get(right_request(finding), finding)
        if finding.is_error and finding.status in STORED and finding.wrong:
            return self._of_rule.get((finding.requirement, finding.mistake), finding)
        return finding

    def _of_exchange(self, finding: Finding) -> Finding:
        """Return the case that says most about the exchange of a finding, if both are about the
        same deviation.
        """
        if finding.exchange is None:
            return finding
        if is_crash(finding) and not finding.message:
            updates = sorted(kinds(finding.exchange["request"]["body"]))
            crashes = (self._of_update.get((*finding.crash, update)) for update in updates)
            if (crash := next(filter(None, crashes), None)) is not None:
                return crash
        clearest = self.clearest.get(finding.exchange["number"])
        if clearest is None or finding.is_about(Kind.LOST):
            return finding
        if clearest.is_about_status and clearest.expected_status == NO_BODY:
            return clearest
        if finding.is_of_any_exchange and (
            not (finding.is_error and clearest.is_error)
            or (finding.place[:1] == ("error",) and clearest.is_about_status)
        ):
            return finding
        return clearest

    def _with_its_refusal(self, case: Finding) -> Finding:
        """Return a case without the refusal before it, if a failure of its own explains that."""
        if case.refusal is None or case.is_of_any_exchange:
            return case
        is_read, origin = case.reads and not case.is_error, self._origin(case)
        follows = is_read and case.refusal["number"] in self._refusals
        # An accepted request explains the value that is read; the later refusal does not.
        is_explained = not follows and origin is not None and origin.exchange is not case.exchange
        return replace(
            case, follows_refusal=follows, refusal=None if is_explained else case.refusal
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
        if number in self.acceptances:
            return self.acceptances[number]
        if finding.accepts or finding.is_of_any_exchange:
            return None
        if finding.follows_refusal and finding.refusal is not None:
            return self._refusals[finding.refusal["number"]]
        before = [
            (n, other.exchange)
            for n, other in self.acceptances.items()
            if n < number and other.exchange is not None and not other.reads
        ]
        if finding.is_error:  # an earlier one would have spoiled the requests between
            before.sort(reverse=True, key=lambda pair: pair[0])
        return next(
            (
                self.acceptances[n]
                for n, exchange in before
                if exchange.get("check") == finding.verdict.get("check")
                and (_objects(exchange) <= objects or objects <= _objects(exchange))
            ),
            None,
        )


def _by_exchange(
    cases: Iterable[Finding], matches: Callable[[Finding], bool]
) -> dict[int, Finding]:
    """Return the case that says most about each exchange, of those that match."""
    clearest: dict[int, Finding] = {}
    for case in sorted(cases, key=_clarity):
        if case.exchange and matches(case):
            clearest.setdefault(case.exchange["number"], case)
    return clearest


def _clarity(finding: Finding) -> tuple[int, ...]:
    """Return the rank of a case among those about one exchange: what was accepted says most, then a
    status with its mistake.
    """
    return (
        not finding.accepts,
        not finding.is_about_status,
        not has_mistake(finding),
        finding.is_of_any_exchange,
        len(finding.result.get("operations", ())) or 99,
        len(finding.place),
    )


def _effects(cases: Iterable[Finding], clearest: Mapping[int, Finding]) -> dict[Key, int]:
    """Return, by operation and sort of error, the number of a refused change that a load shows to
    be applied.
    """
    numbers: dict[Key, int] = {}
    for case in cases:
        if case.is_of_any_exchange and case.differs_after_refusal and case.refusal is not None:
            number, kind = case.refusal["number"], kind_of_refusal(case.refusal)
            if number in clearest or kind not in numbers:
                numbers[kind] = number
    return numbers


def _with_changes(cases: Sequence[Finding], exchanges: Mapping[int, ExchangeLine]) -> list[Finding]:
    """Return the cases with the changes before them.

    Invariants judge the exchanges of all checks. If answers have one place wrong whatever was
    refused before, no refusal explains it.
    """
    changes = _changes(exchanges)
    wrong = {
        (case.requirement, case.place)
        for case in cases
        if case.exchange and "refused" not in case.exchange
    }
    return [
        case
        if case.is_of_any_exchange and (case.requirement, case.place) in wrong
        else _with_change(case, changes, exchanges)
        for case in cases
    ]


def _changes(exchanges: Mapping[int, ExchangeLine]) -> dict[str, list[ExchangeLine]]:
    """Return the requests of each check that are no reads, the last one first."""
    changes: dict[str, list[ExchangeLine]] = defaultdict(list)
    for _, line in sorted(exchanges.items(), reverse=True):
        if line["request"]["method"] not in READS:
            changes[line["check"]].append(line)
    return changes


def _with_change(
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
        return replace(finding, refusal=exchanges.get(finding.exchange.get("refused", 0)))
    number, objects = finding.exchange["number"], finding.objects
    own = changes.get(finding.exchange["check"], ())
    before = [e for e in own if e["number"] < number and (_objects(e) & objects or not objects)]
    success = (e for e in before if e["response"]["status"] < LOWEST_ERROR)
    change, last = next(success, None), next(iter(before), None)
    return replace(finding, change=change, refusal=None if last is change else last)


def _objects(exchange: ExchangeLine) -> frozenset[str]:
    return frozenset(exchange.get("objects", ()))
