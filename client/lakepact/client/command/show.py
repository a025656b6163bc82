"""`lakepact show`: the description of a table, a view or a shared table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from lakepact.client import IcebergCatalog
from lakepact.client.command import layout
from lakepact.client.command.addresses import VERSIONS, Address, open_client
from lakepact.client.command.failures import WrongUsage, one_line
from lakepact.client.command.iceberg_words import table_in_words, view_in_words
from lakepact.client.command.names import parts, whole
from lakepact.client.command.shared_words import shared_document, shared_in_words
from lakepact.client.errors import NoSuchNamespace, NotFound
from lakepact.client.iceberg_rest.names import addressable
from lakepact.client.redaction import HIDDEN, is_secret
from lakepact.client.text import json_line
from lakepact.reach.options import argument, flag, option, part, with_options
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.client import SharingClient

Snapshots = Literal["refs", "all"]


@dataclass(frozen=True, kw_only=True)
class Showing:
    """The options of `lakepact show`."""

    source: Address = part(Address)
    table: str = argument()
    snapshots: Snapshots | None = option(
        "Which snapshots of an Iceberg table: those of its branches and tags, or all.",
        type=click.Choice(["refs", "all"]),
    )
    version: int | None = option("An earlier version of a shared table.", type=VERSIONS)
    json: bool = flag("The document as it came, but for credentials.")


@click.command()
@with_options(Showing)
@one_line("show")
def show(options: Showing) -> None:
    """Show what TABLE is, a table or view of the catalog at ADDRESS, or a table that the server of
    Delta Sharing at ADDRESS shares.

    Example: lakepact show http://127.0.0.1:8181 sales.emea.orders
    """
    try:
        name = parts(options.table)
    except ValueError as error:
        raise WrongUsage(str(error)) from None
    with open_client(options.source) as client:
        if isinstance(client, IcebergCatalog):
            if options.version is not None:
                raise WrongUsage("--version is for shared tables")
            document, lines = _of_catalog(client, name, options.snapshots)
        elif options.snapshots is not None:
            raise WrongUsage("--snapshots is for tables of Iceberg catalogs")
        else:
            document, lines = _shared(client, name, options.version)
    for line in [json_line(document, indent=2)] if options.json else lines:
        click.echo(line)


def _of_catalog(
    catalog: IcebergCatalog, name: tuple[str, ...], snapshots: Snapshots | None
) -> tuple[Any, Iterator[str]]:
    if len(name) < 2:
        raise WrongUsage("a table is named NAMESPACE.TABLE")
    addressable(name[:-1])
    path_segment(name[-1])
    cells = layout.terminal()
    try:
        document = catalog.load_table((name[:-1], name[-1]), snapshots=snapshots).to_wire()
    except NoSuchNamespace:
        raise
    except NotFound:
        if not catalog.offers("loadView"):
            raise
        view = _view(catalog, name)
        if view is None:
            raise
        return _without_credentials(view), view_in_words(whole(name), view, cells=cells)
    return _without_credentials(document), table_in_words(
        whole(name), document, cells=cells, every_snapshot=snapshots is not None
    )


def _view(catalog: IcebergCatalog, name: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        return catalog.load_view((name[:-1], name[-1])).to_wire()
    except NotFound:
        return None


def _shared(
    client: SharingClient, name: tuple[str, ...], version: int | None
) -> tuple[Any, Iterator[str]]:
    if len(name) != 3:
        raise WrongUsage("a shared table is named SHARE.SCHEMA.TABLE")
    description = client.table(*name).metadata(version=version)
    return shared_document(description), shared_in_words(
        whole(name), description, cells=layout.terminal()
    )


def _without_credentials(document: dict[str, Any]) -> dict[str, Any]:
    """Return a loaded object with secrets hidden, which `config` may contain."""
    result = dict(document)
    if isinstance(config := document.get("config"), dict):
        result["config"] = _hidden(config)
    if isinstance(credentials := document.get("storage-credentials"), list):
        result["storage-credentials"] = [
            {**one, "config": _hidden(one.get("config") or {})} for one in credentials
        ]
    return result


def _hidden(config: dict[str, Any]) -> dict[str, Any]:
    return {name: HIDDEN if is_secret(name) else value for name, value in config.items()}
