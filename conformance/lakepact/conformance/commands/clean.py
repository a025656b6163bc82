"""`lakepact clean`: remove what runs of `lakepact check` left on a server."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.limits import Budget
from lakepact.conformance.evidence.object_names import prefix_of
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running import discovery, profiles, runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.profiles import Caller
from lakepact.generated.contract import contracts
from lakepact.reach.options import argument, option, part, with_options


@dataclass(frozen=True, kw_only=True)
class Cleaning:
    """The options of `lakepact clean`."""

    url: str = argument()
    contract: str = option(
        "Contract of the server.",
        default=contracts()[0],
        type=click.Choice(contracts()),
    )
    caller: Caller = part(Caller)
    prefix: str = option(
        "How the names of the objects begin, `lp_RUN_` for one run alone; by default those of all"
        " runs. On watsonx.data names have x instead of _.",
        "lp_RUN_",
        default="",
    )


@click.command()
@with_options(Cleaning)
def clean(options: Cleaning) -> None:
    """Remove the namespaces, tables and views at URL that runs of `lakepact check` left there, by
    their names.

    Exit code: 0 nothing is left, 2 wrong usage, 3 something could not be removed.

    Example: lakepact clean http://127.0.0.1:8181
    """
    contract = options.contract
    try:
        target = profiles.target(options.url, options.caller)
    except ValueError as wrong:
        raise click.UsageError(str(wrong)) from wrong
    suite = suites.load(contract)
    every_run = prefix_of("", divider=suite.lab.divider)
    prefix = options.prefix or every_run
    if not prefix.startswith(every_run):
        raise click.UsageError(f"--prefix {prefix}: names of checks begin with {every_run}")
    declares = discovery.probe_spec(contract).declares
    if suite.clean is None or declares is None:
        raise click.UsageError(f"--contract {contract}: checks create nothing on its servers")
    results: list[str] = []
    budget = Budget(target.max_wait)
    with Wire(target.url, headers=target.headers, access=target.access, budget=budget) as wire:
        try:
            offer = declares(wire, target)
            lab = suite.lab(
                wire, suite.contract, target, offer=offer, check="clean", run="", serial=0
            )
            for path, why in suite.clean(lab, prefix):
                results.append(why)
                click.echo(plain(wire.redact(f"{path}: {why or 'removed'}")))
        except Blocked as blocked:
            click.echo(f"lakepact clean: {plain(wire.redact(str(blocked)))}", err=True)
            sys.exit(runner.INCOMPLETE)
    remaining = sum(map(bool, results))
    click.echo(f"{len(results) - remaining} removed, {remaining} still there")
    sys.exit(runner.INCOMPLETE if remaining else runner.CONFORMANT)
