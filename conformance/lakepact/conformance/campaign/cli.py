"""The verb `lakepact campaign`: plan, run, judge, report. Parsing and printing only."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.campaign import gate, plans, run_verdicts, runs, tables
from lakepact.conformance.campaign.engine_options import BY_SIZE, LOCAL, SPARK, Choice, with_engine
from lakepact.conformance.campaign.engines import Engine
from lakepact.conformance.campaign.errors import CannotRun
from lakepact.conformance.campaign.follow_up import COMMANDS
from lakepact.conformance.campaign.paths import FOLDER, FOLDER_THERE
from lakepact.conformance.campaign.planning import generation
from lakepact.conformance.campaign.progress import (
    Ticker,
    tell_if_incomplete,
    with_errors_in_one_line,
)
from lakepact.conformance.campaign.reporting import facts, html, markdown
from lakepact.conformance.campaign.targets import parse_targets
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.running import runner
from lakepact.conformance.running.profiles import DAY, Number
from lakepact.generated.contract import contracts

Found = dict[str, list[dict[str, Any]]]

WRITERS = {"md": markdown.markdown, "html": html.html}
FORMATS = tuple(WRITERS)
FASTEST = 1_000_000  #: requests a second, beyond which a limit is none


@click.group()
def campaign() -> None:
    """Send many cases to several targets, and compare what they answer.

    \b
    lakepact campaign plan --seeds 0:8 --out plan
    lakepact campaign run --plan plan --target ours=http://127.0.0.1:8181 --target theirs=theirs.toml --out run
    lakepact campaign judge --run run
    lakepact campaign report --run run
    """  # noqa: D301 - click's mark for text that it shall not wrap


@campaign.command()
@click.option(
    "--contract",
    "named",
    multiple=True,
    type=click.Choice(contracts()),
    help=f"Contract of the cases; may be given several times.  [default: {contracts()[0]}]",
)
@click.option(
    "--seeds",
    default="0:4",
    show_default=True,
    metavar="FROM:TO",
    help="Seeds of the cases, TO excluded.",
)
@click.option(
    "--modes",
    default=",".join(generation.MODES),
    show_default=True,
    help="Kinds of cases: single requests, sequences of them, checks.",
)
@click.option(
    "--per-seed", default=1, show_default=True, help="Cases of each operation, mode and seed."
)
@click.option(
    "--only",
    multiple=True,
    metavar="GLOB",
    help="Only these operations; of checks, also requirements and names.",
)
@click.option("--out", type=FOLDER, required=True, help="Folder of the plan.")
@with_engine(LOCAL)
def plan(
    *,
    named: tuple[str, ...],
    seeds: str,
    modes: str,
    per_seed: int,
    only: tuple[str, ...],
    out: Path,
    engine: Choice,
) -> None:
    """Draw cases: requests, sequences and checks, each once, the same on every machine."""
    wanted = tuple(mode.strip() for mode in modes.split(","))
    unknown = sorted(set(wanted) - set(generation.MODES))
    if unknown:
        raise click.UsageError(
            f"--modes: there is no {unknown[0]!r}; there are {', '.join(generation.MODES)}"
        )
    if per_seed < 1:
        raise click.UsageError("--per-seed is 1 or more")
    started = time.perf_counter()

    def draw() -> None:
        drawn = _seeds(seeds)
        with engine.made() as used:
            made = plans.plan(
                named or contracts()[:1],
                out,
                seeds=drawn,
                modes=wanted,
                per_seed=per_seed,
                only=only or ("*",),
                draw=used.draw,
            )
        click.echo(
            f"{made['cases']} cases in {out}, drawn in {time.perf_counter() - started:.1f} s"
        )

    with_errors_in_one_line("plan", draw)


@campaign.command()
@click.option("--plan", "plan_folder", type=FOLDER, help="Folder of the plan; not with --resume.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="NAME=[CONTRACT+]URL|FILE.toml",
    help="A target; only a file can name secrets.",
)
@click.option("--out", type=FOLDER, required=True, help="Folder of the run.")
@click.option(
    "--resume", is_flag=True, help="Go on with the run in --out: send what has not landed."
)
@with_engine(SPARK)
@click.option(
    "--rps",
    type=Number(min=0, max=FASTEST),
    default=0.0,
    metavar="N",
    help="Requests a second to each target at most; 0 for no limit.",
)
@click.option(
    "--report",
    "reported",
    is_flag=True,
    help="Judge and report in the end, without starting anything again.",
)
@click.option(
    "--patience",
    type=Number(min=0, max=DAY),
    default=runs.PATIENCE,
    show_default=True,
    help="Seconds to wait for a target that is down, when all others are done.",
)
def run(
    *,
    plan_folder: Path | None,
    targets: tuple[str, ...],
    out: Path,
    resume: bool,
    engine: Choice,
    rps: float,
    reported: bool,
    patience: float,
) -> None:
    """Send the cases of a plan to targets; every exchange lands as a row, secrets left out.

    Exit code: 0 all landed, 2 wrong usage, 3 some have not: --resume goes on.
    """
    if resume == bool(plan_folder) or resume == bool(targets):
        raise click.UsageError(
            "name --plan and --target for a new run, or --resume for one that is there, which knows"
            " both"
        )

    def send() -> None:
        if resume:
            runs.is_there(out)
        made = engine.made()  # what it lacks is said before there is a run
        if plan_folder is not None:
            runs.prepare(plan_folder, out, parse_targets(targets, runs.contracts(plan_folder)))
        landed = None
        with _with_resume_command(out), made as used, Ticker("cases") as ticker:
            for landed in runs.carried_on(
                out, used, rps=rps, patience=patience, every=ticker.every
            ):
                ticker.tell(landed.landed, landed.planned)
            if reported:
                run_verdicts.judge(out, used)
                _write_pages(out, used, FORMATS)
        if landed is None or landed.missing or landed.landed < landed.planned:
            _tell_missing(landed, out)
            sys.exit(runner.INCOMPLETE)
        click.echo(
            f"{landed.landed} cases landed in {out}, {ticker.seconds:.1f} s with {used.name} in"
            f" {used.workers} workers"
        )

    with_errors_in_one_line("run", send)


@campaign.command()
@click.option("--run", "run_folder", type=FOLDER_THERE, required=True, help="Folder of the run.")
@with_engine(SPARK)
def judge(*, run_folder: Path, engine: Choice) -> None:
    """Judge all exchanges of a run, again if need be; nothing is sent.

    Exit code: 0 done, 2 there is no run, 3 done, but the run has not come to its end.
    """

    def decide() -> None:
        started = time.perf_counter()
        with engine.made() as used:
            run_verdicts.judge(run_folder, used)
        counts = tables.counts(run_folder / "results", tables.RESULTS, ["verdict"])
        said = (
            ", ".join(f"{many} {verdict}" for (verdict,), many in sorted(counts.items())) or "none"
        )
        click.echo(
            f"{counts.total()} verdicts in {run_folder}: {said};"
            f" {time.perf_counter() - started:.1f} s"
        )
        tell_if_incomplete("judge", run_folder)

    with_errors_in_one_line("judge", decide)


@campaign.command()
@click.option(
    "--run", "run_folder", type=FOLDER_THERE, required=True, help="Folder of the run, judged."
)
@click.option(
    "--base", type=FOLDER_THERE, help="Folder of an earlier run, judged: what changed since then."
)
@click.option(
    "--format",
    "formats",
    default=",".join(FORMATS),
    show_default=True,
    help="Files to write: report.md, report.html.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(gate.EVENTS),
    help="Exit with 1 if there is one; may be given several times.",
)
@click.option(
    "--known",
    "known_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of results that --fail-on ignores.",
)
@with_engine(BY_SIZE)
def report(
    *,
    run_folder: Path,
    base: Path | None,
    formats: str,
    fail_on: tuple[str, ...],
    known_file: Path | None,
    engine: Choice,
) -> None:
    """Say what a run shows: coverage, matrix, divergences, and what changed since another run; as
    tables and as pages.

    Exit code: 0 done, 1 there is a result of --fail-on, 2 there is no run, 3 done, but the run has
    not come to its end.
    """
    if gate.REGRESSION in fail_on and base is None:
        raise click.UsageError(
            "--fail-on regression compares with an earlier run: name it with --base"
        )
    wanted = [name.strip() for name in formats.split(",")]
    if not set(wanted) <= set(FORMATS):
        raise click.UsageError(f"--format {formats}: there are {', '.join(FORMATS)}")

    def write() -> None:
        listed = gate.known(known_file, run_folder) if known_file else ()
        with engine.for_analysis_of(run_folder).made() as used:
            found = _write_pages(run_folder, used, wanted, base)
        unexpected = gate.unexpected(found, fail_on, listed, base=base)
        for line in unexpected:
            click.echo(plain(line))
        tell_if_incomplete("report", run_folder)
        sys.exit(1 if unexpected else 0)

    with_errors_in_one_line("report", write)


def _write_pages(
    run: Path, engine: Engine, formats: Sequence[str], base: Path | None = None
) -> Found:
    found = run_verdicts.analyse(run, engine, base)
    shown = facts.facts(run, found, compared=base is not None)
    for name in formats:
        path = run / f"report.{name}"
        path.write_text(WRITERS[name](shown), encoding="utf-8")
        click.echo(str(path))
    return found


def _tell_missing(landed: runs.Progress | None, out: Path) -> None:
    """Name the targets that did not take all of their cases."""
    for name, missed in (landed.missing if landed else {}).items():
        click.echo(
            f"lakepact campaign run: {name} stopped answering; {missed} cases were not sent to it."
            f" {_again(out)}",
            err=True,
        )


@contextlib.contextmanager
def _with_resume_command(out: Path) -> Generator[None]:
    """Add the command that continues a run to messages of the block."""
    try:
        yield
    except CannotRun as wrong:
        raise CannotRun(f"{wrong}. Then: {_resume(out)}") from wrong


def _again(out: Path) -> str:
    return f"Start it, then: {_resume(out)}"


def _resume(out: Path) -> str:
    return f"lakepact campaign run --out {out} --resume"


def _seeds(text: str) -> range:
    first, colon, last = text.partition(":")
    try:
        seeds = range(int(first), int(last) if colon else int(first) + 1)
    except ValueError:
        raise ValueError(f"--seeds {text}: write FROM:TO with two whole numbers, or one") from None
    if not seeds:
        raise ValueError(f"--seeds {text}: there is no seed in it")
    return seeds


for command in COMMANDS:
    campaign.add_command(command)
