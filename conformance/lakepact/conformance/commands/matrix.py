"""`lakepact matrix`: compare reports of one contract."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakepact.conformance.evidence.escaping import json, plain
from lakepact.conformance.report import compatibility, lines, matrices, output
from lakepact.conformance.report.html import html
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.report.site import Published, site
from lakepact.conformance.running import runner

if TYPE_CHECKING:
    from lakepact.generated.report import Line


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN.jsonl…")
@click.option(
    "--by",
    type=click.Choice(compatibility.BY),
    default=compatibility.AREA,
    show_default=True,
    help="The kind of rows.",
)
@click.option("--differing", is_flag=True, help="Only rows in which the reports differ.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="KIND=FILE",
    help="Also write html=…, json=… or md=…",
)
@click.option("--json", "as_json", is_flag=True, help="Print the matrix as JSON instead of text.")
@click.option(
    "--site",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a site of results to this folder instead; reports may be of several contracts, and"
    " those with the same NAME are its history.",
)
def matrix(
    runs: tuple[str, ...],
    *,
    by: str,
    differing: bool,
    reports: tuple[str, ...],
    as_json: bool,
    folder: Path | None,
) -> None:
    """Compare the reports of several servers, written by `lakepact check --report jsonl=RUN.jsonl`.

    A column is named after its file unless NAME is given. Exit code: 0 all reports are complete, 2
    wrong usage, 3 a report is incomplete. The exit code says nothing about conformance.

    Example: lakepact matrix old=monday.jsonl new=friday.jsonl --by requirement --differing --report
    html=matrix.html
    """
    if folder is not None:
        if differing or reports or as_json:
            raise click.UsageError("--site stands alone: it writes pages in place of a matrix")
        _write_site(folder, runs)
        return
    writers = {"html": matrices.html, "json": _json, "md": matrices.markdown}
    try:
        files = output.report_files(reports, make_folders=True, kinds=tuple(writers))
        comparison = compatibility.matrix(_read(runs), by=by, differing=differing)
    except (ValueError, OSError) as wrong:
        click.echo(f"lakepact matrix: {plain(wrong)}", err=True)
        sys.exit(runner.USAGE)
    if as_json:
        click.echo(_json(comparison))
    else:
        matrices.show(comparison, Screen())
    for kind, path in files:
        _write(path, writers[kind](comparison))
    sys.exit(runner.CONFORMANT if comparison.whole else runner.INCOMPLETE)


def _write(path: Path, text: str) -> None:
    """Write a page, in a folder that is created if it is missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        click.echo(f"lakepact matrix: the report cannot be written: {wrong}", err=True)
        sys.exit(runner.INCOMPLETE)


def _json(comparison: compatibility.Matrix) -> str:
    return json(compatibility.as_json(comparison), indent=True)


def _read(runs: tuple[str, ...]) -> dict[str, list[Line]]:
    """Read the reports, by the name of their column.

    Raises:
        UnreadableReport: a file is not a complete report.
    """
    reports: dict[str, list[Line]] = {}
    for run in runs:
        name, path = _name_and_path(run)
        if name in reports:
            raise click.UsageError(
                f"two reports are called {name}: name them, as in {name}-2={path}"
            )
        reports[name] = _lines(path)
    return reports


def _lines(path: Path) -> list[Line]:
    try:
        return lines.read(path)
    except OSError as wrong:
        raise click.UsageError(f"{path} cannot be read: {wrong.strerror}") from wrong


def _write_site(folder: Path, runs: tuple[str, ...]) -> None:
    """Write the site, and the page of each report beside it."""
    try:
        reports = [(name, _lines(path)) for name, path in map(_name_and_path, runs)]
        pages = [
            Published.of(name, report, f"report-{number}.html")
            for number, (name, report) in enumerate(reports, start=1)
        ]
        index = site(pages)
    except ValueError as wrong:
        click.echo(f"lakepact matrix: {plain(wrong)}", err=True)
        sys.exit(runner.USAGE)
    for (_, report), page in zip(reports, pages, strict=True):
        text = html(report, site=f"index.html#/{page.group}/requirement")
        _write(folder / page.address, text)
    _write(folder / "index.html", index)
    click.echo(f"{folder / 'index.html'}: {len(pages)} reports")


def _name_and_path(run: str) -> tuple[str, Path]:
    name, equals, path = run.partition("=")
    if equals and name and path and not Path(run).exists():
        return name, Path(path)
    return Path(run).stem, Path(run)
