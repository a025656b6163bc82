"""The test of the suite on servers with several faults: every fault still shows, and nothing else
fails.

    python -m mutants.together [--seeds N] [--first-seed S] [--jobs J] [--causes-per-fault X]

A seed draws 3, 6 or 12 mutants of the oldest Iceberg contract that can coexist. Against a server
with all of them:

- each requirement that one of them breaks alone fails, or a check of it is blocked by a named
  requirement that fails;
- no requirement fails that passes on the servers with one of them alone.

The servers with one fault run only the checks in question. Printed beside: how well the causes of
the report are the faults.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import click

from lakepact.conformance.evidence.outcome import NOT_JUDGED, Blocked, Outcome, Verdict
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.plan import Plan, plan
from lakepact.generated.contract import Contract
from lakepact.reference_server.app import service
from lakepact.reference_server.faults import Fault
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.settings import Settings
from mutants import own_faults
from mutants.hunting import BROKEN, served

CONTRACT = "iceberg_rest"
SIZES = (3, 6, 12)  #: faults at once; seeds take turns
#: Faults that are not combined with others, because those would not show.
HIDING = {
    "camel-case": "renames the members that other faults change",
    "names-a-file-for-each-load": "names files that are not there, so that checks which write data files are not offered",
}
#: Part of a message of the reference server when faults meet that expect correct code around them:
#: such a failure is real, and no fault's.
CRASH = "its log says why under incident"
REQUIREMENT = re.compile(r"\b[A-Z]+(?:-[A-Z0-9]+)+-\d+\b")


@dataclass(frozen=True)
class Found:
    """The results of a run."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    verdicts: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)  #: worst first
    traffic: dict[str, frozenset[str]] = field(
        default_factory=dict
    )  #: by broken requirement: the checks whose exchanges show it
    causes: tuple[tuple[str, ...], ...] = ()  #: groups of broken requirements with equal evidence
    incomplete: str = ""  #: why nothing could be judged

    @property
    def broken(self) -> frozenset[str]:
        """The requirements that failed or warned."""
        return frozenset(r for r, outcome in self.outcomes.items() if outcome in BROKEN)


@dataclass(frozen=True)
class Violation:
    """A verdict about a server with several faults that the faults alone do not justify."""

    requirement: str
    kind: str  #: "missed", "unnamed" or "unexpected"
    text: str


@dataclass(frozen=True)
class Trial:
    """The result of one seed."""

    seed: int
    faults: tuple[str, ...]
    violations: tuple[Violation, ...]
    broken: int = 0  #: requirements
    visible: int = 0  #: faults that broke a requirement of theirs
    causes: int = 0  #: groups of broken requirements
    merged: int = 0  #: faults that share a cause with another, beyond the first of each cause
    split: int = 0  #: causes of a fault beyond its first

    @property
    def is_grouped(self) -> bool:
        """Whether the number of causes is within a quarter of the number of visible faults."""
        return abs(self.causes - self.visible) <= self.visible / 4


def drawn(seed: int, count: int | None = None) -> tuple[str, ...]:
    """Return the names of the faults of a seed, which can coexist: no two of them change the same
    entry of the service.
    """
    known, count = _faults(), count or SIZES[seed % len(SIZES)]
    # By hash, so that a further mutant leaves most draws as they are.
    names = sorted(
        known.keys() - HIDING.keys(),
        key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest(),
    )
    chosen: list[str] = []
    taken: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
        config = suites.load(CONTRACT).launch_settings(Path(folder)).settings["config"]
        for name in names:
            changed = footprint(known[name], Settings(config=Path(config)))
            if not taken & changed:
                chosen.append(name)
                taken |= changed
            if len(chosen) == count:
                break
    return tuple(chosen)


@cache
def _faults() -> dict[str, Fault]:
    return own_faults(CONTRACT, Contract(CONTRACT).versions[0])


def footprint(fault: Fault, settings: Settings) -> frozenset[str]:
    """Return the entries of a service that a fault changes; those of access count as one."""
    served = service(CONTRACT, settings)
    try:
        before = dict(_entries(served))
        fault.install(served)
        return frozenset(
            name for name, value in _entries(served) if before.get(name) != value
        ) or frozenset({"access"})
    finally:
        served.close()


def _entries(served: Service) -> Iterator[tuple[str, object]]:
    """Yield the entries of a service that faults change, each with what identifies its value."""
    yield from ((f"rule {name}", served.rules.current(name)) for name in served.rules.names())
    yield from ((f"handler {name}", handler) for name, handler in served.handlers.items())
    yield from ((f"filter {name}", len(filters)) for name, filters in served.filters.items())


def run(planned: Plan, faults: Sequence[str], folder: str) -> Found:
    """Run a plan against a server with some faults."""
    with served(planned.suite, folder, faults=[_faults()[name] for name in faults]) as target:
        running = runner.Run(planned, target)
        try:
            for _ in running.events():
                pass
        except Blocked as blocked:
            return Found(incomplete=str(blocked))
    results = running.results()
    exchanges = running.wire.exchanges
    return Found(
        {r: result.outcome for r, result in results.items()},
        {r: result.verdicts for r, result in results.items()},
        {
            r: frozenset(
                exchanges[n].check
                for v in result.verdicts
                for f in v.failures
                for n in f.exchanges[-1:]
                if n in exchanges
            )
            for r, result in results.items()
            if result.outcome in BROKEN
        },
        tuple(tuple(line["requirements"]) for line in lines_of(running) if line["line"] == "cause"),
    )


def errors_of_grouping(
    causes: Sequence[Sequence[str]], faults: Sequence[str], explained: Mapping[str, str]
) -> tuple[int, int]:
    """Return how many faults were merged with others and how many causes split one.

    Args:
        causes: the requirements of each cause.
        faults: the names of the faults.
        explained: by requirement, the fault that breaks it although it does not declare so.
    """
    breaking = Counter(r for name in faults for r in _faults()[name].breaks)
    by_requirement = {
        r: name for name in faults for r in _faults()[name].breaks if breaking[r] == 1
    }
    by_requirement.update(explained)
    named = [{by_requirement[r] for r in cause if r in by_requirement} for cause in causes]
    shown = Counter(name for names in named for name in names)
    return sum(max(len(names) - 1, 0) for names in named), sum(
        number - 1 for number in shown.values()
    )


def part(requirements: Iterable[str], checks: Iterable[str]) -> Plan:
    """Return the plan of some checks and of the invariants that judge some requirements."""
    suite = suites.load(CONTRACT)
    wanted, names = frozenset(requirements), frozenset(checks)
    return Plan(
        suite,
        tuple(check for check in suite.checks.values() if check.name in names),
        tuple(
            invariant
            for invariant in suite.invariants.values()
            if wanted & set(invariant.requirements)
        ),
        wanted,
    )


def tried(seed: int, folder: str, count: int | None = None) -> Trial:
    """Run the whole plan against a server with the faults of a seed, and list what the faults alone
    do not justify.
    """
    faults = drawn(seed, count)
    known = _faults()
    together = run(plan(suites.load(CONTRACT)), faults, folder)
    if together.incomplete:
        return Trial(seed, faults, (Violation("", "incomplete", together.incomplete),))
    visible = {r for name in faults for r in known[name].breaks}
    explained = _explained(together, together.broken - visible, faults=faults, folder=folder)
    violations = [
        *_hidden(together, faults),
        *_accused(together, together.broken - visible - explained.keys()),
    ]
    shown = sum(not together.broken.isdisjoint(known[name].breaks) for name in faults)
    merged, split = errors_of_grouping(together.causes, faults, explained)
    return Trial(
        seed,
        faults,
        tuple(violations),
        len(together.broken),
        shown,
        len(together.causes),
        merged,
        split,
    )


def _hidden(together: Found, faults: Sequence[str]) -> Iterator[Violation]:
    """Yield the requirements that a fault breaks and that neither failed nor are blocked by a named
    requirement.
    """
    by_requirement = {r: name for name in faults for r in _faults()[name].breaks}
    for requirement, name in by_requirement.items():
        outcome = together.outcomes.get(requirement)
        if outcome in BROKEN:
            continue
        reasons = [
            f"{v.check}: {v.actual or v.remark}"
            for v in together.verdicts.get(requirement, ())
            if v.outcome is Outcome.BLOCKED or NOT_JUDGED in v.remark
        ]
        if any(together.broken & set(REQUIREMENT.findall(reason)) for reason in reasons):
            continue
        if outcome is not Outcome.BLOCKED:
            yield Violation(
                requirement, "missed", f"{outcome} although {name} breaks it; {'; '.join(reasons)}"
            )
        else:
            yield Violation(
                requirement,
                "unnamed",
                f"blocked by no named requirement although {name} breaks it; {'; '.join(reasons)}",
            )


def _explained(
    together: Found, unexpected: frozenset[str], *, faults: Sequence[str], folder: str
) -> dict[str, str]:
    """Return the requirements that failed and that a fault breaks alone, each with the fault."""
    explained: dict[str, str] = {}
    for name in faults:
        if left := unexpected - explained.keys():
            checks = {v.check for r in left for v in together.verdicts[r] if v.outcome in BROKEN}
            alone = run(
                part(left, checks.union(*(together.traffic[r] for r in left))), [name], folder
            )
            explained |= dict.fromkeys(left & alone.broken, name)
    return explained


def _accused(together: Found, unexplained: Iterable[str]) -> Iterator[Violation]:
    """Yield the requirements that failed, and that no fault breaks alone."""
    for requirement in sorted(unexplained):
        worst = [
            v
            for v in together.verdicts[requirement]
            if v.outcome in BROKEN and not all(CRASH in f.actual for f in v.failures)
        ]
        if not worst:
            continue
        text = "; ".join(f"{v.check}: expected {v.expected}, actual {v.actual}" for v in worst)
        yield Violation(requirement, "unexpected", f"no fault breaks it alone; {text}")


def trials(
    seeds: Sequence[int], *, folder: str, jobs: int, count: int | None = None
) -> Iterator[Trial]:
    """Try several seeds, `jobs` at a time."""
    with ProcessPoolExecutor(
        jobs, initializer=logging.disable
    ) as pool:  # the server logs each of its errors
        futures = [pool.submit(tried, seed, folder, count) for seed in seeds]
        yield from (future.result() for future in as_completed(futures))


@click.command()
@click.option("--seeds", default=30, show_default=True, help="Number of servers.")
@click.option(
    "--first-seed", default=0, show_default=True, help="The seed of the first; the others follow."
)
@click.option(
    "--faults",
    "count",
    type=int,
    metavar="N",
    help="Faults at once; by default 3, 6 and 12 in turn.",
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Servers at a time.")
@click.option(
    "--causes-per-fault",
    "bound",
    type=float,
    metavar="X",
    help="Fail if the servers together have more causes per visible fault.",
)
def main(seeds: int, *, first_seed: int, count: int | None, jobs: int, bound: float | None) -> None:
    """Check servers with several faults at once and print every verdict that the faults alone do
    not justify.
    """
    done: list[Trial] = []
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        for trial in trials(
            range(first_seed, first_seed + seeds), folder=folder, jobs=jobs, count=count
        ):
            done.append(trial)
            click.echo(
                f"seed {trial.seed}: {trial.broken} requirements, {numbers([trial])}: {', '.join(trial.faults)}"
            )
            for one in trial.violations:
                click.echo(f"  {one.kind:8} {one.requirement}: {one.text}")
    for size in sorted({len(trial.faults) for trial in done}):
        alike = [trial for trial in done if len(trial.faults) == size]
        grouped = sum(trial.is_grouped for trial in alike)
        click.echo(
            f"{size} faults: {numbers(alike)}; causes within a quarter of the faults on {grouped} of {len(alike)} servers"
        )
    right = sum(not trial.violations for trial in done)
    click.echo(f"{right} of {seeds} servers judged without a violation")
    per_fault = sum(trial.causes for trial in done) / max(sum(trial.visible for trial in done), 1)
    click.echo(
        f"{per_fault:.2f} causes per visible fault"
        + (f", at most {bound} expected" if bound else "")
    )
    sys.exit(0 if right == seeds and (bound is None or per_fault <= bound) else 1)


def numbers(some: Sequence[Trial]) -> str:
    """Return the numbers of causes and visible faults of trials, and of both errors of grouping."""
    causes, visible, merged, split = (
        sum(getattr(trial, name) for trial in some)
        for name in ("causes", "visible", "merged", "split")
    )
    return f"{causes} causes of {visible} visible faults ({merged} merged, {split} split)"


if __name__ == "__main__":
    main()
