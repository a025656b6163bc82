"""Judge the kept exchanges of a run by every invariant of the suite and by the requests that must
be refused; send nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.sending import ANSWERED, BROKEN, LATE
from lakepact.conformance.campaign.judging.answers import CLASSES, normalise, suite_of
from lakepact.conformance.campaign.paths import parquet, parquet_writer
from lakepact.conformance.campaign.planning.cases import CHECK
from lakepact.conformance.campaign.tables import ANSWERS, JUDGED, RESULTS
from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Outcome, Unmet, breach_outcome
from lakepact.conformance.fuzz.answers import Judge
from lakepact.conformance.judging.definitions import Invariant
from lakepact.conformance.judging.invariants import selector
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import OperationId

Features = Mapping[str, Mapping[str, bool]]

AT_ONCE = 2_000  #: exchanges that are in memory
INCONCLUSIVE, PASS, ERROR = "inconclusive", Outcome.PASS.value, Outcome.ERROR.value
LOWEST_SERVER_ERROR, NOT_IMPLEMENTED = 500, 501
NO_ANSWER = "no answer"  #: in the place of a status
SHOWN = 2000  #: characters of what was expected and what came
SAME = (
    "run_id",
    "target",
    "contract",
    "case_id",
    "step",
    "operation_id",
    "mode",
)  #: the first columns of both tables

Verdict = tuple[str, str, str, str, str]  #: check, requirement, verdict, expected, observed


@cache
def _judge(contract: str) -> Judge:
    """Return the judge of refusals; its schemas are compiled once."""
    suite = suite_of(contract)
    if suite.fuzz is None:
        raise LookupError(f"nothing is known of what {contract} has to refuse")
    return Judge(suite.contract, (), suite.fuzz)


@cache
def _invariants_of(contract: str) -> Callable[[OperationId | None, int], tuple[Invariant, ...]]:
    return selector(suite_of(contract).invariants.values(), lambda invariant: invariant)


@cache
def _levels(contract: str, off: frozenset[str]) -> dict[str, str]:
    """Return the levels of the requirements that are judged; one that needs a feature in `off` is
    not.
    """
    return {
        name: one.level
        for name, one in suite_of(contract).contract.requirements.items()
        if off.isdisjoint(one.features)
    }


def judge_row(
    row: Mapping[str, Any], features: Features | None = None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the verdicts on one exchange, and its normalised answer.

    Args:
        row: of the table `exchanges`.
        features: optional behaviours of each target; a requirement of one that is off is not
            judged.
    """
    verdicts, answer = _judge_row(row, features or {})
    return [dict(zip(RESULTS.names, verdict, strict=True)) for verdict in verdicts], dict(
        zip(ANSWERS.names, answer, strict=True)
    )


def _judge_row(
    row: Mapping[str, Any], features: Features
) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
    """Return the same as rows of the tables `results` and `answers`, without the names of
    columns.
    """
    run, target, contract, case, _, operation, mode = same = tuple(row[name] for name in SAME)
    exchange, suite = evidence.exchange_of(row), suite_of(contract)
    levels = _levels(
        contract, frozenset(name for name, has in features.get(target, {}).items() if not has)
    )
    results = [
        (
            *same,
            check,
            requirement,
            levels[requirement],
            outcome,
            expected[:SHOWN],
            actual[:SHOWN],
            row["http_status"],
        )
        for check, requirement, outcome, expected, actual in _verdicts(suite, row, exchange)
        if requirement in levels
    ]
    for own in row["said"] or ():  # by the check that sent the case
        if own["requirement_id"] in levels:
            at = (
                run,
                target,
                contract,
                case,
                own["step"],
                operation,
                mode,
                own["check_id"],
                own["requirement_id"],
            )
            texts = own["expected"][:SHOWN], own["observed"][:SHOWN]
            results.append((*at, levels[own["requirement_id"]], own["verdict"], *texts, None))
    answer = dict.fromkeys(CLASSES, "") | {"status": NO_ANSWER if row["state"] == BROKEN else ""}
    if row["state"] == ANSWERED:
        answer |= normalise(contract, exchange, row["pages"])
    return results, (*same, row["state"], *answer.values())


def _verdicts(suite: Suite[Any], row: Mapping[str, Any], exchange: Exchange) -> Iterator[Verdict]:
    if row["reason"] and row["state"] in {ANSWERED, LATE, BROKEN} and suite.fuzz is not None:
        # A timeout may come from a busy machine; of a listing that goes on, the end is not judged.
        yield (
            "answers",
            suite.fuzz.answers,
            Outcome.FAIL.value if row["state"] == BROKEN else INCONCLUSIVE,
            "the end of the listing" if row["state"] == ANSWERED else "an answer",
            row["reason"],
        )
    if row["state"] != ANSWERED or row["response_truncated"]:
        return
    yield from _invariants(suite, exchange)
    if (
        row["mode"] != CHECK and exchange.operation and suite.fuzz is not None
    ):  # a check knows itself what it sends
        yield from _refusals(suite, exchange)
        if exchange.status >= LOWEST_SERVER_ERROR and exchange.status != NOT_IMPLEMENTED:
            # It shows nothing of what the server does, and once it may be chance.
            actual = f"status {exchange.status}"
            yield "answers", suite.fuzz.answers, INCONCLUSIVE, "a status below 500", actual


def _invariants(suite: Suite[Any], exchange: Exchange) -> Iterator[Verdict]:
    for invariant in _invariants_of(suite.contract.name)(exchange.operation, exchange.status):
        try:
            if invariant.judge(exchange):
                for requirement in invariant.requirements:
                    yield invariant.name, requirement, PASS, "", ""
        except Unmet as unmet:
            for requirement in invariant.requirements:
                outcome = breach_outcome(suite.contract.requirements[requirement]).value
                yield invariant.name, requirement, outcome, unmet.expected, unmet.actual
        except Exception as ours:  # noqa: BLE001 - whatever it is, it says nothing about the target
            for requirement in invariant.requirements:
                yield invariant.name, requirement, ERROR, "", f"the invariant broke: {ours!r}"


def _refusals(suite: Suite[Any], exchange: Exchange) -> Iterator[Verdict]:
    """Yield the verdicts on the acceptance of a body, as in fuzzing; only the status of the answer
    matters.
    """
    judge = _judge(suite.contract.name)
    judge.held.clear()
    for breach in judge.breaches(exchange):
        for requirement in breach.requirements:
            outcome = breach_outcome(suite.contract.requirements[requirement]).value
            yield breach.rule, requirement, outcome, breach.unmet.expected, breach.unmet.actual
    for requirement in sorted(judge.held):
        yield "refusals", requirement, PASS, "", ""


def judge_batches(batches: Iterable[Any], features: Features) -> Iterator[Any]:
    """Yield the same over Arrow record batches: a row for each exchange, its verdicts in it."""
    for batch in batches:
        results, answers, many = _tables(batch, features)
        verdicts = pa.StructArray.from_arrays(results.columns, fields=list(RESULTS))
        nested = pa.ListArray.from_arrays([*accumulate(many, initial=0)], verdicts)
        yield pa.RecordBatch.from_arrays([*answers.columns, nested], schema=JUDGED)


def _tables(batch: Any, features: Features) -> tuple[Any, Any, list[int]]:
    """Return the verdicts on a batch of exchanges, the answers, and how many verdicts each exchange
    has.
    """
    judgements = [_judge_row(row, features) for row in batch.to_pylist()]
    results = _columns([verdict for verdicts, _ in judgements for verdict in verdicts], RESULTS)
    return (
        results,
        _columns([answer for _, answer in judgements], ANSWERS),
        [len(verdicts) for verdicts, _ in judgements],
    )


def _columns(rows: list[tuple[Any, ...]], schema: Schema) -> Any:
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, one.type) for column, one in zip(columns, schema, strict=True)],
        schema=schema,
    )


def judge_part(part: Path, features: Features, *, folders: tuple[Path, Path], number: int) -> None:
    """Judge one file of exchanges, some at a time, and write one file of verdicts and one of
    answers.

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
        parquet(part) as source,
        parquet_writer(folders[0] / name, RESULTS) as results,
        parquet_writer(folders[1] / name, ANSWERS) as answers,
    ):
        for batch in source.iter_batches(AT_ONCE):
            verdicts, normal, _ = _tables(batch, features)
            results.write_batch(verdicts)
            answers.write_batch(normal)
