"""A site of results: reports by area, a page for each requirement and report, and what changed
between two dates, in one HTML file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import json, plain
from lakepact.conformance.report.looks import LOOKS
from lakepact.conformance.report.outline import Outline
from lakepact.conformance.report.page import page

if TYPE_CHECKING:
    from lakepact.generated.report import Line

SCRIPT = resources.files("lakepact.conformance.report").joinpath("site.js")
SHOWN = 200  #: characters of each term of a finding
#: The terms of a finding; the report's page has all.
TERMS = frozenset({"request", "expected", "actual", "answer", "remark"})


class SameReport(ValueError):
    """Two reports of one name that ended at the same time."""


@dataclass(frozen=True)
class Published:
    """A report on the site.

    Args:
        name: The name and version of the server or client. Reports of one name are its history.
        outline: Its content.
        address: Of its HTML page, relative to the site.
    """

    name: str
    outline: Outline
    address: str

    @classmethod
    def of(cls, name: str, report: Iterable[Line], address: str) -> Published:
        """Return a report on the site from its lines."""
        return cls(name, Outline.of(report), address)

    @property
    def ended_at(self) -> str:
        """When its run ended."""
        return self.outline.header["ended"][:16].replace("T", " ")

    @property
    def group(self) -> str:
        """The reports of one contract, version and side stand in one grid."""
        header = self.outline.header
        return f"{header['contract']}-{header['version']}-{header['side']}"


@dataclass(frozen=True)
class _Requirement:
    id: str
    level: str
    area: str
    sentence: str
    clause: str
    interpretation: str | None
    operations: Sequence[str]


@dataclass(frozen=True)
class _Cause:
    number: int
    severity: str
    title: str
    outcome: str
    requirements: Sequence[str]


@dataclass(frozen=True)
class _Finding:
    requirement: str
    cause: int  #: number; 0 if it has none
    terms: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class _Report:
    name: str
    address: str
    ended: str
    target: str
    verdict: str
    outcomes: str  #: of the requirements of the group: a digit for each, its place in `LOOKS`, or -
    causes: Sequence[_Cause]
    findings: Sequence[_Finding]


@dataclass(frozen=True)
class _Group:
    id: str
    title: str
    requirements: Sequence[_Requirement]
    reports: Sequence[_Report] = field(default_factory=list)


def site(reports: Iterable[Published]) -> str:
    """Return the site of reports as one HTML page; it needs no other file but the reports' pages.

    Raises:
        SameReport: Two reports of one name ended at the same time.
    """
    groups: dict[str, list[Published]] = {}
    for report in reports:
        groups.setdefault(report.group, []).append(report)
    most_first = sorted(groups.items(), key=lambda each: -len(each[1]))
    content = {
        "groups": [_group(name, members) for name, members in most_first],
        "looks": {
            outcome: [look.style, look.sign, look.sentence] for outcome, look in LOOKS.items()
        },
    }
    return page("Results", _body(json(content)), script=SCRIPT.read_text("utf-8"))


def _body(content: str) -> Iterator[str]:
    yield (
        '<header class="top"><p class="kicker">lakepact</p><h1 tabindex="-1"></h1>'
        '<nav aria-label="path"></nav></header><main><noscript><p>This page needs JavaScript.'
        " <code>lakepact matrix</code> writes a matrix without it.</p></noscript></main>"
        "<footer><p>Made by <code>lakepact matrix --site</code> from reports of <code>lakepact"
        " check</code>.</p></footer>"
    )
    inert = content.replace("<", "\\u003c")  # nothing else has a meaning within a script element
    yield f'<script type="application/json" id="content">{inert}</script>'


def _group(name: str, members: Sequence[Published]) -> _Group:
    newest_first = sorted(members, key=lambda each: each.ended_at, reverse=True)
    newest: dict[str, Published] = {}
    names = set[tuple[str, str]]()
    for each in newest_first:
        if (each.name, each.ended_at) in names:
            raise SameReport(
                f"two reports are called {plain(each.name)} and ended at {each.ended_at}: name them"
            )
        names.add((each.name, each.ended_at))
        newest.setdefault(each.name, each)
    requirements: dict[str, _Requirement] = {}
    for each in newest_first:
        for line in each.outline.results:
            requirements.setdefault(
                line["requirement"],
                _Requirement(
                    line["requirement"],
                    line["level"],
                    line["area"],
                    line["sentence"],
                    line["clause"],
                    line["interpretation"],
                    line["operations"],
                ),
            )
    header = newest_first[0].outline.header
    return _Group(
        name,
        f"{newest_first[0].outline.contract}: {header['side']}s",
        list(requirements.values()),
        [_report(each, requirements, newest[each.name] is each) for each in members],
    )


def _report(report: Published, requirements: Iterable[str], is_newest: bool) -> _Report:  # noqa: FBT001
    """Return a report; the findings of earlier ones are on their own pages alone."""
    outline = report.outline
    outcomes = {line["requirement"]: line["outcome"] for line in outline.results}
    places = {str(outcome): place for place, outcome in enumerate(LOOKS)}
    return _Report(
        plain(report.name),
        report.address,
        report.ended_at,
        plain(outline.header["target"]),
        outline.verdict,
        "".join(str(places[outcomes[name]]) if name in outcomes else "-" for name in requirements),
        [
            _Cause(
                cause["number"],
                cause["severity"],
                plain(cause["title"]),
                cause["outcome"],
                cause["requirements"],
            )
            for cause in outline.causes
        ],
        [
            _Finding(
                entry.result["requirement"],
                group.cause["number"] if group.cause else 0,
                [(label, plain(text[:SHOWN])) for label, text in entry.terms if label in TERMS],
            )
            for group in (outline.groups if is_newest else ())
            for entry in group.entries
        ],
    )
