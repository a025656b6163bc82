"""One catalog: its store, its warehouse, and the decisions that handlers of several areas share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lakepact.reference_server.http import paging
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest import identifiers
from lakepact.reference_server.iceberg_rest.identifiers import (
    IDENTIFIERS,
    NAMESPACES,
    SEPARATOR,
    bad_request,
    full_name,
    identifier_key,
    levels_of,
)
from lakepact.reference_server.iceberg_rest.tables.metadata_files import (
    check_in_warehouse,
    write_metadata,
)
from lakepact.reference_server.settings import MAX_MANIFEST
from lakepact.reference_server.warehouse.local import Outside, below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import (
        RenameTableRequest,
        TableMetadata,
        ViewMetadata,
    )
    from lakepact.reference_server.http.validation import Validators
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.locations import Located
    from lakepact.reference_server.storage.store import Key, Place, Record, Store, Transaction, View
    from lakepact.reference_server.warehouse.local import Warehouse


def default_location(
    catalog: Catalog, namespace: Document, *, levels: Sequence[str], name: str
) -> str:
    """Return the default location of a table: below its namespace, in a folder that no other table
    had.
    """
    root = namespace["properties"].get("location", "")
    try:
        catalog.warehouse.check_location(root)
    except Outside:
        root = below(catalog.warehouse.root, levels)
    return f"{below(root, [name])}-{uuid4().hex[:12]}"


class Rules(ServiceRules):
    """Decisions about namespaces, tables and views that a fault may replace in all areas."""

    namespace_exists = staticmethod(identifiers.namespace_exists)
    table_exists = staticmethod(identifiers.table_exists)
    identifier_is_free = staticmethod(identifiers.identifier_is_free)
    identifier_matches = staticmethod(identifiers.identifier_matches)
    name_is_addressable = staticmethod(identifiers.name_is_addressable)
    check_in_warehouse = staticmethod(check_in_warehouse)
    default_location = staticmethod(default_location)
    write_metadata = staticmethod(write_metadata)
    page = staticmethod(paging.page)


@dataclass(frozen=True, slots=True)
class Catalog:
    """One catalog: the state it keeps and the rules it keeps it by."""

    store: Store
    warehouse: Warehouse
    locations: Located
    rules: Rules
    updates: dict[str, Callable[..., None]]  #: by the `action` of a table update
    preconditions: dict[str, Callable[..., None]]  #: by the `type` of a table requirement
    validators: Callable[[], Validators]
    max_manifest: int = MAX_MANIFEST

    def records(self) -> dict[Key, Record]:
        """Return every namespace, table and view."""
        with self.store.begin() as transaction:
            return {
                key: record
                for collection in (NAMESPACES, IDENTIFIERS)
                for key, record in transaction.every(collection)
            }

    def restore(self, records: Mapping[Key, Record]) -> None:
        """Put back the namespaces, tables and views that `records` returned earlier, and remove
        later ones.
        """
        now = self.records()
        with self.store.begin() as transaction:
            for key in now.keys() - records.keys():
                transaction.remove(key)
            for key, record in records.items():
                if now.get(key) is not record:
                    transaction.put(key, record)

    def put(
        self, transaction: Transaction, key: Key, record: Record, *, former: Record | None = None
    ) -> None:
        """Store a table or view; its metadata file is removed again if the transaction fails.

        Args:
            transaction: the transaction.
            key: the key of the table or view.
            record: the new record, whose metadata file has been written unless the record is
                `former`.
            former: the record before.
        """
        transaction.put(key, record)
        if record is not former:
            transaction.otherwise(
                partial(self.warehouse.forget, record.document["metadata-location"])
            )

    def check_location(self, key: Key, location: str, uuid: str | None = None) -> None:
        """Check that a table or view can lie at a location.

        Raises:
            Problem: 400, the location is outside the warehouse, overlaps with that of another table
                or view, or holds the folder of a namespace.
        """
        self.rules.check_in_warehouse(self.warehouse, location)
        if not self.locations.is_free(key, location, uuid):
            others = "that of another table or view, or holds the folder of a namespace"
            raise bad_request(
                f"the location {location[:200]!r} overlaps with {others}; choose a folder of its"
                " own, or none"
            )

    def check_folders(
        self,
        key: Key,
        metadata: TableMetadata | ViewMetadata,
        base: TableMetadata | ViewMetadata | None = None,
        uuid: str | None = None,
    ) -> None:
        """Check that a table or view may use the folders that it names and `base` does not.

        A purge keeps all files of a folder that another table names, as it does for its location.

        Raises:
            Problem: 400, a folder of the warehouse can be no location of the table or view.
        """
        for folder in self.locations.new_folders(metadata, base):
            self.check_location(key, folder, uuid)

    def new_location(self, namespace: Document, key: Key, wish: str | None) -> str:
        """Return the location of a new table or view.

        Args:
            namespace: the document of its namespace.
            key: the key of the table or view.
            wish: the location that the request names, if any.

        Raises:
            Problem: 400, it cannot lie there.
        """
        if wish is not None:
            wish = wish.rstrip("/")
            self.check_location(key, wish)
            return wish
        location = self.rules.default_location(
            self, namespace, levels=key.place, name=key.name
        ).rstrip("/")
        if location.startswith(f"{below(self.warehouse.root, key.place)}/"):
            # It is a new folder, which overlaps with no other.
            self.rules.check_in_warehouse(self.warehouse, location)
        else:
            self.check_location(key, location)
        return location

    def page(
        self,
        records: Callable[[str | None], Iterator[Any]],
        listing: str,
        token: str | None,
        size: int | None,
    ) -> Any:
        """Return a page of a listing, and the token of the next page.

        Raises:
            Problem: 400, the page token belongs to another listing.
        """
        try:
            return self.rules.page(records, listing, after=token, size=size)
        except paging.BadToken as bad:
            raise bad_request(f"query parameter pageToken: {bad}") from None

    def list_identifiers(
        self,
        kind: str,
        of: Callable[[View, Place, str | None], Iterator[Any]],
        namespace: str,
        *,
        token: str | None,
        size: int | None,
    ) -> Reply:
        """Return a page of the tables or views of exactly one namespace.

        Args:
            kind: `tables` or `views`.
            of: returns those of a namespace behind a name.
            namespace: the namespace as a path spells it.
            token: the page token of the request.
            size: the page size of the request.

        Raises:
            Problem: 404, the namespace does not exist; 400, the page token belongs to another
                listing.
        """
        levels = levels_of(namespace)
        with self.store.view() as view:
            self.rules.namespace_exists(view, levels)
            page, following = self.page(
                partial(of, view, levels), f"{kind}{SEPARATOR}{namespace}", token, size
            )
        identifiers = [{"namespace": list(levels), "name": name} for name, _ in page]
        return json_reply({"identifiers": identifiers, "next-page-token": following})

    def rename(
        self,
        body: RenameTableRequest,
        *,
        exists: Callable[[View, Place, str], Record],
        is_addressable: Callable[[str, str], None],
    ) -> None:
        """Give a table or view another name, in its namespace or another; its files stay where they
        are.

        Args:
            body: the body of the request.
            exists: checks that the source exists.
            is_addressable: checks the new name.

        Raises:
            Problem: 404, the source or the new namespace does not exist; 409, the new name is
                taken.
        """
        old, new = (
            identifier_key(body[end]["namespace"], body[end]["name"])
            for end in ("source", "destination")
        )
        with self.store.begin() as transaction:
            exists(transaction, old.place, old.name)
            if old == new:
                return
            is_addressable(new.name, "/destination/name")
            self.rules.namespace_exists(transaction, new.place)
            try:
                self.rules.identifier_is_free(transaction, new.place, new.name)
            except Problem as problem:
                what = (
                    f"Cannot rename {full_name(old.place, old.name)} to {full_name(new.place, new.name)}."
                    f" {problem.message}"
                )
                raise Problem(problem.status, problem.kind, what) from None
            record = transaction.remove(old)
            if record is not None:
                transaction.put(new, record)
