"""Tables by name: create, list, load, rename, register, drop. Changes to their metadata are in
`commits`.
"""

from __future__ import annotations

import contextlib
import uuid
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.identifiers import (
    identifier_key,
    levels_of,
    now_ms,
    tables_of,
)
from lakepact.reference_server.iceberg_rest.tables.credentials import table_reply
from lakepact.reference_server.iceberg_rest.tables.etags import matches, tag_of_representation
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.iceberg_rest.tables.metadata_files import (
    forget_metadata_files,
    metadata_files_elsewhere,
    prepare,
    record_of,
)
from lakepact.reference_server.iceberg_rest.tables.registration import read_metadata
from lakepact.reference_server.warehouse.local import Outside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.generated.iceberg_rest import documents
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials
    from lakepact.reference_server.iceberg_rest.tables.locations import Located
    from lakepact.reference_server.storage.store import Place, Record


def snapshots_of_refs(metadata: documents.TableMetadata) -> documents.TableMetadata:
    """Return the metadata with no other snapshots than those that a branch or tag points to."""
    ids = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()} | {
        metadata.get("current-snapshot-id")
    }
    return {
        **metadata,
        "snapshots": [s for s in metadata.get("snapshots", []) if s["snapshot-id"] in ids],
    }


def files_may_go(locations: Located, location: str) -> bool:
    """Return whether nothing else may have files where a table is purged, above it or below it."""
    return locations.is_unused(location)


class Rules(ServiceRules):
    """Decisions about tables that a fault may replace."""

    snapshots_of_refs = staticmethod(snapshots_of_refs)
    files_may_go = staticmethod(files_may_go)
    tables_of = staticmethod(tables_of)
    new_metadata = staticmethod(new_table_metadata)
    read_metadata = staticmethod(read_metadata)
    tag = staticmethod(tag_of_representation)


class Tables:
    """The table operations of the contract, except commits.

    Args:
        catalog: the catalog that the tables are in.
        rules: the decisions about tables.
        credentials: what their files are opened with.
        defaults: properties of those that are created, unless their requests have them.
    """

    def __init__(
        self,
        catalog: Catalog,
        rules: Rules,
        *,
        credentials: Credentials,
        defaults: Mapping[str, str],
    ) -> None:
        self._catalog, self._rules = catalog, rules
        self._defaults = defaults
        self._credentials = credentials

    def list_tables(
        self, *, namespace: str, page_token: str | None = None, page_size: int | None = None
    ) -> Reply:
        """Return the tables of exactly this namespace."""
        return self._catalog.list_identifiers(
            "tables", self._rules.tables_of, namespace, token=page_token, size=page_size
        )

    def create_table(
        self,
        *,
        namespace: str,
        body: documents.CreateTableRequest,
        x_iceberg_access_delegation: Sequence[str] = (),
    ) -> Reply:
        """Return a new table, or with `stage-create` what it would be."""
        levels, name = levels_of(namespace), body["name"]
        key = identifier_key(levels, name)
        self._catalog.rules.name_is_addressable(name, "/name")
        with self._catalog.store.begin() as transaction:
            within = self._catalog.rules.namespace_exists(transaction, levels)
            self._catalog.rules.identifier_is_free(transaction, levels, name, "table")
            metadata = self._new_metadata(
                body, self._catalog.new_location(within.document, key, body.get("location"))
            )
            self._catalog.check_folders(key, metadata)
            record: Record | None = None
            if body.get("stage-create", False):
                prepare(self._catalog.warehouse, metadata["location"])
            else:
                record = self._catalog.rules.write_metadata(
                    self._catalog.warehouse, metadata, former=None
                )
                self._catalog.put(transaction, key, record)
        is_staged, location = record is None, metadata["location"]
        access = self._credentials.access_for(
            x_iceberg_access_delegation,
            location,
            levels,
            name,
            has_changed=not is_staged,
            is_staged=is_staged,
        )
        return (
            table_reply(orjson.dumps({"metadata": metadata}), b"", access)
            if record is None
            else self._stored(record, access)
        )

    def _new_metadata(
        self, body: documents.CreateTableRequest, location: str
    ) -> documents.TableMetadata:
        if self._defaults:
            body = {**body, "properties": {**self._defaults, **(body.get("properties") or {})}}
        return self._rules.new_metadata(
            body, table_uuid=str(uuid.uuid4()), location=location, now_ms=now_ms()
        )

    def load_table(
        self,
        *,
        namespace: str,
        table: str,
        snapshots: str = "all",
        if_none_match: str | None = None,
        x_iceberg_access_delegation: Sequence[str] = (),
        referenced_by: str | None = None,  # noqa: ARG002 - a view gives no rights here
    ) -> Reply:
        """Return a table's metadata with all or only referenced snapshots; 304 for a client that
        has it already.

        When credentials are returned, always send the full table (never 304): the cached
        credentials may have expired.
        """
        levels = levels_of(namespace)
        record = self._existing(levels, table)
        access: documents.LoadTableResult = {}
        if (
            self._credentials.are_vended
        ):  # else the document is not looked at: a load sends its bytes
            location = record.document["metadata"]["location"]
            access = self._credentials.access_for(
                x_iceberg_access_delegation, location, levels, table
            )
        if if_none_match is not None and not access:
            tag = self._rules.tag(record, snapshots)
            if tag and matches(if_none_match, tag):
                return Reply(304, headers=((b"etag", tag),))
        if snapshots == "refs":
            document = {
                **record.document,
                "metadata": self._rules.snapshots_of_refs(record.document["metadata"]),
            }
            return table_reply(orjson.dumps(document), self._rules.tag(record, snapshots), access)
        return self._whole(record, access)

    def _whole(self, record: Record, access: documents.LoadTableResult) -> Reply:
        """Return a table with all its snapshots."""
        return table_reply(record.body, self._rules.tag(record, "all"), access)

    def _stored(self, record: Record, access: documents.LoadTableResult) -> Reply:
        """Return a table as its metadata file has it."""
        return replace(self._whole(record, access), stored_at=record.document["metadata-location"])

    def table_exists(self, *, namespace: str, table: str) -> Reply:
        """Return whether there is such a table, by status alone."""
        self._existing(levels_of(namespace), table)
        return NO_CONTENT

    def drop_table(self, *, namespace: str, table: str, purge_requested: bool = False) -> Reply:
        """Forget a table, and with `purgeRequested` remove its files too."""
        levels = levels_of(namespace)
        with self._catalog.store.begin() as transaction:
            record = self._catalog.rules.table_exists(transaction, levels, table)
            transaction.remove(identifier_key(levels, table))
            if purge_requested:
                elsewhere = metadata_files_elsewhere(self._catalog.warehouse, record.document)
                transaction.afterwards(partial(self._purge, record.document["metadata"], elsewhere))
        return NO_CONTENT

    def _purge(self, metadata: documents.TableMetadata, elsewhere: Sequence[str]) -> None:
        """Remove the files of a table that is gone for good, unless others may have files there.

        Args:
            metadata: of the table.
            elsewhere: its metadata files outside its location.
        """
        location, uuid, catalog = metadata["location"], metadata["table-uuid"], self._catalog
        with catalog.store.begin():  # nothing may move in between
            if self._rules.files_may_go(catalog.locations, location):
                with contextlib.suppress(
                    Outside
                ):  # the warehouse may have been another one when the table was made
                    catalog.warehouse.purge(location)
                if not catalog.locations.knows(uuid):
                    forget_metadata_files(catalog.warehouse, elsewhere, uuid)

    def unregister_table(self, *, namespace: str, table: str) -> Reply:
        """Forget a table, leave its files, and return the metadata that it had last."""
        levels = levels_of(namespace)
        with self._catalog.store.begin() as transaction:
            record = self._catalog.rules.table_exists(transaction, levels, table)
            transaction.remove(identifier_key(levels, table))
        return table_reply(record.body, b"", {})

    def rename_table(self, *, body: documents.RenameTableRequest) -> Reply:
        """Give a table another name, in its namespace or another; its files stay where they are."""
        self._catalog.rename(
            body,
            exists=self._catalog.rules.table_exists,
            is_addressable=self._catalog.rules.name_is_addressable,
        )
        return NO_CONTENT

    def register_table(
        self,
        *,
        namespace: str,
        body: documents.RegisterTableRequest,
        x_iceberg_access_delegation: Sequence[str] = (),
    ) -> Reply:
        """Take over a table from its metadata file; with `overwrite` in the place of the one that
        has its name.
        """
        levels, name, location = levels_of(namespace), body["name"], body["metadata-location"]
        self._catalog.rules.name_is_addressable(name, "/name")
        key = identifier_key(levels, name)
        with self._catalog.store.begin() as transaction:
            self._catalog.rules.namespace_exists(transaction, levels)
            former = transaction.get(key)
            if not body.get("overwrite", False) or (former is not None and former.kind != "table"):
                self._catalog.rules.identifier_is_free(transaction, levels, name, "table")
            metadata = self._rules.read_metadata(self._catalog, location)
            self._catalog.check_location(key, metadata["location"], metadata["table-uuid"])
            self._catalog.check_folders(key, metadata, uuid=metadata["table-uuid"])
            record = record_of(metadata, location, orjson.dumps(metadata))
            transaction.put(key, record)
        access = self._credentials.access_for(
            x_iceberg_access_delegation, metadata["location"], levels, name, has_changed=True
        )
        return self._stored(record, access)

    def _existing(self, levels: Place, table: str) -> Record:
        with self._catalog.store.view() as view:
            return self._catalog.rules.table_exists(view, levels, table)
