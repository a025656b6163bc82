"""`lakepact issue` prints what the maintainers of a server need to see a defect."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.conformance.report import lines
from lakepact.conformance.report.issue import issue
from servers_matrix.__main__ import DOCS

STATUS = {"expected": "status 409", "actual": "status 200", "expected_status": [409]}
PUBLISHED = DOCS / "nessie" / "report.jsonl.gz"


def command(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["issue", str(PUBLISHED), *words])
    return result.exit_code, result.output


def text(**replay: str) -> str:
    """Return the issue of a report with one finding."""
    verdict = {"check": "c", "outcome": "fail", **STATUS, "exchanges": [1], "replay": replay}
    about = {"sentence": "It conflicts.", "clause": "c", "operations": ["updateTable"]}
    about |= {"interpretation": None, "corrections": []}
    result = {
        "line": "result",
        "requirement": "IRC-X-1",
        "outcome": "fail",
        **about,
        "verdicts": [verdict],
    }
    exchange = {
        "line": "exchange",
        "number": 1,
        "operation": "updateTable",
        "request": {"method": "POST", "url": "http://127.0.0.1/v1"},
        "curl": "curl 1",
        "response": {"status": 200, "body": '{"a": 1}'},
    }
    cause = {
        "line": "cause",
        "number": 1,
        "outcome": "fail",
        "severity": "wrong effect",
        "title": "updateTable returned 200 of lp_0a1b_1_2, expected 409",
        "requirements": ["IRC-X-1"],
    }
    header = {
        "line": "header",
        "contract": "another",
        "side": "server",
        "lakepact": "0.1.0",
        "title": "API",
        "version": "1",
        "target": "http://127.0.0.1",
        "authorized": True,
        "features": {"readable-files": True},
    }
    return issue([header, result, exchange, cause, {"line": "footer"}], cause)


def test_issue_title_is_that_of_the_cause_without_invented_names() -> None:
    assert text().startswith("# updateTable returned 200 of …, expected 409\n")


def test_issue_holds_the_answer_of_the_server() -> None:
    assert 'The answer, status 200:\n\n```\n{"a": 1}\n```' in text()


def test_issue_of_a_caller_with_a_login_names_the_variable_of_its_header() -> None:
    assert "in this order, with `Bearer TOKEN` as `$AUTHORIZATION`:" in text()


def test_issue_of_an_unrepeatable_finding_runs_the_check() -> None:
    steps = text(why="the check reads files")

    assert "lakepact check URL --only IRC-X-1 --shared-files FOLDER" in steps
    assert "lakepact reproduce" not in steps


@pytest.mark.parametrize("number", [1, 20])
def test_issue_command_prints_steps_clause_and_both_results(number: int) -> None:
    cause = next(
        line
        for line in lines.read(PUBLISHED)
        if line["line"] == "cause" and line["number"] == number
    )

    code, output = command(str(number), "--server", "Nessie 0.99.0")

    assert code == 0
    for part in (
        "Nessie 0.99.0, severity",
        "## Steps",
        "curl ",
        "Clause: `",
        "Expected: `",
        "Actual: `",
        cause["requirements"][0],
        f"report.jsonl.gz {number}`",
    ):
        assert part in output, part


def test_issue_command_without_a_cause_lists_all() -> None:
    causes = [line for line in lines.read(PUBLISHED) if line["line"] == "cause"]

    code, output = command()

    assert (code, len(output.splitlines())) == (0, len(causes))


def test_issue_command_refuses_an_unknown_cause() -> None:
    code, output = command("999")

    assert (code, output.endswith(", not 999\n")) == (2, True), output
