"""The shared parts of the catalog's handlers: store, warehouse and rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.http.validation import Validators
    from lakepact.reference_server.iceberg_rest.rules import CatalogRules
    from lakepact.reference_server.iceberg_rest.tables.locations import Located
    from lakepact.reference_server.storage.store import Key, Record, Store
    from lakepact.reference_server.warehouse.local import Warehouse


@dataclass(frozen=True, slots=True)
class Catalog:
    """One catalog: the state it keeps and the rules it keeps it by."""

    store: Store
    warehouse: Warehouse
    located: Located
    rules: CatalogRules
    updates: dict[str, Callable[..., None]]  #: by the `action` of a table update
    preconditions: dict[str, Callable[..., None]]  #: by the `type` of a table requirement
    validators: Callable[[], Validators]

    def records(self) -> dict[Key, Record]:
        """Return every namespace, table and view."""
        with self.store.begin() as transaction:
            return {key: record for collection in (NAMESPACES, IDENTIFIERS) for key, record in transaction.every(collection)}

    def restore(self, records: Mapping[Key, Record]) -> None:
        """Put back the namespaces, tables and views that `records` returned earlier, and remove later ones."""
        now = self.records()
        with self.store.begin() as transaction:
            for key in now.keys() - records.keys():
                transaction.remove(key)
            for key, record in records.items():
                if now.get(key) is not record:
                    transaction.put(key, record)
