# Made by datamodel-code-generator 0.89.0 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
# An alternative narrows the tag that it has from the common part, which pyright does not allow of what can be assigned.
# pyright: reportIncompatibleVariableOverride=false
"""The JSON documents of the contract, one class or alias for each of its schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import Field
from typing_extensions import TypeAliasType

from lakepact.generated.items import (
    Items,
    Members,
)
from lakepact.generated.wire import WireModel


class Error(WireModel):
    """What went wrong."""

    error_code: Annotated[str, Field(alias="errorCode")]
    """The server's code of the error."""
    message: str
    """What went wrong, for people."""


Version = TypeAliasType("Version", Annotated[int, Field(ge=0)])
"""A version of a table."""


Timestamp = TypeAliasType("Timestamp", str)
"""A time in ISO 8601, UTC, such as 2022-01-01T00:00:00Z."""


Milliseconds = TypeAliasType("Milliseconds", int)
"""A time in milliseconds since 1970."""


AccessMode = TypeAliasType("AccessMode", Literal["url", "dir"] | str)
"""How the data of a table is reached, by signed URLs of its files or by credentials of its directory."""


Properties = TypeAliasType("Properties", Members[str])
"""Names with text values."""


class Share(WireModel):
    """A group of schemas that is shared as one."""

    name: str
    """What the share is called, in one spelling of it."""
    id: str | None = None
    """Names the share for ever, unlike any other share of the server."""
    display_name: Annotated[str | None, Field(alias="displayName")] = None
    """What the share is called where people see it, of at most 255 characters."""
    comment: str | None = None
    """What the provider says of the share, of at most 65536 characters."""
    properties: Properties | None = None


class SharedSchema(WireModel):
    """A group of tables in a share."""

    name: str
    """What the schema is called within its share."""
    share: str
    """Name of the share that it belongs to."""


AccessModes = TypeAliasType("AccessModes", Annotated[Items[AccessMode], Field(min_length=1)])
"""How the data of a table can be reached; url alone where nothing is said."""


class ListSharesResponse(WireModel):
    """A page of shares."""

    items: Items[Share] | None = None
    """The shares of this page; missing or empty if there are none."""
    next_page_token: Annotated[str | None, Field(alias="nextPageToken")] = None
    """Leads to the next page; missing or empty on the last one."""


class GetShareResponse(WireModel):
    """One share."""

    share: Share


class ListSchemasResponse(WireModel):
    """A page of schemas."""

    items: Items[SharedSchema] | None = None
    """The schemas of this page; missing or empty if there are none."""
    next_page_token: Annotated[str | None, Field(alias="nextPageToken")] = None
    """Leads to the next page; missing or empty on the last one."""


class QueryTableRequest(WireModel):
    """What to read of a table."""

    predicate_hints: Annotated[Items[str] | None, Field(alias="predicateHints")] = None
    """SQL predicates, all of which the wanted rows satisfy; the server may leave out files without such rows."""
    json_predicate_hints: Annotated[str | None, Field(alias="jsonPredicateHints")] = None
    """A JsonPredicate as JSON text; the server may leave out files without rows that satisfy it."""
    limit_hint: Annotated[int | None, Field(alias="limitHint")] = None
    """How many rows the client wants; the server may leave out files beyond that."""
    version: Version | None = None
    timestamp: Timestamp | None = None
    starting_version: Annotated[Version | None, Field(alias="startingVersion")] = None
    ending_version: Annotated[Version | None, Field(alias="endingVersion")] = None
    include_historical_protocol: Annotated[
        bool | None, Field(alias="includeHistoricalProtocol")
    ] = None
    """Whether protocols that changed since startingVersion are answered too, in delta format."""
    idempotency_key: Annotated[str | None, Field(alias="idempotencyKey")] = None
    """Names a query that is run in the background, so that sending it again does not run it again."""
    include_refresh_token: Annotated[bool | None, Field(alias="includeRefreshToken")] = None
    refresh_token: Annotated[str | None, Field(alias="refreshToken")] = None
    max_files: Annotated[int | None, Field(alias="maxFiles", ge=1)] = None
    page_token: Annotated[str | None, Field(alias="pageToken")] = None


ValueType = TypeAliasType(
    "ValueType",
    Literal["bool", "int", "long", "string", "date", "float", "double", "timestamp"] | str,
)
"""The type in which a column or a constant is compared."""


class TemporaryTableCredentialsRequest(WireModel):
    """Which directory to read."""

    location: str | None = None
    """The table's main location or one of its auxiliary ones."""


class AwsTempCredentials(WireModel):
    """Temporary keys for an S3-compatible store."""

    access_key_id: Annotated[str, Field(alias="accessKeyId")]
    """Names the key."""
    secret_access_key: Annotated[str, Field(alias="secretAccessKey")]
    """Signs requests."""
    session_token: Annotated[str, Field(alias="sessionToken")]
    """Goes with each signed request."""


class AzureUserDelegationSas(WireModel):
    """A signature for Azure storage."""

    sas_token: Annotated[str, Field(alias="sasToken")]
    """Goes with each request, as its query."""


class GcpOauthToken(WireModel):
    """A token for Google Cloud storage."""

    oauth_token: Annotated[str, Field(alias="oauthToken")]
    """Goes with each request, as a bearer token."""


class EndStreamAction(WireModel):
    """The end of an answer, for clients that want to know it."""

    refresh_token: Annotated[str | None, Field(alias="refreshToken")] = None
    """Asks for the same files with new URLs."""
    next_page_token: Annotated[str | None, Field(alias="nextPageToken")] = None
    """Asks for the next page of the answer."""
    min_url_expiration_timestamp: Annotated[
        Milliseconds | None, Field(alias="minUrlExpirationTimestamp")
    ] = None
    error_message: Annotated[str | None, Field(alias="errorMessage")] = None
    """Why the answer is not whole."""


class ParquetProtocol(WireModel):
    """What a client has to understand to read the table."""

    min_reader_version: Annotated[int, Field(alias="minReaderVersion")]
    """The least version of the protocol that a client has to know; 1 so far."""


class Format(WireModel):
    """How the files are written."""

    provider: Literal["parquet"] = "parquet"
    """What writes and reads the files."""


PartitionValues = TypeAliasType("PartitionValues", Members[str | None])
"""The value of each partition column as text; null where it is null."""


class ParquetFile(WireModel):
    """A file of the table."""

    url: str
    """Where the file is read, without the bearer token."""
    id: str
    """Names the file for ever."""
    partition_values: Annotated[PartitionValues, Field(alias="partitionValues")]
    size: int
    """Bytes of the file."""
    stats: str | None = None
    """FileStatistics as JSON text."""
    version: Version | None = None
    timestamp: Milliseconds | None = None
    expiration_timestamp: Annotated[Milliseconds | None, Field(alias="expirationTimestamp")] = None


class ParquetAdd(WireModel):
    """A file that a version added."""

    url: str
    """Where the file is read, without the bearer token."""
    id: str
    """Names the file for ever."""
    partition_values: Annotated[PartitionValues, Field(alias="partitionValues")]
    size: int
    """Bytes of the file."""
    timestamp: Milliseconds
    version: Version
    stats: str | None = None
    """FileStatistics as JSON text."""
    expiration_timestamp: Annotated[Milliseconds | None, Field(alias="expirationTimestamp")] = None


class ParquetCdf(WireModel):
    """A file with the rows that a version changed."""

    url: str
    """Where the file is read, without the bearer token."""
    id: str
    """Names the file for ever."""
    partition_values: Annotated[PartitionValues, Field(alias="partitionValues")]
    size: int
    """Bytes of the file."""
    timestamp: Milliseconds
    version: Version
    expiration_timestamp: Annotated[Milliseconds | None, Field(alias="expirationTimestamp")] = None


class ParquetRemove(WireModel):
    """A file that a version removed."""

    url: str
    """Where the file can still be read, without the bearer token."""
    id: str
    """Names the file for ever, as its add line did."""
    partition_values: Annotated[PartitionValues, Field(alias="partitionValues")]
    size: int
    """Bytes of the file."""
    timestamp: Milliseconds
    version: Version
    expiration_timestamp: Annotated[Milliseconds | None, Field(alias="expirationTimestamp")] = None


class DeltaProtocolAction(WireModel):
    """What a reader of the log has to understand."""

    min_reader_version: Annotated[int, Field(alias="minReaderVersion")]
    """The least version of Delta's protocol that a reader has to know."""
    min_writer_version: Annotated[int | None, Field(alias="minWriterVersion")] = None
    """The least version of Delta's protocol that a writer has to know."""
    reader_features: Annotated[Items[str] | None, Field(alias="readerFeatures")] = None
    """What a reader has to know besides, from reader version 3 on."""
    writer_features: Annotated[Items[str] | None, Field(alias="writerFeatures")] = None
    """What a writer has to know besides, from writer version 7 on."""


class DeltaFormat(WireModel):
    """How the files are written, as the log says it."""

    provider: str
    """What writes and reads the files."""
    options: Properties | None = None


class DeltaCdcAction(WireModel):
    """A file with changed rows."""

    path: str
    """A signed URL."""
    partition_values: Annotated[PartitionValues, Field(alias="partitionValues")]
    size: int
    """Bytes of the file."""
    data_change: Annotated[bool | None, Field(alias="dataChange")] = None
    """Whether the rows of the table changed by it, which they never did."""


class DeletionVector(WireModel):
    """The rows of a file that are deleted."""

    storage_type: Annotated[str, Field(alias="storageType")]
    """u for a file beside the table, i for the vector itself, p for a path, which here is a signed URL."""
    path_or_inline_dv: Annotated[str, Field(alias="pathOrInlineDv")]
    """The vector itself in Base85, or where its file is."""
    offset: int | None = None
    """Where the vector begins in its file, in bytes."""
    size_in_bytes: Annotated[int, Field(alias="sizeInBytes")]
    """Bytes of the vector."""
    cardinality: int
    """How many rows are deleted."""


PrimitiveType = TypeAliasType(
    "PrimitiveType",
    Annotated[
        str,
        Field(
            pattern="^(string|long|integer|short|byte|float|double|boolean|binary|date|timestamp|decimal\\((?:[1-9]|[12][0-9]|3[0-8]),\\s?(?:[0-9]|[12][0-9]|3[0-8])\\))$"
        ),
    ],
)
"""A type without parts."""


class FileStatistics(WireModel):
    """What is known of the rows of a file."""

    num_records: Annotated[int | None, Field(alias="numRecords")] = None
    """How many rows the file holds."""
    null_count: Annotated[Members[Any] | None, Field(alias="nullCount")] = None
    """How many nulls each column holds, in the shape of the schema."""
    min_values: Annotated[Members[Any] | None, Field(alias="minValues")] = None
    """A value that no value of each column is below, in the shape of the schema."""
    max_values: Annotated[Members[Any] | None, Field(alias="maxValues")] = None
    """A value that no value of each column is above, in the shape of the schema."""


class Profile(WireModel):
    """The file that tells a recipient where to read and as whom."""

    share_credentials_version: Annotated[int, Field(alias="shareCredentialsVersion")]
    """The version of this format, which is 1."""
    endpoint: str
    """Where the server is; it may end with a slash."""
    bearer_token: Annotated[str, Field(alias="bearerToken")]
    """Says who the recipient is, with every request."""
    expiration_time: Annotated[Timestamp | None, Field(alias="expirationTime")] = None


class QueryStatus(WireModel):
    """How far a query has come that is run in the background."""

    query_id: Annotated[str, Field(alias="queryId")]
    """Names the query, to ask after it."""
    status: Literal["pending", "failed"] | str


class GetQueryInfoRequest(WireModel):
    """Which part of the answer to a query is wanted."""

    max_files: Annotated[int | None, Field(alias="maxFiles", ge=1)] = None
    """The most files to answer in one page."""
    page_token: Annotated[str | None, Field(alias="pageToken")] = None
    """The nextPageToken of the page before."""


class SharedTable(WireModel):
    """A table in a schema of a share."""

    name: str
    """What the table is called within its schema."""
    schema_: Annotated[str, Field(alias="schema")]
    """Name of the schema that it belongs to."""
    share: str
    """Name of the share that it belongs to."""
    id: str | None = None
    """Names the table for ever, unlike any other table of the share."""
    share_id: Annotated[str | None, Field(alias="shareId")] = None
    """The id of the share that it belongs to."""
    location: str | None = None
    """The directory that holds the table's log; there where access mode dir is."""
    auxiliary_locations: Annotated[Items[str] | None, Field(alias="auxiliaryLocations")] = None
    """Further directories that hold files of the table."""
    access_modes: Annotated[AccessModes | None, Field(alias="accessModes")] = None


class ListTablesResponse(WireModel):
    """A page of tables."""

    items: Items[SharedTable] | None = None
    """The tables of this page; missing or empty if there are none."""
    next_page_token: Annotated[str | None, Field(alias="nextPageToken")] = None
    """Leads to the next page; missing or empty on the last one."""


class JsonPredicate(WireModel):
    """A predicate as a tree of operations."""

    op: (
        Literal[
            "column",
            "literal",
            "isNull",
            "equal",
            "lessThan",
            "lessThanOrEqual",
            "greaterThan",
            "greaterThanOrEqual",
            "and",
            "or",
            "not",
        ]
        | str
    )
    """What is done."""
    children: Items[JsonPredicate] | None = None
    """What it is done to; none for a column and a literal."""
    name: str | None = None
    """Name of a column."""
    value: str | None = None
    """A constant, as text."""
    value_type: Annotated[ValueType | None, Field(alias="valueType")] = None


class TemporaryCredentials(WireModel):
    """Credentials that read one directory for a while; exactly one of the three kinds is there."""

    location: str
    """The directory that may be read."""
    aws_temp_credentials: Annotated[
        AwsTempCredentials | None, Field(alias="awsTempCredentials")
    ] = None
    azure_user_delegation_sas: Annotated[
        AzureUserDelegationSas | None, Field(alias="azureUserDelegationSas")
    ] = None
    gcp_oauth_token: Annotated[GcpOauthToken | None, Field(alias="gcpOauthToken")] = None
    expiration_time: Annotated[Milliseconds, Field(alias="expirationTime")]


class EndStreamLine(WireModel):
    """The last line of an answer, for clients that want to know its end."""

    end_stream_action: Annotated[EndStreamAction, Field(alias="endStreamAction")]


class ParquetProtocolLine(WireModel):
    """The first line of an answer in parquet format."""

    protocol: ParquetProtocol


class ParquetMetadata(WireModel):
    """What the table is."""

    id: str
    """Names the table for ever."""
    name: str | None = None
    """What the provider calls the table."""
    description: str | None = None
    """What the provider says of the table."""
    location: str | None = None
    """The directory that holds the table's log; there where access mode dir is."""
    auxiliary_locations: Annotated[Items[str] | None, Field(alias="auxiliaryLocations")] = None
    """Further directories that hold files of the table."""
    access_modes: Annotated[AccessModes | None, Field(alias="accessModes")] = None
    format: Format
    schema_string: Annotated[str, Field(alias="schemaString")]
    """The schema, a TableSchema as JSON text."""
    partition_columns: Annotated[Items[str], Field(alias="partitionColumns")]
    """Names of the columns that divide the table into partitions."""
    configuration: Properties | None = None
    version: Version | None = None
    size: int | None = None
    """Bytes of all files."""
    num_files: Annotated[int | None, Field(alias="numFiles")] = None
    """How many files the table has."""


class ParquetFileLine(WireModel):
    """A file of the table, in an answer to a snapshot query in parquet format."""

    file: ParquetFile


class ParquetAddLine(WireModel):
    """A file that a version added, in an answer with changes in parquet format."""

    add: ParquetAdd


class ParquetCdfLine(WireModel):
    """A file with the rows that a version changed, in an answer with changes in parquet format."""

    cdf: ParquetCdf


class ParquetRemoveLine(WireModel):
    """A file that a version removed, in an answer with changes in parquet format."""

    remove: ParquetRemove


class DeltaProtocol(WireModel):
    """The protocol action of the table's log."""

    delta_protocol: Annotated[DeltaProtocolAction, Field(alias="deltaProtocol")]
    version: Version | None = None


class DeltaMetadataAction(WireModel):
    """What the table is, as its log says it."""

    id: str
    """Names the table for ever."""
    name: str | None = None
    """What the provider calls the table."""
    description: str | None = None
    """What the provider says of the table."""
    format: DeltaFormat
    schema_string: Annotated[str, Field(alias="schemaString")]
    """The schema, a TableSchema as JSON text."""
    partition_columns: Annotated[Items[str], Field(alias="partitionColumns")]
    """Names of the columns that divide the table into partitions."""
    created_time: Annotated[int | None, Field(alias="createdTime")] = None
    """When the table was made, in milliseconds since 1970."""
    configuration: Properties | None = None


class DeltaAddAction(WireModel):
    """A file that belongs to the table."""

    path: str
    """A signed URL."""
    partition_values: Annotated[PartitionValues, Field(alias="partitionValues")]
    size: int
    """Bytes of the file."""
    modification_time: Annotated[Milliseconds | None, Field(alias="modificationTime")] = None
    data_change: Annotated[bool | None, Field(alias="dataChange")] = None
    """Whether the rows of the table changed by it."""
    stats: str | None = None
    """FileStatistics as JSON text."""
    deletion_vector: Annotated[DeletionVector | None, Field(alias="deletionVector")] = None
    base_row_id: Annotated[int | None, Field(alias="baseRowId")] = None
    """Where the ids of the file's rows begin, if rows are tracked."""
    default_row_commit_version: Annotated[int | None, Field(alias="defaultRowCommitVersion")] = None
    """The version that the file's rows came with, if rows are tracked."""


class DeltaRemoveAction(WireModel):
    """A file that belongs to the table no more."""

    path: str
    """A signed URL."""
    deletion_timestamp: Annotated[Milliseconds | None, Field(alias="deletionTimestamp")] = None
    data_change: Annotated[bool | None, Field(alias="dataChange")] = None
    """Whether the rows of the table changed by it."""
    extended_file_metadata: Annotated[bool | None, Field(alias="extendedFileMetadata")] = None
    """Whether partition values and size are there."""
    partition_values: Annotated[PartitionValues | None, Field(alias="partitionValues")] = None
    size: int | None = None
    """Bytes of the file."""
    stats: str | None = None
    """FileStatistics as JSON text."""
    deletion_vector: Annotated[DeletionVector | None, Field(alias="deletionVector")] = None
    base_row_id: Annotated[int | None, Field(alias="baseRowId")] = None
    """Where the ids of the file's rows begin, if rows are tracked."""
    default_row_commit_version: Annotated[int | None, Field(alias="defaultRowCommitVersion")] = None
    """The version that the file's rows came with, if rows are tracked."""


class QueryStatusLine(WireModel):
    query_status: Annotated[QueryStatus, Field(alias="queryStatus")]


class TemporaryTableCredentialsResponse(WireModel):
    """Credentials for a directory."""

    credentials: TemporaryCredentials


class ParquetMetadataLine(WireModel):
    """The second line of an answer in parquet format, or a later one with earlier metadata."""

    meta_data: Annotated[ParquetMetadata, Field(alias="metaData")]


class DeltaProtocolLine(WireModel):
    """The first line of an answer in delta format."""

    protocol: DeltaProtocol


class DeltaMetadata(WireModel):
    """The metadata action of the table's log, and what is said of the table beside it."""

    delta_metadata: Annotated[DeltaMetadataAction, Field(alias="deltaMetadata")]
    version: Version | None = None
    size: int | None = None
    """Bytes of all files."""
    num_files: Annotated[int | None, Field(alias="numFiles")] = None
    """How many files the table has."""
    location: str | None = None
    """The directory that holds the table's log; there where access mode dir is."""
    auxiliary_locations: Annotated[Items[str] | None, Field(alias="auxiliaryLocations")] = None
    """Further directories that hold files of the table."""
    access_modes: Annotated[AccessModes | None, Field(alias="accessModes")] = None


class DeltaSingleAction(WireModel):
    """One action; exactly one of the three is there."""

    add: DeltaAddAction | None = None
    remove: DeltaRemoveAction | None = None
    cdc: DeltaCdcAction | None = None


ParquetLine = TypeAliasType(
    "ParquetLine",
    ParquetFileLine
    | ParquetAddLine
    | ParquetCdfLine
    | ParquetRemoveLine
    | ParquetProtocolLine
    | ParquetMetadataLine
    | EndStreamLine
    | QueryStatusLine,
)
"""One line of an answer in parquet format."""


class DeltaMetadataLine(WireModel):
    """The second line of an answer in delta format, or a later one with earlier metadata."""

    meta_data: Annotated[DeltaMetadata, Field(alias="metaData")]


class DeltaFile(WireModel):
    """An action of the table's log about a file, with signed URLs in place of paths."""

    id: str
    """Names the file for ever."""
    deletion_vector_file_id: Annotated[str | None, Field(alias="deletionVectorFileId")] = None
    """Names the file of the deletion vector for ever."""
    version: Version | None = None
    timestamp: Milliseconds | None = None
    expiration_timestamp: Annotated[Milliseconds | None, Field(alias="expirationTimestamp")] = None
    delta_single_action: Annotated[DeltaSingleAction, Field(alias="deltaSingleAction")]


class DeltaFileLine(WireModel):
    """An action about a file, in an answer in delta format."""

    file: DeltaFile


ResponseLine = TypeAliasType(
    "ResponseLine",
    ParquetFileLine
    | ParquetAddLine
    | ParquetCdfLine
    | ParquetRemoveLine
    | ParquetProtocolLine
    | ParquetMetadataLine
    | DeltaFileLine
    | DeltaProtocolLine
    | DeltaMetadataLine
    | EndStreamLine
    | QueryStatusLine,
)
"""One line of an answer about a table, in either format."""


DeltaLine = TypeAliasType(
    "DeltaLine",
    DeltaFileLine | DeltaProtocolLine | DeltaMetadataLine | EndStreamLine | QueryStatusLine,
)
"""One line of an answer in delta format."""


class TableSchema(WireModel):
    """The columns of a table or of a struct."""

    type: Literal["struct"] = "struct"
    """Tells it from other types."""
    fields: Items[TableField]
    """The columns, in their order."""


class TableField(WireModel):
    """One column."""

    name: str
    """What the column is called."""
    type: TableType
    nullable: bool
    """Whether values may be null."""
    metadata: Members[Any]
    """What is said of the column; its comment stands under comment."""


TableType = TypeAliasType("TableType", Union[PrimitiveType, TableSchema, "ArrayType", "MapType"])
"""The type of a column, the name of a primitive one or a nested one."""


class ArrayType(WireModel):
    """Any number of values of one type."""

    type: Literal["array"] = "array"
    """Tells it from other types."""
    element_type: Annotated[TableType, Field(alias="elementType")]
    contains_null: Annotated[bool, Field(alias="containsNull")]
    """Whether values may be null."""


class MapType(WireModel):
    """Values of one type by keys of one type."""

    type: Literal["map"] = "map"
    """Tells it from other types."""
    key_type: Annotated[TableType, Field(alias="keyType")]
    value_type: Annotated[TableType, Field(alias="valueType")]
    value_contains_null: Annotated[bool, Field(alias="valueContainsNull")]
    """Whether values may be null."""
