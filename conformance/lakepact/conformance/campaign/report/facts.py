"""The facts of a report, drawn from the tables of a run: few enough for a page, each with one case that shows it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.conformance import suite as suites
from lakepact.conformance.arrow import pa, pc, pq
from lakepact.conformance.campaign import evidence, tables
from lakepact.conformance.campaign.analysis import BAD, FINER, VERDICTS
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Row = dict[str, Any]

MOST = 40  #: findings, and rows of a table, that a page shows
INTERRUPTED = "exchanges were on their way when a start was interrupted: inconclusive, and sent again under other names"
KINDS = (*FINER, "header")


@dataclass(frozen=True)
class Finding:
    """A requirement that a target does not keep, and the first case that shows it."""

    target: str
    requirement: str
    level: str
    verdict: str
    says: str
    clause: str
    failed: int
    cases: int
    expected: str
    observed: str
    case_id: str
    curl: str


@dataclass(frozen=True)
class Facts:
    """Everything that a report shows."""

    run: Mapping[str, Any]
    title: str
    targets: tuple[str, ...]
    states: Mapping[str, Mapping[str, int]]  #: by target, by state
    statuses: Mapping[str, Mapping[str, int]]  #: by target: answers by class of status
    matrix: Mapping[str, Mapping[str, str]]  #: by requirement, by target: the verdict
    verdicts: Mapping[str, Mapping[str, int]]  #: by target: requirements by verdict
    findings: tuple[Finding, ...]
    left_out: int  #: findings for which there was no room
    divergences: Mapping[str, Mapping[str, int]]  #: by operation, by class
    examples: tuple[Row, ...]  #: of divergences, one for each operation and class
    regressions: tuple[Row, ...]
    compared: bool
    interrupted: int
    untouched: int  #: requirements that laws judge, of which no exchange shows anything


def facts(run: Path, found: Mapping[str, Sequence[Row]], *, compared: bool) -> Facts:
    """The facts of an analysed run.

    Args:
        run: its folder.
        found: rows of `coverage`, `divergences` and `regressions`.
        compared: whether there is an earlier run to have regressed from.
    """
    said = tables.read_json(run / "run.json")
    contracts = {target["name"]: Contract(target["contract"]) for target in said["targets"]}
    targets = tuple(target["name"] for target in said["targets"])
    answers = tables.read(run / "answers", tables.ANSWERS, ["target", "state", "status"]).to_pylist()
    matrix: dict[str, dict[str, str]] = {}
    for row in found["coverage"]:
        matrix.setdefault(row["requirement_id"], {})[row["target"]] = row["verdict"]
    bad = [row for row in found["coverage"] if row["verdict"] in BAD]
    bad.sort(key=lambda row: (list(VERDICTS).index(row["verdict"]), row["target"], row["requirement_id"]))
    counted: dict[str, Counter[str]] = {}
    examples: dict[tuple[str, str], Row] = {}
    for row in found["divergences"]:
        counted.setdefault(row["operation_id"], Counter())[row["kind"]] += 1
        examples.setdefault((row["operation_id"], row["kind"]), {**row, "observations": json.loads(row["observations"])})
    return Facts(
        run=said,
        title=", ".join(dict.fromkeys(f"{contract.title} {contract.version}" for contract in contracts.values())),
        targets=targets,
        states=_counted(((a["target"], a["state"]) for a in answers), targets),
        statuses=_counted(((a["target"], f"{a['status'][:1]}xx") for a in answers if a["status"]), targets),
        matrix=matrix,
        verdicts=_counted(((t, v) for by in matrix.values() for t, v in by.items()), targets),
        findings=tuple(_findings(run, bad[:MOST], contracts)),
        left_out=max(len(bad) - MOST, 0),
        divergences=counted,
        examples=tuple(examples.values())[:MOST],
        regressions=tuple(found["regressions"]),
        compared=compared,
        interrupted=tables.read(run / "interruptions", tables.INTERRUPTIONS, ["case_id"]).num_rows,
        untouched=len({r for contract in said["plan"]["contracts"] for r in _judged_by_laws(contract)} - set(matrix)),
    )


def _counted(pairs: Iterable[tuple[str, str]], targets: Sequence[str]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {target: Counter() for target in targets}
    for target, what in pairs:
        counts[target][what] += 1
    return {target: dict(sorted(seen.items())) for target, seen in counts.items()}


def _findings(run: Path, bad: Sequence[Row], contracts: Mapping[str, Contract]) -> Iterable[Finding]:
    wanted = {(row["target"], row["first_case_id"]) for row in bad}
    results = _rows_of(run / "results", wanted)
    exchanges = {(row["target"], row["case_id"], row["step"]): row for row in _rows_of(run / "exchanges", wanted)}
    for row in bad:
        contract = contracts[row["target"]]
        known = contract.requirements[row["requirement_id"]]
        key = row["target"], row["first_case_id"]
        shown = next(
            r for r in results if (r["target"], r["case_id"]) == key and r["requirement_id"] == known.id and r["verdict"] == row["verdict"]
        )
        yield Finding(
            target=row["target"],
            requirement=known.id,
            level=known.level,
            verdict=row["verdict"],
            says=known.says,
            clause=contract.place(known.clause),
            failed=row[VERDICTS[row["verdict"]]],
            cases=row["cases"],
            expected=shown["expected"],
            observed=shown["observed"],
            case_id=row["first_case_id"],
            curl=_curl(exchanges.get((*key, shown["step"]))),
        )


def _curl(row: Row | None) -> str:
    return evidence.exchange_of(row).curl() if row is not None and row["url"] else ""


def _rows_of(folder: Path, wanted: set[tuple[str, str]]) -> list[Row]:
    """The rows of some cases and targets, found part by part."""
    ids = list({case_id for _, case_id in wanted})
    found: list[Row] = []
    for part in tables.parts(folder):
        table = pq.ParquetFile(part).read()
        few = table.filter(pc.is_in(table.column("case_id"), value_set=pa.array(ids, tables.TEXT)))
        found += [row for row in few.to_pylist() if (row["target"], row["case_id"]) in wanted]
    return found


def _judged_by_laws(contract: str) -> set[str]:
    suite = suites.load(contract)
    return {requirement for law in suite.laws.values() for requirement in law.requirements}
