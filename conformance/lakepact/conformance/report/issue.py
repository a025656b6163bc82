"""An issue for the maintainers of a server about one cause of a report, with the requests that show
it, in Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import code, code_block, shell
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.object_names import OBJECT
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.report.observed import tasks_of_cause
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from lakepact.conformance.report.outline import Entry
    from lakepact.generated.report import CauseLine, Line

SHOWN_REQUESTS = 6  #: of a finding that its requests do not repeat
LONGEST = 60  #: requests of a finding that they repeat
SHOWN_ANSWER = 1000  #: characters of an answer
SHOWN_ALSO = 12  #: further requirements that an issue lists


def issue(
    report: Sequence[Line], cause: CauseLine, *, server: str = "", file: str = "report.jsonl"
) -> str:
    """Return the text of an issue: title, versions, steps with curl, expected with clause, actual.

    Args:
        report: the lines of a report.
        cause: its line of a cause.
        server: name and version of the server; the report knows only its address.
        file: the name of the report.
    """
    outline = Outline.of(report)
    return "\n".join(_lines(outline, cause, server, file)) + "\n"


def _lines(outline: Outline, cause: CauseLine, server: str, file: str) -> Iterator[str]:
    header, group = outline.header, outline.of_cause(cause)
    first, *others = group.entries
    yield f"# {md(OBJECT.sub('…', ' '.join(group.title.split())))}\n"
    yield f"{md(server or header['target'])}, severity: {md(cause['severity'])}.\n"
    yield f"The contract demands: {md(first.result['sentence'])}\n"
    yield f"Clause: {code(first.result['clause'])} of {md(outline.contract)}."
    yield f"Requirement of lakepact {md(header['lakepact'])}: {md(first.result['requirement'])}.\n"
    if tasks := [f"- {md(line)}" for line in tasks_of_cause(outline, cause["number"])]:
        yield from (*tasks, "")
    if outline.is_of_a_server:
        yield from _steps(outline, first, f"{shell(file)} {cause['number']}")
    else:
        yield from _steps_of_client(outline, first)
    for side, value in first.terms:
        if side in {"expected", "actual"}:
            yield f"{side.capitalize()}: {code(' '.join(value.split()))}\n"
    yield from _answer(first)
    if others:
        yield "\nThe same cause breaks:\n"
        results = (entry.result for entry in others[:SHOWN_ALSO])
        yield from (f"- {md(each['requirement'])}: {md(each['sentence'])}" for each in results)
        if len(others) > SHOWN_ALSO:
            yield f"- and {len(others) - SHOWN_ALSO} more"


def _answer(entry: Entry) -> Iterator[str]:
    """Yield the beginning of the answer that shows the finding."""
    response = entry.requests[-1]["response"] if entry.requests else None
    if response and (body := response["body"]):
        yield f"The answer, status {response['status']}:\n"
        cut = "…" * (len(body) > SHOWN_ANSWER)
        yield from code_block((body[:SHOWN_ANSWER] + cut).split("\n"), "")


def _steps_of_client(outline: Outline, entry: Entry) -> Iterator[str]:
    contract, requirement = outline.header["contract"], entry.result["requirement"]
    options = f"--contract {contract} --only {requirement}"
    yield "## Steps\n"
    yield f"Run `lakepact check-client {options} -- COMMAND`, where COMMAND runs the client."
    yield "The scripted server got these requests, and gave these answers:\n"
    yield from (*code_block(entry.curls(SHOWN_REQUESTS), ""), "")


def _steps(outline: Outline, entry: Entry, place: str) -> Iterator[str]:
    yield "## Steps\n"
    if why := entry.verdict.get("replay", {}).get("why"):
        options = f"--only {entry.result['requirement']}"
        if outline.header["features"].get(READABLE_FILES):
            options += " --shared-files FOLDER"
        yield f"Run `lakepact check URL {options}` against a fresh server."
        yield (
            f"Its requests alone do not repeat the finding: {md(why)}. The last requests of this"
            " run were:\n"
        )
        yield from (*code_block(entry.curls(SHOWN_REQUESTS), "sh"), "")
        return
    login = ", with `Bearer TOKEN` as `$AUTHORIZATION`" if outline.header["authorized"] else ""
    yield f"Send these requests to a fresh server, in this order{login}:\n"
    yield from (*code_block(entry.curls(LONGEST), "sh"), "")
    yield (
        f"{code(f'lakepact reproduce {place}')} writes a script that sends them and"
        " checks the result.\n"
    )
