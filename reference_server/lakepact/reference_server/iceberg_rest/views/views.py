"""Views by name: create, list, load, rename, drop. Changes to their metadata are in `view_commits`."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.paging import BadToken
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.iceberg_rest.identifiers import (
    IDENTIFIERS,
    NOWHERE,
    SEPARATOR,
    bad_request,
    check_name,
    identifier_key,
    levels_of,
    namespace_key,
    now_ms,
    shown,
)
from lakepact.reference_server.iceberg_rest.tables.metadata_files import next_location, write
from lakepact.reference_server.iceberg_rest.tables.tables import chosen_location, renamed
from lakepact.reference_server.iceberg_rest.views.metadata import new_view_metadata
from lakepact.reference_server.iceberg_rest.views.registration import read_view_metadata
from lakepact.reference_server.service import Rules as ServiceRules
from lakepact.reference_server.storage.store import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Place, View
    from lakepact.reference_server.warehouse.local import Warehouse


def view_exists(view: View, levels: Place, name: str) -> Record:
    """Return the record of a view; a table is none."""
    record = view.get(identifier_key(levels, name))
    if record is None or record.kind != "view":
        homeless = record is None and view.get(namespace_key(levels)) is None
        raise Problem(404, "NoSuchViewException", f"View does not exist: {shown(levels, name)}{NOWHERE if homeless else ''}")
    return record


def view_name_is_addressable(name: str, where: str) -> None:
    """Check that a view can be addressed in a path."""
    check_name(name, f"at {where}: the name of a view")


def views_of(view: View, levels: Place, behind: str | None) -> Iterator[tuple[str, Record]]:
    """Return the views of a namespace in the order of their names."""
    return ((name, record) for name, record in view.under(IDENTIFIERS, levels, after=behind) if record.kind == "view")


def view_written(warehouse: Warehouse, metadata: Document, *, former: str | None) -> Record:
    """Write a new metadata file and return the record of the view that it is now; commits and loads are answered with its bytes."""
    text = orjson.dumps(metadata)
    location = next_location(warehouse, metadata, former)
    write(warehouse, location, text)
    return _record_of(metadata, location, text)


def _record_of(metadata: Document, location: str, text: bytes) -> Record:
    """Return the record of a view whose metadata stands at a location."""
    body = b'{"metadata-location":' + orjson.dumps(location) + b',"metadata":' + text + b"}"
    return Record("view", {"metadata-location": location, "metadata": metadata}, body)


class Rules(ServiceRules):
    """Decisions about views that a fault may replace; those about places and names are in `tables`."""

    view_exists = staticmethod(view_exists)
    view_name_is_addressable = staticmethod(view_name_is_addressable)
    views_of = staticmethod(views_of)
    new_view_metadata = staticmethod(new_view_metadata)
    view_written = staticmethod(view_written)
    read_view_metadata = staticmethod(read_view_metadata)


class Views:
    """The view operations of the contract, except commits."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._rules = catalog.rules

    def list_views(self, *, namespace: str, page_token: str | None = None, page_size: int | None = None) -> Reply:
        """Return the views of exactly this namespace."""
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            self._rules.namespace_exists(view, levels)
            try:
                found, following = self._rules.page(
                    partial(self._rules.views_of, view, levels),
                    f"views{SEPARATOR}{namespace}",
                    after=page_token,
                    size=page_size,
                )
            except BadToken as bad:
                raise bad_request(f"query parameter pageToken: {bad}") from None
        identifiers = [{"namespace": list(levels), "name": name} for name, _ in found]
        return json_reply({"identifiers": identifiers, "next-page-token": following})

    def create_view(self, *, namespace: str, body: Document, **_: object) -> Reply:
        """Return a new view with one version."""
        levels, name = levels_of(namespace), body["name"]
        self._rules.view_name_is_addressable(name, "/name")
        with self._catalog.store.begin() as transaction:
            within: Record = self._rules.namespace_exists(transaction, levels)
            self._rules.identifier_is_free(transaction, levels, name, "view")
            location = chosen_location(self._catalog, within.document, levels=levels, name=name, wanted=body.get("location"))
            metadata = self._rules.new_view_metadata(body, view_uuid=str(uuid.uuid4()), location=location, now_ms=now_ms())
            record: Record = self._rules.view_written(self._catalog.warehouse, metadata, former=None)
            transaction.put(identifier_key(levels, name), record)
            transaction.otherwise(partial(self._catalog.warehouse.forget, record.document["metadata-location"]))
        return Reply(200, record.body)

    def load_view(self, *, namespace: str, view: str, **_: object) -> Reply:
        """Return a view's metadata."""
        return Reply(200, self._existing(namespace, view).body)

    def view_exists(self, *, namespace: str, view: str) -> Reply:
        """Return whether there is such a view, by status alone."""
        self._existing(namespace, view)
        return NO_CONTENT

    def drop_view(self, *, namespace: str, view: str) -> Reply:
        """Forget a view; its metadata files stay."""
        levels = levels_of(namespace)
        with self._catalog.store.begin() as transaction:
            self._rules.view_exists(transaction, levels, view)
            transaction.remove(identifier_key(levels, view))
        return NO_CONTENT

    def register_view(self, *, namespace: str, body: Document) -> Reply:
        """Take over a view from its metadata file."""
        levels, name, location = levels_of(namespace), body["name"], body["metadata-location"]
        self._rules.view_name_is_addressable(name, "/name")
        with self._catalog.store.begin() as transaction:
            self._rules.namespace_exists(transaction, levels)
            self._rules.identifier_is_free(transaction, levels, name, "view")
            metadata = self._rules.read_view_metadata(self._catalog, location)
            key = identifier_key(levels, name)
            self._rules.location_is_held(self._catalog.warehouse, metadata["location"])
            self._rules.location_is_free(self._catalog.located, key, metadata["location"], metadata["view-uuid"])
            record = _record_of(metadata, location, orjson.dumps(metadata))
            transaction.put(key, record)
        return Reply(200, record.body)

    def rename_view(self, *, body: Document) -> Reply:
        """Give a view another name, in its namespace or another; its files stay where they are."""
        source, destination = body["source"], body["destination"]
        old_levels, new_levels = tuple(source["namespace"]), tuple(destination["namespace"])
        with self._catalog.store.begin() as transaction:
            self._rules.view_exists(transaction, old_levels, source["name"])
            if (old_levels, source["name"]) == (new_levels, destination["name"]):
                return NO_CONTENT
            self._rules.view_name_is_addressable(destination["name"], "/destination/name")
            self._rules.namespace_exists(transaction, new_levels)
            renamed(
                transaction,
                identifier_key(old_levels, source["name"]),
                identifier_key(new_levels, destination["name"]),
                self._rules.identifier_is_free,
            )
        return NO_CONTENT

    def _existing(self, namespace: str, view: str) -> Record:
        with self._catalog.store.view() as current:
            record: Record = self._rules.view_exists(current, levels_of(namespace), view)
        return record
