"""Judges the exchanges of a run: by every law of the suite, and by what had to be refused. Nothing is sent, nothing else is looked at."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lakepact.conformance import suite as suites
from lakepact.conformance.arrow import pa
from lakepact.conformance.campaign import evidence
from lakepact.conformance.campaign.answers import CLASSES, normalised
from lakepact.conformance.campaign.cases import CHECK
from lakepact.conformance.campaign.execution import ANSWERED, BROKEN, LATE
from lakepact.conformance.campaign.tables import JUDGED
from lakepact.conformance.fuzz.judging import Judge
from lakepact.conformance.outcome import Outcome, Unmet, broken

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from lakepact.conformance.judges import Law
    from lakepact.conformance.suite import Suite
    from lakepact.conformance.wire import Exchange
    from lakepact.generated.contract import Requirement

INCONCLUSIVE, PASS, ERROR = "inconclusive", Outcome.PASS.value, Outcome.ERROR.value
SHOWN = 2000  #: characters of what was expected and what came

Said = tuple[str, str, str, str, str]  #: check, requirement, verdict, expected, observed
Verdict = tuple[str, str, str, str, str, str, int | None, int]  #: check, requirement, level, verdict, expected, observed, status, step


@cache
def _suite(contract: str) -> Suite[Any]:
    return suites.load(contract)


@cache
def _judge(contract: str) -> Judge:
    """What judges refusals; its schemas are compiled once."""
    suite = _suite(contract)
    if suite.fuzz is None:
        raise LookupError(f"nothing is known of what {contract} has to refuse")
    return Judge(suite.contract, (), suite.fuzz)


def judged(row: Mapping[str, Any], features: Mapping[str, Mapping[str, bool]] | None = None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The verdicts on one exchange, and its normalised answer.

    Args:
        row: of the table `exchanges`.
        features: optional behaviours of each target; a requirement of one that is off is not judged.
    """
    same = {name: row[name] for name in ("run_id", "target", "contract", "case_id", "step", "operation_id", "mode")}
    exchange = evidence.exchange_of(row)
    results = []
    for check, requirement, level, verdict, expected, observed, status, step in decided(row, exchange, features):
        said = {"check_id": check, "requirement_id": requirement, "level": level, "verdict": verdict}
        results.append({**same, **said, "expected": expected, "observed": observed, "http_status": status, "step": step})
    answer: dict[str, str] = normalised(exchange) if row["state"] == ANSWERED else dict.fromkeys(CLASSES, "")
    return results, {**same, "state": row["state"], **answer}


def decided(row: Mapping[str, Any], exchange: Exchange, features: Mapping[str, Mapping[str, bool]] | None = None) -> list[Verdict]:
    """The verdicts on one exchange, without what is known of it anyway."""
    suite = _suite(row["contract"])
    has = (features or {}).get(row["target"], {})
    known, status = suite.contract.requirements, row["http_status"]
    verdicts: list[Verdict] = [
        (check, requirement, known[requirement].level, verdict, expected[:SHOWN], observed[:SHOWN], status, row["step"])
        for check, requirement, verdict, expected, observed in _said(suite, row, exchange)
        if _is_on(known[requirement], has)
    ]
    for said in row["said"] or ():
        requirement = known.get(said["requirement_id"])
        if requirement is not None and _is_on(requirement, has):
            words = (said["verdict"], said["expected"], said["observed"])
            verdicts.append((said["check_id"], requirement.id, requirement.level, *words, None, said["step"]))
    return verdicts


def _is_on(requirement: Requirement, has: Mapping[str, bool]) -> bool:
    return not requirement.features or all(has.get(name, True) for name in requirement.features)


def _said(suite: Suite[Any], row: Mapping[str, Any], exchange: Exchange) -> Iterator[Said]:
    if row["state"] in {LATE, BROKEN} and suite.fuzz is not None:
        # What came too late may be the fault of a busy machine.
        verdict = Outcome.FAIL.value if row["state"] == BROKEN else INCONCLUSIVE
        yield "answers", suite.fuzz.answers, verdict, "an answer", row["reason"]
    if row["state"] != ANSWERED or row["response_truncated"]:
        return
    yield from _laws(suite, exchange)
    if row["mode"] != CHECK and exchange.operation:  # a check knows itself what it sends
        yield from _refusals(suite, exchange)


def _applicable(suite: Suite[Any], exchange: Exchange) -> Iterator[Law]:
    """The laws of whose topic an exchange shows anything, and those that have none."""
    shown: dict[Any, Container[str]] = {}
    for law in suite.laws.values():
        topic = law.topic
        if topic is None:
            yield law
            continue
        if topic.shown not in shown:
            shown[topic.shown] = topic.shown(exchange)
        if topic.what in shown[topic.shown]:
            yield law


def _laws(suite: Suite[Any], exchange: Exchange) -> Iterator[Said]:
    for law in _applicable(suite, exchange):
        try:
            held = law.judge(exchange)
        except Unmet as unmet:
            for requirement in law.requirements:
                outcome = broken(suite.contract.requirements[requirement])
                yield law.name, requirement, outcome.value, unmet.expected, unmet.actual
        except Exception as ours:  # noqa: BLE001 - whatever it is, it says nothing about the target
            for requirement in law.requirements:
                yield law.name, requirement, ERROR, "", f"the law broke: {ours!r}"
        else:
            if held:
                for requirement in law.requirements:
                    yield law.name, requirement, PASS, "", ""


def _refusals(suite: Suite[Any], exchange: Exchange) -> Iterator[Said]:
    """What should have been refused for its body, as the fuzzer judges it."""
    if suite.fuzz is None:
        return
    judge = _judge(suite.contract.name)
    judge.held.clear()
    breaches = list(judge.breaches(exchange))
    for breach in breaches:
        for requirement in breach.requirements:
            yield (
                breach.rule,
                requirement,
                broken(suite.contract.requirements[requirement]).value,
                breach.unmet.expected,
                breach.unmet.actual,
            )
    for requirement in sorted(judge.held):
        yield "refusals", requirement, PASS, "", ""


def judged_batches(batches: Iterable[Any], features: Mapping[str, Mapping[str, bool]]) -> Iterator[Any]:
    """The same over Arrow record batches: a row for each exchange, its verdicts in it."""
    for batch in batches:
        found = [judged(row, features) for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist([{**answer, "verdicts": verdicts} for verdicts, answer in found], schema=JUDGED)
