"""The verb `lakepact data`: tables with known rows, written and read back through both
protocols.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import click

from lakepact.client import LakepactError
from lakepact.conformance.campaign.errors import CannotRun
from lakepact.conformance.evidence.escaping import json, plain
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running.embedded_server import Misused, answering
from lakepact.conformance.running.profiles import token_of
from lakepact.data import delta, iceberg, truth
from lakepact.data.catalogs import CatalogAddress, CatalogOptions
from lakepact.data.compare import show
from lakepact.data.compare.cli import compare
from lakepact.data.compare.engines import EngineOptions, SparkOptions
from lakepact.data.compare.iceberg_side import IcebergSide
from lakepact.data.compare.model import CannotCompare, Compared
from lakepact.data.compare.shared_side import SharedSide
from lakepact.data.compare.tables import Choices
from lakepact.data.shapes import DELTA, ICEBERG, PROTOCOLS, SHAPES
from lakepact.data.truth import NotWritten, Version, Written, WrittenTable
from lakepact.data.verify import ALL, ROWS, Verification
from lakepact.data.writers import CannotWrite, Writer, on_spark, write_here
from lakepact.reach.options import FOLDER, argument, flag, option, part, several, with_options
from lakepact.reach.urls import server_address

NAMESPACE = "lp_data"
NOT_WELL, USAGE, INCOMPLETE = 1, 2, 3
WITHOUT_CATALOG = " [default: the reference server, for as long as it takes]"


@click.group()
def data() -> None:
    """Write tables whose rows are known, and verify that they come back."""


data.add_command(compare)


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """The options of `lakepact data write`."""

    folder: Path = argument(type=FOLDER)
    shape: tuple[str, ...] = several(
        "Columns of a table; several for several tables. [default: all]",
        type=click.Choice(tuple(SHAPES)),
    )
    rows: int = option(
        "Rows of the first version of each table.",
        default=100_000,
        type=click.IntRange(min=10),
    )
    files: int = option(
        "Files of the first version of each table.",
        default=8,
        type=click.IntRange(min=1),
    )
    as_: tuple[str, ...] = several(
        "Formats of tables; may be given twice. [default: both]", type=click.Choice(PROTOCOLS)
    )
    engine: str = option(
        "The writer of the files.",
        default="local",
        type=click.Choice(("local", "spark")),
    )
    spark: SparkOptions = part(SparkOptions)
    catalog: CatalogOptions = part(CatalogOptions, default=WITHOUT_CATALOG)


@data.command()
@with_options(WriteOptions)
def write(options: WriteOptions) -> None:
    """Write tables into FOLDER: Iceberg tables of a catalog, and Delta tables that can be shared.

    Each has three versions: the first rows, a tenth more, and without the first twentieth.
    FOLDER/data.json records them.

    Example: lakepact data write ./data --rows 1000000 --shape types --engine spark
    """
    folder, rows, protocols = options.folder, options.rows, options.as_ or PROTOCOLS
    catalog = options.catalog.address
    if (folder / truth.FILE).exists() or (folder.exists() and any(folder.iterdir())):
        raise click.UsageError(
            f"{folder} is not empty: remove its content, perhaps of a run that failed, or name"
            " another folder"
        )
    versions = (
        Version(0, rows),
        Version(0, rows + max(1, rows // 10)),
        Version(max(1, rows // 20), rows + max(1, rows // 10)),
    )
    shapes = [SHAPES[name] for name in options.shape or SHAPES]
    shared = [shape for shape in shapes if DELTA in shape.protocols and DELTA in protocols]
    if not shared and ICEBERG not in protocols:
        raise click.UsageError(
            f"no shape of --shape can be a Delta table: add --as {ICEBERG}, or choose others"
        )
    start = time.monotonic()
    tables: list[WrittenTable] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as ending:
            writer: Writer = write_here
            if options.engine == "spark":
                spark = options.spark
                writer = ending.enter_context(
                    on_spark(spark.master, spark.conf, remote=spark.remote)
                )
            if ICEBERG in protocols:
                address = catalog or CatalogAddress(ending.enter_context(_serve(folder)))
                client = ending.enter_context(address.open())
                iceberg.refuse_foreign(client, NAMESPACE, shapes)
                tables += [
                    iceberg.write(
                        client,
                        NAMESPACE,
                        shape,
                        versions=versions,
                        files=options.files,
                        writer=writer,
                    )
                    for shape in shapes
                ]
            if shared:
                tables += [
                    delta.write(
                        folder / DELTA, shape, versions=versions, files=options.files, writer=writer
                    )
                    for shape in shared
                ]
                delta.share(
                    folder / DELTA,
                    [table for table in tables if table.protocol == DELTA],
                    NAMESPACE,
                )
    except (CannotRun, CannotWrite, Blocked, OSError) as wrong:
        click.echo(f"lakepact data: {wrong}", err=True)
        sys.exit(INCOMPLETE)
    truth.write(folder, Written(NAMESPACE, tuple(tables)))
    count = sum(version.last - version.first for table in tables for version in table.versions)
    click.echo(
        f"{len(tables)} tables with {len(versions)} versions each, {count} rows in all, in"
        f" {time.monotonic() - start:.1f} s"
    )
    click.echo(
        f"read them back: lakepact data verify {folder}"
        + (f" --catalog {catalog.address}" if catalog else "")
    )


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """The options of `lakepact data verify`."""

    folder: Path = argument(type=click.Path(path_type=Path, file_okay=False, exists=True))
    catalog: CatalogOptions = part(CatalogOptions, default=WITHOUT_CATALOG)
    sharing: str | None = option(f"Base address of a Delta Sharing server.{WITHOUT_CATALOG}", "URL")
    sharing_token_env: str | None = option(
        "Environment variable that holds a bearer token for --sharing.", "NAME"
    )
    allow: str | None = option(
        "maintenance: snapshots and versions may be gone or new, while rows are the same.",
        type=click.Choice(("maintenance",)),
    )
    rows_only: bool = flag("Compare columns and rows alone.")
    engine: EngineOptions = part(EngineOptions)
    json: bool = flag("Print one JSON object per line.")


@data.command()
@with_options(VerifyOptions)
def verify(options: VerifyOptions) -> None:
    """Read the tables of FOLDER back through a catalog and a sharing server, and compare them with
    the rows that were written.

    Exit code: 0 no difference, 1 differences, 2 wrong usage, 3 something could not
    be read.

    Example: lakepact data verify ./data --sharing http://127.0.0.1:8181/delta-sharing
    --sharing-token-env TOKEN
    """
    console, results = Screen(highlight=False, soft_wrap=True), []
    folder, catalog = options.folder, options.catalog.address
    try:
        record = truth.read(folder)
        token = token_of(options.sharing_token_env) if options.sharing_token_env else None
        with contextlib.ExitStack() as ending:
            own = cache(lambda: ending.enter_context(_serve(folder)))
            choices = Choices({"": ("id",)}, ROWS if options.rows_only else ALL)
            verification = Verification(
                ending.enter_context(options.engine.start()), choices, bool(options.allow)
            )
            parts: list[Iterator[Compared]] = []
            if record.of(ICEBERG):
                address = catalog or CatalogAddress(own())
                parts.append(_of_catalog(verification, record, address))
            if record.of(DELTA):
                url = server_address(options.sharing or f"{own()}/delta-sharing")
                bearer = token or delta.token_of(folder / DELTA)
                parts.append(_of_server(verification, record, url, bearer))
            for result in itertools.chain(*parts):
                results.append(result)
                if options.json:
                    click.echo(json(asdict(result)))
                else:
                    show.line(console, result)
    except NotWritten as error:
        raise click.UsageError(str(error)) from None
    except (LakepactError, Blocked, Misused, CannotCompare, OSError, ValueError) as error:
        click.echo(f"lakepact data: {plain(error)}", err=True)
        sys.exit(INCOMPLETE)
    if not options.json:
        show.details(console, results, ("as it was written", "as it was read"))
    sys.exit(NOT_WELL if any(result.differences for result in results) else 0)


def _of_catalog(
    verification: Verification, record: Written, address: CatalogAddress
) -> Iterator[Compared]:
    with address.open() as client:
        side = IcebergSide(client, address)
        for table in record.of(ICEBERG):
            yield from verification.of_iceberg(side, record, table)


def _of_server(
    verification: Verification, record: Written, url: str, token: str
) -> Iterator[Compared]:
    profile = {"shareCredentialsVersion": 1, "endpoint": url, "bearerToken": token}
    # A folder that its owner alone can read: workers of Spark read the profile as well.
    with tempfile.TemporaryDirectory(prefix="lakepact-") as private:
        path = Path(private) / "reader.share"
        path.write_text(json(profile), encoding="utf-8")
        with contextlib.closing(SharedSide(f"{path}#{delta.SHARE}", as_of=None)) as side:
            for table in record.of(DELTA):
                yield from verification.of_share(side, record, table)


@contextlib.contextmanager
def _serve(folder: Path) -> Generator[str]:
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
