"""The verb `lakepact campaign`: plan, run, judge, report, doctor. Parsing and telling only."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakepact.conformance import runner
from lakepact.conformance.arrow import pc
from lakepact.conformance.campaign import doctor as doctors
from lakepact.conformance.campaign import generation, judged_runs, planning, running, tables
from lakepact.conformance.campaign.afterwards import COMMANDS
from lakepact.conformance.campaign.engines import Plain
from lakepact.conformance.campaign.report import facts, html, markdown
from lakepact.conformance.campaign.targets import asked
from lakepact.conformance.campaign.telling import told
from lakepact.generated.contract import contracts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.conformance.campaign.engines import Engine

ENGINES = click.Choice(["spark", "plain"])
WRITERS = {"md": markdown.markdown, "html": html.html}
FORMATS = tuple(WRITERS)
folder = click.Path(path_type=Path, file_okay=False)
with_engine = click.option(
    "--engine", type=ENGINES, default="spark", show_default=True, help="Spark, or processes of this machine without a JVM."
)
with_master = click.option("--master", default="local[*]", show_default=True, help="Spark's master: local[2], spark://…, yarn.")
with_conf = click.option("--conf", "confs", multiple=True, metavar="KEY=VALUE", help="A setting of Spark.")


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
@click.option("--contract", type=click.Choice(contracts()), default=contracts()[0], show_default=True)
@click.option("--seeds", default="0:4", show_default=True, metavar="FROM:TO", help="Where drawing starts; TO is not one of them.")
@click.option("--modes", default=",".join(generation.MODES), show_default=True, help="How to draw.")
@click.option("--per-seed", default=1, show_default=True, help="Cases of each operation, mode and seed.")
@click.option("--only", multiple=True, metavar="GLOB", help="Only these operations.")
@click.option("--jobs", type=int, help="Processes to draw in; as many as there are processors if it is left out.")
@click.option("--out", type=folder, required=True, help="Folder of the plan.")
def plan(*, contract: str, seeds: str, modes: str, per_seed: int, only: tuple[str, ...], jobs: int | None, out: Path) -> None:
    """Draw cases: requests with what has to be there before them, each once, the same on every machine."""
    wanted = tuple(mode.strip() for mode in modes.split(","))
    unknown = sorted(set(wanted) - set(generation.MODES))
    if unknown:
        raise click.UsageError(f"--modes: there is no {unknown[0]!r}; there are {', '.join(generation.MODES)}")
    started = time.perf_counter()

    def draw() -> None:
        made = planning.plan(contract, out, seeds=_seeds(seeds), modes=wanted, per_seed=per_seed, only=only or ("*",), jobs=jobs)
        click.echo(f"{made['cases']} cases of {made['operations']} operations in {out}, drawn in {time.perf_counter() - started:.1f} s")

    told("plan", draw)


@campaign.command()
@click.option("--plan", "plan_folder", type=folder, help="Folder of the plan; not with --resume.")
@click.option("--target", "targets", multiple=True, metavar="NAME=URL|FILE.toml", help="Who is asked; secrets by `token_env` in the file.")
@click.option("--out", type=folder, required=True, help="Folder of the run.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out: send what has not landed.")
@with_engine
@with_master
@with_conf
@click.option("--rps", default=0.0, metavar="N", help="Requests a second to each target at most; 0 for no limit.")
@click.option("--chunk", default=running.CHUNK, show_default=True, help="Exchanges that land together.")
def run(
    *,
    plan_folder: Path | None,
    targets: tuple[str, ...],
    out: Path,
    resume: bool,
    engine: str,
    master: str,
    confs: tuple[str, ...],
    rps: float,
    chunk: int,
) -> None:
    """Send the cases of a plan to targets; every exchange lands as a row, secrets left out.

    Exit code: 0 all landed, 2 wrong usage, 3 some have not: --resume goes on.
    """
    if resume == bool(plan_folder) or resume == bool(targets):
        raise click.UsageError("name --plan and --target for a new run, or --resume for one that is there, which knows both")
    if chunk < 1 or rps < 0:
        raise click.UsageError("--chunk is 1 or more, --rps 0 or more")

    def send() -> None:
        started = time.perf_counter()
        used = _engine(engine, master, confs)
        if used.name == "spark" and master.startswith("local"):
            click.echo(
                "on one machine --engine plain sends the same sooner: Spark takes about 10 s to start, and pays with more machines",
                err=True,
            )
        if plan_folder is not None:
            running.prepare(plan_folder, out, asked(targets))
        landed = None
        with used:
            for landed in running.carried_on(out, used, rps=rps, chunk=chunk):
                _tell_progress(landed, started)
        if landed is None or landed.missing or landed.landed < landed.planned:
            for name, missed in (landed.missing if landed else {}).items():
                click.echo(f"lakepact campaign run: {name} stopped answering; {missed} cases were not sent to it. {_again(out)}", err=True)
            sys.exit(runner.INCOMPLETE)
        click.echo(f"{landed.landed} exchanges in {out}, {time.perf_counter() - started:.1f} s with {used.name} in {used.lanes} lanes")

    told("run", send)


@campaign.command()
@click.option("--run", "run_folder", type=folder, required=True, help="Folder of the run.")
@with_engine
@with_master
@with_conf
def judge(*, run_folder: Path, engine: str, master: str, confs: tuple[str, ...]) -> None:
    """Judge all exchanges of a run, again if need be; nothing is sent."""

    def decide() -> None:
        started = time.perf_counter()
        with _engine(engine, master, confs) as used:
            judged_runs.judge(run_folder, used)
        verdicts = tables.read(run_folder / "results", tables.RESULTS, ["verdict"]).column("verdict")
        counts = {pair["values"]: pair["counts"] for pair in pc.value_counts(verdicts).to_pylist()}
        said = ", ".join(f"{counts[v]} {v}" for v in sorted(counts)) or "none"
        click.echo(f"{sum(counts.values())} verdicts in {run_folder}: {said}; {time.perf_counter() - started:.1f} s")

    told("judge", decide)


@campaign.command()
@click.option("--run", "run_folder", type=folder, required=True, help="Folder of the run, judged.")
@click.option("--base", type=folder, help="Folder of an earlier run, judged: what changed since then.")
@click.option("--format", "formats", default=",".join(FORMATS), show_default=True, help="What to write: report.md, report.html.")
@with_engine
@with_master
@with_conf
def report(*, run_folder: Path, base: Path | None, formats: str, engine: str, master: str, confs: tuple[str, ...]) -> None:
    """Say what a run shows: coverage, matrix, divergences, and what changed since another run; as tables and as pages."""
    wanted = [name.strip() for name in formats.split(",")]
    if not set(wanted) <= set(FORMATS):
        raise click.UsageError(f"--format {formats}: there are {', '.join(FORMATS)}")

    def write() -> None:
        with _engine(engine, master, confs) as used:
            found = judged_runs.analyse(run_folder, used, base)
        shown = facts.facts(run_folder, found, compared=base is not None)
        for name in wanted:
            path = run_folder / f"report.{name}"
            path.write_text(WRITERS[name](shown), encoding="utf-8")
            click.echo(str(path))

    told("report", write)


@campaign.command()
def doctor() -> None:
    """Say whether Spark can run here, and what to do if not."""
    found = doctors.examined()
    for finding in found:
        click.echo(f"{'ok  ' if finding.well else 'not '} {finding.what}: {finding.says}")
    sys.exit(0 if all(finding.well for finding in found) else runner.INCOMPLETE)


def _engine(name: str, master: str, confs: Sequence[str]) -> Engine:
    if name == "plain":
        return Plain()
    return doctors.spark_engine(master, confs)


def _tell_progress(progress: running.Progress, started: float) -> None:
    click.echo(f"{progress.landed} of {progress.planned} exchanges landed, {time.perf_counter() - started:.1f} s", err=True)


def _again(out: Path) -> str:
    return f"Start it, then: lakepact campaign run --out {out} --resume"


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
