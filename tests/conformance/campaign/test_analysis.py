"""The SQL analysis returns the same tables as the row-by-row Python analysis."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.analysis import duckdb_analysis, summaries
from lakepact.conformance.campaign.analysis.findings import Sources

TARGETS = st.sampled_from(["one", "two", "three"])
CASES = st.sampled_from(["a", "b", "c"])
STEPS = st.sampled_from([0, 1])
WORDS = st.sampled_from(["aaaaaa0", "bbbbbb1"])
FEW = st.sampled_from(["x", "y"])


def row(**columns: Any) -> st.SearchStrategy[dict[str, Any]]:
    same = {"run_id": st.just("r"), "contract": FEW, "operation_id": FEW, "mode": st.sampled_from(["near", "check"])}
    return st.fixed_dictionaries({**same, "target": TARGETS, "case_id": CASES, "step": STEPS, **columns})


RESULTS = st.lists(
    row(check_id=FEW, requirement_id=FEW, level=st.just("MUST"), verdict=st.sampled_from(list(summaries.VERDICTS))), max_size=30
)
ANSWERS = st.lists(
    row(state=st.sampled_from(["answered", "late"]), **dict.fromkeys((*summaries.FINER, "header"), FEW)),
    max_size=20,
    unique_by=lambda r: (r["target"], r["case_id"], r["step"]),
)
EXCHANGES = st.lists(row(state=st.just("answered"), word=WORDS, latency_us=st.integers(0, 9999)), max_size=20)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RESULTS, RESULTS, ANSWERS, EXCHANGES)
def test_duckdb_analysis_equals_python_analysis(results: Any, base: Any, answers: Any, exchanges: Any) -> None:
    # All exchanges of a case belong to the same contract.
    answers = [{**answer, "contract": answer["case_id"], "operation_id": answer["case_id"], "mode": "near"} for answer in answers]
    with tempfile.TemporaryDirectory(prefix="of [2] * {a} ") as folder:
        held = {"results": (results, tables.RESULTS), "base": (base, tables.RESULTS), "answers": (answers, tables.ANSWERS)}
        held["exchanges"] = exchanges, tables.EXCHANGES
        for name, (rows, schema) in held.items():
            tables.write_part(tables.table_of(rows, schema), Path(folder, name), "part-00000")
        folders = {name: Path(folder, name) for name in held}
        sources = Sources(**folders, quiet=("aaaaaa",))
        by_sql, by_row = duckdb_analysis.analysed(sources), summaries.analysed(sources)

    assert {name: table.to_pylist() for name, table in by_row.items()} == {name: table.to_pylist() for name, table in by_sql.items()}


def test_analysis_of_missing_tables_is_empty(tmp_path: Path) -> None:
    sources = Sources(tmp_path / "results", tmp_path / "answers", tmp_path / "exchanges")

    assert dict.fromkeys(duckdb_analysis.analysed(sources), 0) == {
        name: table.num_rows for name, table in duckdb_analysis.analysed(sources).items()
    }
