"""The report as Markdown, for a ticket or a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.campaign.analysis import VERDICTS
from lakepact.conformance.campaign.report.facts import INTERRUPTED, KINDS, MOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.conformance.campaign.report.facts import Facts


def markdown(facts: Facts) -> str:
    """The whole report."""
    return "\n".join(_lines(facts)) + "\n"


def _lines(facts: Facts) -> Iterator[str]:
    plan = facts.run["plan"]
    yield f"# Campaign {facts.run['run_id']}: {facts.title}\n"
    yield f"{plan['cases']} cases of {plan['operations']} operations, {len(facts.targets)} targets; the run is {facts.run['status']}.\n"
    yield from (f"- {target['name']}: `{target['url']}`" for target in facts.run["targets"])
    if facts.interrupted:
        yield f"- {facts.interrupted} {INTERRUPTED}"
    yield "\n## How far the cases came\n"
    yield from _counts("target", facts.states)
    yield "\n## Requirements\n"
    yield from _counts("target", facts.verdicts, columns=tuple(VERDICTS))
    yield f"\n{len(facts.matrix)} requirements were judged; of {facts.untouched} that laws judge no exchange shows anything.\n"
    yield from _table(("requirement", *facts.targets), _broken_rows(facts))
    yield from _findings(facts)
    yield "\n## Divergences\n"
    yield "Cases that targets answer differently, by the coarsest class in which they do, names, times and places taken out.\n"
    if facts.divergences:
        yield from _counts("operation", facts.divergences, columns=KINDS)
        yield ""
        shown = ("operation", "class", "case", *facts.targets)
        rows = (
            (e["operation_id"], e["kind"], e["case_id"], *(e["observations"].get(t, "") for t in facts.targets)) for e in facts.examples
        )
        yield from _table(shown, rows)
    else:
        yield "None."
    if facts.compared:
        yield "\n## Since the other run\n"
        found = [(r["kind"], r["target"], r["requirement_id"], r["case_id"], r["before"], r["after"]) for r in facts.regressions]
        yield from _table(("what", "target", "requirement", "case", "before", "after"), found[:MOST]) if found else ("Nothing changed.",)
        if len(found) > MOST:
            yield f"\n… and {len(found) - MOST} more in the table `regressions`."


def _broken_rows(facts: Facts) -> Iterator[Sequence[str]]:
    for requirement, by_target in facts.matrix.items():
        if set(by_target.values()) != {"pass"}:
            yield (requirement, *(by_target.get(target, "·") for target in facts.targets))


def _findings(facts: Facts) -> Iterator[str]:
    yield "\n## What is not kept\n"
    if not facts.findings:
        yield "Nothing was found."
    for finding in facts.findings:
        yield f"### {finding.target}: {finding.requirement} ({finding.level})\n"
        yield f"{finding.says}\n"
        yield f"- {finding.verdict} in {finding.failed} of {finding.cases} cases, first `{finding.case_id}`"
        yield f"- expected: {_code(finding.expected)}"
        yield f"- observed: {_code(finding.observed)}"
        yield f"- clause: `{finding.clause}`"
        if finding.curl:
            yield f"\n```sh\n{finding.curl}\n```\n"
    if facts.left_out:
        yield f"\n… and {facts.left_out} more in the table `coverage`."


def _counts(first: str, counts: Mapping[str, Mapping[str, int]], columns: Sequence[str] = ()) -> Iterator[str]:
    named = columns or sorted({column for row in counts.values() for column in row})
    yield from _table((first, *named), ((name, *(str(row.get(column, 0)) for column in named)) for name, row in counts.items()))


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def _code(text: str) -> str:
    flat = " ".join(text.split())
    fence = "``" if "`" in flat else "`"
    return f"{fence} {flat} {fence}" if fence == "``" else f"`{flat}`"
