# Made by codegen.sync_twin from asynchronous/tables.py beside this folder. Do not edit: nox -s generate
"""Tables of a catalog."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Literal

from lakepact.client.errors import (
    AlreadyExists,
    CommitRejected,
    LakepactError,
    NotFound,
    OutcomeUnknown,
)
from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.commit_results import (
    commit_response,
    incomplete,
    missing_snapshots,
    new_snapshots,
)
from lakepact.client.iceberg_rest.names import table_identifier
from lakepact.client.iceberg_rest.settings import PREFIX
from lakepact.client.iceberg_rest.storage import Delegation, delegation, holds_no_credentials
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.client.paging import PAGE_SIZE, Bookmark
from lakepact.client.retries import NO_RETRIES
from lakepact.generated.iceberg_rest.endpoints import (
    create_table,
    drop_table,
    list_tables,
    load_credentials,
    load_table,
    register_table,
    rename_table,
    report_metrics,
    sign_request,
    table_exists,
    unregister_table,
    update_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.client.iceberg_rest.names import Levels, TableName
    from lakepact.client.retries import Retries
    from lakepact.client.rows.foreign import AnySchema
    from lakepact.client.several import Several
    from lakepact.generated.iceberg_rest.models import (
        CommitReportRequest,
        CommitTableRequest,
        CommitTableResponse,
        CreateTableRequest,
        LoadTableResult,
        PartitionSpec,
        RemoteSignRequest,
        RemoteSignResult,
        ScanReportRequest,
        Schema,
        SortOrder,
        StorageCredential,
        TableIdentifier,
        TableRequirement,
        TableUpdate,
        UnregisterTableResult,
    )


class Tables(Configured):
    """A catalog's tables."""

    def list_tables(
        self, namespace: Levels, *, page_size: int | None = PAGE_SIZE
    ) -> Iterator[TableIdentifier]:
        """Yield every table in a namespace; pages are fetched as they are reached.

        Args:
            namespace: The namespace to look in.
            page_size: Most tables that the server should put into one page; None leaves it to the
                server.

        Raises:
            NoSuchNamespace: There is no such namespace.
        """
        config = self._settings()
        within = config.encode_namespace(namespace)
        bookmark = Bookmark("listTables", self._connection.limits)
        while bookmark.token is not None:
            page = self._call(
                list_tables.call(
                    prefix=PREFIX, namespace=within, page_token=bookmark.token, page_size=page_size
                )
            )
            yield from page.identifiers or ()
            bookmark.turn(page.next_page_token)

    def create_table(
        self,
        table: TableName,
        schema: Schema | Mapping[str, Any] | AnySchema,
        *,
        location: str | None = None,
        partition_spec: PartitionSpec | Mapping[str, Any] | None = None,
        write_order: SortOrder | Mapping[str, Any] | None = None,
        properties: Mapping[str, str] | None = None,
        access_delegation: Delegation | None = None,
        exist_ok: bool = False,
    ) -> LoadTableResult:
        """Create a table and load it.

        Args:
            table: Its namespace and name.
            schema: Its schema: a model, a document, or a schema of pyarrow or pyiceberg.
            location: The location of its files; by default the server chooses.
            partition_spec: Its partition spec; by default unpartitioned.
            write_order: Its sort order; by default unsorted.
            properties: Its properties.
            access_delegation: The requested access to the table's files.
            exist_ok: Whether to load an existing one as it is.

        Raises:
            AlreadyExists: A table or view has that name.
            NoSuchNamespace: The namespace does not exist.
        """
        namespace, name = table_identifier(table)
        body = bodies.create_table(
            name,
            schema,
            location=location,
            partition_spec=partition_spec,
            write_order=write_order,
            properties=properties,
            stage=False,
        )
        try:
            return self._create(namespace, body, access_delegation)
        except AlreadyExists:
            if not exist_ok:
                raise
        return self.load_table(table, access_delegation=access_delegation)

    def stage_table(
        self,
        table: TableName,
        schema: Schema | Mapping[str, Any] | AnySchema,
        *,
        location: str | None = None,
        partition_spec: PartitionSpec | Mapping[str, Any] | None = None,
        write_order: SortOrder | Mapping[str, Any] | None = None,
        properties: Mapping[str, str] | None = None,
        access_delegation: Delegation | None = None,
    ) -> LoadTableResult:
        """Prepare a table that comes to be with its first commit, which requires `assert-create`.

        The arguments and errors are those of `create_table`.
        """
        namespace, name = table_identifier(table)
        body = bodies.create_table(
            name,
            schema,
            location=location,
            partition_spec=partition_spec,
            write_order=write_order,
            properties=properties,
            stage=True,
        )
        return self._create(namespace, body, access_delegation)

    def _create(
        self, namespace: list[str], body: CreateTableRequest, access_delegation: Delegation | None
    ) -> LoadTableResult:
        config = self._settings()
        access = delegation(access_delegation)
        return self._call(
            create_table.call(
                prefix=PREFIX,
                namespace=config.encode_namespace(namespace),
                body=body,
                x_iceberg_access_delegation=access,
            )
        )

    def register_table(
        self,
        table: TableName,
        metadata_location: str,
        *,
        overwrite: bool = False,
        access_delegation: Delegation | None = None,
    ) -> LoadTableResult:
        """Register an existing metadata file as a table, and load it.

        Args:
            table: Its namespace and name.
            metadata_location: The location of the metadata file.
            overwrite: Whether to replace an existing table.
            access_delegation: The accepted ways to open its files; servers support it from 1.11.0
                on.

        Raises:
            AlreadyExists: A table or view has that name.
            NoSuchNamespace: The namespace does not exist.
        """
        config = self._settings()
        namespace, name = table_identifier(table)
        body = bodies.register_table(name, metadata_location, overwrite=overwrite)
        access = delegation(access_delegation)
        return self._call(
            register_table.call(
                prefix=PREFIX,
                namespace=config.encode_namespace(namespace),
                body=body,
                x_iceberg_access_delegation=access,
            )
        )

    def load_table(
        self,
        table: TableName,
        *,
        snapshots: Literal["all", "refs"] | None = None,
        access_delegation: Delegation | None = None,
        referenced_by: Several[TableName] = (),
    ) -> LoadTableResult:
        """Return the table's metadata, and how to get at its files.

        Args:
            table: The table.
            snapshots: All snapshots, or only those that branches and tags refer to; the server
                chooses all without it.
            access_delegation: The credentials that the caller accepts: `vended-credentials`,
                `remote-signing`, or both.
            referenced_by: The views through which the table is read, the outermost first; servers
                support it from 1.11.0 on.

        Raises:
            NoSuchTable: There is none of that name.
        """
        config = self._settings()
        call = load_table.call(
            **config.table(table),
            snapshots=snapshots,
            x_iceberg_access_delegation=delegation(access_delegation),
            referenced_by=config.encode_view_chain(referenced_by),
        )
        # Credentials end: what comes with them is never given a second time.
        if access_delegation:
            return self._call(call)
        return self._connection.send_conditionally(
            config.at_catalog(call), self._etag_cache, holds_no_credentials
        )

    def load_credentials(
        self,
        table: TableName,
        *,
        plan_id: str | None = None,
        referenced_by: Several[TableName] = (),
    ) -> Sequence[StorageCredential]:
        """Return the credentials of a table's files, each for the locations below its `prefix`;
        none if the server has none.

        `storage_credential` picks the one for a file.

        Args:
            table: The table.
            plan_id: The planned scan that the credentials are for; servers support it from 1.11.0
                on.
            referenced_by: The views through which the table is read, the outermost first; servers
                support it from 1.11.0 on.

        Raises:
            NoSuchTable: There is none of that name.
            OperationNotSupported: The server gives no credentials.
        """
        config = self._settings()
        response = self._call(
            load_credentials.call(
                **config.table(table),
                plan_id=plan_id,
                referenced_by=config.encode_view_chain(referenced_by),
            )
        )
        return response.storage_credentials

    def sign_request(
        self,
        table: TableName,
        request: RemoteSignRequest | Mapping[str, Any],
    ) -> RemoteSignResult:
        """Return a request to the storage with the headers that authorize it (remote signing,
        1.11.0).

        Args:
            table: The table.
            request: The request: its `region`, `uri`, `method` and `headers`, each header with the
                list of its values.

        Raises:
            BadRequest: The request cannot be signed.
            Forbidden: It concerns a file that the caller may not open.
            NoSuchTable: The table does not exist.
            OperationNotSupported: The server signs no requests.
        """
        config = self._settings()
        body = bodies.sign_request(request)
        return self._call(sign_request.call(**config.table(table), body=body))

    def unregister_table(self, table: TableName) -> UnregisterTableResult:
        """Take a table out of the catalog, leave its files, and return the metadata that it had
        last (1.12.0).

        Args:
            table: The table; `register_table` takes the returned `metadata_location`.

        Raises:
            NoSuchTable: There is none of that name.
            OperationNotSupported: The server unregisters no tables.
        """
        config = self._settings()
        return self._call(unregister_table.call(**config.table(table)))

    def table_exists(self, table: TableName) -> bool:
        """Return whether a table exists; a server without `tableExists` is asked to load it.

        Args:
            table: The table.

        Raises:
            Forbidden: The caller may not see it.
        """
        config = self._settings()
        try:
            if "tableExists" in config.operations:
                self._call(table_exists.call(**config.table(table)))
            else:
                self.load_table(table, snapshots="refs")
        except NotFound:
            return False
        return True

    def commit_table(
        self,
        table: TableName,
        updates: Sequence[TableUpdate | Mapping[str, Any]],
        *,
        requirements: Sequence[TableRequirement | Mapping[str, Any]] = (),
    ) -> CommitTableResponse:
        """Apply all of `updates` to a table, or none, if every one of `requirements` holds.

        A commit is retried only if it has certainly not been applied. If its answer is lost, or is
        409, the table is loaded to see whether it has the snapshots of the commit, after a lost
        answer as often as `retries` allows.

        Args:
            table: The table.
            updates: The updates, applied in this order.
            requirements: The requirements.

        Raises:
            CommitRejected: A requirement does not hold; nothing was changed.
            OutcomeUnknown: The commit may or may not have been applied; load the table to find out.
            IncompleteCommit: The server accepted the commit, but the table in its reply lacks a
                snapshot of it.
            NoSuchTable: The table does not exist.
        """
        config = self._settings()
        body = bodies.commit_table(table, updates, requirements)
        try:
            response = self._changing(update_table.call(**config.table(table), body=body))
        except (CommitRejected, OutcomeUnknown) as error:
            retries = NO_RETRIES if isinstance(error, CommitRejected) else self._retries
            if (result := self._with_snapshots(table, body, retries)) is None:
                raise
            return commit_response(result)
        if missing := missing_snapshots(body, response.metadata):
            raise incomplete(missing)
        return response

    def _with_snapshots(
        self, table: TableName, commit: CommitTableRequest, retries: Retries
    ) -> LoadTableResult | None:
        """Return the table with the snapshots of a commit; None if it does not show them while
        `retries` allow to look.
        """
        start, tries, pause = time.monotonic(), 0, 0.0 if new_snapshots(commit) else None
        while pause is not None:
            self._connection.pause(pause)
            with contextlib.suppress(LakepactError):
                result = self.load_table(table)
                if not missing_snapshots(commit, result.metadata):
                    return result
            tries += 1
            pause = retries.pause(tries=tries, elapsed=time.monotonic() - start, retry_after=None)
        return None

    def drop_table(self, table: TableName, *, purge: bool = False) -> None:
        """Drop a table.

        Args:
            table: The table.
            purge: Whether its files are to be deleted too.

        Raises:
            NoSuchTable: There is none of that name; after several tries, an earlier one may have
                dropped it.
        """
        config = self._settings()
        self._changing(drop_table.call(**config.table(table), purge_requested=purge))

    def rename_table(self, source: TableName, destination: TableName) -> None:
        """Rename a table, or move it to another namespace.

        Args:
            source: The table.
            destination: Its new namespace and name.

        Raises:
            NoSuchTable: There is no such table.
            NoSuchNamespace: There is no namespace to move it to.
            AlreadyExists: There is a table or view of the new name.
        """
        self._call(rename_table.call(prefix=PREFIX, body=bodies.rename_table(source, destination)))

    def report_metrics(
        self, table: TableName, report: ScanReportRequest | CommitReportRequest | Mapping[str, Any]
    ) -> None:
        """Report the metrics of a scan or commit to the server.

        Args:
            table: The table.
            report: The metrics; the `report-type` of a plain document is `scan-report` or
                `commit-report`.

        Raises:
            NoSuchTable: The table does not exist.
            OperationNotSupported: The server accepts no reports.
            OutcomeUnknown: The report may or may not have arrived.
        """
        config = self._settings()
        body = bodies.report_metrics(report)
        self._call(report_metrics.call(**config.table(table), body=body))
