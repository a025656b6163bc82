"""The output of a run: a progress line, then the report in the requested formats."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lakepact.conformance.evidence.escaping import plain, terminal
from lakepact.conformance.evidence.outcome import Blocked, Outcome, Verdict
from lakepact.conformance.http.wire import NoAnswer
from lakepact.conformance.report import badge, html, junit, lines, markdown, text
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.outline import Outline
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import runner
from lakepact.conformance.running.discovery import with_advice
from lakepact.conformance.running.runner import CheckEnded, Run
from lakepact.reach.options import EXISTING_FILE, flag, option, several

if TYPE_CHECKING:
    from types import FrameType

    from lakepact.generated.report import Line

QUIET_SECONDS = 30  #: between lines about the progress, where no terminal shows it
STOPPING = (signal.SIGINT, signal.SIGTERM)
NAMED = 3  #: failed requirements that a progress line names
NOTHING_JUDGED = (
    "no requirement was judged, since the target offers none of them; --verbose says why"
)
LONGEST_FINDING = 300  #: characters of a finding while the run goes on
SEVERITIES = click.Choice([severity.name.lower() for severity in Severity])
MAKE_FOLDERS = "Make the missing folders of reports."
WRITERS = {"badge": badge.svg, "html": html.html, "junit": junit.junit, "md": markdown.markdown}


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The options of verbs that check something and report it."""

    contract_version: str | None = option(
        "A version of the contract; see `lakepact contracts list`. [default: the oldest]", "VERSION"
    )
    only: tuple[str, ...] = several(
        "Only these requirement ids, areas, operations or checks.", "GLOB"
    )
    known_failures: Path | None = option(
        "File of known failures.",
        type=EXISTING_FILE,
    )
    report: tuple[str, ...] = several(
        "Also write html=…, junit=…, md=…, jsonl=… or badge=…", "KIND=FILE"
    )
    make_folders: bool = flag(MAKE_FOLDERS)
    severity: str | None = option(
        "Print findings of this severity only; reports hold all.", type=SEVERITIES
    )
    strict: bool = flag("Fail on unmet SHOULD requirements too.")
    verbose: bool = flag("Also list the requirements that pass, with remarks.", "-v")
    json: bool = flag("Print the report's JSON lines instead of text.")


def stop_reason(early: Blocked | KeyboardInterrupt) -> str:
    """Return why a run ended early, for its report."""
    if isinstance(early, NoAnswer):
        return with_advice(early)
    return str(early) if isinstance(early, Blocked) else "interrupted"


def report_files(
    options: Sequence[str], *, make_folders: bool, kinds: Sequence[str] = (*WRITERS, "jsonl")
) -> list[tuple[str, Path]]:
    """Return formats and files of `--report KIND=FILE` options.

    Args:
        options: the options.
        make_folders: make the missing folders of the files.
        kinds: the formats.

    Raises:
        ValueError: a format is unknown, no file is named, its folder is missing, or the file
            cannot be written.
    """
    files = []
    for value in options:
        kind, _, name = value.partition("=")
        if kind not in kinds or not name:
            raise ValueError(
                f"--report {value}: write KIND=FILE with KIND one of {', '.join(kinds)}"
            )
        path = Path(name)
        if make_folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not path.parent.is_dir():
            raise ValueError(
                f"--report {value}: there is no folder {path.parent}; make it, or add --make-folders"
            )
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            reason = "is a folder: name a file in it" if path.is_dir() else "cannot be written"
            raise ValueError(f"--report {value}: {path} {reason}")
        files.append((kind, path))
    return files


def progress_of(run: Run, console: Console, *, live: bool = False) -> Iterator[None]:
    """Run with a progress line on a terminal, and elsewhere with a line on standard error every 30
    seconds.

    Args:
        run: the run.
        console: where the progress line is shown.
        live: also print each finding when it is judged.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    failures: dict[str, None] = {}
    latest: deque[CheckEnded] = deque(maxlen=1)
    with (
        Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        ) as progress,
        contextlib.nullcontext() if console.is_terminal else _lines(run, latest, failures),
        _line_at_ctrl_c(),
    ):
        task = progress.add_task("judging", total=run.planned)
        for event in run.events():
            for verdict in event.verdicts:
                if verdict.outcome is Outcome.FAIL and verdict.requirement not in failures:
                    failures[verdict.requirement] = None
                    if live:
                        console.print(_finding(run, verdict), soft_wrap=True, highlight=False)
            progress.update(
                task,
                completed=event.done,
                description=f"checking [dim]{event.check}[/]{_failures(failures, ' [red]', '[/]')}",
            )
            latest.append(event)
            yield


@contextlib.contextmanager
def _line_at_ctrl_c() -> Generator[None]:
    """Write a line at Ctrl-C and SIGTERM at once: checks that run may wait for a slow server."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        click.echo("lakepact: interrupted; checks that run remove their objects", err=True)
        signal.default_int_handler(number, frame)

    before = {number: signal.signal(number, interrupt) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _lines(run: Run, latest: Sequence[CheckEnded], failures: Mapping[str, None]) -> Generator[None]:
    """Write a line about a run every 30 seconds, also while the server is slow and no check
    ends.
    """
    over, start = threading.Event(), time.monotonic()

    def write_lines() -> None:
        while not over.wait(QUIET_SECONDS):
            checks = latest[-1].done if latest else 0
            state = _failures(failures, "; ") if latest else "; no check has ended yet"
            if run.offer is None:
                state = "; detecting features of the server"
            click.echo(
                f"lakepact: {checks} of {run.planned} after {time.monotonic() - start:.0f} s{state}",
                err=True,
            )

    thread = threading.Thread(target=write_lines, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _finding(run: Run, verdict: Verdict) -> str:
    """Return the line of a failed requirement."""
    finding = (
        f"expected {verdict.expected}; got {verdict.actual}" if verdict.expected else verdict.actual
    )
    return (
        f"[bold red]FAIL[/] {verdict.requirement} "
        f" {terminal(run.wire.redact(finding)[:LONGEST_FINDING])}"
    )


def _failures(failures: Mapping[str, None], before: str, after: str = "") -> str:
    """Return how many requirements failed, and the last of them."""
    last = ", ".join([*failures][-NAMED:])
    return (
        f"{before}{len(failures)} failed: {'… ' if len(failures) > NAMED else ''}{last}{after}"
        if failures
        else ""
    )


def write(
    run: Run,
    reports: Sequence[tuple[str, Path]],
    console: Console,
    options: ReportOptions,
    *,
    verb: str,
    stopped: str,
) -> int:
    """Print the report of a run, write the requested files, and return the exit code.

    Args:
        run: the run, also if it ended early.
        reports: formats and files.
        console: where it is printed.
        options: how it is printed.
        verb: the verb, for error messages.
        stopped: why the run ended early; empty if it did not.
    """
    outcomes = {result.outcome for result in run.results().values()}
    stopped = stopped or (NOTHING_JUDGED if outcomes == {Outcome.NOT_OFFERED} else "")
    report = list(lines_of(run, strict=options.strict, stopped=stopped))
    if stopped:
        click.echo(f"lakepact {verb}: {plain(run.wire.redact(stopped))}", err=True)
    successes = [
        writes(report, kind, path, verb=verb) for kind, path in reports
    ]  # first: the reader of the rest may close the pipe
    if options.json:
        for line in report:
            sys.stdout.buffer.write(lines.as_bytes(line))
        sys.stdout.flush()
    elif not stopped or run.verdicts:
        text.show(report, console, verbose=options.verbose, severity=options.severity)
    code = Outline.of(report).footer["exit_code"]
    return code if all(successes) or code == runner.NOT_CONFORMANT else runner.INCOMPLETE


def writes(report: Sequence[Line], kind: str, path: Path, *, verb: str) -> bool:
    """Write a report to a file and return True; print an error and return False if that fails."""
    try:
        lines.write(report, path) if kind == "jsonl" else path.write_text(
            WRITERS[kind](report), encoding="utf-8"
        )
    except OSError as wrong:
        click.echo(
            f"lakepact {verb}: the report {path} cannot be written: {wrong.strerror or wrong}",
            err=True,
        )
        return False
    return True
