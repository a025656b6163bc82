"""The verb `lakepact campaign`, with those of its verbs that open catalogs: land and trends.
Parsing and printing only.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from lakepact.conformance.campaign.cli import campaign
from lakepact.conformance.campaign.paths import FOLDER
from lakepact.conformance.campaign.progress import with_errors_in_one_line
from lakepact.conformance.evidence.escaping import plain
from lakepact.data import campaigns as landing
from lakepact.data.campaigns import delta, iceberg
from lakepact.data.campaigns import trends as over_runs
from lakepact.data.catalogs import CatalogOptions
from lakepact.reach.options import OUTPUT_FILE, option, part, with_options


@dataclass(frozen=True, kw_only=True)
class TablesOptions:
    """The options that name a catalog and a namespace in it."""

    catalog: CatalogOptions = part(CatalogOptions, default="")
    namespace: str = option("Iceberg: the namespace of the tables.", default=iceberg.NAMESPACE)


@dataclass(frozen=True, kw_only=True)
class LandOptions:
    """The options of `lakepact campaign land`."""

    run: Path = option("Folder of the run, judged and reported.", type=FOLDER, required=True)
    as_: str = option(
        "Format of the tables.", type=click.Choice(["iceberg", "delta"]), required=True
    )
    tables: TablesOptions = part(TablesOptions)
    to: Path | None = option(
        "Delta: the folder that takes them, and a shares.yaml if it has none.", "DIR", type=FOLDER
    )


@campaign.command()
@with_options(LandOptions)
def land(options: LandOptions) -> None:
    """Put the tables of a run beside those of other runs: into an Iceberg catalog, or into Delta
    tables that can be shared.

    The rows of the run are replaced, those of others stay; landing the same again changes nothing.
    """
    catalog, folder = options.tables.catalog.address, options.to
    if (options.as_ == "iceberg") != (catalog is not None) or (options.as_ == "delta") != (
        folder is not None
    ):
        raise click.UsageError("say --as iceberg --catalog URL, or --as delta --to DIR")

    def put() -> None:
        start = time.perf_counter()
        run_tables = landing.run_tables(options.run)
        if catalog:
            _tell(iceberg.land(run_tables, catalog, namespace=options.tables.namespace))
        elif folder:
            _tell(delta.land(run_tables, folder))
            if (shares := delta.share(folder)) is not None:
                click.echo(
                    f"{shares} shares them: add recipients, then"
                    f" lakepact serve --shares {shares} --profiles DIR"
                )
        where = catalog.address if catalog else folder
        click.echo(f"run {run_tables[0].run_id} is in {where}, {time.perf_counter() - start:.1f} s")

    with_errors_in_one_line("land", put)


def _tell(tables: Iterable[landing.Landed]) -> None:
    for table in tables:
        click.echo(f"{table.table}: {table.rows} rows{'' if table.is_new else ', as they were'}")


@dataclass(frozen=True, kw_only=True)
class TrendsOptions:
    """The options of `lakepact campaign trends`."""

    from_: Path | None = option(
        "Folder of Delta tables that `land --as delta` wrote.", "DIR", type=FOLDER
    )
    tables: TablesOptions = part(TablesOptions)
    out: Path | None = option("Also write a page.", "FILE.html", type=OUTPUT_FILE)


@campaign.command()
@with_options(TrendsOptions)
def trends(options: TrendsOptions) -> None:
    """Show since when each target breaks a requirement, and what changed at that time, over all
    landed runs.
    """
    catalog, folder = options.tables.catalog.address, options.from_
    if catalog is not None and folder is None:
        read = partial(over_runs.of_iceberg, catalog, namespace=options.tables.namespace)
    elif folder is not None and catalog is None:
        read = partial(over_runs.of_delta, folder)
    else:
        raise click.UsageError("give --from DIR or --catalog URL")

    def show() -> None:
        history = over_runs.trends(read())
        for trend in history.breaches:
            runs = f"{trend.runs} {'run' if trend.runs == 1 else 'runs'}"
            line = (
                f"{trend.target} {trend.requirement_id} {trend.verdict} since {trend.since.day}"
                f" ({runs}): {trend.change}"
            )
            click.echo(plain(line))
        click.echo(
            f"{len(history.breaches)} broken, {len(history.repairs)} mended, in {len(history.runs)} runs"
        )
        if options.out is not None:
            options.out.write_text(over_runs.html(history), encoding="utf-8")
            click.echo(str(options.out))

    with_errors_in_one_line("trends", show)
