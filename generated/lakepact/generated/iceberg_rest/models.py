# Made by datamodel-code-generator 0.89.0 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
# An alternative narrows the tag that it has from the common part, which pyright does not allow of what can be assigned.
# pyright: reportIncompatibleVariableOverride=false
"""The JSON documents of the contract, one class or alias for each of its schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from lakepact.generated.current_parts import CurrentParts
from lakepact.generated.format_version_1 import SortFieldDefaults
from lakepact.generated.items import (
    NO_ITEMS,
    NO_MEMBERS,
    Items,
    Members,
    OptionalItems,
    OptionalMembers,
)
from lakepact.generated.summaries import Entries
from lakepact.generated.wire import TaggedModel, WireModel


class ErrorModel(WireModel):
    """What went wrong. In every example that Iceberg gives, those of views and of status 406 included, this object is the value of a member `error`, also where a response names this schema directly."""

    message: str
    """What went wrong, for a person to read."""
    type: str
    """Internal name of the kind of error, such as NoSuchNamespaceException."""
    code: Annotated[int, Field(ge=400, le=600)]
    """Status of the HTTP response, such as 404."""
    stack: Items[str] | None = None
    """Stack trace of the server, one entry for each line."""


class CatalogConfig(WireModel):
    """Configuration that the server provides for the catalog."""

    overrides: OptionalMembers[str] = NO_MEMBERS
    """Properties that should replace configuration of the client; applied last, after the defaults and the client's own."""
    defaults: OptionalMembers[str] = NO_MEMBERS
    """Properties that should hold by default; applied first, before the client's own."""
    endpoints: Items[str] | None = None
    """The endpoints that the server supports. Each must have the form `<HTTP verb> <resource path of this contract>`, such as `GET /v1/{prefix}/namespaces/{namespace}`; a space character must separate verb and path."""
    idempotency_key_lifetime: Annotated[Any | None, Field(alias="idempotency-key-lifetime")] = None
    """
    How long a client may use an Idempotency-Key again, from the first request with it to the last, as an ISO 8601
    duration such as `PT30M`. Servers should accept retries for at least that long; clients should not use a key again
    after it. Its presence says that the server supports the header Idempotency-Key for what changes the catalog; where it
    is absent, clients must assume that it does not.
    """


class UpdateNamespacePropertiesRequest(WireModel):
    """Changes to the properties of a namespace. A key may stand in one of the two members only."""

    removals: Items[str] | None = None
    """Keys of the properties to remove, each once."""
    updates: Members[str] | None = None
    """Properties to set, strings by key; a property that exists already gets the new value."""


Namespace = TypeAliasType("Namespace", Items[str])
"""A namespace of one or more levels, as the list of their names from the top; `["accounting", "tax"]`, for instance."""


PageToken = TypeAliasType("PageToken", str | None)
"""
An opaque token by which a client pages through a listing, such as listTables. It may begin by sending
the query parameter `pageToken` with an empty value.

A server that supports paging should recognize `pageToken` and, if there are more results, return
`next-page-token`. From the second request on, the value of `next-page-token` of each response must be
the `pageToken` of the next request. In the last response the server must return `next-page-token`
with the value `null`.

If a request has no `pageToken`, a server that supports paging must return all results in a single
response, with `next-page-token` set to `null`.

A server that does not support paging should ignore `pageToken` and return all results in a single
response; `next-page-token` must be left out of it.

A client must take a `next-page-token` that is `null` and one that is missing both as the end of the
listing.
"""


class TableIdentifier(WireModel):
    """Identifies a table or a view by its namespace and its name."""

    namespace: Namespace
    name: str
    """Name of the table or view inside the namespace."""


PrimitiveType = TypeAliasType("PrimitiveType", str)
"""Name of a primitive type of the Iceberg table format, with its parameters if it has any: `long`, `string`, `fixed[16]`, `decimal(10,2)`."""


ExpressionType = TypeAliasType("ExpressionType", str)
"""Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""


class TrueExpression(TaggedModel):
    """The expression that holds for every row."""

    type: Literal["true"] = "true"
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""


class FalseExpression(TaggedModel):
    """The expression that holds for no row."""

    type: Literal["false"] = "false"
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""


Reference = TypeAliasType("Reference", str)
"""A column, by its name."""


Transform = TypeAliasType("Transform", str)
"""A transform of column values: `identity`, `year`, `month`, `day`, `hour`, `bucket[256]` or `truncate[16]`, for instance. The number in brackets is the parameter of the transform."""


class PartitionField(WireModel):
    """One field of a partition spec, that is a transform of a source column under a name."""

    field_id: Annotated[int | None, Field(alias="field-id")] = None
    """ID of the partition field, unique among the partition specs of the table."""
    source_id: Annotated[int, Field(alias="source-id")]
    """Field ID of the source column."""
    name: str
    """Name of the partition field."""
    transform: Transform


class PartitionSpec(WireModel):
    """How a table is partitioned. Without fields, the table is unpartitioned."""

    spec_id: Annotated[int | None, Field(alias="spec-id")] = None
    """ID of the partition spec in the table."""
    fields: Items[PartitionField]
    """The partition fields, in order."""


SortDirection = TypeAliasType("SortDirection", Literal["asc", "desc"] | str)
"""Ascending (`asc`) or descending (`desc`)."""


NullOrder = TypeAliasType("NullOrder", Literal["nulls-first", "nulls-last"] | str)
"""Whether nulls sort before (`nulls-first`) or after (`nulls-last`) all other values."""


class SortField(SortFieldDefaults):
    """One field of a sort order, that is a transform of a source column, its direction and the place of nulls."""

    source_id: Annotated[int, Field(alias="source-id")]
    """Field ID of the source column."""
    transform: Transform
    direction: SortDirection
    null_order: Annotated[NullOrder, Field(alias="null-order")]


class SortOrder(WireModel):
    """How the rows inside a data file are sorted. Without fields, they are unsorted."""

    order_id: Annotated[int, Field(alias="order-id")]
    """ID of the sort order in the table."""
    fields: Items[SortField]
    """The sort fields, the most significant first."""


class EncryptedKey(WireModel):
    """A key of table encryption, itself encrypted."""

    key_id: Annotated[str, Field(alias="key-id")]
    """ID of the key."""
    encrypted_key_metadata: Annotated[str, Field(alias="encrypted-key-metadata")]
    """The encrypted key and its metadata, in base64."""
    encrypted_by_id: Annotated[str | None, Field(alias="encrypted-by-id")] = None
    """ID of the key by which this one is encrypted."""
    properties: Members[str] | None = None
    """Further properties of the key, strings by key."""


class Summary(Entries):
    """What made the snapshot, with figures about the change; all values are strings."""

    operation: Literal["append", "replace", "overwrite", "delete"] | str = "overwrite"
    """Kind of the change: `append` adds data files only, `replace` exchanges files without changing rows, `overwrite` adds and removes rows, `delete` removes rows."""


class Snapshot(WireModel):
    """The state of a table at one time."""

    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot, 64-bit."""
    parent_snapshot_id: Annotated[int | None, Field(alias="parent-snapshot-id")] = None
    """ID of the snapshot from which this one was made; absent if there is none."""
    sequence_number: Annotated[int | None, Field(alias="sequence-number")] = None
    """Number that orders the changes to the table; read as 0 where it is absent, as in format version 1."""
    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """When the snapshot was made, in milliseconds since 1970-01-01T00:00:00 UTC."""
    manifest_list: Annotated[str | None, Field(alias="manifest-list")] = None
    """Location of the manifest list file of the snapshot."""
    first_row_id: Annotated[int | None, Field(alias="first-row-id")] = None
    """Row ID (`_row_id`) assigned to the first row of the first data file of the first manifest; format version 3."""
    summary: Summary | None = None
    """What made the snapshot, with figures about the change; all values are strings."""
    schema_id: Annotated[int | None, Field(alias="schema-id")] = None
    """ID of the schema that was current when the snapshot was made."""
    added_rows: Annotated[int | None, Field(alias="added-rows")] = None
    """Upper bound of the number of rows that were assigned row ids; format version 3."""
    key_id: Annotated[str | None, Field(alias="key-id")] = None
    """ID of the key that encrypts the manifest list; format version 3."""
    manifests: Items[str] | None = None
    """Locations of manifest files, in place of a manifest list; format version 1."""


class SnapshotReference(TaggedModel):
    """A branch or a tag, that is a named pointer to a snapshot with rules for keeping it."""

    type: Literal["tag", "branch"] | str
    """A `branch` moves on with commits, a `tag` stays at its snapshot."""
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot that the reference points to; for a branch, its latest."""
    max_ref_age_ms: Annotated[int | None, Field(alias="max-ref-age-ms")] = None
    """Age at which the reference itself may expire, in milliseconds; not applied to the main branch."""
    max_snapshot_age_ms: Annotated[int | None, Field(alias="max-snapshot-age-ms")] = None
    """Age up to which snapshots of a branch are kept when snapshots expire, in milliseconds."""
    min_snapshots_to_keep: Annotated[int | None, Field(alias="min-snapshots-to-keep")] = None
    """Number of snapshots of a branch that are kept when snapshots expire, whatever their age."""


SnapshotReferences = TypeAliasType("SnapshotReferences", Members[SnapshotReference])
"""Branches and tags by name. The branch `main` holds the current snapshot of the table."""


class SnapshotLogItem(WireModel):
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot that became current."""
    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """When it became current, in milliseconds since 1970-01-01T00:00:00 UTC."""


SnapshotLog = TypeAliasType("SnapshotLog", Items[SnapshotLogItem])
"""The changes of the current snapshot of a table, oldest first."""


class MetadataLogItem(WireModel):
    metadata_file: Annotated[str, Field(alias="metadata-file")]
    """Location of the earlier metadata file."""
    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """When the table was last updated as of that file, in milliseconds since 1970-01-01T00:00:00 UTC."""


MetadataLog = TypeAliasType("MetadataLog", Items[MetadataLogItem])
"""Earlier metadata files of a table, oldest first."""


class SQLViewRepresentation(WireModel):
    """A view as the text of a SQL query."""

    type: str
    """Kind of the representation; `sql` for this one."""
    sql: str
    """The query, a SELECT statement."""
    dialect: str
    """SQL dialect of the query, `spark` or `trino` for instance."""


class ViewHistoryEntry(WireModel):
    """When a version of a view became current."""

    version_id: Annotated[int, Field(alias="version-id")]
    """ID of the version that became current."""
    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """When it became current, in milliseconds since 1970-01-01T00:00:00 UTC."""


class BaseUpdate(TaggedModel):
    """A change to the metadata of a table or a view."""

    action: str
    """Kind of the change."""


class AssignUUIDUpdate(BaseUpdate):
    """Assign a UUID to a table or view. This should be done only when creating it; to assign another UUID to a table or view that has one is not safe."""

    action: Literal["assign-uuid"] = "assign-uuid"
    """Kind of the change."""
    uuid: str
    """The UUID to assign."""


class UpgradeFormatVersionUpdate(BaseUpdate):
    """Move a table or view to a newer format version."""

    action: Literal["upgrade-format-version"] = "upgrade-format-version"
    """Kind of the change."""
    format_version: Annotated[int, Field(alias="format-version")]
    """The format version to move to."""


class SetCurrentSchemaUpdate(BaseUpdate):
    """Make a schema the current one."""

    action: Literal["set-current-schema"] = "set-current-schema"
    """Kind of the change."""
    schema_id: Annotated[int, Field(alias="schema-id")]
    """ID of the schema to make current, or -1 for the schema added last."""


class AddPartitionSpecUpdate(BaseUpdate):
    """Add a partition spec. It becomes the default only by a further update."""

    action: Literal["add-spec"] = "add-spec"
    """Kind of the change."""
    spec: PartitionSpec


class SetDefaultSpecUpdate(BaseUpdate):
    """Make a partition spec the default one."""

    action: Literal["set-default-spec"] = "set-default-spec"
    """Kind of the change."""
    spec_id: Annotated[int, Field(alias="spec-id")]
    """ID of the partition spec to make the default, or -1 for the one added last."""


class AddSortOrderUpdate(BaseUpdate):
    """Add a sort order. It becomes the default only by a further update."""

    action: Literal["add-sort-order"] = "add-sort-order"
    """Kind of the change."""
    sort_order: Annotated[SortOrder, Field(alias="sort-order")]


class SetDefaultSortOrderUpdate(BaseUpdate):
    """Make a sort order the default one."""

    action: Literal["set-default-sort-order"] = "set-default-sort-order"
    """Kind of the change."""
    sort_order_id: Annotated[int, Field(alias="sort-order-id")]
    """ID of the sort order to make the default, or -1 for the one added last."""


class AddSnapshotUpdate(BaseUpdate):
    """Add a snapshot. No branch or tag points to it before a further update."""

    action: Literal["add-snapshot"] = "add-snapshot"
    """Kind of the change."""
    snapshot: Snapshot


class SetSnapshotRefUpdate(BaseUpdate, SnapshotReference):
    """Create a branch or a tag, or change the one of that name."""

    action: Literal["set-snapshot-ref"] = "set-snapshot-ref"
    """Kind of the change."""
    ref_name: Annotated[str, Field(alias="ref-name")]
    """Name of the branch or tag."""


class RemoveSnapshotsUpdate(BaseUpdate):
    """Remove snapshots from the metadata."""

    action: Literal["remove-snapshots"] = "remove-snapshots"
    """Kind of the change."""
    snapshot_ids: Annotated[Items[int], Field(alias="snapshot-ids")]
    """IDs of the snapshots to remove."""


class RemoveSnapshotRefUpdate(BaseUpdate):
    """Remove a branch or a tag."""

    action: Literal["remove-snapshot-ref"] = "remove-snapshot-ref"
    """Kind of the change."""
    ref_name: Annotated[str, Field(alias="ref-name")]
    """Name of the branch or tag."""


class SetLocationUpdate(BaseUpdate):
    """Set the base location of a table or view."""

    action: Literal["set-location"] = "set-location"
    """Kind of the change."""
    location: str
    """The new location, as a URI or path."""


class SetPropertiesUpdate(BaseUpdate):
    """Set properties of a table or view."""

    action: Literal["set-properties"] = "set-properties"
    """Kind of the change."""
    updates: Members[str]
    """Properties to set, strings by key; a property that exists already gets the new value."""


class RemovePropertiesUpdate(BaseUpdate):
    """Remove properties of a table or view."""

    action: Literal["remove-properties"] = "remove-properties"
    """Kind of the change."""
    removals: Items[str]
    """Keys of the properties to remove."""


class SetCurrentViewVersionUpdate(BaseUpdate):
    """Make a version of a view the current one."""

    action: Literal["set-current-view-version"] = "set-current-view-version"
    """Kind of the change."""
    view_version_id: Annotated[int, Field(alias="view-version-id")]
    """ID of the view version to make current, or -1 for the version added last."""


class RemoveStatisticsUpdate(BaseUpdate):
    """Remove the statistics file of a snapshot from the metadata."""

    action: Literal["remove-statistics"] = "remove-statistics"
    """Kind of the change."""
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot."""


class RemovePartitionStatisticsUpdate(BaseUpdate):
    """Remove the partition statistics file of a snapshot from the metadata."""

    action: Literal["remove-partition-statistics"] = "remove-partition-statistics"
    """Kind of the change."""
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot."""


class RemovePartitionSpecsUpdate(BaseUpdate):
    """Remove partition specs from the metadata."""

    action: Literal["remove-partition-specs"] = "remove-partition-specs"
    """Kind of the change."""
    spec_ids: Annotated[Items[int], Field(alias="spec-ids")]
    """IDs of the partition specs to remove."""


class RemoveSchemasUpdate(BaseUpdate):
    """Remove schemas from the metadata."""

    action: Literal["remove-schemas"] = "remove-schemas"
    """Kind of the change."""
    schema_ids: Annotated[Items[int], Field(alias="schema-ids")]
    """IDs of the schemas to remove."""


class AddEncryptionKeyUpdate(BaseUpdate):
    """Add an encryption key."""

    action: Literal["add-encryption-key"] = "add-encryption-key"
    """Kind of the change."""
    encryption_key: Annotated[EncryptedKey, Field(alias="encryption-key")]


class RemoveEncryptionKeyUpdate(BaseUpdate):
    """Remove an encryption key."""

    action: Literal["remove-encryption-key"] = "remove-encryption-key"
    """Kind of the change."""
    key_id: Annotated[str, Field(alias="key-id")]
    """ID of the key to remove."""


class BaseTableRequirement(TaggedModel):
    """An assertion about a table that must hold for a commit to happen."""

    type: str
    """Kind of the assertion."""


class AssertCreate(BaseTableRequirement):
    """The table must not exist yet; used for transactions that create a table."""

    type: Literal["assert-create"] = "assert-create"
    """Kind of the assertion."""


class AssertTableUUID(BaseTableRequirement):
    """The UUID of the table must equal `uuid`."""

    type: Literal["assert-table-uuid"] = "assert-table-uuid"
    """Kind of the assertion."""
    uuid: str
    """The expected UUID."""


class AssertRefSnapshotId(BaseTableRequirement):
    """The branch or tag that `ref` names must reference the snapshot `snapshot-id`. The member `snapshot-id` is required; if it is `null`, the branch or tag must not exist yet."""

    type: Literal["assert-ref-snapshot-id"] = "assert-ref-snapshot-id"
    """Kind of the assertion."""
    ref: str
    """Name of the branch or tag."""
    snapshot_id: Annotated[int | None, Field(alias="snapshot-id")]
    """ID of the expected snapshot, or `null` for a reference that must not exist."""


class AssertLastAssignedFieldId(BaseTableRequirement):
    """The last column ID assigned in the table must equal `last-assigned-field-id`."""

    type: Literal["assert-last-assigned-field-id"] = "assert-last-assigned-field-id"
    """Kind of the assertion."""
    last_assigned_field_id: Annotated[int, Field(alias="last-assigned-field-id")]
    """The expected column ID."""


class AssertCurrentSchemaId(BaseTableRequirement):
    """The current schema ID of the table must equal `current-schema-id`."""

    type: Literal["assert-current-schema-id"] = "assert-current-schema-id"
    """Kind of the assertion."""
    current_schema_id: Annotated[int, Field(alias="current-schema-id")]
    """The expected schema ID."""


class AssertLastAssignedPartitionId(BaseTableRequirement):
    """The last partition ID assigned in the table must equal `last-assigned-partition-id`."""

    type: Literal["assert-last-assigned-partition-id"] = "assert-last-assigned-partition-id"
    """Kind of the assertion."""
    last_assigned_partition_id: Annotated[int, Field(alias="last-assigned-partition-id")]
    """The expected partition field ID."""


class AssertDefaultSpecId(BaseTableRequirement):
    """The default partition spec ID of the table must equal `default-spec-id`."""

    type: Literal["assert-default-spec-id"] = "assert-default-spec-id"
    """Kind of the assertion."""
    default_spec_id: Annotated[int, Field(alias="default-spec-id")]
    """The expected partition spec ID."""


class AssertDefaultSortOrderId(BaseTableRequirement):
    """The default sort order ID of the table must equal `default-sort-order-id`."""

    type: Literal["assert-default-sort-order-id"] = "assert-default-sort-order-id"
    """Kind of the assertion."""
    default_sort_order_id: Annotated[int, Field(alias="default-sort-order-id")]
    """The expected sort order ID."""


class AssertViewUUID(TaggedModel):
    """The UUID of the view must equal `uuid`."""

    type: Literal["assert-view-uuid"] = "assert-view-uuid"
    uuid: str
    """The expected UUID."""


class StorageCredential(WireModel):
    """A credential for a part of the storage."""

    prefix: str
    """Prefix of the storage locations for which the credential serves. Of several credentials of one type, clients should choose the one with the most specific, that is longest, prefix."""
    config: Members[str]
    """The credential as properties, strings by key."""


class LoadCredentialsResponse(WireModel):
    """Storage credentials for the data of a table."""

    storage_credentials: Annotated[Items[StorageCredential], Field(alias="storage-credentials")]
    """The credentials, each for its own prefix of storage locations."""


class FailedPlanningResult(TaggedModel):
    """Planning by the server has failed; the error says why."""

    error: ErrorModel
    status: Literal["failed"] = "failed"
    """State of a planning operation of the server."""


class AsyncPlanningResult(TaggedModel):
    """Planning goes on; its result is to be fetched by the plan-id."""

    status: Literal["submitted"] = "submitted"
    """State of a planning operation of the server."""
    plan_id: Annotated[str, Field(alias="plan-id")]
    """Identifies the planning request."""


class EmptyPlanningResult(TaggedModel):
    """Planning by the server goes on or was cancelled; there is no result."""

    status: Literal["submitted", "cancelled"]
    """State of a planning operation of the server."""


PlanStatus = TypeAliasType(
    "PlanStatus", Literal["completed", "submitted", "cancelled", "failed"] | str
)
"""State of a planning operation of the server."""


class RegisterTableRequest(WireModel):
    """The table to register."""

    name: str
    """Name of the table inside the namespace."""
    metadata_location: Annotated[str, Field(alias="metadata-location")]
    """Location of the metadata file of the table."""
    overwrite: bool | None = False
    """Whether the metadata of a table that exists already is overwritten; it is not by default."""


TokenType = TypeAliasType(
    "TokenType",
    Literal[
        "urn:ietf:params:oauth:token-type:access_token",
        "urn:ietf:params:oauth:token-type:refresh_token",
        "urn:ietf:params:oauth:token-type:id_token",
        "urn:ietf:params:oauth:token-type:saml1",
        "urn:ietf:params:oauth:token-type:saml2",
        "urn:ietf:params:oauth:token-type:jwt",
    ]
    | str,
)
"""Kind of a token, by its identifier in RFC 8693, section 3 (https://datatracker.ietf.org/doc/html/rfc8693#section-3)."""


class OAuthClientCredentialsRequest(WireModel):
    """A request of the OAuth2 client credentials flow (https://datatracker.ietf.org/doc/html/rfc6749#section-4.4). **Deprecated for removal** together with the endpoint getToken."""

    grant_type: Literal["client_credentials"] = "client_credentials"
    """Names the flow."""
    scope: str | None = None
    """The scope asked for, names separated by spaces."""
    client_id: str
    """ID of the client. It can be sent here in the body; OAuth2 recommends a Basic `Authorization` header instead."""
    client_secret: str
    """Secret of the client. It can be sent here in the body; OAuth2 recommends a Basic `Authorization` header instead."""


class OAuthTokenExchangeRequest(WireModel):
    """A request of the OAuth2 token exchange flow (https://datatracker.ietf.org/doc/html/rfc8693). **Deprecated for removal** together with the endpoint getToken."""

    grant_type: Literal["urn:ietf:params:oauth:grant-type:token-exchange"] = (
        "urn:ietf:params:oauth:grant-type:token-exchange"
    )
    """Names the flow."""
    scope: str | None = None
    """The scope asked for, names separated by spaces."""
    requested_token_type: TokenType | None = None
    subject_token: str
    """The token to exchange, which names the subject."""
    subject_token_type: TokenType
    actor_token: str | None = None
    """The token of the party that acts for the subject."""
    actor_token_type: TokenType | None = None


OAuthTokenRequest = TypeAliasType(
    "OAuthTokenRequest", OAuthClientCredentialsRequest | OAuthTokenExchangeRequest
)
"""A request for a token, in one of the two flows. **Deprecated for removal** together with the endpoint getToken."""


class CounterResult(WireModel):
    """A counted quantity."""

    unit: str
    """Unit of the value, `count` or `bytes` for instance."""
    value: int
    """The quantity, in the unit given."""


class TimerResult(WireModel):
    """A measured duration, summed over its occurrences."""

    time_unit: Annotated[str, Field(alias="time-unit")]
    """Unit of the duration, `nanoseconds` for instance."""
    count: int
    """Number of occurrences."""
    total_duration: Annotated[int, Field(alias="total-duration")]
    """Sum of their durations, in the unit given."""


MetricResult = TypeAliasType("MetricResult", CounterResult | TimerResult)
"""One metric, either a counter or a timer."""


Metrics = TypeAliasType("Metrics", Members[MetricResult])
"""Metrics by name. A scan has, for instance, the timer `total-planning-duration` and the counters `result-data-files` and `total-file-size-bytes`."""


class CommitReport(TaggedModel):
    """A report about a commit."""

    table_name: Annotated[str, Field(alias="table-name")]
    """Name of the table."""
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot committed."""
    sequence_number: Annotated[int, Field(alias="sequence-number")]
    """Sequence number of the snapshot committed."""
    operation: str
    """Kind of the change, as in the summary of the snapshot."""
    metrics: Metrics
    metadata: Members[str] | None = None
    """Further facts about the commit, strings by key."""


class OAuthError(WireModel):
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
    """Error code of OAuth2."""
    error_description: str | None = None
    """What went wrong, for a person to read."""
    error_uri: str | None = None
    """URI of a page about the error."""


class OAuthTokenResponse(WireModel):
    """The token of the client credentials flow or of token exchange. **Deprecated for removal** together with the endpoint getToken."""

    access_token: str
    """The access token."""
    token_type: Annotated[str, Field(pattern="^([Bb][Ee][Aa][Rr][Ee][Rr]|[Mm][Aa][Cc]|[Nn]_[Aa])$")]
    """Type of the access token, which says how to use it (https://datatracker.ietf.org/doc/html/rfc6749#section-7.1)."""
    expires_in: int | None = None
    """Lifetime of the access token, in seconds."""
    issued_token_type: TokenType | None = None
    refresh_token: str | None = None
    """The refresh token."""
    scope: str | None = None
    """Authorization scope of the token."""


class IcebergErrorResponse(WireModel):
    """The JSON wrapper of all error responses, that is of all that are not 2xx."""

    model_config = ConfigDict(
        extra="forbid",
    )
    error: ErrorModel


class CreateNamespaceResponse(WireModel):
    """The namespace that was created."""

    namespace: Namespace
    properties: OptionalMembers[str] = NO_MEMBERS
    """Properties stored on the namespace, strings by key, if the server supports them."""


class GetNamespaceResponse(WireModel):
    """A namespace with its properties."""

    namespace: Namespace
    properties: OptionalMembers[str] = NO_MEMBERS
    """Properties stored on the namespace, strings by key. A server that does not support namespace properties should return null here; one that supports them should return an empty object if none are set."""


class ListTablesResponse(WireModel):
    """Identifiers of tables or views, with the token of the next page if there is one."""

    next_page_token: Annotated[PageToken | None, Field(alias="next-page-token")] = None
    identifiers: Items[TableIdentifier] | None = None
    """The identifiers, each once."""


class ListNamespacesResponse(WireModel):
    """Namespaces, with the token of the next page if there is one."""

    next_page_token: Annotated[PageToken | None, Field(alias="next-page-token")] = None
    namespaces: Items[Namespace] | None = None
    """The namespaces, each once and with all its levels."""


class UpdateNamespacePropertiesResponse(WireModel):
    """What became of each property that the request names."""

    updated: Items[str]
    """Keys that were added or whose values were changed, each once."""
    removed: Items[str]
    """Keys that were removed."""
    missing: Items[str] | None = None
    """Keys whose removal was asked for but which the namespace did not have; a partial success. A server does not need to implement this."""


class BlobMetadata(WireModel):
    """What one blob of a statistics file holds."""

    type: str
    """Type of the blob, as Puffin names it."""
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot from which the blob was computed."""
    sequence_number: Annotated[int, Field(alias="sequence-number")]
    """Sequence number of that snapshot."""
    fields: Items[int]
    """IDs of the fields from which the blob was computed, in order."""
    properties: OptionalMembers[str] = NO_MEMBERS
    """Further properties of the blob, strings by key."""


class PartitionStatisticsFile(WireModel):
    """A file of statistics about the partitions of one snapshot."""

    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot."""
    statistics_path: Annotated[str, Field(alias="statistics-path")]
    """Location of the file."""
    file_size_in_bytes: Annotated[int, Field(alias="file-size-in-bytes")]
    """Size of the file, in bytes."""


BooleanTypeValue = TypeAliasType("BooleanTypeValue", bool)
"""A boolean."""


IntegerTypeValue = TypeAliasType("IntegerTypeValue", int)
"""A 32-bit integer."""


LongTypeValue = TypeAliasType("LongTypeValue", int)
"""A 64-bit integer."""


FloatTypeValue = TypeAliasType("FloatTypeValue", float)
"""A 32-bit floating point number."""


DoubleTypeValue = TypeAliasType("DoubleTypeValue", float)
"""A 64-bit floating point number."""


DecimalTypeValue = TypeAliasType("DecimalTypeValue", str)
"""A decimal, as a string. With a positive scale it is plain digits, `123.4500`; with scale zero `2`; with a negative scale it is in scientific notation, and the exponent is the negated scale, `2E+20`."""


StringTypeValue = TypeAliasType("StringTypeValue", str)
"""A string."""


UUIDTypeValue = TypeAliasType(
    "UUIDTypeValue",
    Annotated[
        str,
        Field(
            max_length=36,
            min_length=36,
            pattern="^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        ),
    ],
)
"""A UUID in the standard form of RFC 4122, 36 characters in lower case."""


DateTypeValue = TypeAliasType("DateTypeValue", str)
"""A date by ISO 8601, `YYYY-MM-DD`."""


TimeTypeValue = TypeAliasType("TimeTypeValue", str)
"""A time by ISO 8601 with microseconds, `HH:MM:SS.ssssss`."""


TimestampTypeValue = TypeAliasType("TimestampTypeValue", str)
"""A timestamp by ISO 8601 with microseconds, `YYYY-MM-DDTHH:MM:SS.ssssss`."""


TimestampTzTypeValue = TypeAliasType("TimestampTzTypeValue", str)
"""A timestamp by ISO 8601 with microseconds and a time zone offset, `YYYY-MM-DDTHH:MM:SS.ssssss+00:00`; the offset of UTC is `+00:00`."""


TimestampNanoTypeValue = TypeAliasType("TimestampNanoTypeValue", str)
"""A timestamp by ISO 8601 with nanoseconds, `YYYY-MM-DDTHH:MM:SS.sssssssss`."""


TimestampTzNanoTypeValue = TypeAliasType("TimestampTzNanoTypeValue", str)
"""A timestamp by ISO 8601 with nanoseconds and a time zone offset, `YYYY-MM-DDTHH:MM:SS.sssssssss+00:00`; the offset of UTC is `+00:00`."""


FixedTypeValue = TypeAliasType("FixedTypeValue", str)
"""Bytes of fixed length, two uppercase hexadecimal digits each; the fixed length is preserved."""


BinaryTypeValue = TypeAliasType("BinaryTypeValue", str)
"""Bytes, two uppercase hexadecimal digits each."""


class CountMap(WireModel):
    """A map from column IDs to numbers, as two lists in step."""

    keys: Items[IntegerTypeValue] | None = None
    """IDs of the columns, one for each value."""
    values: Items[LongTypeValue] | None = None
    """64-bit integers, each for the column ID at the same place in `keys`."""


PrimitiveTypeValue = TypeAliasType(
    "PrimitiveTypeValue",
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
    | None,
)
"""A value of a primitive type, in the form that the type prescribes."""


FileFormat = TypeAliasType("FileFormat", Literal["avro", "orc", "parquet", "puffin"] | str)
"""Format of a data or delete file."""


class ContentFile(TaggedModel):
    """A data file or a delete file, told apart by `content`."""

    content: str
    """Kind of the content."""
    file_path: Annotated[str, Field(alias="file-path")]
    """Location of the file."""
    file_format: Annotated[FileFormat, Field(alias="file-format")]
    spec_id: Annotated[int, Field(alias="spec-id")]
    """ID of the partition spec by which the file is partitioned."""
    partition: Items[PrimitiveTypeValue]
    """Values of the partition fields, in the order of the fields of the partition spec that `spec-id` names."""
    file_size_in_bytes: Annotated[int, Field(alias="file-size-in-bytes")]
    """Size of the whole file, in bytes."""
    record_count: Annotated[int, Field(alias="record-count")]
    """Number of records in the file."""
    key_metadata: Annotated[BinaryTypeValue | None, Field(alias="key-metadata")] = None
    """Metadata of the encryption key, as a blob."""
    split_offsets: Annotated[Items[int] | None, Field(alias="split-offsets")] = None
    """Offsets in bytes at which the file can be split."""
    sort_order_id: Annotated[int | None, Field(alias="sort-order-id")] = None
    """ID of the sort order by which the rows of the file are sorted."""


class PositionDeleteFile(ContentFile):
    """A delete file that names deleted rows by file and position."""

    content: Literal["position-deletes"] = "position-deletes"
    """Kind of the content."""
    content_offset: Annotated[int | None, Field(alias="content-offset")] = None
    """Where the delete content begins in the file, in bytes."""
    content_size_in_bytes: Annotated[int | None, Field(alias="content-size-in-bytes")] = None
    """Length of the delete content, in bytes; required if `content-offset` is present."""


class EqualityDeleteFile(ContentFile):
    """A delete file that names deleted rows by the values of some fields."""

    content: Literal["equality-deletes"] = "equality-deletes"
    """Kind of the content."""
    equality_ids: Annotated[Items[int] | None, Field(alias="equality-ids")] = None
    """IDs of the fields whose values are compared."""


FieldName = TypeAliasType("FieldName", str)
"""
Full name of a field, the names of its parents included, as Java's `Schema#findField(String name)`
takes it. The parts are separated by dots:

- a field in a struct follows the name of the struct's field: `employer.contact_info.address.zip_code`
- a field in a map key follows the keyword `key`: `employee_address_map.key.first_name`
- a field in a map value follows the keyword `value`: `employee_address_map.value.zip_code`
- a field in a list element follows the keyword `element`: `employees.element.first_name`
"""


PlanTask = TypeAliasType("PlanTask", str)
"""An opaque string, made by the server, that stands for a unit of work in planning a scan: it yields file scan tasks. Plan tasks let a client fetch a large result by several requests."""


class RegisterViewRequest(WireModel):
    """The view to register."""

    name: str
    """Name of the view in the namespace."""
    metadata_location: Annotated[str, Field(alias="metadata-location")]
    """Location of the metadata file of the view."""


HeadersByName = TypeAliasType("HeadersByName", Members[Items[str]])
"""Headers of a request by their names, each with all of its values."""


class RemoteSignRequest(WireModel):
    """A request to the storage that is to be signed."""

    region: str
    """Region of the storage."""
    uri: str
    """URI of the request."""
    method: Literal["PUT", "GET", "HEAD", "POST", "DELETE", "PATCH", "OPTIONS"] | str
    """Method of the request."""
    headers: HeadersByName
    properties: Members[str] | None = None
    """Further properties of the client, strings by key."""
    body: str | None = None
    """
    Body of the request, only where its content has to be looked at before it is signed, as when several objects are
    deleted at once.
    """
    provider: str | None = None
    """The storage that the request goes to, by the scheme of its URIs, such as `s3`, which is meant if it is absent."""


class RemoteSignResult(WireModel):
    """The request as it is to be sent."""

    uri: str
    """URI to send the request to."""
    headers: HeadersByName


CatalogObjectIdentifier = TypeAliasType("CatalogObjectIdentifier", Items[str])
"""
Names an object of the catalog by its levels, the outermost first. The kind of object is known from where the identifier
stands.
"""


class ListFunctionsResponse(WireModel):
    """Identifiers of functions, with the token of the next page if there is one."""

    next_page_token: Annotated[PageToken | None, Field(alias="next-page-token")] = None
    identifiers: Items[CatalogObjectIdentifier] | None = None
    """The identifiers, each once."""


class FunctionSQLRepresentation(WireModel):
    """An implementation as an SQL expression."""

    type: Literal["sql"] = "sql"
    dialect: str
    """Name of the SQL dialect, such as `spark` or `trino`."""
    sql: str
    """Text of the expression."""


class FunctionDefinitionVersionRef(WireModel):
    """A version of a definition, by its ids."""

    definition_id: Annotated[str, Field(alias="definition-id")]
    """ID of the definition."""
    version_id: Annotated[int, Field(alias="version-id")]
    """ID of the version."""


class TypedLiteral(WireModel):
    """A literal as an object."""

    type: Literal["literal"] = "literal"
    value: PrimitiveTypeValue
    data_type: Annotated[PrimitiveType | None, Field(alias="data-type")] = None


class TypedLiterals(WireModel):
    """Literals of one type as an object."""

    type: Literal["literals"] = "literals"
    values: Items[PrimitiveTypeValue]
    """The values."""
    data_type: Annotated[PrimitiveType, Field(alias="data-type")]


class IdReference(WireModel):
    """A column by its field id."""

    type: Literal["reference"] = "reference"
    id: int
    """ID of the field."""


class NamedReference(WireModel):
    """A column by its name."""

    type: Literal["reference"] = "reference"
    name: str
    """Name of the column."""


Function = TypeAliasType("Function", Annotated[str, Field(min_length=1)])
"""The function, by a name, by an identifier in this catalog, or by an identifier in another one."""


class FunctionReference(WireModel):
    """A function, perhaps of another catalog."""

    catalog: str | None = None
    """Name of the catalog."""
    identifier: CatalogObjectIdentifier


class RemoteSigningConfig(WireModel):
    """
    Settings of clients that let the server sign requests to the storage. If a table has them, clients should use them instead
    of `signer.uri` and `signer.endpoint` in its `config`, which are deprecated. If neither is there, clients should ask the
    operation signRequest of this catalog.
    """

    properties: Members[str] | None = None
    """Properties, strings by key, that the client must pass on unchanged in `properties` of every RemoteSignRequest."""
    headers: Members[Items[str]] | None = None
    """Headers that the client must include unchanged in every request to the signing endpoint."""


VariantType = TypeAliasType("VariantType", Literal["variant"])
"""The type of values whose structure each row brings; format version 3."""


TableRequirement = TypeAliasType(
    "TableRequirement",
    Annotated[
        AssertCreate
        | AssertTableUUID
        | AssertRefSnapshotId
        | AssertLastAssignedFieldId
        | AssertCurrentSchemaId
        | AssertLastAssignedPartitionId
        | AssertDefaultSpecId
        | AssertDefaultSortOrderId,
        Field(discriminator="type"),
    ],
)
"""The conditions under which a commit to a table is applied."""


class CommitReportRequest(CommitReport):
    report_type: Annotated[Literal["commit-report"], Field(alias="report-type")] = "commit-report"


BooleanExpression = TypeAliasType("BooleanExpression", bool)
"""An expression that is always true or always false."""


class OAuthServerError(WireModel):
    """An error of the token endpoint that is not the client's."""

    error: str
    error_description: str | None = None
    error_uri: str | None = None


class UnknownViewRepresentation(WireModel):
    """A view in a form that this version of the contract does not describe."""

    type: str
    """Kind of the representation."""


class CreateNamespaceRequest(WireModel):
    """The namespace to create."""

    namespace: Namespace
    properties: OptionalMembers[str] = NO_MEMBERS
    """Properties to store for the namespace, strings by key; none by default."""


class RenameTableRequest(WireModel):
    """The identifier of a table or view as it is (`source`) and as it is to be (`destination`)."""

    source: TableIdentifier
    destination: TableIdentifier


class TransformTerm(WireModel):
    """A transform applied to a column; the expression tests the result."""

    type: Literal["transform"] = "transform"
    transform: Transform
    term: Reference


ViewRepresentation = TypeAliasType(
    "ViewRepresentation", SQLViewRepresentation | UnknownViewRepresentation
)
"""One way to express a view. SQL is the only kind so far."""


class ViewVersion(WireModel):
    """One version of a view. Table names in its representations that name no namespace are resolved in `default-namespace`."""

    version_id: Annotated[int, Field(alias="version-id")]
    """ID of the version in the view."""
    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """When the version was made, in milliseconds since 1970-01-01T00:00:00 UTC."""
    schema_id: Annotated[int, Field(alias="schema-id")]
    """ID of the schema of the version; in a request, -1 means the schema added last."""
    summary: OptionalMembers[str] = NO_MEMBERS
    """What made the version, such as engine and engine version; strings by key."""
    representations: Items[ViewRepresentation]
    """The representations of the view, all of the same meaning."""
    default_catalog: Annotated[str | None, Field(alias="default-catalog")] = None
    """Catalog in which names of the representations are resolved that name no catalog."""
    default_namespace: Annotated[Namespace, Field(alias="default-namespace")]


class AddViewVersionUpdate(BaseUpdate):
    """Add a version to a view. It becomes the current one only by a further update."""

    action: Literal["add-view-version"] = "add-view-version"
    """Kind of the change."""
    view_version: Annotated[ViewVersion, Field(alias="view-version")]


class SetPartitionStatisticsUpdate(BaseUpdate):
    """Set the partition statistics file of a snapshot, in place of the one it has."""

    action: Literal["set-partition-statistics"] = "set-partition-statistics"
    """Kind of the change."""
    partition_statistics: Annotated[PartitionStatisticsFile, Field(alias="partition-statistics")]


ViewRequirement = TypeAliasType(
    "ViewRequirement", Annotated[AssertViewUUID, Field(discriminator="type")]
)
"""An assertion about a view that must hold for a commit to happen."""


class StatisticsFile(WireModel):
    """A file of statistics about one snapshot, in the Puffin format."""

    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot."""
    statistics_path: Annotated[str, Field(alias="statistics-path")]
    """Location of the file."""
    file_size_in_bytes: Annotated[int, Field(alias="file-size-in-bytes")]
    """Size of the file, in bytes."""
    file_footer_size_in_bytes: Annotated[int, Field(alias="file-footer-size-in-bytes")]
    """Size of the footer of the file, in bytes."""
    blob_metadata: Annotated[Items[BlobMetadata], Field(alias="blob-metadata")]
    """What the blobs of the file hold, one entry for each."""


class ValueMap(WireModel):
    """A map from column IDs to values, as two lists in step."""

    keys: Items[IntegerTypeValue] | None = None
    """IDs of the columns, one for each value."""
    values: Items[PrimitiveTypeValue] | None = None
    """Values of primitive types, each for the column ID at the same place in `keys`."""


class DataFile(ContentFile):
    """A file of rows."""

    content: Literal["data"] = "data"
    """Kind of the content."""
    first_row_id: Annotated[int | None, Field(alias="first-row-id")] = None
    """Row ID assigned to the first row of the file."""
    column_sizes: Annotated[CountMap | None, Field(alias="column-sizes")] = None
    """By column ID, a total for the column. The original calls it a count that includes null and NaN, which describes `value-counts`; column sizes of the table format are bytes."""
    value_counts: Annotated[CountMap | None, Field(alias="value-counts")] = None
    """By column ID, the number of values. The original repeats the text of `null-value-counts` here; value counts of the table format include null and NaN."""
    null_value_counts: Annotated[CountMap | None, Field(alias="null-value-counts")] = None
    """By column ID, the number of null values."""
    nan_value_counts: Annotated[CountMap | None, Field(alias="nan-value-counts")] = None
    """By column ID, the number of NaN values."""
    lower_bounds: Annotated[ValueMap | None, Field(alias="lower-bounds")] = None
    """By column ID, a lower bound of the values, as a value of the primitive type of the column."""
    upper_bounds: Annotated[ValueMap | None, Field(alias="upper-bounds")] = None
    """By column ID, an upper bound of the values, as a value of the primitive type of the column."""


DeleteFile = TypeAliasType(
    "DeleteFile",
    Annotated[PositionDeleteFile | EqualityDeleteFile, Field(discriminator="content")],
)
"""A delete file, either of positions or of equality."""


class FetchScanTasksRequest(WireModel):
    """The plan task to exchange for its scan tasks."""

    plan_task: Annotated[PlanTask, Field(alias="plan-task")]


FunctionRepresentation = TypeAliasType("FunctionRepresentation", FunctionSQLRepresentation)
"""One implementation of a version."""


class FunctionDefinitionLogEntry(WireModel):
    """The versions of the definitions from one moment on."""

    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """The moment, in milliseconds since the epoch."""
    definition_versions: Annotated[
        Items[FunctionDefinitionVersionRef], Field(alias="definition-versions")
    ]
    """The version of each definition."""


LiteralValue = TypeAliasType("LiteralValue", PrimitiveTypeValue | TypedLiteral)
"""A literal, bare or as an object that may name its type."""


LiteralValues = TypeAliasType("LiteralValues", Items[LiteralValue] | TypedLiterals)
"""Literals, as a bare array or as an object that names the type of all."""


FieldReference = TypeAliasType("FieldReference", IdReference | NamedReference)
"""A column, by its id or by its name; the context decides which form is valid."""


Term = TypeAliasType("Term", Reference | TransformTerm)
"""What an expression tests, that is a column or a transform of one."""


class SetStatisticsUpdate(BaseUpdate):
    """Set the statistics file of a snapshot, in place of the one it has."""

    action: Literal["set-statistics"] = "set-statistics"
    """Kind of the change."""
    snapshot_id: Annotated[int | None, Field(alias="snapshot-id", deprecated=True)] = None
    """ID of the snapshot. Optional and **deprecated for removal**, since it is redundant: clients should use `statistics.snapshot-id` instead."""
    statistics: StatisticsFile


class FunctionDefinitionVersion(WireModel):
    """One version of a definition."""

    version_id: Annotated[int, Field(alias="version-id")]
    """ID of the version; later versions have greater ones."""
    representations: Items[FunctionRepresentation]
    """Implementations of the version."""
    deterministic: bool | None = False
    """Whether equal arguments give equal results."""
    on_null_input: Annotated[
        Literal["return-null", "call"] | str | None, Field(alias="on-null-input")
    ] = "call"
    """Whether a null among the arguments is returned as null, or the function is called."""
    timestamp_ms: Annotated[int, Field(alias="timestamp-ms")]
    """Creation time of the version, in milliseconds since the epoch."""


class StructField(WireModel):
    """One field of a struct. `initial-default` is the value that the field has in rows written before it was added; `write-default` is the value it gets in rows written by a writer that supplies none."""

    id: int
    """ID of the field, unique in the table's schemas; it stays when the field is renamed or moved."""
    name: str
    """Name of the field."""
    type: Type
    required: bool
    """Whether every row has a value for the field; otherwise it may be null."""
    doc: str | None = None
    """Documentation of the field for people."""
    initial_default: Annotated[Any | None, Field(alias="initial-default")] = None
    """Value of the field in rows that were written before it was added."""
    write_default: Annotated[Any | None, Field(alias="write-default")] = None
    """Value of the field in rows whose writer supplies none."""


class StructType(TaggedModel):
    """A struct, that is a list of named and typed fields."""

    type: Literal["struct"] = "struct"
    fields: Items[StructField]
    """The fields, in order."""


class ListType(TaggedModel):
    """A list with elements of one type."""

    type: Literal["list"] = "list"
    element_id: Annotated[int, Field(alias="element-id")]
    """Field ID of the element."""
    element: Type
    element_required: Annotated[bool, Field(alias="element-required")]
    """Whether every element has a value; otherwise an element may be null."""


class MapType(TaggedModel):
    """A map from keys of one type to values of another. Keys are never null."""

    type: Literal["map"] = "map"
    key_id: Annotated[int, Field(alias="key-id")]
    """Field ID of the key."""
    key: Type
    value_id: Annotated[int, Field(alias="value-id")]
    """Field ID of the value."""
    value: Type
    value_required: Annotated[bool, Field(alias="value-required")]
    """Whether every key has a value; otherwise a value may be null."""


Type = TypeAliasType("Type", Union[PrimitiveType, "NestedType"])
"""A data type. Primitive types are written as a string, nested types as an object."""


Expression = TypeAliasType("Expression", Union[BooleanExpression, "TypedExpression"])
"""A predicate over the rows of a table, as a tree. A node is a constant, a combination of expressions, or a test of a term."""


class AndOrExpression(TaggedModel):
    """Both expressions hold (`and`), or at least one of them does (`or`)."""

    type: Literal["and", "or"]
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""
    left: Expression
    right: Expression


class NotExpression(TaggedModel):
    """The child expression does not hold."""

    type: Literal["not"] = "not"
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""
    child: Expression


class UnaryExpression(TaggedModel):
    """The term is null or not, or is NaN or not."""

    type: Literal["is-null", "not-null", "is-nan", "not-nan"]
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""
    term: Term | None = None
    child: ValueExpression | None = None


class LiteralExpression(TaggedModel):
    """The term compares with the value as the type says."""

    type: Literal["lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq", "starts-with", "not-starts-with"]
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""
    term: Term | None = None
    value: LiteralValue | None = None
    left: ValueExpression | None = None
    right: ValueExpression | None = None


class SetExpression(TaggedModel):
    """The term is one of the values (`in`), or none of them (`not-in`)."""

    type: Literal["in", "not-in"]
    """Kind of an expression: `true`, `false`, `eq`, `and`, `or`, `not`, `in`, `not-in`, `lt`, `lt-eq`, `gt`, `gt-eq`, `not-eq`, `starts-with`, `not-starts-with`, `is-null`, `not-null`, `is-nan` or `not-nan`."""
    term: Term | None = None
    values: LiteralValues
    child: ValueExpression | None = None


class TableMetadata(CurrentParts):
    """The metadata of a table, as its metadata JSON file holds it. `refs` names its branches and tags, `snapshot-log` the snapshots that were current, `metadata-log` its earlier metadata files."""

    format_version: Annotated[int, Field(alias="format-version", ge=1, le=3)]
    """Version of the table format, 1 to 3."""
    table_uuid: Annotated[str, Field(alias="table-uuid")]
    """UUID of the table; it stays the same for the life of the table."""
    location: str
    """Base location of the table, as a URI or path."""
    last_updated_ms: Annotated[int, Field(alias="last-updated-ms")]
    """When the table was last changed, in milliseconds since 1970-01-01T00:00:00 UTC."""
    next_row_id: Annotated[int | None, Field(alias="next-row-id")] = None
    """A number higher than every row ID assigned so far; the next snapshot takes it as its `first-row-id`."""
    properties: OptionalMembers[str] = NO_MEMBERS
    """Properties of the table, strings by key."""
    schemas: Items[Schema]
    """All schemas that the table keeps."""
    current_schema_id: Annotated[int, Field(alias="current-schema-id")]
    """ID of the current schema."""
    last_column_id: Annotated[int, Field(alias="last-column-id")]
    """Highest column ID assigned so far, over all schemas."""
    partition_specs: Annotated[Items[PartitionSpec], Field(alias="partition-specs")]
    """All partition specs that the table keeps."""
    default_spec_id: Annotated[int, Field(alias="default-spec-id")]
    """ID of the partition spec that writers use by default."""
    last_partition_id: Annotated[int, Field(alias="last-partition-id")]
    """Highest partition field ID assigned so far, over all partition specs."""
    sort_orders: Annotated[Items[SortOrder], Field(alias="sort-orders")]
    """All sort orders that the table keeps."""
    default_sort_order_id: Annotated[int, Field(alias="default-sort-order-id")]
    """ID of the sort order that writers use by default; 0 is unsorted."""
    encryption_keys: Annotated[OptionalItems[EncryptedKey], Field(alias="encryption-keys")] = (
        NO_ITEMS
    )
    """Encrypted keys that the table uses."""
    snapshots: OptionalItems[Snapshot] = NO_ITEMS
    """The snapshots that are valid, that is whose data files all exist still."""
    refs: OptionalMembers[SnapshotReference] = NO_MEMBERS
    current_snapshot_id: Annotated[int | None, Field(alias="current-snapshot-id")] = None
    """ID of the current snapshot, where the main branch points."""
    last_sequence_number: Annotated[int, Field(alias="last-sequence-number")]
    """Highest sequence number assigned so far."""
    snapshot_log: Annotated[OptionalItems[SnapshotLogItem], Field(alias="snapshot-log")] = NO_ITEMS
    metadata_log: Annotated[OptionalItems[MetadataLogItem], Field(alias="metadata-log")] = NO_ITEMS
    statistics: OptionalItems[StatisticsFile] = NO_ITEMS
    """Statistics files, at most one for each snapshot."""
    partition_statistics: Annotated[
        OptionalItems[PartitionStatisticsFile], Field(alias="partition-statistics")
    ] = NO_ITEMS
    """Partition statistics files, at most one for each snapshot."""
    schema_: Annotated[Schema | None, Field(alias="schema")] = None
    """The schema of a table of format version 1; deprecated in favour of `schemas`."""
    partition_spec: Annotated[Items[PartitionField] | None, Field(alias="partition-spec")] = None
    """The partition fields of a table of format version 1; deprecated in favour of `partition-specs`."""


class ViewMetadata(WireModel):
    """The metadata of a view, as its metadata JSON file holds it."""

    view_uuid: Annotated[str, Field(alias="view-uuid")]
    """UUID of the view; it stays the same for the life of the view."""
    format_version: Annotated[int, Field(alias="format-version", ge=1, le=1)]
    """Version of the view format; 1."""
    location: str
    """Base location of the view, as a URI or path."""
    current_version_id: Annotated[int, Field(alias="current-version-id")]
    """ID of the current version."""
    versions: Items[ViewVersion]
    """All versions that the view keeps."""
    version_log: Annotated[Items[ViewHistoryEntry], Field(alias="version-log")]
    """The changes of the current version, oldest first."""
    schemas: Items[Schema]
    """All schemas that the view keeps."""
    properties: OptionalMembers[str] = NO_MEMBERS
    """Properties of the view, strings by key."""


class AddSchemaUpdate(BaseUpdate):
    """Add a schema. It becomes the current one only by a further update."""

    action: Literal["add-schema"] = "add-schema"
    """Kind of the change."""
    schema_: Annotated[Schema, Field(alias="schema")]
    last_column_id: Annotated[int | None, Field(alias="last-column-id", deprecated=True)] = None
    """The highest column ID assigned in the table, by which columns of evolving schemas always get an unused ID. Left out, the server computes it. Optional and **deprecated for removal**: handled by the server alone it is safer, and clients should not be exposed to it."""


TableUpdate = TypeAliasType(
    "TableUpdate",
    Annotated[
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
        | RemovePartitionStatisticsUpdate,
        Field(discriminator="action"),
    ],
)
"""A change to the metadata of a table."""


ViewUpdate = TypeAliasType(
    "ViewUpdate",
    Annotated[
        AssignUUIDUpdate
        | UpgradeFormatVersionUpdate
        | AddSchemaUpdate
        | SetLocationUpdate
        | SetPropertiesUpdate
        | RemovePropertiesUpdate
        | AddViewVersionUpdate
        | SetCurrentViewVersionUpdate,
        Field(discriminator="action"),
    ],
)
"""A change to the metadata of a view."""


class LoadTableResult(WireModel):
    """
    A table that was loaded, created, staged or registered.

    `metadata` is the table metadata JSON. `metadata-location` should be the location of its file, unless
    the metadata is not committed yet; a transaction that creates a table, for instance, may return staged
    metadata. Once the table is created, clients can see whether the metadata has changed by comparing
    metadata locations.

    `config` is configuration for the resources of this table, including its HTTP client and FileIO; it
    may, for instance, name the FileIO class that the storage of the table needs.

    Clients should respect these keys of `config` in general:

    - `token`: bearer token to use for requests on the table, if OAuth2 security is enabled

    For tables in AWS S3 they should respect these as well:

    - `client.region`: region of the client that calls AWS
    - `s3.access-key-id`: ID of the credentials for the data in S3
    - `s3.secret-access-key`: secret of the credentials for the data in S3
    - `s3.session-token`: the session token to use, if present
    - `s3.remote-signing-enabled`: if `true`, requests should be signed remotely, as the specification
      `s3-signer-open-api.yaml` describes
    - `s3.cross-region-access-enabled`: if `true`, buckets in other regions are accessible

    Credentials for ADLS, GCS, S3 and other storage are provided in `storage-credentials`. Clients must
    look for the credentials they need there first, and only then in `config`.
    """

    metadata_location: Annotated[str | None, Field(alias="metadata-location")] = None
    """Location of the metadata file; null is possible while the table is only staged in a transaction."""
    metadata: TableMetadata
    config: OptionalMembers[str] = NO_MEMBERS
    """Configuration for this table, strings by key."""
    storage_credentials: Annotated[
        OptionalItems[StorageCredential], Field(alias="storage-credentials")
    ] = NO_ITEMS
    """Credentials for the storage of the table, each for its own prefix of locations."""
    remote_signing_config: Annotated[
        RemoteSigningConfig | None, Field(alias="remote-signing-config")
    ] = None


class ScanTasks(TaggedModel):
    """
    Tasks of a scan that the server plans.

    Each plan task must be passed to fetchScanTasks, which returns the file scan tasks it stands for. The
    delete files must include every delete file that the file scan tasks reference.
    """

    delete_files: Annotated[Items[DeleteFile] | None, Field(alias="delete-files")] = None
    """The delete files that the file scan tasks reference, by their place in this list."""
    file_scan_tasks: Annotated[Items[FileScanTask] | None, Field(alias="file-scan-tasks")] = None
    """File scan tasks of the table scan, all of them or a part."""
    plan_tasks: Annotated[Items[PlanTask] | None, Field(alias="plan-tasks")] = None
    """Opaque units of planning work that are still to be fetched."""


FetchPlanningResult = TypeAliasType(
    "FetchPlanningResult",
    Annotated[
        Union["CompletedPlanningResult", FailedPlanningResult, EmptyPlanningResult],
        Field(discriminator="status"),
    ],
)
"""What fetchPlanningResult answers, told apart by `status`."""


PlanTableScanResult = TypeAliasType(
    "PlanTableScanResult",
    Annotated[
        Union["CompletedPlanningWithIDResult", FailedPlanningResult, AsyncPlanningResult],
        Field(discriminator="status"),
    ],
)
"""What planTableScan answers, told apart by `status`."""


class CommitTableRequest(WireModel):
    """Changes to a table, and what must hold for them to be made."""

    identifier: TableIdentifier | None = None
    """The table to change; must be present inside a CommitTransactionRequest."""
    requirements: Items[TableRequirement]
    """Assertions that are validated before any change is attempted."""
    updates: Items[TableUpdate]
    """Changes to make, in this order."""


class CommitViewRequest(WireModel):
    """Changes to a view, and what must hold for them to be made."""

    identifier: TableIdentifier | None = None
    """The view to change."""
    requirements: Items[ViewRequirement] | None = None
    """Assertions that are validated before any change is attempted."""
    updates: Items[ViewUpdate]
    """Changes to make, in this order."""


class CommitTransactionRequest(WireModel):
    """Changes to several tables, to be made atomically."""

    table_changes: Annotated[Items[CommitTableRequest], Field(alias="table-changes")]
    """The changes, one entry for each table."""


class CreateTableRequest(WireModel):
    """The table to create. `partition-spec` and `write-order` are optional; without them the table is unpartitioned and unsorted."""

    name: str
    """Name of the table inside the namespace."""
    location: str | None = None
    """Base location of the table, as a URI or path; left out, the server chooses it."""
    schema_: Annotated[Schema, Field(alias="schema")]
    partition_spec: Annotated[PartitionSpec | None, Field(alias="partition-spec")] = None
    write_order: Annotated[SortOrder | None, Field(alias="write-order")] = None
    stage_create: Annotated[bool | None, Field(alias="stage-create")] = None
    """Whether the creation is only staged, that is metadata initialized and returned for a later commit, instead of made at once."""
    properties: Members[str] | None = None
    """Properties of the table, strings by key."""


class CreateViewRequest(WireModel):
    """The view to create."""

    name: str
    """Name of the view inside the namespace."""
    location: str | None = None
    """Base location of the view, as a URI or path; left out, the server chooses it."""
    schema_: Annotated[Schema, Field(alias="schema")]
    view_version: Annotated[ViewVersion, Field(alias="view-version")]
    """The version to create. Its `schema-id` is replaced by the ID that the schema of this request is assigned."""
    properties: Members[str] | None = None
    """Properties of the view, strings by key."""


class LoadViewResult(WireModel):
    """
    A view that was loaded, created or changed.

    `metadata` is the view metadata JSON, `metadata-location` the location of its file. Once the view is
    created, clients can see whether the metadata has changed by comparing metadata locations.

    `config` is configuration for the resources of this view. Clients should respect these keys of it:

    - `token`: bearer token to use for requests on the view, if OAuth2 security is enabled
    """

    metadata_location: Annotated[str, Field(alias="metadata-location")]
    """Location of the metadata file."""
    metadata: ViewMetadata
    config: OptionalMembers[str] = NO_MEMBERS
    """Configuration for this view, strings by key."""


ReportMetricsRequest = TypeAliasType(
    "ReportMetricsRequest",
    Annotated[
        Union["ScanReportRequest", CommitReportRequest],
        Field(discriminator="report_type"),
    ],
)
"""A report on a scan or on a commit."""


class ScanReport(TaggedModel):
    """A report about a scan. `filter` is the filter of the scan."""

    table_name: Annotated[str, Field(alias="table-name")]
    """Name of the table."""
    snapshot_id: Annotated[int, Field(alias="snapshot-id")]
    """ID of the snapshot scanned."""
    filter: Expression
    schema_id: Annotated[int, Field(alias="schema-id")]
    """ID of the schema of the scan."""
    projected_field_ids: Annotated[Items[int], Field(alias="projected-field-ids")]
    """IDs of the fields projected."""
    projected_field_names: Annotated[Items[str], Field(alias="projected-field-names")]
    """Names of the fields projected."""
    metrics: Metrics
    metadata: Members[str] | None = None
    """Further facts about the scan, strings by key."""


class CommitTableResponse(WireModel):
    """The table after the commit."""

    metadata_location: Annotated[str, Field(alias="metadata-location")]
    """Location of the new metadata file."""
    metadata: TableMetadata


class PlanTableScanRequest(WireModel):
    """The scan to plan, of one snapshot or of the changes between two."""

    snapshot_id: Annotated[int | None, Field(alias="snapshot-id")] = None
    """ID of the snapshot to scan, for a point-in-time scan."""
    select: Items[FieldName] | None = None
    """Names of the fields to read."""
    filter: Expression | None = None
    """Only rows for which this expression holds are wanted."""
    case_sensitive: Annotated[bool | None, Field(alias="case-sensitive")] = True
    """Whether letter case counts where `filter` and `select` name fields; it does by default."""
    use_snapshot_schema: Annotated[bool | None, Field(alias="use-snapshot-schema")] = False
    """Whether to use the schema that was current when the snapshot was written, instead of that of the table. It should be true when travelling in time and false when scanning a branch."""
    start_snapshot_id: Annotated[int | None, Field(alias="start-snapshot-id")] = None
    """ID of the snapshot after which an incremental scan begins (exclusive)."""
    end_snapshot_id: Annotated[int | None, Field(alias="end-snapshot-id")] = None
    """ID of the snapshot with which an incremental scan ends (inclusive). Required if `start-snapshot-id` is given."""
    stats_fields: Annotated[Items[FieldName] | None, Field(alias="stats-fields")] = None
    """Names of the fields whose column statistics the service should send."""
    min_rows_requested: Annotated[int | None, Field(alias="min-rows-requested")] = None
    """How many rows the client wants at least. A hint: the server may plan for more, and there may be fewer."""


class FileScanTask(WireModel):
    """A data file to read, with the delete files to apply and the filter that remains."""

    data_file: Annotated[DataFile, Field(alias="data-file")]
    delete_file_references: Annotated[Items[int] | None, Field(alias="delete-file-references")] = (
        None
    )
    """Places in the list `delete-files` of the delete files that apply, counted from 0."""
    residual_filter: Annotated[Expression | None, Field(alias="residual-filter")] = None
    """Filter still to be applied to the rows of this task. Optional; if it is not present, the client must derive the residual itself or use the original filter."""


class LoadFunctionResult(WireModel):
    """A function that was loaded, with the location of its metadata file if there is one."""

    metadata_location: Annotated[str | None, Field(alias="metadata-location")] = None
    """Location of the metadata file."""
    metadata: FunctionMetadata


class FunctionMetadata(WireModel):
    """Everything that a catalog keeps about a function of users; it stands alone in its file."""

    function_uuid: Annotated[str, Field(alias="function-uuid")]
    """Identifies the function; made once, when the function is created."""
    format_version: Annotated[int, Field(alias="format-version")]
    """Version of the specification of functions."""
    definitions: Items[FunctionDefinition]
    """The definitions, one for each list of parameter types."""
    definition_log: Annotated[Items[FunctionDefinitionLogEntry], Field(alias="definition-log")]
    """The versions that the definitions had, in the order of time."""
    location: str | None = None
    """Base location of the function, below which metadata files are written."""
    properties: Members[str] | None = None
    """Properties of the function, strings by key."""
    secure: bool | None = False
    """Whether the function is secure."""
    doc: str | None = None
    """Documentation of the function."""


class FunctionDefinition(WireModel):
    """The implementations of a function for one list of parameter types."""

    definition_id: Annotated[str, Field(alias="definition-id")]
    """The types of the parameters, comma-separated and without spaces."""
    specific_name: Annotated[str | None, Field(alias="specific-name")] = None
    """A name for this definition that users choose; it must be unique among the definitions of the function."""
    parameters: Items[FunctionParameter]
    """The parameters; they must be given in this order when the function is invoked."""
    return_type: Annotated[FunctionDataType, Field(alias="return-type")]
    return_nullable: Annotated[bool | None, Field(alias="return-nullable")] = True
    """Hint whether the result may be null."""
    versions: Items[FunctionDefinitionVersion]
    """The implementations of this definition, by version."""
    current_version_id: Annotated[int, Field(alias="current-version-id")]
    """ID of the version that counts."""
    function_type: Annotated[Literal["udf", "udtf"] | str, Field(alias="function-type")]
    """Whether the function returns a value (`udf`) or a table (`udtf`), whose `return-type` must be a struct of its columns."""
    doc: str | None = None
    """Documentation of the definition."""


class FunctionParameter(WireModel):
    """One parameter of a function."""

    type: FunctionDataType
    name: str
    """Name of the parameter."""
    doc: str | None = None
    """Documentation of the parameter."""


FunctionDataType = TypeAliasType(
    "FunctionDataType",
    Union[
        str,
        "FunctionListType",
        "FunctionMapType",
        "FunctionStructType",
    ],
)
"""
The type of a parameter or result. Types without parts are written as a string as in the table format; the string must not
contain spaces or quotes. Nested types are objects; they require fewer members than those of a schema, and further members
must be ignored.
"""


class FunctionListType(WireModel):
    """A list of values of one type."""

    type: Literal["list"] = "list"
    element: FunctionDataType


class FunctionMapType(WireModel):
    """A map from keys of one type to values of another."""

    type: Literal["map"] = "map"
    key: FunctionDataType
    value: FunctionDataType


class FunctionStructType(WireModel):
    """A struct of named fields."""

    type: Literal["struct"] = "struct"
    fields: Items[FunctionStructField]
    """The fields in their order."""


class FunctionStructField(WireModel):
    """One field of a struct."""

    name: str
    """Name of the field."""
    type: FunctionDataType


class UnregisterTableResult(WireModel):
    """The last metadata of a table that the catalog no longer tracks, and the location of its file."""

    metadata_location: Annotated[str, Field(alias="metadata-location")]
    """Location of the last metadata file of the table."""
    metadata: TableMetadata


ValueExpression = TypeAliasType("ValueExpression", Union[LiteralValue, FieldReference, "Apply"])
"""A value, that is a literal, a column or the result of a function."""


class Apply(WireModel):
    """The result of a function for its arguments."""

    type: Literal["apply"] = "apply"
    function: Function | CatalogObjectIdentifier | FunctionReference
    """The function, by a name, by an identifier in this catalog, or by an identifier in another one."""
    arguments: Items[FunctionArgument]
    """The arguments in their order."""


FunctionArgument = TypeAliasType("FunctionArgument", ValueExpression | Expression)
"""An argument of a function, that is a value or an expression."""


TypedExpression = TypeAliasType(
    "TypedExpression",
    Annotated[
        TrueExpression
        | FalseExpression
        | AndOrExpression
        | NotExpression
        | SetExpression
        | LiteralExpression
        | UnaryExpression,
        Field(discriminator="type"),
    ],
)
"""An expression whose type says what it is."""


NestedType = TypeAliasType(
    "NestedType",
    Annotated[StructType | ListType | MapType, Field(discriminator="type")],
)
"""A struct, list or map."""


class Schema(StructType):
    """A schema of a table or a view, that is a struct with an ID of its own."""

    schema_id: Annotated[int | None, Field(alias="schema-id")] = None
    """ID of the schema among the schemas of the table or view."""
    identifier_field_ids: Annotated[Items[int] | None, Field(alias="identifier-field-ids")] = None
    """IDs of the fields that together identify a row."""


class CompletedPlanningResult(ScanTasks):
    """Planning by the server is complete; its tasks are here."""

    status: Literal["completed"] = "completed"
    """State of a planning operation of the server."""
    storage_credentials: Annotated[
        Items[StorageCredential] | None, Field(alias="storage-credentials")
    ] = None
    """Credentials for the files of the tasks. If there are any, clients are expected to read the files with them."""


class FetchScanTasksResult(ScanTasks):
    """What fetchScanTasks answers."""


class ScanReportRequest(ScanReport):
    report_type: Annotated[Literal["scan-report"], Field(alias="report-type")] = "scan-report"


class CompletedPlanningWithIDResult(CompletedPlanningResult):
    """A completed planning result that may name the planning request."""

    plan_id: Annotated[str | None, Field(alias="plan-id")] = None
    """Identifies the planning request."""
    status: Literal["completed"] = "completed"
