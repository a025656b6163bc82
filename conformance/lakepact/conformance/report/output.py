"""The output of a run: a progress line, then the report in the requested formats."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import badge, html, junit, lines, markdown, text
from lakepact.conformance.running import runner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from lakepact.conformance.running.runner import Run

WRITERS = {"badge": badge.write, "html": html.write, "junit": junit.write, "md": markdown.write}


def report_option(option: str) -> tuple[str, Path]:
    """Return format and file of a `--report KIND=FILE` option.

    Raises:
        ValueError: the format is unknown, or no file is named.
    """
    kind, _, path = option.partition("=")
    if kind not in (*WRITERS, "jsonl") or not path:
        raise ValueError(f"--report {option}: write KIND=FILE with KIND one of {', '.join((*WRITERS, 'jsonl'))}")
    return kind, Path(path)


def watched(run: Run, console: Console) -> Iterator[None]:
    """Run with a progress line on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("judging", total=run.planned)
        broken = 0
        for event in run.events():
            broken += sum(v.outcome is Outcome.FAIL for v in event.verdicts)
            progress.update(
                task, completed=event.done, description=f"checking [dim]{event.check}[/]" + (f" [red]{broken} failed[/]" if broken else "")
            )
            yield


def write(
    run: Run,
    reports: Sequence[tuple[str, Path]],
    console: Console,
    *,
    verb: str,
    stopped: str,
    strict: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Print the report of a run, write the requested files, and return the exit code.

    Args:
        run: the run, also if it ended early.
        reports: formats and files.
        console: where it is printed.
        verb: the verb, for error messages.
        stopped: why the run ended early; empty if it did not.
        strict: whether a broken SHOULD counts like a broken MUST.
        verbose: also list passed requirements.
        as_json: print the report's lines instead of text.
    """
    report = list(lines.lines(run, strict=strict, stopped=stopped))
    if stopped:
        click.echo(f"lakepact {verb}: {plain(run.wire.redact(stopped))}", err=True)
    written = [is_written(report, kind, path, verb=verb) for kind, path in reports]  # first: the reader of the rest may close the pipe
    if as_json:
        for line in report:
            sys.stdout.buffer.write(lines.encoded(line))
        sys.stdout.flush()
    elif not stopped or run.verdicts:
        text.show(report, console, verbose=verbose)
    code: int = report[-1]["exit_code"]
    return code if all(written) or code == runner.NOT_CONFORMANT else runner.INCOMPLETE


def is_written(report: Sequence[dict[str, Any]], kind: str, path: Path, *, verb: str) -> bool:
    """Write a report to a file and return True; print an error and return False if that fails."""
    try:
        lines.write(report, path) if kind == "jsonl" else WRITERS[kind](report, path)
    except OSError as wrong:
        click.echo(f"lakepact {verb}: the report {path} cannot be written: {wrong.strerror or wrong}", err=True)
        return False
    return True
