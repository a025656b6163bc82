"""The page of the matrix: the causes of each server's failures by severity, and requirements by
server.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.escaping import markdown_sentence
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity, plural
from lakepact.conformance.report.grouping.cases import OBJECT
from lakepact.conformance.report.looks import LOOKS
from servers_matrix.servers import CatalogServer

COMMAND = "nox -s servers_matrix"
FOLDER = re.compile(r"(?<=:)/+tmp/lakepact-[^/\"]+")  #: of the files of a server
VALUES = (
    ": expected "  #: in the title of a cause, before compared values: the requirement says more
)
SHOWN_TITLE = 200  #: characters of the title of a cause
#: The outcomes that the table of servers counts.
COUNTED = (Outcome.PASS, Outcome.FAIL, Outcome.WARN, Outcome.BLOCKED, Outcome.NOT_OFFERED)


def page(folder: Path, servers: Sequence[CatalogServer], *, title: str) -> str:
    """Return the page in Markdown.

    Args:
        folder: holds a folder with `report.jsonl.gz` for each server that was checked.
        servers: the columns, in order.
        title: the heading.
    """
    reports = {server: read_report(folder / server.name / "report.jsonl.gz") for server in servers}
    checked = {server: report for server, report in reports.items() if report}
    differing = requirements_table(checked, "Requirements that servers treat differently")
    return "\n".join([*_overview(checked, folder, title), *_causes(checked), *differing]) + "\n"


def read_report(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a packed report; none if it does not exist."""
    if not path.exists():
        return []
    return [orjson.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _overview(
    reports: dict[CatalogServer, list[dict[str, Any]]], folder: Path, title: str
) -> Iterator[str]:
    yield f"# {title}\n"
    header = next(iter(reports.values()))[0]
    yield f"{md(header['title'])} {md(header['version'])}. Every server was started fresh with its default settings and checked once;"
    yield "a server that ends is started again.\n"
    yield f"`{COMMAND}` repeats it. `lakepact report REPORT --report html=FILE` makes an HTML page of a report.\n"
    # On a narrow screen the table scrolls; breaks within a cell would make its rows high.
    yield (
        "| server | causes | "
        + " | ".join(outcome.value for outcome in COUNTED)
        + " | checked | files |"
    )
    yield "|---|---:|" + "---:|" * len(COUNTED) + "---|---|"
    for server, report in reports.items():
        counts, causes = report[-1]["counts"], sum(report[-1]["causes"].values())
        numbers = " | ".join(str(counts[outcome]) for outcome in COUNTED)
        files = f"[report]({server.name}/report.jsonl.gz), [known&nbsp;failures]({server.name}/known-failures.txt)"
        issues = [
            f"[{issue.stem.rpartition('-')[2]}]({server.name}/{issue.name})"
            for issue in _issues(folder / server.name)
        ]
        written = f", issues&nbsp;{'&nbsp;'.join(issues)}" if issues else ""
        checked = report[0]["ended"][:10].replace("-", "&#8209;")
        yield f"| {md(server.title)} {md(server.version)} | {causes} | {numbers} | {checked} | {files}{written} |"


def _issues(folder: Path) -> list[Path]:
    return sorted(folder.glob("issue-*.md"))


def _causes(reports: dict[CatalogServer, list[dict[str, Any]]]) -> Iterator[str]:
    for server, report in reports.items():
        sentences = {
            line["requirement"]: line["sentence"].removesuffix(".")
            for line in report
            if line["line"] == "result"
        }
        causes = [line for line in report if line["line"] == "cause"]
        failing = [line for line in causes if line["outcome"] == Outcome.FAIL]
        yield f"\n## {md(server.title)} {md(server.version)}: {plural(len(failing), 'cause')}\n"
        if not failing:
            yield "No requirement fails."
        for severity in Severity:
            listed = [each for each in failing if each["severity"] == severity]
            if listed:
                yield f"\n### {severity.value.capitalize()}\n"
            for cause in listed:
                first, *others = cause["requirements"]
                more = (
                    f" and {plural(len(others), 'more')}".replace("mores", "more") if others else ""
                )
                seen, values, rest = _general(cause["title"]).partition(VALUES)
                about = f"{md(first)}{more}: {markdown_sentence(sentences[first])}"
                yield (
                    f"- {about}. {md(short(seen + values + rest))}"
                    if values
                    else f"- {md(short(seen))} ({about})"
                )


def _general(text: str) -> str:
    """Return a text without names that a run invented."""
    return OBJECT.sub("…", FOLDER.sub("…", text))


def short(title: str) -> str:
    """Return a text in one line that is not too long for the page."""
    line = " ".join(title.split())
    return line if len(line) <= SHOWN_TITLE else f"{line[:SHOWN_TITLE]}…"


def requirements_table(reports: Mapping[Any, list[dict[str, Any]]], title: str) -> Iterator[str]:
    """Yield the section with the requirements that at least one of the columns breaks.

    Args:
        reports: the lines of the report of each column; a column has a `name` and a `title`.
        title: of the section.
    """
    outcomes: dict[str, dict[str, str]] = {}
    sentences: dict[str, str] = {}
    for server, report in reports.items():
        for line in report:
            if line["line"] == "result":
                outcomes.setdefault(line["requirement"], {})[server.name] = line["outcome"]
                sentences[line["requirement"]] = f"{line['level']}: {line['sentence']}"
    broken = {
        requirement: found
        for requirement, found in outcomes.items()
        if {Outcome.FAIL, Outcome.WARN} & set(found.values())
    }
    if not broken:
        return
    yield f"\n## {md(title)}\n"
    yield "; ".join(f"{look.sign} {look.sentence}" for look in LOOKS.values()) + ".\n"
    yield "| requirement | " + " | ".join(md(server.title) for server in reports) + " | sentence |"
    yield "|---|" + ":---:|" * len(reports) + "---|"
    for requirement, found in broken.items():
        signs = " | ".join(
            LOOKS[Outcome(found[s.name])].sign if s.name in found else "" for s in reports
        )
        yield f"| {md(requirement)} | {signs} | {markdown_sentence(sentences[requirement])} |"
