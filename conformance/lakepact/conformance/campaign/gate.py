"""The results of a run that a nightly job fails on, without those that a file lists as known.

# pattern              reason
IRC-TBL-REG-*          registering is refused in this edition, ticket 4711
theirs/IRC-NS-GET-001  on one target only
listTables:status      the other server answers 403 here
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, tables
from lakepact.conformance.campaign.analysis.findings import DIVERGENCES, KINDS
from lakepact.conformance.judging import known_failures
from lakepact.conformance.judging.known_failures import KnownFailure
from lakepact.generated.contract import Contract

Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Results = Iterator[tuple[Sequence[str], str]]  #: names that patterns match, and a line

REGRESSION, FAIL, DIVERGENCE = EVENTS = ("regression", "fail", "divergence")
DIVERGENCE_KEY = ("case_id", "step", "kind")
LOST = "lost"  #: a requirement that the base run judged, and this run does not: a regression too


def read_exceptions(path: Path, run: Path) -> tuple[KnownFailure, ...]:
    """Read the known results of a file.

    Raises:
        KnownFailuresError: the file is malformed, or a pattern matches nothing that the run can
            find.
    """
    document = documents.read(run / "run.json")
    contracts = [Contract(name) for name in document["plan"]["contracts"]]
    ids = [identifier for contract in contracts for identifier in contract.requirements]
    on_targets = (
        f"{target['name']}/{identifier}" for target in document["targets"] for identifier in ids
    )
    kinds = (
        f"{operation}:{kind}"
        for contract in contracts
        for operation in contract.operations
        for kind in KINDS
    )
    return known_failures.read(path, [*ids, *on_targets, *kinds])


def new_results(
    rows_by_table: Tables,
    events: Sequence[str],
    exceptions: tuple[KnownFailure, ...] = (),
    *,
    base: Path | None = None,
) -> list[str]:
    """Return a line for each result that the file does not list.

    Args:
        rows_by_table: the tables of an analysed run.
        events: the kinds of results, of `EVENTS`.
        exceptions: the known ones.
        base: the folder of an earlier analysed run, whose divergences are known too.
    """
    if base is not None:
        rows = tables.read(base / "divergences", DIVERGENCES, DIVERGENCE_KEY).to_pylist()
        before = {tuple(row.values()) for row in rows}
        new = [
            row
            for row in rows_by_table["divergences"]
            if tuple(row[name] for name in DIVERGENCE_KEY) not in before
        ]
        rows_by_table = {**rows_by_table, "divergences": new}
    results = [result for event in events for result in _EVENTS[event](rows_by_table)]
    return list(
        dict.fromkeys(
            line
            for names, line in results
            if not any(known_failures.matching(name, exceptions) for name in names)
        )
    )


def _regressions(rows_by_table: Tables) -> Results:
    for row in rows_by_table["regressions"]:
        if row["kind"] in (REGRESSION, LOST):
            yield (
                _names(row),
                (
                    f"{row['target']} {row['requirement_id']}: {row['before']} before,"
                    f" {row['after']} now"
                ),
            )


def _failures(rows_by_table: Tables) -> Results:
    for row in rows_by_table["coverage"]:
        if row["verdict"] == FAIL:
            yield (
                _names(row),
                (
                    f"{row['target']} {row['requirement_id']}: broken, first in case"
                    f" {row['first_case_id']}"
                ),
            )


def _divergences(rows_by_table: Tables) -> Results:
    for row in rows_by_table["divergences"]:
        name = f"{row['operation_id']}:{row['kind']}"
        yield (
            (name, *(row["requirement_ids"] or ())),
            f"{name}: targets answer differently, first in case {row['case_id']}",
        )


def _names(row: Mapping[str, Any]) -> Sequence[str]:
    return row["requirement_id"], f"{row['target']}/{row['requirement_id']}"


_EVENTS = {REGRESSION: _regressions, FAIL: _failures, DIVERGENCE: _divergences}
