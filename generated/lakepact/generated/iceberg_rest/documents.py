# Made by datamodel-code-generator 0.89.0 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""The JSON documents of the contract, for type checkers alone: import this module for annotations."""

from __future__ import annotations

from typing import Any, Literal, Required, TypeAlias, TypedDict, Union


class ErrorModel(TypedDict, total=False):
    """What went wrong. In every example that Iceberg gives, those of views and of status 406 included, this object is the value of a member `error`, also where a response names this schema directly."""

    message: str
    type: str
    code: int
    stack: list[str]


CatalogConfig = TypedDict(
    "CatalogConfig",
    {
        "overrides": dict[str, str],
        "defaults": dict[str, str],
        "endpoints": list[str],
        "idempotency-key-lifetime": Any,
    },
    total=False,
)


class UpdateNamespacePropertiesRequest(TypedDict, total=False):
    """Changes to the properties of a namespace. A key may stand in one of the two members only."""

    removals: list[str]
    updates: dict[str, str]


Namespace: TypeAlias = list[str]
"""A namespace of one or more levels, as the list of their names from the top; `["accounting", "tax"]`, for instance."""


PageToken: TypeAlias = str | None


class TableIdentifier(TypedDict, total=False):
    """Identifies a table or a view by its namespace and its name."""

    namespace: Namespace
    name: str


PrimitiveType: TypeAlias = str


ExpressionType: TypeAlias = str


class TrueExpression(TypedDict, total=False):
    """The expression that holds for every row."""

    type: Required[Literal["true"]]


class FalseExpression(TypedDict, total=False):
    """The expression that holds for no row."""

    type: Required[Literal["false"]]


Reference: TypeAlias = str


Transform: TypeAlias = str


PartitionField = TypedDict(
    "PartitionField",
    {
        "field-id": int,
        "source-id": int,
        "name": str,
        "transform": Transform,
    },
    total=False,
)


PartitionSpec = TypedDict(
    "PartitionSpec",
    {
        "spec-id": int,
        "fields": list[PartitionField],
    },
    total=False,
)


SortDirection: TypeAlias = Literal["asc", "desc"] | str


NullOrder: TypeAlias = Literal["nulls-first", "nulls-last"] | str


SortField = TypedDict(
    "SortField",
    {
        "source-id": int,
        "transform": Transform,
        "direction": SortDirection,
        "null-order": NullOrder,
    },
    total=False,
)


SortOrder = TypedDict(
    "SortOrder",
    {
        "order-id": int,
        "fields": list[SortField],
    },
    total=False,
)


EncryptedKey = TypedDict(
    "EncryptedKey",
    {
        "key-id": str,
        "encrypted-key-metadata": str,
        "encrypted-by-id": str,
        "properties": dict[str, str],
    },
    total=False,
)


class Summary(TypedDict, total=False):
    """What made the snapshot, with figures about the change; all values are strings."""

    operation: Literal["append", "replace", "overwrite", "delete"] | str


Snapshot = TypedDict(
    "Snapshot",
    {
        "snapshot-id": int,
        "parent-snapshot-id": int,
        "sequence-number": int,
        "timestamp-ms": int,
        "manifest-list": str,
        "first-row-id": int,
        "summary": Summary,
        "schema-id": int,
        "added-rows": int,
        "key-id": str,
        "manifests": list[str],
    },
    total=False,
)


SnapshotReference = TypedDict(
    "SnapshotReference",
    {
        "type": Literal["tag", "branch"] | str,
        "snapshot-id": int,
        "max-ref-age-ms": int,
        "max-snapshot-age-ms": int,
        "min-snapshots-to-keep": int,
    },
    total=False,
)


SnapshotReferences: TypeAlias = dict[str, SnapshotReference]
"""Branches and tags by name. The branch `main` holds the current snapshot of the table."""


SnapshotLogItem = TypedDict(
    "SnapshotLogItem",
    {
        "snapshot-id": int,
        "timestamp-ms": int,
    },
    total=False,
)


SnapshotLog: TypeAlias = list[SnapshotLogItem]
"""The changes of the current snapshot of a table, oldest first."""


MetadataLogItem = TypedDict(
    "MetadataLogItem",
    {
        "metadata-file": str,
        "timestamp-ms": int,
    },
    total=False,
)


MetadataLog: TypeAlias = list[MetadataLogItem]
"""Earlier metadata files of a table, oldest first."""


class SQLViewRepresentation(TypedDict, total=False):
    """A view as the text of a SQL query."""

    type: str
    sql: str
    dialect: str


ViewHistoryEntry = TypedDict(
    "ViewHistoryEntry",
    {
        "version-id": int,
        "timestamp-ms": int,
    },
    total=False,
)


class BaseUpdate(TypedDict, total=False):
    """A change to the metadata of a table or a view."""

    action: str


class AssignUUIDUpdate(TypedDict, total=False):
    """Assign a UUID to a table or view. This should be done only when creating it; to assign another UUID to a table or view that has one is not safe."""

    action: Required[Literal["assign-uuid"]]
    uuid: str


UpgradeFormatVersionUpdate = TypedDict(
    "UpgradeFormatVersionUpdate",
    {
        "action": Required[Literal["upgrade-format-version"]],
        "format-version": int,
    },
    total=False,
)


SetCurrentSchemaUpdate = TypedDict(
    "SetCurrentSchemaUpdate",
    {
        "action": Required[Literal["set-current-schema"]],
        "schema-id": int,
    },
    total=False,
)


class AddPartitionSpecUpdate(TypedDict, total=False):
    """Add a partition spec. It becomes the default only by a further update."""

    action: Required[Literal["add-spec"]]
    spec: PartitionSpec


SetDefaultSpecUpdate = TypedDict(
    "SetDefaultSpecUpdate",
    {
        "action": Required[Literal["set-default-spec"]],
        "spec-id": int,
    },
    total=False,
)


AddSortOrderUpdate = TypedDict(
    "AddSortOrderUpdate",
    {
        "action": Required[Literal["add-sort-order"]],
        "sort-order": SortOrder,
    },
    total=False,
)


SetDefaultSortOrderUpdate = TypedDict(
    "SetDefaultSortOrderUpdate",
    {
        "action": Required[Literal["set-default-sort-order"]],
        "sort-order-id": int,
    },
    total=False,
)


class AddSnapshotUpdate(TypedDict, total=False):
    """Add a snapshot. No branch or tag points to it before a further update."""

    action: Required[Literal["add-snapshot"]]
    snapshot: Snapshot


SetSnapshotRefUpdate = TypedDict(
    "SetSnapshotRefUpdate",
    {
        "action": Required[Literal["set-snapshot-ref"]],
        "type": Literal["tag", "branch"] | str,
        "snapshot-id": int,
        "max-ref-age-ms": int,
        "max-snapshot-age-ms": int,
        "min-snapshots-to-keep": int,
        "ref-name": str,
    },
    total=False,
)


RemoveSnapshotsUpdate = TypedDict(
    "RemoveSnapshotsUpdate",
    {
        "action": Required[Literal["remove-snapshots"]],
        "snapshot-ids": list[int],
    },
    total=False,
)


RemoveSnapshotRefUpdate = TypedDict(
    "RemoveSnapshotRefUpdate",
    {
        "action": Required[Literal["remove-snapshot-ref"]],
        "ref-name": str,
    },
    total=False,
)


class SetLocationUpdate(TypedDict, total=False):
    """Set the base location of a table or view."""

    action: Required[Literal["set-location"]]
    location: str


class SetPropertiesUpdate(TypedDict, total=False):
    """Set properties of a table or view."""

    action: Required[Literal["set-properties"]]
    updates: dict[str, str]


class RemovePropertiesUpdate(TypedDict, total=False):
    """Remove properties of a table or view."""

    action: Required[Literal["remove-properties"]]
    removals: list[str]


SetCurrentViewVersionUpdate = TypedDict(
    "SetCurrentViewVersionUpdate",
    {
        "action": Required[Literal["set-current-view-version"]],
        "view-version-id": int,
    },
    total=False,
)


RemoveStatisticsUpdate = TypedDict(
    "RemoveStatisticsUpdate",
    {
        "action": Required[Literal["remove-statistics"]],
        "snapshot-id": int,
    },
    total=False,
)


RemovePartitionStatisticsUpdate = TypedDict(
    "RemovePartitionStatisticsUpdate",
    {
        "action": Required[Literal["remove-partition-statistics"]],
        "snapshot-id": int,
    },
    total=False,
)


RemovePartitionSpecsUpdate = TypedDict(
    "RemovePartitionSpecsUpdate",
    {
        "action": Required[Literal["remove-partition-specs"]],
        "spec-ids": list[int],
    },
    total=False,
)


RemoveSchemasUpdate = TypedDict(
    "RemoveSchemasUpdate",
    {
        "action": Required[Literal["remove-schemas"]],
        "schema-ids": list[int],
    },
    total=False,
)


AddEncryptionKeyUpdate = TypedDict(
    "AddEncryptionKeyUpdate",
    {
        "action": Required[Literal["add-encryption-key"]],
        "encryption-key": EncryptedKey,
    },
    total=False,
)


RemoveEncryptionKeyUpdate = TypedDict(
    "RemoveEncryptionKeyUpdate",
    {
        "action": Required[Literal["remove-encryption-key"]],
        "key-id": str,
    },
    total=False,
)


class BaseTableRequirement(TypedDict, total=False):
    """An assertion about a table that must hold for a commit to happen."""

    type: str


class AssertCreate(TypedDict, total=False):
    """The table must not exist yet; used for transactions that create a table."""

    type: Required[Literal["assert-create"]]


class AssertTableUUID(TypedDict, total=False):
    """The UUID of the table must equal `uuid`."""

    type: Required[Literal["assert-table-uuid"]]
    uuid: str


AssertRefSnapshotId = TypedDict(
    "AssertRefSnapshotId",
    {
        "type": Required[Literal["assert-ref-snapshot-id"]],
        "ref": str,
        "snapshot-id": int | None,
    },
    total=False,
)


AssertLastAssignedFieldId = TypedDict(
    "AssertLastAssignedFieldId",
    {
        "type": Required[Literal["assert-last-assigned-field-id"]],
        "last-assigned-field-id": int,
    },
    total=False,
)


AssertCurrentSchemaId = TypedDict(
    "AssertCurrentSchemaId",
    {
        "type": Required[Literal["assert-current-schema-id"]],
        "current-schema-id": int,
    },
    total=False,
)


AssertLastAssignedPartitionId = TypedDict(
    "AssertLastAssignedPartitionId",
    {
        "type": Required[Literal["assert-last-assigned-partition-id"]],
        "last-assigned-partition-id": int,
    },
    total=False,
)


AssertDefaultSpecId = TypedDict(
    "AssertDefaultSpecId",
    {
        "type": Required[Literal["assert-default-spec-id"]],
        "default-spec-id": int,
    },
    total=False,
)


AssertDefaultSortOrderId = TypedDict(
    "AssertDefaultSortOrderId",
    {
        "type": Required[Literal["assert-default-sort-order-id"]],
        "default-sort-order-id": int,
    },
    total=False,
)


class AssertViewUUID(TypedDict, total=False):
    """The UUID of the view must equal `uuid`."""

    type: Required[Literal["assert-view-uuid"]]
    uuid: str


class StorageCredential(TypedDict, total=False):
    """A credential for a part of the storage."""

    prefix: str
    config: dict[str, str]


LoadCredentialsResponse = TypedDict(
    "LoadCredentialsResponse",
    {"storage-credentials": list[StorageCredential]},
    total=False,
)


class FailedPlanningResult(TypedDict, total=False):
    """Planning by the server has failed; the error says why."""

    error: ErrorModel
    status: Required[Literal["failed"]]


AsyncPlanningResult = TypedDict(
    "AsyncPlanningResult",
    {
        "status": Required[Literal["submitted"]],
        "plan-id": str,
    },
    total=False,
)


class EmptyPlanningResult(TypedDict, total=False):
    """Planning by the server goes on or was cancelled; there is no result."""

    status: Literal["submitted", "cancelled"]


PlanStatus: TypeAlias = Literal["completed", "submitted", "cancelled", "failed"] | str


RegisterTableRequest = TypedDict(
    "RegisterTableRequest",
    {
        "name": str,
        "metadata-location": str,
        "overwrite": bool,
    },
    total=False,
)


TokenType: TypeAlias = (
    Literal[
        "urn:ietf:params:oauth:token-type:access_token",
        "urn:ietf:params:oauth:token-type:refresh_token",
        "urn:ietf:params:oauth:token-type:id_token",
        "urn:ietf:params:oauth:token-type:saml1",
        "urn:ietf:params:oauth:token-type:saml2",
        "urn:ietf:params:oauth:token-type:jwt",
    ]
    | str
)


class OAuthClientCredentialsRequest(TypedDict, total=False):
    """A request of the OAuth2 client credentials flow (https://datatracker.ietf.org/doc/html/rfc6749#section-4.4). **Deprecated for removal** together with the endpoint getToken."""

    grant_type: Literal["client_credentials"]
    scope: str
    client_id: str
    client_secret: str


class OAuthTokenExchangeRequest(TypedDict, total=False):
    """A request of the OAuth2 token exchange flow (https://datatracker.ietf.org/doc/html/rfc8693). **Deprecated for removal** together with the endpoint getToken."""

    grant_type: Literal["urn:ietf:params:oauth:grant-type:token-exchange"]
    scope: str
    requested_token_type: TokenType
    subject_token: str
    subject_token_type: TokenType
    actor_token: str
    actor_token_type: TokenType


OAuthTokenRequest: TypeAlias = OAuthClientCredentialsRequest | OAuthTokenExchangeRequest


class CounterResult(TypedDict, total=False):
    """A counted quantity."""

    unit: str
    value: int


TimerResult = TypedDict(
    "TimerResult",
    {
        "time-unit": str,
        "count": int,
        "total-duration": int,
    },
    total=False,
)


MetricResult: TypeAlias = CounterResult | TimerResult


Metrics: TypeAlias = dict[str, MetricResult]
"""Metrics by name. A scan has, for instance, the timer `total-planning-duration` and the counters `result-data-files` and `total-file-size-bytes`."""


CommitReport = TypedDict(
    "CommitReport",
    {
        "table-name": str,
        "snapshot-id": int,
        "sequence-number": int,
        "operation": str,
        "metrics": Metrics,
        "metadata": dict[str, str],
    },
    total=False,
)


class OAuthError(TypedDict, total=False):
    """An error of OAuth2. **Deprecated for removal** together with the endpoint getToken."""

    error: (
        Literal[
            "invalid_request",
            "invalid_client",
            "invalid_grant",
            "unauthorized_client",
            "unsupported_grant_type",
            "invalid_scope",
        ]
        | str
    )
    error_description: str
    error_uri: str


class OAuthTokenResponse(TypedDict, total=False):
    """The token of the client credentials flow or of token exchange. **Deprecated for removal** together with the endpoint getToken."""

    access_token: str
    token_type: str
    expires_in: int
    issued_token_type: TokenType
    refresh_token: str
    scope: str


class IcebergErrorResponse(TypedDict, total=False):
    """The JSON wrapper of all error responses, that is of all that are not 2xx."""

    error: ErrorModel


class CreateNamespaceResponse(TypedDict, total=False):
    """The namespace that was created."""

    namespace: Namespace
    properties: dict[str, str]


class GetNamespaceResponse(TypedDict, total=False):
    """A namespace with its properties."""

    namespace: Namespace
    properties: dict[str, str] | None


ListTablesResponse = TypedDict(
    "ListTablesResponse",
    {
        "next-page-token": PageToken,
        "identifiers": list[TableIdentifier],
    },
    total=False,
)


ListNamespacesResponse = TypedDict(
    "ListNamespacesResponse",
    {
        "next-page-token": PageToken,
        "namespaces": list[Namespace],
    },
    total=False,
)


class UpdateNamespacePropertiesResponse(TypedDict, total=False):
    """What became of each property that the request names."""

    updated: list[str]
    removed: list[str]
    missing: list[str] | None


BlobMetadata = TypedDict(
    "BlobMetadata",
    {
        "type": str,
        "snapshot-id": int,
        "sequence-number": int,
        "fields": list[int],
        "properties": dict[str, str],
    },
    total=False,
)


PartitionStatisticsFile = TypedDict(
    "PartitionStatisticsFile",
    {
        "snapshot-id": int,
        "statistics-path": str,
        "file-size-in-bytes": int,
    },
    total=False,
)


BooleanTypeValue: TypeAlias = bool


IntegerTypeValue: TypeAlias = int


LongTypeValue: TypeAlias = int


FloatTypeValue: TypeAlias = float


DoubleTypeValue: TypeAlias = float


DecimalTypeValue: TypeAlias = str


StringTypeValue: TypeAlias = str


UUIDTypeValue: TypeAlias = str


DateTypeValue: TypeAlias = str


TimeTypeValue: TypeAlias = str


TimestampTypeValue: TypeAlias = str


TimestampTzTypeValue: TypeAlias = str


TimestampNanoTypeValue: TypeAlias = str


TimestampTzNanoTypeValue: TypeAlias = str


FixedTypeValue: TypeAlias = str


BinaryTypeValue: TypeAlias = str


class CountMap(TypedDict, total=False):
    """A map from column IDs to numbers, as two lists in step."""

    keys: list[IntegerTypeValue]
    values: list[LongTypeValue]


PrimitiveTypeValue: TypeAlias = (
    BooleanTypeValue
    | IntegerTypeValue
    | LongTypeValue
    | FloatTypeValue
    | DoubleTypeValue
    | DecimalTypeValue
    | StringTypeValue
    | UUIDTypeValue
    | DateTypeValue
    | TimeTypeValue
    | TimestampTypeValue
    | TimestampTzTypeValue
    | TimestampNanoTypeValue
    | TimestampTzNanoTypeValue
    | FixedTypeValue
    | BinaryTypeValue
    | None
)


FileFormat: TypeAlias = Literal["avro", "orc", "parquet", "puffin"] | str


ContentFile = TypedDict(
    "ContentFile",
    {
        "content": str,
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": BinaryTypeValue,
        "split-offsets": list[int],
        "sort-order-id": int,
    },
    total=False,
)


PositionDeleteFile = TypedDict(
    "PositionDeleteFile",
    {
        "content": Required[Literal["position-deletes"]],
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": BinaryTypeValue,
        "split-offsets": list[int],
        "sort-order-id": int,
        "content-offset": int,
        "content-size-in-bytes": int,
    },
    total=False,
)


EqualityDeleteFile = TypedDict(
    "EqualityDeleteFile",
    {
        "content": Required[Literal["equality-deletes"]],
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": BinaryTypeValue,
        "split-offsets": list[int],
        "sort-order-id": int,
        "equality-ids": list[int],
    },
    total=False,
)


FieldName: TypeAlias = str


PlanTask: TypeAlias = str


RegisterViewRequest = TypedDict(
    "RegisterViewRequest",
    {
        "name": str,
        "metadata-location": str,
    },
    total=False,
)


HeadersByName: TypeAlias = dict[str, list[str]]
"""Headers of a request by their names, each with all of its values."""


class RemoteSignRequest(TypedDict, total=False):
    """A request to the storage that is to be signed."""

    region: str
    uri: str
    method: Literal["PUT", "GET", "HEAD", "POST", "DELETE", "PATCH", "OPTIONS"] | str
    headers: HeadersByName
    properties: dict[str, str]
    body: str
    provider: str


class RemoteSignResult(TypedDict, total=False):
    """The request as it is to be sent."""

    uri: str
    headers: HeadersByName


CatalogObjectIdentifier: TypeAlias = list[str]
"""
Names an object of the catalog by its levels, the outermost first. The kind of object is known from where the identifier
stands.
"""


ListFunctionsResponse = TypedDict(
    "ListFunctionsResponse",
    {
        "next-page-token": PageToken,
        "identifiers": list[CatalogObjectIdentifier],
    },
    total=False,
)


class FunctionSQLRepresentation(TypedDict, total=False):
    """An implementation as an SQL expression."""

    type: Required[Literal["sql"]]
    dialect: str
    sql: str


FunctionDefinitionVersionRef = TypedDict(
    "FunctionDefinitionVersionRef",
    {
        "definition-id": str,
        "version-id": int,
    },
    total=False,
)


TypedLiteral = TypedDict(
    "TypedLiteral",
    {
        "type": Required[Literal["literal"]],
        "value": PrimitiveTypeValue,
        "data-type": PrimitiveType,
    },
    total=False,
)


TypedLiterals = TypedDict(
    "TypedLiterals",
    {
        "type": Required[Literal["literals"]],
        "values": list[PrimitiveTypeValue],
        "data-type": PrimitiveType,
    },
    total=False,
)


class IdReference(TypedDict, total=False):
    """A column by its field id."""

    type: Required[Literal["reference"]]
    id: int


class NamedReference(TypedDict, total=False):
    """A column by its name."""

    type: Required[Literal["reference"]]
    name: str


class FunctionReference(TypedDict, total=False):
    """A function, perhaps of another catalog."""

    catalog: str
    identifier: CatalogObjectIdentifier


class RemoteSigningConfig(TypedDict, total=False):
    """
    Settings of clients that let the server sign requests to the storage. If a table has them, clients should use them instead
    of `signer.uri` and `signer.endpoint` in its `config`, which are deprecated. If neither is there, clients should ask the
    operation signRequest of this catalog.
    """

    properties: dict[str, str]
    headers: dict[str, list[str]]


VariantType: TypeAlias = Literal["variant"]


TableRequirement: TypeAlias = (
    AssertCreate
    | AssertTableUUID
    | AssertRefSnapshotId
    | AssertLastAssignedFieldId
    | AssertCurrentSchemaId
    | AssertLastAssignedPartitionId
    | AssertDefaultSpecId
    | AssertDefaultSortOrderId
)


CommitReportRequest = TypedDict(
    "CommitReportRequest",
    {
        "table-name": str,
        "snapshot-id": int,
        "sequence-number": int,
        "operation": str,
        "metrics": Metrics,
        "metadata": dict[str, str],
        "report-type": Required[Literal["commit-report"]],
    },
    total=False,
)


BooleanExpression: TypeAlias = bool


class OAuthServerError(TypedDict, total=False):
    """An error of the token endpoint that is not the client's."""

    error: str
    error_description: str
    error_uri: str


class UnknownViewRepresentation(TypedDict, total=False):
    """A view in a form that this version of the contract does not describe."""

    type: str


class CreateNamespaceRequest(TypedDict, total=False):
    """The namespace to create."""

    namespace: Namespace
    properties: dict[str, str]


class RenameTableRequest(TypedDict, total=False):
    """The identifier of a table or view as it is (`source`) and as it is to be (`destination`)."""

    source: TableIdentifier
    destination: TableIdentifier


class TransformTerm(TypedDict, total=False):
    """A transform applied to a column; the expression tests the result."""

    type: Required[Literal["transform"]]
    transform: Transform
    term: Reference


ViewRepresentation: TypeAlias = SQLViewRepresentation | UnknownViewRepresentation


ViewVersion = TypedDict(
    "ViewVersion",
    {
        "version-id": int,
        "timestamp-ms": int,
        "schema-id": int,
        "summary": dict[str, str],
        "representations": list[ViewRepresentation],
        "default-catalog": str,
        "default-namespace": Namespace,
    },
    total=False,
)


AddViewVersionUpdate = TypedDict(
    "AddViewVersionUpdate",
    {
        "action": Required[Literal["add-view-version"]],
        "view-version": ViewVersion,
    },
    total=False,
)


SetPartitionStatisticsUpdate = TypedDict(
    "SetPartitionStatisticsUpdate",
    {
        "action": Required[Literal["set-partition-statistics"]],
        "partition-statistics": PartitionStatisticsFile,
    },
    total=False,
)


ViewRequirement: TypeAlias = AssertViewUUID


StatisticsFile = TypedDict(
    "StatisticsFile",
    {
        "snapshot-id": int,
        "statistics-path": str,
        "file-size-in-bytes": int,
        "file-footer-size-in-bytes": int,
        "blob-metadata": list[BlobMetadata],
    },
    total=False,
)


class ValueMap(TypedDict, total=False):
    """A map from column IDs to values, as two lists in step."""

    keys: list[IntegerTypeValue]
    values: list[PrimitiveTypeValue]


DataFile = TypedDict(
    "DataFile",
    {
        "content": Required[Literal["data"]],
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": BinaryTypeValue,
        "split-offsets": list[int],
        "sort-order-id": int,
        "first-row-id": int,
        "column-sizes": CountMap,
        "value-counts": CountMap,
        "null-value-counts": CountMap,
        "nan-value-counts": CountMap,
        "lower-bounds": ValueMap,
        "upper-bounds": ValueMap,
    },
    total=False,
)


DeleteFile: TypeAlias = PositionDeleteFile | EqualityDeleteFile


FetchScanTasksRequest = TypedDict(
    "FetchScanTasksRequest",
    {"plan-task": PlanTask},
    total=False,
)


FunctionRepresentation: TypeAlias = FunctionSQLRepresentation


FunctionDefinitionLogEntry = TypedDict(
    "FunctionDefinitionLogEntry",
    {
        "timestamp-ms": int,
        "definition-versions": list[FunctionDefinitionVersionRef],
    },
    total=False,
)


LiteralValue: TypeAlias = PrimitiveTypeValue | TypedLiteral


LiteralValues: TypeAlias = list[LiteralValue] | TypedLiterals


FieldReference: TypeAlias = IdReference | NamedReference


Term: TypeAlias = Reference | TransformTerm


SetStatisticsUpdate = TypedDict(
    "SetStatisticsUpdate",
    {
        "action": Required[Literal["set-statistics"]],
        "snapshot-id": int,
        "statistics": StatisticsFile,
    },
    total=False,
)


FunctionDefinitionVersion = TypedDict(
    "FunctionDefinitionVersion",
    {
        "version-id": int,
        "representations": list[FunctionRepresentation],
        "deterministic": bool,
        "on-null-input": Literal["return-null", "call"] | str,
        "timestamp-ms": int,
    },
    total=False,
)


StructField = TypedDict(
    "StructField",
    {
        "id": int,
        "name": str,
        "type": "Type",
        "required": bool,
        "doc": str,
        "initial-default": Any,
        "write-default": Any,
    },
    total=False,
)


class StructType(TypedDict, total=False):
    """A struct, that is a list of named and typed fields."""

    type: Required[Literal["struct"]]
    fields: list[StructField]


ListType = TypedDict(
    "ListType",
    {
        "type": Required[Literal["list"]],
        "element-id": int,
        "element": "Type",
        "element-required": bool,
    },
    total=False,
)


MapType = TypedDict(
    "MapType",
    {
        "type": Required[Literal["map"]],
        "key-id": int,
        "key": "Type",
        "value-id": int,
        "value": "Type",
        "value-required": bool,
    },
    total=False,
)


Type: TypeAlias = Union[PrimitiveType, "NestedType"]


Schema = TypedDict(
    "Schema",
    {
        "type": Required[Literal["struct"]],
        "fields": list[StructField],
        "schema-id": int,
        "identifier-field-ids": list[int],
    },
    total=False,
)


Expression: TypeAlias = Union[BooleanExpression, "TypedExpression"]


class AndOrExpression(TypedDict, total=False):
    """Both expressions hold (`and`), or at least one of them does (`or`)."""

    type: Literal["and", "or"]
    left: Expression
    right: Expression


class NotExpression(TypedDict, total=False):
    """The child expression does not hold."""

    type: Required[Literal["not"]]
    child: Expression


class UnaryExpression(TypedDict, total=False):
    """The term is null or not, or is NaN or not."""

    type: Literal["is-null", "not-null", "is-nan", "not-nan"]
    term: Term
    child: ValueExpression


class LiteralExpression(TypedDict, total=False):
    """The term compares with the value as the type says."""

    type: Literal["lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq", "starts-with", "not-starts-with"]
    term: Term
    value: LiteralValue
    left: ValueExpression
    right: ValueExpression


class SetExpression(TypedDict, total=False):
    """The term is one of the values (`in`), or none of them (`not-in`)."""

    type: Literal["in", "not-in"]
    term: Term
    values: LiteralValues
    child: ValueExpression


TableMetadata = TypedDict(
    "TableMetadata",
    {
        "format-version": int,
        "table-uuid": str,
        "location": str,
        "last-updated-ms": int,
        "next-row-id": int,
        "properties": dict[str, str],
        "schemas": list[Schema],
        "current-schema-id": int,
        "last-column-id": int,
        "partition-specs": list[PartitionSpec],
        "default-spec-id": int,
        "last-partition-id": int,
        "sort-orders": list[SortOrder],
        "default-sort-order-id": int,
        "encryption-keys": list[EncryptedKey],
        "snapshots": list[Snapshot],
        "refs": SnapshotReferences,
        "current-snapshot-id": int | None,
        "last-sequence-number": int,
        "snapshot-log": SnapshotLog,
        "metadata-log": MetadataLog,
        "statistics": list[StatisticsFile],
        "partition-statistics": list[PartitionStatisticsFile],
        "schema": Schema,
        "partition-spec": list[PartitionField],
    },
    total=False,
)


ViewMetadata = TypedDict(
    "ViewMetadata",
    {
        "view-uuid": str,
        "format-version": int,
        "location": str,
        "current-version-id": int,
        "versions": list[ViewVersion],
        "version-log": list[ViewHistoryEntry],
        "schemas": list[Schema],
        "properties": dict[str, str],
    },
    total=False,
)


AddSchemaUpdate = TypedDict(
    "AddSchemaUpdate",
    {
        "action": Required[Literal["add-schema"]],
        "schema": Schema,
        "last-column-id": int,
    },
    total=False,
)


TableUpdate: TypeAlias = (
    AssignUUIDUpdate
    | UpgradeFormatVersionUpdate
    | AddSchemaUpdate
    | SetCurrentSchemaUpdate
    | AddPartitionSpecUpdate
    | SetDefaultSpecUpdate
    | AddSortOrderUpdate
    | SetDefaultSortOrderUpdate
    | AddSnapshotUpdate
    | SetSnapshotRefUpdate
    | RemoveSnapshotsUpdate
    | RemoveSnapshotRefUpdate
    | SetLocationUpdate
    | SetPropertiesUpdate
    | RemovePropertiesUpdate
    | SetStatisticsUpdate
    | RemoveStatisticsUpdate
    | RemovePartitionSpecsUpdate
    | RemoveSchemasUpdate
    | AddEncryptionKeyUpdate
    | RemoveEncryptionKeyUpdate
    | SetPartitionStatisticsUpdate
    | RemovePartitionStatisticsUpdate
)


ViewUpdate: TypeAlias = (
    AssignUUIDUpdate
    | UpgradeFormatVersionUpdate
    | AddSchemaUpdate
    | SetLocationUpdate
    | SetPropertiesUpdate
    | RemovePropertiesUpdate
    | AddViewVersionUpdate
    | SetCurrentViewVersionUpdate
)


LoadTableResult = TypedDict(
    "LoadTableResult",
    {
        "metadata-location": str | None,
        "metadata": TableMetadata,
        "config": dict[str, str],
        "storage-credentials": list[StorageCredential],
        "remote-signing-config": RemoteSigningConfig,
    },
    total=False,
)


ScanTasks = TypedDict(
    "ScanTasks",
    {
        "delete-files": list[DeleteFile],
        "file-scan-tasks": list["FileScanTask"],
        "plan-tasks": list[PlanTask],
    },
    total=False,
)


CompletedPlanningResult = TypedDict(
    "CompletedPlanningResult",
    {
        "delete-files": list[DeleteFile],
        "file-scan-tasks": list["FileScanTask"],
        "plan-tasks": list[PlanTask],
        "status": Required[Literal["completed"]],
        "storage-credentials": list[StorageCredential],
    },
    total=False,
)


CompletedPlanningWithIDResult = TypedDict(
    "CompletedPlanningWithIDResult",
    {
        "delete-files": list[DeleteFile],
        "file-scan-tasks": list["FileScanTask"],
        "plan-tasks": list[PlanTask],
        "status": Required[Literal["completed"]],
        "storage-credentials": list[StorageCredential],
        "plan-id": str,
    },
    total=False,
)


FetchPlanningResult: TypeAlias = (
    CompletedPlanningResult | FailedPlanningResult | EmptyPlanningResult
)


PlanTableScanResult: TypeAlias = (
    CompletedPlanningWithIDResult | FailedPlanningResult | AsyncPlanningResult
)


FetchScanTasksResult = TypedDict(
    "FetchScanTasksResult",
    {
        "delete-files": list[DeleteFile],
        "file-scan-tasks": list["FileScanTask"],
        "plan-tasks": list[PlanTask],
    },
    total=False,
)


class CommitTableRequest(TypedDict, total=False):
    """Changes to a table, and what must hold for them to be made."""

    identifier: TableIdentifier
    requirements: list[TableRequirement]
    updates: list[TableUpdate]


class CommitViewRequest(TypedDict, total=False):
    """Changes to a view, and what must hold for them to be made."""

    identifier: TableIdentifier
    requirements: list[ViewRequirement]
    updates: list[ViewUpdate]


CommitTransactionRequest = TypedDict(
    "CommitTransactionRequest",
    {"table-changes": list[CommitTableRequest]},
    total=False,
)


CreateTableRequest = TypedDict(
    "CreateTableRequest",
    {
        "name": str,
        "location": str,
        "schema": Schema,
        "partition-spec": PartitionSpec,
        "write-order": SortOrder,
        "stage-create": bool,
        "properties": dict[str, str],
    },
    total=False,
)


CreateViewRequest = TypedDict(
    "CreateViewRequest",
    {
        "name": str,
        "location": str,
        "schema": Schema,
        "view-version": ViewVersion,
        "properties": dict[str, str],
    },
    total=False,
)


LoadViewResult = TypedDict(
    "LoadViewResult",
    {
        "metadata-location": str,
        "metadata": ViewMetadata,
        "config": dict[str, str],
    },
    total=False,
)


ReportMetricsRequest: TypeAlias = Union["ScanReportRequest", CommitReportRequest]


ScanReport = TypedDict(
    "ScanReport",
    {
        "table-name": str,
        "snapshot-id": int,
        "filter": Expression,
        "schema-id": int,
        "projected-field-ids": list[int],
        "projected-field-names": list[str],
        "metrics": Metrics,
        "metadata": dict[str, str],
    },
    total=False,
)


CommitTableResponse = TypedDict(
    "CommitTableResponse",
    {
        "metadata-location": str,
        "metadata": TableMetadata,
    },
    total=False,
)


PlanTableScanRequest = TypedDict(
    "PlanTableScanRequest",
    {
        "snapshot-id": int,
        "select": list[FieldName],
        "filter": Expression,
        "case-sensitive": bool,
        "use-snapshot-schema": bool,
        "start-snapshot-id": int,
        "end-snapshot-id": int,
        "stats-fields": list[FieldName],
        "min-rows-requested": int,
    },
    total=False,
)


FileScanTask = TypedDict(
    "FileScanTask",
    {
        "data-file": DataFile,
        "delete-file-references": list[int],
        "residual-filter": Expression,
    },
    total=False,
)


LoadFunctionResult = TypedDict(
    "LoadFunctionResult",
    {
        "metadata-location": str,
        "metadata": "FunctionMetadata",
    },
    total=False,
)


FunctionMetadata = TypedDict(
    "FunctionMetadata",
    {
        "function-uuid": str,
        "format-version": int,
        "definitions": list["FunctionDefinition"],
        "definition-log": list[FunctionDefinitionLogEntry],
        "location": str,
        "properties": dict[str, str],
        "secure": bool,
        "doc": str,
    },
    total=False,
)


FunctionDefinition = TypedDict(
    "FunctionDefinition",
    {
        "definition-id": str,
        "specific-name": str,
        "parameters": list["FunctionParameter"],
        "return-type": "FunctionDataType",
        "return-nullable": bool,
        "versions": list[FunctionDefinitionVersion],
        "current-version-id": int,
        "function-type": Literal["udf", "udtf"] | str,
        "doc": str,
    },
    total=False,
)


class FunctionParameter(TypedDict, total=False):
    """One parameter of a function."""

    type: FunctionDataType
    name: str
    doc: str


FunctionDataType: TypeAlias = Union[
    str,
    "FunctionListType",
    "FunctionMapType",
    "FunctionStructType",
]


class FunctionListType(TypedDict, total=False):
    """A list of values of one type."""

    type: Required[Literal["list"]]
    element: FunctionDataType


class FunctionMapType(TypedDict, total=False):
    """A map from keys of one type to values of another."""

    type: Required[Literal["map"]]
    key: FunctionDataType
    value: FunctionDataType


class FunctionStructType(TypedDict, total=False):
    """A struct of named fields."""

    type: Required[Literal["struct"]]
    fields: list[FunctionStructField]


class FunctionStructField(TypedDict, total=False):
    """One field of a struct."""

    name: str
    type: FunctionDataType


UnregisterTableResult = TypedDict(
    "UnregisterTableResult",
    {
        "metadata-location": str,
        "metadata": TableMetadata,
    },
    total=False,
)


ValueExpression: TypeAlias = Union[LiteralValue, FieldReference, "Apply"]


class Apply(TypedDict, total=False):
    """The result of a function for its arguments."""

    type: Required[Literal["apply"]]
    function: str | CatalogObjectIdentifier | FunctionReference
    arguments: list[FunctionArgument]


FunctionArgument: TypeAlias = ValueExpression | Expression


ScanReportRequest = TypedDict(
    "ScanReportRequest",
    {
        "table-name": str,
        "snapshot-id": int,
        "filter": Expression,
        "schema-id": int,
        "projected-field-ids": list[int],
        "projected-field-names": list[str],
        "metrics": Metrics,
        "metadata": dict[str, str],
        "report-type": Required[Literal["scan-report"]],
    },
    total=False,
)


TypedExpression: TypeAlias = (
    TrueExpression
    | FalseExpression
    | AndOrExpression
    | NotExpression
    | SetExpression
    | LiteralExpression
    | UnaryExpression
)


NestedType: TypeAlias = StructType | ListType | MapType
