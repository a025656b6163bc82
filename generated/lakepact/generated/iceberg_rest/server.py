# Made by codegen.server from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""The operations of Apache Iceberg REST Catalog API 1.12.0 as a server implements them: for type checkers alone."""

from __future__ import annotations

from typing import Literal, Protocol, TypeVar

from lakepact.generated.iceberg_rest.documents import (
    CommitTableRequest,
    CommitTransactionRequest,
    CommitViewRequest,
    CreateNamespaceRequest,
    CreateTableRequest,
    CreateViewRequest,
    FetchScanTasksRequest,
    PlanTableScanRequest,
    RegisterTableRequest,
    RegisterViewRequest,
    RemoteSignRequest,
    RenameTableRequest,
    ReportMetricsRequest,
    UpdateNamespacePropertiesRequest,
)

Reply_co = TypeVar("Reply_co", covariant=True)


class Handlers(Protocol[Reply_co]):
    """One method for each operation.

    Arguments are parameters as their schemas say, and bodies as JSON documents that have passed theirs; parameters that were not
    sent are left out.
    """

    def get_config(self, *, warehouse: str = ...) -> Reply_co:
        """Load the configuration of the catalog.

        GET /v1/config
        """
        ...

    def list_namespaces(
        self, *, page_token: str = ..., page_size: int = ..., parent: str = ...
    ) -> Reply_co:
        """List the namespaces below a parent, or at the top.

        GET /v1/{prefix}/namespaces
        """
        ...

    def create_namespace(self, *, body: CreateNamespaceRequest) -> Reply_co:
        """Create a namespace.

        POST /v1/{prefix}/namespaces
        """
        ...

    def load_namespace_metadata(self, *, namespace: str) -> Reply_co:
        """Load the properties of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}
        """
        ...

    def namespace_exists(self, *, namespace: str) -> Reply_co:
        """Ask whether a namespace exists.

        HEAD /v1/{prefix}/namespaces/{namespace}
        """
        ...

    def drop_namespace(self, *, namespace: str) -> Reply_co:
        """Drop an empty namespace.

        DELETE /v1/{prefix}/namespaces/{namespace}
        """
        ...

    def update_properties(
        self, *, namespace: str, body: UpdateNamespacePropertiesRequest
    ) -> Reply_co:
        """Set and remove properties of a namespace.

        POST /v1/{prefix}/namespaces/{namespace}/properties
        """
        ...

    def list_tables(
        self, *, namespace: str, page_token: str = ..., page_size: int = ...
    ) -> Reply_co:
        """List the tables of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}/tables
        """
        ...

    def create_table(
        self,
        *,
        namespace: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]] = ...,
        body: CreateTableRequest,
    ) -> Reply_co:
        """Create a table, or stage its creation.

        POST /v1/{prefix}/namespaces/{namespace}/tables
        """
        ...

    def plan_table_scan(
        self,
        *,
        namespace: str,
        table: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]] = ...,
        body: PlanTableScanRequest = ...,
    ) -> Reply_co:
        """Submit a scan for planning by the server.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan
        """
        ...

    def fetch_planning_result(
        self,
        *,
        namespace: str,
        table: str,
        plan_id: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]] = ...,
    ) -> Reply_co:
        """Fetch the result of planning a scan.

        GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}
        """
        ...

    def cancel_planning(
        self,
        *,
        namespace: str,
        table: str,
        plan_id: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]] = ...,
    ) -> Reply_co:
        """Cancel the planning of a scan.

        DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}
        """
        ...

    def fetch_scan_tasks(
        self, *, namespace: str, table: str, body: FetchScanTasksRequest = ...
    ) -> Reply_co:
        """Fetch the scan tasks of a plan task.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks
        """
        ...

    def register_table(
        self,
        *,
        namespace: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]] = ...,
        body: RegisterTableRequest,
    ) -> Reply_co:
        """Register a table from an existing metadata file.

        POST /v1/{prefix}/namespaces/{namespace}/register
        """
        ...

    def load_table(
        self,
        *,
        namespace: str,
        table: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]] = ...,
        if_none_match: str = ...,
        snapshots: Literal["all", "refs"] = ...,
        referenced_by: str = ...,
    ) -> Reply_co:
        """Load a table.

        GET /v1/{prefix}/namespaces/{namespace}/tables/{table}
        """
        ...

    def update_table(self, *, namespace: str, table: str, body: CommitTableRequest) -> Reply_co:
        """Commit changes to a table.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}
        """
        ...

    def drop_table(self, *, namespace: str, table: str, purge_requested: bool = ...) -> Reply_co:
        """Drop a table.

        DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}
        """
        ...

    def table_exists(self, *, namespace: str, table: str) -> Reply_co:
        """Ask whether a table exists.

        HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}
        """
        ...

    def load_credentials(
        self, *, namespace: str, table: str, plan_id: str = ..., referenced_by: str = ...
    ) -> Reply_co:
        """Load storage credentials for a table.

        GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials
        """
        ...

    def rename_table(self, *, body: RenameTableRequest) -> Reply_co:
        """Rename a table.

        POST /v1/{prefix}/tables/rename
        """
        ...

    def report_metrics(self, *, namespace: str, table: str, body: ReportMetricsRequest) -> Reply_co:
        """Report metrics of a scan or a commit.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics
        """
        ...

    def commit_transaction(self, *, body: CommitTransactionRequest) -> Reply_co:
        """Commit changes to several tables atomically.

        POST /v1/{prefix}/transactions/commit
        """
        ...

    def list_views(
        self, *, namespace: str, page_token: str = ..., page_size: int = ...
    ) -> Reply_co:
        """List the views of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}/views
        """
        ...

    def create_view(self, *, namespace: str, body: CreateViewRequest) -> Reply_co:
        """Create a view.

        POST /v1/{prefix}/namespaces/{namespace}/views
        """
        ...

    def load_view(self, *, namespace: str, view: str, referenced_by: str = ...) -> Reply_co:
        """Load a view.

        GET /v1/{prefix}/namespaces/{namespace}/views/{view}
        """
        ...

    def replace_view(self, *, namespace: str, view: str, body: CommitViewRequest) -> Reply_co:
        """Commit changes to a view.

        POST /v1/{prefix}/namespaces/{namespace}/views/{view}
        """
        ...

    def drop_view(self, *, namespace: str, view: str) -> Reply_co:
        """Drop a view.

        DELETE /v1/{prefix}/namespaces/{namespace}/views/{view}
        """
        ...

    def view_exists(self, *, namespace: str, view: str) -> Reply_co:
        """Ask whether a view exists.

        HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}
        """
        ...

    def rename_view(self, *, body: RenameTableRequest) -> Reply_co:
        """Rename a view.

        POST /v1/{prefix}/views/rename
        """
        ...

    def register_view(self, *, namespace: str, body: RegisterViewRequest) -> Reply_co:
        """Register a view from an existing metadata file.

        POST /v1/{prefix}/namespaces/{namespace}/register-view
        """
        ...

    def sign_request(self, *, namespace: str, table: str, body: RemoteSignRequest) -> Reply_co:
        """Sign a request to the storage of a table.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign
        """
        ...

    def list_functions(
        self, *, namespace: str, page_token: str = ..., page_size: int = ...
    ) -> Reply_co:
        """List the functions of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}/functions
        """
        ...

    def load_function(self, *, namespace: str, function: str) -> Reply_co:
        """Load a function.

        GET /v1/{prefix}/namespaces/{namespace}/functions/{function}
        """
        ...

    def unregister_table(self, *, namespace: str, table: str) -> Reply_co:
        """Unregister a table and leave its files.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/unregister
        """
        ...
