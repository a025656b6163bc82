"""Campaigns on Spark: the same as in plain processes, every fault found, nothing that landed sent twice, whatever ends a run."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from campaigns import Here, exchanges, kept, said, told
from lakepact.conformance.campaign import analysis, findings, planning, tables
from lakepact.reference_server.running import running as serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.spark

#: Each fault, and what shows that it is there.
FAULTS = {
    "camel-case": "IRC-GEN-018",
    "creation-is-201": "IRC-GEN-009",
    "drops-answer-200": "IRC-GEN-006",
    "error-code-always-400": "IRC-ERR-003",
    "broken-json-is-empty": "IRC-GEN-010",
}
ON_TWO = ("--master", "local[2]", "--conf", "spark.driver.memory=1g")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign") / "plan"
    planning.plan("iceberg_rest", folder, seeds=range(3), modes=("example", "valid", "wild", "near", "reading", "sequence"))
    return folder


@contextlib.contextmanager
def three_targets() -> Iterator[list[str]]:
    """Ours, ours with faults, and another of ours, as options."""
    with (
        serving(warehouse="memory:") as one,
        serving(warehouse="memory:", faults=tuple(FAULTS)) as bad,
        serving(warehouse="memory:") as two,
    ):
        named = {"one": one.url, "bad": bad.url, "two": two.url}
        yield [word for name, url in named.items() for word in ("--target", f"{name}={url}")]


@pytest.fixture(scope="module")
def on_spark(plan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on Spark, judged and reported there."""
    run = tmp_path_factory.mktemp("spark") / "run"
    with three_targets() as targets:
        told("run", "--plan", str(plan), *targets, "--out", str(run), *ON_TWO)
    told("judge", "--run", str(run), *ON_TWO)
    told("report", "--run", str(run), "--base", str(run), *ON_TWO)
    return run


def rows(run: Path, table: str) -> list[dict[str, Any]]:
    schema = findings.TABLES[table]
    found: list[dict[str, Any]] = tables.read(run / table, schema).to_pylist()
    return found


def test_every_case_has_one_exchange_with_every_target(plan: Path, on_spark: Path) -> None:
    cases = tables.read(plan / "cases", tables.CASES).column("case_id").to_pylist()
    first = [row for row in exchanges(on_spark) if row["step"] == 0]

    assert sorted((t, c) for c in cases for t in ("bad", "one", "two")) == sorted((r["target"], r["case_id"]) for r in first)


def test_every_fault_is_found_and_nobody_else_accused(on_spark: Path) -> None:
    broken = {(row["target"], row["requirement_id"]) for row in rows(on_spark, "coverage") if row["verdict"] != "pass"}

    assert {("bad", requirement) for requirement in FAULTS.values()} <= broken
    assert {"bad"} == {target for target, _ in broken}


def test_spark_says_what_plain_processes_say(plan: Path, on_spark: Path, tmp_path: Path) -> None:
    with three_targets() as targets:
        told("run", "--plan", str(plan), *targets, "--out", str(tmp_path / "run"), "--engine", "plain")
    plain, spark = said(tmp_path / "run", Here()), said(on_spark, Here())

    assert sound(plain) == sound(spark)
    assert verdicts(plain) == verdicts(spark)


def sound(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """What is said of the targets that keep each case to itself: one takes broken requests for others, which then meet in any order."""
    return {table: [row for row in rows if row["target"] != "bad"] for table, rows in found.items()}


def verdicts(found: dict[str, list[dict[str, Any]]]) -> set[tuple[str, str, str]]:
    return {(row["target"], row["requirement_id"], row["verdict"]) for row in analysis.coverage(found["results"])}


def test_sql_says_what_python_says(on_spark: Path) -> None:
    by_sql = {table: rows(on_spark, table) for table in findings.TABLES}
    told("report", "--run", str(on_spark), "--base", str(on_spark), "--engine", "plain")

    assert by_sql == {table: rows(on_spark, table) for table in by_sql}


def test_reports_are_written_in_both_forms(on_spark: Path) -> None:
    assert sorted(path.name for path in on_spark.glob("report.*")) == ["report.html", "report.md"]


def test_judging_again_on_spark_says_the_same(on_spark: Path) -> None:
    here = said(on_spark, Here())
    told("judge", "--run", str(on_spark), *ON_TWO)

    assert here == kept(on_spark)
