"""The verb `lakepact campaign`, with those of its verbs that open catalogs: land and trends.
Parsing and printing only.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
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
from lakepact.data.catalogs import CatalogAddress, catalog_options

of_namespace = click.option(
    "--namespace",
    default=iceberg.NAMESPACE,
    show_default=True,
    help="Iceberg: the namespace of the tables.",
)


@campaign.command()
@click.option(
    "--run",
    "run_folder",
    type=FOLDER,
    required=True,
    help="Folder of the run, judged and reported.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["iceberg", "delta"]),
    required=True,
    help="Format of the tables.",
)
@catalog_options()
@of_namespace
@click.option(
    "--to",
    "to_folder",
    type=FOLDER,
    metavar="DIR",
    help="Delta: the folder that takes them, and a shares.yaml if it has none.",
)
def land(
    *,
    run_folder: Path,
    form: str,
    catalog: CatalogAddress | None,
    namespace: str,
    to_folder: Path | None,
) -> None:
    """Put the tables of a run beside those of other runs: into an Iceberg catalog, or into Delta
    tables that can be shared.

    The rows of the run are replaced, those of others stay; landing the same again changes nothing.
    """
    if (form == "iceberg") != (catalog is not None) or (form == "delta") != (to_folder is not None):
        raise click.UsageError("say --as iceberg --catalog URL, or --as delta --to DIR")

    def put() -> None:
        started = time.perf_counter()
        kept = landing.kept(run_folder)
        if catalog:
            _tell(iceberg.land(kept, catalog, namespace=namespace))
        elif to_folder:
            _tell(delta.land(kept, to_folder))
            if (shares := delta.share(to_folder)) is not None:
                click.echo(
                    f"{shares} shares them: add recipients, then"
                    f" lakepact serve --shares {shares} --profiles DIR"
                )
        where = catalog.address if catalog else to_folder
        click.echo(f"run {kept[0].run_id} is in {where}, {time.perf_counter() - started:.1f} s")

    with_errors_in_one_line("land", put)


def _tell(tables: Iterable[landing.Landed]) -> None:
    for table in tables:
        click.echo(f"{table.table}: {table.rows} rows{'' if table.changed else ', as they were'}")


@campaign.command()
@click.option(
    "--from",
    "from_folder",
    type=FOLDER,
    metavar="DIR",
    help="Folder of Delta tables that `land --as delta` wrote.",
)
@catalog_options()
@of_namespace
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Also write a page.",
)
def trends(
    *,
    from_folder: Path | None,
    catalog: CatalogAddress | None,
    namespace: str,
    out: Path | None,
) -> None:
    """Show since when each target breaks a requirement, and what changed at that time, over all
    landed runs.
    """
    if catalog is not None and from_folder is None:
        read = partial(over_runs.of_iceberg, catalog, namespace=namespace)
    elif from_folder is not None and catalog is None:
        read = partial(over_runs.of_delta, from_folder)
    else:
        raise click.UsageError("give --from DIR or --catalog URL")

    def show() -> None:
        found = over_runs.trends(read())
        for trend in found.broken:
            runs = f"{trend.runs} {'run' if trend.runs == 1 else 'runs'}"
            said = (
                f"{trend.target} {trend.requirement_id} {trend.verdict} since {trend.since.day}"
                f" ({runs}): {trend.change}"
            )
            click.echo(plain(said))
        click.echo(
            f"{len(found.broken)} broken, {len(found.mended)} mended, in {len(found.runs)} runs"
        )
        if out is not None:
            out.write_text(over_runs.html(found), encoding="utf-8")
            click.echo(str(out))

    with_errors_in_one_line("trends", show)
