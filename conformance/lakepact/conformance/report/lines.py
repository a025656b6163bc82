"""The report: one JSON object per line, `header` first, `footer` last; a report without footer is
rejected.

| line       | says                                                                                              |
|------------|---------------------------------------------------------------------------------------------------|
| `header`   | report version, contract, target without secrets, what it declares, filters, start                |
| `result`   | one requirement: outcome, level, sentence, clause, and every judgement that led to it             |
| `cause`    | one cause of failures: severity, title and the requirements that it breaks                        |
| `client`   | a client that performed everyday tasks on the target: its outcome, and each task that did not work    |
| `exchange` | one request and its answer, redacted, for every judgement that is not a pass                      |
| `footer`   | counts by outcome, causes by severity, verdict, exit code, seconds, what could not be removed, why it ended early     |
"""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

import orjson
from jsonschema_rs import Draft202012Validator

from lakepact.conformance.evidence.escaping import json
from lakepact.conformance.evidence.exchanges import MARGIN, SHOWN_BODY, ErrorBody, Exchange
from lakepact.conformance.evidence.limits import MIB
from lakepact.conformance.evidence.observations import Observation, TaskOutcome
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Failure, Outcome, Verdict
from lakepact.conformance.evidence.redaction import REDACTED, SECRET_HEADERS
from lakepact.conformance.http.caller import REFUSED
from lakepact.conformance.report.cases import Finding
from lakepact.conformance.report.causes import Cause, Severity, causes
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

REPORT_VERSION: Final = 1
SCHEMA = resources.files("lakepact.conformance.report").joinpath(
    "report.schema.json"
)  #: of each line
LARGEST_REPORT, LARGEST_LINE = 256 * MIB, 16 * MIB
FOREIGN = "JSON, but not of `lakepact check --report jsonl=FILE`"
NEARLY_ALL = (
    0.95  #: share of the requests with one status from which on it is that of the whole server
)
SHOWN = 300  #: characters of what is wrong with a line
SHOWN_TRAIL = 3  #: exchanges of a failing case: the last one, and changes before it
SHOWN_MESSAGE = 300  #: characters of the message of an error
SHOWN_ANSWER = 300  #: characters of bodies in the line of a client's request
TASK = re.compile(r"^/task-\d+")  #: before the paths of a scripted server
#: The severities of faults in clients.
RISKS = {"data": Severity.DATA, "exposed": Severity.EXPOSED, "behaviour": Severity.EFFECT}
GZIP = b"\x1f\x8b"  #: the first bytes of a gzip file
VERDICTS = {
    runner.CONFORMANT: "conformant",
    runner.NOT_CONFORMANT: "not conformant",
    runner.INCOMPLETE: "incomplete",
}


class UnreadableReport(ValueError):
    """A file that is not a complete report."""


def lines(run: Run, *, strict: bool = False, stopped: str = "") -> Iterator[Line]:
    """Yield the lines of a run; `stopped` is the reason if it ended early and is incomplete."""
    results = {
        name: replace(result, verdicts=tuple(_gravest_first(run, v) for v in result.verdicts))
        for name, result in run.results().items()
    }
    written: list[ResultLine] = []
    yield _header(run, strict=strict)
    shown: set[int] = set()
    whole: set[int] = set()
    cases: dict[int, tuple[Verdict, Failure]] = {}  #: by the identity of their lines

    @cache
    def line(number: int) -> ExchangeLine:
        return _exchange(run, run.wire.exchanges[number], whole=True)

    for result in results.values():
        of_result = _result(run, result)
        for verdict, shown_verdict in zip(result.verdicts, of_result["verdicts"], strict=True):
            if verdict.failures and verdict.outcome is result.outcome:
                shown_verdict["replay"] = recipe(run, verdict, line)
                whole.update(shown_verdict["replay"].get("exchanges", ()))
                listed = zip(shown_verdict["failures"], verdict.failures, strict=True)
                cases.update({id(one): (verdict, failure) for one, failure in listed})
        written.append(of_result)
        shown |= _evidence(result)
    looks = (run.wire.exchanges[number].look for number in shown)
    shown |= {look.refused.number for look in looks if look}
    sent = [e for e in run.wire.exchanges.values() if e.operation and e.check != DISCOVERY]
    refused = {
        exchange.method
        for exchange in sent
        if 400 <= exchange.status < 500 and exchange.status not in REFUSED
    }
    statuses = Counter(exchange.status for exchange in sent)
    always = (s for s, number in statuses.items() if number > NEARLY_ALL * len(sent))
    exchanges = [_exchange(run, run.wire.exchanges[n], whole=False) for n in sorted(shown | whole)]
    grouped = causes((*written, *exchanges), refused=refused, always=next(always, 0))
    found: list[CauseLine] = []
    for number, of_cause in enumerate(grouped, start=1):
        evidence = [
            _case(run, finding, cases.get(id(finding.failure))) for finding in of_cause.findings
        ]
        if case := cases.get(id(of_cause.findings[0].failure)):
            verdict, failure = case
            evidence[0]["replay"] = recipe(run, replace(verdict, failures=(failure,)), line)
            shown.update(failure.exchanges)
            whole.update(evidence[0]["replay"].get("exchanges", ()))
        found.append(_cause(run, number, of_cause, evidence))
    results_of = {line["requirement"]: line for line in written}
    for cause in reversed(found):
        for requirement in cause["requirements"]:
            results_of[requirement]["cause"] = cause["number"]
    yield from written
    yield from found
    tasks = [task for observation in run.observations for task in observation.findings]
    shown.update({task.exchange for task in tasks} & run.wire.exchanges.keys())
    yield from (_client(run, observation, found) for observation in run.observations)
    yield from (
        line(n) if n in whole else _exchange(run, run.wire.exchanges[n], whole=False)
        for n in sorted(shown | whole)
    )
    footer = _footer(run, results.values(), strict=strict, stopped=stopped)
    footer["causes"] = dict(
        Counter(cause["severity"] for cause in found if cause["outcome"] == Outcome.FAIL)
    )
    if stopped:
        footer["stopped"] = run.wire.redact(stopped)
    yield footer


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
        "facts": {name: run.wire.redact(said) for name, said in offer.facts.items()}
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


def _cause(run: Run, number: int, cause: Cause, evidence: Sequence[EvidenceItem]) -> CauseLine:
    """Return a cause; in a client it is headed by the sentence of its requirement, with that
    risk.
    """
    first = run.plan.suite.requirement(cause.requirements[0])
    is_of_a_server = run.target.side == "server"
    return {
        "line": "cause",
        "number": number,
        "severity": cause.severity if is_of_a_server else RISKS[first.risk],
        "outcome": cause.outcome,
        "title": cause.title if is_of_a_server else first.sentence,
        "requirements": list(cause.requirements),
        "evidence": list(evidence),
    }


def _client(run: Run, observation: Observation, found: Sequence[CauseLine]) -> ClientLine:
    line: ClientLine = {
        "line": "client",
        "client": observation.client,
        "tasks": observation.tasks,
        "findings": [_task(run, task, found) for task in observation.findings],
    }
    if observation.outcome:
        line["outcome"] = observation.outcome
    if observation.reason:
        line["reason"] = run.wire.redact(observation.reason)
    return line


def _task(run: Run, task: TaskOutcome, found: Sequence[CauseLine]) -> TaskPart:
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
        for cause in found
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
        "body": (sent := _text(exchange, exchange.request_body, bound)),
    }
    is_text = sent.encode("utf-8", "backslashreplace") == exchange.request_body
    if whole and not is_text and REDACTED not in sent and len(exchange.request_body) <= LARGEST:
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
        "curl": exchange.curl() if run.target.side == "server" else _as_sent(run, exchange),
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


def _as_sent(run: Run, exchange: Exchange) -> str:
    """Return the request of a client and its answer in one line; the address of its task is
    gone.
    """
    split = urlsplit(exchange.redact(exchange.url))
    path = TASK.sub("", split.path) + (f"?{split.query}" if split.query else "")
    sent = _text(exchange, exchange.request_body, SHOWN_ANSWER)
    answer = _text(exchange, exchange.body, SHOWN_ANSWER, exchange.left_out)
    parts = (exchange.method, path, sent, "->", str(exchange.status or "no answer"), answer)
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


def _footer(run: Run, results: Iterable[Result], *, strict: bool, stopped: str) -> FooterLine:
    listed = list(results)
    code = runner.INCOMPLETE if stopped else runner.exit_code(listed, strict=strict)
    seen = runner.counts(listed)
    return {
        "line": "footer",
        "counts": {outcome.value: seen[outcome] for outcome in Outcome},
        "requests": len(run.wire.exchanges),
        "checks": len(run.plan.checks),
        "invariants": len(run.plan.invariants),
        "verdict": VERDICTS[code],
        "exit_code": code,
        "seconds": round(run.seconds, 3),
        "leftovers": [run.wire.redact(why) for why in run.leftovers],
    }


def encoded(line: Line) -> bytes:
    """Return a line as it is written to a file."""
    return json(line).encode() + b"\n"


def write(report: Iterable[Line], path: Path) -> None:
    """Write report lines to a file."""
    with path.open("wb") as file:
        file.writelines(encoded(line) for line in report)


def read(path: Path) -> list[Line]:
    """Read report lines from a file, which may be compressed with gzip.

    Raises:
        UnreadableReport: the file is damaged or too large, a line is not as the schema says, or
            what a line names is missing.
    """
    report = [
        _line(line, f"{path}:{number}")
        for number, line in enumerate(_content(path).splitlines(), start=1)
    ]
    if not report or report[0]["line"] != "header" or report[-1]["line"] != "footer":
        raise UnreadableReport(
            f"{path}: header or footer is missing: the run that wrote it did not finish"
        )
    outcomes = {line["requirement"]: line["outcome"] for line in report if line["line"] == "result"}
    for number, line in enumerate(report, start=1):
        if line["line"] == "result" and line["outcome"] not in {
            verdict["outcome"] for verdict in line["verdicts"]
        }:
            raise UnreadableReport(f"{path}:{number}: no verdict has the outcome {line['outcome']}")
        if line["line"] == "cause" and not outcomes.keys() >= set(line["requirements"]):
            raise UnreadableReport(
                f"{path}:{number}: the report has no result of a requirement of the cause"
            )
    return report


def _line(content: bytes, where: str) -> Line:
    """Return a line that is as the schema says.

    Raises:
        UnreadableReport: it is not.
    """
    if len(content) > LARGEST_LINE:
        raise UnreadableReport(
            f"{where}: a line of {len(content)} bytes; lakepact reads lines of at most"
            f" {LARGEST_LINE}"
        )
    try:
        line: Any = orjson.loads(content)
        orjson.dumps(line)
    except orjson.JSONDecodeError as wrong:
        raise UnreadableReport(f"{where}: not JSON: {wrong}") from wrong
    except orjson.JSONEncodeError as wrong:
        raise UnreadableReport(f"{where}: nested too deeply") from wrong
    if not isinstance(line, dict) or not isinstance(line.get("line"), str):
        raise UnreadableReport(f"{where}: {FOREIGN}: no object with a text `line`")
    if (
        line["line"] == "header"
        and isinstance(number := line.get("report"), int)
        and number != REPORT_VERSION
    ):
        raise UnreadableReport(
            f"{where}: report version {number}, this lakepact reads {REPORT_VERSION}"
        )
    schema = _schemas().get(line["line"])  # a later release may write further lines
    flaw = next(schema.iter_errors(line), None) if schema else None
    if flaw is not None:
        place = "/".join(map(str, flaw.instance_path)) or line["line"]
        raise UnreadableReport(f"{where}: {FOREIGN}: {place[:SHOWN]}: {flaw.message[:SHOWN]}")
    return cast("Line", line)


@cache
def _schemas() -> dict[str, Draft202012Validator]:
    """Return the schemas of the lines by their kinds; members of later releases are allowed."""
    schema = orjson.loads(
        SCHEMA.read_text("utf-8").replace(
            '"additionalProperties": false', '"additionalProperties": true'
        )
    )
    names = [kind["$ref"].rpartition("/")[2] for kind in schema["oneOf"]]
    return {
        schema["$defs"][name]["properties"]["line"]["const"]: Draft202012Validator(
            {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
        )
        for name in names
    }


def _content(path: Path) -> bytes:
    """Return the content of a file, decompressed if it is a gzip file.

    Raises:
        UnreadableReport: the compressed content is damaged, or there is too much.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            content = (gzip.GzipFile(fileobj=file) if is_packed else file).read(LARGEST_REPORT + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as wrong:
        raise UnreadableReport(f"{path}: damaged gzip file: {wrong}") from wrong
    if len(content) > LARGEST_REPORT:
        raise UnreadableReport(
            f"{path}: lakepact reads reports of at most {LARGEST_REPORT // MIB} MiB"
        )
    return content
