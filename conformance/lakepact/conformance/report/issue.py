"""An issue for the maintainers of a server about one cause of a report, with the requests that show it, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakepact.conformance.evidence.escaping import code, code_block
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.report import harm
from lakepact.conformance.report.observed import harmed_by
from lakepact.conformance.report.requests import deciding, exchanges_of, of_cause

NAME = re.compile(r"lp_[0-9a-f]+(_\d+)+")  #: of an object that a check creates
SHOWN_REQUESTS = 6  #: of a finding that its requests do not repeat
SHOWN_ANSWER = 1000  #: characters of an answer
SHOWN_ALSO = 12  #: further requirements that an issue lists


def issue(report: Sequence[dict[str, Any]], cause: Mapping[str, Any], *, server: str = "") -> str:
    """Return the text of an issue: title, versions, steps with curl, expected with clause, actual.

    Args:
        report: the lines of a report.
        cause: its line of a cause.
        server: name and version of the server; the report knows only its address.
    """
    return "\n".join(_lines(report, cause, server)) + "\n"


def _lines(
    report: Sequence[dict[str, Any]], cause: Mapping[str, Any], server: str
) -> Iterator[str]:
    header, exchanges = report[0], exchanges_of(report)
    first, *others = of_cause(report, cause)
    verdict = deciding(first)
    sent = [exchanges[number] for number in verdict.get("exchanges", ()) if number in exchanges]
    contract = f"{header['title']} {header['version']}"
    yield f"# {md(NAME.sub('…', ' '.join(cause['title'].split())))}\n"
    yield f"{md(server or header['target'])}, severity: {md(cause['severity'])}.\n"
    yield f"The contract demands: {md(first['sentence'])}\n"
    yield f"Clause: {code(first['clause'])} of {md(contract)}."
    yield f"Requirement of lakepact {md(header['lakepact'])}: {md(first['requirement'])}.\n"
    yield from _clients(header, cause)
    yield from (f"- {md(line)}" for line in harmed_by(report, cause["number"]))
    yield ""
    requests = [exchange["curl"] for exchange in sent]
    if header.get("side", "server") == "server":
        yield from _steps(cause["number"], first, requests)
    else:
        yield from _steps_of_client(header, first, requests)
    expected, actual = (" ".join(verdict.get(side, "").split()) for side in ("expected", "actual"))
    yield f"Expected: {code(expected)}\n"
    yield f"Actual: {code(actual)}"
    yield from _answer(sent)
    if others:
        yield "\nThe same cause breaks:\n"
        yield from (f"- {md(r['requirement'])}: {md(r['sentence'])}" for r in others[:SHOWN_ALSO])
        if len(others) > SHOWN_ALSO:
            yield f"- and {len(others) - SHOWN_ALSO} more"


def _clients(header: Mapping[str, Any], cause: Mapping[str, Any]) -> Iterator[str]:
    """Yield the clients that the cause hurts, each with the task that showed it."""
    if shown := harm.terms(header, cause).get("clients"):
        yield f"Published clients on a server with this fault: {md(shown)}.\n"
    titles, harms = header.get("clients", {}), cause.get("clients", {})
    hurt = [(titles.get(client, client), each) for client, each in harms.items()]
    yield from (
        f"- {md(name)}, {md(each['task'])}: {md(each['detail'])} ({md(each['requirement'])})"
        for name, each in hurt
    )
    yield from [""] if hurt else []


def _answer(sent: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the beginning of the answer that shows the finding."""
    if sent and (body := sent[-1]["response"].get("body", "")):
        yield f"\nThe answer, status {sent[-1]['response']['status']}:\n"
        cut = "…" if len(body) > SHOWN_ANSWER else ""
        yield from code_block([body[:SHOWN_ANSWER] + cut], "")


def _steps_of_client(
    header: Mapping[str, Any], result: Mapping[str, Any], requests: Sequence[str]
) -> Iterator[str]:
    options = f"--contract {header['contract']} --only {result['requirement']}"
    yield "## Steps\n"
    yield f"Run `lakepact check-client {options} -- COMMAND`, where COMMAND runs the client."
    yield "The scripted server got these requests, and gave these answers:\n"
    yield from (*code_block(requests[-SHOWN_REQUESTS:], ""), "")


def _steps(number: int, result: Mapping[str, Any], requests: Sequence[str]) -> Iterator[str]:
    yield "## Steps\n"
    requirement, verdict = result["requirement"], deciding(result)
    if why := verdict.get("replay", {}).get("why"):
        yield f"Run `lakepact check URL --only {requirement}` against a fresh server."
        yield f"Its requests alone do not repeat the finding: {md(why)}. The last requests of this run were:\n"
        yield from (*code_block(requests[-SHOWN_REQUESTS:], "sh"), "")
        return
    yield "Send these requests to a fresh server, in this order:\n"
    yield from (*code_block(requests, "sh"), "")
    yield f"`lakepact reproduce report.jsonl {number}` writes a script that sends them and checks the result.\n"
