"""`lakepact reproduce` writes scripts that exit with 1 on a faulty server and with 0 on a correct
one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import faulty_servers
from faulty import mutants
from lakepact.cli import main
from lakepact.conformance.commands.reproduce import reproduce
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.report import lines
from lakepact.conformance.report.run_lines import lines_of
from lakepact.reference_server import running
from lakepact.reference_server.faults import Fault, on_answer
from sampling import some

UNREACHABLE = "http://127.0.0.1:9"

#: Faults of namespaces and tables, with a requirement that each breaks.
FAULTS = [
    ("createNamespace.not-persisted", "IRC-NS-GET-001"),
    ("created-name-shortened", "IRC-NS-GET-001"),
    ("conflict-of-creation-is-400", "IRC-TBL-CREATE-014"),
    ("registerTable.list-body", "IRC-TBL-REG-001"),
    ("tableExists.answers-503", "IRC-TBL-HEAD-001"),
    ("updateTable.answers-200", "IRC-TBL-STAGE-006"),
    ("loadTable.bare-errors", "IRC-ERR-001"),
    ("updateTable.done-but-500", "IRC-TBL-STAGE-004"),
    ("reports-become-properties", "IRC-TBL-MET-010"),
    ("missing-holds-removed", "IRC-NS-PROP-015"),
    ("refs-in-lower-case", "IRC-UPD-045"),
]


@pytest.fixture(scope="module")
def correct() -> Iterator[str]:
    with running(contract="iceberg_rest", warehouse="memory:") as server:
        yield server.url


def check_server(
    faults: list[str | Fault], *only: str, path: Path, headers: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Check a server with faults, write the report to a file, and return its lines."""
    with running(contract="iceberg_rest", warehouse="memory:", faults=faults) as server:
        run = faulty_servers.checked(Target(server.url, headers=headers or {}), *only)
    lines.write(lines_of(run), path)
    return lines.read(path)


def script_of(report: Path, requirement: str, *options: str) -> Path:
    """Write the script of a requirement and return its file."""
    out = report.with_suffix(".py")
    result = CliRunner().invoke(reproduce, [str(report), requirement, "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    return out


def ran(script: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script with no package on its path."""
    command = [sys.executable, "-I", "-S", str(script), *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(("fault", "requirement"), some(FAULTS, 2))
def test_script_exits_with_1_on_faulty_server_and_with_0_on_correct_one(
    fault: str, requirement: str, correct: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.jsonl"
    report = check_server(mutants([fault]), requirement, path=path)
    outcomes = {line["requirement"]: line["outcome"] for line in report if line["line"] == "result"}
    assert outcomes[requirement] == Outcome.FAIL, outcomes
    script = script_of(path, requirement)
    with running(contract="iceberg_rest", warehouse="memory:", faults=mutants([fault])) as server:
        faulty = ran(script, server.url)
    assert (faulty.returncode, ran(script, correct).returncode) == (1, 0), (
        faulty.stdout + faulty.stderr
    )


def test_script_repeats_the_effect_of_a_request_that_returned_500(
    correct: str, tmp_path: Path
) -> None:
    faults = mutants(["changes-uuids", "updateTable.done-but-500"])
    path = tmp_path / "report.jsonl"
    check_server(faults, "IRC-UPD-002", path=path)
    script = script_of(path, "IRC-UPD-002")
    with running(contract="iceberg_rest", warehouse="memory:", faults=faults) as server:
        faulty = ran(script, server.url)
    assert (faulty.returncode, ran(script, correct).returncode) == (1, 0), (
        faulty.stdout + faulty.stderr
    )


def test_script_uses_the_prefix_that_the_user_gave(tmp_path: Path) -> None:
    without_names = on_answer(
        "getConfig", lambda document: document.update(defaults={}, overrides={})
    )
    faults = [
        *mutants(["conflict-of-creation-is-400"]),
        Fault("names-no-prefix", (), without_names),
    ]
    path = tmp_path / "report.jsonl"
    with running(
        contract="iceberg_rest", warehouse="memory:", prefix="lake", faults=faults
    ) as server:
        run = faulty_servers.checked(
            Target(server.url, parameters={"prefix": "lake"}), "IRC-TBL-CREATE-014"
        )
        lines.write(lines_of(run), path)
        faulty = ran(script_of(path, "IRC-TBL-CREATE-014"), server.url)

    assert faulty.returncode == 1, faulty.stdout + faulty.stderr


@pytest.fixture(scope="module")
def finding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report with a finding about tables."""
    path = tmp_path_factory.mktemp("finding") / "report.jsonl"
    check_server(
        mutants(["conflict-of-creation-is-400"]),
        "IRC-TBL-CREATE-014",
        path=path,
        headers={"Authorization": "Bearer s3cr3t-of-mine"},
    )
    return path


def test_script_states_sentence_clause_and_expectation(finding: Path, correct: str) -> None:
    output = ran(
        script_of(finding, "IRC-TBL-CREATE-014"), correct, AUTHORIZATION="Bearer other"
    ).stdout
    statements = [
        name
        for name in (
            "IRC-TBL-CREATE-014",
            "clause    iceberg_rest 1.10.0",
            "expected  status 409",
            "the fault is gone",
        )
        if name in output
    ]
    assert len(statements) == 4, output


def test_script_without_its_secret_exits_with_2(finding: Path, correct: str) -> None:
    process = ran(script_of(finding, "IRC-TBL-CREATE-014"), correct)
    assert (process.returncode, "set AUTHORIZATION" in process.stderr) == (2, True), process.stderr


def test_script_from_an_open_server_takes_a_token_for_another_server(tmp_path: Path) -> None:
    path, settings = tmp_path / "report.jsonl", tmp_path / "server.toml"
    check_server(mutants(["conflict-of-creation-is-400"]), "IRC-TBL-CREATE-014", path=path)
    script = script_of(path, "IRC-TBL-CREATE-014")
    settings.write_text(
        '[principals.ann]\ntoken = "t-of-ann"\n\n[[grants]]\nprincipal = "ann"\naccess = "admin"\n',
        "utf-8",
    )
    with running(contract="iceberg_rest", warehouse="memory:", config=str(settings)) as server:
        without, with_token = (
            ran(script, server.url),
            ran(script, server.url, AUTHORIZATION="Bearer t-of-ann"),
        )
    assert (without.returncode, with_token.returncode) == (3, 0), (
        without.stdout + with_token.stdout + with_token.stderr
    )


def test_script_holds_no_secret(finding: Path) -> None:
    assert "s3cr3t" not in script_of(finding, "IRC-TBL-CREATE-014").read_text("utf-8")


def test_unreachable_server_exits_with_3(finding: Path) -> None:
    assert (
        ran(
            script_of(finding, "IRC-TBL-CREATE-014"), UNREACHABLE, AUTHORIZATION="Bearer other"
        ).returncode
        == 3
    )


def test_failed_setup_step_exits_with_3(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    check_server(mutants(["reports-become-properties"]), "IRC-TBL-MET-010", path=path)
    with running(
        contract="iceberg_rest", warehouse="memory:", faults=["createTable.answers-500"]
    ) as server:
        process = ran(script_of(path, "IRC-TBL-MET-010"), server.url)
    assert (process.returncode, "has to succeed" in process.stderr) == (3, True), process.stderr


def test_invalid_address_exits_with_2(finding: Path) -> None:
    assert (
        ran(script_of(finding, "IRC-TBL-CREATE-014"), "nowhere", AUTHORIZATION="x").returncode == 2
    )


def test_address_of_the_environment_is_the_default(finding: Path, correct: str) -> None:
    process = ran(
        script_of(finding, "IRC-TBL-CREATE-014"), AUTHORIZATION="Bearer other", LAKEPACT_URL=correct
    )
    assert (process.returncode, f"server    {correct}" in process.stdout) == (0, True)


def test_url_option_is_the_default_of_the_script(finding: Path, correct: str) -> None:
    process = ran(
        script_of(finding, "IRC-TBL-CREATE-014", "--url", correct), AUTHORIZATION="Bearer other"
    )
    assert process.returncode == 0


def test_race_is_checked_by_lakepact(correct: str, tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    check_server(mutants(["namespaces-have-many-creators"]), "IRC-NS-CREATE-016", path=path)
    script = script_of(path, "IRC-NS-CREATE-016")
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    with running(
        contract="iceberg_rest",
        warehouse="memory:",
        faults=mutants(["namespaces-have-many-creators"]),
    ) as server:
        faulty = ran(script, server.url, **environment)
    good, without = ran(script, correct, **environment), ran(script, correct, PATH="/usr/bin:/bin")
    assert (faulty.returncode, good.returncode) == (1, 0), (
        faulty.stdout + faulty.stderr + good.stdout + good.stderr
    )
    assert (without.returncode, "lakepact is not installed" in without.stderr) == (3, True)


def test_requirement_that_passes_exits_with_2(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    check_server([], "IRC-NS-CREATE-001", path=path)
    result = CliRunner().invoke(reproduce, [str(path), "IRC-NS-CREATE-001"])
    assert (result.exit_code, "IRC-NS-CREATE-001: pass" in result.output) == (2, True)


@pytest.mark.parametrize(
    ("words", "code"), [(("reproduce",), 0), (("issue",), 0), (("issue", "1"), 2)]
)
def test_report_without_a_finding_is_named_as_such(
    tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    path = tmp_path / "report.jsonl"
    check_server([], "IRC-CFG-001", path=path)
    verb, *cause = words
    result = CliRunner().invoke(main, [verb, str(path), *cause])

    assert result.exit_code == code
    assert result.output.endswith(": no requirement fails in it\n")


def test_script_that_lacks_a_warehouse_exits_with_3_and_names_the_option(
    finding: Path, correct: str
) -> None:
    script = script_of(finding, "IRC-TBL-CREATE-014")
    process = ran(script, correct, "--warehouse", "nope", AUTHORIZATION="Bearer other")

    assert (process.returncode, "--warehouse" in process.stderr) == (3, True), process
    assert "1. " not in process.stdout


def test_number_of_a_cause_writes_the_script_of_its_first_requirement(
    finding: Path, correct: str
) -> None:
    output = ran(script_of(finding, "1"), correct, AUTHORIZATION="Bearer other").stdout

    assert ("IRC-TBL-CREATE-014" in output, "the fault is gone" in output) == (True, True), output


def test_unknown_cause_exits_with_2(finding: Path) -> None:
    result = CliRunner().invoke(reproduce, [str(finding), "99"])

    assert (result.exit_code, "has no cause 99; it has 1" in result.output) == (2, True)


def test_unknown_requirement_exits_with_2(finding: Path) -> None:
    result = CliRunner().invoke(reproduce, [str(finding), "IRC-NO-001"])
    assert (result.exit_code, "the report has no requirement IRC-NO-001" in result.output) == (
        2,
        True,
    )


def test_bodies_of_a_repeatable_finding_are_whole(tmp_path: Path) -> None:
    report = check_server(
        mutants(["reports-become-properties"]), "IRC-TBL-MET-010", path=tmp_path / "report.jsonl"
    )
    numbers = {
        n
        for line in report
        if line["line"] == "result"
        for v in line["verdicts"]
        for n in v.get("replay", {}).get("exchanges", ())
    }
    cut = [
        line["number"]
        for line in report
        if line["line"] == "exchange"
        and line["number"] in numbers
        and " bytes)" in line["response"]["body"]
    ]
    assert (bool(numbers), cut) == (True, [])
