"""Reports name the reason of blocked requirements once, with the ids that it blocks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner
from rich.console import Console
from tests.miniatures import answer, miniature

from faulty_servers import checked, new_suite
from lakepact.conformance.commands.check import check
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.report import html, markdown, text
from lakepact.conformance.report.outline import Outline
from lakepact.conformance.report.run_lines import lines_of
from lakepact.generated.iceberg_rest import op

BY_ONE_STEP = ("IRC-NS-DROP-001", "IRC-NS-DROP-002", "IRC-NS-GET-001")
BY_ITSELF = "IRC-NS-GET-002"


@pytest.fixture(scope="module")
def report() -> list[dict[str, Any]]:
    """Return a report of a server that creates no namespace: a step blocks three requirements, and
    a refusal a fourth.
    """
    suite = new_suite()

    @suite.check(*BY_ONE_STEP)
    def three_need_a_namespace(lab: Lab) -> None:
        """The requirements need a namespace."""
        reply = lab.send(op.create_namespace, body={"namespace": [lab.name()], "properties": {}})
        with lab.step("IRC-NS-CREATE-001"):
            expect.true(
                reply.status == 200,
                "status 200",
                f"POST createNamespace returned {reply.summary}",
                at=None,
            )

    @suite.check(BY_ITSELF)
    def one_needs_a_listing(lab: Lab) -> None:
        """The requirement needs a listing."""
        lab.require(lab.send(op.list_namespaces), 200)

    with miniature(lambda *_: answer(500, {"error": {"message": "no"}})) as url:
        return list(lines_of(checked(url, of=suite)))


def test_results_are_grouped_by_reason(report: list[dict[str, Any]]) -> None:
    groups = [group.entries for group in Outline.of(report).groups if group.outcome == "blocked"]

    assert [sorted(e.result["requirement"] for e in entries) for entries in groups] == [
        sorted(BY_ONE_STEP),
        [BY_ITSELF],
    ]


def test_terminal_shows_a_reason_once(report: list[dict[str, Any]]) -> None:
    console = Console(file=io.StringIO(), width=200)
    text.show(report, console)
    output = console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO above

    assert output.count("BLOCKED") == 2
    assert "BLOCKED 3 requirements" in output
    assert all(output.count(requirement) == 1 for requirement in BY_ONE_STEP)


def test_markdown_shows_a_reason_once(report: list[dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text(markdown.markdown(report), "utf-8")
    document = (tmp_path / "report.md").read_text(encoding="utf-8")

    assert "## blocked: 3 requirements" in document
    assert document.count("a set-up step failed (IRC-NS-CREATE-001)") == 1


def test_page_folds_blocked_requirements_into_one_group(report: list[dict[str, Any]]) -> None:
    page = html.html(report)

    assert page.count('<details class="group cause">') == 2 + sum(
        line["line"] == "cause" for line in report
    )
    assert "2 further requirements" in page


def test_refused_registration_blocks_the_judgement_of_its_body() -> None:
    arguments = ["--only", "IRC-TBL-REG-00[12]", "--fault", "registerTable.answers-500", "--json"]
    result = CliRunner().invoke(check, arguments)
    outcomes = {
        line["requirement"]: line["outcome"]
        for line in map(orjson.loads, result.stdout.splitlines())
        if line["line"] == "result"
    }

    assert outcomes == {"IRC-TBL-REG-001": "fail", "IRC-TBL-REG-002": "blocked"}
