"""The report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.campaign.analysis.findings import BAD
from lakepact.conformance.campaign.reporting.facts import INTERRUPTED, KINDS, MOST, QUIET
from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.report.page import SAYS, page, wide
from lakepact.conformance.report.plots import SHARES, ranges, ring, share_bar, stacked
from lakepact.conformance.report.style import NAMES, SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.conformance.campaign.reporting.facts import Example, Facts, Finding, Shown
    from lakepact.generated.contract import Requirement

STATUSES = {"2xx": "pass", "3xx": "a", "4xx": "warn", "5xx": "fail"}
CLASSES = {"status": "fail", "error_type": "warn", "schema": "error", "body": "a", "header": "inconclusive"}
SAID = {
    "status": "status",
    "error_type": "type of the error",
    "schema": "shape of the body",
    "body": "values in the body",
    "header": "headers",
}


def html(facts: Facts) -> str:
    """Return the whole report."""
    title = f"Campaign {facts.run['run_id']}: {facts.title}"
    return page(title, (*_top(facts), "<main>", *_parts(facts), "</main>", _end(facts)))


def _top(facts: Facts) -> Iterator[str]:
    campaign = facts.campaign
    yield '<header class="top">'
    yield '<p class="kicker">Conformance campaign</p>'
    yield f"<h1>{escape(facts.title)}</h1>"
    exchanges = sum(sum(states.values()) for states in facts.states.values())
    told = {
        "run": facts.run["run_id"],
        "of": f"{campaign['created_at']:%Y-%m-%d %H:%M} UTC",
        "cases": f"{campaign['planned_cases']:,}",
        "targets": f"{len(facts.targets)}",
        "exchanges": f"{exchanges:,}",
        "requirements judged": f"{len(facts.matrix):,}",
        "engine": f"{campaign['engine']}, {campaign['workers']} {'worker' if campaign['workers'] == 1 else 'workers'}",
    }
    items = "".join(f"<li>{escape(name)} <b>{escape(str(value))}</b></li>" for name, value in told.items())
    state = "" if facts.missing else '<li><span class="state">complete</span></li>'
    yield f'<ul class="meta">{items}{state}</ul>'
    if facts.missing:
        yield f'<p class="notice"><b>This run is {escape(facts.status)}.</b> What follows is said of what has; --resume sends the rest.</p>'
    if facts.interrupted:
        yield f'<p class="notice">{facts.interrupted} {INTERRUPTED}.</p>'
    links = {"targets": "Targets", "matrix": "Matrix", "findings": "Broken requirements", "divergences": "Divergences"}
    links |= {"since": "Since the other run"} if facts.compared else {}
    links |= {"latencies": "Latencies", "cases": "Cases"}
    yield "<nav>" + "".join(f'<a href="#{anchor}">{name}</a>' for anchor, name in links.items()) + "</nav></header>"


def _parts(facts: Facts) -> Iterator[str]:
    yield '<section id="targets"><div class="cards">'
    yield from (_card(facts, target) for target in facts.targets)
    yield "</div></section>"
    yield from _matrix(facts)
    yield from _findings(facts)
    yield from _divergences(facts)
    yield from _since(facts)
    yield from _latencies(facts)
    yield from _cases(facts)


def _card(facts: Facts, target: str) -> str:
    verdicts = facts.verdicts[target]
    judged, kept = sum(verdicts.values()), verdicts.get("pass", 0)
    url = next(t["url"] for t in facts.run["targets"] if t["name"] == target)
    tally = "".join(f'<li><span class="v {v}">{SIGNS[v]} {verdicts[v]:,} {NAMES[v]}</span></li>' for v in SHARES if verdicts.get(v))
    squares = "".join(_square(requirement, facts.matrix[requirement.id].get(target, "")) for requirement in _in_order(facts))
    contract = f" · {escape(facts.titles[facts.targets[target]])}" if len(facts.titles) > 1 else ""
    return (
        f'<div class="card"><h3>{escape(target)}</h3><p class="where">{escape(url)}{contract}</p>'
        f'<div class="big">{ring(verdicts)}<div><strong>{kept:,} of {judged:,}</strong><span>requirements pass</span></div></div>'
        f'<ul class="tally">{tally}</ul><div class="field" role="img" aria-label="one square per requirement">{squares}</div></div>'
    )


def _in_order(facts: Facts) -> Iterator[Requirement]:
    for requirements in facts.areas.values():
        yield from requirements


def _square(requirement: Requirement, verdict: str) -> str:
    return f'<i class="{verdict}" title="{escape(f"{requirement.id}: {NAMES[verdict]}")}"></i>'


def _matrix(facts: Facts) -> Iterator[str]:
    yield '<section id="matrix"><h2>Compatibility matrix</h2>'
    signs = ", ".join(f'<span class="v {verdict or "none"}">{sign}</span> {NAMES[verdict]}' for verdict, sign in SIGNS.items())
    yield f'<p class="lead">What each target keeps of the contract, area by area. {signs}.'
    if facts.untouched:
        yield f"Of {facts.untouched} more requirements that invariants judge no exchange shows anything."
    yield "</p>"
    for area, requirements in facts.areas.items():
        counts = {target: _counts_of(facts, requirements, target) for target in facts.targets}
        bars = "".join(
            f'<div><span title="{escape(target)}">{escape(target)}</span>{share_bar(row)}<span>{row.get("pass", 0)} / {judged}</span></div>'
            for target, row in counts.items()
            if (judged := sum(row.values()))
        )
        head = ("requirement", *facts.targets, SAYS)
        broken = [r for r in requirements if set(facts.matrix[r.id].values()) & set(BAD)]
        others = [r for r in requirements if r not in broken]
        shown = ""
        for name, some in (("", broken), (f"{len(others)} others" if broken else "", others)):
            if some:
                table = wide(head, [_matrix_row(facts, requirement) for requirement in some], centred=len(facts.targets))
                shown += f"<details><summary>{name}</summary>{table}</details>" if name else table
        summary = f'<summary><b>{escape(area)}</b><span class="bars">{bars}</span></summary>'
        yield f'<details class="area"{" open" if broken else ""}>{summary}{shown}</details>'
    yield "</section>"


def _counts_of(facts: Facts, requirements: Sequence[Requirement], target: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for requirement in requirements:
        if verdict := facts.matrix[requirement.id].get(target):
            counts[verdict] = counts.get(verdict, 0) + 1
    return counts


def _matrix_row(facts: Facts, requirement: Requirement) -> str:
    cells = "".join(f'<td class="c">{_sign(facts.matrix[requirement.id].get(target, ""))}</td>' for target in facts.targets)
    sentence = escape(requirement.sentence)  # beneath the id where there is no room beside it
    return f'<tr><th scope="row">{escape(requirement.id)}<small>{sentence}</small></th>{cells}<td class="says">{sentence}</td></tr>'


def _sign(verdict: str) -> str:
    return f'<span class="v {verdict or "none"}" title="{NAMES[verdict]}">{SIGNS[verdict]}</span>'


def _findings(facts: Facts) -> Iterator[str]:
    yield '<section id="findings"><h2>What is not kept</h2>'
    if facts.findings:
        yield '<p class="lead">Each requirement once, with the first case of each target that shows it.</p>'
        yield from (_finding(finding) for finding in facts.findings)
    else:
        yield "<p>Nothing was found.</p>"
    if facts.left_out:
        yield f"<p>… and {facts.left_out} more in the table <code>coverage</code>.</p>"
    yield "</section>"


def _finding(finding: Finding) -> str:
    requirement = finding.requirement
    name = f"<h3>{escape(requirement.id)} <span class='v {finding.worst}'>{escape(requirement.level)}</span></h3>"
    clause = f'<p class="clause">{escape(finding.clause)}</p>'
    shown = "".join(_shown(one, alone=len(finding.shown) == 1) for one in finding.shown)
    return f'<article class="{finding.worst}">{name}<p>{escape(requirement.sentence)}</p>{clause}{shown}</article>'


def _shown(one: Shown, *, alone: bool) -> str:
    many = f"{one.failed:,} {'time' if one.failed == 1 else 'times'} in {one.cases:,} {'case' if one.cases == 1 else 'cases'}"
    said = {"expected": one.expected, "observed": one.observed}
    terms = "".join(f"<dt>{term}</dt><dd><code>{escape(text)}</code></dd>" for term, text in said.items() if text)
    terms += f"<dt>first case</dt><dd><code>{escape(one.case_id)}</code></dd>"
    curl = f'<pre tabindex="0">{escape(one.curl)}</pre>' if one.curl else ""
    summary = f'<summary><span class="v {one.verdict}">{SIGNS[one.verdict]} {escape(one.target)}</span> {many}</summary>'
    return f"<details{' open' if alone else ''}>{summary}<dl>{terms}</dl>{curl}</details>"


def _divergences(facts: Facts) -> Iterator[str]:
    yield '<section id="divergences"><h2>Divergences</h2>'
    yield '<p class="lead">Cases that targets answer differently once names, UUIDs, times and places are taken out, each counted in the'
    yield "coarsest class that differs. Different is not wrong: the last column counts those in which nothing is seen to be broken.</p>"
    if not facts.divergences:
        yield "<p>None: wherever several targets were asked the same, they answered alike.</p></section>"
        return
    kinds = [kind for kind in KINDS if any(row.get(kind) for row in facts.divergences.values())]
    most = max(max(row.values()) for row in facts.divergences.values())
    rows = []
    for operation, row in sorted(facts.divergences.items(), key=lambda item: -sum(item[1].values())):
        cells = "".join(_heat(row.get(kind, 0), most) for kind in kinds)
        unexplained = facts.unexplained.get(operation, 0)
        rest = f'<td class="n{"" if unexplained else " zero"}">{unexplained:,}</td>'
        rows.append(f'<tr><th scope="row">{escape(operation)}</th>{cells}{rest}</tr>')
    yield wide(("operation", *(SAID[kind] for kind in kinds), "unexplained"), rows, numbers=len(kinds) + 1)
    yield "<h3>One case of each</h3>"
    head = ("operation", "differs in", "who answers what", "case", "broken in it")
    yield wide(head, [_example(example) for example in facts.examples])
    yield "</section>"


def _heat(count: int, most: int) -> str:
    return f'<td class="heat" style="--h:{(count / most) ** 0.5:.2f}">{count:,}</td>' if count else '<td class="n zero">0</td>'


def _example(example: Example) -> str:
    groups = "<br>".join(f"{escape(', '.join(targets))}{': ' if said else ''}{escape(said)}" for targets, said in example.groups)
    different = "".join(f"<br><code>{escape(one)}</code>" for one in example.differences)
    cells = (
        escape(SAID[example.kind]),
        groups + different,
        f"<code>{escape(example.case_id[:12])}…</code>",
        escape(", ".join(example.requirements)) or "—",
    )
    return f'<tr><th scope="row">{escape(example.operation)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _since(facts: Facts) -> Iterator[str]:
    if not facts.compared:
        return
    yield '<section id="since"><h2>Since the other run</h2>'
    if not facts.regressions:
        yield "<p>Nothing changed.</p></section>"
        return
    rows = []
    for row in facts.regressions[:MOST]:
        change = f"{_sign(row['before'])} → {_sign(row['after'])}"
        cells = (
            escape(row["target"]),
            escape(row["requirement_id"]),
            change,
            f"{row['cases']:,}",
            f"<code>{escape(row['first_case_id'][:12])}…</code>",
        )
        rows.append(f'<tr><th scope="row">{escape(row["kind"])}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
    yield wide(("what", "target", "requirement", "before → after", "cases", "first"), rows)
    if len(facts.regressions) > MOST:
        yield f"<p>… and {len(facts.regressions) - MOST} more in the table <code>regressions</code>.</p>"
    yield "</section>"


def _latencies(facts: Facts) -> Iterator[str]:
    yield '<section id="latencies"><h2>Latencies</h2>'
    if facts.latencies:
        yield '<p class="lead">From the request to the end of the answer, one request on its way at a time.</p>'
        yield ranges("By operation and target", facts.latencies, tuple(facts.targets))
    else:
        yield f'<p class="lead">{QUIET}</p>'
    yield "</section>"


def _cases(facts: Facts) -> Iterator[str]:
    yield '<section id="cases"><h2>How far the cases came</h2><div class="plots">'
    yield stacked("Answers by class of status", facts.statuses, STATUSES)
    totals = {SAID[kind]: {kind: n} for kind in KINDS if (n := sum(row.get(kind, 0) for row in facts.divergences.values()))}
    if totals:
        yield stacked("Divergences by class", totals, CLASSES)
    yield "</div>"
    named = sorted({state for states in facts.states.values() for state in states}, key=lambda state: (state != "answered", state))
    rows = [
        f'<tr><th scope="row">{escape(target)}</th>{"".join(_count(states.get(state, 0)) for state in named)}</tr>'
        for target, states in facts.states.items()
    ]
    yield wide(("target", *named), rows, numbers=len(named)) + "</section>"


def _count(count: int) -> str:
    return f'<td class="n{"" if count else " zero"}">{count:,}</td>'


def _end(facts: Facts) -> str:
    campaign: Mapping[str, object] = facts.campaign
    return (
        "<footer><p>Every figure comes from a Parquet table beside this page. "
        "One case again: <code>lakepact campaign replay --run RUN --case CASE --target NAME</code>.</p>"
        f"<p>lakepact {escape(str(campaign['lakepact']))}, judges <code>{escape(str(campaign['judge']))}</code>, "
        f"Python {escape(str(campaign['python']))}.</p></footer>"
    )
