"""The report as one HTML page: the verdict, a table of areas, and every failure with its evidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.conformance.escaping import html as escape
from lakepact.conformance.escaping import html_lines
from lakepact.conformance.outcome import Outcome
from lakepact.conformance.report.causes import plural, summary
from lakepact.conformance.report.looks import LOOKS, VERDICTS, by_area, styles
from lakepact.conformance.report.page import page, wide
from lakepact.conformance.report.plots import ring, share_bar
from lakepact.conformance.report.requests import cases, judged_request, settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

#: The sections of outcomes that are shown with evidence: anchor, heading and introduction.
SECTIONS = {
    "broken": (
        "Failures",
        (Outcome.FAIL, Outcome.UNEXPECTED_PASS),
        "Each breaks a MUST, or passes although it is listed as a known failure.",
    ),
    "unjudged": ("Not judged", (Outcome.ERROR, Outcome.BLOCKED), "An earlier step failed, or the suite itself failed."),
    "warnings": ("Warnings", (Outcome.WARN,), "A SHOULD is broken, or a MUST passes with a remark."),
    "known": ("Known failures", (Outcome.KNOWN_FAIL,), "Broken, and listed as a known failure with a reason."),
}
SHOWN_BODY = 4200  #: characters of a body; the rest is in the JSON lines
SHOWN_CURLS = 20  #: requests shown before a finding; earlier ones are in the JSON lines


def write(report: Sequence[dict[str, Any]], path: Path) -> None:
    """Write a report as an HTML page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(html(report), encoding="utf-8")


def html(report: Sequence[dict[str, Any]]) -> str:
    """Return the page of a report's lines."""
    header, footer = report[0], report[-1]
    results = [line for line in report if line["line"] == "result"]
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    title = f"{footer['verdict']}: {header['target']}, {header['title']} {header['version']}"
    shown = {anchor: [r for o in outcomes for r in results if r["outcome"] == o] for anchor, (_, outcomes, _) in SECTIONS.items()}
    absent = [r for r in results if r["outcome"] == Outcome.NOT_OFFERED]
    parts = [*_top(header, footer, results, shown, absent), "<main>", *_summary(results, summary(report))]
    for anchor, findings in shown.items():
        heading, _, lead = SECTIONS[anchor]
        if findings:
            parts += [f'<section id="{anchor}"><h2>{heading} ({len(findings)})</h2><p class="lead">{lead}</p>']
            parts += [*_findings(findings, report, exchanges, header), "</section>"]
    parts += [*_absent(absent, results, header), *(_target(header) if _of_a_server(header) else ()), "</main>", _end(header)]
    return page(title, parts)


def _top(
    header: Mapping[str, Any],
    footer: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    shown: Mapping[str, Sequence[Any]],
    absent: Sequence[Any],
) -> Iterator[str]:
    look = VERDICTS[footer["verdict"]]
    yield f'<header class="top"><p class="kicker">{escape(header["title"])} {escape(header["version"])}</p>'
    yield f'<h1><span class="v {look.style}">{look.sign} {look.sentence}</span></h1>'
    yield f'<p id="target"><code>{escape(header["target"])}</code></p>'
    told = {
        "judged": header["ended"].replace("T", " ").replace("+00:00", " UTC"),
        **settings(header),
        "requirements": f"{len(results):,}",
        **({"operations declared": f"{len(header['operations'])} of {header['all_operations']}"} if _of_a_server(header) else {}),
        "checks": f"{footer['checks']:,}",
        "invariants": f"{footer['invariants']:,}",
        "requests": f"{footer['requests']:,}",
        "seconds": f"{footer['seconds']:.1f}",
    }
    yield f'<ul class="meta">{"".join(f"<li>{name} <b>{escape(value)}</b></li>" for name, value in told.items())}</ul>'
    if "stopped" in footer:
        so_far = "Not everything was checked." if results else "Nothing could be checked."
        yield f'<p class="notice"><b>{so_far}</b> {escape(footer["stopped"])}</p>'
    if header["only"]:
        yield f'<p class="notice"><b>Part of the contract:</b> limited to <code>{escape(", ".join(header["only"]))}</code>.</p>'
    if header["strict"]:
        yield '<p class="notice"><b>Strict:</b> a broken SHOULD counts like a broken MUST.</p>'
    links = {"areas": "Areas"} if results else {}
    links |= {anchor: f"{SECTIONS[anchor][0]} ({len(findings)})" for anchor, findings in shown.items() if findings}
    links |= {"absent": f"Not offered ({len(absent)})"} if absent else {}
    if _of_a_server(header):
        links |= {"offer": "The target"}
    yield "<nav>" + "".join(f'<a href="#{anchor}">{name}</a>' for anchor, name in links.items()) + "</nav></header>"


def _summary(results: Sequence[Mapping[str, Any]], causes: str) -> Iterator[str]:
    if not results:
        return
    if causes:
        yield f'<p id="causes"><b>{escape(causes)}.</b></p>'
    seen: Counter[str] = Counter(r["outcome"] for r in results)
    judged = len(results) - seen[Outcome.NOT_OFFERED]
    tally = "".join(
        f'<li><span class="v {look.style or "none"}">{look.sign} {seen[o]:,} {look.sentence}</span></li>'
        for o, look in LOOKS.items()
        if seen[o]
    )
    areas = by_area(results)
    squares = "".join(
        f'<i class="{LOOKS[Outcome(r["outcome"])].style}" title="{escape(r["requirement"])}: {LOOKS[Outcome(r["outcome"])].sentence}"></i>'
        for area in areas
        for r in results
        if r["area"] == area
    )
    yield (
        f'<div class="cards"><div class="card"><div class="big">{ring(styles(seen))}<div>'
        f"<strong>{seen[Outcome.PASS]:,} of {judged:,}</strong>"
        f'<span>of the applicable requirements pass</span></div></div><ul class="tally">{tally}</ul>'
        f'<div class="field" role="img" aria-label="one square per requirement">{squares}</div></div></div>'
    )
    shown = [o for o in LOOKS if seen[o]]
    rows = [_row(escape(area), counted, shown) for area, counted in areas.items()]
    rows.append(_row("<b>all</b>", seen, shown))
    yield '<section id="areas"><h2>Areas</h2>'
    yield wide(("area", *(f"{LOOKS[o].sign} {o.value}" for o in shown), "shares"), rows, numbers=len(shown)) + "</section>"


def _row(area: str, counted: Mapping[str, int], shown: Sequence[Outcome]) -> str:
    cells = "".join(
        f'<td class="n"><span class="v {LOOKS[o].style or "none"}">{counted[o]:,}</span></td>'
        if counted.get(o)
        else '<td class="n zero">0</td>'
        for o in shown
    )
    return f'<tr><th scope="row">{area}</th>{cells}<td class="shares">{share_bar(styles(counted))}</td></tr>'


def _findings(
    findings: Sequence[Mapping[str, Any]],
    report: Sequence[Mapping[str, Any]],
    exchanges: Mapping[int, Mapping[str, Any]],
    header: Mapping[str, Any],
) -> Iterator[str]:
    """Return the findings of a section by cause, the gravest first: one of each cause is open, the others are folded."""
    by_id = {result["requirement"]: result for result in findings}
    for cause in (line for line in report if line["line"] == "cause"):
        shown = [by_id.pop(requirement) for requirement in cause["requirements"] if requirement in by_id]
        if not shown:
            continue
        yield f'<div class="cause" id="cause-{cause["number"]}"><h3>Cause {cause["number"]}: {escape(cause["severity"])}</h3>'
        yield f"<p>{escape(cause['title'])}</p>{_finding(shown[0], exchanges, header)}"
        if len(shown) > 1:
            yield f"<details><summary>{plural(len(shown) - 1, 'further requirement')} with this cause</summary>"
            yield from (_finding(result, exchanges, header) for result in shown[1:])
            yield "</details>"
        yield "</div>"
    yield from (_finding(result, exchanges, header) for result in by_id.values())


def _finding(result: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]], header: Mapping[str, Any]) -> str:
    look = LOOKS[Outcome(result["outcome"])]
    verdict = next(v for v in result["verdicts"] if v["outcome"] == result["outcome"])
    again = sum(v["outcome"] == result["outcome"] for v in result["verdicts"]) - 1
    shown = {
        "request": judged_request(verdict, exchanges),
        "expected": verdict.get("expected"),
        "actual": verdict.get("actual"),
        "cases": cases(verdict),
    }
    terms = {name: f"<code>{escape(text)}</code>" for name, text in shown.items() if text}
    if verdict.get("remark") and verdict["remark"] != verdict.get("actual"):
        terms["remark"] = escape(verdict["remark"])
    if result["interpretation"]:
        terms["interpretation"] = escape(result["interpretation"])
    for correction in result["corrections"]:
        terms[f"correction {escape(correction['id'])}"] = f"{escape(correction['sentence'])} ({escape(correction['effect'])})"
    terms["check"] = f"<code>{escape(verdict['check'])}</code>" + (f", and {again} more" if again else "")
    listed = "".join(f"<dt>{name}</dt><dd>{said}</dd>" for name, said in terms.items())
    sent = [exchanges[n] for n in verdict.get("exchanges", ()) if n in exchanges]
    return (
        f'<article class="{look.style}" id="{escape(result["requirement"])}"><h3>{escape(result["requirement"])} '
        f'<span class="v {look.style}">{look.sign} {escape(result["level"])}</span></h3><p>{escape(result["sentence"])}</p>'
        f'<p class="clause">{escape(header["contract"])} {escape(header["version"])} {escape(result["clause"])}'
        f" · {escape(result['area'])}</p>"
        f"<dl>{listed}</dl>{_evidence(sent)}</article>"
    )


def _evidence(sent: Sequence[Mapping[str, Any]]) -> str:
    """Return the requests that lead to a finding, the last one with its answer."""
    if not sent:
        return ""
    last, before = sent[-1], sent[:-1]
    left_out = len(before) - SHOWN_CURLS
    curls = f"# {left_out} earlier requests are in the JSON lines\n" if left_out > 0 else ""
    curls += "\n".join(exchange["curl"] for exchange in before[-SHOWN_CURLS:])
    many = "the request" if len(before) == 1 else f"{len(before)} requests"
    requests = f'<details><summary>{many} before it</summary><pre tabindex="0">{html_lines(curls)}</pre></details>' if before else ""
    requests += f'<pre tabindex="0">{escape(last["curl"])}</pre>'
    status = last["response"]["status"] or "none came"
    body = f'<pre tabindex="0">{html_lines(_beginning(last["response"]["body"]))}</pre>' if last["response"]["body"] else "<p>No body.</p>"
    return f"{requests}<details><summary>the last answer: {status}</summary>{body}</details>"


def _absent(absent: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]], header: Mapping[str, Any]) -> Iterator[str]:
    """Return the requirements that were not offered, by reason."""
    if not absent:
        return
    yield f'<section id="absent"><h2>Not offered ({len(absent)})</h2>'
    yield '<p class="lead">Requirements about operations or features that the target does not declare, or that no answer concerned.'
    yield " They do not count as failures.</p>"
    missing = sorted({o for r in results for o in r["operations"]} - set(header["operations"]))
    if missing and header["operations"]:
        yield f"<p>Operations that are not declared: {', '.join(f'<code>{escape(o)}</code>' for o in missing)}.</p>"
    by_reason: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for result in absent:
        reasons = (v["remark"] for v in result["verdicts"] if v["outcome"] == Outcome.NOT_OFFERED and v.get("remark"))
        by_reason[next(reasons, "no reason recorded")].append(result)
    for reason, listed in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        items = "".join(f"<li><code>{escape(r['requirement'])}</code> {escape(r['sentence'])}</li>" for r in listed)
        yield f"<details><summary>{escape(reason)} ({len(listed)})</summary><ul>{items}</ul></details>"
    yield "</section>"


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


def _beginning(body: str) -> str:
    return body if len(body) <= SHOWN_BODY else f"{body[:SHOWN_BODY]}…"
