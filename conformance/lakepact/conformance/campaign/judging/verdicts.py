"""Judge the kept exchanges of a run by every invariant of the suite and by the requests that must be refused; send nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.sending import ANSWERED, BROKEN, LATE
from lakepact.conformance.campaign.judging.answers import CLASSES, normalised, suite_of
from lakepact.conformance.campaign.planning.cases import CHECK
from lakepact.conformance.campaign.tables import ANSWERS, JUDGED, RESULTS
from lakepact.conformance.evidence.arrow import pa, pq
from lakepact.conformance.evidence.outcome import Outcome, Unmet, broken
from lakepact.conformance.fuzz.answers import Judge
from lakepact.conformance.judging.invariants import concerned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from lakepact.conformance.evidence.exchanges import Exchange
    from lakepact.conformance.judging.definitions import Invariant
    from lakepact.conformance.running.suite import Suite
    from lakepact.generated.contract import OperationId

    Features = Mapping[str, Mapping[str, bool]]

AT_ONCE = 2_000  #: exchanges that are in memory
INCONCLUSIVE, PASS, ERROR = "inconclusive", Outcome.PASS.value, Outcome.ERROR.value
NO_ANSWER = "no answer"  #: in the place of a status
SHOWN = 2000  #: characters of what was expected and what came

Verdict = tuple[str, str, str, str, str]  #: check, requirement, verdict, expected, observed


@cache
def _judge(contract: str) -> Judge:
    """Return the judge of refusals; its schemas are compiled once."""
    suite = suite_of(contract)
    if suite.fuzz is None:
        raise LookupError(f"nothing is known of what {contract} has to refuse")
    return Judge(suite.contract, (), suite.fuzz)


@cache
def _concerned(contract: str) -> Callable[[OperationId | None, int], tuple[Invariant, ...]]:
    return concerned(suite_of(contract).invariants.values(), lambda invariant: invariant)


@cache
def _levels(contract: str, off: frozenset[str]) -> dict[str, str]:
    """Return the levels of the requirements that are judged; one that needs a feature in `off` is not."""
    return {name: one.level for name, one in suite_of(contract).contract.requirements.items() if off.isdisjoint(one.features)}


def judged(row: Mapping[str, Any], features: Features | None = None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the verdicts on one exchange, and its normalised answer.

    Args:
        row: of the table `exchanges`.
        features: optional behaviours of each target; a requirement of one that is off is not judged.
    """
    same = {name: row[name] for name in ("run_id", "target", "contract", "case_id", "step", "operation_id", "mode")}
    exchange, suite = evidence.exchange_of(row), suite_of(row["contract"])
    off = frozenset(name for name, has in (features or {}).get(row["target"], {}).items() if not has)
    levels = _levels(row["contract"], off)
    results = [
        _result({**same, "http_status": row["http_status"]}, verdict, levels[verdict[1]])
        for verdict in _verdicts(suite, row, exchange)
        if verdict[1] in levels
    ]
    for own in row["said"] or ():  # by the check that sent the case
        if own["requirement_id"] in levels:
            verdict = own["check_id"], own["requirement_id"], own["verdict"], own["expected"], own["observed"]
            results.append(_result({**same, "step": own["step"], "http_status": None}, verdict, levels[verdict[1]]))
    answer = dict.fromkeys(CLASSES, "") | {"status": NO_ANSWER if row["state"] == BROKEN else ""}
    if row["state"] == ANSWERED:
        answer = normalised(row["contract"], exchange, row["pages"])
    return results, {**same, "state": row["state"], **answer}


def _result(same: dict[str, Any], verdict: Verdict, level: str) -> dict[str, Any]:
    check, requirement, outcome, expected, observed = verdict
    return {
        **same,
        "check_id": check,
        "requirement_id": requirement,
        "level": level,
        "verdict": outcome,
        "expected": expected[:SHOWN],
        "observed": observed[:SHOWN],
    }


def _verdicts(suite: Suite[Any], row: Mapping[str, Any], exchange: Exchange) -> Iterator[Verdict]:
    if row["state"] in {LATE, BROKEN} and suite.fuzz is not None:
        # A timeout may come from a busy machine.
        yield "answers", suite.fuzz.answers, Outcome.FAIL.value if row["state"] == BROKEN else INCONCLUSIVE, "an answer", row["reason"]
    if row["state"] != ANSWERED or row["response_truncated"]:
        return
    yield from _invariants(suite, exchange)
    if row["mode"] != CHECK and exchange.operation and suite.fuzz is not None:  # a check knows itself what it sends
        yield from _refusals(suite, exchange)


def _invariants(suite: Suite[Any], exchange: Exchange) -> Iterator[Verdict]:
    for invariant in _concerned(suite.contract.name)(exchange.operation, exchange.status):
        try:
            if invariant.judge(exchange):
                for requirement in invariant.requirements:
                    yield invariant.name, requirement, PASS, "", ""
        except Unmet as unmet:
            for requirement in invariant.requirements:
                outcome = broken(suite.contract.requirements[requirement]).value
                yield invariant.name, requirement, outcome, unmet.expected, unmet.actual
        except Exception as ours:  # noqa: BLE001 - whatever it is, it says nothing about the target
            for requirement in invariant.requirements:
                yield invariant.name, requirement, ERROR, "", f"the invariant broke: {ours!r}"


def _refusals(suite: Suite[Any], exchange: Exchange) -> Iterator[Verdict]:
    """Yield the verdicts on the acceptance of a body, as in fuzzing; only the status of the answer matters."""
    judge = _judge(suite.contract.name)
    judge.held.clear()
    for breach in judge.breaches(exchange):
        for requirement in breach.requirements:
            outcome = broken(suite.contract.requirements[requirement]).value
            yield breach.rule, requirement, outcome, breach.unmet.expected, breach.unmet.actual
    for requirement in sorted(judge.held):
        yield "refusals", requirement, PASS, "", ""


def judged_batches(batches: Iterable[Any], features: Features) -> Iterator[Any]:
    """Yield the same over Arrow record batches: a row for each exchange, its verdicts in it."""
    for batch in batches:
        found = [judged(row, features) for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist([{**answer, "verdicts": verdicts} for verdicts, answer in found], schema=JUDGED)


def judged_part(part: Path, features: Features, *, folders: tuple[Path, Path], number: int) -> None:
    """Judge one file of exchanges, some at a time, and write one file of verdicts and one of answers.

    Args:
        part: the file.
        features: optional behaviours of each target.
        folders: of verdicts and of answers.
        number: of the part among those of the run.
    """
    name = f"part-{number:05d}.parquet"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    with (
        pq.ParquetFile(part) as source,
        pq.ParquetWriter(folders[0] / name, RESULTS, compression="zstd") as results,
        pq.ParquetWriter(folders[1] / name, ANSWERS, compression="zstd") as answers,
    ):
        for batch in source.iter_batches(AT_ONCE):
            found = [judged(row, features) for row in batch.to_pylist()]
            results.write_table(pa.Table.from_pylist([verdict for verdicts, _ in found for verdict in verdicts], RESULTS))
            answers.write_table(pa.Table.from_pylist([answer for _, answer in found], ANSWERS))
