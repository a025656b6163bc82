"""`lakepact ls`: the namespaces, tables and views of a catalog, or the shares, schemas and tables
of a sharing server.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import click

from lakepact.client import IcebergCatalog
from lakepact.client.command.addresses import Address, open_client
from lakepact.client.command.failures import FAILED, WrongUsage, one_line, say
from lakepact.client.command.names import parts, whole
from lakepact.client.errors import BadRequest, NotFound, ResponseError
from lakepact.client.text import json_line, plain
from lakepact.reach.options import argument, flag, part, with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.client import SharingClient

#: Kind and name.
Entry: TypeAlias = tuple[str, tuple[str, ...]]
_WORDS = {"shared": "table"}
#: Namespaces have fewer levels; deeper ones of a server are not listed.
_DEEPEST = 50


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The options of `lakepact ls`."""

    source: Address = part(Address)
    within: str | None = argument(required=False, metavar="[NAMESPACE|SHARE[.SCHEMA]]")
    recursive: bool = flag("Also what is in namespaces and schemas, to the last table.", "-r")
    json: bool = flag("One JSON object a line.")


@click.command()
@with_options(Listing)
@one_line("ls")
def ls(options: Listing) -> None:
    """List what an Iceberg catalog at ADDRESS holds, or what a server of Delta Sharing shares: down
    to tables and views.

    ADDRESS is a URL, or the file of a profile. Dots stand between the levels of a name; a level
    that holds dots is put in double quotes.

    Example: lakepact ls http://127.0.0.1:8181 sales.emea
    """
    place = _place(options.within)
    errors: list[str] = []
    with open_client(options.source) as client:
        if isinstance(client, IcebergCatalog):
            entries = _in_catalog(
                client, place, recursive=options.recursive, on_error=errors.append
            )
        elif len(place) > 2:
            raise WrongUsage(
                "a share is divided into schemas, and a schema into tables: SHARE or SHARE.SCHEMA"
            )
        else:
            entries = _shared(client, place, recursive=options.recursive)
        for kind, name in entries:
            click.echo(
                _document(kind, name)
                if options.json
                else f"{_WORDS.get(kind, kind):<9}  {plain(whole(name))}"
            )
    for message in errors:
        say("ls", message)
    if errors:
        sys.exit(FAILED)


def _place(within: str | None) -> tuple[str, ...]:
    try:
        return parts(within) if within is not None else ()
    except ValueError as error:
        raise WrongUsage(str(error)) from None


def _document(kind: str, name: tuple[str, ...]) -> str:
    if kind in {"share", "schema", "shared"}:
        return json_line(
            {
                "kind": _WORDS.get(kind, kind),
                **dict(zip(("share", "schema", "name"), name, strict=False)),
            }
        )
    if kind == "namespace":
        return json_line({"kind": kind, "namespace": name})
    return json_line({"kind": kind, "namespace": name[:-1], "name": name[-1]})


def _in_catalog(
    catalog: IcebergCatalog,
    namespace: tuple[str, ...],
    *,
    recursive: bool,
    on_error: Callable[[str], object],
) -> Iterator[Entry]:
    for below in _namespaces(catalog, namespace):
        yield "namespace", below
        # A server that ignores `parent` would lead in circles.
        if recursive and below[:-1] == namespace and len(below) <= _DEEPEST:
            try:
                yield from _in_catalog(catalog, below, recursive=True, on_error=on_error)
            except NotFound:
                continue  # dropped in between
            except ResponseError as error:
                on_error(f"{whole(below)}: {error}")
    if namespace:
        for table in catalog.list_tables(namespace):
            yield "table", (*table.namespace, table.name)
        if catalog.offers("listViews"):
            for view in catalog.list_views(namespace):
                yield "view", (*view.namespace, view.name)


def _namespaces(catalog: IcebergCatalog, parent: tuple[str, ...]) -> list[tuple[str, ...]]:
    try:
        return list(catalog.list_namespaces(parent or None))
    except BadRequest:
        # Catalogs whose namespaces have one level refuse `parent`.
        if parent:
            return []
        raise


def _shared(client: SharingClient, place: tuple[str, ...], *, recursive: bool) -> Iterator[Entry]:
    if len(place) == 2:
        for table in client.tables(*place):
            yield "shared", (*place, table.name)
    elif not place:
        for share in client.shares():
            yield "share", (share.name,)
            if recursive:
                yield from _shared(client, (share.name,), recursive=True)
    else:
        for schema in client.schemas(*place):
            yield "schema", (*place, schema.name)
            if recursive:
                yield from _shared(client, (*place, schema.name), recursive=True)
