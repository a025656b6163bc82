"""`lakepact check`: check a server, or the embedded one, and report the results."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.evidence import extras
from lakepact.conformance.evidence.limits import MAX_BODY, MAX_WAIT, MIB
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import Target, address
from lakepact.conformance.judging import known_failures
from lakepact.conformance.programs.everyday import on_target
from lakepact.conformance.report import output
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running import plan, profiles, runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import Misused, embedded
from lakepact.generated.contract import contracts
from lakepact.reach.options import with_access

FUZZ_BUDGET = 1000  #: default of `--fuzz`
STATEFUL_REQUESTS = 600  #: default of `--stateful-requests` in runs without `--only`
LATE_SECONDS = (
    15.0  #: after which servers at an address have done what they do later, such as deleting files
)
EMBEDDED = "the embedded server"  #: the target in reports if it did not start


@click.command()
@click.argument("url", required=False)
@click.option(
    "--contract",
    type=click.Choice(contracts()),
    help=f"Contract to check against. [default:  {contracts()[0]}]",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Only some 75 requirements: what every session needs, and the gravest known defects.",
)
@with_access
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the target, for example `warehouse=…`; see `lakepact list --parameters`.",
)
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME=on|off",
    help="Declare that the target has an optional feature, or not.",
)
@click.option(
    "--shared-files",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Read and write files of the target below FOLDER. [default: open none that it names]",
)
@click.option(
    "--profile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=(
        "TOML file with contract, url, token_env, headers, parameters, features, shared_files, "
        "timeout; `lakepact probe` writes one."
    ),
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME",
    help="Enable a fault of the embedded server.",
)
@output.with_report_options
@click.option(
    "--fuzz",
    type=int,
    is_flag=False,
    flag_value=FUZZ_BUDGET,
    default=0,
    metavar="N",
    help=f"Also fuzz with about N requests; {FUZZ_BUDGET} if N is omitted.",
)
@click.option(
    "--fuzz-seed", type=int, metavar="N", help="Seed of the fuzzer.  [default: random, and printed]"
)
@click.option(
    "--stateful-requests",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=STATEFUL_REQUESTS,
    metavar="N",
    help=(
        "Compare about N random requests with a model of the catalog; 0 for none.  [default:"
        f" {STATEFUL_REQUESTS}, or 0 with --only]"
    ),
)
@click.option(
    "--stateful-seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the stateful tests.",
)
@click.option(
    "--race-repeat",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Repeat each race N times as often; some defects show once in a hundred repetitions.",
)
@click.option(
    "--timeout",
    type=profiles.SECONDS,
    help=(
        f"Seconds to wait for a complete answer.  [default: {profiles.TIMEOUT:g}, or the profile's]"
    ),
)
@click.option(
    "--max-body",
    type=profiles.MIBS,
    metavar="MIB",
    help=f"Largest response body, encoded or decoded.  [default: {MAX_BODY // MIB}]",
)
@click.option(
    "--max-wait",
    type=profiles.SECONDS,
    metavar="SECONDS",
    help=(
        "Total seconds to spend on answers that exceed a limit, and to pause after 429 and 503. "
        f" [default: {MAX_WAIT:g}]"
    ),
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=runner.MAX_WORKERS),
    default=runner.MAX_WORKERS,
    show_default=True,
    metavar="N",
    help="Checks that run at the same time; 1 for a server that limits the rate of requests.",
)
@click.option(
    "--clients",
    "client_programs",
    multiple=True,
    metavar="NAME[=COMMAND]",
    help=(
        "Also let clients perform everyday tasks on the target, and report how each task ends: "
        "pyiceberg, duckdb, or NAME='COMMAND' of a program as docs/test-a-client.md describes."
    ),
)
@click.option(
    "--no-cleanup",
    is_flag=True,
    help="Keep the namespaces, tables and views that the checks create.",
)
@click.option(
    "--live/--no-live",
    default=None,
    help="Print each failed requirement when it is judged.  [default: on a terminal]",
)
def check(
    url: str | None,
    *,
    contract: str | None,
    contract_version: str | None,
    only: tuple[str, ...],
    quick: bool,
    headers: dict[str, str],
    parameters: tuple[str, ...],
    features: tuple[str, ...],
    shared_files: Path | None,
    profile: Path | None,
    known_file: Path | None,
    faults: tuple[str, ...],
    reports: tuple[str, ...],
    make_folders: bool,
    fuzz: int,
    fuzz_seed: int | None,
    stateful_requests: int | None,
    stateful_seed: int,
    race_repeat: int,
    timeout: float | None,
    max_body: float | None,
    max_wait: float | None,
    workers: int,
    client_programs: tuple[str, ...],
    strict: bool,
    no_cleanup: bool,
    verbose: bool,
    live: bool | None,
    severity: str | None,
    as_json: bool,
    **access: str | None,
) -> None:
    """Check the server at URL against a contract; without URL, check the embedded reference server.

    Exit code: 0 conformant, 1 not conformant, 2 wrong usage, 3 incomplete (for example after
    Ctrl-C).

    Example: lakepact check http://127.0.0.1:8181 --only 'IRC-NS-*' --report html=report.html
    """
    console = Screen(stderr=as_json)
    try:
        given = profiles.profile(profile)
        suite = suites.meant(given, contract, contract_version)
        extras.require(*suite.libraries, *(extras.FUZZ if fuzz else ()))
        chosen = (*only, *plan.quick(suite)) if quick else only
        planned = plan.plan(suite, only=chosen, each=True, narrow=True)
        if quick:
            planned, only = replace(planned, only=(*only, "--quick")), chosen
        wanted_reports = output.report_files(reports, make_folders=make_folders)
        listed = known_failures.read(known_file, suite.contract.requirements) if known_file else ()
        # An empty address comes from an unset variable; it does not mean the embedded server.
        target_url = given.get("url") if url is None else url
        if target_url is not None:
            address(target_url)
        sent = profiles.headers(headers, access["token_env"], given)
        reached = profiles.access(given, access, target_url or "")
        switched = dict(profiles.switches(features))
        if target_url and faults:
            raise click.UsageError(
                "--fault is for the embedded server; start yours with `lakepact serve --fault …`"
            )
        folder = _shared_folder(shared_files, given, switched, url=target_url)
        told = dict(profiles.pairs(parameters))
        profiles.names_are_known(
            suite,
            features=[*given.get("features", {}), *switched],
            parameters=[*given.get("parameters", {}), *told],
        )
        stateful = _stateful_requests(stateful_requests, suite, only, fuzz=fuzz)
        clients = on_target.programs(client_programs)
    except (LookupError, ValueError) as wrong:
        raise click.UsageError(str(wrong.args[0] if wrong.args else wrong)) from wrong
    stopped, run = "", None
    with contextlib.ExitStack() as stack:
        try:
            found = (
                Target(target_url)
                if target_url
                else stack.enter_context(embedded(suite, faults=faults))
            )
            allowed = {"seconds": timeout, "max_body": max_body, "max_wait": max_wait}
            target = profiles.described(
                found,
                given,
                headers=sent,
                access=reached,
                features=switched,
                parameters=told,
                folder=folder,
                **allowed,
            )
            seed = secrets.randbelow(10**6) if fuzz_seed is None else fuzz_seed
            if planned.whole:
                console.print(
                    f"invariants judge {', '.join(only)} in every exchange: {len(planned.checks)}"
                    " checks run",
                    highlight=False,
                )
            if fuzz:
                console.print(
                    f"fuzzing with about {fuzz} requests, --fuzz-seed {seed}", highlight=False
                )
            run = runner.Run(
                planned,
                target,
                known=listed,
                keep=no_cleanup,
                fuzz=fuzz,
                seed=seed,
                stateful=stateful,
                stateful_seed=stateful_seed,
                races=race_repeat,
                max_workers=workers,
                late_seconds=LATE_SECONDS if target_url else 0.0,
                profile=profile.name if profile else "",
                observe=partial(on_target.observe, clients),
            )
            for _ in output.watched(
                run, console, live=console.is_terminal if live is None else live
            ):
                pass
            stopped = run.stopped
        except Misused as wrong:
            raise click.UsageError(str(wrong)) from wrong
        except (Blocked, KeyboardInterrupt) as early:
            stopped = output.stop_reason(early)
            run = run or runner.Run(planned, Target(target_url or EMBEDDED))
    code = output.write(
        run,
        wanted_reports,
        console,
        verb="check",
        stopped=stopped,
        strict=strict,
        verbose=verbose,
        as_json=as_json,
        severity=severity,
    )
    sys.exit(code)


def _shared_folder(
    option: Path | None, given: dict[str, Any], features: dict[str, bool], *, url: str | None
) -> Path | None:
    """Return the folder that a server at an address shares; the embedded one has its own."""
    if option and not url:
        raise ValueError("--shared-files needs the URL of a server; the embedded one has its own")
    return profiles.shared_files(option, given, features) if url else None


def _stateful_requests(
    option: int | None, suite: suites.Suite[Any], only: Sequence[str], *, fuzz: int
) -> int:
    """Return how many requests the stateful tests send: the option, else the default of a complete
    run.

    Raises:
        ValueError: the contract has no stateful tests, or no fuzzer for its requests.
    """
    has_a_model = suite.fuzz is not None and suite.fuzz.model is not None
    default = STATEFUL_REQUESTS if has_a_model and not only else 0
    stateful = default if option is None else option
    if fuzz and suite.fuzz is None:
        raise ValueError(f"--fuzz: {suite.contract.name} has no fuzzer")
    if stateful and not has_a_model:
        raise ValueError(f"--stateful-requests: {suite.contract.name} has no stateful tests")
    return stateful
