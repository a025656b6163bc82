"""The analysis in SQL returns the same tables as one in Python, row by row."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.analysis import findings
from lakepact.conformance.campaign.analysis.duckdb_analysis import analyse
from lakepact.conformance.campaign.analysis.findings import BAD, FINER, ORDER, QUANTILES, VERDICTS
from lakepact.conformance.campaign.analysis.sql import WORD_DIGITS
from lakepact.conformance.campaign.execution.sending import ANSWERED, BROKEN
from lakepact.conformance.campaign.planning.cases import CHECK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lakepact.conformance.evidence.arrow import Table

    Row = dict[str, Any]

KEY = ("target", "contract", "case_id", "requirement_id")
TARGETS = st.sampled_from(["one", "two", "three"])
CASES = st.sampled_from(["a", "b", "c"])
STEPS = st.sampled_from([0, 1])
WORDS = st.sampled_from(["aaaaaa0", "bbbbbb1"])
FEW = st.sampled_from(["x", "y"])


def row(**columns: Any) -> st.SearchStrategy[dict[str, Any]]:
    same = {
        "run_id": st.just("r"),
        "contract": FEW,
        "operation_id": FEW,
        "mode": st.sampled_from(["near", "check"]),
    }
    return st.fixed_dictionaries(
        {**same, "target": TARGETS, "case_id": CASES, "step": STEPS, **columns}
    )


RESULTS = st.lists(
    row(
        check_id=FEW,
        requirement_id=FEW,
        level=st.just("MUST"),
        verdict=st.sampled_from(list(VERDICTS)),
    ),
    max_size=30,
)
ANSWERS = st.lists(
    row(
        state=st.sampled_from(["answered", "broken", "late"]),
        **dict.fromkeys((*FINER, "header"), FEW),
    ),
    max_size=20,
    unique_by=lambda r: (r["target"], r["case_id"], r["step"]),
)
EXCHANGES = st.lists(
    row(state=st.just("answered"), word=WORDS, latency_us=st.integers(0, 9999)), max_size=20
)


SETS = {"operation": "operation_id", "mode": "mode"}


def coverage(results: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return how each requirement came out on each target, and how often it was judged."""
    by_requirement: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for result in results:
        by_requirement[result["target"], result["contract"], result["requirement_id"]].append(
            result
        )
    rows = []
    for (target, contract, requirement), group in sorted(by_requirement.items()):
        worst = min((r["verdict"] for r in group), key=ORDER.__getitem__)
        same = {
            "target": target,
            "contract": contract,
            "requirement_id": requirement,
            "level": group[0]["level"],
            "verdict": worst,
        }
        counts = {
            column: sum(r["verdict"] == verdict for r in group)
            for verdict, column in VERDICTS.items()
        }
        sets = {
            f"{of}s": sorted({r[column] for r in group if r[column] is not None})
            for of, column in SETS.items()
        }
        first = min(r["case_id"] for r in group if r["verdict"] == worst)
        rows.append(
            {
                **same,
                **counts,
                **sets,
                "cases": len({r["case_id"] for r in group}),
                "first_case_id": first,
            }
        )
    return rows


def divergences(
    answers: Iterable[Mapping[str, Any]], results: Iterable[Mapping[str, Any]] = ()
) -> list[Row]:
    """Cases that targets answer differently, each with the coarsest class in which they do, and
    with that of headers.

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
        if answer["state"] in {ANSWERED, BROKEN} and answer["mode"] != CHECK:
            by_case[answer["case_id"], answer["step"]].append(answer)
    rows = []
    for key, group in sorted(by_case.items()):
        coarsest = next((kind for kind in FINER if len({a[kind] for a in group}) > 1), None)
        for kind in (coarsest, "header"):
            groups = len({a[kind] for a in group}) if kind else 0
            if kind and groups > 1:
                by_target = {
                    a["target"]: a[kind] for a in sorted(group, key=lambda a: str(a["target"]))
                }
                same = {
                    name: group[0][name]
                    for name in ("contract", "case_id", "step", "operation_id", "mode")
                }
                text = json.dumps(by_target, ensure_ascii=False, separators=(",", ":"))
                why = sorted(breaking[key]) if key in breaking else None
                rows.append(
                    {
                        **same,
                        "kind": kind,
                        "groups": groups,
                        "observations": text,
                        "requirement_ids": why,
                    }
                )
    return sorted(rows, key=lambda r: (r["case_id"], r["step"], r["kind"]))


def regressions(
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    answers: Iterable[Mapping[str, Any]],
) -> list[Row]:
    """Return requirements that passed before and fail now, the reverse, and those that no case
    judges any more.
    """
    old, new = _worst(before), _worst(after)
    rows = _missing(before, after, answers)
    for key in sorted(old.keys() & new.keys()):
        kind = ""
        if old[key] == "pass" and new[key] in BAD:
            kind = "regression"
        elif old[key] in BAD and new[key] == "pass":
            kind = "mended"
        if kind:
            row = {
                **dict(zip(KEY, key, strict=True)),
                "kind": kind,
            }
            rows.append({**row, "before": old[key], "after": new[key]})
    return sorted(rows, key=lambda row: [row[name] for name in KEY])


def _missing(
    before: Iterable[Mapping[str, Any]],
    after: Iterable[Mapping[str, Any]],
    answers: Iterable[Mapping[str, Any]],
) -> list[Row]:
    cases = {(a["target"], a["contract"], a["case_id"]) for a in answers}
    by_requirement: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for result in before:
        target, contract, case, _ = key = tuple(result[name] for name in KEY)
        if _is_judged(result) and (target, contract, case) in cases:
            by_requirement[key[:2] + key[3:]].append(result)
    for result in filter(_is_judged, after):
        by_requirement.pop((result["target"], result["contract"], result["requirement_id"]), None)
    rows = []
    for (target, contract, requirement), results in by_requirement.items():
        key = target, contract, min(r["case_id"] for r in results), requirement
        worst = min((r["verdict"] for r in results), key=ORDER.__getitem__)
        row = {**dict(zip(KEY, key, strict=True)), "kind": "lost"}
        rows.append({**row, "before": worst, "after": "inconclusive"})
    return rows


def _is_judged(result: Mapping[str, Any]) -> bool:
    return result["verdict"] not in {"error", "inconclusive"}


def outcomes(answers: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return how exchanges ended, counted."""
    names = ("target", "contract", "operation_id", "mode", "state", "status")
    counts = Counter(tuple(answer[name] for name in names) for answer in answers)
    return [
        {**dict(zip(names, key, strict=True)), "exchanges": count}
        for key, count in sorted(counts.items())
    ]


def latencies(exchanges: Iterable[Mapping[str, Any]], quiet: Iterable[str]) -> list[Row]:
    """Return how long answers took, of exchanges that were sent with nothing else on its way."""
    words = frozenset(quiet)
    times: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in exchanges:
        if row["state"] == ANSWERED and row["word"][:WORD_DIGITS] in words:
            times[row["target"], row["contract"], row["operation_id"]].append(row["latency_us"])
    rows = []
    for key, all_of_them in sorted(times.items()):
        in_order = sorted(all_of_them)
        same = {
            **dict(zip(("target", "contract", "operation_id"), key, strict=True)),
            "exchanges": len(in_order),
        }
        rows.append(
            {
                **same,
                **{
                    name: in_order[max(math.ceil(part * len(in_order)) - 1, 0)]
                    for name, part in QUANTILES.items()
                },
            }
        )
    return rows


def _worst(results: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str, str], str]:
    worst: dict[tuple[str, str, str, str], str] = {}
    for result in results:
        key = result["target"], result["contract"], result["case_id"], result["requirement_id"]
        worst[key] = min(worst.get(key, "pass"), result["verdict"], key=ORDER.__getitem__)
    return worst


def analyse_by_row(run: Path, base: Path, quiet: Iterable[str]) -> dict[str, Table]:
    """Return all tables of `findings`."""
    results = tables.read(run / "results", tables.RESULTS).to_pylist()
    answers = tables.read(run / "answers", tables.ANSWERS).to_pylist()
    by_table = {
        "coverage": coverage(results),
        "divergences": divergences(answers, results),
        "regressions": regressions(
            tables.read(base / "results", tables.RESULTS).to_pylist(), results, answers
        ),
        "outcomes": outcomes(answers),
        "latencies": latencies(tables.read(run / "exchanges", tables.EXCHANGES).to_pylist(), quiet),
    }
    return {name: tables.table_of(rows, findings.TABLES[name]) for name, rows in by_table.items()}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RESULTS, RESULTS, ANSWERS, EXCHANGES)
def test_sql_analysis_equals_analysis_campaign_analysis(
    results: Any, base: Any, answers: Any, exchanges: Any
) -> None:
    # All exchanges of a case belong to the same contract.
    answers = [
        {**answer, "contract": answer["case_id"], "operation_id": answer["case_id"], "mode": "near"}
        for answer in answers
    ]
    with tempfile.TemporaryDirectory(prefix="of [2] * {a} ") as folder:
        inputs = {
            "results": (results, tables.RESULTS),
            "base/results": (base, tables.RESULTS),
            "answers": (answers, tables.ANSWERS),
        }
        inputs["exchanges"] = exchanges, tables.EXCHANGES
        for name, (rows, schema) in inputs.items():
            tables.write_part(tables.table_of(rows, schema), Path(folder, name), "part-00000")
        run, base, quiet = Path(folder), Path(folder, "base"), ("aaaaaa",)
        by_sql, by_row = analyse(run, base, quiet=quiet), analyse_by_row(run, base, quiet)

    assert {name: table.to_pylist() for name, table in by_row.items()} == {
        name: table.to_pylist() for name, table in by_sql.items()
    }


def test_analysis_of_missing_tables_is_empty(tmp_path: Path) -> None:
    assert {name: table.num_rows for name, table in analyse(tmp_path).items()} == dict.fromkeys(
        findings.TABLES, 0
    )
