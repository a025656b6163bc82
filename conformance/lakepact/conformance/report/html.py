"""The report as one HTML page: the verdict, every failure with its evidence by cause, a table of areas, and filters."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.evidence.escaping import html_sentence
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity, summary
from lakepact.conformance.report.filters import SCRIPT, form
from lakepact.conformance.report.findings import Findings, marks
from lakepact.conformance.report.looks import LOOKS, VERDICTS, by_area, looks
from lakepact.conformance.report.observed import observed
from lakepact.conformance.report.page import card, chip, page, section, share_bar, top, wide
from lakepact.conformance.report.requests import offered, settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: The sections of outcomes that are shown with evidence: anchor, heading and introduction.
SECTIONS = {
    "broken": (
        "Failures",
        (Outcome.FAIL, Outcome.UNEXPECTED_PASS),
        "Each breaks a MUST, or passes although it is listed as a known failure.",
    ),
    "unjudged": (
        "Blocked",
        (Outcome.ERROR, Outcome.BLOCKED),
        "An earlier step failed, or the suite itself failed.",
    ),
    "warnings": (
        "Warnings",
        (Outcome.WARN,),
        "A SHOULD is broken, or a MUST passes with a remark.",
    ),
    "known": (
        "Known failures",
        (Outcome.KNOWN_FAIL,),
        "Broken, and listed as a known failure with a reason.",
    ),
}


def html(report: Sequence[dict[str, Any]]) -> str:
    """Return the page of a report's lines."""
    header, footer = report[0], report[-1]
    results = [line for line in report if line["line"] == "result"]
    findings = Findings(report)
    title = f"{footer['verdict']}: {header['target']}, {header['title']} {header['version']}"
    shown = {
        anchor: [r for o in outcomes for r in results if r["outcome"] == o]
        for anchor, (_, outcomes, _) in SECTIONS.items()
    }
    absent = [r for r in results if r["outcome"] == Outcome.NOT_OFFERED]
    passed = [r for r in results if r["outcome"] == Outcome.PASS]
    parts = [
        _top(report, results, {**shown, "absent": absent, "passed": passed}),
        "<main>",
        *_summary(results, report),
    ]
    parts += [_filters(results, report)] if results else []
    for anchor, listed in shown.items():
        heading, _, lead = SECTIONS[anchor]
        if listed:
            parts += [
                f'<section class="findings" id="{anchor}"><h2>{heading} ({len(listed)})</h2><p class="lead">{lead}</p>'
            ]
            parts += [*findings.by_cause(listed), "</section>"]
    parts += [
        *_areas(results),
        *_absent(absent, results, header),
        *_passed(passed),
        *(_target(header) if _of_a_server(header) else ()),
        "</main>",
        _end(header),
    ]
    return page(title, parts, script=SCRIPT if results else "")


def _filters(results: Sequence[Mapping[str, Any]], report: Sequence[Mapping[str, Any]]) -> str:
    """Return the form that filters the requirements by what the report holds."""
    outcomes = {result["outcome"] for result in results}
    severities = {line["severity"] for line in report if line["line"] == "cause"}
    return form(
        {
            "outcome": [outcome.value for outcome in LOOKS if outcome in outcomes],
            "severity": [severity.value for severity in Severity if severity in severities],
            "area": by_area(results),
        }
    )


def _top(
    report: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
    listed: Mapping[str, Sequence[Any]],
) -> str:
    header, footer = report[0], report[-1]
    facts = {
        "target": header["target"],
        "checked": header["ended"].replace("T", " ").replace("+00:00", " UTC"),
        **settings(header),
        "requirements": f"{len(results):,}",
        **(
            {
                f"operations {offered(header)}": f"{len(header['operations'])} of {header['all_operations']}"
            }
            if _of_a_server(header)
            else {}
        ),
        "checks": f"{footer['checks']:,}",
        "invariants": f"{footer['invariants']:,}",
        "requests": f"{footer['requests']:,}",
        "seconds": f"{footer['seconds']:.1f}",
    }
    headings = {
        **{anchor: heading for anchor, (heading, _, _) in SECTIONS.items()},
        "absent": "Not offered",
        "passed": "Passed",
    }
    links = {
        anchor: f"{headings[anchor]} ({len(found)})"
        for anchor, found in listed.items()
        if found and anchor in SECTIONS
    }
    links |= {"areas": "Areas"} if results else {}
    links |= {
        anchor: f"{headings[anchor]} ({len(found)})"
        for anchor, found in listed.items()
        if found and anchor not in SECTIONS
    }
    links |= {"offer": "The target"} if _of_a_server(header) else {}
    look = VERDICTS[footer["verdict"]]
    kicker = f"{header['title']} {header['version']}"
    heading = chip(look, look.sentence)
    return top(
        kicker, heading, facts, notices=_notices(report, has_results=bool(results)), links=links
    )


def _notices(report: Sequence[Mapping[str, Any]], *, has_results: bool) -> Iterator[str]:
    header, footer = report[0], report[-1]
    if "stopped" in footer:
        yield f"<b>{'Not everything was' if has_results else 'Nothing could be'} checked.</b> {escape(footer['stopped'])}"
    if header["only"]:
        yield f"<b>Part of the contract:</b> limited to <code>{escape(', '.join(header['only']))}</code>."
    if header["strict"]:
        yield "<b>Strict:</b> a broken SHOULD counts like a broken MUST."
    for client, outcome, tasks in observed(report):
        lines = "".join(f"<br>{escape(task)}" for task in tasks)
        yield f"<b>{escape(client)} on this server:</b> {escape(outcome)}{lines}"


def _summary(
    results: Sequence[Mapping[str, Any]], report: Sequence[dict[str, Any]]
) -> Iterator[str]:
    """Yield a link to each cause, the gravest first, and the counts of the requirements."""
    if not results:
        return
    if causes := [line for line in report if line["line"] == "cause"]:
        yield f'<nav class="causes" id="causes" aria-label="causes"><b>{escape(summary(report))}</b><dl>'
        for severity in dict.fromkeys(cause["severity"] for cause in causes):
            links = " ".join(_link(cause) for cause in causes if cause["severity"] == severity)
            yield f"<dt>{escape(severity)}</dt><dd>{links}</dd>"
        yield "</dl></nav>"
    seen: Counter[str] = Counter(r["outcome"] for r in results)
    squares = (
        (LOOKS[Outcome(r["outcome"])], r["requirement"])
        for area in by_area(results)
        for r in results
        if r["area"] == area
    )
    yield f'<div class="cards">{card("", "", looks(seen), squares)}</div>'


def _link(cause: Mapping[str, Any]) -> str:
    """Return a link to a cause: its number, after a sign if it is no failure that counts."""
    number, outcome = cause["number"], Outcome(cause["outcome"])
    sign = "" if outcome is Outcome.FAIL else f"{LOOKS[outcome].sign} "
    return f'<a class="v {LOOKS[outcome].style}" href="#cause-{number}" title="{escape(cause["title"])}">{sign}{number}</a>'


def _areas(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not results:
        return
    seen: Counter[str] = Counter(r["outcome"] for r in results)
    shown = [o for o in LOOKS if seen[o]]
    rows = [_row(escape(area), counted, shown) for area, counted in by_area(results).items()]
    rows.append(_row("<b>all</b>", seen, shown))
    head = ("area", *(f"{LOOKS[o].sign} {o.value}" for o in shown), "shares")
    yield from section("areas", "Areas", [wide(head, rows, ["n"] * len(shown))])


def _row(area: str, counted: Mapping[str, int], shown: Sequence[Outcome]) -> str:
    cells = "".join(
        f'<td class="n"><span class="v {LOOKS[o].style or "none"}">{counted[o]:,}</span></td>'
        if counted.get(o)
        else '<td class="n zero">0</td>'
        for o in shown
    )
    return f'<tr><th scope="row">{area}</th>{cells}<td class="shares">{share_bar(looks(counted))}</td></tr>'


def _absent(
    absent: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
    header: Mapping[str, Any],
) -> Iterator[str]:
    """Yield the requirements that were not offered, by reason."""
    if not absent:
        return
    yield f'<section class="findings" id="absent"><h2>Not offered ({len(absent)})</h2>'
    yield '<p class="lead">Requirements about operations or features that the target does not declare, or that no answer concerned.'
    yield " They do not count as failures.</p>"
    missing = sorted({o for r in results for o in r["operations"]} - set(header["operations"]))
    if missing and header["operations"]:
        yield f"<p>Operations that are not declared: {', '.join(f'<code>{escape(o)}</code>' for o in missing)}.</p>"
    by_reason: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for result in absent:
        reasons = (
            v["remark"]
            for v in result["verdicts"]
            if v["outcome"] == Outcome.NOT_OFFERED and v.get("remark")
        )
        by_reason[next(reasons, "no reason recorded")].append(result)
    for reason, listed in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        yield _folded_list(reason, listed)
    yield "</section>"


def _passed(passed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the requirements that passed, by area."""
    if not passed:
        return
    yield f'<section class="findings" id="passed"><h2>Passed ({len(passed)})</h2>'
    for area in by_area(passed):
        yield _folded_list(area, [result for result in passed if result["area"] == area])
    yield "</section>"


def _folded_list(title: str, results: Sequence[Mapping[str, Any]]) -> str:
    """Return requirements as a folded list."""
    items = "".join(
        f'<li id="{escape(r["requirement"])}" {marks(r)}><code>{escape(r["requirement"])}</code> {html_sentence(r["sentence"])}</li>'
        for r in results
    )
    return f'<details class="group"><summary>{escape(title)} ({len(results)})</summary><ul>{items}</ul></details>'


def _of_a_server(header: Mapping[str, Any]) -> bool:
    """Return whether the report is of a server rather than of a client."""
    return bool(header.get("side", "server") == "server")


def _target(header: Mapping[str, Any]) -> Iterator[str]:
    yield '<section id="offer"><h2>The target</h2><dl>'
    for name, said in header["facts"].items():
        yield f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>"
    for word, wanted in (("has", True), ("lacks", False)):
        names = ", ".join(name for name, on in header["features"].items() if on is wanted)
        if names:
            yield f"<dt>{word}</dt><dd>{escape(names)}</dd>"
    sent = "custom headers (not shown)" if header["authorized"] else "no authorization"
    yield f"<dt>request headers</dt><dd>{sent}</dd></dl></section>"


def _end(header: Mapping[str, Any]) -> str:
    return (
        "<footer><p>In the curl lines, <code>$AUTHORIZATION</code> replaces the value of the Authorization header. "
        "<code>lakepact explain ID</code> shows the clause of a requirement and its checks.</p>"
        f"<p>lakepact {escape(header['lakepact'])}.</p></footer>"
    )
