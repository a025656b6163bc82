"""The row of a run in the table `campaigns`: targets, plan, engine and progress."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, tables
from lakepact.conformance.campaign.execution import journal
from lakepact.conformance.evidence.arrow import pa
from lakepact.conformance.running import suite as suites

TARGET = pa.struct(
    [(name, tables.TEXT) for name in ("name", "url", "version")]
    + [("sends_a_secret", tables.YES_NO), ("operations", tables.NUMBER)]
)
CONTRACT = pa.struct([(name, tables.TEXT) for name in ("name", "version", "sha256", "generator")])
CAMPAIGNS = tables.schema_of(
    run_id=tables.TEXT,
    created_at=tables.TIME,
    finished_at=tables.TIME,
    status=tables.TEXT,
    complete=tables.YES_NO,  # whether every case landed on every target
    contracts=pa.list_(CONTRACT),
    lakepact=tables.TEXT,
    judge=tables.TEXT,  # which judges the verdicts are of
    python=tables.TEXT,
    spark=tables.TEXT,
    engine=tables.TEXT,
    workers=tables.NUMBER,
    rps=pa.float64(),
    starts=tables.NUMBER,
    planned_cases=tables.WHOLE,
    planned_exchanges=tables.WHOLE,
    landed_exchanges=tables.WHOLE,
    targets=pa.list_(TARGET),
    config=tables.TEXT,  # `run.json`; there is no secret in it
)


def contracts_of(run: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the contracts of a run.

    Args:
        run: its document.
    """
    return tuple(run["plan"]["contracts"])


@cache
def judge_of(contracts: tuple[str, ...]) -> str:
    """Return a hash of the invariants and of the version of lakepact."""
    parts = [_version_of("lakepact")]
    for contract in contracts:
        suite = suites.load(contract)
        parts += [
            f"{contract} {invariant.name} {' '.join(invariant.requirements)}"
            for invariant in suite.invariants.values()
        ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def cases_by_target(run: Path, targets: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many cases each target of a run gets: those of its contract."""
    cases = tables.counts(run / "cases", tables.CASES, ["contract"])
    return {target["name"]: cases[target["contract"],] for target in targets}


def row_of(run: Path) -> dict[str, Any]:
    """Return the row of a run as it is now.

    Raises:
        LookupError: there is no run.
    """
    document = documents.read(run / "run.json")
    starts: Sequence[Mapping[str, Any]] = document.get("starts") or [{}]
    last = starts[-1]
    total = sum(cases_by_target(run, document["targets"]).values())
    count = journal.stored_by_target(run).total()
    return {
        "run_id": document["run_id"],
        "created_at": _time(document.get("created_at")),
        "finished_at": _time(document.get("finished_at")),
        "status": document["status"],
        "complete": count >= total,
        "contracts": [
            {"name": name, **about} for name, about in document["plan"]["contracts"].items()
        ],
        "lakepact": _version_of("lakepact"),
        "judge": judge_of(contracts_of(document)),
        "python": platform.python_version(),
        "spark": _version_of("pyspark") if last.get("engine") == "spark" else None,
        "engine": last.get("engine"),
        "workers": last.get("workers"),
        "rps": last.get("rps"),
        "starts": len(document.get("starts", ())),
        "planned_cases": tables.counts(run / "cases", tables.CASES, ["contract"]).total(),
        "planned_exchanges": total,
        "landed_exchanges": count,
        "targets": [_target(target) for target in document["targets"]],
        "config": json.dumps(document, sort_keys=True),
    }


def write(run: Path) -> dict[str, Any]:
    """Write the row into the folder of the run, and return it.

    Raises:
        LookupError: there is no run.
    """
    row = row_of(run)
    tables.write_part(tables.table_of([row], CAMPAIGNS), run / "campaigns", "part-00000")
    return row


def _target(target: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": target["name"],
        "url": target["url"],
        "version": target.get("version"),
        "sends_a_secret": any("${" in value for value in target["headers"].values()),
        "operations": len(target["operations"]),
    }


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
