"""Tables by name: create, list, load, rename, register, drop. Changes to their metadata are in `commits`."""

from __future__ import annotations

import contextlib
import uuid
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.http.paging import BadToken
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.http.workers import leave_the_loop
from lakepact.reference_server.iceberg_rest.identifiers import (
    IDENTIFIERS,
    SEPARATOR,
    bad_request,
    check_name,
    identifier_key,
    levels_of,
    namespace_key,
    no_such_table,
    now_ms,
    shown,
)
from lakepact.reference_server.iceberg_rest.tables.credentials import sent
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.iceberg_rest.tables.metadata_files import (
    default_location,
    forget_metadata_files,
    location_is_free,
    location_is_held,
    metadata_files_elsewhere,
    prepare,
    read_metadata,
    record_of,
    written,
)
from lakepact.reference_server.service import Rules as ServiceRules
from lakepact.reference_server.warehouse.local import Outside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials
    from lakepact.reference_server.iceberg_rest.tables.locations import Located
    from lakepact.reference_server.storage.store import Key, Place, Record, Transaction, View


def table_exists(view: View, levels: Place, name: str) -> Record:
    """Return the record of a table; a view is none."""
    record = view.get(identifier_key(levels, name))
    if record is None or record.kind != "table":
        raise no_such_table(levels, name, homeless=record is None and view.get(namespace_key(levels)) is None)
    return record


def identifier_is_free(transaction: Transaction, levels: Place, name: str, wanted: str | None = None) -> None:
    """Tables and views share their names; `wanted` is the kind of what is to be created."""
    record = transaction.get(identifier_key(levels, name))
    if record is not None:
        alike = "" if wanted in {None, record.kind} else " with same name"
        raise Problem(409, "AlreadyExistsException", f"{record.kind.capitalize()}{alike} already exists: {shown(levels, name)}")


def renamed(transaction: Transaction, old: Key, new: Key, is_free: Callable[..., None]) -> None:
    """Move a record to another name.

    Raises:
        Problem: 409, the name is taken.
    """
    try:
        is_free(transaction, new.place, new.name)
    except Problem as problem:
        what = f"Cannot rename {shown(old.place, old.name)} to {shown(new.place, new.name)}. {problem.message}"
        raise Problem(problem.status, problem.kind, what) from None
    record = transaction.remove(old)
    if record is not None:
        leave_the_loop(len(record.body))
        transaction.put(new, record)


def name_is_addressable(name: str, where: str) -> None:
    """Check that a table can be addressed in a path."""
    check_name(name, f"at {where}: the name of a table")


def snapshots_of_refs(metadata: Document) -> Document:
    """Return the metadata with no other snapshots than those that a branch or tag points to."""
    kept = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()} | {metadata.get("current-snapshot-id")}
    return {**metadata, "snapshots": [s for s in metadata.get("snapshots", []) if s["snapshot-id"] in kept]}


def files_may_go(located: Located, location: str) -> bool:
    """Return whether nothing else may have files where a table is purged, above it or below it."""
    return located.is_unused(location)


def listed(view: View, levels: Place, behind: str | None) -> Iterator[tuple[str, Record]]:
    """Return the tables of a namespace in the order of their names."""
    return ((name, record) for name, record in view.under(IDENTIFIERS, levels, after=behind) if record.kind == "table")


class Rules(ServiceRules):
    """Decisions about tables that a fault may replace."""

    table_exists = staticmethod(table_exists)
    identifier_is_free = staticmethod(identifier_is_free)
    name_is_addressable = staticmethod(name_is_addressable)
    snapshots_of_refs = staticmethod(snapshots_of_refs)
    files_may_go = staticmethod(files_may_go)
    tables_of = staticmethod(listed)
    location_is_held = staticmethod(location_is_held)
    location_is_free = staticmethod(location_is_free)
    default_location = staticmethod(default_location)
    new_metadata = staticmethod(new_table_metadata)
    read_metadata = staticmethod(read_metadata)
    written = staticmethod(written)
    prepare = staticmethod(prepare)


def chosen_location(catalog: Catalog, within: Document, *, levels: Place, name: str, wanted: str | None) -> str:
    """Return where a new table or view is put.

    Args:
        catalog: it is made in.
        within: the document of its namespace.
        levels: of its namespace.
        name: of the table or view.
        wanted: the location that its creator asks for, if any.

    Raises:
        Problem: 400, it cannot lie there.
    """
    location: str = (catalog.rules.default_location(catalog, within, levels=levels, name=name) if wanted is None else wanted).rstrip("/")
    catalog.rules.location_is_held(catalog.warehouse, location)
    if wanted is not None:  # a default one is a new folder
        catalog.rules.location_is_free(catalog.located, identifier_key(levels, name), location)
    return location


class Tables:
    """The table operations of the contract, except commits.

    Args:
        catalog: the catalog that the tables are in.
        credentials: what their files are opened with.
        defaults: properties of those that are created, unless their requests have them.
    """

    def __init__(self, catalog: Catalog, credentials: Credentials, *, defaults: Mapping[str, str]) -> None:
        self._catalog = catalog
        self._defaults = defaults
        self._credentials = credentials
        self._rules = catalog.rules

    def list_tables(self, *, namespace: str, page_token: str | None = None, page_size: int | None = None) -> Reply:
        """Return the tables of exactly this namespace."""
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            self._rules.namespace_exists(view, levels)
            try:
                found, following = self._rules.page(
                    partial(self._rules.tables_of, view, levels),
                    f"tables{SEPARATOR}{namespace}",
                    after=page_token,
                    size=page_size,
                )
            except BadToken as bad:
                raise bad_request(f"query parameter pageToken: {bad}") from None
        identifiers = [{"namespace": list(levels), "name": name} for name, _ in found]
        return json_reply({"identifiers": identifiers, "next-page-token": following})

    def create_table(self, *, namespace: str, body: Document, x_iceberg_access_delegation: Sequence[str] = (), **_: object) -> Reply:
        """Return a new table, or with `stage-create` what it would be."""
        levels, name = levels_of(namespace), body["name"]
        self._rules.name_is_addressable(name, "/name")
        with self._catalog.store.begin() as transaction:
            within = self._rules.namespace_exists(transaction, levels)
            self._rules.identifier_is_free(transaction, levels, name, "table")
            metadata = self._new_metadata(body, within.document, levels)
            record: Record | None = None
            if body.get("stage-create", False):
                self._rules.prepare(self._catalog.warehouse, metadata["location"])
            else:
                made: Record = self._rules.written(self._catalog.warehouse, metadata, former=None)
                transaction.put(identifier_key(levels, name), made)
                transaction.otherwise(partial(self._catalog.warehouse.forget, made.document["metadata-location"]))
                record = made
        is_staged, location = record is None, metadata["location"]
        access = self._credentials.asked_for(
            x_iceberg_access_delegation, location, levels, name, has_changed=not is_staged, is_staged=is_staged
        )
        return sent(self._rules, orjson.dumps({"metadata": metadata}), b"", access) if record is None else self._whole(record, access)

    def _new_metadata(self, body: Document, within: Document, levels: Place) -> Document:
        location = chosen_location(self._catalog, within, levels=levels, name=body["name"], wanted=body.get("location"))
        if self._defaults:
            body = {**body, "properties": {**self._defaults, **(body.get("properties") or {})}}
        metadata: Document = self._rules.new_metadata(body, table_uuid=str(uuid.uuid4()), location=location, now_ms=now_ms())
        return metadata

    def load_table(
        self,
        *,
        namespace: str,
        table: str,
        snapshots: str = "all",
        if_none_match: str | None = None,
        x_iceberg_access_delegation: Sequence[str] = (),
        **_: object,
    ) -> Reply:
        """Return a table's metadata with all or only referenced snapshots; 304 for a client that has it already.

        When credentials are returned, always send the full table (never 304): the cached credentials may have expired.
        """
        levels = levels_of(namespace)
        record = self._existing(levels, table)
        access: Document = {}
        if self._credentials.are_given:  # else the document is not looked at: a load sends its bytes
            location = record.document["metadata"]["location"]
            access = self._credentials.asked_for(x_iceberg_access_delegation, location, levels, table)
        if if_none_match is not None and not access:
            tag = self._rules.tag(record, snapshots)
            if tag and self._rules.tag_matches(if_none_match, tag):
                return Reply(304, headers=((b"etag", tag),))
        if snapshots == "refs":
            leave_the_loop(len(record.body))
            document = {**record.document, "metadata": self._rules.snapshots_of_refs(record.document["metadata"])}
            return sent(self._rules, orjson.dumps(document), self._rules.tag(record, snapshots), access)
        return self._whole(record, access)

    def _whole(self, record: Record, access: Document) -> Reply:
        """Return a table with all its snapshots."""
        return sent(self._rules, record.body, self._rules.tag(record, "all"), access)

    def table_exists(self, *, namespace: str, table: str) -> Reply:
        """Return whether there is such a table, by status alone."""
        self._existing(levels_of(namespace), table)
        return NO_CONTENT

    def drop_table(self, *, namespace: str, table: str, purge_requested: bool = False) -> Reply:
        """Forget a table, and with `purgeRequested` remove its files too."""
        levels = levels_of(namespace)
        with self._catalog.store.begin() as transaction:
            record = self._rules.table_exists(transaction, levels, table)
            leave_the_loop(inf if purge_requested else len(record.body))  # nobody knows how many files there are
            transaction.remove(identifier_key(levels, table))
            if purge_requested:
                elsewhere = metadata_files_elsewhere(self._catalog.warehouse, record.document)
                transaction.afterwards(partial(self._purge, record.document["metadata"], elsewhere))
        return NO_CONTENT

    def _purge(self, metadata: Document, elsewhere: Sequence[str]) -> None:
        """Remove the files of a table that is gone for good, unless others may have files there.

        Args:
            metadata: of the table.
            elsewhere: its metadata files outside its location.
        """
        location, uuid, catalog = metadata["location"], metadata["table-uuid"], self._catalog
        with catalog.store.begin():  # nothing may move in between
            if self._rules.files_may_go(catalog.located, location):
                with contextlib.suppress(Outside):  # the warehouse may have been another one when the table was made
                    catalog.warehouse.purge(location)
                if not catalog.located.knows(uuid):
                    forget_metadata_files(catalog.warehouse, elsewhere, uuid)

    def rename_table(self, *, body: Document) -> Reply:
        """Give a table another name, in its namespace or another; its files stay where they are."""
        source, destination = body["source"], body["destination"]
        old_levels, new_levels = tuple(source["namespace"]), tuple(destination["namespace"])
        with self._catalog.store.begin() as transaction:
            self._rules.table_exists(transaction, old_levels, source["name"])
            if (old_levels, source["name"]) == (new_levels, destination["name"]):
                return NO_CONTENT
            self._rules.name_is_addressable(destination["name"], "/destination/name")
            self._rules.namespace_exists(transaction, new_levels)
            renamed(
                transaction,
                identifier_key(old_levels, source["name"]),
                identifier_key(new_levels, destination["name"]),
                self._rules.identifier_is_free,
            )
        return NO_CONTENT

    def register_table(self, *, namespace: str, body: Document, x_iceberg_access_delegation: Sequence[str] = (), **_: object) -> Reply:
        """Take over a table from its metadata file; with `overwrite` in the place of the one that has its name."""
        levels, name, location = levels_of(namespace), body["name"], body["metadata-location"]
        self._rules.name_is_addressable(name, "/name")
        leave_the_loop(inf)  # the file may be large
        key = identifier_key(levels, name)
        with self._catalog.store.begin() as transaction:
            self._rules.namespace_exists(transaction, levels)
            former = transaction.get(key)
            if not body.get("overwrite", False) or (former is not None and former.kind != "table"):
                self._rules.identifier_is_free(transaction, levels, name, "table")
            metadata: dict[str, Any] = self._rules.read_metadata(self._catalog, location)
            self._rules.location_is_held(self._catalog.warehouse, metadata["location"])
            self._rules.location_is_free(self._catalog.located, key, metadata["location"], metadata["table-uuid"])
            record = record_of(metadata, location, orjson.dumps(metadata))
            transaction.put(key, record)
        access = self._credentials.asked_for(x_iceberg_access_delegation, metadata["location"], levels, name, has_changed=True)
        return self._whole(record, access)

    def _existing(self, levels: Place, table: str) -> Record:
        with self._catalog.store.view() as view:
            record: Record = self._rules.table_exists(view, levels, table)
        return record
