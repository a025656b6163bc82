"""`lakepact matrix --site` writes a site of results from reports of any contracts."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from browsers import NEEDS_BROWSER, loaded
from lakepact.conformance.commands.matrix import matrix
from lakepact.conformance.report import lines
from lakepact.conformance.report.site import Published, site

REPORTS = Path(__file__).parents[3] / "docs/matrix"
DELTA = REPORTS / "delta-sharing/report.jsonl.gz"
DUCKDB = REPORTS / "clients/duckdb/report.jsonl.gz"
SHARING = "delta_sharing-2026-02-server"


def content(page: str) -> dict[str, Any]:
    """Return the content of a site."""
    embedded = re.search(r'<script type="application/json" id="content">(.*?)</script>', page)
    assert embedded
    return json.loads(embedded[1])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(matrix, arguments)


@pytest.fixture(scope="module")
def delta() -> list[dict[str, Any]]:
    return lines.read(DELTA)


@pytest.fixture(scope="module")
def history(delta: list[dict[str, Any]]) -> str:
    """The site of a server that kept DS-FIL-03 yesterday alone, when the suite had no DS-ACC-04."""
    day_before = [dict(line) for line in delta if line.get("requirement") != "DS-ACC-04"]
    day_before[0]["ended"] = "2026-11-20T10:00:00+00:00"
    for line in day_before:
        if line.get("requirement") == "DS-FIL-03" and line["line"] == "result":
            line["outcome"] = "pass"
            line["verdicts"] = [{"check": "c", "outcome": "pass", "judged": 1}]
    return site(
        [Published.of("one", day_before, "old.html"), Published.of("one", delta, "new.html")]
    )


def test_reports_of_two_contracts_and_sides_have_grids_of_their_own(tmp_path: Path) -> None:
    result = run(f"Delta={DELTA}", f"DuckDB={DUCKDB}", "--site", str(tmp_path / "site"))

    groups = content((tmp_path / "site/index.html").read_text("utf-8"))["groups"]
    assert result.exit_code == 0
    assert {group["id"]: [report["name"] for report in group["reports"]] for group in groups} == {
        SHARING: ["Delta"],
        "iceberg_rest-1.10.0-client": ["DuckDB"],
    }


def test_each_outcome_and_cause_of_a_report_is_on_the_site(delta: list[dict[str, Any]]) -> None:
    page = content(site([Published.of("one", delta, "one.html")]))

    (group,), places = page["groups"], list(page["looks"])
    (report,) = group["reports"]
    outcomes = dict(
        zip([each["id"] for each in group["requirements"]], report["outcomes"], strict=True)
    )
    results = [line for line in delta if line["line"] == "result"]
    assert outcomes == {line["requirement"]: str(places.index(line["outcome"])) for line in results}
    titles = [line["title"] for line in delta if line["line"] == "cause"]
    assert [cause["title"] for cause in report["causes"]] == titles


def test_report_page_links_each_finding_to_its_requirement(tmp_path: Path) -> None:
    run(f"Delta={DELTA}", "--site", str(tmp_path))

    link = f'<a href="index.html#/{SHARING}/requirement/DS-'
    assert link in (tmp_path / "report-1.html").read_text("utf-8")


def test_text_of_a_target_never_ends_the_content(delta: list[dict[str, Any]]) -> None:
    hostile = [dict(line) for line in delta]
    hostile[0]["target"] = "http://</script><script>alert(1)</script>"

    page = site([Published.of("one", hostile, "one.html")])

    assert "<script>alert" not in page
    assert content(page)["groups"][0]["reports"][0]["target"] == hostile[0]["target"]


def test_two_reports_of_one_name_and_time_are_refused(tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl.gz"
    shutil.copy(DELTA, again)

    result = run(f"one={DELTA}", f"one={again}", "--site", str(tmp_path / "site"))

    assert result.exit_code == 2
    assert "two reports are called one and ended at 2026-" in result.output
    assert not (tmp_path / "site").exists()


def test_site_stands_alone(tmp_path: Path) -> None:
    result = run(str(DELTA), "--site", str(tmp_path), "--json")

    assert result.exit_code == 2
    assert "--site stands alone" in result.output


@NEEDS_BROWSER
@pytest.mark.parametrize(
    ("fragment", "texts"),
    [
        ("", ["Delta Sharing Protocol 2026-02: servers", "one: "]),
        ("/?q=DS-FIL-03", ["DS-FIL-03"]),
        (f"/{SHARING}/area/parquet-format?outcome=fail", ["DS-FIL-"]),
        (f"/{SHARING}/requirement/DS-FIL-03", ["expected", "History", "2026-11-20"]),
        (f"/{SHARING}/report/one", ["Changes between 2026-11-20 10:00 and", "new.html"]),
        ("/nothing/here", ["No such page"]),
    ],
)
def test_address_shows_its_view(
    fragment: str, texts: list[str], history: str, tmp_path: Path
) -> None:
    page = loaded(history, folder=tmp_path, fragment=fragment).partition("<body>")[2]
    body = page.partition('<script type="application/json"')[0]

    assert [text for text in texts if text not in body] == []


@NEEDS_BROWSER
def test_changes_show_what_no_longer_passes(history: str, tmp_path: Path) -> None:
    last_time = content(history)["groups"][0]["reports"][1]["ended"]
    fragment = f"/{SHARING}/changes/one/2026-11-20 10:00/{last_time}"
    page = loaded(history, folder=tmp_path, fragment=fragment).partition("<main>")[2]

    assert "No longer pass (1)" in page
    assert page.count("DS-FIL-03</a>") == 1
    assert "ids of partitioned in delta format" in page  # the cause
    assert "Pass now (" not in page
    assert "Only in one of the reports (1)" in page
