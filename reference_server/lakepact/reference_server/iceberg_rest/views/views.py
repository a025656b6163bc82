"""Views by name: create, list, load, rename, drop. Changes to their metadata are in `commits`."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.documents import refusal
from lakepact.reference_server.iceberg_rest.identifiers import (
    check_name,
    identifier_key,
    levels_of,
    now_ms,
    view_exists,
    views_of,
)
from lakepact.reference_server.iceberg_rest.tables.metadata_files import whole, write_next
from lakepact.reference_server.iceberg_rest.tables.registration import read_for_registration
from lakepact.reference_server.iceberg_rest.views.metadata import (
    finish_view_commit,
    new_view_metadata,
)
from lakepact.reference_server.storage.store import Record

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import (
        CreateViewRequest,
        RegisterViewRequest,
        RenameTableRequest,
        ViewMetadata,
    )
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.warehouse.local import Warehouse


def write_view_metadata(
    warehouse: Warehouse, metadata: ViewMetadata, *, former: str | None
) -> Record:
    """Write a new metadata file, and return the new record of the view; commits and loads are
    answered with its bytes.
    """
    return _record_of(metadata, *write_next(warehouse, metadata, former))


def _record_of(metadata: ViewMetadata, location: str, text: bytes) -> Record:
    """Return the record of a view whose metadata file is at a location."""
    return Record(
        "view", {"metadata-location": location, "metadata": metadata}, whole(location, text)
    )


def read_view_metadata(catalog: Catalog, location: str) -> ViewMetadata:
    """Return the view metadata in a file that a request names.

    Raises:
        Problem: 400, the file is missing, or its content is not valid.
    """
    return read_for_registration(catalog, location, "view", _consistent)


def _consistent(document: ViewMetadata) -> ViewMetadata:
    versions = {version["version-id"] for version in document["versions"]}
    if document["current-version-id"] not in versions:
        raise refusal(
            "/current-version-id",
            f"expected one of the versions, found {document['current-version-id']}",
        )
    schemas = {schema.get("schema-id", 0) for schema in document["schemas"]}
    for index, version in enumerate(document["versions"]):
        if version["schema-id"] not in schemas:
            raise refusal(
                f"/versions/{index}/schema-id",
                f"expected one of the schemas, found {version['schema-id']}",
            )
    return document


class Rules(ServiceRules):
    """Decisions about views that a fault may replace."""

    view_exists = staticmethod(view_exists)
    views_of = staticmethod(views_of)
    new_view_metadata = staticmethod(new_view_metadata)
    write_view_metadata = staticmethod(write_view_metadata)
    finish_view_commit = staticmethod(finish_view_commit)
    read_view_metadata = staticmethod(read_view_metadata)


class Views:
    """The view operations of the contract, except commits.

    Args:
        catalog: the catalog that the views are in.
        rules: the decisions about views.
    """

    def __init__(self, catalog: Catalog, rules: Rules) -> None:
        self._catalog, self._rules = catalog, rules

    def list_views(
        self, *, namespace: str, page_token: str | None = None, page_size: int | None = None
    ) -> Reply:
        """Return the views of exactly this namespace."""
        return self._catalog.list_identifiers(
            "views", self._rules.views_of, namespace, token=page_token, size=page_size
        )

    def create_view(self, *, namespace: str, body: CreateViewRequest) -> Reply:
        """Return a new view with one version."""
        levels, name = levels_of(namespace), body["name"]
        key = identifier_key(levels, name)
        _check_name(name, "/name")
        with self._catalog.store.begin() as transaction:
            within = self._catalog.rules.namespace_exists(transaction, levels)
            self._catalog.rules.identifier_is_free(transaction, levels, name, "view")
            location = self._catalog.new_location(within.document, key, body.get("location"))
            metadata = self._rules.new_view_metadata(
                body, view_uuid=str(uuid.uuid4()), location=location, now_ms=now_ms()
            )
            self._catalog.check_folders(key, metadata)
            record = self._rules.write_view_metadata(self._catalog.warehouse, metadata, former=None)
            self._catalog.put(transaction, key, record)
        return Reply(200, record.body, stored_at=record.document["metadata-location"])

    def load_view(
        self,
        *,
        namespace: str,
        view: str,
        referenced_by: str | None = None,  # noqa: ARG002 - a view gives no rights here
    ) -> Reply:
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

    def register_view(self, *, namespace: str, body: RegisterViewRequest) -> Reply:
        """Take over a view from its metadata file."""
        levels, name, location = levels_of(namespace), body["name"], body["metadata-location"]
        _check_name(name, "/name")
        with self._catalog.store.begin() as transaction:
            self._catalog.rules.namespace_exists(transaction, levels)
            self._catalog.rules.identifier_is_free(transaction, levels, name, "view")
            metadata = self._rules.read_view_metadata(self._catalog, location)
            key = identifier_key(levels, name)
            self._catalog.check_location(key, metadata["location"], metadata["view-uuid"])
            self._catalog.check_folders(key, metadata, uuid=metadata["view-uuid"])
            record = _record_of(metadata, location, orjson.dumps(metadata))
            transaction.put(key, record)
        return Reply(200, record.body)

    def rename_view(self, *, body: RenameTableRequest) -> Reply:
        """Give a view another name, in its namespace or another; its files stay where they are."""
        self._catalog.rename(body, exists=self._rules.view_exists, is_addressable=_check_name)
        return NO_CONTENT

    def _existing(self, namespace: str, view: str) -> Record:
        with self._catalog.store.view() as current:
            return self._rules.view_exists(current, levels_of(namespace), view)


def _check_name(name: str, where: str) -> None:
    check_name(name, f"at {where}: the name of a view")
