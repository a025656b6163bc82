# Made by datamodel-code-generator 0.89.0 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""The JSON documents of the contract, for type checkers alone: import this module for annotations."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union


class Error(TypedDict, total=False):
    """What went wrong."""

    errorCode: str
    message: str


Version: TypeAlias = int


Timestamp: TypeAlias = str


Milliseconds: TypeAlias = int


AccessMode: TypeAlias = Literal["url", "dir"] | str


Properties: TypeAlias = dict[str, str]
"""Names with text values."""


class Share(TypedDict, total=False):
    """A group of schemas that is shared as one."""

    name: str
    id: str
    displayName: str
    comment: str
    properties: Properties


class SharedSchema(TypedDict, total=False):
    """A group of tables in a share."""

    name: str
    share: str


AccessModes: TypeAlias = list[AccessMode]
"""How the data of a table can be reached; url alone where nothing is said."""


class ListSharesResponse(TypedDict, total=False):
    """A page of shares."""

    items: list[Share]
    nextPageToken: str


class GetShareResponse(TypedDict, total=False):
    """One share."""

    share: Share


class ListSchemasResponse(TypedDict, total=False):
    """A page of schemas."""

    items: list[SharedSchema]
    nextPageToken: str


class QueryTableRequest(TypedDict, total=False):
    """What to read of a table."""

    predicateHints: list[str]
    jsonPredicateHints: str
    limitHint: int
    version: Version
    timestamp: Timestamp
    startingVersion: Version
    endingVersion: Version
    includeHistoricalProtocol: bool
    idempotencyKey: str
    includeRefreshToken: bool
    refreshToken: str
    maxFiles: int
    pageToken: str


ValueType: TypeAlias = (
    Literal["bool", "int", "long", "string", "date", "float", "double", "timestamp"] | str
)


class TemporaryTableCredentialsRequest(TypedDict, total=False):
    """Which directory to read."""

    location: str


class AwsTempCredentials(TypedDict, total=False):
    """Temporary keys for an S3-compatible store."""

    accessKeyId: str
    secretAccessKey: str
    sessionToken: str


class AzureUserDelegationSas(TypedDict, total=False):
    """A signature for Azure storage."""

    sasToken: str


class GcpOauthToken(TypedDict, total=False):
    """A token for Google Cloud storage."""

    oauthToken: str


class EndStreamAction(TypedDict, total=False):
    """The end of an answer, for clients that want to know it."""

    refreshToken: str
    nextPageToken: str
    minUrlExpirationTimestamp: Milliseconds
    errorMessage: str


class ParquetProtocol(TypedDict, total=False):
    """What a client has to understand to read the table."""

    minReaderVersion: int


class Format(TypedDict, total=False):
    """How the files are written."""

    provider: Literal["parquet"]


PartitionValues: TypeAlias = dict[str, str | None]
"""The value of each partition column as text; null where it is null."""


class ParquetFile(TypedDict, total=False):
    """A file of the table."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    stats: str
    version: Version
    timestamp: Milliseconds
    expirationTimestamp: Milliseconds


class ParquetAdd(TypedDict, total=False):
    """A file that a version added."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    timestamp: Milliseconds
    version: Version
    stats: str
    expirationTimestamp: Milliseconds


class ParquetCdf(TypedDict, total=False):
    """A file with the rows that a version changed."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    timestamp: Milliseconds
    version: Version
    expirationTimestamp: Milliseconds


class ParquetRemove(TypedDict, total=False):
    """A file that a version removed."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    timestamp: Milliseconds
    version: Version
    expirationTimestamp: Milliseconds


class DeltaProtocolAction(TypedDict, total=False):
    """What a reader of the log has to understand."""

    minReaderVersion: int
    minWriterVersion: int | None
    readerFeatures: list[str] | None
    writerFeatures: list[str] | None


class DeltaFormat(TypedDict, total=False):
    """How the files are written, as the log says it."""

    provider: str
    options: Properties


class DeltaCdcAction(TypedDict, total=False):
    """A file with changed rows."""

    path: str
    partitionValues: PartitionValues
    size: int
    dataChange: bool | None


class DeletionVector(TypedDict, total=False):
    """The rows of a file that are deleted."""

    storageType: str
    pathOrInlineDv: str
    offset: int | None
    sizeInBytes: int
    cardinality: int


PrimitiveType: TypeAlias = str


class FileStatistics(TypedDict, total=False):
    """What is known of the rows of a file."""

    numRecords: int
    nullCount: dict[str, Any]
    minValues: dict[str, Any]
    maxValues: dict[str, Any]


class Profile(TypedDict, total=False):
    """The file that tells a recipient where to read and as whom."""

    shareCredentialsVersion: int
    endpoint: str
    bearerToken: str
    expirationTime: Timestamp


class QueryStatus(TypedDict, total=False):
    """How far a query has come that is run in the background."""

    queryId: str
    status: Literal["pending", "failed"] | str


class GetQueryInfoRequest(TypedDict, total=False):
    """Which part of the answer to a query is wanted."""

    maxFiles: int
    pageToken: str


class SharedTable(TypedDict, total=False):
    """A table in a schema of a share."""

    name: str
    schema: str
    share: str
    id: str
    shareId: str
    location: str
    auxiliaryLocations: list[str]
    accessModes: AccessModes


class ListTablesResponse(TypedDict, total=False):
    """A page of tables."""

    items: list[SharedTable]
    nextPageToken: str


class JsonPredicate(TypedDict, total=False):
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
    children: list[JsonPredicate]
    name: str
    value: str
    valueType: ValueType


class TemporaryCredentials(TypedDict, total=False):
    """Credentials that read one directory for a while; exactly one of the three kinds is there."""

    location: str
    awsTempCredentials: AwsTempCredentials | None
    azureUserDelegationSas: AzureUserDelegationSas | None
    gcpOauthToken: GcpOauthToken | None
    expirationTime: Milliseconds


class EndStreamLine(TypedDict, total=False):
    """The last line of an answer, for clients that want to know its end."""

    endStreamAction: EndStreamAction


class ParquetProtocolLine(TypedDict, total=False):
    """The first line of an answer in parquet format."""

    protocol: ParquetProtocol


class ParquetMetadata(TypedDict, total=False):
    """What the table is."""

    id: str
    name: str
    description: str
    location: str
    auxiliaryLocations: list[str]
    accessModes: AccessModes
    format: Format
    schemaString: str
    partitionColumns: list[str]
    configuration: Properties
    version: Version
    size: int
    numFiles: int


class ParquetFileLine(TypedDict, total=False):
    """A file of the table, in an answer to a snapshot query in parquet format."""

    file: ParquetFile


class ParquetAddLine(TypedDict, total=False):
    """A file that a version added, in an answer with changes in parquet format."""

    add: ParquetAdd


class ParquetCdfLine(TypedDict, total=False):
    """A file with the rows that a version changed, in an answer with changes in parquet format."""

    cdf: ParquetCdf


class ParquetRemoveLine(TypedDict, total=False):
    """A file that a version removed, in an answer with changes in parquet format."""

    remove: ParquetRemove


class DeltaProtocol(TypedDict, total=False):
    """The protocol action of the table's log."""

    deltaProtocol: DeltaProtocolAction
    version: Version


class DeltaMetadataAction(TypedDict, total=False):
    """What the table is, as its log says it."""

    id: str
    name: str | None
    description: str | None
    format: DeltaFormat
    schemaString: str
    partitionColumns: list[str]
    createdTime: int | None
    configuration: Properties


class DeltaAddAction(TypedDict, total=False):
    """A file that belongs to the table."""

    path: str
    partitionValues: PartitionValues
    size: int
    modificationTime: Milliseconds | None
    dataChange: bool | None
    stats: str | None
    deletionVector: DeletionVector | None
    baseRowId: int | None
    defaultRowCommitVersion: int | None


class DeltaRemoveAction(TypedDict, total=False):
    """A file that belongs to the table no more."""

    path: str
    deletionTimestamp: Milliseconds | None
    dataChange: bool | None
    extendedFileMetadata: bool | None
    partitionValues: PartitionValues | None
    size: int | None
    stats: str | None
    deletionVector: DeletionVector | None
    baseRowId: int | None
    defaultRowCommitVersion: int | None


class QueryStatusLine(TypedDict, total=False):
    queryStatus: QueryStatus


class TemporaryTableCredentialsResponse(TypedDict, total=False):
    """Credentials for a directory."""

    credentials: TemporaryCredentials


class ParquetMetadataLine(TypedDict, total=False):
    """The second line of an answer in parquet format, or a later one with earlier metadata."""

    metaData: ParquetMetadata


class DeltaProtocolLine(TypedDict, total=False):
    """The first line of an answer in delta format."""

    protocol: DeltaProtocol


class DeltaMetadata(TypedDict, total=False):
    """The metadata action of the table's log, and what is said of the table beside it."""

    deltaMetadata: DeltaMetadataAction
    version: Version
    size: int
    numFiles: int
    location: str
    auxiliaryLocations: list[str]
    accessModes: AccessModes


class DeltaSingleAction(TypedDict, total=False):
    """One action; exactly one of the three is there."""

    add: DeltaAddAction
    remove: DeltaRemoveAction
    cdc: DeltaCdcAction


ParquetLine: TypeAlias = (
    ParquetFileLine
    | ParquetAddLine
    | ParquetCdfLine
    | ParquetRemoveLine
    | ParquetProtocolLine
    | ParquetMetadataLine
    | EndStreamLine
    | QueryStatusLine
)


class DeltaMetadataLine(TypedDict, total=False):
    """The second line of an answer in delta format, or a later one with earlier metadata."""

    metaData: DeltaMetadata


class DeltaFile(TypedDict, total=False):
    """An action of the table's log about a file, with signed URLs in place of paths."""

    id: str
    deletionVectorFileId: str
    version: Version
    timestamp: Milliseconds
    expirationTimestamp: Milliseconds
    deltaSingleAction: DeltaSingleAction


class DeltaFileLine(TypedDict, total=False):
    """An action about a file, in an answer in delta format."""

    file: DeltaFile


ResponseLine: TypeAlias = (
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
    | QueryStatusLine
)


DeltaLine: TypeAlias = (
    DeltaFileLine | DeltaProtocolLine | DeltaMetadataLine | EndStreamLine | QueryStatusLine
)


class TableSchema(TypedDict, total=False):
    """The columns of a table or of a struct."""

    type: Literal["struct"]
    fields: list[TableField]


class TableField(TypedDict, total=False):
    """One column."""

    name: str
    type: TableType
    nullable: bool
    metadata: dict[str, Any]


TableType: TypeAlias = Union[PrimitiveType, TableSchema, "ArrayType", "MapType"]


class ArrayType(TypedDict, total=False):
    """Any number of values of one type."""

    type: Literal["array"]
    elementType: TableType
    containsNull: bool


class MapType(TypedDict, total=False):
    """Values of one type by keys of one type."""

    type: Literal["map"]
    keyType: TableType
    valueType: TableType
    valueContainsNull: bool
