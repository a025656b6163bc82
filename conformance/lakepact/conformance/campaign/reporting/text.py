"""The comparison of targets for a terminal: the causes of divergences, the gravest first, and what
each target breaks.
"""

from __future__ import annotations

from rich.console import Console

from lakepact.conformance.campaign.reporting.facts import Facts
from lakepact.conformance.campaign.reporting.sections import cause
from lakepact.conformance.evidence.escaping import terminal
from lakepact.conformance.report.causes import plural

SHOWN = 4  #: causes that are shown in full
COLOURS = {"status": "bold red", "error_type": "red", "body": "bold red", "header": "yellow"}


def show(facts: Facts, console: Console) -> None:
    """Print the comparison."""

    def say(text: str) -> None:
        console.print(text, soft_wrap=True, highlight=False)

    for number, each in enumerate(facts.causes, start=1):
        say(f"[{COLOURS[each.way.kind]}]CAUSE {number}[/]  {terminal(each.heading)}")
        for label, lines in cause(each) if number <= SHOWN else ():
            for line, text in enumerate(lines):
                mark = "bold" if label == "answers" and text.startswith("!") else "not bold"
                say(
                    "     "
                    f" [dim]{terminal('' if line else label):<10}[/][{mark}]{terminal(text)}[/]"
                )
        if number <= SHOWN:
            say("")
    for finding in facts.findings:
        failures = ", ".join(f"{one.verdict} {one.target}" for one in finding.evidence)
        say(
            f"[bold]{finding.requirement.id}[/]  {terminal(failures)} "
            f" [dim]{terminal(finding.requirement.sentence)}[/]"
        )
    plan = facts.run["plan"]
    verdict = (
        plural(len(facts.causes), "cause") + " of divergences" if facts.causes else "no divergences"
    )
    say(
        f"[{'bold red' if facts.causes else 'bold green'}]{verdict}[/]  {terminal(facts.title)},"
        f" {plural(plan['cases'], 'case')}"
    )
    for target in facts.run["targets"]:
        say(f"[dim]{terminal(target['name'])}  {terminal(target['url'])}[/]")
