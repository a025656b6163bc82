"""`lakepact check`: check a server, or the embedded one, and report the results."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.evidence import extras
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
from lakepact.reach.options import (
    EXISTING_FILE,
    argument,
    flag,
    option,
    part,
    several,
    with_options,
)

FUZZ_BUDGET = 1000  #: default of `--fuzz`
STATEFUL_REQUESTS = 600  #: default of `--stateful-requests` in runs without `--only`
LATE_SECONDS = (
    15.0  #: after which servers at an address have done what they do later, such as deleting files
)
EMBEDDED = "the embedded server"  #: the target in reports if it did not start


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The options of `lakepact check`."""

    url: str | None = argument(required=False)
    contract: str | None = option(
        f"Contract to check against. [default:  {contracts()[0]}]",
        type=click.Choice(contracts()),
    )
    quick: bool = flag(
        "Only some 80 requirements: what every session needs, and the gravest known defects."
    )
    caller: profiles.Caller = part(profiles.Caller)
    feature: tuple[str, ...] = several(
        "Declare that the target has an optional feature, or not.", "NAME=on|off"
    )
    shared_files: Path | None = option(
        "Read and write files of the target below FOLDER. [default: open none that it names]",
        "FOLDER",
        type=click.Path(path_type=Path),
    )
    profile: Path | None = option(
        "TOML file with contract, url, token_env, headers, parameters, features, shared_files, "
        "timeout; `lakepact probe` writes one.",
        type=EXISTING_FILE,
    )
    fault: tuple[str, ...] = several("Enable a fault of the embedded server.", "NAME")
    output: output.ReportOptions = part(output.ReportOptions)
    fuzz: int = option(
        f"Also fuzz with about N requests; {FUZZ_BUDGET} if N is omitted.",
        "N",
        default=0,
        is_flag=False,
        flag_value=FUZZ_BUDGET,
    )
    fuzz_seed: int | None = option(
        "Seed of the fuzzer.  [default: random, and printed]", "N", type=int
    )
    stateful_requests: int | None = option(
        "Compare about N random requests with a model of the catalog; 0 for none.  [default:"
        f" {STATEFUL_REQUESTS}, or 0 with --only]",
        "N",
        type=click.IntRange(min=0),
        is_flag=False,
        flag_value=STATEFUL_REQUESTS,
    )
    stateful_seed: int = option("Seed of the stateful tests.", "N", default=0, show_default=True)
    race_repeat: int = option(
        "Repeat each race N times as often; some defects show once in a hundred repetitions.",
        "N",
        default=1,
        type=click.IntRange(min=1),
    )
    limits: profiles.LimitOptions = part(profiles.LimitOptions)
    workers: int = option(
        "Checks that run at the same time; 1 for a server that limits the rate of requests.",
        "N",
        default=runner.MAX_WORKERS,
        type=click.IntRange(min=1, max=runner.MAX_WORKERS),
    )
    clients: tuple[str, ...] = several(
        "Also let clients perform everyday tasks on the target, and report how each task ends: "
        "pyiceberg, duckdb, or NAME='COMMAND' of a program as docs/test-a-client.md describes.",
        "NAME[=COMMAND]",
    )
    no_cleanup: bool = flag("Keep the namespaces, tables and views that the checks create.")
    live: bool | None = option(
        "Print each failed requirement when it is judged.  [default: on a terminal]",
        None,
        "--live/--no-live",
    )


@click.command()
@with_options(CheckOptions)
def check(options: CheckOptions) -> None:
    """Check the server at URL against a contract; without URL, check the embedded reference server.

    Exit code: 0 conformant, 1 not conformant, 2 wrong usage, 3 incomplete (for example after
    Ctrl-C).

    Example: lakepact check http://127.0.0.1:8181 --only 'IRC-NS-*' --report html=report.html
    """
    reports, faults = options.output, options.fault
    only, fuzz = reports.only, options.fuzz
    console = Screen(stderr=reports.json)
    try:
        keys = profiles.profile(options.profile)
        suite = suites.of_profile(keys, options.contract, reports.contract_version)
        extras.require(*suite.libraries, *(extras.FUZZ if fuzz else ()))
        patterns = (*only, *plan.quick(suite)) if options.quick else only
        selection = plan.plan(suite, only=patterns, each=True, narrow=True)
        if options.quick:
            selection, only = replace(selection, only=(*only, "--quick")), patterns
        files = output.report_files(reports.report, make_folders=reports.make_folders)
        failures = known_failures.read(reports.known_failures, suite.contract.requirements)
        # An empty address comes from an unset variable; it does not mean the embedded server.
        url = keys.get("url") if options.url is None else options.url
        if url is not None:
            address(url)
        headers = profiles.headers(options.caller, keys)
        access = profiles.access(options.caller, keys, url or "")
        features = dict(profiles.switches(options.feature))
        if url and faults:
            raise click.UsageError(
                "--fault is for the embedded server; start yours with `lakepact serve --fault …`"
            )
        folder = _shared_folder(options.shared_files, keys, features, url=url)
        profiles.reject_unknown_names(
            suite,
            features=[*keys.get("features", {}), *features],
            parameters=[*keys.get("parameters", {}), *options.caller.parameters],
        )
        stateful = _stateful_requests(options.stateful_requests, suite, only, fuzz=fuzz)
        clients = on_target.programs(options.clients)
    except (LookupError, ValueError) as wrong:
        raise click.UsageError(str(wrong.args[0] if wrong.args else wrong)) from wrong
    reason, run = "", None
    with contextlib.ExitStack() as stack:
        try:
            target = profiles.target_of(
                Target(url) if url else stack.enter_context(embedded(suite, faults=faults)),
                keys,
                headers=headers,
                access=access,
                features=features,
                parameters=options.caller.parameters,
                limits=options.limits,
                folder=folder,
            )
            seed = secrets.randbelow(10**6) if options.fuzz_seed is None else options.fuzz_seed
            if selection.whole:
                console.print(
                    f"invariants judge {', '.join(only)} in every exchange: {len(selection.checks)}"
                    " checks run",
                    highlight=False,
                )
            if fuzz:
                console.print(
                    f"fuzzing with about {fuzz} requests, --fuzz-seed {seed}", highlight=False
                )
            run = runner.Run(
                selection,
                target,
                known_failures=failures,
                keep=options.no_cleanup,
                fuzz=fuzz,
                seed=seed,
                stateful=stateful,
                stateful_seed=options.stateful_seed,
                races=options.race_repeat,
                max_workers=options.workers,
                late_seconds=LATE_SECONDS if url else 0.0,
                profile=options.profile.name if options.profile else "",
                observe=partial(on_target.observe, clients),
            )
            live = console.is_terminal if options.live is None else options.live
            for _ in output.progress_of(run, console, live=live):
                pass
            reason = run.stopped
        except Misused as wrong:
            raise click.UsageError(str(wrong)) from wrong
        except (Blocked, KeyboardInterrupt) as early:
            reason = output.stop_reason(early)
            run = run or runner.Run(selection, Target(url or EMBEDDED))
    sys.exit(output.write(run, files, console, reports, verb="check", stopped=reason))


def _shared_folder(
    option: Path | None, keys: dict[str, Any], features: dict[str, bool], *, url: str | None
) -> Path | None:
    """Return the folder that a server at an address shares; the embedded one has its own."""
    if option and not url:
        raise ValueError("--shared-files needs the URL of a server; the embedded one has its own")
    return profiles.shared_files(option, keys, features) if url else None


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
