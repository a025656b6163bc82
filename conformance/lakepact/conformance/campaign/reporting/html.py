"""The report as one HTML file that needs nothing else: no script, no font, no picture from
elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lakepact.conformance.campaign.analysis.findings import BAD
from lakepact.conformance.campaign.reporting.causes import Cause
from lakepact.conformance.campaign.reporting.facts import INTERRUPTED, MOST, Facts, Finding, Shown
from lakepact.conformance.campaign.reporting.sections import cause, others
from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.evidence.escaping import html_lines
from lakepact.conformance.report.looks import OF_CAMPAIGNS, Look
from lakepact.conformance.report.page import (
    SAYS,
    card,
    chip,
    page,
    plain_table,
    section,
    share_bar,
    top,
    wide,
)
from lakepact.generated.contract import Requirement


def html(facts: Facts) -> str:
    """Return the whole report."""
    sections = others(facts)
    links = {"targets": "Targets", "matrix": "Matrix", "findings": "Broken requirements"}
    links |= {each.anchor: each.heading for each in sections}
    links = {**({"causes": "Causes of divergences"} if len(facts.targets) > 1 else {}), **links}
    parts = [_top(facts, links), "<main>", *(_causes(facts) if len(facts.targets) > 1 else ())]
    parts += [
        '<section id="targets"><div class="cards">',
        *(_card(facts, target) for target in facts.targets),
    ]
    parts += ["</div></section>", *_matrix(facts), *_findings(facts)]
    for each in sections:
        tables = [plain_table(head, rows) for head, rows in each.tables]
        parts += section(each.anchor, each.heading, tables, lead=each.lead)
    return page(f"Campaign {facts.run['run_id']}: {facts.title}", (*parts, "</main>", _end(facts)))


def _top(facts: Facts, links: Mapping[str, str]) -> str:
    campaign = facts.campaign
    exchanges = sum(sum(states.values()) for states in facts.states.values())
    terms = {
        "run": facts.run["run_id"],
        "of": f"{campaign['created_at']:%Y-%m-%d %H:%M} UTC",
        "cases": f"{campaign['planned_cases']:,}",
        "targets": f"{len(facts.targets)}",
        "exchanges": f"{exchanges:,}",
        "requirements judged": f"{len(facts.matrix):,}",
        "engine": (
            f"{campaign['engine']}, {campaign['workers']}"
            f" {'worker' if campaign['workers'] == 1 else 'workers'}"
        ),
        **({} if facts.missing else {"state": "complete"}),
    }
    notices = []
    if facts.missing:
        notices.append(
            f"<b>This run is {escape(facts.status)}.</b> The report covers what has; --resume sends"
            " the rest."
        )
    if facts.interruptions:
        notices.append(f"{facts.interruptions} {INTERRUPTED}.")
    return top("Conformance campaign", escape(facts.title), terms, notices=notices, links=links)


def _causes(facts: Facts) -> Iterator[str]:
    lead = "The gravest first." if facts.causes else "No divergences."
    return section(
        "causes", "Causes of divergences", [_cause(each) for each in facts.causes[:MOST]], lead=lead
    )


def _cause(each: Cause) -> str:
    parts = (
        f"<dt>{escape(label)}</dt><dd><pre>{html_lines(chr(10).join(lines))}</pre></dd>"
        for label, lines in cause(each)
        if lines
    )
    return f"<details><summary>{escape(each.heading)}</summary><dl>{''.join(parts)}</dl></details>"


def _card(facts: Facts, target: str) -> str:
    url = next(t["url"] for t in facts.run["targets"] if t["name"] == target)
    contract = f" · {escape(facts.titles[facts.targets[target]])}" if len(facts.titles) > 1 else ""
    where = f'<p class="where">{escape(url)}{contract}</p>'
    return card(escape(target), where, _looks(facts.verdicts[target]))


def _looks(counts: Mapping[str, int]) -> dict[Look, int]:
    return {look: counts[verdict] for verdict, look in OF_CAMPAIGNS.items() if counts.get(verdict)}


def _matrix(facts: Facts) -> Iterator[str]:
    yield '<section id="matrix"><h2>Compatibility matrix</h2>'
    signs = ", ".join(chip(look, look.sentence) for look in OF_CAMPAIGNS.values())
    yield f'<p class="lead">Requirements of each area that each target passes. {signs}.'
    if facts.open_requirements:
        yield (
            f"Of {facts.open_requirements} more requirements that invariants judge no exchange shows"
            " anything."
        )
    yield "</p>"
    for area, requirements in facts.areas.items():
        verdicts = {
            target: [v for r in requirements if (v := facts.matrix[r.id].get(target))]
            for target in facts.targets
        }
        bars = "".join(_bar(target, marks) for target, marks in verdicts.items() if marks)
        failing = [r for r in requirements if set(facts.matrix[r.id].values()) & set(BAD)]
        rest = [r for r in requirements if r not in failing]
        body = _area(facts, failing) if failing else _area(facts, rest)
        if failing and rest:
            body += f"<details><summary>{len(rest)} others</summary>{_area(facts, rest)}</details>"
        summary = f'<summary><b>{escape(area)}</b><span class="bars">{bars}</span></summary>'
        yield f'<details class="area"{" open" if failing else ""}>{summary}{body}</details>'
    yield "</section>"


def _bar(target: str, verdicts: Sequence[str]) -> str:
    name, ratio = escape(target), f"{verdicts.count('pass')} / {len(verdicts)}"
    return (
        "<div><span"
        f' title="{name}">{name}</span>{share_bar(_looks(Counter(verdicts)))}<span>{ratio}</span></div>'
    )


def _area(facts: Facts, requirements: Sequence[Requirement]) -> str:
    rows = [_matrix_row(facts, requirement) for requirement in requirements]
    return wide(("requirement", *facts.targets, SAYS), rows, ["c"] * len(facts.targets))


def _matrix_row(facts: Facts, requirement: Requirement) -> str:
    looks = (OF_CAMPAIGNS[facts.matrix[requirement.id].get(target, "")] for target in facts.targets)
    cells = "".join(f'<td class="c">{chip(look, title=look.sentence)}</td>' for look in looks)
    sentence = escape(requirement.sentence)  # beneath the id where there is no room beside it
    return (
        f'<tr><th scope="row">{escape(requirement.id)}<small>{sentence}</small></th>{cells}<td'
        f' class="says">{sentence}</td></tr>'
    )


def _findings(facts: Facts) -> Iterator[str]:
    lead = (
        "Each requirement once, with the first case of each target that shows it."
        if facts.findings
        else "Nothing was found."
    )
    more = (
        [f"<p>… and {facts.left_out} more in the table <code>coverage</code>.</p>"]
        if facts.left_out
        else []
    )
    return section(
        "findings", "Broken requirements", [*map(_finding, facts.findings), *more], lead=lead
    )


def _finding(finding: Finding) -> str:
    requirement = finding.requirement
    name = (
        f"<h3>{escape(requirement.id)} {chip(OF_CAMPAIGNS[finding.worst], requirement.level)}</h3>"
    )
    clause = f'<p class="clause">{escape(finding.clause)}</p>'
    details = "".join(_evidence(one, alone=len(finding.evidence) == 1) for one in finding.evidence)
    return (
        "<article"
        f' class="{finding.worst}">{name}<p>{escape(requirement.sentence)}</p>{clause}{details}</article>'
    )


def _evidence(one: Shown, *, alone: bool) -> str:
    many = (
        f"{one.failures:,} {'time' if one.failures == 1 else 'times'} in {one.cases:,}"
        f" {'case' if one.cases == 1 else 'cases'}"
    )
    texts = {"expected": one.expected, "observed": one.actual}
    terms = "".join(
        f"<dt>{term}</dt><dd><code>{escape(text)}</code></dd>"
        for term, text in texts.items()
        if text
    )
    terms += f"<dt>first case</dt><dd><code>{escape(one.case_id)}</code></dd>"
    curl = f'<pre tabindex="0">{escape(one.curl)}</pre>' if one.curl else ""
    summary = f"<summary>{chip(OF_CAMPAIGNS[one.verdict], one.target)} {many}</summary>"
    return f"<details{' open' if alone else ''}>{summary}<dl>{terms}</dl>{curl}</details>"


def _end(facts: Facts) -> str:
    campaign: Mapping[str, object] = facts.campaign
    return (
        "<footer><p>Every figure comes from a Parquet table beside this page. One case again:"
        " <code>lakepact campaign replay --run RUN --case CASE --target"
        f" NAME</code>.</p><p>lakepact {escape(str(campaign['lakepact']))}, judges"
        f" <code>{escape(str(campaign['judge']))}</code>, Python"
        f" {escape(str(campaign['python']))}.</p></footer>"
    )
