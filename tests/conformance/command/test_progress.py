"""Findings and progress while `lakepact check` runs, and filters of what it prints."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from lakepact.conformance.commands.check import check
from lakepact.conformance.commands.report import report
from lakepact.conformance.commands.reproduce import reproduce
from lakepact.conformance.evidence.observations import Observation
from lakepact.conformance.report import output
from lakepact.conformance.running import plan
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from lakepact.conformance.running.runner import Run
from lakepact.extras import install
from miniatures import Answer, answer, miniature

ONLY = ("--only", "IRC-NS-PROP-00[12]", "--fault", "updateProperties.answers-500")


def test_live_prints_a_finding_before_the_report() -> None:
    output_of_check = CliRunner().invoke(check, [*ONLY, "--live"]).stdout

    assert output_of_check.index(
        "FAIL IRC-NS-PROP-001  expected status 200"
    ) < output_of_check.index("CAUSE 1")


def test_findings_are_not_printed_live_without_a_terminal() -> None:
    assert CliRunner().invoke(check, ONLY).stdout.lstrip().startswith("CAUSE 1")


def test_progress_without_a_terminal_goes_to_standard_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(output, "QUIET_SECONDS", 0.005)
    result = CliRunner().invoke(check, ONLY)

    assert "failed: IRC-NS-PROP-001" in result.stderr
    assert "lakepact: " not in result.stdout


def test_progress_is_reported_before_the_first_check_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    progress = threading.Event()

    def server(_method: str, _target: str, _body: bytes) -> Answer:
        progress.wait(10)
        return answer(404, None)

    def echo(text: str, **_: object) -> None:
        if "0 of 1 after 0 s; detecting features of the server" in text:
            progress.set()

    monkeypatch.setattr(output, "QUIET_SECONDS", 0.005)
    monkeypatch.setattr(output.click, "echo", echo)
    with miniature(server) as url:
        CliRunner().invoke(check, [url, "--only", "IRC-CFG-001"])

    assert progress.is_set()


def test_progress_during_the_tasks_of_clients_names_no_detection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    progress = threading.Event()

    def observe(_: Run) -> Iterable[Observation]:
        assert progress.wait(10)
        return ()

    def echo(text: str, **_: object) -> None:
        if text.endswith("; no check has ended yet"):
            progress.set()

    monkeypatch.setattr(output, "QUIET_SECONDS", 0.005)
    monkeypatch.setattr(output.click, "echo", echo)
    suite = suites.load("iceberg_rest")
    with embedded(suite) as target:
        run = Run(plan.plan(suite, only=["IRC-CFG-001"]), target, observe=observe)
        for _ in output.progress_of(run, Console(file=io.StringIO()), live=False):
            pass


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("reports") / "report.jsonl"
    CliRunner().invoke(check, [*ONLY, "--report", f"jsonl={path}"])
    return path


def test_severity_selects_causes(faulty: Path) -> None:
    outputs = {
        severity: CliRunner().invoke(report, [str(faulty), "--severity", severity]).stdout
        for severity in ("data", "refused")
    }

    assert ("CAUSE" in outputs["data"], "CAUSE" in outputs["refused"]) == (False, True)


def test_operations_of_a_server_without_endpoints_are_served(faulty: Path) -> None:
    without_endpoints = faulty.with_name("undeclared.jsonl")
    without_endpoints.write_text(
        faulty.read_text("utf-8").replace('"endpoints":"declared"', '"endpoints":"absent"'), "utf-8"
    )

    assert "operations declared," in CliRunner().invoke(report, [str(faulty)]).stdout
    assert "operations served," in CliRunner().invoke(report, [str(without_endpoints)]).stdout


def test_reproduce_without_a_requirement_lists_what_scripts_need(faulty: Path) -> None:
    assert (
        "IRC-NS-PROP-001  needs Python alone\n"
        in CliRunner().invoke(reproduce, [str(faulty)]).stdout
    )


def test_script_that_needs_lakepact_says_so_first(faulty: Path) -> None:
    shared = faulty.with_name("shared.jsonl")
    shared.write_text(faulty.read_text("utf-8").replace('"replay":{', '"unused":{'), "utf-8")
    script = CliRunner().invoke(reproduce, [str(shared), "IRC-NS-PROP-001"]).stdout

    assert script.splitlines()[1].startswith("# THIS SCRIPT NEEDS LAKEPACT: ")
    assert install("conformance", elsewhere=True) in script
    assert "IRC-NS-PROP-001  needs lakepact" in CliRunner().invoke(reproduce, [str(shared)]).stdout
