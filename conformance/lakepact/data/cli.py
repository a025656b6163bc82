"""The verb `lakepact data`: tables with known rows, written and read back through both protocols."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import click
from rich.console import Console

from lakepact import client
from lakepact.client import LakepactError
from lakepact.conformance.evidence.escaping import json, plain, terminal
from lakepact.conformance.evidence.outcome import Blocked, Unmet
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running.embedded_server import Misused, answering
from lakepact.conformance.running.profiles import token_of
from lakepact.data import delta, delta_reader, iceberg, iceberg_reader, truth
from lakepact.data.catalogs import LIMITS, RETRIES, CatalogAddress, catalog_options
from lakepact.data.compare.cli import compare
from lakepact.data.findings import Finding
from lakepact.data.shapes import DELTA, ICEBERG, PROTOCOLS, SHAPES
from lakepact.data.truth import NotWritten, Version, Written, WrittenTable
from lakepact.data.writers import CannotWrite, LocalWriter, OnSpark, Writer
from lakepact.reach.urls import server_address

NAMESPACE = "lp_data"
NOT_WELL, USAGE, INCOMPLETE = 1, 2, 3
WITHOUT_CATALOG = " [default: the reference server, for as long as it takes]"


@click.group()
def data() -> None:
    """Write tables whose rows are known, and see whether they come back."""


data.add_command(compare)


@data.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--shape",
    "shapes",
    type=click.Choice(tuple(SHAPES)),
    multiple=True,
    help="Columns of a table; several for several tables. [default: all]",
)
@click.option(
    "--rows",
    type=click.IntRange(min=10),
    default=100_000,
    show_default=True,
    help="Rows of the first version of each table.",
)
@click.option(
    "--files",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="Files of the first version of each table.",
)
@click.option(
    "--as",
    "protocols",
    type=click.Choice(PROTOCOLS),
    multiple=True,
    help="How tables are kept; may be given twice. [default: both]",
)
@click.option(
    "--engine",
    type=click.Choice(("local", "spark")),
    default="local",
    show_default=True,
    help="The writer of the files.",
)
@click.option("--master", default="local[*]", show_default=True, help="The Spark master.")
@click.option(
    "--remote", metavar="sc://…", help="A Spark Connect server, in the place of --master."
)
@click.option(
    "--conf",
    "confs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of Spark; may be given several times.",
)
@catalog_options(WITHOUT_CATALOG)
def write(
    folder: Path,
    *,
    shapes: tuple[str, ...],
    rows: int,
    files: int,
    protocols: tuple[str, ...],
    engine: str,
    master: str,
    remote: str | None,
    confs: tuple[str, ...],
    catalog: CatalogAddress | None,
) -> None:
    """Write tables into FOLDER: Iceberg tables of a catalog, and Delta tables that can be shared.

    Each has three versions: the first rows, a tenth more, and without the first twentieth. FOLDER/data.json says which rows those are.

    Example: lakepact data write ./data --rows 1000000 --shape types --engine spark
    """
    if (folder / truth.FILE).exists() or (folder.exists() and any(folder.iterdir())):
        raise click.UsageError(
            f"{folder} is not empty: remove what is in it, perhaps of a run that failed, or name another folder"
        )
    versions = (
        Version(0, rows),
        Version(0, rows + max(1, rows // 10)),
        Version(max(1, rows // 20), rows + max(1, rows // 10)),
    )
    wanted = [SHAPES[name] for name in shapes or SHAPES]
    shared = [
        shape for shape in wanted if DELTA in shape.protocols and DELTA in (protocols or PROTOCOLS)
    ]
    if not shared and ICEBERG not in (protocols or PROTOCOLS):
        raise click.UsageError(
            f"no shape of --shape can be a Delta table: add --as {ICEBERG}, or choose others"
        )
    begun = time.monotonic()
    tables: list[WrittenTable] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writer: Writer = (
            OnSpark(master, confs, remote=remote) if engine == "spark" else LocalWriter()
        )
        with contextlib.ExitStack() as ending:
            ending.enter_context(writer)
            if ICEBERG in (protocols or PROTOCOLS):
                address = catalog or CatalogAddress(ending.enter_context(_served(folder)))
                opened = ending.enter_context(address.opened())
                iceberg.refuse_foreign(opened, NAMESPACE, wanted)
                tables += [
                    iceberg.write(
                        opened, NAMESPACE, shape, versions=versions, files=files, writer=writer
                    )
                    for shape in wanted
                ]
            if shared:
                tables += [
                    delta.write(
                        folder / DELTA, shape, versions=versions, files=files, writer=writer
                    )
                    for shape in shared
                ]
                delta.share(
                    folder / DELTA,
                    [table for table in tables if table.protocol == DELTA],
                    NAMESPACE,
                )
    except (CannotWrite, Blocked, OSError) as wrong:
        click.echo(f"lakepact data: {wrong}", err=True)
        sys.exit(INCOMPLETE)
    truth.write(folder, Written(NAMESPACE, tuple(tables)))
    held = sum(version.last - version.first for table in tables for version in table.versions)
    click.echo(
        f"{len(tables)} tables with {len(versions)} versions each, {held} rows in all, in {time.monotonic() - begun:.1f} s"
    )
    click.echo(
        f"read them back: lakepact data verify {folder}"
        + (f" --catalog {catalog.address}" if catalog else "")
    )


@data.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@catalog_options(WITHOUT_CATALOG)
@click.option(
    "--sharing",
    metavar="URL",
    help="Base address of a Delta Sharing server. [default: the reference server, for as long as it takes]",
)
@click.option(
    "--sharing-token-env",
    metavar="NAME",
    help="Environment variable that holds a bearer token for --sharing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def verify(
    folder: Path,
    *,
    catalog: CatalogAddress | None,
    sharing: str | None,
    sharing_token_env: str | None,
    as_json: bool,
) -> None:
    """Read the tables of FOLDER back through a catalog and a sharing server, and compare rows, checksums, statistics and changes.

    Exit code: 0 all is as it was written, 1 something is not, 2 wrong usage, 3 something could not be read.

    Example: lakepact data verify ./data --sharing http://127.0.0.1:8181/delta-sharing --sharing-token-env TOKEN
    """
    console = Screen(highlight=False, soft_wrap=True)
    wrong = looked = 0
    try:
        written = truth.read(folder)
        with contextlib.ExitStack() as ending:
            own = cache(
                lambda: ending.enter_context(_served(folder))
            )  # started when it is first needed
            for finding in _findings(
                written,
                folder,
                own=own,
                catalog=catalog,
                sharing=sharing,
                token=token_of(sharing_token_env) if sharing_token_env else None,
            ):
                looked += 1
                wrong += not finding.is_well
                _show(finding, console, as_json=as_json)
    except NotWritten as unread:
        raise click.UsageError(str(unread)) from None
    except (LakepactError, Blocked, Misused, Unmet, OSError, ValueError) as broken:
        click.echo(f"lakepact data: {plain(broken)}", err=True)
        sys.exit(INCOMPLETE)
    if not as_json:
        console.print(
            f"{looked} findings about {len(written.tables)} tables, {wrong} of them wrong"
            if wrong
            else f"{looked} findings about {len(written.tables)} tables: all is as it was written"
        )
    sys.exit(NOT_WELL if wrong else 0)


def _findings(
    written: Written,
    folder: Path,
    *,
    own: Callable[[], str],
    catalog: CatalogAddress | None,
    sharing: str | None,
    token: str | None,
) -> Iterator[Finding]:
    if written.of(ICEBERG):
        with (catalog or CatalogAddress(own())).opened() as opened:
            for table in written.of(ICEBERG):
                yield from iceberg_reader.verify(opened, written.namespace, table)
    if written.of(DELTA):
        bearer = client.BearerToken(token or delta.token_of(folder / DELTA))
        profile = client.Profile(server_address(sharing or f"{own()}/delta-sharing"), bearer)
        with client.SharingClient(profile, retries=RETRIES, limits=LIMITS) as shares:
            for table in written.of(DELTA):
                yield from delta_reader.verify(shares, written.namespace, table)


def _show(finding: Finding, console: Console, *, as_json: bool) -> None:
    if as_json:
        click.echo(json({**asdict(finding), "is_well": finding.is_well}))
        return
    where, what = f"{terminal(finding.protocol)} {terminal(finding.table)}", terminal(finding.what)
    actual = terminal(finding.actual)
    if not finding.is_offered:
        console.print(f"[dim]-  {where}  {what}: {actual}[/]")
    elif finding.is_well:
        console.print(f"[green]ok[/] {where}  {what}" + (f"  [dim]{actual}[/]" if actual else ""))
    else:
        console.print(
            f"[red]!![/] {where}  {what}: expected {terminal(finding.expected)}, found {actual}"
        )


@contextlib.contextmanager
def _served(folder: Path) -> Generator[str]:
    """Yield the reference server with the tables of a folder."""
    command = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--warehouse",
        str(folder / "warehouse"),
        "--store",
        "file",
    ]
    shares = folder / DELTA / "shares.yaml"
    with answering([*command, *(("--shares", str(shares)) if shares.exists() else ())]) as url:
        yield url
