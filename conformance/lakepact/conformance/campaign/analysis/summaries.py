"""Analysis of verdicts and answers: coverage, divergences between targets, regressions since another run.

In Python over rows; `sql` does the same in Spark and DuckDB, and is tested against this.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.analysis import findings
from lakepact.conformance.campaign.execution.sending import ANSWERED
from lakepact.conformance.campaign.planning.cases import CHECK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lakepact.conformance.campaign.analysis.findings import Sources
    from lakepact.conformance.evidence.arrow import Table

    Row = dict[str, Any]

#: Verdicts, the worst first, with the column that counts them.
VERDICTS = {"fail": "failed", "warn": "warned", "error": "errors", "inconclusive": "inconclusive", "pass": "passed"}
ORDER = {verdict: place for place, verdict in enumerate(VERDICTS)}
BAD = ("fail", "warn")
#: Each class is looked at where all before it agree; headers always.
FINER = ("status", "error_type", "schema", "body")
WORD_DIGITS = 6  #: of the word of a start; what follows says which target
LOOKED_AT = ("target", "contract", "operation_id", "word", "state", "latency_us")  #: of exchanges, which are large otherwise
QUANTILES = {"p50_us": 0.5, "p95_us": 0.95, "p99_us": 0.99}
SETS = {"operation": "operation_id", "mode": "mode"}


def coverage(results: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return how each requirement came out on each target, and how often it was judged."""
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for result in results:
        found[result["target"], result["contract"], result["requirement_id"]].append(result)
    rows = []
    for (target, contract, requirement), judged in sorted(found.items()):
        worst = min((r["verdict"] for r in judged), key=ORDER.__getitem__)
        same = {"target": target, "contract": contract, "requirement_id": requirement, "level": judged[0]["level"], "verdict": worst}
        counts = {column: sum(r["verdict"] == verdict for r in judged) for verdict, column in VERDICTS.items()}
        sets = {f"{of}s": sorted({r[column] for r in judged if r[column] is not None}) for of, column in SETS.items()}
        first = min(r["case_id"] for r in judged if r["verdict"] == worst)
        rows.append({**same, **counts, **sets, "cases": len({r["case_id"] for r in judged}), "first_case_id": first})
    return rows


def divergences(answers: Iterable[Mapping[str, Any]], results: Iterable[Mapping[str, Any]] = ()) -> list[Row]:
    """Cases that targets answer differently, each with the coarsest class in which they do, and with that of headers.

    Args:
        answers: normalised.
        results: of the same run; what is broken in an exchange may explain why it differs.
    """
    breaking: dict[tuple[str, int], set[str]] = defaultdict(set)
    for result in results:
        if result["verdict"] in BAD:
            breaking[result["case_id"], result["step"]].add(result["requirement_id"])
    by_case: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for answer in answers:
        # A check goes on by what it was answered: its requests to two targets are not the same.
        if answer["state"] == ANSWERED and answer["mode"] != CHECK:
            by_case[answer["case_id"], answer["step"]].append(answer)
    rows = []
    for key, given in sorted(by_case.items()):
        coarsest = next((kind for kind in FINER if len({a[kind] for a in given}) > 1), None)
        for kind in (coarsest, "header"):
            groups = len({a[kind] for a in given}) if kind else 0
            if kind and groups > 1:
                seen = {a["target"]: a[kind] for a in sorted(given, key=lambda a: str(a["target"]))}
                same = {name: given[0][name] for name in ("contract", "case_id", "step", "operation_id", "mode")}
                why = sorted(breaking[key]) if key in breaking else None
                rows.append({**same, "kind": kind, "groups": groups, "observations": _text(seen), "requirement_ids": why})
    return sorted(rows, key=lambda r: (r["case_id"], r["step"], r["kind"]))


def regressions(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return requirements that passed before and fail now, and the reverse, by target, case and requirement."""
    old, new = _worst(before), _worst(after)
    rows = []
    for key in sorted(old.keys() & new.keys()):
        kind = ""
        if old[key] == "pass" and new[key] in BAD:
            kind = "regression"
        elif old[key] in BAD and new[key] == "pass":
            kind = "mended"
        if kind:
            row = {**dict(zip(("target", "contract", "case_id", "requirement_id"), key, strict=True)), "kind": kind}
            rows.append({**row, "before": old[key], "after": new[key]})
    return rows


def outcomes(answers: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return how exchanges ended, counted."""
    names = ("target", "contract", "operation_id", "mode", "state", "status")
    counted = Counter(tuple(answer[name] for name in names) for answer in answers)
    return [{**dict(zip(names, key, strict=True)), "exchanges": count} for key, count in sorted(counted.items())]


def latencies(exchanges: Iterable[Mapping[str, Any]], quiet: Iterable[str]) -> list[Row]:
    """Return how long answers took, of exchanges that were sent with nothing else on its way."""
    words = frozenset(quiet)
    taken: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in exchanges:
        if row["state"] == ANSWERED and row["word"][:WORD_DIGITS] in words:
            taken[row["target"], row["contract"], row["operation_id"]].append(row["latency_us"])
    rows = []
    for key, all_of_them in sorted(taken.items()):
        in_order = sorted(all_of_them)
        same = {**dict(zip(("target", "contract", "operation_id"), key, strict=True)), "exchanges": len(in_order)}
        rows.append({**same, **{name: _quantile(in_order, part) for name, part in QUANTILES.items()}})
    return rows


def _quantile(in_order: Sequence[int], part: float) -> int:
    """Return the least value that so great a part of all does not exceed."""
    return in_order[max(math.ceil(part * len(in_order)) - 1, 0)]


def _text(seen: Mapping[str, str]) -> str:
    return json.dumps(seen, ensure_ascii=False, separators=(",", ":"))


def _worst(results: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str, str], str]:
    worst: dict[tuple[str, str, str, str], str] = {}
    for result in results:
        key = result["target"], result["contract"], result["case_id"], result["requirement_id"]
        worst[key] = min(worst.get(key, "pass"), result["verdict"], key=ORDER.__getitem__)
    return worst


def analysed(sources: Sources) -> dict[str, Table]:
    """Return all tables of `findings`, row by row: slow; the reference for SQL."""
    results = tables.read(sources.results, tables.RESULTS).to_pylist()
    base = tables.read(sources.base, tables.RESULTS).to_pylist() if sources.base else []
    answers = tables.read(sources.answers, tables.ANSWERS).to_pylist()
    sent = tables.read(
        sources.exchanges, tables.EXCHANGES, ["target", "contract", "operation_id", "word", "state", "latency_us"]
    ).to_pylist()
    found = {
        "coverage": coverage(results),
        "divergences": divergences(answers, results),
        "regressions": regressions(base, results),
        "outcomes": outcomes(answers),
        "latencies": latencies(sent, sources.quiet),
    }
    return {name: tables.table_of(rows, findings.TABLES[name]) for name, rows in found.items()}
