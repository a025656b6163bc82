"""The measurement of broken requirements and clients: `nox -s impact`, or `python -m impact`.

Each pair of a requirement and a client is one run of the everyday programme on the reference server
with one mutant. Results are appended to a file, so that a second start measures only what is
missing; the table of all results is written at the end.
"""

from __future__ import annotations

import fnmatch
import json
import logging
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import pytest

from clients_matrix.clients import CLIENTS, ClientProgram
from impact.measuring import SECONDS, Sound, impact, sound
from impact.table import CANDIDATES, candidates, is_harmless, listed, table, text_of
from lakepact.conformance.programs.everyday.outcomes import CONTRACT, NOT_CALLED, VERSION
from lakepact.conformance.programs.program import Program
from lakepact.generated.contract import Contract
from lakepact.reference_server.faults import UnknownFault
from mutants import fault_named

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "specs" / "impact" / f"{CONTRACT}.json"
RESULTS = ROOT / "build" / "impact" / f"{CONTRACT}.jsonl"
BY_NAME = {
    client.name.removesuffix("-catalog"): client
    for client in CLIENTS
    if client.contract == CONTRACT
}
Line = dict[str, Any]

_own: dict[str, Any] = {}  # of a worker: its program, and what the client does on the sound server


def _start(command: tuple[str, ...], seconds: float, known: Sound) -> None:
    logging.disable()  # the server logs each of its errors
    _own.update(program=Program(command, seconds), known=known)


def _measured(requirement: str, mutant: str) -> Line:
    started = time.monotonic()
    operations = Contract(CONTRACT, VERSION).requirements[requirement].operations
    finding = impact(
        _own["program"], _own["known"], fault_named(mutant, CONTRACT, VERSION), operations
    )
    return {**asdict(finding), "seconds": round(time.monotonic() - started, 1)}


def _lines(path: Path) -> list[Line]:
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )


def _key(line: Line) -> tuple[str, str, str]:
    return line["client"], line["requirement"], line["mutant"]


@click.command()
@click.option(
    "--clients",
    default=",".join(BY_NAME),
    show_default=True,
    help="Names of clients, separated by commas.",
)
@click.option(
    "--requirements",
    default="*",
    show_default=True,
    help="Patterns of requirements, separated by commas.",
)
@click.option(
    "--jobs",
    default=2,
    show_default=True,
    help="Servers at a time, each with a process of the client.",
)
@click.option("--seconds", default=SECONDS, show_default=True, help="Time limit of a task.")
@click.option(
    "--again", is_flag=True, help="Measure also what has been measured, print it, and keep nothing."
)
@click.option(
    "--results", type=click.Path(path_type=Path), default=RESULTS, help="The file of results."
)
@click.option(
    "--table",
    "place",
    type=click.Path(path_type=Path),
    default=TABLE,
    help="The table of all results.",
)
def main(
    *,
    clients: str,
    requirements: str,
    jobs: int,
    seconds: float,
    again: bool,
    results: Path,
    place: Path,
) -> None:
    """Measure what a mutant of each requirement does to clients."""
    unknown = set(clients.split(",")) - BY_NAME.keys()
    if unknown:
        raise click.BadParameter(
            f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(BY_NAME)}",
            param_hint="--clients",
        )
    chosen = {
        r: mutants
        for r, mutants in candidates().items()
        if any(fnmatch.fnmatchcase(r, p) for p in requirements.split(","))
    }
    results.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    for turn in range(1 if again else CANDIDATES):
        lines = _lines(results)
        entries, done = listed(lines), {_key(line) for line in lines}
        mutants = {
            r: some[turn]
            for r, some in chosen.items()
            if len(some) > turn and (turn == 0 or is_harmless(entries.get(r)))
        }
        if again:
            mutants = {
                r: entries[r]["mutant"] if r in entries else some[0] for r, some in chosen.items()
            }
        for name in clients.split(","):
            wanted = {
                r: mutant for r, mutant in mutants.items() if again or (name, r, mutant) not in done
            }
            click.echo(
                f"{name}: {len(wanted)} of {len(mutants)} mutants to measure{_forecast(name, len(wanted), lines, jobs)}"
            )
            if wanted:
                try:
                    _measure(
                        name,
                        BY_NAME[name],
                        wanted,
                        jobs=jobs,
                        seconds=seconds,
                        results=None if again else results,
                    )
                except (pytest.skip.Exception, pytest.fail.Exception, RuntimeError) as hindered:
                    click.echo(f"{name}: left out: {hindered}", err=True)
    click.echo(f"took {time.monotonic() - started:.0f} seconds")
    if not again:
        place.parent.mkdir(exist_ok=True)
        place.write_text(text_of(table(_lines(results), BY_NAME, jobs=jobs)), "utf-8")


def _forecast(name: str, count: int, lines: list[Line], jobs: int) -> str:
    """Return how long measurements will take, by those that are there."""
    took = [line["seconds"] for line in lines if line["client"] == name and "seconds" in line]
    return f", about {count * sum(took) / len(took) / jobs / 60:.0f} minutes" if took else ""


def _measure(
    name: str,
    client: ClientProgram,
    wanted: dict[str, str],
    *,
    jobs: int,
    seconds: float,
    results: Path | None,
) -> None:
    """Measure one client, and append or print each result when it is there."""
    command, began = tuple(client.command()), time.monotonic()
    program = Program(command, client.seconds)
    try:
        known = sound(program)
    finally:
        program.stop()
    tasks = sum(len(steps) for steps in known.chains.values())
    click.echo(
        f"{name}: {tasks} tasks work on the sound server ({time.monotonic() - began:.0f} seconds)"
    )
    demanded = Contract(CONTRACT, VERSION).requirements
    called = {r: mutant for r, mutant in wanted.items() if known.calls(demanded[r].operations)}
    for requirement in wanted.keys() - called.keys():
        _keep(
            {
                "client": name,
                "requirement": requirement,
                "mutant": wanted[requirement],
                "outcome": NOT_CALLED,
            },
            results,
        )
    # Libraries that this process has used do not survive a fork.
    context, initial = multiprocessing.get_context("spawn"), (command, seconds, known)
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_start, initargs=initial
    ) as pool:
        futures = {
            pool.submit(_measured, requirement, mutant): (requirement, mutant)
            for requirement, mutant in called.items()
        }
        for future in as_completed(futures):
            requirement, mutant = futures[future]
            try:
                _keep(
                    {
                        "client": name,
                        "requirement": requirement,
                        "mutant": mutant,
                        **future.result(),
                    },
                    results,
                )
            except UnknownFault as hindered:
                click.echo(f"{requirement} {mutant}: {hindered}", err=True)
    click.echo(
        f"{name}: {len(called)} measured, {len(wanted) - len(called)} not called ({time.monotonic() - began:.0f} seconds)"
    )


def _keep(line: Line, results: Path | None) -> None:
    text = json.dumps(line, sort_keys=True, ensure_ascii=False)
    if results is None:
        click.echo(text)
        return
    with results.open("a", encoding="utf-8") as file:
        file.write(text + "\n")
