"""Pages of the docs site: the requirements of every contract by area, with clauses, interpretations, checks and mutants."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import mutants
from lakepact.conformance.evidence.escaping import code
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.escaping import markdown_sentence as sentence
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, contracts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakepact.conformance.running.suite import Suite
    from lakepact.generated.contract import Requirement

FOLDER = "requirements"
BASIS = {
    "text": "the contract's text",
    "schema": "the contract's schema",
    "implied": "implied by the contract",
    "our-interpretation": "our interpretation of an ambiguous clause",
}
#: Contracts and their versions, each with pages of what it adds to the version before.
VERSIONS = [(name, version) for name in contracts() for version in Contract(name).versions]


def pages() -> dict[str, str]:
    """Return the text of each page by its path."""
    found: dict[str, str] = {}
    index = [
        "# Requirements\n",
        "Each page lists the requirements of an area: the sentence that is checked, its clause, and the checks and mutants.",
    ]
    for name, version in VERSIONS:
        areas = _areas(name, version)
        index.append(f"\n## {md(Contract(name, version).title)} {md(version)}\n")
        index += ["| area | requirements | checked | mutants |", "|---|---:|---:|---:|"]
        for area, entries in areas.items():
            path = f"{FOLDER}/{name}-{version}-{area}.md"
            found[path] = _page(name, version, area, entries)
            checked = sum(bool(entry.checks) for entry in entries)
            breaking = len({fault for entry in entries for fault in entry.mutants})
            index.append(
                f"| [{md(area)}]({path.removeprefix(FOLDER + '/')}) | {len(entries)} | {checked} | {breaking} |"
            )
    return {f"{FOLDER}/index.md": "\n".join(index) + "\n", **found}


class Entry:
    """A requirement with its checks and mutants.

    Args:
        suite: the suite of its contract and version.
        requirement: the requirement.
        breaking: names of the mutants that break it.
    """

    def __init__(
        self, suite: Suite[Any], requirement: Requirement, breaking: Sequence[str]
    ) -> None:
        self.contract = suite.contract
        self.requirement = requirement
        self.mutants = breaking
        judges = _judges(suite, requirement)
        items = {**judges.checks, **judges.invariants}
        self.checks = {
            name: items[name].sentence for name in judges.judges().get(requirement.id, ())
        }


def _judges(suite: Suite[Any], requirement: Requirement) -> Suite[Any]:
    is_of_clients = requirement.side == "client" and suite.contract.name in suites.with_clients()
    return suites.of_clients(suite.contract.name) if is_of_clients else suite


def _areas(name: str, version: str) -> dict[str, list[Entry]]:
    """Return the requirements that a version adds, by area."""
    suite = suites.load(name, version)
    versions = Contract(name).versions
    place = versions.index(version)
    before = Contract(name, versions[place - 1]).requirements if place else {}
    breaking: dict[str, list[str]] = defaultdict(list)
    for fault in mutants.faults(name, version).values():
        for broken in fault.breaks:
            breaking[broken].append(fault.name)
    areas: dict[str, list[Entry]] = {}
    for identifier, requirement in suite.contract.requirements.items():
        if identifier not in before:
            areas.setdefault(requirement.area, []).append(
                Entry(suite, requirement, breaking[identifier])
            )
    return dict(sorted(areas.items()))


def _page(name: str, version: str, area: str, entries: Sequence[Entry]) -> str:
    lines = [
        f"# {md(Contract(name, version).title)} {md(version)}: {md(area)}\n",
        "[All requirements](index.md)\n",
    ]
    for entry in entries:
        lines += _entry(entry)
    return "\n".join(lines) + "\n"


def _entry(entry: Entry) -> Iterator[str]:
    r, contract = entry.requirement, entry.contract
    yield f"\n## {r.id} {{#{r.id.lower()}}}\n"
    yield f"**{r.level}** {sentence(r.sentence)}\n"
    yield f"- Clause: {code(contract.place(r.clause))}, {BASIS[r.basis]}"
    if r.operations:
        yield f"- Operations: {', '.join(map(code, r.operations))}"
    if r.features:
        yield f"- Only with: {', '.join(md(contract.features[feature].sentence) for feature in r.features)}"
    if r.interpretation:
        yield f"- Interpretation: {sentence(r.interpretation)}"
    for identifier in r.corrections:
        correction = contract.corrections[identifier]
        yield f"- Correction {code(identifier)} ({correction.effect}): {sentence(correction.sentence)}"
    yield from _listed(
        "Checks",
        [f"{code(name)}: {sentence(text)}" for name, text in entry.checks.items()],
        r.uncovered or "none",
    )
    yield from _listed("Mutants", list(map(code, entry.mutants)), "none")


def _listed(title: str, items: Sequence[str], otherwise: str) -> Iterator[str]:
    if not items:
        yield f"- {title}: {md(otherwise)}"
        return
    yield f"- {title}:"
    yield from (f"    - {item}" for item in items)
