"""Judge the kept exchanges of a run by every invariant of the suite and by the requests that must be refused; send nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lakepact.conformance.arrow import pa
from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.sending import ANSWERED, BROKEN, LATE
from lakepact.conformance.campaign.judging.answers import CLASSES, normalised
from lakepact.conformance.campaign.judging.partial_exchanges import Asked, Kind, asked_about, suite_of
from lakepact.conformance.campaign.planning.cases import CHECK
from lakepact.conformance.campaign.tables import JUDGED
from lakepact.conformance.fuzz.judging import Judge
from lakepact.conformance.outcome import Outcome, Unmet, broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lakepact.conformance.exchanges import Exchange
    from lakepact.conformance.suite import Suite

INCONCLUSIVE, PASS, ERROR = "inconclusive", Outcome.PASS.value, Outcome.ERROR.value
SHOWN = 2000  #: characters of what was expected and what came

Said = tuple[Kind, str, str]  #: kind, expected, observed
Verdict = tuple[Kind, str, str, int | None, int]  #: kind, expected, observed, status, step


@cache
def _judge(contract: str) -> Judge:
    """Return the judge of refusals; its schemas are compiled once."""
    suite = suite_of(contract)
    if suite.fuzz is None:
        raise LookupError(f"nothing is known of what {contract} has to refuse")
    return Judge(suite.contract, (), suite.fuzz)


def judged(row: Mapping[str, Any], features: Mapping[str, Mapping[str, bool]] | None = None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the verdicts on one exchange, and its normalised answer.

    Args:
        row: of the table `exchanges`.
        features: optional behaviours of each target; a requirement of one that is off is not judged.
    """
    same = {name: row[name] for name in ("run_id", "target", "contract", "case_id", "step", "operation_id", "mode")}
    exchange = evidence.exchange_of(row)
    results = []
    for (check, requirement, level, verdict), expected, observed, status, step in decided(row, exchange, features):
        said = {"check_id": check, "requirement_id": requirement, "level": level, "verdict": verdict}
        results.append({**same, **said, "expected": expected, "observed": observed, "http_status": status, "step": step})
    answer: dict[str, str] = normalised(exchange) if row["state"] == ANSWERED else dict.fromkeys(CLASSES, "")
    return results, {**same, "state": row["state"], **answer}


def without(target: str, features: Mapping[str, Mapping[str, bool]] | None) -> frozenset[str]:
    """Return the optional behaviours that a target does not have."""
    return frozenset(name for name, has in (features or {}).get(target, {}).items() if not has)


def decided(row: Mapping[str, Any], exchange: Exchange, features: Mapping[str, Mapping[str, bool]] | None = None) -> list[Verdict]:
    """Return the verdicts on one exchange, without what is known of it anyway."""
    suite = suite_of(row["contract"])
    off = without(row["target"], features)
    status, step = row["http_status"], row["step"]
    verdicts = [(*said, status, step) for said in _said(suite, row, exchange, off)]
    for said in row["said"] or ():
        kind = _kind(suite, said["check_id"], said["requirement_id"], said["verdict"], off)
        verdicts += [(one, said["expected"], said["observed"], None, said["step"]) for one in kind]
    return verdicts


def _kind(suite: Suite[Any], check: str, requirement: str, verdict: str, off: frozenset[str]) -> tuple[Kind, ...]:
    """Return the kind of a verdict; `None` for unknown requirements and for features that a target does not have."""
    known = suite.contract.requirements.get(requirement)
    return ((check, requirement, known.level, verdict),) if known is not None and off.isdisjoint(known.features) else ()


def _said(suite: Suite[Any], row: Mapping[str, Any], exchange: Exchange, off: frozenset[str]) -> Iterator[Said]:
    if row["state"] in {LATE, BROKEN} and suite.fuzz is not None:
        # A timeout may come from a busy machine.
        verdict = Outcome.FAIL.value if row["state"] == BROKEN else INCONCLUSIVE
        for kind in _kind(suite, "answers", suite.fuzz.answers, verdict, off):
            yield kind, "an answer", row["reason"][:SHOWN]
    if row["state"] != ANSWERED or row["response_truncated"]:
        return
    yield from _invariants(suite, exchange, off)
    if row["mode"] != CHECK and exchange.operation:  # a check knows itself what it sends
        yield from refused(suite, exchange, off)


def _invariants(suite: Suite[Any], exchange: Exchange, off: frozenset[str]) -> Iterator[Said]:
    for one in asked_about(exchange, suite.contract.name, off):
        yield from said_by(one, exchange, suite)


def said_by(one: Asked, exchange: Exchange, suite: Suite[Any]) -> Iterator[Said]:
    """Return the verdict of an invariant about an exchange; `None` where it does not apply."""
    expected, observed, kinds = "", "", one.held
    if not one.is_certain:
        try:
            if not one.invariant.judge(exchange):
                return
        except Unmet as unmet:
            expected, observed = unmet.expected[:SHOWN], unmet.actual[:SHOWN]
            kinds = tuple((*kind[:3], broken(suite.contract.requirements[kind[1]]).value) for kind in kinds)
        except Exception as ours:  # noqa: BLE001 - whatever it is, it says nothing about the target
            observed = f"the invariant broke: {ours!r}"[:SHOWN]
            kinds = tuple((*kind[:3], ERROR) for kind in kinds)
    for kind in kinds:
        yield kind, expected, observed


def refused(suite: Suite[Any], exchange: Exchange, off: frozenset[str]) -> Iterator[Said]:
    """Yield the verdicts about a request that a contract may forbid; only the status of the answer matters."""
    for check, requirement, verdict, expected, observed in _refusals(suite, exchange):
        for kind in _kind(suite, check, requirement, verdict, off):
            yield kind, expected[:SHOWN], observed[:SHOWN]


def _refusals(suite: Suite[Any], exchange: Exchange) -> Iterator[tuple[str, str, str, str, str]]:
    """Return the verdict about a body that should have been refused, as in fuzzing: check, requirement, verdict, expected, observed."""
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
    """Yield the same over Arrow record batches: a row for each exchange, its verdicts in it."""
    for batch in batches:
        found = [judged(row, features) for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist([{**answer, "verdicts": verdicts} for verdicts, answer in found], schema=JUDGED)
