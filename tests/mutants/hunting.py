"""The test of the suite: the checks of a broken requirement must find every named fault of the
reference server.

    python -m mutants [--contract NAME …] [--contract-version VERSION] [--only GLOB …] [--jobs N]

Every version of a contract is tested, with or without `--only`: of a later version, its additions.

A *mutant* is the reference server with one fault. A mutant that no check finds is a gap in the
suite; a judged requirement that no mutant breaks may have a check that proves nothing. Both are
listed, and both make this command fail. So does a finding
that a maintainer cannot act on, one at another place than the fault, and a requirement that the
server breaks without any fault: tests of the server leave these to the checks.
"""

from __future__ import annotations

import contextlib
import fnmatch
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.evidence.outcome import Blocked, Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract, OperationId, contracts
from lakepact.reference_server.faults import Fault
from lakepact.reference_server.running import running
from mutants import fault_named, own_faults
from mutants.clarity import obscure
from mutants.placing import misplaced, watched

BROKEN = (Outcome.FAIL, Outcome.WARN)
PLACED = (
    300  #: mutants at least of all contracts whose place is compared with the places of findings
)


@dataclass(frozen=True)
class Hunt:
    """The result of the suite for one mutant."""

    fault: str
    breaks: tuple[str, ...]
    found: tuple[str, ...]  #: requirements of `breaks` that came out broken
    other: str = ""  #: why the suite could not run
    obscure: tuple[str, ...] = ()  #: findings that a maintainer cannot act on
    is_placed: bool = False  #: whether the places of the fault and of a finding were compared
    misplaced: tuple[str, ...] = ()  #: findings at another place than the fault

    @property
    def killed(self) -> bool:
        """Whether every requirement that the fault breaks was found to be broken."""
        return set(self.breaks) <= set(self.found)


def hunt(
    contract: str, fault: str, breaks: Sequence[str], folder: str, version: str | None = None
) -> Hunt:
    """Run the checks of what a fault breaks against a server that has it; `folder` is for what the
    servers of this process share.
    """
    suite = suites.load(contract, version)
    planned = plan.plan(suite, only=breaks)
    places: set[str] = set()
    faulty = watched(fault_named(fault, contract, version), places)
    with served(suite, folder, faults=(faulty,), operation=suite.server_of(breaks)) as target:
        run = runner.Run(planned, target)
        try:
            for _ in run.events():
                pass
        except Blocked as blocked:
            return Hunt(fault, tuple(breaks), (), str(blocked))
    broken = [v for v in run.verdicts if v.outcome in BROKEN]
    found = tuple(sorted({v.requirement for v in broken}))
    is_placed, elsewhere = misplaced([v for v in broken if v.requirement in breaks], places)
    return Hunt(
        fault,
        tuple(breaks),
        found,
        obscure=tuple(obscure(broken)),
        is_placed=is_placed,
        misplaced=tuple(elsewhere),
    )


@contextlib.contextmanager
def served(
    suite: Suite[Any],
    folder: str,
    *,
    faults: Sequence[Fault] = (),
    operation: OperationId | None = None,
) -> Generator[Target]:
    """A server in this process, spoken to with a token even where it asks for none, so that it can
    be seen to leak one.

    Args:
        suite: the suite of its contract.
        folder: for what the servers of this process share.
        faults: what it does wrong.
        operation: one that only a server of its own offers; `None` for the usual server.
    """
    home = _home(suite, folder, operation)
    with running(contract=suite.contract.name, faults=faults, **home.settings) as server:
        target = home.target(server.url)
        yield replace(
            target, headers={"Authorization": "Bearer lakepact-unknown", **target.headers}
        )


@cache
def _home(suite: Suite[Any], folder: str, operation: OperationId | None) -> EmbeddedTarget:
    """Return the launch settings of this process's servers; processes share no files that a check
    might change.
    """
    own = Path(folder) / str(os.getpid()) / (operation or "usual")
    own.mkdir(exist_ok=True, parents=True)
    return (
        suite.launch_settings(own)
        if operation is None
        else suite.launch_settings_for[operation](own)
    )


def hunts(
    contract: str,
    wanted: Sequence[tuple[str, tuple[str, ...]]],
    *,
    folder: str,
    jobs: int,
    version: str | None = None,
) -> Iterable[Hunt]:
    """Hunt several mutants, `jobs` at a time."""
    # Libraries that this process has used, such as deltalake, do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = {
            pool.submit(hunt, contract, name, breaks, folder, version): (name, breaks)
            for name, breaks in wanted
        }
        for future in as_completed(futures):
            try:
                yield future.result()
            except Exception as broken:  # noqa: BLE001 - one hunt that breaks is reported like one that finds nothing
                name, breaks = futures[future]
                yield Hunt(name, breaks, (), f"{type(broken).__name__}: {broken}")


def outcomes(suite: Suite[Any], folder: str, *, only: Sequence[str] = ()) -> dict[str, Outcome]:
    """Return the outcome of each requirement that the checks judge on the reference server without
    faults.

    Args:
        suite: the suite of a version of a contract.
        folder: for what the servers of this process share.
        only: patterns of the ids that are meant; none for all.
    """
    versions = suite.contract.versions
    earlier = versions[: versions.index(suite.contract.version)]
    taken_over = {
        requirement
        for version in earlier
        for requirement in suites.load(suite.contract.name, version).contract.requirements
    }
    meant = [r for r in suite.judges() if r not in taken_over and (not only or _matches(only, r))]
    found: dict[str, Outcome] = {}
    for operation in (None, *suite.launch_settings_for):
        here = [r for r in meant if suite.server_of([r]) == operation]
        if here:
            with served(suite, folder, operation=operation) as target:
                run = runner.Run(plan.plan(suite, only=here if only or operation else ()), target)
                for _ in run.events():
                    pass
            found |= {
                r: result.outcome
                for r, result in run.results().items()
                if r in here or result.outcome in BROKEN
            }
    return found


def _matches(patterns: Sequence[str], *texts: str) -> bool:
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns for text in texts)


def unproven(
    suite: Suite[Any], found: Iterable[Hunt], judged: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Requirements that a check judges and no mutant was found to break, with their checks; a MAY
    cannot be broken.
    """
    proven = {requirement for h in found for requirement in h.found}
    checks = suite.judges()
    return {
        r: checks[r]
        for r in sorted(judged)
        if r not in proven and suite.requirement(r).level != "MAY"
    }


@click.command()
@click.option(
    "--contract",
    "wanted",
    type=click.Choice(contracts()),
    multiple=True,
    help="Only mutants of this contract.",
)
@click.option(
    "--contract-version",
    "version",
    metavar="VERSION",
    help="Only mutants of this version; without it, of every version.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="GLOB",
    help="Only faults whose name or broken requirement matches, in whichever version they are.",
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Mutants at a time.")
def main(wanted: tuple[str, ...], *, version: str | None, only: tuple[str, ...], jobs: int) -> None:
    """Hunt the mutants of the contracts and print the kill rate of each version.

    With --only, a requirement that it names and no mutant breaks is told as well.
    """
    known = [
        (contract, each)
        for contract in wanted or contracts()
        for each in Contract(contract).versions
    ]
    if version is not None and version not in {each for _, each in known}:
        named = ", ".join(f"{contract} {each}" for contract, each in known)
        raise click.BadParameter(
            f"there is no version {version}; there are {named}", param_hint="--contract-version"
        )
    meant = {at: mutants(*at, only=only) for at in known if version in {None, at[1]}}
    if only and not any(meant.values()):
        raise click.BadParameter(
            f"no fault, and no requirement that one breaks, matches {', '.join(only)}",
            param_hint="--only",
        )
    done = [
        hunted(*at, found, only=only, jobs=jobs) for at, found in meant.items() if found or not only
    ]
    placed, is_whole = sum(compared for _, compared in done), not (wanted or version or only)
    if is_whole:
        click.echo(f"{placed} mutants with a place to compare, at least {PLACED} expected")
    sys.exit(0 if all(proven for proven, _ in done) and (placed >= PLACED or not is_whole) else 1)


def mutants(
    contract: str, version: str, *, only: Sequence[str]
) -> list[tuple[str, tuple[str, ...]]]:
    """The faults of one version of a contract that are meant, each with what it breaks."""
    known = own_faults(contract, version)
    return [
        (name, fault.breaks)
        for name, fault in known.items()
        if fault.breaks and (not only or _matches(only, name, *fault.breaks))
    ]


def hunted(
    contract: str,
    version: str,
    wanted: Sequence[tuple[str, tuple[str, ...]]],
    *,
    only: Sequence[str],
    jobs: int,
) -> tuple[bool, int]:
    """Hunt mutants of one version and print what was found; return whether all is proven, and how
    many have a place.
    """
    found = []
    suite = suites.load(contract, version)
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        for one in hunts(contract, wanted, folder=folder, jobs=jobs, version=version):
            found.append(one)
            if not one.killed:
                missed = ", ".join(sorted(set(one.breaks) - set(one.found)))
                click.echo(
                    f"alive    {one.fault}: nothing found that it breaks {missed}"
                    + (f" ({one.other})" if one.other else "")
                )
            for line in one.obscure:
                click.echo(f"obscure  {one.fault}: {line}")
            for line in one.misplaced:
                click.echo(f"misplaced {one.fault}: {line}")
        killed = sum(h.killed for h in found)
        results = outcomes(suite, folder, only=only)
    rest = unproven(suite, found, [r for r, outcome in results.items() if outcome is Outcome.PASS])
    unkept = sorted(r for r, outcome in results.items() if outcome in BROKEN)
    for requirement in unkept:
        click.echo(
            f"unkept   {requirement}: the reference server without faults breaks it ({', '.join(suite.judges()[requirement])})"
        )
    for requirement, by in rest.items():
        click.echo(f"unproven {requirement}: no mutant breaks it ({', '.join(by)})")
    placed = sum(h.is_placed for h in found)
    killed_of = f"{killed} of {len(found)} mutants killed, {placed} with a place to compare"
    click.echo(
        f"{contract} {version}: {killed_of}; {len(rest)} judged requirements without a mutant"
    )
    return killed == len(found) and not rest and not unkept and not any(
        h.obscure or h.misplaced for h in found
    ), placed
