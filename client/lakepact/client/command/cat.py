"""`lakepact cat`: the rows of a table."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from lakepact.client import IcebergCatalog, SharingClient
from lakepact.client.command import layout
from lakepact.client.command.addresses import VERSIONS, Address, open_client
from lakepact.client.command.failures import NotRead, NotThere, WrongUsage, one_line, say
from lakepact.client.command.names import parts, whole
from lakepact.client.command.values import as_json, as_text, csv_line, rows
from lakepact.client.errors import LakepactError
from lakepact.client.iceberg_rest.names import addressable
from lakepact.client.redaction import Redactor
from lakepact.client.rows.needs import need
from lakepact.client.text import json_line, plain
from lakepact.reach.options import argument, option, part, with_options
from lakepact.reach.urls import path_segment
from lakepact.reach.wire import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from lakepact.client.delta_sharing.schemas import Schema

#: Rows of a table without --limit; more of them do not stay on a screen.
SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The options of `lakepact cat`, but for the form."""

    source: Address = part(Address)
    table: str = argument()
    limit: int | None = option(
        f"How many rows; without it, {SHOWN} as a table, and all as JSON or CSV.",
        type=click.IntRange(min=0),
    )
    columns: str | None = option("Which columns, in this order.", "A,B")
    version: int | None = option("An earlier version of a shared table.", type=VERSIONS)
    snapshot: str | None = option("Another snapshot of an Iceberg table.", "ID|BRANCH|TAG")


@click.command()
@with_options(Rows)
@click.option("--json", "form", flag_value="json", help="One JSON object a line.")
@click.option(
    "--csv",
    "form",
    flag_value="csv",
    help="CSV: null is nothing, an empty text is two double quotes.",
)
@one_line("cat")
def cat(options: Rows, *, form: str | None) -> None:
    """Show the rows of TABLE in the catalog or the server of Delta Sharing at ADDRESS.

    Rows come in no order. Shared tables need `lakepact[arrow]`, those of Iceberg catalogs
    `lakepact[iceberg]`.

    Example: lakepact cat partner.share sales.europe.orders --limit 10 --columns id,day
    """
    name = _split(options.table)
    columns = _split(options.columns, ",") if options.columns is not None else None
    # One more shows whether there are more.
    most = SHOWN + 1 if options.limit is None and form is None else options.limit
    with open_client(options.source) as client:
        if isinstance(client, IcebergCatalog):
            if options.version is not None:
                raise WrongUsage("a table of an Iceberg catalog has snapshots: --snapshot")
            batches = _of_iceberg(
                client, name, columns=columns, limit=most, snapshot=options.snapshot
            )
        elif options.snapshot is not None:
            raise WrongUsage("a shared table has versions: --version")
        else:
            batches = _shared(client, name, columns=columns, limit=most, version=options.version)
        with batches as (names, reader):
            _write(names, _up_to(reader, most), form, limit=options.limit)


def _split(text: str, between: str = ".") -> tuple[str, ...]:
    try:
        return parts(text, between)
    except ValueError as error:
        raise WrongUsage(str(error)) from None


@contextmanager
def _shared(
    client: SharingClient,
    name: tuple[str, ...],
    *,
    columns: tuple[str, ...] | None,
    limit: int | None,
    version: int | None,
) -> Generator[tuple[tuple[str, ...], Iterator[Any]]]:
    if len(name) != 3:
        raise WrongUsage("a shared table is named SHARE.SCHEMA.TABLE")
    with client.table(*name).query(limit=limit, version=version) as listing:
        try:
            schema = listing.metadata.schema
        except ValueError as error:
            raise NotRead(str(error)) from None
        # The rows may be none, so the columns are taken from the schema.
        names = schema.names if columns is None else tuple(map(_name_in(schema), columns))
        yield names, iter(listing.batches(columns=columns))


def _name_in(schema: Schema) -> Callable[[str], str]:
    def name_of(column: str) -> str:
        try:
            return schema.column(column).name
        except ValueError as error:
            raise WrongUsage(str(error)) from None

    return name_of


@contextmanager
def _of_iceberg(
    catalog: IcebergCatalog,
    name: tuple[str, ...],
    *,
    columns: tuple[str, ...] | None,
    limit: int | None,
    snapshot: str | None,
) -> Generator[tuple[tuple[str, ...], Iterator[Any]]]:
    if len(name) < 2:
        raise WrongUsage("a table is named NAMESPACE.TABLE")
    addressable(name[:-1])
    path_segment(name[-1])
    need("pyiceberg", "pyarrow")
    try:
        pin = None if snapshot is None else _snapshot(catalog, name, snapshot)
        scan = catalog.scan(name, columns, snapshot=pin, limit=limit)
        try:
            reader = scan.reader()
        except ValueError as error:
            raise WrongUsage(str(error)) from None
        with reader:
            yield tuple(reader.schema.names), iter(reader)
    except (
        LakepactError,
        NotThere,
        WrongUsage,
        ImportError,
        click.exceptions.Exit,
        BrokenPipeError,
    ):
        raise
    except Exception as error:  # noqa: BLE001 - one line ends the verb
        # pyiceberg, pyarrow and their file systems raise whatever they have.
        raise NotRead(f"the files of {whole(name)} cannot be read: {_error_text(error)}") from None


def _snapshot(catalog: IcebergCatalog, name: tuple[str, ...], snapshot: str) -> int | str:
    """Return a branch, a tag or the id of a snapshot."""
    metadata = catalog.load_table(name, snapshots="all").metadata
    if snapshot in (metadata.refs or {}):
        return snapshot
    ids = {str(one.snapshot_id): one.snapshot_id for one in metadata.snapshots or ()}
    if snapshot not in ids:
        raise NotThere(f"the table has no snapshot, branch or tag {snapshot!r}")
    return ids[snapshot]


def _error_text(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return Redactor(Request("GET", "")).text(text)


def _up_to(batches: Iterator[Any], limit: int | None) -> Iterator[Mapping[str, Any]]:
    return islice(chain.from_iterable(map(rows, batches)), limit)


def _write(
    names: tuple[str, ...],
    records: Iterator[Mapping[str, Any]],
    form: str | None,
    *,
    limit: int | None,
) -> None:
    if form == "json":
        for row in records:
            click.echo(json_line({name: as_json(value) for name, value in row.items()}))
    elif form == "csv":
        _write_csv(names)
        for row in records:
            _write_csv(row.values())
    else:
        table_rows = list(records)
        there_are_more = limit is None and len(table_rows) > SHOWN
        table_rows = table_rows[:SHOWN] if there_are_more else table_rows
        _write_table(names, table_rows)
        if there_are_more:
            say("cat", f"the first {SHOWN} rows; --limit shows others, --json and --csv show all")


def _write_csv(values: Iterable[Any]) -> None:
    line = csv_line(values)
    # In a file the values are what they are; click would take escape sequences out of them.
    sys.stdout.write(f"{plain(line) if sys.stdout.isatty() else line}\n")


def _write_table(names: tuple[str, ...], table_rows: list[Mapping[str, Any]]) -> None:
    cells = [
        ["null" if value is None else as_text(value) for value in row.values()]
        for row in table_rows
    ]
    right = [
        any(_is_number(value) for value in column)
        for column in zip(*(row.values() for row in table_rows), strict=True)
    ]
    for line in layout.table(names, cells, cells=layout.terminal(), right=right):
        click.echo(line)
    click.echo(f"({len(table_rows)} row{'' if len(table_rows) == 1 else 's'})")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
