"""The facts of a report from the tables of a run: few enough for a page, each with one case."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, run_metadata, tables
from lakepact.conformance.campaign.analysis.findings import BAD, ORDER, VERDICTS
from lakepact.conformance.campaign.paths import parquet
from lakepact.conformance.campaign.reporting.causes import Cause, causes, curl_of
from lakepact.conformance.evidence.arrow import pa, pc
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, Requirement

Row = dict[str, Any]
Key = tuple[str, str]  #: target and case

MOST = 40  #: findings, and rows of a table, that a page shows
INTERRUPTED = (
    "exchanges were on their way when a start was interrupted: inconclusive, and sent again under"
    " other names"
)
MOST_COMPARED = 2_000  #: cases whose answers are compared member by member
QUIET = (
    "Latencies are shown only for runs with one request in flight (one worker); with more, they"
    " would include waiting times."
)


@dataclass(frozen=True)
class Shown:
    """A requirement that a target breaks, with the first case that shows it."""

    target: str
    verdict: str
    failures: int
    cases: int
    operations: tuple[str, ...]
    expected: str
    actual: str
    case_id: str
    curl: str


@dataclass(frozen=True)
class Finding:
    """A broken requirement, with the evidence of each target that breaks it."""

    requirement: Requirement
    clause: str
    contract: str
    evidence: tuple[Shown, ...]

    @property
    def worst(self) -> str:
        """The worst verdict on it."""
        return min((one.verdict for one in self.evidence), key=ORDER.__getitem__)


@dataclass(frozen=True)
class Facts:
    """Everything that a report shows."""

    run: Mapping[str, Any]
    campaign: Mapping[str, Any]  #: the row of `campaigns`
    titles: Mapping[str, str]  #: by contract
    targets: Mapping[str, str]  #: name: contract
    states: Mapping[str, Mapping[str, int]]  #: by target, by state
    statuses: Mapping[str, Mapping[str, int]]  #: by target: answers by class of status
    matrix: Mapping[str, Mapping[str, str]]  #: by requirement, by target: the verdict
    areas: Mapping[str, tuple[Requirement, ...]]  #: what was judged, in order
    verdicts: Mapping[str, Mapping[str, int]]  #: by target: requirements by verdict
    findings: tuple[Finding, ...]
    left_out: int  #: findings for which there was no room
    causes: tuple[Cause, ...]  #: of divergences
    regressions: tuple[
        Row, ...
    ]  #: counted: kind, target, requirement, cases, first case, before, after
    has_base: bool
    latencies: tuple[Row, ...]
    interruptions: int
    open_requirements: int  #: requirements of invariants that no exchange concerns

    @property
    def title(self) -> str:
        """Return the description of the run."""
        return ", ".join(self.titles.values())

    @property
    def missing(self) -> int:
        """Cases that did not land on a target."""
        return int(self.campaign["planned_exchanges"] - self.campaign["landed_exchanges"])

    @property
    def status(self) -> str:
        """The completeness of the run."""
        if not self.missing:
            return "complete"
        return (
            f"incomplete: {self.missing} of {self.campaign['planned_exchanges']} cases have not"
            " landed on their target"
        )


def facts(run: Path, rows: Mapping[str, Sequence[Row]], *, has_base: bool) -> Facts:
    """Return the facts of an analysed run.

    Args:
        run: its folder.
        rows: of all tables of `findings`.
        has_base: whether there is an earlier run to have regressed from.
    """
    document = documents.read(run / "run.json")
    contracts = {name: Contract(name) for name in run_metadata.contracts_of(document)}
    targets = {target["name"]: target["contract"] for target in document["targets"]}
    matrix: dict[str, dict[str, str]] = {}
    for row in rows["coverage"]:
        matrix.setdefault(row["requirement_id"], {})[row["target"]] = row["verdict"]
    by_id = {r.id: r for contract in contracts.values() for r in contract.requirements.values()}
    bad = [row for row in rows["coverage"] if row["verdict"] in BAD]
    findings = _findings(run, bad, contracts)
    return Facts(
        run=document,
        campaign=run_metadata.row_of(run),
        titles={
            name: f"{contract.title} {contract.version}" for name, contract in contracts.items()
        },
        targets=targets,
        states=_totals(
            ((o["target"], o["state"], o["exchanges"]) for o in rows["outcomes"]), targets
        ),
        statuses=_totals(
            (
                (o["target"], f"{o['status'][:1]}xx", o["exchanges"])
                for o in rows["outcomes"]
                if o["status"]
            ),
            targets,
        ),
        matrix=matrix,
        areas=_areas(by_id[identifier] for identifier in matrix if identifier in by_id),
        verdicts=_totals(((t, v, 1) for by in matrix.values() for t, v in by.items()), targets),
        findings=tuple(findings[:MOST]),
        left_out=max(len(findings) - MOST, 0),
        causes=tuple(_causes(run, rows["divergences"])),
        regressions=tuple(_regressions(rows["regressions"])),
        has_base=has_base,
        latencies=tuple(rows["latencies"]),
        interruptions=tables.read(
            run / "interruptions", tables.INTERRUPTIONS, ["case_id"]
        ).num_rows,
        open_requirements=len(
            {r for contract in contracts for r in _requirements_of_invariants(contract)}
            - set(matrix)
        ),
    )


def _totals(
    triples: Iterable[tuple[str, str, int]], targets: Iterable[str]
) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {target: Counter() for target in targets}
    for target, what, many in triples:
        counts[target][what] += many
    return {target: dict(sorted(counter.items())) for target, counter in counts.items()}


def _areas(requirements: Iterable[Requirement]) -> dict[str, tuple[Requirement, ...]]:
    areas: dict[str, list[Requirement]] = defaultdict(list)
    for requirement in sorted(requirements, key=lambda r: (r.area, r.id)):
        areas[requirement.area].append(requirement)
    return {area: tuple(members) for area, members in areas.items()}


def _findings(run: Path, bad: Sequence[Row], contracts: Mapping[str, Contract]) -> list[Finding]:
    by_requirement: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in bad:
        by_requirement[row["contract"], row["requirement_id"]].append(row)
    in_order = sorted(
        by_requirement.items(),
        key=lambda item: (min(ORDER[row["verdict"]] for row in item[1]), item[0]),
    )
    evidence_rows = [row for _, rows in in_order[:MOST] for row in rows]
    keys = {(row["target"], row["first_case_id"]) for row in evidence_rows}
    results = _rows_of(run / "results", keys)
    exchanges = {
        (row["target"], row["case_id"], row["step"]): row
        for row in _rows_of(run / "exchanges", keys)
    }
    result = []
    for place, ((name, identifier), rows) in enumerate(in_order):
        requirement = contracts[name].requirements[identifier]
        few = tuple(_evidence_of(row, results, exchanges) for row in rows) if place < MOST else ()
        result.append(Finding(requirement, contracts[name].place(requirement.clause), name, few))
    return result


def _evidence_of(
    row: Row, results: Sequence[Row], exchanges: Mapping[tuple[str, str, int], Row]
) -> Shown:
    key = row["target"], row["first_case_id"]
    result = next(
        r
        for r in results
        if (r["target"], r["case_id"]) == key
        and (r["requirement_id"], r["verdict"]) == (row["requirement_id"], row["verdict"])
    )
    return Shown(
        target=row["target"],
        verdict=row["verdict"],
        failures=row[VERDICTS[row["verdict"]]],
        cases=row["cases"],
        operations=tuple(row["operations"]),
        expected=result["expected"],
        actual=result["observed"],
        case_id=row["first_case_id"],
        curl=curl_of(exchange) if (exchange := exchanges.get((*key, result["step"]))) else "",
    )


def _causes(run: Path, divergences: Sequence[Row]) -> list[Cause]:
    """Return the causes of divergences; of very many, those of the first cases."""
    cases = set(
        itertools.islice(dict.fromkeys(row["case_id"] for row in divergences), MOST_COMPARED)
    )
    few = [row for row in divergences if row["case_id"] in cases]
    keys = {(target, row["case_id"]) for row in few for target in json.loads(row["observations"])}
    exchanges: dict[tuple[str, int], dict[str, Row]] = defaultdict(dict)
    for row in sorted(_rows_of(run / "exchanges", keys), key=lambda row: str(row["target"])):
        exchanges[row["case_id"], row["step"]][row["target"]] = row
    return causes(few, exchanges)


def _regressions(rows: Sequence[Row]) -> Iterable[Row]:
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        groups[
            row["kind"], row["target"], row["requirement_id"], row["before"], row["after"]
        ].append(row["case_id"])
    names = ("kind", "target", "requirement_id", "before", "after")
    for key, cases in sorted(
        groups.items(), key=lambda item: (item[0][0] != "regression", item[0])
    ):
        yield {
            **dict(zip(names, key, strict=True)),
            "cases": len(cases),
            "first_case_id": min(cases),
        }


def _rows_of(folder: Path, keys: set[tuple[str, str]]) -> list[Row]:
    """Return the rows of some cases and targets, without reading parts that have none."""
    ids = pa.array(sorted({case_id for _, case_id in keys}), tables.TEXT)
    result: list[Row] = []
    for part in tables.parts(folder):
        with parquet(part) as file:
            for group in range(file.num_row_groups):
                mask = pc.is_in(
                    file.read_row_group(group, ["case_id"]).column("case_id").cast(tables.TEXT),
                    value_set=ids,
                )
                if pc.any(mask).as_py():
                    few = file.read_row_group(group).filter(mask).to_pylist()
                    result += [row for row in few if (row["target"], row["case_id"]) in keys]
    return result


def _requirements_of_invariants(contract: str) -> set[str]:
    suite = suites.load(contract)
    return {
        requirement
        for invariant in suite.invariants.values()
        for requirement in invariant.requirements
    }
