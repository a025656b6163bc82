"""Campaign pages show what was found and are readable in wide, narrow, light and dark windows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from browsers import LEAST_CONTRAST, NEEDS_BROWSER, seen
from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.conformance.campaign import run_verdicts, tables
from lakepact.conformance.campaign.cli import campaign
from lakepact.conformance.campaign.reporting import facts, html, markdown
from lakepact.reference_server.running import running as serving

FAULTS = ("creation-is-201", "drops-answer-200", "error-code-always-400")
BROKEN = {"IRC-GEN-006", "IRC-GEN-009", "IRC-ERR-003"}


@pytest.fixture(scope="module")
def run_facts(tmp_path_factory: pytest.TempPathFactory) -> facts.Facts:
    """Return the facts of a run with a correct and a faulty server, without concurrent requests."""
    folder = tmp_path_factory.mktemp("pages")
    with (
        serving(warehouse="memory:") as good,
        serving(warehouse="memory:", faults=mutants(FAULTS)) as bad,
    ):
        run = ran(
            few_cases(folder / "plan"),
            folder / "run",
            Here(),
            f"good={good.url}",
            f"a-target-with-a-rather-long-name={bad.url}",
        )
    run_verdicts.judge(run, Here())
    return facts.facts(run, run_verdicts.analyse(run, Here(), run), has_base=True)


@pytest.fixture(scope="module")
def early_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run that ended early."""
    folder = tmp_path_factory.mktemp("early")
    few_cases(folder / "plan")
    with serving(warehouse="memory:") as server, pytest.raises(KeyboardInterrupt):
        ran(folder / "plan", folder / "run", Here(until=20), f"a={server.url}")
    return folder / "run"


def test_pages_name_the_findings_and_load_nothing(run_facts: facts.Facts) -> None:
    pages = [html.html(run_facts), markdown.markdown(run_facts)]

    assert {
        requirement for requirement in BROKEN for page in pages if requirement not in page
    } == set()
    assert {finding.requirement.id for finding in run_facts.findings} >= BROKEN
    assert {one.target for finding in run_facts.findings for one in finding.evidence} == {
        "a-target-with-a-rather-long-name"
    }
    assert re.findall(r"<(?:script|link|img|iframe)|(?:src|href)=(?!\"#)", pages[0]) == []
    assert all("Nothing changed." in page for page in pages)
    assert all("loadTable" in page.partition("Latencies")[2] for page in pages)


def test_divergence_names_the_place_of_the_difference(run_facts: facts.Facts) -> None:
    places = {
        one.way.what
        for one in run_facts.causes
        if one.way.kind == "body" and "IRC-ERR-003" in one.requirements
    }

    assert places == {"/error/code"}


def test_deviating_answer_stands_beside_one_that_most_targets_give(run_facts: facts.Facts) -> None:
    cause = next(each for each in run_facts.causes if each.way.kind == "status")
    deviating, sound = (row for _, row in sorted(cause.answers.items()))
    other = sound | {"response_body": b"{}"}
    three = replace(cause, answers={"a": sound, "b": other, "c": deviating})

    names, statuses, *_ = three.side_by_side
    assert names.split() == ["a", "│", "c"]
    assert (statuses[0], statuses.count(str(sound["http_status"]))) == ("!", 1)


def test_report_begins_with_the_gravest_cause(run_facts: facts.Facts) -> None:
    ranks = [cause.rank for cause in run_facts.causes]
    first = run_facts.causes[0]

    assert ranks == sorted(ranks)
    assert (first.way.kind, first.way.is_read) == ("status", False)
    assert html.html(run_facts).index(first.way.operation) < html.html(run_facts).index(
        'id="targets"'
    )
    assert markdown.markdown(run_facts).index(first.way.operation) < markdown.markdown(
        run_facts
    ).index("## Requirements")


def test_pages_of_an_interrupted_run_count_the_missing_cases(
    run_facts: facts.Facts, early_run: Path
) -> None:
    run_verdicts.judge(early_run, Here())
    early = facts.facts(early_run, run_verdicts.analyse(early_run, Here()), has_base=False)
    cases = tables.read(early_run / "cases", tables.CASES).num_rows
    campaign_row = tables.read(
        early_run / "campaigns", tables.pa.schema([("landed_exchanges", tables.WHOLE)])
    ).to_pylist()[0]

    assert (
        early.status
        == f"incomplete: {cases - campaign_row['landed_exchanges']} of {cases} cases have not landed on their target"
    )
    assert all(early.status in page for page in (html.html(early), markdown.markdown(early)))
    assert run_facts.status == "complete"


def test_commands_on_an_interrupted_run_exit_with_3_and_advise_resume(early_run: Path) -> None:
    where = ["--run", str(early_run), "--engine", "local", "--workers", "1"]
    results = {verb: CliRunner().invoke(campaign, [verb, *where]) for verb in ("judge", "report")}

    assert dict.fromkeys(results, 3) == {verb: one.exit_code for verb, one in results.items()}
    assert all(
        "the run is incomplete" in one.output and "--resume" in one.output
        for one in results.values()
    )
    assert (early_run / "report.html").exists()


@NEEDS_BROWSER
@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("width", [1280, 400])
def test_page_fits_its_window_and_has_contrast(
    width: int, *, dark: bool, run_facts: facts.Facts, tmp_path: Path
) -> None:
    measures = seen(html.html(run_facts), "#matrix", width=width, dark=dark, folder=tmp_path)

    assert (measures["width"], measures["dark"]) == (width, dark)
    assert measures["needs"] <= width
    assert measures["size"][0] > width / 2
    assert measures["rows"] >= len(BROKEN)
    assert (measures["page"] < 0.1) == dark
    assert measures["worst"][0] >= LEAST_CONTRAST, measures["worst"]
