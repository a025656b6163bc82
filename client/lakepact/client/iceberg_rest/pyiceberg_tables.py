"""Tables in the hands of pyiceberg: it reads and writes their files, and every word to the catalog goes through the client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from lakepact.client import errors
from lakepact.client.iceberg_rest.names import levels, table_identifier
from lakepact.client.iceberg_rest.storage import storage_properties

try:
    from pyiceberg.catalog import noop
    from pyiceberg.exceptions import CommitFailedException, CommitStateUnknownException
    from pyiceberg.io import load_file_io
    from pyiceberg.table import CommitTableResponse, Table
    from pyiceberg.table.metadata import TableMetadataUtil
except ImportError:
    message = "this needs pyiceberg: pip install 'pyiceberg[pyarrow]'"
    raise ImportError(message, name="pyiceberg") from None

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.client.iceberg_rest.names import Levels, TableName
    from lakepact.client.iceberg_rest.storage import Delegation
    from lakepact.client.iceberg_rest.synchronous.catalog import IcebergCatalog
    from lakepact.generated.iceberg_rest.models import LoadTableResult


def pyiceberg_table(
    catalog: IcebergCatalog,
    table: TableName,
    name: str | None = None,
    *,
    access_delegation: Delegation | None = "vended-credentials",
    properties: Mapping[str, str] | None = None,
) -> Table:
    """Return a table of a catalog as one of pyiceberg, which can be scanned, appended to and changed.

    Args:
        catalog: The catalog, which has to stay open.
        table: The table; or its namespace, if `name` is given.
        name: Its name.
        access_delegation: How to be let to the files.
        properties: Settings of pyiceberg's own for getting at files; they go over what the server says.

    Raises:
        NoSuchTable: There is none of that name.
        ImportError: pyiceberg is not installed.
    """
    bridge = _Bridge(catalog, access_delegation, dict(properties or {}))
    namespace, name = table_identifier(table if name is None else (levels(cast("Levels", table)), name))
    return bridge.load_table((*namespace, name))


class _Bridge(noop.NoopCatalog):
    """The interface of catalogs that pyiceberg's tables use."""

    def __init__(self, catalog: IcebergCatalog, access_delegation: Delegation | None, own: dict[str, str]) -> None:
        super().__init__(repr(catalog))
        self._catalog = catalog
        self._access_delegation: Delegation | None = access_delegation
        self._own = own

    def load_table(self, identifier: str | tuple[str, ...]) -> Table:
        """Return the table as it is now."""
        *namespace, name = levels(identifier)
        loaded = self._catalog.load_table(namespace, name, access_delegation=self._access_delegation)
        location = loaded.metadata_location or ""
        return Table(
            identifier=tuple(identifier),
            metadata=TableMetadataUtil.parse_obj(loaded.metadata.to_wire()),
            metadata_location=location,
            io=load_file_io(self._properties(loaded), location or loaded.metadata.location),
            catalog=self,
            config=dict(loaded.config),
        )

    def _properties(self, loaded: LoadTableResult) -> dict[str, str]:
        own = loaded.metadata.properties
        return {**self._catalog.properties(), **own, **storage_properties(loaded), **self._own}

    def commit_table(self, table: Table, requirements: tuple[Any, ...], updates: tuple[Any, ...]) -> CommitTableResponse:
        """Commit through the client; what goes wrong is said in pyiceberg's words where it has them."""
        *namespace, name = table.name()
        documents = [[json.loads(one.model_dump_json()) for one in them] for them in (requirements, updates)]
        try:
            done = self._catalog.commit_table(namespace, name, documents[1], requirements=documents[0])
        except errors.CommitRejected as rejected:
            raise CommitFailedException(str(rejected)) from rejected
        except errors.OutcomeUnknown as unknown:
            raise CommitStateUnknownException(str(unknown)) from unknown
        return CommitTableResponse(
            metadata=TableMetadataUtil.parse_obj(done.metadata.to_wire()), **{"metadata-location": done.metadata_location}
        )
