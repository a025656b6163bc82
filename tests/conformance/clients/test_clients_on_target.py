"""`lakepact check --clients`: clients perform everyday tasks on the checked server."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.conformance.programs.everyday import on_target
from lakepact.conformance.report import lines
from lakepact.conformance.report.issue import issue
from lakepact.reference_server import running

PROGRAM = shlex.join([sys.executable, str(Path(__file__).parent / "miniature_catalog_client.py")])
RENAMES_NO_VIEWS, LOSES_RENAMES = "renameView.answers-500", "renameTable.not-persisted"
REQUIREMENT = "IRC-VIEW-REN-001"
#: A program whose client lacks a library: each task fails, also those that a server refuses.
UNABLE = (
    """while read -r task; do echo '{"error": {"type": "IOError", "message": "no avro"}}'; done"""
)
TWO_WAREHOUSES = "[warehouses.lake]\n[warehouses.other]\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the report of a server that renames neither views nor tables, with two clients."""
    file = tmp_path_factory.mktemp("observed") / "report.jsonl"
    arguments = ["--only", REQUIREMENT, "--report", f"jsonl={file}"]
    arguments += ["--clients", f"small={PROGRAM}", "--clients", "silent=true"]
    arguments += ["--clients", f"unable={shlex.join(['sh', '-c', UNABLE])}"]
    faults = [f"--fault={fault}" for fault in (RENAMES_NO_VIEWS, LOSES_RENAMES)]
    result = CliRunner().invoke(main, ["check", *arguments, *faults])
    assert result.exit_code == 1, result.output
    return lines.read(file)


def observation(report: list[dict[str, Any]], client: str) -> dict[str, Any]:
    (line,) = [one for one in report if one["line"] == "client" and one["client"] == client]
    return line


def test_client_is_observed_with_the_request_and_the_cause_of_its_error(
    report: list[dict[str, Any]],
) -> None:
    (finding,) = [
        one for one in observation(report, "small")["findings"] if one["task"] == "rename-view"
    ]
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    (cause,) = [
        line for line in report if line["line"] == "cause" and line["number"] == finding["cause"]
    ]

    assert finding["outcome"] == "refuses"
    assert exchanges[finding["exchange"]]["operation"] == "renameView"
    assert exchanges[finding["exchange"]]["response"]["status"] == 500
    assert cause["requirements"][0] == REQUIREMENT
    assert "small on this server refuses rename-view" in issue(report, cause)


def test_lost_change_makes_the_outcome_wrong(report: list[dict[str, Any]]) -> None:
    line = observation(report, "small")
    (finding,) = [one for one in line["findings"] if one["task"] == "rename-table"]

    assert line["outcome"] == finding["outcome"] == "wrong"
    assert "cause" not in finding  # an accepted request has the answer of no cause
    assert len(line["findings"]) == 2
    assert line["tasks"] > 40


def test_program_that_answers_no_task_is_not_observed(report: list[dict[str, Any]]) -> None:
    line = observation(report, "silent")

    assert "outcome" not in line
    assert "the program ended without an answer" in line["reason"]


def test_client_that_fails_every_task_is_not_observed(report: list[dict[str, Any]]) -> None:
    line = observation(report, "unable")

    assert "outcome" not in line
    assert "no avro" in line["reason"]


def test_clients_of_a_server_with_warehouses_ask_for_the_checked_one(tmp_path: Path) -> None:
    config, file = tmp_path / "server.toml", tmp_path / "report.jsonl"
    config.write_text(TWO_WAREHOUSES, "utf-8")
    with running(contract="iceberg_rest", warehouse="memory:", config=config) as server:
        arguments = [server.url, "--parameter", "warehouse=lake", "--only", "IRC-CFG-001"]
        arguments += ["--clients", f"small={PROGRAM}", "--report", f"jsonl={file}"]
        result = CliRunner().invoke(main, ["check", *arguments])

    assert result.exit_code == 0, result.output
    assert observation(lines.read(file), "small")["outcome"] == "works"


def test_missing_library_of_a_client_is_named_with_its_pip_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_target, "find_spec", lambda library: library == "pyiceberg" or None)
    result = CliRunner().invoke(main, ["check", "--clients", "pyiceberg"])

    assert result.exit_code == 2
    assert "needs pyarrow beside lakepact: pip install pyarrow" in result.output


def test_program_of_pyiceberg_starts_without_botocore() -> None:
    program = on_target.programs(["pyiceberg"])["pyiceberg"][-1]
    without = f"import sys; sys.modules['botocore'] = None; exec(open({program!r}).read())"
    task = '{"task": "unknown", "uri": "http://127.0.0.1:1", "properties": {}}'
    process = subprocess.run(
        [sys.executable, "-c", without], input=task, capture_output=True, text=True, check=False
    )

    assert "botocore" not in process.stderr


def test_client_without_a_program_is_wrong_usage() -> None:
    result = CliRunner().invoke(main, ["check", "--clients", "iceberg-go"])

    assert result.exit_code == 2
    assert "iceberg-go has no program in lakepact; write --clients iceberg-go='COMMAND'" in (
        result.output
    )
