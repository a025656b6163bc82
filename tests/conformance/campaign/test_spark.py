"""Campaigns on Spark give the same results as the local engine and find every fault."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from campaigns import Here, exchanges, kept, ran, said
from faulty import mutants
from lakepact.conformance.campaign import documents, plans, run_verdicts, tables
from lakepact.conformance.campaign.analysis import duckdb_analysis, findings
from lakepact.conformance.campaign.engines.spark import Spark
from lakepact.conformance.campaign.errors import CannotRun
from lakepact.reference_server.running import running as serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: PySpark leaves the socket by which it fetches rows to the garbage collector.
pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

#: Each fault, and the requirement that it breaks.
FAULTS = {
    "camel-case": "IRC-GEN-018",
    "creation-is-201": "IRC-GEN-009",
    "drops-answer-200": "IRC-GEN-006",
    "error-code-always-400": "IRC-ERR-003",
    "broken-json-is-empty": "IRC-GEN-010",
}
OPERATIONS = (
    "createNamespace",
    "dropNamespace",
    "updateProperties",
    "loadTable",
    "updateTable",
    "dropTable",
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Spark]:
    """Start one Spark session for all tests."""
    with Spark("local[2]") as session:
        yield session


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign") / "plan"
    plans.plan(
        "iceberg_rest",
        folder,
        modes=("example", "wild", "near", "reading", "sequence"),
        only=OPERATIONS,
    )
    return folder


@contextlib.contextmanager
def three_targets() -> Iterator[list[str]]:
    """Start a correct server, a faulty server and another correct server, and yield them as
    options.
    """
    with (
        serving(warehouse="memory:") as one,
        serving(warehouse="memory:", faults=mutants(FAULTS)) as bad,
        serving(warehouse="memory:") as two,
    ):
        yield [
            f"{name}={server.url}" for name, server in {"one": one, "bad": bad, "two": two}.items()
        ]


@pytest.fixture(scope="module")
def on_spark(engine: Spark, plan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run on Spark, judged and analysed there."""
    with three_targets() as targets:
        run = ran(plan, tmp_path_factory.mktemp("spark") / "run [2] {a}", engine, *targets)
    run_verdicts.judge(run, engine)
    run_verdicts.analyse(run, engine, run)
    return run


def rows(run: Path, table: str) -> list[dict[str, Any]]:
    schema = findings.TABLES[table]
    table_rows: list[dict[str, Any]] = tables.read(run / table, schema).to_pylist()
    return table_rows


def test_every_case_has_one_exchange_with_every_target(plan: Path, on_spark: Path) -> None:
    cases = tables.read(plan / "cases", tables.CASES).column("case_id").to_pylist()
    first = [row for row in exchanges(on_spark) if row["step"] == 0]

    assert sorted((t, c) for c in cases for t in ("bad", "one", "two")) == sorted(
        (r["target"], r["case_id"]) for r in first
    )


def test_every_fault_is_found_and_correct_servers_pass(on_spark: Path) -> None:
    failures = {
        (row["target"], row["requirement_id"])
        for row in rows(on_spark, "coverage")
        if row["verdict"] != "pass"
    }

    assert {("bad", requirement) for requirement in FAULTS.values()} <= failures
    assert {"bad"} == {target for target, _ in failures}


def test_run_on_spark_equals_a_local_run(plan: Path, on_spark: Path, tmp_path: Path) -> None:
    with three_targets() as targets:
        run = ran(plan, tmp_path / "run", Here(), *targets)
    here, spark = said(run, Here()), kept(on_spark)

    assert sound(here) == sound(spark)
    assert verdicts(run_verdicts.analyse(run, Here())["coverage"]) == verdicts(
        rows(on_spark, "coverage")
    )


def sound(by_table: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the correct servers. Cases on the faulty server influence each other, in
    any order.
    """
    return {
        table: [row for row in rows if row["target"] != "bad"] for table, rows in by_table.items()
    }


def verdicts(coverage: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {(row["target"], row["requirement_id"], row["verdict"]) for row in coverage}


def test_analysis_by_spark_equals_analysis_by_duckdb(
    engine: Spark, on_spark: Path, tmp_path: Path
) -> None:
    passes = [
        {**row, "verdict": "pass"}
        for row in tables.read(on_spark / "results", tables.RESULTS).to_pylist()
    ]
    tables.write_part(tables.table_of(passes, tables.RESULTS), tmp_path / "results", "part-00000")
    words = [start["word"] for start in documents.read(on_spark / "run.json")["starts"]]

    by_spark = engine.analyse(on_spark, tmp_path, quiet=words)

    assert [name for name in findings.TABLES if by_spark[name].num_rows == 0] == []
    assert by_spark == duckdb_analysis.analyse(on_spark, tmp_path, quiet=words)


def test_analysis_by_spark_of_missing_tables_is_empty(engine: Spark, tmp_path: Path) -> None:
    assert engine.analyse(tmp_path, None, quiet=()) == {
        name: schema.empty_table() for name, schema in findings.TABLES.items()
    }


def test_error_of_spark_shows_its_cause(engine: Spark, tmp_path: Path) -> None:
    (tmp_path / "exchanges").mkdir()
    (tmp_path / "exchanges" / "damaged.parquet").write_bytes(b"no table")

    with pytest.raises(CannotRun, match=r"damaged\.parquet is not a Parquet file"):
        engine.judge(
            tmp_path / "exchanges", {}, results=tmp_path / "results", answers=tmp_path / "answers"
        )


def test_judging_on_spark_equals_local_judging(on_spark: Path) -> None:
    spark = kept(on_spark)

    assert spark == said(on_spark, Here())
