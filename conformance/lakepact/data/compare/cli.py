"""The verb `lakepact data compare`."""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lakepact.conformance.evidence.escaping import json
from lakepact.conformance.evidence.redaction import SECRET_NAMES, redacted
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running.profiles import of_catalog
from lakepact.data.catalogs import login_of
from lakepact.data.compare import show
from lakepact.data.compare.engines import Engine, engine_options
from lakepact.data.compare.model import FAILING, INFORMATION, Compared, message
from lakepact.data.compare.queries import SAMPLED
from lakepact.data.compare.runs import FILE, Journal, Names, Run
from lakepact.data.compare.sides import side_of
from lakepact.data.compare.tables import Choices
from lakepact.extras import install

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


DIFFERENT, INCOMPLETE = 1, 3
PAGE = "index.html"  #: of a report


def _of_sides(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of each side."""
    for side in "BA":
        end = side.lower()
        for option in (
            click.option(
                f"--spark-catalog-{end}",
                metavar="NAME",
                help=f"The name of {side} in Spark's settings, to read it by Iceberg's jar.",
            ),
            click.option(
                f"--as-of-{end}",
                metavar="TIME",
                help=f"Compare the tables of {side} as they were: 2026-11-26T18:00:00Z.",
            ),
            click.option(
                f"--property-{end}",
                metavar="KEY=VALUE",
                multiple=True,
                help=f"A property of pyiceberg or deltalake for {side}.",
            ),
            click.option(
                f"--warehouse-{end}", metavar="NAME", help=f"The warehouse to ask {side} for."
            ),
            click.option(
                f"--api-key-env-{end}",
                metavar="NAME",
                help=(
                    "Environment variable that holds `user:key` of watsonx.data, or an API key of"
                    f" IBM Cloud, for {side}."
                ),
            ),
            click.option(
                f"--token-env-{end}",
                metavar="NAME",
                help=f"Environment variable that holds a bearer token for {side}.",
            ),
        ):
            command = option(command)
    return command


def _folder(_context: click.Context, _option: click.Parameter, folder: Path | None) -> Path | None:
    if folder and ("=" in folder.name or folder.suffix in {".html", ".json", ".md"}):
        raise click.UsageError(f"--report {folder}: name a folder, which gets {PAGE} and {FILE}")
    return folder


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--table",
    "patterns",
    multiple=True,
    required=True,
    metavar="PATTERN",
    help="Tables of A: 'sales.*'; several are possible.",
)
@click.option(
    "--map",
    "renamed",
    multiple=True,
    metavar="A=B",
    help="A table or namespace of A that has another name in B.",
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="[TABLE=]COLUMNS",
    help="Columns, separated by commas, that find a row on both sides.",
)
@_of_sides
@click.option(
    "--sample",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    default=100,
    help="Compare part of the rows; 0: metadata only.",
)
@click.option(
    "--ignore",
    multiple=True,
    type=click.Choice(FAILING),
    help="A kind of difference that does not count.",
)
@click.option(
    "--count",
    multiple=True,
    type=click.Choice(INFORMATION),
    help="A kind of difference that counts too.",
)
@click.option(
    "--rows",
    "first",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Rows to show of each table.",
)
@click.option("--no-values", is_flag=True, help="Show no values of rows.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Tables that are compared at a time.",
)
@engine_options
@click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    callback=_folder,
    help="Folder of a report; another run continues there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per table.")
def compare(
    a: str, b: str, *, engine: Callable[[], AbstractContextManager[Engine]], **options: Any
) -> None:
    """Compare tables of two catalogs: schemas, partition specs, and all rows.

    A and B are Iceberg catalogs (a URL, or a name in the configuration of pyiceberg), folders of
    Delta tables (a path, s3://…), or shares (PROFILE.share#SHARE).

    Exit code: 0 no difference, 1 differences, 2 wrong usage, 3 something could not be read.

    Example: lakepact data compare https://old.example.com https://new.example.com --table 'sales.*'
    --report ./compared
    """
    settings = [_properties(options, side) for side in "ab"]
    keys = [login_of(options[f"api_key_env_{side}"], options[f"token_env_{side}"]) for side in "ab"]
    secrets = tuple(
        value
        for each in settings
        for name, value in each.items()
        if SECRET_NAMES.search(name) and value
    )
    names = Names(options["patterns"], tuple(_pair(text, "--map") for text in options["renamed"]))
    times = [_time(options[f"as_of_{side}"]) for side in "ab"]
    addresses = (redacted(a, secrets), redacted(b, secrets))
    console = Screen(highlight=False, soft_wrap=True)
    try:
        with contextlib.ExitStack() as ending:
            sides = [
                ending.enter_context(
                    contextlib.closing(
                        side_of(
                            address,
                            each,
                            api_key=key,
                            as_of=time,
                            spark=options[f"spark_catalog_{side}"],
                        )
                    )
                )
                for address, each, key, time, side in zip(
                    (a, b), settings, keys, times, "ab", strict=True
                )
            ]
            tables = names.of_both(sides[0], sides[1])
            run = Run(
                ending.enter_context(engine()),
                sides[0],
                sides[1],
                names,
                _choices(options).with_addresses(a, b),
                Journal(options["report"]),
                addresses,
                secrets,
            )
            found = []
            for result in run.results(tables, options["workers"]):
                found.append(result)
                if options["as_json"]:
                    click.echo(json(asdict(result)))
                else:
                    show.line(console, result)
    except Exception as wrong:  # noqa: BLE001 - catalogs fail in many ways, each is one line
        how = f"; {install('data')}" if isinstance(wrong, ImportError) else ""
        click.echo(f"lakepact data compare: {message(wrong, secrets)}{how}", err=True)
        sys.exit(INCOMPLETE)
    if not found:
        raise click.UsageError(f"neither side has a table {' or '.join(names.patterns)}")
    found.sort(key=lambda result: result.table)
    if not options["as_json"]:
        show.details(console, found, addresses)
    if options["report"]:
        page = show.as_page(found, addresses, _described(options))
        (options["report"] / PAGE).write_text(page, encoding="utf-8")
    unused = _unused_key(options["keys"], found)
    if unused:
        raise click.UsageError(f"--key {unused}: no table that was compared has these columns")
    sys.exit(
        DIFFERENT
        if any(each.differences for each in found)
        else INCOMPLETE
        if any(each.error for each in found)
        else 0
    )


def _choices(options: dict[str, Any]) -> Choices:
    keys = {
        table: tuple(columns.split(","))
        for table, _, columns in (key.rpartition("=") for key in options["keys"])
    }
    failing = tuple(kind for kind in (*FAILING, *options["count"]) if kind not in options["ignore"])
    sample = round(options["sample"] * SAMPLED / 100) or int(options["sample"] > 0)
    return Choices(keys, failing, sample, options["first"], not options["no_values"])


def _described(options: dict[str, Any]) -> str:
    """Return the options that decide what was compared, as a person writes them."""
    names = {"patterns": "--table", "renamed": "--map", "keys": "--key", "ignore": "--ignore"}
    names |= {"count": "--count", "as_of_a": "--as-of-a", "as_of_b": "--as-of-b"}
    each = [
        f"{name} {value}"
        for key, name in names.items()
        for value in ([options[key]] if isinstance(options[key], str) else options[key] or ())
    ]
    whole = "all rows" if options["sample"] == 100 else f"--sample {options['sample']:g}"
    return ", ".join((*each, whole))


def _unused_key(keys: tuple[str, ...], tables: list[Compared]) -> str | None:
    """Return the first key for all tables that finds rows in none of them."""
    used = {table.key for table in tables}
    if all(table.rows[0] is None for table in tables):
        return None
    common = (key for key in keys if "=" not in key)
    return next((key for key in common if tuple(key.split(",")) not in used), None)


def _properties(options: dict[str, Any], side: str) -> dict[str, str]:
    properties = dict(_pair(text, f"--property-{side}") for text in options[f"property_{side}"])
    return {**properties, **of_catalog(options[f"warehouse_{side}"], options[f"token_env_{side}"])}


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.UsageError(f"{option} {text}: write NAME=VALUE")
    return name, value


def _time(text: str | None) -> dt.datetime | None:
    try:
        found = dt.datetime.fromisoformat(text) if text else None
    except ValueError:
        raise click.UsageError(f"{text} is no time; write 2026-11-26T18:00:00Z") from None
    return found.replace(tzinfo=dt.UTC) if found and found.tzinfo is None else found
