"""Tables of pyiceberg, which reads and writes their files, in a catalog of pyiceberg that sends its
requests through the client.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from lakepact.client import errors
from lakepact.client.decoding import explain
from lakepact.client.iceberg_rest.names import levels, table_identifier
from lakepact.client.iceberg_rest.storage import storage_properties
from lakepact.extras import install

try:
    from pyiceberg import exceptions
    from pyiceberg.catalog import URI, PropertiesUpdateSummary
    from pyiceberg.catalog.rest.auth import AUTH_MANAGER, AuthManager
    from pyiceberg.io import S3_SIGNER
    from pyiceberg.partitioning import (
        UNPARTITIONED_PARTITION_SPEC,
        PartitionSpec,
        assign_fresh_partition_spec_ids,
    )
    from pyiceberg.schema import Schema, assign_fresh_schema_ids
    from pyiceberg.table import (
        CommitTableResponse,
        CreateTableTransaction,
        StagedTable,
        Table,
        TableProperties,
    )
    from pyiceberg.table.metadata import TableMetadataUtil
    from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder, assign_fresh_sort_order_ids
    from pyiceberg.typedef import EMPTY_DICT
    from pyiceberg.types import transform_dict_value_to_str
    from pyiceberg.view import View
    from pyiceberg.view.metadata import ViewMetadata

    from lakepact.client.iceberg_rest.file_io import check_classes, file_io
    from lakepact.client.iceberg_rest.pyiceberg_schemas import SchemaConversion, document_of
except ImportError:
    message = f"this needs pyiceberg: {install('iceberg')}"
    raise ImportError(message, name="pyiceberg") from None

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    import pyarrow as pa
    from pyiceberg.catalog import Catalog
    from pyiceberg.typedef import Identifier, Properties
    from pyiceberg.view.metadata import ViewVersion

    from lakepact.client.iceberg_rest.catalog_calls import CatalogCalls
    from lakepact.client.iceberg_rest.names import Levels, TableName
    from lakepact.client.iceberg_rest.storage import Delegation
    from lakepact.generated.iceberg_rest.models import (
        LoadTableResult,
        LoadViewResult,
        TableIdentifier,
    )
    from lakepact.generated.wire import WireModel

T = TypeVar("T", bound=Table)
M = TypeVar("M")

#: The errors of pyiceberg that its callers and its own methods catch; all others stay those of the
#: client.
_ERRORS: dict[type[errors.LakepactError], type[Exception]] = {
    errors.NoSuchTable: exceptions.NoSuchTableError,
    errors.NoSuchView: exceptions.NoSuchViewError,
    errors.NoSuchNamespace: exceptions.NoSuchNamespaceError,
    errors.NotEmpty: exceptions.NamespaceNotEmptyError,
    errors.CommitRejected: exceptions.CommitFailedException,
    errors.OutcomeUnknown: exceptions.CommitStateUnknownException,
}


def pyiceberg_catalog(
    catalog: CatalogCalls,
    *,
    access_delegation: Delegation | None = "vended-credentials",
    properties: Mapping[str, str] | None = None,
) -> Catalog:
    """Return a catalog of pyiceberg that sends its requests through a catalog of the client.

    It raises pyiceberg's errors for what does not exist, exists already or is in conflict, and the
    client's for everything else. A pickled one holds the arguments of the catalog, secrets
    included; its copy opens connections of its own.

    Args:
        catalog: The catalog, which has to stay open.
        access_delegation: The requested access to the files of tables.
        properties: Settings of pyiceberg for opening files; they override those of the server.

    Raises:
        ImportError: pyiceberg is not installed.
        LakepactError: The catalog's configuration cannot be fetched, see `IcebergCatalog.config`.
    """
    return _Bridge(catalog, access_delegation, dict(properties or {}))


def pyiceberg_table(
    catalog: CatalogCalls,
    table: TableName,
    name: str | None = None,
    *,
    access_delegation: Delegation | None = "vended-credentials",
    properties: Mapping[str, str] | None = None,
) -> Table:
    """Return a table of a catalog as one of pyiceberg, which can be scanned, appended to and
    changed.

    Args:
        catalog: The catalog, which has to stay open.
        table: The table; or its namespace, if `name` is given.
        name: Its name.
        access_delegation: The requested access to its files.
        properties: Settings of pyiceberg for opening files; they override those of the server.

    Raises:
        NoSuchTable: The table does not exist.
        BadReply: pyiceberg cannot read its metadata.
        ImportError: pyiceberg is not installed.
    """
    namespace, name = table_identifier(
        table if name is None else (levels(cast("Levels", table)), name)
    )
    return _Bridge(catalog, access_delegation, dict(properties or {})).load((*namespace, name))


@contextlib.contextmanager
def _translate(exists: type[Exception] = exceptions.TableAlreadyExistsError) -> Generator[None]:
    try:
        yield
    except errors.LakepactError as error:
        kinds = {**_ERRORS, errors.AlreadyExists: exists}
        kind = next((theirs for ours, theirs in kinds.items() if isinstance(error, ours)), None)
        if kind is None:
            raise
        raise kind(str(error)) from error


class _Authorization(AuthManager):
    """The authorization of requests that pyiceberg sends itself, which ask the catalog to sign
    requests to the storage.
    """

    def __init__(self, catalog: CatalogCalls) -> None:
        self._catalog = catalog

    def auth_header(self) -> str | None:
        """Return the header of the catalog's requests."""
        header = self._catalog.authorization()
        if header and header.startswith("AWS4-"):
            raise exceptions.SignError(
                "a signature of SigV4 fits one request only: load the table with"
                " access_delegation='vended-credentials'"
            )
        return header


class _Bridge(SchemaConversion):
    """A catalog of pyiceberg over one of the client; a method that pyiceberg adds later raises
    `NotImplementedError`.
    """

    def __init__(
        self, catalog: CatalogCalls, access_delegation: Delegation | None, own: dict[str, str]
    ) -> None:
        super().__init__(repr(catalog))
        self._catalog = catalog
        self._access_delegation: Delegation | None = access_delegation
        self._own = own
        self._trusted = catalog.trusted_origins.including(own.values())
        self.properties = {URI: catalog.address, **catalog.properties()}

    def close(self) -> None:
        self._catalog.close()

    # Tables

    @_translate()
    def load_table(self, identifier: str | Identifier) -> Table:
        return self.load(self.identifier_to_tuple(identifier))

    def load(self, identifier: Identifier) -> Table:
        """Return a table; the errors are those of the client."""
        return self._table(
            identifier,
            self._catalog.load_table(identifier, access_delegation=self._access_delegation),
            Table,
        )

    def _table(self, identifier: Identifier, result: LoadTableResult, kind: type[T]) -> T:
        check_classes(result.metadata.properties, self._trusted)
        location = result.metadata_location or ""
        return kind(
            identifier=identifier,
            metadata=_read(
                TableMetadataUtil.parse_obj, result.metadata, "loadTable", errors.BadReply
            ),
            metadata_location=location,
            io=file_io(
                self._file_properties(result),
                location or result.metadata.location,
                self._trusted,
                None if kind is StagedTable else functools.partial(self._renew, identifier),
            ),
            catalog=self,
            config=dict(result.config),
        )

    def _renew(self, identifier: Identifier) -> dict[str, Any]:
        result = self._catalog.load_table(
            identifier, access_delegation=self._access_delegation, snapshots="refs"
        )
        return self._file_properties(result)

    def _file_properties(self, result: LoadTableResult) -> dict[str, Any]:
        properties: dict[str, Any] = {
            **self.properties,
            **result.metadata.properties,
            **storage_properties(result),
            **self._own,
        }
        return (
            {AUTH_MANAGER: _Authorization(self._catalog), **properties}
            if S3_SIGNER in properties
            else properties
        )

    @_translate()
    def create_table(
        self,
        identifier: str | Identifier,
        schema: Schema | pa.Schema,
        *others: Any,
        **keywords: Any,
    ) -> Table:
        """Create a table, with field ids assigned from 1 on."""
        identifier = self.identifier_to_tuple(identifier)
        return self._table(
            identifier,
            self._catalog.create_table(identifier, **self._creation(schema, *others, **keywords)),
            Table,
        )

    @_translate()
    def create_table_transaction(
        self,
        identifier: str | Identifier,
        schema: Schema | pa.Schema,
        *others: Any,
        **keywords: Any,
    ) -> CreateTableTransaction:
        """Prepare a table that the commit of the transaction creates."""
        identifier = self.identifier_to_tuple(identifier)
        result = self._catalog.stage_table(
            identifier, **self._creation(schema, *others, **keywords)
        )
        return CreateTableTransaction(self._table(identifier, result, StagedTable))

    def _creation(
        self,
        schema: Schema | pa.Schema,
        location: str | None = None,
        partition_spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
        sort_order: SortOrder = UNSORTED_SORT_ORDER,
        properties: Properties = EMPTY_DICT,
    ) -> dict[str, Any]:
        texts = transform_dict_value_to_str(properties)
        version: Any = int(
            texts.get(TableProperties.FORMAT_VERSION, TableProperties.DEFAULT_FORMAT_VERSION)
        )
        original = self._convert_schema_if_needed(schema, version)
        fresh = assign_fresh_schema_ids(original)
        return {
            "schema": document_of(fresh),
            "location": location,
            "partition_spec": document_of(
                assign_fresh_partition_spec_ids(partition_spec, original, fresh)
            ),
            "write_order": document_of(assign_fresh_sort_order_ids(sort_order, original, fresh)),
            "properties": texts,
            "access_delegation": self._access_delegation,
        }

    @_translate()
    def register_table(
        self,
        identifier: str | Identifier,
        metadata_location: str,
        overwrite: bool = False,  # noqa: FBT001, FBT002
    ) -> Table:
        identifier = self.identifier_to_tuple(identifier)
        self._catalog.register_table(identifier, metadata_location, overwrite=overwrite)
        return self.load(identifier)

    @_translate()
    def commit_table(
        self, table: Table, requirements: tuple[Any, ...], updates: tuple[Any, ...]
    ) -> CommitTableResponse:
        documents = [[document_of(one) for one in them] for them in (updates, requirements)]
        response = self._catalog.commit_table(table.name(), documents[0], requirements=documents[1])
        check_classes(response.metadata.properties, self._trusted)
        metadata = _read(
            TableMetadataUtil.parse_obj, response.metadata, "updateTable", errors.OutcomeUnknown
        )
        return CommitTableResponse(
            metadata=metadata, **{"metadata-location": response.metadata_location}
        )

    @_translate()
    def rename_table(
        self, from_identifier: str | Identifier, to_identifier: str | Identifier
    ) -> Table:
        self._catalog.rename_table(from_identifier, to_identifier)
        return self.load(self.identifier_to_tuple(to_identifier))

    @_translate()
    def drop_table(self, identifier: str | Identifier) -> None:
        """Drop a table and keep its files."""
        self._catalog.drop_table(identifier)

    @_translate()
    def purge_table(self, identifier: str | Identifier) -> None:
        """Drop a table and ask the server to delete its files."""
        self._catalog.drop_table(identifier, purge=True)

    @_translate()
    def table_exists(self, identifier: str | Identifier) -> bool:
        return self._catalog.table_exists(identifier)

    @_translate()
    def list_tables(self, namespace: str | Identifier) -> list[Identifier]:
        return _identifiers(self._catalog.list_tables(namespace))

    # Namespaces

    @_translate(exceptions.NamespaceAlreadyExistsError)
    def create_namespace(
        self, namespace: str | Identifier, properties: Properties = EMPTY_DICT
    ) -> None:
        self._catalog.create_namespace(namespace, properties)

    @_translate()
    def drop_namespace(self, namespace: str | Identifier) -> None:
        self._catalog.drop_namespace(namespace)

    @_translate()
    def namespace_exists(self, namespace: str | Identifier) -> bool:
        return self._catalog.namespace_exists(namespace)

    @_translate()
    def list_namespaces(self, namespace: str | Identifier = ()) -> list[Identifier]:
        return list(self._catalog.list_namespaces(namespace or None))

    @_translate()
    def load_namespace_properties(self, namespace: str | Identifier) -> Properties:
        return dict(self._catalog.load_namespace(namespace).properties or {})

    @_translate()
    def update_namespace_properties(
        self,
        namespace: str | Identifier,
        removals: set[str] | None = None,
        updates: Properties = EMPTY_DICT,
    ) -> PropertiesUpdateSummary:
        response = self._catalog.update_namespace_properties(
            namespace, updates=updates, removals=sorted(removals or ())
        )
        return PropertiesUpdateSummary(
            removed=list(response.removed),
            updated=list(response.updated),
            missing=list(response.missing or ()),
        )

    # Views

    @_translate(exceptions.ViewAlreadyExistsError)
    def create_view(
        self,
        identifier: str | Identifier,
        schema: Schema | pa.Schema,
        view_version: ViewVersion,
        location: str | None = None,
        properties: Properties = EMPTY_DICT,
    ) -> View:
        fresh = assign_fresh_schema_ids(self._convert_schema_if_needed(schema))
        version = document_of(view_version)
        texts = transform_dict_value_to_str(properties)
        response = self._catalog.create_view(
            identifier, document_of(fresh), version=version, location=location, properties=texts
        )
        return self._view(identifier, response)

    @_translate()
    def load_view(self, identifier: str | Identifier) -> View:
        return self._view(identifier, self._catalog.load_view(identifier))

    @_translate(exceptions.ViewAlreadyExistsError)
    def register_view(self, identifier: str | Identifier, metadata_location: str) -> View:
        return self._view(identifier, self._catalog.register_view(identifier, metadata_location))

    @_translate()
    def drop_view(self, identifier: str | Identifier) -> None:
        self._catalog.drop_view(identifier)

    @_translate()
    def view_exists(self, identifier: str | Identifier) -> bool:
        return self._catalog.view_exists(identifier)

    @_translate()
    def list_views(self, namespace: str | Identifier) -> list[Identifier]:
        """Return the views of a namespace; none if the server has no views, as pyiceberg does."""
        return (
            _identifiers(self._catalog.list_views(namespace))
            if self._catalog.offers("listViews")
            else []
        )

    def _view(self, identifier: str | Identifier, result: LoadViewResult) -> View:
        metadata = _read(ViewMetadata.model_validate, result.metadata, "loadView", errors.BadReply)
        return View(self.identifier_to_tuple(identifier), metadata)


def _read(
    parse: Callable[[dict[str, Any]], M],
    metadata: WireModel,
    operation: str,
    kind: type[errors.LakepactError],
) -> M:
    """Return metadata as a model of pyiceberg, which reads fewer forms of metadata than the client.

    Raises:
        LakepactError: Of that kind; pyiceberg cannot read it.
    """
    document = metadata.to_wire()
    try:
        return parse(document)
    except Exception as error:  # pyiceberg raises errors of many kinds
        reason = explain(error) if isinstance(error, ValidationError) else str(error)
        raise kind(
            errors.Failure(
                operation=operation, message=f"pyiceberg cannot read the metadata: {reason}"
            )
        ) from error


def _identifiers(identifiers: Iterable[TableIdentifier]) -> list[Identifier]:
    return [(*identifier.namespace, identifier.name) for identifier in identifiers]
