"""The report as Markdown, for a ticket or a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.campaign.analysis.findings import VERDICTS
from lakepact.conformance.campaign.reporting.facts import INTERRUPTED, KINDS, MOST, QUIET
from lakepact.conformance.evidence.escaping import code, plain
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.report.style import SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lakepact.conformance.campaign.reporting.facts import Facts


def markdown(facts: Facts) -> str:
    """Return the whole report."""
    return "\n".join(_lines(facts)) + "\n"


def compared(facts: Facts) -> Iterator[str]:
    """Yield the lines that compare the targets: what each does not keep, and where they answer differently."""
    plan = facts.run["plan"]
    yield f"{facts.title}: {plan['cases']} cases of {plan['operations']} operations\n"
    yield from (f"- {md(target['name'])}: {code(target['url'])}" for target in facts.run["targets"])
    yield from _findings(facts)
    yield from _divergences(facts)


def _lines(facts: Facts) -> Iterator[str]:
    plan = facts.run["plan"]
    yield f"# Campaign {facts.run['run_id']}: {facts.title}\n"
    yield f"{plan['cases']} cases of {plan['operations']} operations, {len(facts.targets)} targets; the run is {facts.status}.\n"
    yield from (f"- {md(target['name'])}: {code(target['url'])}" for target in facts.run["targets"])
    if facts.interrupted:
        yield f"- {facts.interrupted} {INTERRUPTED}"
    yield "\n## Requirements\n"
    yield from _counts("target", facts.verdicts, columns=tuple(VERDICTS))
    yield f"\n{len(facts.matrix)} requirements were judged; of {facts.untouched} that invariants judge no exchange shows anything.\n"
    yield from _table(("area", *facts.targets), _areas(facts))
    yield "\nPassed, of those that were judged. Failed or undecided:\n"
    yield from _table(("requirement", *facts.targets), _broken_rows(facts))
    yield from _findings(facts)
    yield from _divergences(facts)
    if facts.compared:
        yield "\n## Since the other run\n"
        found = [
            (r["kind"], r["target"], r["requirement_id"], f"{r['before']} → {r['after']}", r["cases"], r["first_case_id"])
            for r in facts.regressions
        ]
        head = ("what", "target", "requirement", "before → after", "cases", "first")
        yield from _table(head, found[:MOST]) if found else ("Nothing changed.",)
        if len(found) > MOST:
            yield f"\n… and {len(found) - MOST} more in the table `regressions`."
    yield "\n## Latencies\n"
    if facts.latencies:
        yield "One request on its way at a time; microseconds.\n"
        rows = [(r["operation_id"], r["target"], r["exchanges"], r["p50_us"], r["p95_us"], r["p99_us"]) for r in facts.latencies]
        yield from _table(("operation", "target", "answers", "median", "95 %", "99 %"), sorted(rows))
    else:
        yield QUIET
    yield "\n## How far the cases came\n"
    yield from _counts("target", facts.states)


def _areas(facts: Facts) -> Iterator[Sequence[object]]:
    for area, requirements in facts.areas.items():
        cells = []
        for target in facts.targets:
            said = [verdict for r in requirements if (verdict := facts.matrix[r.id].get(target))]
            cells.append(f"{said.count('pass')} / {len(said)}" if said else "·")
        yield (area, *cells)


def _broken_rows(facts: Facts) -> Iterator[Sequence[object]]:
    for requirement, by_target in facts.matrix.items():
        if set(by_target.values()) != {"pass"}:
            said = (by_target.get(target, "") for target in facts.targets)
            yield (requirement, *(f"{SIGNS[verdict]} {verdict}".strip() for verdict in said))


def _findings(facts: Facts) -> Iterator[str]:
    yield "\n## Broken requirements\n"
    if not facts.findings:
        yield "Nothing was found."
    for finding in facts.findings:
        yield f"### {finding.requirement.id} ({finding.requirement.level})\n"
        yield f"{md(finding.requirement.sentence)} Clause: {code(finding.clause)}\n"
        for one in finding.shown:
            yield f"- **{md(one.target)}**: {one.verdict}, {one.failed} times in {one.cases} cases, first {code(one.case_id)}"
            yield f"  - expected: {code(one.expected)}"
            yield f"  - observed: {code(one.observed)}"
            if one.curl:
                yield f"\n```sh\n{plain(one.curl)}\n```\n"
    if facts.left_out:
        yield f"\n… and {facts.left_out} more in the table `coverage`."


def _divergences(facts: Facts) -> Iterator[str]:
    yield "\n## Divergences\n"
    yield "Cases that targets answer differently, by the coarsest class in which they do, names, times and places taken out.\n"
    if not facts.divergences:
        yield "None."
        return
    counts = {operation: {**row, "unexplained": facts.unexplained.get(operation, 0)} for operation, row in facts.divergences.items()}
    yield from _counts("operation", counts, columns=(*KINDS, "unexplained"))
    yield ""
    rows = []
    for e in facts.examples:
        groups = " ≠ ".join(f"{', '.join(targets)}{': ' if said else ''}{said}" for targets, said in e.groups)
        rows.append((e.operation, e.kind, "; ".join((groups, *e.differences)), e.case_id, ", ".join(e.requirements) or "—"))
    yield from _table(("operation", "class", "who answers what", "case", "broken in it"), rows)


def _counts(first: str, counts: Mapping[str, Mapping[str, int]], columns: Sequence[str] = ()) -> Iterator[str]:
    named = columns or sorted({column for row in counts.values() for column in row})
    yield from _table((first, *named), ((name, *(row.get(column, 0) for column in named)) for name, row in counts.items()))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield "| " + " | ".join(map(md, head)) + " |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(map(md, row)) + " |"
