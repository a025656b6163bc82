"""The report as one HTML page: the verdict, every failure with its evidence by cause, a table of
areas, and filters.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.evidence.escaping import html_lines, html_sentence
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity, plural
from lakepact.conformance.report.filters import SCRIPT, form
from lakepact.conformance.report.looks import LOOKS, VERDICTS, looks
from lakepact.conformance.report.observed import clients
from lakepact.conformance.report.outline import PROSE, VARIABLE, Group, Outline, by_reason
from lakepact.conformance.report.page import card, chip, page, section, share_bar, top, wide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.conformance.report.outline import Entry
    from lakepact.generated.report import CauseLine, Line, ResultLine

#: The sections of outcomes that are shown with evidence: anchor, heading and introduction.
SECTIONS = {
    "broken": (
        "Failures",
        (Outcome.FAIL, Outcome.UNEXPECTED_PASS),
        "Each breaks a MUST, or passes although it is listed as a known failure.",
    ),
    "unjudged": (
        "Blocked",
        (Outcome.ERROR, Outcome.BLOCKED),
        "An earlier step failed, or the suite itself failed.",
    ),
    "warnings": (
        "Warnings",
        (Outcome.WARN,),
        "A SHOULD is broken, or a MUST passes with a remark.",
    ),
    "known": (
        "Known failures",
        (Outcome.KNOWN_FAIL,),
        "Broken, and listed as a known failure with a reason.",
    ),
}
SHOWN_BODY = 4200  #: characters of a body; the rest is in the JSON lines
VERBS = ("issue", "reproduce")  #: that write about a cause
MOST_CAUSES = 8  #: causes in words before the others are folded
SHOWN_CURLS = 20  #: requests shown before a finding; earlier ones are in the JSON lines


def html(report: Sequence[Line], *, site: str = "") -> str:
    """Return the page of a report's lines.

    Args:
        report: The lines.
        site: The address of the requirements on a site of results, without `/ID`.
    """
    return _Page(Outline.of(report), site).text


class _Page:
    """The page of one report."""

    def __init__(self, outline: Outline, site: str) -> None:
        self._outline, self._site = outline, site
        self._anchors: set[str] = set()
        known_failures = [entry for entry in outline.entries if entry.outcome is Outcome.KNOWN_FAIL]
        groups = [*outline.groups, *by_reason(known_failures)]
        self._sections = {
            anchor: [group for group in groups if group.outcome in outcomes]
            for anchor, (_, outcomes, _) in SECTIONS.items()
        }
        self._others = {
            outcome: [line for line in outline.results if line["outcome"] == outcome]
            for outcome in (Outcome.NOT_OFFERED, Outcome.PASS)
        }

    @property
    def text(self) -> str:
        """The HTML."""
        outline = self._outline
        title = f"{outline.verdict}: {outline.header['target']}, {outline.contract}"
        parts = [self._top(), "<main>", *self._summary()]
        for anchor, groups in self._sections.items():
            if groups:
                heading, _, lead = SECTIONS[anchor]
                parts += [
                    f'<section class="findings" id="{anchor}">',
                    f'<h2>{heading} ({self._number(anchor)})</h2><p class="lead">{lead}</p>',
                    *map(self._group, groups),
                    "</section>",
                ]
        parts += [
            *self._areas(),
            *self._absent(),
            *self._passes(),
            *(self._target() if outline.is_of_a_server else ()),
            "</main>",
            self._end(),
        ]
        return page(title, parts, script=SCRIPT if outline.results else "")

    def _top(self) -> str:
        outline = self._outline
        links = {
            anchor: f"{SECTIONS[anchor][0]} ({self._number(anchor)})"
            for anchor, groups in self._sections.items()
            if groups
        }
        links |= {"areas": "Areas"} if outline.results else {}
        for anchor, name, results in zip(
            ("absent", "passed"), ("Not offered", "Passed"), self._others.values(), strict=True
        ):
            links |= {anchor: f"{name} ({len(results)})"} if results else {}
        links |= {"offer": "The target"} if outline.is_of_a_server else {}
        look = VERDICTS[outline.footer["verdict"]]
        heading = chip(look, ", ".join(filter(None, (look.sentence, outline.scope))))
        facts = {**outline.settings, **outline.figures}
        notices = [escape(notice) for notice in outline.notices]
        for client, outcome, tasks in clients(outline):
            lines = "".join(f"<br>{escape(task)}" for task in tasks)
            notices.append(f"<b>{escape(client)} on this server:</b> {escape(outcome)}{lines}")
        return top(outline.contract, heading, facts, notices=notices, links=links)

    def _number(self, anchor: str) -> int:
        """Return the number of requirements with the outcomes of a section."""
        return sum(line["outcome"] in SECTIONS[anchor][1] for line in self._outline.results)

    def _summary(self) -> Iterator[str]:
        """Yield the causes in words, the gravest first, the counts of the requirements, and
        filters.
        """
        outline = self._outline
        if not outline.results:
            return
        severities = {cause["severity"] for cause in outline.causes}
        causes = [_in_words(group, cause) for group in outline.groups if (cause := group.cause)]
        if causes:
            yield (
                '<nav class="causes" id="causes" aria-label="causes">'
                f"<b>{escape(outline.summary)}</b><ol>{''.join(causes[:MOST_CAUSES])}</ol>"
            )
            if others := causes[MOST_CAUSES:]:
                yield f"<details><summary>{plural(len(others), 'further cause')}</summary>"
                yield f"<ol>{''.join(others)}</ol></details>"
            yield "</nav>"
        yield f'<div class="cards">{card("", "", looks(outline.areas["all"]))}</div>'
        yield form(
            {
                "outcome": [each.value for each in LOOKS if each in outline.outcomes],
                "severity": [each.value for each in Severity if each in severities],
                "area": [area for area in outline.areas if area != "all"],
            }
        )

    def _group(self, group: Group) -> str:
        """Return a group of findings, folded under mark, title, ids and the sentence of the
        first.
        """
        first, *others = group.entries
        cause, look = group.cause, LOOKS[group.outcome]
        severity = cause["severity"] if cause else ""
        articles = "".join(self._article(entry, severity) for entry in others)
        parts = [
            self._article(first, severity),
            f'<details class="more"><summary>{plural(len(others), "further requirement")}</summary>'
            f"{articles}</details>"
            if others
            else "",
        ]
        anchor, mark = "", look.sign if others else f"{look.sign} {escape(first.result['level'])}"
        if cause:
            number = cause["number"]
            anchor, mark = f' id="cause-{number}"', f"{number} · {escape(severity)}"
            verbs = "\n".join(f"lakepact {verb} REPORT.jsonl {number}" for verb in VERBS)
            parts.append(f'<pre tabindex="0">{verbs}</pre>')
        ids = escape(first.result["requirement"]) + (f" and {len(others)} more" if others else "")
        sentence = html_sentence(first.result["sentence"])
        title = f"<span>{html_sentence(group.title) if group.title else sentence}</span>"
        ids += f": {sentence}" if group.title else ""
        summary = f'<span class="v {look.style}">{mark}</span> {title} <small>{ids}</small>'
        return (
            f'<details class="group cause"{anchor}><summary>{summary}</summary>'
            f"{''.join(parts)}</details>"
        )

    def _article(self, entry: Entry, severity: str) -> str:
        """Return one requirement with its evidence."""
        result, look = entry.result, LOOKS[entry.outcome]
        name = escape(result["requirement"])
        anchor = "" if name in self._anchors else f' id="{name}"'  # it may have several causes
        self._anchors.add(name)
        terms = "".join(
            f"<dt>{label}</dt><dd>"
            + (html_sentence(text) if label in PROSE else f"<code>{escape(text)}</code>")
            + "</dd>"
            for label, text in entry.terms
        )
        return (
            f'<article class="{look.style}"{anchor} {_marks(result, severity)}>'
            f"<h3>{self._link(name)} {chip(look, result['level'])}</h3>"
            f"<p>{html_sentence(result['sentence'])}</p>"
            f'<p class="clause">{escape(self._outline.contract)} · {escape(result["area"])}</p>'
            f"<dl>{terms}</dl>{_evidence(entry)}</article>"
        )

    def _link(self, name: str) -> str:
        """Return the id of a requirement, which links to its page on the site, if there is one."""
        return f'<a href="{escape(self._site)}/{name}">{name}</a>' if self._site else name

    def _areas(self) -> Iterator[str]:
        if not self._outline.results:
            return
        outcomes = [o for o in LOOKS if o in self._outline.outcomes]
        rows = [_row(area, counts, outcomes) for area, counts in self._outline.areas.items()]
        head = ("area", *(f"{LOOKS[o].sign} {o.value}" for o in outcomes), "shares")
        yield from section("areas", "Areas", [wide(head, rows, ["n"] * len(outcomes))])

    def _absent(self) -> Iterator[str]:
        """Yield the requirements that were not offered, by reason."""
        absent = self._others[Outcome.NOT_OFFERED]
        if not absent:
            return
        yield f'<section class="findings" id="absent"><h2>Not offered ({len(absent)})</h2>'
        yield (
            '<p class="lead">Requirements about operations or features that the target does not'
            " declare, or that no answer concerned."
        )
        yield " They do not count as failures.</p>"
        operations = self._outline.header["operations"]
        missing = sorted(
            {o for r in self._outline.results for o in r["operations"]} - {*operations}
        )
        if missing and operations:
            names = ", ".join(f"<code>{escape(name)}</code>" for name in missing)
            yield f"<p>Operations that are not declared: {names}.</p>"
        by_reason: dict[str, list[ResultLine]] = defaultdict(list)
        for result in absent:
            remarks = (
                remark
                for v in result["verdicts"]
                if v["outcome"] == Outcome.NOT_OFFERED and (remark := v.get("remark"))
            )
            by_reason[next(remarks, "no reason recorded")].append(result)
        for reason, results in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            yield _details(reason, results)
        yield "</section>"

    def _passes(self) -> Iterator[str]:
        """Yield the requirements that passed, by area."""
        passes = self._others[Outcome.PASS]
        if not passes:
            return
        yield f'<section class="findings" id="passed"><h2>Passed ({len(passes)})</h2>'
        for area in dict.fromkeys(result["area"] for result in passes):
            yield _details(area, [result for result in passes if result["area"] == area])
        yield "</section>"

    def _target(self) -> Iterator[str]:
        header = self._outline.header
        yield '<section id="offer"><h2>The target</h2><dl>'
        for name, fact in header["facts"].items():
            yield f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>"
        for word, is_on in (("has", True), ("lacks", False)):
            if names := ", ".join(name for name, on in header["features"].items() if on is is_on):
                yield f"<dt>{word}</dt><dd>{escape(names)}</dd>"
        headers = "custom headers (not shown)" if header["authorized"] else "no authorization"
        yield f"<dt>request headers</dt><dd>{headers}</dd></dl></section>"

    def _end(self) -> str:
        return (
            f"<footer><p>{VARIABLE} <code>lakepact explain ID</code> shows the clause of a"
            " requirement and its checks.</p><p>lakepact"
            f" {escape(self._outline.header['lakepact'])}.</p></footer>"
        )


def _in_words(group: Group, cause: CauseLine) -> str:
    """Return a cause as an item of a list: its title, which leads to it, severity and request."""
    look = LOOKS[Outcome(cause["outcome"])]
    return (
        f'<li value="{cause["number"]}"><a href="#cause-{cause["number"]}">'
        f"{html_sentence(cause['title'])}</a> {chip(look, cause['severity'])}"
        f"<br><small>{escape(group.entries[0].request)}</small></li>"
    )


def _marks(result: ResultLine, severity: str = "") -> str:
    """Return the attributes of an element for one requirement, by which the filters find it."""
    return (
        f'data-outcome="{escape(result["outcome"])}" data-area="{escape(result["area"])}"'
        f' data-severity="{escape(severity)}"'
    )


def _row(area: str, counts: Mapping[str, int], outcomes: Sequence[Outcome]) -> str:
    cells = "".join(
        f'<td class="n"><span class="v {LOOKS[o].style or "none"}">{counts[o]:,}</span></td>'
        if counts.get(o)
        else '<td class="n zero">0</td>'
        for o in outcomes
    )
    shares = f'<td class="shares">{share_bar(looks(counts))}</td>'
    return f'<tr><th scope="row">{escape(area)}</th>{cells}{shares}</tr>'


def _details(title: str, results: Sequence[ResultLine]) -> str:
    """Return requirements as a folded list."""
    items = "".join(
        f'<li id="{escape(r["requirement"])}" {_marks(r)}><code>{escape(r["requirement"])}</code>'
        f" {html_sentence(r['sentence'])}</li>"
        for r in results
    )
    return (
        f'<details class="group"><summary>{escape(title)}'
        f" ({len(results)})</summary><ul>{items}</ul></details>"
    )


def _evidence(entry: Entry) -> str:
    """Return the requests that lead to a finding, the last one with its answer."""
    if not entry.requests:
        return ""
    *before, last = entry.curls(SHOWN_CURLS + 1)
    response = entry.requests[-1]["response"]
    many = plural(len(entry.requests) - 1, "request")
    curls = html_lines("\n".join(before))
    earlier = (
        f'<details><summary>{many} before it</summary><pre tabindex="0">{curls}</pre></details>'
    )
    body = response["body"]
    cut = body if len(body) <= SHOWN_BODY else f"{body[:SHOWN_BODY]}…"
    answer = f'<pre tabindex="0">{html_lines(cut)}</pre>' if body else "<p>No body.</p>"
    return (
        f'{earlier if before else ""}<pre tabindex="0">{escape(last)}</pre>'
        "<details><summary>the last answer:"
        f" {response['status'] or 'none came'}</summary>{answer}</details>"
    )
