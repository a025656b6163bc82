# Made by codegen.server from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""The operations of Apache Iceberg REST Catalog API 1.12.0 as a server implements them."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeVar

Reply_co = TypeVar("Reply_co", covariant=True)


class Handlers(Protocol[Reply_co]):
    """One method for each operation.

    Arguments are parameters as their schemas say, and bodies as JSON documents that have passed theirs; parameters that were not
    sent are left out.
    """

    def get_config(self, *, warehouse: str | None = None) -> Reply_co:
        """Load the configuration of the catalog.

        GET /v1/config

        Answers:
            200: CatalogConfig. The defaults and overrides of the catalog and, where the server
                states them, the endpoints it supports.
            404: IcebergErrorResponse (NoSuchWarehouseException). Error type
                NoSuchWarehouseException, the warehouse does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def get_token(self, *, body: dict[str, Any]) -> Reply_co:
        """Obtain an access token by OAuth2 (deprecated, to be removed).

        POST /v1/oauth/tokens

        Body: OAuthTokenRequest.

        Answers:
            200: OAuthTokenResponse. The token issued by the client credentials flow or by token
                exchange.
            5XX: OAuthServerError. The server could not issue a token.
            400, 401: as for every operation.
        """
        ...

    def list_namespaces(
        self,
        *,
        prefix: str,
        page_token: str | None = None,
        page_size: int | None = None,
        parent: str | None = None,
    ) -> Reply_co:
        """List the namespaces below a parent, or at the top.

        GET /v1/{prefix}/namespaces

        Answers:
            200: ListNamespacesResponse. Namespaces, each as the list of all its levels; one
                page of them where the server pages.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace given as `parent` does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def create_namespace(
        self, *, prefix: str, body: dict[str, Any], idempotency_key: str | None = None
    ) -> Reply_co:
        """Create a namespace.

        POST /v1/{prefix}/namespaces

        Body: CreateNamespaceRequest.

        Answers:
            200: CreateNamespaceResponse. The namespace was created.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the namespace exists already.
            400, 401, 403, 406, 419, 503, 5XX: as for every operation.
        """
        ...

    def load_namespace_metadata(self, *, prefix: str, namespace: str) -> Reply_co:
        """Load the properties of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}

        Answers:
            200: GetNamespaceResponse. The namespace and, where the server supports namespace
                properties, the properties stored on it.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def namespace_exists(self, *, prefix: str, namespace: str) -> Reply_co:
        """Ask whether a namespace exists.

        HEAD /v1/{prefix}/namespaces/{namespace}

        Answers:
            204: no body. The namespace exists.
            400: no body. The request is malformed: its body has an unexpected format, is not
                valid JSON, or fails validation in another way.
            401: no body. The access token is expired, revoked, malformed or invalid for another
                reason; the catalog SHOULD answer this status then.
            403: no body. The caller is authenticated but lacks a necessary permission.
            404: no body. Error type NoSuchNamespaceException, the namespace does not exist.
            419: no body. The token has expired.
            503: no body. The service is not ready for requests; this one could have been
                processed in part.
            5XX: no body. A problem of the server that the client may be unable to do anything
                about.
        """
        ...

    def drop_namespace(
        self, *, prefix: str, namespace: str, idempotency_key: str | None = None
    ) -> Reply_co:
        """Drop an empty namespace.

        DELETE /v1/{prefix}/namespaces/{namespace}

        Answers:
            204: no body. The namespace is dropped.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace to drop does not exist.
            409: IcebergErrorResponse (NamespaceNotEmptyException). Error type
                NamespaceNotEmptyException, the namespace to drop is not empty.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def update_properties(
        self,
        *,
        prefix: str,
        namespace: str,
        body: dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Set and remove properties of a namespace.

        POST /v1/{prefix}/namespaces/{namespace}/properties

        Body: UpdateNamespacePropertiesRequest.

        Answers:
            200: UpdateNamespacePropertiesResponse. The property changes were made before the
                answer was sent; it says which keys they touched.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            422: IcebergErrorResponse (UnprocessableEntityException). A property key stands in
                `removals` and in `updates` both.
            400, 401, 403, 406, 419, 503, 5XX: as for every operation.
        """
        ...

    def list_tables(
        self,
        *,
        prefix: str,
        namespace: str,
        page_token: str | None = None,
        page_size: int | None = None,
    ) -> Reply_co:
        """List the tables of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}/tables

        Answers:
            200: ListTablesResponse. Identifiers of tables, or of views where views are listed;
                one page of them where the server pages.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def create_table(
        self,
        *,
        prefix: str,
        namespace: str,
        body: dict[str, Any],
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]]
        | None = None,
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Create a table, or stage its creation.

        POST /v1/{prefix}/namespaces/{namespace}/tables

        Body: CreateTableRequest.

        Answers:
            200: LoadTableResult. Metadata and configuration of the table just created or
                staged.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the table exists already.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def plan_table_scan(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]]
        | None = None,
        idempotency_key: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Reply_co:
        """Submit a scan for planning by the server.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan

        Body: PlanTableScanRequest.

        Answers:
            200: PlanTableScanResult. The scan was accepted for planning; the body holds its
                status and, when complete, its tasks.
            404: IcebergErrorResponse (NoSuchTableException, NoSuchNamespaceException). One of
                these does not exist: - NoSuchTableException, the table -
                NoSuchNamespaceException, the namespace.
            400, 401, 403, 406, 419, 503, 5XX: as for every operation.
        """
        ...

    def fetch_planning_result(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        plan_id: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]]
        | None = None,
    ) -> Reply_co:
        """Fetch the result of planning a scan.

        GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}

        Answers:
            200: FetchPlanningResult. State of a submitted planning operation and, once it is
                complete, its tasks.
            404: IcebergErrorResponse (NoSuchPlanIdException, NoSuchTableException,
                NoSuchNamespaceException). One of these does not exist: - NoSuchPlanIdException,
                the plan-id - NoSuchTableException, the table - NoSuchNamespaceException, the
                namespace.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def cancel_planning(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        plan_id: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]]
        | None = None,
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Cancel the planning of a scan.

        DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}

        Answers:
            204: no body. The planning operation is cancelled.
            404: IcebergErrorResponse (NoSuchPlanIdException, NoSuchTableException,
                NoSuchNamespaceException). One of these does not exist: - NoSuchPlanIdException,
                the plan-id - NoSuchTableException, the table - NoSuchNamespaceException, the
                namespace.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def fetch_scan_tasks(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        idempotency_key: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Reply_co:
        """Fetch the scan tasks of a plan task.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks

        Body: FetchScanTasksRequest.

        Answers:
            200: FetchScanTasksResult. The file scan tasks, and possibly further plan tasks,
                that the plan task stands for.
            404: IcebergErrorResponse (NoSuchPlanTaskException, NoSuchTableException,
                NoSuchNamespaceException). One of these does not exist: -
                NoSuchPlanTaskException, the plan-task - NoSuchTableException, the table -
                NoSuchNamespaceException, the namespace.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def register_table(
        self,
        *,
        prefix: str,
        namespace: str,
        body: dict[str, Any],
        idempotency_key: str | None = None,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]]
        | None = None,
    ) -> Reply_co:
        """Register a table from an existing metadata file.

        POST /v1/{prefix}/namespaces/{namespace}/register

        Body: RegisterTableRequest.

        Answers:
            200: LoadTableResult. Metadata and configuration of the table.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the table exists already.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def load_table(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        x_iceberg_access_delegation: list[Literal["vended-credentials", "remote-signing"]]
        | None = None,
        if_none_match: str | None = None,
        snapshots: Literal["all", "refs"] | None = None,
        referenced_by: str | None = None,
    ) -> Reply_co:
        """Load a table.

        GET /v1/{prefix}/namespaces/{namespace}/tables/{table}

        Answers:
            200: LoadTableResult. Metadata and configuration of the table.
            304: no body. The table metadata has not changed since the version that `If-None-
                Match` names.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table to load does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def update_table(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        body: dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Commit changes to a table.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}

        Body: CommitTableRequest.

        Answers:
            200: CommitTableResponse. The commit succeeded.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table to change does not exist.
            409: IcebergErrorResponse (CommitFailedException). Error type CommitFailedException,
                at least one requirement does not hold.
            500: IcebergErrorResponse (CommitStateUnknownException). An unknown problem of the
                server; the state of the commit is unknown.
            502: IcebergErrorResponse (CommitStateUnknownException). A gateway or proxy got an
                invalid response from the server behind it; the state of the commit is unknown.
            504: IcebergErrorResponse (CommitStateUnknownException). A gateway on the server's
                side timed out; the state of the commit is unknown.
            5XX: IcebergErrorResponse. A problem of the server that the client may be unable to
                do anything about.
            400, 401, 403, 419, 503: as for every operation.
        """
        ...

    def drop_table(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        purge_requested: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Drop a table.

        DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}

        Answers:
            204: no body. The table is dropped.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table to drop does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def table_exists(self, *, prefix: str, namespace: str, table: str) -> Reply_co:
        """Ask whether a table exists.

        HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}

        Answers:
            204: no body. The table exists.
            400: no body. The request is malformed: its body has an unexpected format, is not
                valid JSON, or fails validation in another way.
            401: no body. The access token is expired, revoked, malformed or invalid for another
                reason; the catalog SHOULD answer this status then.
            403: no body. The caller is authenticated but lacks a necessary permission.
            404: no body. Error type NoSuchTableException, the table does not exist.
            419: no body. The token has expired.
            503: no body. The service is not ready for requests; this one could have been
                processed in part.
            5XX: no body. A problem of the server that the client may be unable to do anything
                about.
        """
        ...

    def load_credentials(
        self,
        *,
        prefix: str,
        namespace: str,
        table: str,
        plan_id: str | None = None,
        referenced_by: str | None = None,
    ) -> Reply_co:
        """Load storage credentials for a table.

        GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials

        Answers:
            200: LoadCredentialsResponse. Storage credentials for the data of the table.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table whose credentials are asked for does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def rename_table(
        self, *, prefix: str, body: dict[str, Any], idempotency_key: str | None = None
    ) -> Reply_co:
        """Rename a table.

        POST /v1/{prefix}/tables/rename

        Body: RenameTableRequest.

        Answers:
            204: no body. The table is renamed.
            404: IcebergErrorResponse (NoSuchTableException, NoSuchNamespaceException). One of
                these does not exist: - NoSuchTableException, the table to rename -
                NoSuchNamespaceException, the namespace of the new identifier.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the new identifier exists already as a table or view.
            400, 401, 403, 406, 419, 503, 5XX: as for every operation.
        """
        ...

    def report_metrics(
        self, *, prefix: str, namespace: str, table: str, body: dict[str, Any]
    ) -> Reply_co:
        """Report metrics of a scan or a commit.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics

        Body: ReportMetricsRequest.

        Answers:
            204: no body. The report is received.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table of the report does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def commit_transaction(
        self, *, prefix: str, body: dict[str, Any], idempotency_key: str | None = None
    ) -> Reply_co:
        """Commit changes to several tables atomically.

        POST /v1/{prefix}/transactions/commit

        Body: CommitTransactionRequest.

        Answers:
            204: no body. All changes are committed.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException, a
                table to change does not exist.
            409: IcebergErrorResponse (CommitFailedException). Error type CommitFailedException,
                at least one requirement does not hold.
            500: IcebergErrorResponse (CommitStateUnknownException). An unknown problem of the
                server; the state of the commit is unknown.
            502: IcebergErrorResponse (CommitStateUnknownException). A gateway or proxy got an
                invalid response from the server behind it; the state of the commit is unknown.
            504: IcebergErrorResponse (CommitStateUnknownException). A gateway on the server's
                side timed out; the state of the commit is unknown.
            5XX: IcebergErrorResponse. A problem of the server that the client may be unable to
                do anything about.
            400, 401, 403, 419, 503: as for every operation.
        """
        ...

    def list_views(
        self,
        *,
        prefix: str,
        namespace: str,
        page_token: str | None = None,
        page_size: int | None = None,
    ) -> Reply_co:
        """List the views of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}/views

        Answers:
            200: ListTablesResponse. Identifiers of tables, or of views where views are listed;
                one page of them where the server pages.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def create_view(
        self,
        *,
        prefix: str,
        namespace: str,
        body: dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Create a view.

        POST /v1/{prefix}/namespaces/{namespace}/views

        Body: CreateViewRequest.

        Answers:
            200: LoadViewResult. Metadata and configuration of the view.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the view exists already.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def load_view(
        self, *, prefix: str, namespace: str, view: str, referenced_by: str | None = None
    ) -> Reply_co:
        """Load a view.

        GET /v1/{prefix}/namespaces/{namespace}/views/{view}

        Answers:
            200: LoadViewResult. Metadata and configuration of the view.
            404: IcebergErrorResponse (NoSuchViewException). Error type NoSuchViewException, the
                view to load does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def replace_view(
        self,
        *,
        prefix: str,
        namespace: str,
        view: str,
        body: dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Commit changes to a view.

        POST /v1/{prefix}/namespaces/{namespace}/views/{view}

        Body: CommitViewRequest.

        Answers:
            200: LoadViewResult. Metadata and configuration of the view.
            404: IcebergErrorResponse (NoSuchViewException). Error type NoSuchViewException, the
                view to change does not exist.
            409: IcebergErrorResponse (CommitFailedException). Error type CommitFailedException,
                the commit conflicts with the state of the view.
            500: IcebergErrorResponse (CommitStateUnknownException). An unknown problem of the
                server; the state of the commit is unknown.
            502: IcebergErrorResponse (CommitStateUnknownException). A gateway or proxy got an
                invalid response from the server behind it; the state of the commit is unknown.
            504: IcebergErrorResponse (CommitStateUnknownException). A gateway on the server's
                side timed out; the state of the commit is unknown.
            5XX: IcebergErrorResponse. A problem of the server that the client may be unable to
                do anything about.
            400, 401, 403, 419, 503: as for every operation.
        """
        ...

    def drop_view(
        self, *, prefix: str, namespace: str, view: str, idempotency_key: str | None = None
    ) -> Reply_co:
        """Drop a view.

        DELETE /v1/{prefix}/namespaces/{namespace}/views/{view}

        Answers:
            204: no body. The view is dropped.
            404: IcebergErrorResponse (NoSuchViewException). Error type NoSuchViewException, the
                view to drop does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def view_exists(self, *, prefix: str, namespace: str, view: str) -> Reply_co:
        """Ask whether a view exists.

        HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}

        Answers:
            204: no body. The view exists.
            400: no body. The request is malformed.
            401: no body. The caller is not authenticated.
            404: no body. The view does not exist.
            419: no body. The token has expired.
            503: no body. The service is not ready for requests; this one could have been
                processed in part.
            5XX: no body. A problem of the server that the client may be unable to do anything
                about.
            403: no body. The caller may not ask.
        """
        ...

    def rename_view(
        self, *, prefix: str, body: dict[str, Any], idempotency_key: str | None = None
    ) -> Reply_co:
        """Rename a view.

        POST /v1/{prefix}/views/rename

        Body: RenameTableRequest.

        Answers:
            204: no body. The view is renamed.
            404: IcebergErrorResponse (NoSuchViewException, NoSuchNamespaceException). One of
                these does not exist: - NoSuchViewException, the view to rename -
                NoSuchNamespaceException, the namespace of the new identifier.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the new identifier exists already as a table or view.
            400, 401, 403, 406, 419, 503, 5XX: as for every operation.
        """
        ...

    def register_view(
        self,
        *,
        prefix: str,
        namespace: str,
        body: dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Reply_co:
        """Register a view from an existing metadata file.

        POST /v1/{prefix}/namespaces/{namespace}/register-view

        Body: RegisterViewRequest.

        Answers:
            200: LoadViewResult. Metadata and configuration of the view.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            409: IcebergErrorResponse (AlreadyExistsException). Error type
                AlreadyExistsException, the name is that of a table or view.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def sign_request(
        self, *, prefix: str, namespace: str, table: str, body: dict[str, Any]
    ) -> Reply_co:
        """Sign a request to the storage of a table.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign

        Body: RemoteSignRequest.

        Answers:
            200: RemoteSignResult. The signed request.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def list_functions(
        self,
        *,
        prefix: str,
        namespace: str,
        page_token: str | None = None,
        page_size: int | None = None,
    ) -> Reply_co:
        """List the functions of a namespace.

        GET /v1/{prefix}/namespaces/{namespace}/functions

        Answers:
            200: ListFunctionsResponse. Identifiers of functions.
            404: IcebergErrorResponse (NoSuchNamespaceException). Error type
                NoSuchNamespaceException, the namespace does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def load_function(self, *, prefix: str, namespace: str, function: str) -> Reply_co:
        """Load a function.

        GET /v1/{prefix}/namespaces/{namespace}/functions/{function}

        Answers:
            200: LoadFunctionResult. The function.
            404: IcebergErrorResponse (NoSuchFunctionException, NoSuchNamespaceException). One
                of these does not exist: - NoSuchNamespaceException, the namespace -
                NoSuchFunctionException, the function.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...

    def unregister_table(
        self, *, prefix: str, namespace: str, table: str, idempotency_key: str | None = None
    ) -> Reply_co:
        """Unregister a table and leave its files.

        POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/unregister

        Answers:
            200: UnregisterTableResult. The last metadata of the table.
            404: IcebergErrorResponse (NoSuchTableException). Error type NoSuchTableException,
                the table does not exist.
            400, 401, 403, 419, 503, 5XX: as for every operation.
        """
        ...
