"""The verb `lakepact campaign`: plan, run, judge, report. Parsing and printing only."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.campaign import gate, plans, run_verdicts, runs, tables
from lakepact.conformance.campaign.engine_options import BY_SIZE, LOCAL, SPARK, Choice
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
from lakepact.reach.options import EXISTING_FILE, flag, option, part, several, with_options

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


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """The options of `lakepact campaign plan`."""

    contract: tuple[str, ...] = several(
        f"Contract of the cases; may be given several times.  [default: {contracts()[0]}]",
        type=click.Choice(contracts()),
    )
    seeds: str = option("Seeds of the cases, TO excluded.", "FROM:TO", default="0:4")
    modes: str = option(
        "Kinds of cases: single requests, sequences of them, checks.",
        default=",".join(generation.MODES),
    )
    per_seed: int = option("Cases of each operation, mode and seed.", default=1)
    only: tuple[str, ...] = several(
        "Only these operations; of checks, also requirements and names.", "GLOB"
    )
    out: Path = option("Folder of the plan.", type=FOLDER, required=True)
    engine: Choice = part(Choice, default=LOCAL)


@campaign.command()
@with_options(PlanOptions)
def plan(options: PlanOptions) -> None:
    """Draw cases: requests, sequences and checks, each once, the same on every machine."""
    modes = tuple(mode.strip() for mode in options.modes.split(","))
    unknown = sorted(set(modes) - set(generation.MODES))
    if unknown:
        raise click.UsageError(
            f"--modes: there is no {unknown[0]!r}; there are {', '.join(generation.MODES)}"
        )
    if options.per_seed < 1:
        raise click.UsageError("--per-seed is 1 or more")
    start = time.perf_counter()

    def draw() -> None:
        drawn = _seeds(options.seeds)
        with options.engine.make(LOCAL) as used:
            document = plans.plan(
                options.contract or contracts()[:1],
                options.out,
                seeds=drawn,
                modes=modes,
                per_seed=options.per_seed,
                only=options.only or ("*",),
                draw=used.draw,
            )
        click.echo(
            f"{document['cases']} cases in {options.out}, drawn in {time.perf_counter() - start:.1f} s"
        )

    with_errors_in_one_line("plan", draw)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of `lakepact campaign run`."""

    plan: Path | None = option("Folder of the plan; not with --resume.", type=FOLDER)
    target: tuple[str, ...] = several(
        "A target; only a file can name secrets.", "NAME=[CONTRACT+]URL|FILE.toml"
    )
    out: Path = option("Folder of the run.", type=FOLDER, required=True)
    resume: bool = flag("Go on with the run in --out: send what has not landed.")
    engine: Choice = part(Choice, default=SPARK)
    rps: float = option(
        "Requests a second to each target at most; 0 for no limit.",
        "N",
        default=0.0,
        type=Number(min=0, max=FASTEST),
    )
    report: bool = flag("Judge and report in the end, without starting anything again.")
    patience: float = option(
        "Seconds to wait for a target that is down, when all others are done.",
        default=runs.PATIENCE,
        type=Number(min=0, max=DAY),
    )


@campaign.command()
@with_options(RunOptions)
def run(options: RunOptions) -> None:
    """Send the cases of a plan to targets; every exchange lands as a row, secrets left out.

    Exit code: 0 all landed, 2 wrong usage, 3 some have not: --resume goes on.
    """
    out, resume = options.out, options.resume
    if resume == bool(options.plan) or resume == bool(options.target):
        raise click.UsageError(
            "name --plan and --target for a new run, or --resume for one that is there, which knows"
            " both"
        )

    def send() -> None:
        if resume:
            runs.check_run(out)
        engine = options.engine.make()  # what it lacks is said before there is a run
        if options.plan is not None:
            targets = parse_targets(options.target, runs.contracts(options.plan))
            runs.prepare(options.plan, out, targets)
        progress = None
        with _with_resume_command(out), engine as used, Ticker("answers") as ticker:
            for progress in runs.send_remaining(
                out, used, rps=options.rps, patience=options.patience, every=ticker.every
            ):
                ticker.tell(progress.stored, progress.total)
            if options.report:
                run_verdicts.judge(out, used)
                _write_pages(out, used, FORMATS)
        if progress is None or progress.missing or progress.stored < progress.total:
            _tell_missing(progress, out)
            sys.exit(runner.INCOMPLETE)
        click.echo(
            f"{progress.stored} cases landed in {out}, {ticker.seconds:.1f} s with {used.name} in"
            f" {used.workers} workers"
        )

    with_errors_in_one_line("run", send)


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The options of `lakepact campaign judge`."""

    run: Path = option("Folder of the run.", type=FOLDER_THERE, required=True)
    engine: Choice = part(Choice, default=SPARK)


@campaign.command()
@with_options(JudgeOptions)
def judge(options: JudgeOptions) -> None:
    """Judge all exchanges of a run, again if need be; nothing is sent.

    Exit code: 0 done, 2 there is no run, 3 done, but the run has not come to its end.
    """

    def decide() -> None:
        start = time.perf_counter()
        with options.engine.make() as used:
            run_verdicts.judge(options.run, used)
        counts = tables.counts(options.run / "results", tables.RESULTS, ["verdict"])
        summary = (
            ", ".join(f"{many} {verdict}" for (verdict,), many in sorted(counts.items())) or "none"
        )
        click.echo(
            f"{counts.total()} verdicts in {options.run}: {summary};"
            f" {time.perf_counter() - start:.1f} s"
        )
        tell_if_incomplete("judge", options.run)

    with_errors_in_one_line("judge", decide)


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """The options of `lakepact campaign report`."""

    run: Path = option("Folder of the run, judged.", type=FOLDER_THERE, required=True)
    base: Path | None = option(
        "Folder of an earlier run, judged: what changed since then.", type=FOLDER_THERE
    )
    format: str = option("Files to write: report.md, report.html.", default=",".join(FORMATS))
    fail_on: tuple[str, ...] = several(
        "Exit with 1 if there is one; may be given several times.", type=click.Choice(gate.EVENTS)
    )
    known: Path | None = option(
        "File of results that --fail-on ignores.",
        type=EXISTING_FILE,
    )
    engine: Choice = part(Choice, default=BY_SIZE)


@campaign.command()
@with_options(PageOptions)
def report(options: PageOptions) -> None:
    """Say what a run shows: coverage, matrix, divergences, and what changed since another run; as
    tables and as pages.

    Exit code: 0 done, 1 there is a result of --fail-on, 2 there is no run, 3 done, but the run has
    not come to its end.
    """
    if gate.REGRESSION in options.fail_on and options.base is None:
        raise click.UsageError(
            "--fail-on regression compares with an earlier run: name it with --base"
        )
    formats = [name.strip() for name in options.format.split(",")]
    if not set(formats) <= set(FORMATS):
        raise click.UsageError(f"--format {options.format}: there are {', '.join(FORMATS)}")

    def write() -> None:
        exceptions = gate.read_exceptions(options.known, options.run) if options.known else ()
        with options.engine.for_analysis_of(options.run).make() as used:
            rows = _write_pages(options.run, used, formats, options.base)
        lines = gate.new_results(rows, options.fail_on, exceptions, base=options.base)
        for line in lines:
            click.echo(plain(line))
        tell_if_incomplete("report", options.run)
        sys.exit(1 if lines else 0)

    with_errors_in_one_line("report", write)


def _write_pages(
    run: Path, engine: Engine, formats: Sequence[str], base: Path | None = None
) -> Found:
    rows = run_verdicts.analyse(run, engine, base)
    report_facts = facts.facts(run, rows, has_base=base is not None)
    for name in formats:
        path = run / f"report.{name}"
        path.write_text(WRITERS[name](report_facts), encoding="utf-8")
        click.echo(str(path))
    return rows


def _tell_missing(progress: runs.Progress | None, out: Path) -> None:
    """Name the targets that did not take all of their cases."""
    for name, count in (progress.missing if progress else {}).items():
        click.echo(
            f"lakepact campaign run: {name} stopped answering; {count} cases were not sent to it."
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
