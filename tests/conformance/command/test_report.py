"""Report formats: all are made from the same lines, and none holds a secret."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from browsers import LEAST_CONTRAST, NEEDS_BROWSER, loaded, seen
from faulty_servers import checked, new_suite
from lakepact.conformance.evidence.outcome import Wrong
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.report import badge, filters, html, junit, lines, markdown, text
from lakepact.conformance.report.run_lines import lines_of
from miniatures import Answer, answer, miniature

TOKEN = "s3cr3t-token-value"


@pytest.fixture(scope="module")
def report() -> list[dict[str, Any]]:
    """Return a report with a failure, a warning and a pass, of a server that repeats the token that
    it was sent.
    """
    suite = new_suite()

    @suite.check("IRC-CFG-001", "IRC-CFG-012", "IRC-CFG-002")
    def judges_three(lab: Lab) -> None:
        """The configuration is judged by three requirements."""
        reply = lab.send("getConfig", warehouse="w")
        for requirement, status in (
            ("IRC-CFG-001", 200),
            ("IRC-CFG-012", 204),
            ("IRC-CFG-002", 401),
        ):
            with lab.judge(requirement):
                expect.status(reply, status)

    with miniature(lambda *_: answer(401, {"error": {"message": f"who is {TOKEN}?\x07"}})) as url:
        return list(
            lines_of(checked(Target(url, headers={"Authorization": f"Bearer {TOKEN}"}), of=suite))
        )


def text_of(report: list[dict[str, Any]]) -> str:
    console = Console(file=io.StringIO(), width=200)
    text.show(report, console, verbose=True)
    output: str = console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO above
    return output


def test_report_begins_with_header_and_ends_with_footer(report: list[dict[str, Any]]) -> None:
    assert (report[0]["line"], report[-1]["line"]) == ("header", "footer")
    assert report[-1]["verdict"] == "not conformant"
    assert report[-1]["counts"]["fail"] == 1


def test_report_survives_writing_and_reading(report: list[dict[str, Any]], tmp_path: Path) -> None:
    lines.write(report, tmp_path / "report.jsonl")

    assert lines.read(tmp_path / "report.jsonl") == json.loads(json.dumps(report))


def test_report_without_footer_cannot_be_read(report: list[dict[str, Any]], tmp_path: Path) -> None:
    lines.write(report[:-1], tmp_path / "report.jsonl")

    with pytest.raises(lines.UnreadableReport, match="did not finish"):
        lines.read(tmp_path / "report.jsonl")


def test_failure_shows_requirement_expected_actual_clause_and_curl(
    report: list[dict[str, Any]],
) -> None:
    output = " ".join(text_of(report).split())

    for part in (
        "FAIL IRC-CFG-001",
        "expected status 200",
        "actual status 401",
        "request getConfig: GET",
        "openapi.yaml#",
        "curl -sS",
    ):
        assert part in output


def test_verdict_names_warehouse_profile_and_version(report: list[dict[str, Any]]) -> None:
    header = {**report[0], "parameters": {"warehouse": "lake"}, "profile": "target.toml"}
    line = next(
        line
        for line in text_of([header, *report[1:]]).splitlines()
        if line.startswith("not conformant")
    )
    assert line.endswith("iceberg_rest 1.10.0, warehouse lake, profile target.toml"), line


def test_leftovers_are_shown_at_the_end(report: list[dict[str, Any]]) -> None:
    leftovers = ["/v1/namespaces/lp_1: DELETE returned 501", "another"]

    assert report[-1]["leftovers"] == []
    assert "still on the target" not in text_of(report)
    assert (
        f"2 objects created by the checks are still on the target; their names begin with lp. The first: {leftovers[0]}"
        in text_of([*report[:-1], {**report[-1], "leftovers": leftovers}])
    )


def test_no_report_format_holds_a_secret(report: list[dict[str, Any]], tmp_path: Path) -> None:
    lines.write(report, tmp_path / "report.jsonl")
    (tmp_path / "report.xml").write_text(junit.junit(report), "utf-8")
    (tmp_path / "report.md").write_text(markdown.markdown(report), "utf-8")
    (tmp_path / "report.html").write_text(html.html(report), "utf-8")
    forms = [text_of(report), *(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())]

    assert [TOKEN in form for form in forms] == [False] * 5


def test_junit_counts_failures_and_stays_well_formed(
    report: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "report.xml").write_text(junit.junit(report), "utf-8")
    suites = ET.parse(tmp_path / "report.xml").getroot()

    assert [(s.get("tests"), s.get("failures")) for s in suites] == [("3", "1")]


def test_markdown_carries_evidence(report: list[dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text(markdown.markdown(report), "utf-8")
    document = (tmp_path / "report.md").read_text(encoding="utf-8")

    for part in ("not conformant", "### IRC-CFG-001 (MUST)", "curl -sS", "| configuration |"):
        assert part in document


def test_each_requirement_of_a_cause_has_its_own_evidence(
    report: list[dict[str, Any]], tmp_path: Path
) -> None:
    (cause,) = (line for line in report if line["line"] == "cause")
    (tmp_path / "report.xml").write_text(junit.junit(report), "utf-8")
    (tmp_path / "report.md").write_text(markdown.markdown(report), "utf-8")
    forms = [
        " ".join(form.split())
        for form in (text_of(report), *(p.read_text("utf-8") for p in sorted(tmp_path.iterdir())))
    ]

    assert cause["requirements"] == ["IRC-CFG-001", "IRC-CFG-012"]
    assert [
        (each["requirement"], each["expected"], each["exchange"]) for each in cause["evidence"]
    ] == [
        ("IRC-CFG-001", "status 200", 1),
        ("IRC-CFG-012", "status 204", 1),
    ]
    assert [
        "expected status 204, got status 401" in form and "(exchange 1, getConfig: GET " in form
        for form in forms
    ] == [True] * 3
    assert "<code>status 204</code>" in html.html(report)


def test_page_starts_with_the_verdict_and_carries_evidence(report: list[dict[str, Any]]) -> None:
    page = html.html(report)
    places = [
        page.index(part)
        for part in (
            "Not conformant",
            'id="broken"',
            'id="IRC-CFG-001"',
            'id="areas"',
        )
    ]

    assert places == sorted(places)
    for part in (
        "<code>status 200</code>",
        "<code>status 401  {",
        "openapi.yaml#/",
        "curl -sS",
        "$AUTHORIZATION",
        "the last answer: 401",
    ):
        assert part in page


def test_page_links_each_cause_before_the_areas(report: list[dict[str, Any]]) -> None:
    page = html.html(report)
    numbers = [line["number"] for line in report if line["line"] == "cause"]
    links = [int(number) for number in re.findall(r'href="#cause-(\d+)"', page)]

    assert links == numbers != []
    assert all(page.count(f'id="cause-{number}"') == 1 for number in numbers)
    assert page.index('href="#cause-1"') < page.index('id="cause-1"') < page.index('id="areas"')


def test_page_loads_nothing_and_escapes_server_texts(report: list[dict[str, Any]]) -> None:
    evil = "<script>alert(1)</script>"
    hostile = [
        {**line, "verdicts": [{**v, "actual": evil} for v in line["verdicts"]]}
        if line["line"] == "result"
        else line
        for line in report
    ]
    page = html.html(
        [
            {**hostile[0], "target": f"http://{evil}", "facts": {evil: evil}},
            *hostile[1:-1],
            {**hostile[-1], "stopped": evil},
        ]
    )

    others = page.replace(f"<script>{filters.SCRIPT}</script>", "")
    assert re.findall(r"<(?:script|link|img|iframe)|(?:src|href)=(?!\"#)", others) == []
    assert "&lt;script&gt;" in page


def test_page_of_a_report_forbids_all_but_its_own_script(report: list[dict[str, Any]]) -> None:
    page = html.html(report)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert (
        policy
        == f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def test_page_of_an_incomplete_check_names_the_reason(report: list[dict[str, Any]]) -> None:
    page = html.html(
        [
            {**report[0], "operations": []},
            {**report[-1], "verdict": "incomplete", "stopped": "no answer to GET /v1/config"},
        ]
    )

    assert "Incomplete" in page
    assert "no answer to GET /v1/config" in page


def test_terminal_explains_the_variable_of_the_authorization(report: list[dict[str, Any]]) -> None:
    sentence = "$AUTHORIZATION replaces the value of the Authorization header"
    others = [line for line in report if line["line"] != "exchange"]

    assert (text_of(report).count(sentence), text_of(others).count(sentence)) == (1, 0)


def test_report_of_an_interrupted_check_counts_the_judged_requirements(
    report: list[dict[str, Any]],
) -> None:
    footer = {**report[-1], "verdict": "incomplete", "stopped": "interrupted", "planned": 785}
    formats = (text_of, markdown.markdown, html.html, junit.junit)
    texts = [write([*report[:-1], footer]) for write in formats]

    sentence = "3 of 785 requirements were judged: interrupted"
    assert [text.count(sentence) for text in texts] == [1, 1, 1, 1]
    assert "incomplete, 3 of 785<" in badge.svg([*report[:-1], footer])


#: Steps of a reader. After each step the script notes which requirements are shown, and which of
#: their groups are open.
STEPS = """
const noted = [], form = document.forms.filters;
const note = () => noted.push([
  [...document.querySelectorAll("[data-outcome]")].filter(item => !item.closest("[hidden]")).map(item => item.id),
  [...document.querySelectorAll("details.group[open]")].filter(group => !group.hidden).length, form.querySelector("output").value]);
const set = (name, value) => {
  form.elements[name].value = value;
  form.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
  note();
};
const press = (key, target) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
note();
set("outcome", "warn");
press("Escape", document.body);
note();
set("text", "irc-cfg-001 STATUS");
press("Escape", document.body);
set("severity", SEVERITY);
set("outcome", "fail");
press("Escape", document.body);
form.elements.fold.click();
note();
press("/", document.body);
noted.push(document.activeElement.name);
document.title = JSON.stringify(noted);
"""


@pytest.fixture(scope="module")
def notes(report: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return what a reader sees after each of the steps."""
    (severity,) = {
        line["severity"]
        for line in report
        if line["line"] == "cause" and "IRC-CFG-001" in line["requirements"]
    }
    page = loaded(
        html.html(report),
        folder=tmp_path_factory.mktemp("browser"),
        script=STEPS.replace("SEVERITY", f'"{severity}"'),
    )
    steps: list[Any] = json.loads(page.partition("<title>")[2].partition("</title>")[0])
    return steps


ALL = ["IRC-CFG-001", "IRC-CFG-012", "IRC-CFG-002"]


@NEEDS_BROWSER
def test_page_of_a_report_begins_folded_with_all_requirements(notes: list[Any]) -> None:
    assert [sorted(notes[0][0]), *notes[0][1:]] == [sorted(ALL), 0, ""]


@NEEDS_BROWSER
def test_outcome_filter_hides_other_outcomes(notes: list[Any]) -> None:
    assert notes[1] == [["IRC-CFG-012"], 0, "1 of 3 requirements"]


@NEEDS_BROWSER
def test_escape_clears_the_filters(notes: list[Any]) -> None:
    assert sorted(notes[2][0]) == sorted(ALL)


@NEEDS_BROWSER
def test_search_finds_all_words_and_opens_their_group(notes: list[Any]) -> None:
    assert notes[3] == [["IRC-CFG-001"], 1, "1 of 3 requirements"]


@NEEDS_BROWSER
def test_filters_combine(notes: list[Any]) -> None:
    assert (sorted(notes[4][0]), notes[5][0]) == (["IRC-CFG-001", "IRC-CFG-012"], ["IRC-CFG-001"])


@NEEDS_BROWSER
def test_button_opens_all_groups_and_slash_goes_to_the_search(notes: list[Any]) -> None:
    assert (notes[6][1], notes[7]) == (2, "text")


@NEEDS_BROWSER
def test_link_to_a_requirement_opens_its_group(
    report: list[dict[str, Any]], tmp_path: Path
) -> None:
    page = loaded(html.html(report), folder=tmp_path, fragment="IRC-CFG-012")
    groups = re.findall(
        r'<details class="(?:group|more)[^>]*>', page.partition('id="IRC-CFG-012"')[0]
    )

    assert ([' open=""' in group for group in groups], 'role="search" hidden' in page) == (
        [True, True],
        False,
    )


@NEEDS_BROWSER
@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("width", [1280, 400])
def test_page_fits_its_window_and_has_contrast(
    width: int, *, dark: bool, report: list[dict[str, Any]], tmp_path: Path
) -> None:
    measures = seen(html.html(report), "#areas", width=width, dark=dark, folder=tmp_path)

    assert (measures["width"], measures["dark"]) == (width, dark)
    assert measures["needs"] <= width
    assert measures["size"][0] > width / 2
    assert measures["rows"] == 2
    assert (measures["page"] < 0.1) == dark
    assert measures["worst"][0] >= LEAST_CONTRAST, measures["worst"]


@pytest.fixture(scope="module")
def twice() -> list[dict[str, Any]]:
    """Return a report with a requirement that has two causes: a wrong status, and a bad request
    that is accepted.
    """
    suite = new_suite()

    @suite.check("IRC-CFG-001")
    def judges_two_cases(lab: Lab) -> None:
        """Two bad requests are refused."""
        with lab.judge_each("IRC-CFG-001") as case:
            for path in ("/refused", "/accepted"):
                with case(Wrong.VALUE("path")):
                    expect.status(lab.send_raw("GET", path), 400, about=f"for {path}")

    def answer_case(_method: str, target: str, _body: bytes) -> Answer:
        error = {"error": {"message": "gone", "type": "Gone", "code": 422}}
        return answer(200, {}) if target.endswith("accepted") else answer(422, error)

    with miniature(answer_case) as url:
        return list(lines_of(checked(url, of=suite)))


def test_case_with_its_own_key_has_a_cause_with_its_exchange(twice: list[dict[str, Any]]) -> None:
    numbers = {line["number"]: line for line in twice if line["line"] == "exchange"}
    causes = [line for line in twice if line["line"] == "cause"]

    assert [
        (cause["requirements"], numbers[cause["evidence"][0]["exchange"]]["response"]["status"])
        for cause in causes
    ] == [(["IRC-CFG-001"], 200), (["IRC-CFG-001"], 422)]
    assert [line["cause"] for line in twice if line["line"] == "result" and "cause" in line] == [1]


def test_formats_show_each_cause_with_its_own_case(twice: list[dict[str, Any]]) -> None:
    page = html.html(twice)
    failures = page[page.index('id="broken"') :]
    for form in (text_of(twice), markdown.markdown(twice), failures):
        first, second = (
            form.index("returned 200 for /accepted"),
            form.index("returned 422"),
        )
        assert first < second
        assert "status 200" in form[first:second]
        assert "status 422" in form[second:]
    assert page.count('id="IRC-CFG-001"') == 1


def test_deciding_verdict_of_a_requirement_is_its_accepted_case(
    twice: list[dict[str, Any]],
) -> None:
    (result,) = [line for line in twice if line["line"] == "result" and "cause" in line]

    assert result["verdicts"][0]["expected"] == "status 400 for /accepted"
