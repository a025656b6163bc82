"""`lakepact metrics`: the metrics reports that clients sent to a reference server."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click
import httpx
import orjson
from rich.table import Table

from lakepact.conformance.evidence.escaping import json, plain, terminal
from lakepact.conformance.evidence.limits import MAX_BODY
from lakepact.conformance.evidence.target import address
from lakepact.conformance.http.files import Files
from lakepact.conformance.report.screen import Screen

PATH = "/metrics-reports"
INCOMPLETE = 3
#: The figures of a report that are shown.
FIGURES = (
    "total-planning-duration",
    "total-duration",
    "result-data-files",
    "result-delete-files",
    "added-data-files",
    "added-records",
)


@click.command()
@click.argument("url")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the reports unchanged, one JSON object per line."
)
def metrics(url: str, *, as_json: bool) -> None:
    """Show the metrics reports that the reference server at URL received, newest last.

    Example: lakepact metrics http://127.0.0.1:8181
    """
    try:
        where = address(url)
    except ValueError as wrong:
        raise click.UsageError(str(wrong)) from wrong
    try:
        with Files(timeout=10, most=MAX_BODY) as files:
            answer = files.read(where.rstrip("/") + PATH)
        answer.raise_for_status()
        kept = _reports(orjson.loads(answer.content))
    except httpx.HTTPStatusError as refused:
        told = (
            "it is not a lakepact reference server, or it requires authentication"
            if refused.response.status_code == 404
            else "see its log"
        )
        click.echo(
            f"lakepact metrics: {url} returned {refused.response.status_code} for {PATH}: {told}",
            err=True,
        )
        sys.exit(INCOMPLETE)
    except (ValueError, LookupError, TypeError):  # not JSON, or unexpected JSON
        click.echo(
            f"lakepact metrics: {url} returned no reports for {PATH}: it is not a lakepact reference server",
            err=True,
        )
        sys.exit(INCOMPLETE)
    except httpx.HTTPError as wrong:
        click.echo(f"lakepact metrics: {url}: {plain(wrong)}", err=True)
        sys.exit(INCOMPLETE)
    if as_json:
        for one in kept:
            click.echo(json(one))
        return
    table = Table(
        "table",
        "report",
        "snapshot",
        "figures",
        box=None,
        title=None if kept else "no report came yet",
    )
    for one in kept:
        report = one["report"]
        name, kind, snapshot = (
            ".".join([*one["namespace"], one["table"]]),
            report.get("report-type"),
            report.get("snapshot-id", ""),
        )
        table.add_row(
            *(
                terminal(cell)
                for cell in (name, kind, snapshot, ", ".join(figures(report.get("metrics") or {})))
            )
        )
    Screen().print(table)


def _reports(document: Any) -> list[dict[str, Any]]:
    """Return the reports of an answer.

    Raises:
        LookupError: a report lacks a required member.
        TypeError: the answer is not a list of reports.
    """
    for one in document:
        if not isinstance(one["report"], dict) or not all(
            isinstance(step, str) for step in (*one["namespace"], one["table"])
        ):
            raise TypeError("a report must be an object with a table name")
    if not isinstance(document, list):
        raise TypeError("reports are a list")
    return document


def figures(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Yield the shown figures of a report as short texts."""
    for name in FIGURES:
        said = metrics.get(name)
        if isinstance(said, dict) and "total-duration" in said:
            yield f"{name} {said['total-duration']} {said.get('time-unit', '')}".rstrip()
        elif isinstance(said, dict) and "value" in said:
            yield f"{name} {said['value']}" + (
                f" {said['unit']}" if said.get("unit") not in {None, "count"} else ""
            )
