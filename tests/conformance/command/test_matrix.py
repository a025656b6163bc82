"""`lakepact matrix` compares reports of one contract, names incomplete reports and rejects unusable
files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from browsers import LEAST_CONTRAST, NEEDS_BROWSER, seen
from lakepact.conformance.commands.matrix import matrix
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import compatibility, lines, matrices

Report = list[dict[str, Any]]


def report(
    *outcomes: str,
    url: str = "http://a",
    version: str = "1.10.0",
    reason: str = "",
    only: tuple[str, ...] = (),
) -> Report:
    """Return a report of requirements R-1, R-2, …: R-1 belongs to area one and one operation, the
    others to area two.
    """
    header = {
        "line": "header",
        "report": 1,
        "lakepact": "0.1.0",
        "contract": "iceberg_rest",
        "version": version,
        "title": "A contract",
        "target": url,
        "ended": "2026-11-21T00:00:00+00:00",
        "only": list(only),
        "side": "server",
        "authorized": False,
        "facts": {},
        "operations": [],
        "all_operations": 30,
        "features": {},
        "strict": False,
    }
    results = [
        {
            "line": "result",
            "requirement": f"R-{n}",
            "outcome": outcome,
            "level": "MUST",
            "sentence": f"<b>what | {n} says</b>",
            "area": "one" if n == 1 else "two",
            "operations": ["loadTable"] if n == 1 else [],
            "clause": "openapi.yaml#/paths",
            "basis": "text",
            "interpretation": "",
            "corrections": [],
            "verdicts": [{"check": "check", "outcome": outcome, "judged": 1}],
        }
        for n, outcome in enumerate(outcomes, start=1)
    ]
    verdict = (
        "not conformant"
        if "fail" in outcomes
        else "incomplete"
        if reason or "blocked" in outcomes
        else "conformant"
    )
    footer = {
        "line": "footer",
        "counts": dict.fromkeys(Outcome, 0),
        "requests": 0,
        "checks": 0,
        "invariants": 0,
        "exit_code": 0,
    }
    footer |= {"verdict": verdict, "seconds": 0, "leftovers": []}
    return [header, *results, footer | ({"stopped": reason} if reason else {})]


GOOD = report("pass", "pass", "pass")
BAD = report(
    "pass", "fail", "blocked", "not-offered", url="https://b.example/with/a/rather/long/address"
)


def cells(grid: compatibility.Matrix) -> dict[str, list[str]]:
    return {
        row.name: [
            compatibility.cell_text(row.cells.get(column.name), grid.by) for column in grid.columns
        ]
        for row in grid.rows
    }


def matrix_of(folder: Path, reports: dict[str, Report], *options: str) -> Result:
    for name, report in reports.items():
        lines.write(report, folder / f"{name}.jsonl")
    return CliRunner().invoke(
        matrix, [*(str(folder / f"{name}.jsonl") for name in reports), *options]
    )


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("area", {"one": ["1/1", "1/1"], "two": ["2/2", "0/2 ✗1 ?1"]}),
        (
            "requirement",
            {"R-1": ["✓", "✓"], "R-2": ["✓", "✗"], "R-3": ["✓", "?"], "R-4": ["(none)", "·"]},
        ),
        ("operation", {"loadTable": ["1/1", "1/1"], "any operation": ["2/2", "0/2 ✗1 ?1"]}),
    ],
)
def test_each_report_has_a_column(by: str, expected: dict[str, list[str]]) -> None:
    assert cells(compatibility.matrix({"good": GOOD, "bad": BAD}, by=by)) == expected


def test_differing_option_keeps_only_rows_that_differ() -> None:
    grid = compatibility.matrix({"good": GOOD, "bad": BAD}, by="requirement", differing=True)

    assert [row.name for row in grid.rows] == ["R-2", "R-3", "R-4"]


def test_complete_reports_exit_with_0_and_are_named(tmp_path: Path) -> None:
    result = matrix_of(tmp_path, {"monday": GOOD}, f"friday={tmp_path / 'monday.jsonl'}")

    assert result.exit_code == 0
    assert all(name in result.output for name in ("monday", "friday", "http://a"))


def test_incomplete_reports_exit_with_3_and_are_named(tmp_path: Path) -> None:
    result = matrix_of(
        tmp_path, {"good": GOOD, "bad": BAD, "dead": report(reason="no answer to GET /v1/config")}
    )

    assert result.exit_code == 3
    assert "bad is incomplete: 1 requirement could not be judged" in result.output
    assert (
        "dead is incomplete: nothing could be checked: no answer to GET /v1/config" in result.output
    )
    assert "good is incomplete" not in result.output


def test_page_says_in_each_card_that_its_report_is_incomplete(tmp_path: Path) -> None:
    matrix_of(tmp_path, {"good": GOOD, "bad": BAD}, "--report", f"html={tmp_path / 'matrix.html'}")

    good, bad = (tmp_path / "matrix.html").read_text("utf-8").split('class="card"')[1:]
    assert ("Incomplete: 1 requirement could not be judged." in bad, "Incomplete" in good) == (
        True,
        False,
    )


def test_limited_report_is_named_with_its_filter(tmp_path: Path) -> None:
    result = matrix_of(tmp_path, {"good": GOOD, "part": report("pass", only=("IRC-NS-*",))})

    assert (result.exit_code, "part: limited to IRC-NS-*" in result.output) == (0, True)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (
            report("pass", version="1.11.0"),
            "other judges iceberg_rest 1.11.0, good judges iceberg_rest 1.10.0: a matrix compares reports of one version",
        ),
        (GOOD[:-1], "the run that wrote it did not finish"),
        ([{"line": "header"}, {"line": "footer"}], "not of `lakepact check --report jsonl=FILE`"),
    ],
    ids=["version", "without its footer", "something else"],
)
def test_unusable_report_exits_with_2_and_one_line(other: Report, why: str, tmp_path: Path) -> None:
    result = matrix_of(tmp_path, {"good": GOOD, "other": other})

    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert why in result.output


def test_missing_file_and_duplicate_name_exit_with_2(tmp_path: Path) -> None:
    absent = matrix_of(tmp_path, {"good": GOOD}, str(tmp_path / "nowhere.jsonl"))
    twice = matrix_of(tmp_path, {"good": GOOD}, str(tmp_path / "good.jsonl"))

    assert (absent.exit_code, twice.exit_code) == (2, 2)
    assert "nowhere.jsonl cannot be read" in absent.output
    assert "two reports are called good" in twice.output


def test_every_report_format_holds_the_same_rows(tmp_path: Path) -> None:
    forms = {kind: tmp_path / kind for kind in ("html", "json", "md")}
    result = matrix_of(
        tmp_path,
        {"good": GOOD, "bad": BAD},
        "--by",
        "requirement",
        *(f"--report={k}={path}" for k, path in forms.items()),
    )
    documents = {kind: path.read_text(encoding="utf-8") for kind, path in forms.items()}

    assert [
        n
        for n in ("R-1", "R-2", "R-3", "R-4")
        for form in (result.output, *documents.values())
        if n not in form
    ] == []
    assert all("1 requirement could not be judged" in form for form in documents.values())
    assert "| R-2 | ✓ | ✗ | MUST: &lt;b&gt;what \\| 2 says&lt;/b&gt; |" in documents["md"]
    assert json.loads(documents["json"])["rows"][1]["cells"] == {
        "good": {"pass": 1},
        "bad": {"fail": 1},
    }
    assert (
        re.findall(r"<(?:script|link|img|iframe|b>)|(?:src|href)=(?!\"#)", documents["html"]) == []
    )


def test_json_option_prints_the_matrix(tmp_path: Path) -> None:
    result = matrix_of(tmp_path, {"good": GOOD}, "--json")

    assert json.loads(result.output)["reports"][0]["verdict"] == "conformant"


@NEEDS_BROWSER
@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("width", [1280, 400])
def test_page_fits_its_window_and_has_contrast(width: int, *, dark: bool, tmp_path: Path) -> None:
    page = matrices.html(
        compatibility.matrix(
            {"good": GOOD, "a-target-with-a-rather-long-name": BAD}, by="requirement"
        )
    )
    measures = seen(page, "#matrix", width=width, dark=dark, folder=tmp_path)

    assert (measures["width"], measures["dark"], measures["rows"]) == (width, dark, 4)
    assert measures["needs"] <= width
    assert measures["size"][0] > width / 2
    assert (measures["page"] < 0.1) == dark
    assert measures["worst"][0] >= LEAST_CONTRAST, measures["worst"]
