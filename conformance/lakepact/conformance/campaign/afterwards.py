"""The verbs of a campaign that come after its report: land. Parsing and telling only."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakepact.conformance.campaign import landing
from lakepact.conformance.campaign.landing import delta, iceberg
from lakepact.conformance.campaign.telling import told

if TYPE_CHECKING:
    from collections.abc import Iterable

folder = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.option("--run", "run_folder", type=folder, required=True, help="Folder of the run, judged and reported.")
@click.option("--as", "form", type=click.Choice(["iceberg", "delta"]), required=True, help="What the tables become.")
@click.option("--catalog", metavar="URL", help="Iceberg: the REST catalog that takes them.")
@click.option("--namespace", default=iceberg.NAMESPACE, show_default=True, help="Iceberg: the namespace that they are in.")
@click.option("--warehouse", metavar="NAME", help="Iceberg: which warehouse of the catalog.")
@click.option("--token-env", metavar="NAME", help="Iceberg: the environment variable that holds the token.")
@click.option("--to", "to_folder", type=folder, metavar="DIR", help="Delta: the folder that takes them, and a shares.yaml if it has none.")
def land(
    *,
    run_folder: Path,
    form: str,
    catalog: str | None,
    namespace: str,
    warehouse: str | None,
    token_env: str | None,
    to_folder: Path | None,
) -> None:
    """Put the tables of a run beside those of other runs: into an Iceberg catalog, or into Delta tables that can be shared.

    The rows of the run are replaced, those of others stay; landing the same again changes nothing.
    """
    if (form == "iceberg") != (catalog is not None) or (form == "delta") != (to_folder is not None):
        raise click.UsageError("say --as iceberg --catalog URL, or --as delta --to DIR")

    def put() -> None:
        started = time.perf_counter()
        kept = landing.kept(run_folder)
        if catalog is not None:
            _tell(iceberg.land(kept, catalog, namespace=namespace, properties=_properties(warehouse, token_env)))
        if to_folder is not None:
            _tell(delta.land(kept, to_folder))
            shares = delta.share(to_folder)
            if shares is not None:
                click.echo(f"{shares} shares them: add recipients, then lakepact serve --shares {shares} --profiles DIR")
        click.echo(f"run {kept[0].run_id} is in {catalog or to_folder}, {time.perf_counter() - started:.1f} s")

    told("land", put)


def _properties(warehouse: str | None, token_env: str | None) -> dict[str, str]:
    properties = {"warehouse": warehouse} if warehouse else {}
    if token_env:
        token = os.environ.get(token_env, "")
        if not token:
            raise ValueError(f"--token-env {token_env}: the environment variable is empty or not set")
        properties["token"] = token
    return properties


def _tell(tables: Iterable[landing.Landed]) -> None:
    for table in tables:
        click.echo(f"{table.table}: {table.rows} rows{'' if table.changed else ', as they were'}")


COMMANDS = (land,)
