# Made by codegen.operations from the contract of iceberg_rest 1.10.0, sha256 2920ba93a9be9631. Do not edit: nox -s generate
"""The operations of Apache Iceberg REST Catalog API 1.10.0."""

from __future__ import annotations

from lakepact.generated.contract import Answer, Operation, OperationId, Parameter
from lakepact.generated.iceberg_rest import op

TITLE = "Apache Iceberg REST Catalog API"
VERSION = "1.10.0"

OPERATIONS: dict[OperationId, Operation] = {
    op.get_config: Operation(
        id=op.get_config,
        function="get_config",
        method="GET",
        path="/v1/config",
        parameters=(Parameter(name="warehouse", argument="warehouse", where="query", required=False, schema={"type": "string"}),),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="CatalogConfig", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Configuration API",),
    ),
    op.get_token: Operation(
        id=op.get_token,
        function="get_token",
        method="POST",
        path="/v1/oauth/tokens",
        parameters=(),
        body="OAuthTokenRequest",
        body_media_type="application/x-www-form-urlencoded",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="OAuthTokenResponse", media_type="application/json"),
            "400": Answer(status="400", schema="OAuthError", media_type="application/json"),
            "401": Answer(status="401", schema="OAuthError", media_type="application/json"),
            "5XX": Answer(status="5XX", schema="OAuthServerError", media_type="application/json"),
        },
        tags=("OAuth2 API",),
        deprecated=True,
    ),
    op.list_namespaces: Operation(
        id=op.list_namespaces,
        function="list_namespaces",
        method="GET",
        path="/v1/{prefix}/namespaces",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="pageToken", argument="page_token", where="query", required=False, schema={"type": ["string", "null"]}),
            Parameter(name="pageSize", argument="page_size", where="query", required=False, schema={"type": "integer", "minimum": 1}),
            Parameter(name="parent", argument="parent", where="query", required=False, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="ListNamespacesResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.create_namespace: Operation(
        id=op.create_namespace,
        function="create_namespace",
        method="POST",
        path="/v1/{prefix}/namespaces",
        parameters=(Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),),
        body="CreateNamespaceRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="CreateNamespaceResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "406": Answer(
                status="406", schema="IcebergErrorResponse", media_type="application/json", errors=("UnsupportedOperationException",)
            ),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("AlreadyExistsException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.load_namespace_metadata: Operation(
        id=op.load_namespace_metadata,
        function="load_namespace_metadata",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="GetNamespaceResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.namespace_exists: Operation(
        id=op.namespace_exists,
        function="namespace_exists",
        method="HEAD",
        path="/v1/{prefix}/namespaces/{namespace}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema=None, media_type=None),
            "401": Answer(status="401", schema=None, media_type=None),
            "403": Answer(status="403", schema=None, media_type=None),
            "404": Answer(status="404", schema=None, media_type=None),
            "419": Answer(status="419", schema=None, media_type=None),
            "503": Answer(status="503", schema=None, media_type=None),
            "5XX": Answer(status="5XX", schema=None, media_type=None),
        },
        tags=("Catalog API",),
    ),
    op.drop_namespace: Operation(
        id=op.drop_namespace,
        function="drop_namespace",
        method="DELETE",
        path="/v1/{prefix}/namespaces/{namespace}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "409": Answer(
                status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("NamespaceNotEmptyException",)
            ),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.update_properties: Operation(
        id=op.update_properties,
        function="update_properties",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/properties",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
        ),
        body="UpdateNamespacePropertiesRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="UpdateNamespacePropertiesResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "406": Answer(
                status="406", schema="IcebergErrorResponse", media_type="application/json", errors=("UnsupportedOperationException",)
            ),
            "422": Answer(
                status="422", schema="IcebergErrorResponse", media_type="application/json", errors=("UnprocessableEntityException",)
            ),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.list_tables: Operation(
        id=op.list_tables,
        function="list_tables",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}/tables",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="pageToken", argument="page_token", where="query", required=False, schema={"type": ["string", "null"]}),
            Parameter(name="pageSize", argument="page_size", where="query", required=False, schema={"type": "integer", "minimum": 1}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="ListTablesResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.create_table: Operation(
        id=op.create_table,
        function="create_table",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/tables",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(
                name="X-Iceberg-Access-Delegation",
                argument="x_iceberg_access_delegation",
                where="header",
                required=False,
                schema={"type": "array", "items": {"type": "string", "enum": ["vended-credentials", "remote-signing"]}},
                many=True,
            ),
        ),
        body="CreateTableRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadTableResult", media_type="application/json", headers=("etag",)),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("AlreadyExistsException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.plan_table_scan: Operation(
        id=op.plan_table_scan,
        function="plan_table_scan",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
        ),
        body="PlanTableScanRequest",
        body_media_type="application/json",
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="PlanTableScanResult", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(
                status="404",
                schema="IcebergErrorResponse",
                media_type="application/json",
                errors=("NoSuchTableException", "NoSuchNamespaceException"),
            ),
            "406": Answer(
                status="406", schema="IcebergErrorResponse", media_type="application/json", errors=("UnsupportedOperationException",)
            ),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.fetch_planning_result: Operation(
        id=op.fetch_planning_result,
        function="fetch_planning_result",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
            Parameter(name="plan-id", argument="plan_id", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="FetchPlanningResult", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(
                status="404",
                schema="IcebergErrorResponse",
                media_type="application/json",
                errors=("NoSuchPlanIdException", "NoSuchTableException", "NoSuchNamespaceException"),
            ),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.cancel_planning: Operation(
        id=op.cancel_planning,
        function="cancel_planning",
        method="DELETE",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
            Parameter(name="plan-id", argument="plan_id", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(
                status="404",
                schema="IcebergErrorResponse",
                media_type="application/json",
                errors=("NoSuchTableException", "NoSuchNamespaceException"),
            ),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.fetch_scan_tasks: Operation(
        id=op.fetch_scan_tasks,
        function="fetch_scan_tasks",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
        ),
        body="FetchScanTasksRequest",
        body_media_type="application/json",
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="FetchScanTasksResult", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(
                status="404",
                schema="IcebergErrorResponse",
                media_type="application/json",
                errors=("NoSuchPlanTaskException", "NoSuchTableException", "NoSuchNamespaceException"),
            ),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.register_table: Operation(
        id=op.register_table,
        function="register_table",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/register",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
        ),
        body="RegisterTableRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadTableResult", media_type="application/json", headers=("etag",)),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("AlreadyExistsException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.load_table: Operation(
        id=op.load_table,
        function="load_table",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
            Parameter(
                name="X-Iceberg-Access-Delegation",
                argument="x_iceberg_access_delegation",
                where="header",
                required=False,
                schema={"type": "array", "items": {"type": "string", "enum": ["vended-credentials", "remote-signing"]}},
                many=True,
            ),
            Parameter(name="If-None-Match", argument="if_none_match", where="header", required=False, schema={"type": "string"}),
            Parameter(
                name="snapshots", argument="snapshots", where="query", required=False, schema={"type": "string", "enum": ["all", "refs"]}
            ),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadTableResult", media_type="application/json", headers=("etag",)),
            "304": Answer(status="304", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchTableException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.update_table: Operation(
        id=op.update_table,
        function="update_table",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
        ),
        body="CommitTableRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="CommitTableResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchTableException",)),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitFailedException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "500": Answer(
                status="500", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "502": Answer(
                status="502", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "504": Answer(
                status="504", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.drop_table: Operation(
        id=op.drop_table,
        function="drop_table",
        method="DELETE",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
            Parameter(
                name="purgeRequested",
                argument="purge_requested",
                where="query",
                required=False,
                schema={"type": "boolean", "default": False},
            ),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchTableException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.table_exists: Operation(
        id=op.table_exists,
        function="table_exists",
        method="HEAD",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema=None, media_type=None),
            "401": Answer(status="401", schema=None, media_type=None),
            "403": Answer(status="403", schema=None, media_type=None),
            "404": Answer(status="404", schema=None, media_type=None),
            "419": Answer(status="419", schema=None, media_type=None),
            "503": Answer(status="503", schema=None, media_type=None),
            "5XX": Answer(status="5XX", schema=None, media_type=None),
        },
        tags=("Catalog API",),
    ),
    op.load_credentials: Operation(
        id=op.load_credentials,
        function="load_credentials",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadCredentialsResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchTableException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.rename_table: Operation(
        id=op.rename_table,
        function="rename_table",
        method="POST",
        path="/v1/{prefix}/tables/rename",
        parameters=(Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),),
        body="RenameTableRequest",
        body_media_type="application/json",
        body_required=True,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(
                status="404",
                schema="IcebergErrorResponse",
                media_type="application/json",
                errors=("NoSuchTableException", "NoSuchNamespaceException"),
            ),
            "406": Answer(
                status="406", schema="IcebergErrorResponse", media_type="application/json", errors=("UnsupportedOperationException",)
            ),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("AlreadyExistsException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.report_metrics: Operation(
        id=op.report_metrics,
        function="report_metrics",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="table", argument="table", where="path", required=True, schema={"type": "string"}),
        ),
        body="ReportMetricsRequest",
        body_media_type="application/json",
        body_required=True,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchTableException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.commit_transaction: Operation(
        id=op.commit_transaction,
        function="commit_transaction",
        method="POST",
        path="/v1/{prefix}/transactions/commit",
        parameters=(Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),),
        body="CommitTransactionRequest",
        body_media_type="application/json",
        body_required=True,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchTableException",)),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitFailedException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "500": Answer(
                status="500", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "502": Answer(
                status="502", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "504": Answer(
                status="504", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.list_views: Operation(
        id=op.list_views,
        function="list_views",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}/views",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="pageToken", argument="page_token", where="query", required=False, schema={"type": ["string", "null"]}),
            Parameter(name="pageSize", argument="page_size", where="query", required=False, schema={"type": "integer", "minimum": 1}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="ListTablesResponse", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.create_view: Operation(
        id=op.create_view,
        function="create_view",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/views",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
        ),
        body="CreateViewRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadViewResult", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchNamespaceException",)),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("AlreadyExistsException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.load_view: Operation(
        id=op.load_view,
        function="load_view",
        method="GET",
        path="/v1/{prefix}/namespaces/{namespace}/views/{view}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="view", argument="view", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadViewResult", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchViewException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.replace_view: Operation(
        id=op.replace_view,
        function="replace_view",
        method="POST",
        path="/v1/{prefix}/namespaces/{namespace}/views/{view}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="view", argument="view", where="path", required=True, schema={"type": "string"}),
        ),
        body="CommitViewRequest",
        body_media_type="application/json",
        body_required=True,
        success=200,
        answers={
            "200": Answer(status="200", schema="LoadViewResult", media_type="application/json"),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchViewException",)),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitFailedException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "500": Answer(
                status="500", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "502": Answer(
                status="502", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "504": Answer(
                status="504", schema="IcebergErrorResponse", media_type="application/json", errors=("CommitStateUnknownException",)
            ),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.drop_view: Operation(
        id=op.drop_view,
        function="drop_view",
        method="DELETE",
        path="/v1/{prefix}/namespaces/{namespace}/views/{view}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="view", argument="view", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(status="404", schema="IcebergErrorResponse", media_type="application/json", errors=("NoSuchViewException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
    op.view_exists: Operation(
        id=op.view_exists,
        function="view_exists",
        method="HEAD",
        path="/v1/{prefix}/namespaces/{namespace}/views/{view}",
        parameters=(
            Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),
            Parameter(name="namespace", argument="namespace", where="path", required=True, schema={"type": "string"}),
            Parameter(name="view", argument="view", where="path", required=True, schema={"type": "string"}),
        ),
        body=None,
        body_media_type=None,
        body_required=False,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema=None, media_type=None),
            "401": Answer(status="401", schema=None, media_type=None),
            "404": Answer(status="404", schema=None, media_type=None),
            "419": Answer(status="419", schema=None, media_type=None),
            "503": Answer(status="503", schema=None, media_type=None),
            "5XX": Answer(status="5XX", schema=None, media_type=None),
            "403": Answer(status="403", schema=None, media_type=None),
        },
        tags=("Catalog API",),
    ),
    op.rename_view: Operation(
        id=op.rename_view,
        function="rename_view",
        method="POST",
        path="/v1/{prefix}/views/rename",
        parameters=(Parameter(name="prefix", argument="prefix", where="path", required=True, schema={"type": "string"}),),
        body="RenameTableRequest",
        body_media_type="application/json",
        body_required=True,
        success=204,
        answers={
            "204": Answer(status="204", schema=None, media_type=None),
            "400": Answer(status="400", schema="IcebergErrorResponse", media_type="application/json", errors=("BadRequestException",)),
            "401": Answer(status="401", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "403": Answer(status="403", schema="IcebergErrorResponse", media_type="application/json", errors=("NotAuthorizedException",)),
            "404": Answer(
                status="404",
                schema="IcebergErrorResponse",
                media_type="application/json",
                errors=("NoSuchViewException", "NoSuchNamespaceException"),
            ),
            "406": Answer(
                status="406", schema="IcebergErrorResponse", media_type="application/json", errors=("UnsupportedOperationException",)
            ),
            "409": Answer(status="409", schema="IcebergErrorResponse", media_type="application/json", errors=("AlreadyExistsException",)),
            "419": Answer(
                status="419", schema="IcebergErrorResponse", media_type="application/json", errors=("AuthenticationTimeoutException",)
            ),
            "503": Answer(status="503", schema="IcebergErrorResponse", media_type="application/json", errors=("SlowDownException",)),
            "5XX": Answer(status="5XX", schema="IcebergErrorResponse", media_type="application/json"),
        },
        tags=("Catalog API",),
    ),
}
