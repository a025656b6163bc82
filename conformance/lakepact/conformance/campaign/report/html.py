"""The report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lakepact.conformance.campaign.analysis import VERDICTS
from lakepact.conformance.campaign.report.facts import INTERRUPTED, KINDS, MOST
from lakepact.conformance.campaign.report.plots import COLOURS, bars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lakepact.conformance.campaign.report.facts import Facts, Finding

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881 }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 16px; max-width: 1080px }
h1 { font-size: 1.5rem; line-height: 1.2 } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
h3 { font-size: 1rem; margin: 0 0 .25rem; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: 4px 10px; border-bottom: 1px solid var(--line); white-space: nowrap }
td.n { text-align: right }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(340px, 100%), 1fr)); gap: 16px }
figure { margin: 0 } figcaption { font-weight: 600; font-size: .875rem } svg { width: 100%; max-width: 520px; height: auto; display: block }
article { border: 1px solid var(--line); border-left: 4px solid #c0392b; border-radius: 4px; padding: 12px; margin: 12px 0 }
article.warn { border-left-color: #d68910 }
dl { margin: .5rem 0; display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; font-size: .875rem }
dt { opacity: .7 } dd { margin: 0; overflow-wrap: anywhere }
pre { background: var(--soft); padding: 8px; margin: 0; overflow-x: auto; font-size: .8rem }
.fail { color: #c0392b; font-weight: 600 } .warn { color: #b9770e; font-weight: 600 } .pass { opacity: .6 }
article.warn { color: inherit; font-weight: inherit }
@media (max-width: 480px) { dl { grid-template-columns: 1fr } dd { margin-bottom: 4px } }
"""


def html(facts: Facts) -> str:
    """The whole report."""
    title = escape(f"Campaign {facts.run['run_id']}: {facts.title}")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
        + "\n".join(_parts(facts, title))
        + "\n</body></html>\n"
    )


def _parts(facts: Facts, title: str) -> Iterator[str]:
    plan = facts.run["plan"]
    yield f"<h1>{title}</h1>"
    status = escape(facts.run["status"])
    yield f"<p>{plan['cases']} cases of {plan['operations']} operations, {len(facts.targets)} targets; the run is {status}.</p>"
    yield _table(("target", "address"), ((t["name"], t["url"]) for t in facts.run["targets"]))
    if facts.interrupted:
        yield f"<p>{facts.interrupted} {INTERRUPTED}.</p>"
    yield '<div class="plots">'
    yield bars("Requirements by verdict", facts.verdicts, order=tuple(VERDICTS))
    yield bars("Answers by class of status", facts.statuses, order=("2xx", "3xx", "4xx", "5xx"))
    totals = {kind: {kind: n} for kind in KINDS if (n := sum(row.get(kind, 0) for row in facts.divergences.values()))}
    if totals:
        yield bars("Divergent cases by class", totals, order=KINDS)
    yield "</div>"
    yield "<h2>How far the cases came</h2>" + _counts("target", facts.states)
    yield "<h2>Requirements</h2>" + _counts("target", facts.verdicts, columns=tuple(VERDICTS))
    yield f"<p>{len(facts.matrix)} requirements were judged; of {facts.untouched} that laws judge no exchange shows anything.</p>"
    yield from _matrix(facts)
    yield "<h2>What is not kept</h2>"
    yield from (_finding(finding) for finding in facts.findings)
    if not facts.findings:
        yield "<p>Nothing was found.</p>"
    if facts.left_out:
        yield f"<p>… and {facts.left_out} more in the table <code>coverage</code>.</p>"
    yield from _divergences(facts)
    if facts.compared:
        yield "<h2>Since the other run</h2>"
        found = [(r["kind"], r["target"], r["requirement_id"], r["case_id"], r["before"], r["after"]) for r in facts.regressions]
        yield _table(("what", "target", "requirement", "case", "before", "after"), found[:MOST]) if found else "<p>Nothing changed.</p>"
        if len(found) > MOST:
            yield f"<p>… and {len(found) - MOST} more in the table <code>regressions</code>.</p>"


def _matrix(facts: Facts) -> Iterator[str]:
    head = ("requirement", *facts.targets)
    rows = [(requirement, *(by.get(target, "·") for target in facts.targets)) for requirement, by in facts.matrix.items()]
    broken = [row for row in rows if set(row[1:]) - {"pass", "·"}]
    if broken:
        yield _table(head, broken)
    yield f"<details><summary>All {len(rows)} requirements that were judged</summary>{_table(head, rows)}</details>"


def _finding(finding: Finding) -> str:
    said = {
        finding.verdict: f"in {finding.failed} of {finding.cases} cases, first {finding.case_id}",
        "expected": finding.expected,
        "observed": finding.observed,
        "clause": finding.clause,
    }
    terms = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in said.items())
    name = escape(f"{finding.target}: {finding.requirement} ({finding.level})")
    curl = f"<pre>{escape(finding.curl)}</pre>" if finding.curl else ""
    return f'<article class="{finding.verdict}"><h3>{name}</h3>{escape(finding.says)}<dl>{terms}</dl>{curl}</article>'


def _divergences(facts: Facts) -> Iterator[str]:
    yield "<h2>Divergences</h2>"
    yield "<p>Cases that targets answer differently, by the coarsest class in which they do, names, times and places taken out.</p>"
    if not facts.divergences:
        yield "<p>None.</p>"
        return
    yield _counts("operation", facts.divergences, columns=KINDS)
    rows = ((e["operation_id"], e["kind"], e["case_id"], *(e["observations"].get(t, "") for t in facts.targets)) for e in facts.examples)
    yield f"<h3>One case of each</h3>{_table(('operation', 'class', 'case', *facts.targets), rows)}"


def _counts(first: str, counts: Mapping[str, Mapping[str, int]], columns: Sequence[str] = ()) -> str:
    named = columns or sorted({column for row in counts.values() for column in row})
    return _table((first, *named), ((name, *(row.get(column, 0) for column in named)) for name, row in counts.items()))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: object) -> str:
    mark = ' class="n"' if isinstance(value, int) else f' class="{value}"' if value in COLOURS and value in VERDICTS else ""
    return f"<td{mark}>{escape(str(value))}</td>"
