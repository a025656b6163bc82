"""`lakepact clean`: remove what runs of `lakepact check` left on a server."""

from __future__ import annotations

import sys

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.limits import Budget
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import Target, address
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running import discovery, profiles, runner
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import contracts
from lakepact.reach.options import with_access

PREFIX = "lp_"  #: of the names of all objects that checks create


@click.command()
@click.argument("url")
@click.option(
    "--contract",
    type=click.Choice(contracts()),
    default=contracts()[0],
    show_default=True,
    help="Contract of the server.",
)
@with_access
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the target, for example `warehouse=…`.",
)
@click.option(
    "--prefix",
    default=PREFIX,
    show_default=True,
    metavar="lp_RUN_",
    help="How the names of the objects begin; `lp_RUN_` for one run alone.",
)
def clean(
    url: str,
    *,
    contract: str,
    headers: dict[str, str],
    parameters: tuple[str, ...],
    prefix: str,
    **access: str | None,
) -> None:
    """Remove the namespaces, tables and views at URL that runs of `lakepact check` left there, by
    their names.

    Exit code: 0 nothing is left, 2 wrong usage, 3 something could not be removed.

    Example: lakepact clean http://127.0.0.1:8181
    """
    if not prefix.startswith(PREFIX):
        raise click.UsageError(f"--prefix {prefix}: names of checks begin with {PREFIX}")
    try:
        target = Target(
            address(url),
            headers=profiles.headers(headers, access["token_env"], {}),
            access=profiles.access({}, access, url),
            parameters=dict(profiles.pairs(parameters)),
        )
    except ValueError as wrong:
        raise click.UsageError(str(wrong)) from wrong
    suite = suites.load(contract)
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
