"""The page of the matrix of clients: tasks and outcomes, each finding with the requests that show
it, and requirements by client.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from lakepact.conformance.evidence.escaping import code, markdown_sentence, plain
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import plural
from servers_matrix.page import COUNTED, read_report, requirements_table, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clients_matrix.clients import ClientProgram

    Reports = dict[ClientProgram, list[dict[str, Any]]]

COMMAND = "nox -s clients_matrix"
FOUND = (Outcome.FAIL, Outcome.WARN, Outcome.BLOCKED)
SHOWN_EXCHANGES = 4  #: last exchanges of a finding
SHOWN_BODY = 300  #: characters of the body of a request


def page(folder: Path, clients: Sequence[ClientProgram]) -> str:
    """Return the page in Markdown.

    Args:
        folder: holds a folder with `report.jsonl.gz` and `tasks.json` for each client that was
            checked.
        clients: the columns, in order.
    """
    reports = {client: read_report(folder / client.name / "report.jsonl.gz") for client in clients}
    checked = {client: report for client, report in reports.items() if report}
    lines = [*_overview(checked, folder)]
    for client, report in checked.items():
        lines += _findings(client, report, _tasks(folder / client.name))
    for contract in dict.fromkeys(client.contract for client in checked):
        some = {client: report for client, report in checked.items() if client.contract == contract}
        header = next(iter(some.values()))[0]
        lines += requirements_table(
            some, f"{header['title']}: requirements that clients treat differently"
        )
    return "\n".join(lines) + "\n"


def _overview(reports: Reports, folder: Path) -> Iterator[str]:
    yield "# Clients, checked\n"
    yield "`lakepact check-client` ran each client once against the scripted server, with the programs of `examples/clients`."
    yield f"`{COMMAND}` repeats it. `lakepact report REPORT --report html=FILE` makes an HTML page of a report.\n"
    yield (
        "| client | version | tasks | "
        + " | ".join(outcome.value for outcome in COUNTED)
        + " | checked | files |"
    )
    yield "|---|---|---:|" + "---:|" * len(COUNTED) + "---|---|"
    for client, report in reports.items():
        tasks = _tasks(folder / client.name)
        counts = " | ".join(str(report[-1]["counts"][outcome]) for outcome in COUNTED)
        files = f"[report](clients/{client.name}/report.jsonl.gz), [known failures](clients/{client.name}/known-failures.txt)"
        offered = f"{sum(tasks.values())} of {len(tasks)}"
        yield f"| {md(client.title)} | {md(client.version)} | {offered} | {counts} | {report[0]['ended'][:10]} | {files} |"


def _tasks(folder: Path) -> dict[str, bool]:
    tasks: dict[str, bool] = orjson.loads((folder / "tasks.json").read_bytes())
    return tasks


def _findings(
    client: ClientProgram, report: list[dict[str, Any]], tasks: dict[str, bool]
) -> Iterator[str]:
    results = [line for line in report if line["line"] == "result" and line["outcome"] in FOUND]
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    yield f"\n## {md(client.title)} {md(client.version)}: {plural(len(results), 'finding')}\n"
    absent = ", ".join(f"`{task}`" for task, is_offered in tasks.items() if not is_offered)
    if absent:
        yield f"Not offered: {absent}.\n"
    if not results:
        yield "The client breaks no requirement."
    for outcome in FOUND:
        for result in results:
            if result["outcome"] == outcome:
                yield from _finding(client, result, exchanges)


def _finding(
    client: ClientProgram, result: dict[str, Any], exchanges: dict[int, dict[str, Any]]
) -> Iterator[str]:
    verdict = next(v for v in result["verdicts"] if v["outcome"] == result["outcome"])
    thread = client.threads.get(result["requirement"], "")
    yield f"- **{md(result['requirement'])}** ({md(result['level'])}, {md(result['outcome'])}): {markdown_sentence(result['sentence'])}"
    if "expected" in verdict:
        yield f"  Expected: {code(short(verdict['expected']))}. Actual: {code(short(verdict['actual']))}."
    elif "remark" in verdict:
        yield f"  {md(short(verdict['remark']))}"
    if thread:
        project, _, number = thread.partition("#")
        yield f"  See [{thread}](https://github.com/{project}/issues/{number})."
    shown = [exchanges[number] for number in verdict.get("exchanges", ()) if number in exchanges][
        -SHOWN_EXCHANGES:
    ]
    if shown:
        yield "\n  ```text"
        for text, repeated in itertools.groupby(
            "\n".join(_exchange(exchange)) for exchange in shown
        ):
            times = len(list(repeated))
            yield from (
                f"  {line}"
                for line in f"{text}{f', {times} times' if times > 1 else ''}".splitlines()
            )
        yield "  ```\n"


def _exchange(exchange: dict[str, Any]) -> Iterator[str]:
    request, status = exchange["request"], exchange["response"]["status"]
    address = urlsplit(request["url"])
    path = (
        "/"
        + address.path.partition("/task-")[2].partition("/")[2]
        + (f"?{address.query}" if address.query else "")
    )
    yield plain(
        f"{request['method']} {path} {'returned ' + str(status) if status else 'got no response'}"
    )
    body = request.get("body") or ""
    if body:
        yield plain(f"    {body[:SHOWN_BODY]}{'…' if len(body) > SHOWN_BODY else ''}")
