# Made by datamodel-code-generator 0.89.0 from the contract of iceberg_rest 1.11.0, sha256 97258e2f4ba60dc6. Do not edit: nox -s generate
"""The JSON documents of the contract as they are written, for type checkers alone: import this module for annotations."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union


class ErrorModel(TypedDict):
    """What went wrong. In every example that Iceberg gives, those of views and of status 406 included, this object is the value of a member `error`, also where a response names this schema directly."""

    message: str
    type: str
    code: int
    stack: NotRequired[list[str]]


CatalogConfig = TypedDict(
    "CatalogConfig",
    {
        "overrides": dict[str, str],
        "defaults": dict[str, str],
        "endpoints": NotRequired[list[str]],
        "idempotency-key-lifetime": NotRequired[Any],
    },
)


class UpdateNamespacePropertiesRequest(TypedDict):
    """Changes to the properties of a namespace. A key may stand in one of the two members only."""

    removals: NotRequired[list[str]]
    updates: NotRequired[dict[str, str]]


Namespace: TypeAlias = list[str]
"""A namespace of one or more levels, as the list of their names from the top; `["accounting", "tax"]`, for instance."""


PageToken: TypeAlias = str | None


class TableIdentifier(TypedDict):
    """Identifies a table or a view by its namespace and its name."""

    namespace: Namespace
    name: str


PrimitiveType: TypeAlias = str


ExpressionType: TypeAlias = str


class TrueExpression(TypedDict):
    """The expression that holds for every row."""

    type: Literal["true"]


class FalseExpression(TypedDict):
    """The expression that holds for no row."""

    type: Literal["false"]


Reference: TypeAlias = str


Transform: TypeAlias = str


PartitionField = TypedDict(
    "PartitionField",
    {
        "field-id": NotRequired[int],
        "source-id": int,
        "name": str,
        "transform": Transform,
    },
)


PartitionSpec = TypedDict(
    "PartitionSpec",
    {
        "spec-id": NotRequired[int],
        "fields": list[PartitionField],
    },
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
)


SortOrder = TypedDict(
    "SortOrder",
    {
        "order-id": int,
        "fields": list[SortField],
    },
)


EncryptedKey = TypedDict(
    "EncryptedKey",
    {
        "key-id": str,
        "encrypted-key-metadata": str,
        "encrypted-by-id": NotRequired[str],
        "properties": NotRequired[dict[str, str]],
    },
)


class Summary(TypedDict):
    """What made the snapshot, with figures about the change; all values are strings."""

    operation: Literal["append", "replace", "overwrite", "delete"] | str


Snapshot = TypedDict(
    "Snapshot",
    {
        "snapshot-id": int,
        "parent-snapshot-id": NotRequired[int],
        "sequence-number": NotRequired[int],
        "timestamp-ms": int,
        "manifest-list": NotRequired[str],
        "first-row-id": NotRequired[int],
        "summary": NotRequired[Summary],
        "schema-id": NotRequired[int],
        "added-rows": NotRequired[int],
        "key-id": NotRequired[str],
        "manifests": NotRequired[list[str]],
    },
)


SnapshotReference = TypedDict(
    "SnapshotReference",
    {
        "type": Literal["tag", "branch"] | str,
        "snapshot-id": int,
        "max-ref-age-ms": NotRequired[int],
        "max-snapshot-age-ms": NotRequired[int],
        "min-snapshots-to-keep": NotRequired[int],
    },
)


SnapshotReferences: TypeAlias = dict[str, SnapshotReference]
"""Branches and tags by name. The branch `main` holds the current snapshot of the table."""


SnapshotLogItem = TypedDict(
    "SnapshotLogItem",
    {
        "snapshot-id": int,
        "timestamp-ms": int,
    },
)


SnapshotLog: TypeAlias = list[SnapshotLogItem]
"""The changes of the current snapshot of a table, oldest first."""


MetadataLogItem = TypedDict(
    "MetadataLogItem",
    {
        "metadata-file": str,
        "timestamp-ms": int,
    },
)


MetadataLog: TypeAlias = list[MetadataLogItem]
"""Earlier metadata files of a table, oldest first."""


class SQLViewRepresentation(TypedDict):
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
)


class BaseUpdate(TypedDict):
    """A change to the metadata of a table or a view."""

    action: str


class AssignUUIDUpdate(TypedDict):
    """Assign a UUID to a table or view. This should be done only when creating it; to assign another UUID to a table or view that has one is not safe."""

    action: Literal["assign-uuid"]
    uuid: str


UpgradeFormatVersionUpdate = TypedDict(
    "UpgradeFormatVersionUpdate",
    {
        "action": Literal["upgrade-format-version"],
        "format-version": int,
    },
)


SetCurrentSchemaUpdate = TypedDict(
    "SetCurrentSchemaUpdate",
    {
        "action": Literal["set-current-schema"],
        "schema-id": int,
    },
)


class AddPartitionSpecUpdate(TypedDict):
    """Add a partition spec. It becomes the default only by a further update."""

    action: Literal["add-spec"]
    spec: PartitionSpec


SetDefaultSpecUpdate = TypedDict(
    "SetDefaultSpecUpdate",
    {
        "action": Literal["set-default-spec"],
        "spec-id": int,
    },
)


AddSortOrderUpdate = TypedDict(
    "AddSortOrderUpdate",
    {
        "action": Literal["add-sort-order"],
        "sort-order": SortOrder,
    },
)


SetDefaultSortOrderUpdate = TypedDict(
    "SetDefaultSortOrderUpdate",
    {
        "action": Literal["set-default-sort-order"],
        "sort-order-id": int,
    },
)


class AddSnapshotUpdate(TypedDict):
    """Add a snapshot. No branch or tag points to it before a further update."""

    action: Literal["add-snapshot"]
    snapshot: Snapshot


SetSnapshotRefUpdate = TypedDict(
    "SetSnapshotRefUpdate",
    {
        "action": Literal["set-snapshot-ref"],
        "type": Literal["tag", "branch"] | str,
        "snapshot-id": int,
        "max-ref-age-ms": NotRequired[int],
        "max-snapshot-age-ms": NotRequired[int],
        "min-snapshots-to-keep": NotRequired[int],
        "ref-name": str,
    },
)


RemoveSnapshotsUpdate = TypedDict(
    "RemoveSnapshotsUpdate",
    {
        "action": Literal["remove-snapshots"],
        "snapshot-ids": list[int],
    },
)


RemoveSnapshotRefUpdate = TypedDict(
    "RemoveSnapshotRefUpdate",
    {
        "action": Literal["remove-snapshot-ref"],
        "ref-name": str,
    },
)


class SetLocationUpdate(TypedDict):
    """Set the base location of a table or view."""

    action: Literal["set-location"]
    location: str


class SetPropertiesUpdate(TypedDict):
    """Set properties of a table or view."""

    action: Literal["set-properties"]
    updates: dict[str, str]


class RemovePropertiesUpdate(TypedDict):
    """Remove properties of a table or view."""

    action: Literal["remove-properties"]
    removals: list[str]


SetCurrentViewVersionUpdate = TypedDict(
    "SetCurrentViewVersionUpdate",
    {
        "action": Literal["set-current-view-version"],
        "view-version-id": int,
    },
)


RemoveStatisticsUpdate = TypedDict(
    "RemoveStatisticsUpdate",
    {
        "action": Literal["remove-statistics"],
        "snapshot-id": int,
    },
)


RemovePartitionStatisticsUpdate = TypedDict(
    "RemovePartitionStatisticsUpdate",
    {
        "action": Literal["remove-partition-statistics"],
        "snapshot-id": int,
    },
)


RemovePartitionSpecsUpdate = TypedDict(
    "RemovePartitionSpecsUpdate",
    {
        "action": Literal["remove-partition-specs"],
        "spec-ids": list[int],
    },
)


RemoveSchemasUpdate = TypedDict(
    "RemoveSchemasUpdate",
    {
        "action": Literal["remove-schemas"],
        "schema-ids": list[int],
    },
)


AddEncryptionKeyUpdate = TypedDict(
    "AddEncryptionKeyUpdate",
    {
        "action": Literal["add-encryption-key"],
        "encryption-key": EncryptedKey,
    },
)


RemoveEncryptionKeyUpdate = TypedDict(
    "RemoveEncryptionKeyUpdate",
    {
        "action": Literal["remove-encryption-key"],
        "key-id": str,
    },
)


class BaseTableRequirement(TypedDict):
    """An assertion about a table that must hold for a commit to happen."""

    type: str


class AssertCreate(TypedDict):
    """The table must not exist yet; used for transactions that create a table."""

    type: Literal["assert-create"]


class AssertTableUUID(TypedDict):
    """The UUID of the table must equal `uuid`."""

    type: Literal["assert-table-uuid"]
    uuid: str


AssertRefSnapshotId = TypedDict(
    "AssertRefSnapshotId",
    {
        "type": Literal["assert-ref-snapshot-id"],
        "ref": str,
        "snapshot-id": int | None,
    },
)


AssertLastAssignedFieldId = TypedDict(
    "AssertLastAssignedFieldId",
    {
        "type": Literal["assert-last-assigned-field-id"],
        "last-assigned-field-id": int,
    },
)


AssertCurrentSchemaId = TypedDict(
    "AssertCurrentSchemaId",
    {
        "type": Literal["assert-current-schema-id"],
        "current-schema-id": int,
    },
)


AssertLastAssignedPartitionId = TypedDict(
    "AssertLastAssignedPartitionId",
    {
        "type": Literal["assert-last-assigned-partition-id"],
        "last-assigned-partition-id": int,
    },
)


AssertDefaultSpecId = TypedDict(
    "AssertDefaultSpecId",
    {
        "type": Literal["assert-default-spec-id"],
        "default-spec-id": int,
    },
)


AssertDefaultSortOrderId = TypedDict(
    "AssertDefaultSortOrderId",
    {
        "type": Literal["assert-default-sort-order-id"],
        "default-sort-order-id": int,
    },
)


class AssertViewUUID(TypedDict):
    """The UUID of the view must equal `uuid`."""

    type: Literal["assert-view-uuid"]
    uuid: str


class StorageCredential(TypedDict):
    """A credential for a part of the storage."""

    prefix: str
    config: dict[str, str]


LoadCredentialsResponse = TypedDict(
    "LoadCredentialsResponse",
    {"storage-credentials": list[StorageCredential]},
)


class FailedPlanningResult(TypedDict):
    """Planning by the server has failed; the error says why."""

    error: ErrorModel
    status: Literal["failed"]


AsyncPlanningResult = TypedDict(
    "AsyncPlanningResult",
    {
        "status": Literal["submitted"],
        "plan-id": str,
    },
)


class EmptyPlanningResult(TypedDict):
    """Planning by the server goes on or was cancelled; there is no result."""

    status: Literal["submitted", "cancelled"]


PlanStatus: TypeAlias = Literal["completed", "submitted", "cancelled", "failed"] | str


RegisterTableRequest = TypedDict(
    "RegisterTableRequest",
    {
        "name": str,
        "metadata-location": str,
        "overwrite": NotRequired[bool],
    },
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


class OAuthClientCredentialsRequest(TypedDict):
    """A request of the OAuth2 client credentials flow (https://datatracker.ietf.org/doc/html/rfc6749#section-4.4). **Deprecated for removal** together with the endpoint getToken."""

    grant_type: Literal["client_credentials"]
    scope: NotRequired[str]
    client_id: str
    client_secret: str


class OAuthTokenExchangeRequest(TypedDict):
    """A request of the OAuth2 token exchange flow (https://datatracker.ietf.org/doc/html/rfc8693). **Deprecated for removal** together with the endpoint getToken."""

    grant_type: Literal["urn:ietf:params:oauth:grant-type:token-exchange"]
    scope: NotRequired[str]
    requested_token_type: NotRequired[TokenType]
    subject_token: str
    subject_token_type: TokenType
    actor_token: NotRequired[str]
    actor_token_type: NotRequired[TokenType]


OAuthTokenRequest: TypeAlias = OAuthClientCredentialsRequest | OAuthTokenExchangeRequest


class CounterResult(TypedDict):
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
        "metadata": NotRequired[dict[str, str]],
    },
)


class OAuthError(TypedDict):
    """An error of OAuth2. **Deprecated for removal** together with the endpoint getToken."""

    error: (
        Literal["invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope"]
        | str
    )
    error_description: NotRequired[str]
    error_uri: NotRequired[str]


class OAuthTokenResponse(TypedDict):
    """The token of the client credentials flow or of token exchange. **Deprecated for removal** together with the endpoint getToken."""

    access_token: str
    token_type: str
    expires_in: NotRequired[int]
    issued_token_type: NotRequired[TokenType]
    refresh_token: NotRequired[str]
    scope: NotRequired[str]


class IcebergErrorResponse(TypedDict):
    """The JSON wrapper of all error responses, that is of all that are not 2xx."""

    error: ErrorModel


class CreateNamespaceResponse(TypedDict):
    """The namespace that was created."""

    namespace: Namespace
    properties: NotRequired[dict[str, str]]


class GetNamespaceResponse(TypedDict):
    """A namespace with its properties."""

    namespace: Namespace
    properties: NotRequired[dict[str, str] | None]


ListTablesResponse = TypedDict(
    "ListTablesResponse",
    {
        "next-page-token": NotRequired[PageToken],
        "identifiers": NotRequired[list[TableIdentifier]],
    },
)


ListNamespacesResponse = TypedDict(
    "ListNamespacesResponse",
    {
        "next-page-token": NotRequired[PageToken],
        "namespaces": NotRequired[list[Namespace]],
    },
)


class UpdateNamespacePropertiesResponse(TypedDict):
    """What became of each property that the request names."""

    updated: list[str]
    removed: list[str]
    missing: NotRequired[list[str] | None]


BlobMetadata = TypedDict(
    "BlobMetadata",
    {
        "type": str,
        "snapshot-id": int,
        "sequence-number": int,
        "fields": list[int],
        "properties": NotRequired[dict[str, str]],
    },
)


PartitionStatisticsFile = TypedDict(
    "PartitionStatisticsFile",
    {
        "snapshot-id": int,
        "statistics-path": str,
        "file-size-in-bytes": int,
    },
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


class CountMap(TypedDict):
    """A map from column IDs to numbers, as two lists in step."""

    keys: NotRequired[list[IntegerTypeValue]]
    values: NotRequired[list[LongTypeValue]]


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
        "key-metadata": NotRequired[BinaryTypeValue],
        "split-offsets": NotRequired[list[int]],
        "sort-order-id": NotRequired[int],
    },
)


PositionDeleteFile = TypedDict(
    "PositionDeleteFile",
    {
        "content": Literal["position-deletes"],
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": NotRequired[BinaryTypeValue],
        "split-offsets": NotRequired[list[int]],
        "sort-order-id": NotRequired[int],
        "content-offset": NotRequired[int],
        "content-size-in-bytes": NotRequired[int],
    },
)


EqualityDeleteFile = TypedDict(
    "EqualityDeleteFile",
    {
        "content": Literal["equality-deletes"],
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": NotRequired[BinaryTypeValue],
        "split-offsets": NotRequired[list[int]],
        "sort-order-id": NotRequired[int],
        "equality-ids": NotRequired[list[int]],
    },
)


FieldName: TypeAlias = str


PlanTask: TypeAlias = str


RegisterViewRequest = TypedDict(
    "RegisterViewRequest",
    {
        "name": str,
        "metadata-location": str,
    },
)


HeadersByName: TypeAlias = dict[str, list[str]]
"""Headers of a request by their names, each with all of its values."""


class RemoteSignRequest(TypedDict):
    """A request to the storage that is to be signed."""

    region: str
    uri: str
    method: Literal["PUT", "GET", "HEAD", "POST", "DELETE", "PATCH", "OPTIONS"] | str
    headers: HeadersByName
    properties: NotRequired[dict[str, str]]
    body: NotRequired[str]
    provider: NotRequired[str]


class RemoteSignResult(TypedDict):
    """The request as it is to be sent."""

    uri: str
    headers: HeadersByName


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
        "metadata": NotRequired[dict[str, str]],
        "report-type": Literal["commit-report"],
    },
)


BooleanExpression: TypeAlias = bool


class OAuthServerError(TypedDict):
    """An error of the token endpoint that is not the client's."""

    error: str
    error_description: NotRequired[str]
    error_uri: NotRequired[str]


class UnknownViewRepresentation(TypedDict):
    """A view in a form that this version of the contract does not describe."""

    type: str


class CreateNamespaceRequest(TypedDict):
    """The namespace to create."""

    namespace: Namespace
    properties: NotRequired[dict[str, str]]


class RenameTableRequest(TypedDict):
    """The identifier of a table or view as it is (`source`) and as it is to be (`destination`)."""

    source: TableIdentifier
    destination: TableIdentifier


class TransformTerm(TypedDict):
    """A transform applied to a column; the expression tests the result."""

    type: Literal["transform"]
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
        "default-catalog": NotRequired[str],
        "default-namespace": Namespace,
    },
)


AddViewVersionUpdate = TypedDict(
    "AddViewVersionUpdate",
    {
        "action": Literal["add-view-version"],
        "view-version": ViewVersion,
    },
)


SetPartitionStatisticsUpdate = TypedDict(
    "SetPartitionStatisticsUpdate",
    {
        "action": Literal["set-partition-statistics"],
        "partition-statistics": PartitionStatisticsFile,
    },
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
)


class ValueMap(TypedDict):
    """A map from column IDs to values, as two lists in step."""

    keys: NotRequired[list[IntegerTypeValue]]
    values: NotRequired[list[PrimitiveTypeValue]]


DataFile = TypedDict(
    "DataFile",
    {
        "content": Literal["data"],
        "file-path": str,
        "file-format": FileFormat,
        "spec-id": int,
        "partition": list[PrimitiveTypeValue],
        "file-size-in-bytes": int,
        "record-count": int,
        "key-metadata": NotRequired[BinaryTypeValue],
        "split-offsets": NotRequired[list[int]],
        "sort-order-id": NotRequired[int],
        "first-row-id": NotRequired[int],
        "column-sizes": NotRequired[CountMap],
        "value-counts": NotRequired[CountMap],
        "null-value-counts": NotRequired[CountMap],
        "nan-value-counts": NotRequired[CountMap],
        "lower-bounds": NotRequired[ValueMap],
        "upper-bounds": NotRequired[ValueMap],
    },
)


DeleteFile: TypeAlias = PositionDeleteFile | EqualityDeleteFile


FetchScanTasksRequest = TypedDict(
    "FetchScanTasksRequest",
    {"plan-task": PlanTask},
)


Term: TypeAlias = Reference | TransformTerm


SetStatisticsUpdate = TypedDict(
    "SetStatisticsUpdate",
    {
        "action": Literal["set-statistics"],
        "snapshot-id": NotRequired[int],
        "statistics": StatisticsFile,
    },
)


class UnaryExpression(TypedDict):
    """The term is null or not, or is NaN or not."""

    type: Literal["is-null", "not-null", "is-nan", "not-nan"]
    term: Term


class LiteralExpression(TypedDict):
    """The term compares with the value as the type says."""

    type: Literal["lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq", "starts-with", "not-starts-with"]
    term: Term
    value: PrimitiveTypeValue


class SetExpression(TypedDict):
    """The term is one of the values (`in`), or none of them (`not-in`)."""

    type: Literal["in", "not-in"]
    term: Term
    values: list[PrimitiveTypeValue]


StructField = TypedDict(
    "StructField",
    {
        "id": int,
        "name": str,
        "type": "Type",
        "required": bool,
        "doc": NotRequired[str],
        "initial-default": NotRequired[Any],
        "write-default": NotRequired[Any],
    },
)


class StructType(TypedDict):
    """A struct, that is a list of named and typed fields."""

    type: Literal["struct"]
    fields: list[StructField]


ListType = TypedDict(
    "ListType",
    {
        "type": Literal["list"],
        "element-id": int,
        "element": "Type",
        "element-required": bool,
    },
)


MapType = TypedDict(
    "MapType",
    {
        "type": Literal["map"],
        "key-id": int,
        "key": "Type",
        "value-id": int,
        "value": "Type",
        "value-required": bool,
    },
)


Type: TypeAlias = Union[PrimitiveType, "NestedType"]


Schema = TypedDict(
    "Schema",
    {
        "type": Literal["struct"],
        "fields": list[StructField],
        "schema-id": NotRequired[int],
        "identifier-field-ids": NotRequired[list[int]],
    },
)


Expression: TypeAlias = Union[BooleanExpression, "TypedExpression"]


class AndOrExpression(TypedDict):
    """Both expressions hold (`and`), or at least one of them does (`or`)."""

    type: Literal["and", "or"]
    left: Expression
    right: Expression


class NotExpression(TypedDict):
    """The child expression does not hold."""

    type: Literal["not"]
    child: Expression


TableMetadata = TypedDict(
    "TableMetadata",
    {
        "format-version": int,
        "table-uuid": str,
        "location": str,
        "last-updated-ms": int,
        "next-row-id": NotRequired[int],
        "properties": NotRequired[dict[str, str]],
        "schemas": list[Schema],
        "current-schema-id": int,
        "last-column-id": int,
        "partition-specs": list[PartitionSpec],
        "default-spec-id": int,
        "last-partition-id": int,
        "sort-orders": list[SortOrder],
        "default-sort-order-id": int,
        "encryption-keys": NotRequired[list[EncryptedKey]],
        "snapshots": NotRequired[list[Snapshot]],
        "refs": NotRequired[SnapshotReferences],
        "current-snapshot-id": NotRequired[int | None],
        "last-sequence-number": int,
        "snapshot-log": NotRequired[SnapshotLog],
        "metadata-log": NotRequired[MetadataLog],
        "statistics": NotRequired[list[StatisticsFile]],
        "partition-statistics": NotRequired[list[PartitionStatisticsFile]],
        "schema": NotRequired[Schema],
        "partition-spec": NotRequired[list[PartitionField]],
    },
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
        "properties": NotRequired[dict[str, str]],
    },
)


AddSchemaUpdate = TypedDict(
    "AddSchemaUpdate",
    {
        "action": Literal["add-schema"],
        "schema": Schema,
        "last-column-id": NotRequired[int],
    },
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
        "metadata-location": NotRequired[str | None],
        "metadata": TableMetadata,
        "config": NotRequired[dict[str, str]],
        "storage-credentials": NotRequired[list[StorageCredential]],
    },
)


ScanTasks = TypedDict(
    "ScanTasks",
    {
        "delete-files": NotRequired[list[DeleteFile]],
        "file-scan-tasks": NotRequired[list["FileScanTask"]],
        "plan-tasks": NotRequired[list[PlanTask]],
    },
)


CompletedPlanningResult = TypedDict(
    "CompletedPlanningResult",
    {
        "delete-files": NotRequired[list[DeleteFile]],
        "file-scan-tasks": NotRequired[list["FileScanTask"]],
        "plan-tasks": NotRequired[list[PlanTask]],
        "status": Literal["completed"],
        "storage-credentials": NotRequired[list[StorageCredential]],
    },
)


CompletedPlanningWithIDResult = TypedDict(
    "CompletedPlanningWithIDResult",
    {
        "delete-files": NotRequired[list[DeleteFile]],
        "file-scan-tasks": NotRequired[list["FileScanTask"]],
        "plan-tasks": NotRequired[list[PlanTask]],
        "status": Literal["completed"],
        "storage-credentials": NotRequired[list[StorageCredential]],
        "plan-id": NotRequired[str],
    },
)


FetchPlanningResult: TypeAlias = CompletedPlanningResult | FailedPlanningResult | EmptyPlanningResult


PlanTableScanResult: TypeAlias = CompletedPlanningWithIDResult | FailedPlanningResult | AsyncPlanningResult


FetchScanTasksResult = TypedDict(
    "FetchScanTasksResult",
    {
        "delete-files": NotRequired[list[DeleteFile]],
        "file-scan-tasks": NotRequired[list["FileScanTask"]],
        "plan-tasks": NotRequired[list[PlanTask]],
    },
)


class CommitTableRequest(TypedDict):
    """Changes to a table, and what must hold for them to be made."""

    identifier: NotRequired[TableIdentifier]
    requirements: list[TableRequirement]
    updates: list[TableUpdate]


class CommitViewRequest(TypedDict):
    """Changes to a view, and what must hold for them to be made."""

    identifier: NotRequired[TableIdentifier]
    requirements: NotRequired[list[ViewRequirement]]
    updates: list[ViewUpdate]


CommitTransactionRequest = TypedDict(
    "CommitTransactionRequest",
    {"table-changes": list[CommitTableRequest]},
)


CreateTableRequest = TypedDict(
    "CreateTableRequest",
    {
        "name": str,
        "location": NotRequired[str],
        "schema": Schema,
        "partition-spec": NotRequired[PartitionSpec],
        "write-order": NotRequired[SortOrder],
        "stage-create": NotRequired[bool],
        "properties": NotRequired[dict[str, str]],
    },
)


CreateViewRequest = TypedDict(
    "CreateViewRequest",
    {
        "name": str,
        "location": NotRequired[str],
        "schema": Schema,
        "view-version": ViewVersion,
        "properties": dict[str, str],
    },
)


LoadViewResult = TypedDict(
    "LoadViewResult",
    {
        "metadata-location": str,
        "metadata": ViewMetadata,
        "config": NotRequired[dict[str, str]],
    },
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
        "metadata": NotRequired[dict[str, str]],
    },
)


CommitTableResponse = TypedDict(
    "CommitTableResponse",
    {
        "metadata-location": str,
        "metadata": TableMetadata,
    },
)


PlanTableScanRequest = TypedDict(
    "PlanTableScanRequest",
    {
        "snapshot-id": NotRequired[int],
        "select": NotRequired[list[FieldName]],
        "filter": NotRequired[Expression],
        "case-sensitive": NotRequired[bool],
        "use-snapshot-schema": NotRequired[bool],
        "start-snapshot-id": NotRequired[int],
        "end-snapshot-id": NotRequired[int],
        "stats-fields": NotRequired[list[FieldName]],
        "min-rows-requested": NotRequired[int],
    },
)


FileScanTask = TypedDict(
    "FileScanTask",
    {
        "data-file": DataFile,
        "delete-file-references": NotRequired[list[int]],
        "residual-filter": NotRequired[Expression],
    },
)


NestedType: TypeAlias = StructType | ListType | MapType


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
        "metadata": NotRequired[dict[str, str]],
        "report-type": Literal["scan-report"],
    },
)


TypedExpression: TypeAlias = (
    TrueExpression | FalseExpression | AndOrExpression | NotExpression | SetExpression | LiteralExpression | UnaryExpression
)
