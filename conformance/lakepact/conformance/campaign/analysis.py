"""What the verdicts and answers of a run say together: coverage, divergences between targets, regressions since another run.

In Python over rows; `sql` says the same in Spark and is held against this.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.cases import CHECK
from lakepact.conformance.campaign.execution import ANSWERED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Row = dict[str, Any]

#: Verdicts, the worst first, with the column that counts them.
VERDICTS = {"fail": "failed", "warn": "warned", "error": "errors", "inconclusive": "inconclusive", "pass": "passed"}
ORDER = {verdict: place for place, verdict in enumerate(VERDICTS)}
BAD = ("fail", "warn")
#: Each class is looked at where all before it agree; headers always.
FINER = ("status", "error_type", "schema", "body")


def coverage(results: Iterable[Mapping[str, Any]]) -> list[Row]:
    """How each requirement came out on each target, and how often it was judged."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for result in results:
        found[result["target"], result["requirement_id"]].append(result)
    rows = []
    for (target, requirement), judged in sorted(found.items()):
        worst = min((r["verdict"] for r in judged), key=ORDER.__getitem__)
        counts = {column: sum(r["verdict"] == verdict for r in judged) for verdict, column in VERDICTS.items()}
        first = min(r["case_id"] for r in judged if r["verdict"] == worst)
        cases = len({r["case_id"] for r in judged})
        same = {"target": target, "requirement_id": requirement, "level": judged[0]["level"], "verdict": worst}
        rows.append({**same, **counts, "cases": cases, "first_case_id": first})
    return rows


def divergences(answers: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Cases that targets answer differently, each with the coarsest class in which they do, and with that of headers."""
    by_case: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for answer in answers:
        # A check goes on by what it was answered: its requests to two targets are not the same.
        if answer["state"] == ANSWERED and answer["mode"] != CHECK:
            by_case[answer["case_id"], answer["step"]].append(answer)
    rows = []
    for _, given in sorted(by_case.items()):
        coarsest = next((kind for kind in FINER if len({a[kind] for a in given}) > 1), None)
        for kind in (coarsest, "header"):
            groups = len({a[kind] for a in given}) if kind else 0
            if kind and groups > 1:
                seen = {a["target"]: a[kind] for a in sorted(given, key=lambda a: str(a["target"]))}
                same = {name: given[0][name] for name in ("case_id", "step", "operation_id", "mode")}
                rows.append({**same, "kind": kind, "groups": groups, "observations": _text(seen)})
    return sorted(rows, key=lambda r: (r["case_id"], r["step"], r["kind"]))


def regressions(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> list[Row]:
    """What was kept and is not any more, and the other way round, by target, case and requirement."""
    old, new = _worst(before), _worst(after)
    rows = []
    for key in sorted(old.keys() & new.keys()):
        kind = ""
        if old[key] == "pass" and new[key] in BAD:
            kind = "regression"
        elif old[key] in BAD and new[key] == "pass":
            kind = "mended"
        if kind:
            target, case_id, requirement = key
            row = {"target": target, "case_id": case_id, "requirement_id": requirement, "kind": kind}
            rows.append({**row, "before": old[key], "after": new[key]})
    return rows


def _text(seen: Mapping[str, str]) -> str:
    return json.dumps(seen, ensure_ascii=False, separators=(",", ":"))


def _worst(results: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], str]:
    worst: dict[tuple[str, str, str], str] = {}
    for result in results:
        key = result["target"], result["case_id"], result["requirement_id"]
        worst[key] = min(worst.get(key, "pass"), result["verdict"], key=ORDER.__getitem__)
    return worst
