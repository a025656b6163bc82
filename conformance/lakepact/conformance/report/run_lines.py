"""The lines of a report on a run, in the order in which they are written."""

from __future__ import annotations

import base64
import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lakepact.conformance.evidence.exchanges import MARGIN, SHOWN_BODY, ErrorBody, Exchange
from lakepact.conformance.evidence.observations import Observation, TaskOutcome
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Failure, Outcome, Verdict
from lakepact.conformance.evidence.redaction import REDACTED, SECRET_HEADERS
from lakepact.conformance.http.caller import REFUSED
from lakepact.conformance.report.causes import Cause, Severity, causes
from lakepact.conformance.report.grouping.cases import Finding
from lakepact.conformance.report.lines import REPORT_VERSION
from lakepact.conformance.reproduction.recipes import LARGEST, recipe
from lakepact.conformance.running import runner
from lakepact.conformance.running.runner import DISCOVERY, Result, Run

if TYPE_CHECKING:
    from lakepact.generated.report import (
        CauseLine,
        ClientLine,
        EvidenceItem,
        ExchangeLine,
        FailurePart,
        FooterLine,
        HeaderLine,
        Line,
        Request,
        ResultLine,
        VerdictPart,
    )
    from lakepact.generated.report import Error as ErrorPart
    from lakepact.generated.report import Finding as TaskPart

NEARLY_ALL = (
    0.95  #: share of the requests with one status from which on it is that of the whole server
)
SHOWN_TRAIL = 3  #: exchanges of a failing case: the last one, and changes before it
SHOWN_MESSAGE = 300  #: characters of the message of an error
SHOWN_ANSWER = 300  #: characters of bodies in the line of a client's request
TASK = re.compile(r"^/task-\d+")  #: before the paths of a scripted server
#: The severities of faults in clients.
RISKS = {"data": Severity.DATA, "exposed": Severity.EXPOSED, "behaviour": Severity.EFFECT}
VERDICTS = {
    runner.CONFORMANT: "conformant",
    runner.NOT_CONFORMANT: "not conformant",
    runner.INCOMPLETE: "incomplete",
}


def lines_of(run: Run, *, strict: bool = False, stopped: str = "") -> Iterator[Line]:
    """Yield the lines of a run; `stopped` is the reason if it ended early and is incomplete."""
    results = [
        replace(result, verdicts=tuple(_gravest_first(run, v) for v in result.verdicts))
        for result in run.results().values()
    ]
    yield _header(run, strict=strict)
    selection = _Selection(run)
    result_lines = [selection.result(result) for result in results]
    cause_lines = selection.causes(result_lines)
    yield from result_lines
    yield from cause_lines
    for observation in run.observations:
        yield selection.client(observation, cause_lines)
    yield from selection.exchanges()
    footer = _footer(run, results, strict=strict, stopped=stopped)
    footer["causes"] = dict(
        Counter(cause["severity"] for cause in cause_lines if cause["outcome"] == Outcome.FAIL)
    )
    if stopped:
        footer["stopped"] = run.wire.redact(stopped)
    yield footer


class _Selection:
    """The lines of a run, and the exchanges that they need: to show a case, or to send it again."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._numbers: set[int] = set()  #: of the exchanges that the report has
        self._whole: set[int] = set()  #: of those that a script sends again
        self._cases: dict[int, tuple[Verdict, Failure]] = {}  #: by the identity of their parts
        self._line = cache(lambda number: _exchange(run, run.wire.exchanges[number], whole=True))

    def result(self, result: Result) -> ResultLine:
        """Return the line of a result, with the scripts of its failing verdicts."""
        line = _result(self._run, result)
        for verdict, part in zip(result.verdicts, line["verdicts"], strict=True):
            if verdict.failures and verdict.outcome is result.outcome:
                part["replay"] = recipe(self._run, verdict, self._line)
                self._whole.update(part["replay"].get("exchanges", ()))
                for failing, failure in zip(part["failures"], verdict.failures, strict=True):
                    self._cases[id(failing)] = verdict, failure
        numbers = _evidence(result)
        looks = (self._run.wire.exchanges[number].look for number in numbers)
        self._numbers |= numbers | {look.refused.number for look in looks if look}
        return line

    def causes(self, results: Sequence[ResultLine]) -> list[CauseLine]:
        """Return the lines of the causes, and number them in the results."""
        refused, always = _statuses(self._run)
        exchanges = [self._excerpt(number) for number in sorted(self._numbers | self._whole)]
        by_number = enumerate(
            causes((*results, *exchanges), refused=refused, always=always), start=1
        )
        lines = [self._cause(number, cause) for number, cause in by_number]
        by_requirement = {line["requirement"]: line for line in results}
        for line in reversed(lines):
            for requirement in line["requirements"]:
                by_requirement[requirement]["cause"] = line["number"]
        return lines

    def client(self, observation: Observation, causes: Sequence[CauseLine]) -> ClientLine:
        """Return the line of a client that performed tasks on the target."""
        numbers = {task.exchange for task in observation.findings}
        self._numbers |= numbers & self._run.wire.exchanges.keys()
        return _client(self._run, observation, causes)

    def exchanges(self) -> Iterator[ExchangeLine]:
        """Yield the exchanges that the other lines name."""
        for number in sorted(self._numbers | self._whole):
            yield self._line(number) if number in self._whole else self._excerpt(number)

    def _excerpt(self, number: int) -> ExchangeLine:
        return _exchange(self._run, self._run.wire.exchanges[number], whole=False)

    def _cause(self, number: int, cause: Cause) -> CauseLine:
        """Return a cause; in a client it is headed by the sentence of its requirement, with that
        risk.
        """
        run, findings = self._run, cause.findings
        evidence = [
            _case(run, finding, self._cases.get(id(finding.failure))) for finding in findings
        ]
        if case := self._cases.get(id(findings[0].failure)):
            verdict, failure = case
            replay = recipe(run, replace(verdict, failures=(failure,)), self._line)
            evidence[0]["replay"] = replay
            self._numbers.update(failure.exchanges)
            self._whole.update(replay.get("exchanges", ()))
        first = run.plan.suite.requirement(cause.requirements[0])
        is_of_a_server = run.target.side == "server"
        return {
            "line": "cause",
            "number": number,
            "severity": cause.severity if is_of_a_server else RISKS[first.risk],
            "outcome": cause.outcome,
            "title": cause.title if is_of_a_server else first.sentence,
            "requirements": list(cause.requirements),
            "evidence": evidence,
        }


def _statuses(run: Run) -> tuple[set[str], int]:
    """Return the methods with a request that the server refused, and the status that nearly every
    request got; 0 if there is none.
    """
    exchanges = [e for e in run.wire.exchanges.values() if e.operation and e.check != DISCOVERY]
    methods = {e.method for e in exchanges if 400 <= e.status < 500 and e.status not in REFUSED}
    statuses = Counter(exchange.status for exchange in exchanges)
    always = (s for s, number in statuses.items() if number > NEARLY_ALL * len(exchanges))
    return methods, next(always, 0)


def _evidence(result: Result) -> set[int]:
    """Return the exchanges that show the outcome of a result, unless it passed."""
    if result.outcome in (Outcome.PASS, Outcome.NOT_OFFERED):
        return set()
    verdicts = [verdict for verdict in result.verdicts if verdict.outcome is result.outcome]
    trails = [f.exchanges[-SHOWN_TRAIL:] for verdict in verdicts for f in verdict.failures]
    return {n for each in (*trails, *(v.exchanges for v in verdicts)) for n in each}


def _header(run: Run, *, strict: bool) -> HeaderLine:
    offer, contract = run.offer, run.plan.suite.contract
    unused = offer.unused if offer else frozenset[str]()
    return {
        "line": "header",
        "report": REPORT_VERSION,
        "lakepact": metadata.version("lakepact"),
        "contract": contract.name,
        "version": contract.version,
        "title": contract.title,
        "target": run.wire.redact(run.target.name or run.target.url),
        "url": run.wire.redact(run.wire.url),
        "profile": run.profile,
        "parameters": {
            name: run.wire.redact(value) for name, value in run.target.parameters.items()
        },
        "set_features": dict(run.target.features),
        "options": _options(run),
        "own_headers": run.wire.caller.names,
        "side": run.target.side,
        "authorized": bool(run.target.headers) or run.wire.caller.names_caller,
        "facts": {name: run.wire.redact(fact) for name, fact in offer.facts.items()}
        if offer
        else {},
        "operations": sorted(offer.operations) if offer else [],
        "all_operations": len(contract.operations),
        "features": {name: run.feature(name) for name in contract.features if name not in unused},
        "only": list(run.plan.only),
        "strict": strict,
        "ended": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def _options(run: Run) -> list[str]:
    """Return the options that random requests and races were sent with."""
    numbers = {"--fuzz": run.fuzz, "--stateful-requests": run.stateful, "--race-repeat": run.races}
    seeds = {"--fuzz-seed": run.seed if run.fuzz else 0, "--stateful-seed": run.stateful_seed}
    return [f"{name}={number}" for name, number in {**numbers, **seeds}.items() if number]


def _result(run: Run, result: Result) -> ResultLine:
    requirement = run.plan.suite.requirement(result.requirement)
    contract = run.plan.suite.contract
    return {
        "line": "result",
        "requirement": requirement.id,
        "outcome": result.outcome,
        "level": requirement.level,
        "risk": requirement.risk,
        "area": requirement.area,
        "operations": list(requirement.operations),
        "sentence": requirement.sentence,
        "clause": contract.place(requirement.clause),
        "basis": requirement.basis,
        "interpretation": requirement.interpretation,
        "corrections": [
            {
                "id": e,
                "sentence": contract.corrections[e].sentence,
                "effect": contract.corrections[e].effect,
            }
            for e in requirement.corrections
        ],
        "verdicts": [_verdict(run, verdict) for verdict in result.verdicts],
    }


def _verdict(run: Run, verdict: Verdict) -> VerdictPart:
    part: VerdictPart = {
        "check": verdict.check,
        "outcome": verdict.outcome,
        "judged": verdict.judged,
    }
    if verdict.expected:
        part["expected"] = run.wire.redact(verdict.expected)
    if verdict.actual:
        part["actual"] = run.wire.redact(verdict.actual)
    if verdict.remark:
        part["remark"] = run.wire.redact(verdict.remark)
    if verdict.outcome not in (Outcome.PASS, Outcome.NOT_OFFERED):
        part["exchanges"] = list(verdict.exchanges)
    if verdict.failures:
        part["failed"] = verdict.failed
        part["failures"] = [_failure(run, failure) for failure in verdict.failures]
    return part


def _failure(run: Run, failure: Failure) -> FailurePart:
    """Return one failing case: the exchange that shows it, and the whole trail only in the
    verdict.
    """
    part: FailurePart = {
        "expected": run.wire.redact(failure.expected),
        "actual": run.wire.redact(failure.actual),
    }
    if failure.expected_status:
        part["expected_status"] = list(failure.expected_status)
    elif failure.refusal:
        part["refusal"] = True
    if failure.claim and failure.claim.at == "/status" and not failure.expected_status:
        part["about_status"] = True
    if mutation := failure.mutation:
        part["mutation"] = {"kind": mutation.kind, "at": mutation.at}
        if mutation.phrase:
            part["mutation"]["phrase"] = mutation.phrase
    if differs := failure.difference:
        part["difference"] = {"at": run.wire.redact(differs.at), "kind": differs.kind}
    if failure.exchanges:
        part["exchange"] = failure.exchanges[-1]
    return part


def _gravest_first(run: Run, verdict: Verdict) -> Verdict:
    """Return a verdict whose first failing cases are bad requests that were accepted."""
    if not verdict.failures:
        return verdict

    def is_refused(failure: Failure) -> bool:
        status = run.wire.exchanges[failure.exchanges[-1]].status if failure.exchanges else 0
        return not (failure.refusal and 0 < status < LOWEST_ERROR)

    failures = tuple(sorted(verdict.failures, key=is_refused))
    first = failures[0]
    return replace(
        verdict,
        failures=failures,
        expected=first.expected,
        actual=first.actual,
        exchanges=first.exchanges or verdict.exchanges,
    )


def _case(run: Run, finding: Finding, case: tuple[Verdict, Failure] | None) -> EvidenceItem:
    """Return the evidence of a finding; its trail only where a check recorded one."""
    trail = [n for n in case[1].exchanges if n in run.wire.exchanges] if case else []
    part: EvidenceItem = {
        "requirement": finding.requirement,
        "check": finding.verdict["check"],
        "expected": finding.failure["expected"],
        "actual": finding.failure["actual"],
        "exchanges": trail,
    }
    if finding.exchange:
        part["exchange"] = finding.exchange["number"]
    return part


def _client(run: Run, observation: Observation, causes: Sequence[CauseLine]) -> ClientLine:
    line: ClientLine = {
        "line": "client",
        "client": observation.client,
        "tasks": observation.tasks,
        "findings": [_task(run, task, causes) for task in observation.findings],
    }
    if observation.outcome:
        line["outcome"] = observation.outcome
    if observation.reason:
        line["reason"] = run.wire.redact(observation.reason)
    return line


def _task(run: Run, task: TaskOutcome, causes: Sequence[CauseLine]) -> TaskPart:
    """Return a task that did not work, with the cause whose evidence is the same answer to the same
    operation.
    """
    exchange = run.wire.exchanges.get(task.exchange)
    part: TaskPart = {"task": task.task, "outcome": task.outcome, "detail": task.detail}
    if exchange is None:
        return part
    part["exchange"] = task.exchange
    alike = (
        cause["number"]
        for cause in causes
        for evidence in cause["evidence"]
        if _is_alike(exchange, run.wire.exchanges.get(evidence.get("exchange", 0)))
    )
    if cause := next(alike, None):
        part["cause"] = cause
    return part


def _is_alike(exchange: Exchange, other: Exchange | None) -> bool:
    """Return whether two requests of one operation got the same error: only then one cause explains
    both.
    """
    return (
        other is not None
        and exchange.status >= LOWEST_ERROR
        and (exchange.operation, exchange.status) == (other.operation, other.status)
        and (exchange.error and exchange.error.type) == (other.error and other.error.type)
    )


def _exchange(run: Run, exchange: Exchange, *, whole: bool) -> ExchangeLine:
    """Return the line of an exchange; its bodies are `whole` if a script has to send it again."""
    bound = LARGEST if whole else SHOWN_BODY
    request: Request = {
        "method": exchange.method,
        "url": exchange.redact(exchange.url),
        "headers": [(n, exchange.shown_value(n, v)) for n, v in exchange.request_headers],
        "body": (text := _text(exchange, exchange.request_body, bound)),
    }
    is_text = text.encode("utf-8", "backslashreplace") == exchange.request_body
    if whole and not is_text and REDACTED not in text and len(exchange.request_body) <= LARGEST:
        request["bytes"] = {"base64": base64.b64encode(exchange.request_body).decode()}
    line: ExchangeLine = {
        "line": "exchange",
        "number": exchange.number,
        "check": exchange.check,
        "operation": exchange.operation,
        "objects": sorted(exchange.objects),
        "request": request,
        "response": {
            "status": exchange.status,
            "headers": [
                (n, REDACTED if n.lower() in SECRET_HEADERS else exchange.redact(v))
                for n, v in exchange.headers.multi_items()
            ],
            "body": _text(exchange, exchange.body, bound, exchange.left_out),
        },
        "curl": exchange.curl() if run.target.side == "server" else _in_one_line(run, exchange),
        "milliseconds": round(exchange.seconds * 1000, 3),
        "sent_at": round(exchange.sent_at * 1000),
        "needed": exchange.number in run.wire.required,
    }
    if exchange.number in run.wire.concurrent:
        line["concurrent"] = True
    if exchange.look:
        line["refused"] = exchange.look.refused.number
    if exchange.error:
        line["error"] = _error(exchange, exchange.error)
    return line


def _in_one_line(run: Run, exchange: Exchange) -> str:
    """Return the request of a client and its answer in one line, without the address of its
    task.
    """
    split = urlsplit(exchange.redact(exchange.url))
    path = TASK.sub("", split.path) + (f"?{split.query}" if split.query else "")
    body = _text(exchange, exchange.request_body, SHOWN_ANSWER)
    answer = _text(exchange, exchange.body, SHOWN_ANSWER, exchange.left_out)
    parts = (exchange.method, path, body, "->", str(exchange.status or "no answer"), answer)
    return run.wire.redact(" ".join(" ".join(parts).split()))


def _error(exchange: Exchange, error: ErrorBody) -> ErrorPart:
    part: ErrorPart = {"message": exchange.redact(error.message)[:SHOWN_MESSAGE]}
    if error.type is not None:
        part["type"] = exchange.redact(error.type)
    return part


def _text(exchange: Exchange, body: bytes, bound: int, left_out: int = 0) -> str:
    text: str = exchange.redact(body[: bound + MARGIN].decode("utf-8", "backslashreplace"))
    length = len(body) + left_out
    return text if length <= bound else f"{text[:bound]}… ({length} bytes)"


def _footer(run: Run, results: Sequence[Result], *, strict: bool, stopped: str) -> FooterLine:
    code = runner.INCOMPLETE if stopped else runner.exit_code(results, strict=strict)
    counts = runner.counts(results)
    return {
        "line": "footer",
        "planned": len(run.plan.requirements),
        "counts": {outcome.value: counts[outcome] for outcome in Outcome},
        "requests": len(run.wire.exchanges),
        "checks": len(run.plan.checks),
        "invariants": len(run.plan.invariants),
        "verdict": VERDICTS[code],
        "exit_code": code,
        "seconds": round(run.seconds, 3),
        "leftovers": [run.wire.redact(why) for why in run.leftovers],
    }
