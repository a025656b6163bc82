"""The verb `lakepact data compare`."""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from lakepact.conformance.evidence.escaping import json
from lakepact.conformance.report.screen import Screen
from lakepact.data.catalogs import CatalogLogin
from lakepact.data.compare import show
from lakepact.data.compare.engines import EngineOptions
from lakepact.data.compare.model import FAILING, INFORMATION, Compared, message
from lakepact.data.compare.queries import SAMPLED
from lakepact.data.compare.runs import FILE, Journal, Names, running
from lakepact.data.compare.sides import SideAddress
from lakepact.data.compare.tables import Choices
from lakepact.extras import install
from lakepact.reach.options import FOLDER, argument, flag, option, part, several, with_options

DIFFERENT, INCOMPLETE = 1, 3
PAGE = "index.html"  #: of a report


@dataclass(frozen=True, kw_only=True)
class SideOptions(CatalogLogin):
    """The options of one side."""

    property: tuple[str, ...] = several(
        "A property of pyiceberg or deltalake for {catalog}.", "KEY=VALUE"
    )
    as_of: str | None = option(
        "Compare the tables of {catalog} as they were: 2026-11-26T18:00:00Z.", "TIME"
    )
    spark_catalog: str | None = option(
        "The name of {catalog} in Spark's settings, to read it by Iceberg's jar.", "NAME"
    )


def _folder(_context: click.Context, _option: click.Parameter, folder: Path | None) -> Path | None:
    if folder and ("=" in folder.name or folder.suffix in {".html", ".json", ".md"}):
        raise click.UsageError(f"--report {folder}: name a folder, which gets {PAGE} and {FILE}")
    return folder


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """The options of `lakepact data compare`."""

    a: str = argument()
    b: str = argument()
    table: tuple[str, ...] = several(
        "Tables of A: 'sales.*'; several are possible.", "PATTERN", required=True
    )
    map: tuple[str, ...] = several("A table or namespace of A that has another name in B.", "A=B")
    key: tuple[str, ...] = several(
        "Columns, separated by commas, that find a row on both sides.", "[TABLE=]COLUMNS"
    )
    of_a: SideOptions = part(SideOptions, "-a", catalog="A")
    of_b: SideOptions = part(SideOptions, "-b", catalog="B")
    sample: float = option(
        "Compare part of the rows; 0: metadata only.",
        "PERCENT",
        default=100,
        type=click.FloatRange(0, 100),
        show_default=False,
    )
    ignore: tuple[str, ...] = several(
        "A kind of difference that does not count.", type=click.Choice(FAILING)
    )
    count: tuple[str, ...] = several(
        "A kind of difference that counts too.", type=click.Choice(INFORMATION)
    )
    rows: int = option("Rows to show of each table.", default=10, type=click.IntRange(min=0))
    no_values: bool = flag("Show no values of rows.")
    workers: int = option(
        "Tables that are compared at a time.",
        default=2,
        type=click.IntRange(min=1),
    )
    engine: EngineOptions = part(EngineOptions)
    report: Path | None = option(
        "Folder of a report; another run continues there.",
        type=FOLDER,
        callback=_folder,
    )
    json: bool = flag("Print one JSON object per table.")


@click.command()
@with_options(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Compare tables of two catalogs: schemas, partition specs, and all rows.

    A and B are Iceberg catalogs (a URL, sqlite:///FILE, or a name in the configuration of
    pyiceberg), folders of Delta tables (a path, s3://…), or shares (PROFILE.share#SHARE).

    Exit code: 0 no difference, 1 differences, 2 wrong usage, 3 something could not be read.

    Example: lakepact data compare https://old.example.com https://new.example.com --table 'sales.*'
    --report ./compared
    """
    sides = [_side(options.a, options.of_a, "a"), _side(options.b, options.of_b, "b")]
    names = Names(options.table, tuple(_pair(text, "--map") for text in options.map))
    console, results = Screen(highlight=False, soft_wrap=True), []
    try:
        journal, choices = Journal(options.report), _choices(options)
        with (
            options.engine.start() as engine,
            running(engine, sides, names, choices, journal) as run,
        ):
            for result in run.results(options.workers):
                results.append(result)
                if options.json:
                    click.echo(json(asdict(result)))
                else:
                    show.line(console, result)
    except Exception as wrong:  # noqa: BLE001 - catalogs fail in many ways, each is one line
        how = f"; {install('data')}" if isinstance(wrong, ImportError) else ""
        secrets = [secret for side in sides for secret in side.secrets]
        click.echo(f"lakepact data compare: {message(wrong, secrets)}{how}", err=True)
        sys.exit(INCOMPLETE)
    if not results:
        raise click.UsageError(f"neither side has a table {' or '.join(names.patterns)}")
    results.sort(key=lambda result: result.table)
    if not options.json:
        show.details(console, results, run.addresses)
    if options.report:
        page = show.as_page(results, run.addresses, _option_text(options))
        (options.report / PAGE).write_text(page, encoding="utf-8")
    unused = _unused_key(options.key, results)
    if unused:
        raise click.UsageError(f"--key {unused}: no table that was compared has these columns")
    sys.exit(
        DIFFERENT
        if any(each.differences for each in results)
        else INCOMPLETE
        if any(each.error for each in results)
        else 0
    )


def _choices(options: CompareOptions) -> Choices:
    keys = {
        table: tuple(columns.split(","))
        for table, _, columns in (key.rpartition("=") for key in options.key)
    }
    failing = tuple(kind for kind in (*FAILING, *options.count) if kind not in options.ignore)
    sample = round(options.sample * SAMPLED / 100) or int(options.sample > 0)
    return Choices(keys, failing, sample, options.rows, not options.no_values)


def _option_text(options: CompareOptions) -> str:
    """Return the options that decide what was compared, as a person writes them."""
    texts = {name: getattr(options, name) for name in ("table", "map", "key", "ignore", "count")}
    times = {"as-of-a": options.of_a.as_of, "as-of-b": options.of_b.as_of}
    each = [f"--{name} {value}" for name, values in texts.items() for value in values]
    each += [f"--{name} {time}" for name, time in times.items() if time]
    whole = "all rows" if options.sample == 100 else f"--sample {options.sample:g}"
    return ", ".join((*each, whole))


def _unused_key(keys: tuple[str, ...], tables: list[Compared]) -> str | None:
    """Return the first key for all tables that finds rows in none of them."""
    used = {table.key for table in tables}
    if all(table.rows[0] is None for table in tables):
        return None
    common = (key for key in keys if "=" not in key)
    return next((key for key in common if tuple(key.split(",")) not in used), None)


def _side(address: str, options: SideOptions, name: str) -> SideAddress:
    own = dict(_pair(text, f"--property-{name}") for text in options.property)
    properties = {**own, **options.properties}
    as_of = _time(options.as_of)
    return SideAddress(address, properties, options.api_key, as_of, options.spark_catalog)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.UsageError(f"{option} {text}: write NAME=VALUE")
    return name, value


def _time(text: str | None) -> dt.datetime | None:
    try:
        time = dt.datetime.fromisoformat(text) if text else None
    except ValueError:
        raise click.UsageError(f"{text} is no time; write 2026-11-26T18:00:00Z") from None
    return time.replace(tzinfo=dt.UTC) if time and time.tzinfo is None else time
