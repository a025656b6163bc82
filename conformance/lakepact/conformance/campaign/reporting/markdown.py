"""The report as Markdown, for a ticket or a repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lakepact.conformance.campaign.analysis.findings import VERDICTS
from lakepact.conformance.campaign.reporting.facts import INTERRUPTED, MOST, Facts
from lakepact.conformance.campaign.reporting.sections import Section, cause, counts, others
from lakepact.conformance.evidence.escaping import code, code_block
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.report.looks import OF_CAMPAIGNS
from lakepact.conformance.report.markdown import table


def markdown(facts: Facts) -> str:
    """Return the whole report."""
    return "\n".join(_lines(facts)) + "\n"


def _lines(facts: Facts) -> Iterator[str]:
    plan = facts.run["plan"]
    yield f"# Campaign {facts.run['run_id']}: {facts.title}\n"
    yield from _causes(facts) if len(facts.targets) > 1 else ()
    yield f"{plan['cases']} cases, {len(facts.targets)} targets; the run is {facts.status}.\n"
    yield from (f"- {md(target['name'])}: {code(target['url'])}" for target in facts.run["targets"])
    if facts.interruptions:
        yield f"- {facts.interruptions} {INTERRUPTED}"
    yield "\n## Requirements\n"
    yield from _table(*counts(facts.verdicts, tuple(VERDICTS)))
    yield (
        f"\n{len(facts.matrix)} requirements were judged; of {facts.open_requirements} that invariants"
        " judge no exchange shows anything.\n"
    )
    yield from _table(("area", *facts.targets), _areas(facts))
    yield "\nPassed, of those that were judged. Failed or undecided:\n"
    yield from _table(("requirement", *facts.targets), _failing_rows(facts))
    yield from _findings(facts)
    for section in others(facts):
        yield from _section(section)


def _causes(facts: Facts) -> Iterator[str]:
    yield "## Causes of divergences\n" if facts.causes else "## No divergences\n"
    for number, each in enumerate(facts.causes[:MOST], start=1):
        yield f"### {number}. {md(each.heading)}\n"
        for label, lines in cause(each):
            yield from (
                (
                    f"{md(label)}:\n",
                    *code_block(lines, "sh" if lines[-1].startswith("curl") else "text"),
                    "",
                )
                if lines
                else ()
            )


def _areas(facts: Facts) -> Iterator[Sequence[object]]:
    for area, requirements in facts.areas.items():
        cells = []
        for target in facts.targets:
            verdicts = [
                verdict for r in requirements if (verdict := facts.matrix[r.id].get(target))
            ]
            cells.append(f"{verdicts.count('pass')} / {len(verdicts)}" if verdicts else "·")
        yield (area, *cells)


def _failing_rows(facts: Facts) -> Iterator[Sequence[object]]:
    for requirement, by_target in facts.matrix.items():
        if set(by_target.values()) != {"pass"}:
            verdicts = (by_target.get(target, "") for target in facts.targets)
            yield (
                requirement,
                *(f"{OF_CAMPAIGNS[verdict].sign} {verdict}".strip() for verdict in verdicts),
            )


def _findings(facts: Facts) -> Iterator[str]:
    yield "\n## Broken requirements\n"
    if not facts.findings:
        yield "Nothing was found."
    for finding in facts.findings:
        yield f"### {finding.requirement.id} ({finding.requirement.level})\n"
        yield f"{md(finding.requirement.sentence)} Clause: {code(finding.clause)}\n"
        for one in finding.evidence:
            yield (
                f"- **{md(one.target)}**: {one.verdict}, {one.failures} times in {one.cases} cases,"
                f" first {code(one.case_id)}"
            )
            yield f"  - expected: {code(one.expected)}"
            yield f"  - observed: {code(one.actual)}"
            yield from ("", *code_block([one.curl], "sh"), "") if one.curl else ()
    if facts.left_out:
        yield f"\n… and {facts.left_out} more in the table `coverage`."


def _section(section: Section) -> Iterator[str]:
    yield f"\n## {section.heading}\n"
    yield md(section.lead)
    for head, rows in section.tables:
        yield ""
        yield from _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    return table([*map(md, head)], ([*map(md, row)] for row in rows))
