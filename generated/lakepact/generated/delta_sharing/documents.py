# Made by datamodel-code-generator 0.89.0 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""The JSON documents of the contract as they are written, for type checkers alone: import this module for annotations."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union


class Error(TypedDict):
    """What went wrong."""

    errorCode: str
    message: str


Version: TypeAlias = int


Timestamp: TypeAlias = str


Milliseconds: TypeAlias = int


AccessMode: TypeAlias = Literal["url", "dir"] | str


Properties: TypeAlias = dict[str, str]
"""Names with text values."""


class Share(TypedDict):
    """A group of schemas that is shared as one."""

    name: str
    id: NotRequired[str]
    displayName: NotRequired[str]
    comment: NotRequired[str]
    properties: NotRequired[Properties]


class SharedSchema(TypedDict):
    """A group of tables in a share."""

    name: str
    share: str


AccessModes: TypeAlias = list[AccessMode]
"""How the data of a table can be reached; url alone where nothing is said."""


class ListSharesResponse(TypedDict):
    """A page of shares."""

    items: NotRequired[list[Share]]
    nextPageToken: NotRequired[str]


class GetShareResponse(TypedDict):
    """One share."""

    share: Share


class ListSchemasResponse(TypedDict):
    """A page of schemas."""

    items: NotRequired[list[SharedSchema]]
    nextPageToken: NotRequired[str]


class QueryTableRequest(TypedDict):
    """What to read of a table."""

    predicateHints: NotRequired[list[str]]
    jsonPredicateHints: NotRequired[str]
    limitHint: NotRequired[int]
    version: NotRequired[Version]
    timestamp: NotRequired[Timestamp]
    startingVersion: NotRequired[Version]
    endingVersion: NotRequired[Version]
    includeHistoricalProtocol: NotRequired[bool]
    idempotencyKey: NotRequired[str]
    includeRefreshToken: NotRequired[bool]
    refreshToken: NotRequired[str]
    maxFiles: NotRequired[int]
    pageToken: NotRequired[str]


ValueType: TypeAlias = Literal["bool", "int", "long", "string", "date", "float", "double", "timestamp"] | str


class TemporaryTableCredentialsRequest(TypedDict):
    """Which directory to read."""

    location: NotRequired[str]


class AwsTempCredentials(TypedDict):
    """Temporary keys for an S3-compatible store."""

    accessKeyId: str
    secretAccessKey: str
    sessionToken: str


class AzureUserDelegationSas(TypedDict):
    """A signature for Azure storage."""

    sasToken: str


class GcpOauthToken(TypedDict):
    """A token for Google Cloud storage."""

    oauthToken: str


class EndStreamAction(TypedDict):
    """The end of an answer, for clients that want to know it."""

    refreshToken: NotRequired[str]
    nextPageToken: NotRequired[str]
    minUrlExpirationTimestamp: NotRequired[Milliseconds]
    errorMessage: NotRequired[str]


class ParquetProtocol(TypedDict):
    """What a client has to understand to read the table."""

    minReaderVersion: int


class Format(TypedDict):
    """How the files are written."""

    provider: Literal["parquet"]


PartitionValues: TypeAlias = dict[str, str | None]
"""The value of each partition column as text; null where it is null."""


class ParquetFile(TypedDict):
    """A file of the table."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    stats: NotRequired[str]
    version: NotRequired[Version]
    timestamp: NotRequired[Milliseconds]
    expirationTimestamp: NotRequired[Milliseconds]


class ParquetAdd(TypedDict):
    """A file that a version added."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    timestamp: Milliseconds
    version: Version
    stats: NotRequired[str]
    expirationTimestamp: NotRequired[Milliseconds]


class ParquetCdf(TypedDict):
    """A file with the rows that a version changed."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    timestamp: Milliseconds
    version: Version
    expirationTimestamp: NotRequired[Milliseconds]


class ParquetRemove(TypedDict):
    """A file that a version removed."""

    url: str
    id: str
    partitionValues: PartitionValues
    size: int
    timestamp: Milliseconds
    version: Version
    expirationTimestamp: NotRequired[Milliseconds]


class DeltaProtocolAction(TypedDict):
    """What a reader of the log has to understand."""

    minReaderVersion: int
    minWriterVersion: NotRequired[int | None]
    readerFeatures: NotRequired[list[str] | None]
    writerFeatures: NotRequired[list[str] | None]


class DeltaFormat(TypedDict):
    """How the files are written, as the log says it."""

    provider: str
    options: NotRequired[Properties]


class DeltaCdcAction(TypedDict):
    """A file with changed rows."""

    path: str
    partitionValues: PartitionValues
    size: int
    dataChange: NotRequired[bool | None]


class DeletionVector(TypedDict):
    """The rows of a file that are deleted."""

    storageType: str
    pathOrInlineDv: str
    offset: NotRequired[int | None]
    sizeInBytes: int
    cardinality: int


PrimitiveType: TypeAlias = str


class FileStatistics(TypedDict):
    """What is known of the rows of a file."""

    numRecords: NotRequired[int]
    nullCount: NotRequired[dict[str, Any]]
    minValues: NotRequired[dict[str, Any]]
    maxValues: NotRequired[dict[str, Any]]


class Profile(TypedDict):
    """The file that tells a recipient where to read and as whom."""

    shareCredentialsVersion: int
    endpoint: str
    bearerToken: str
    expirationTime: NotRequired[Timestamp]


class QueryStatus(TypedDict):
    """How far a query has come that is run in the background."""

    queryId: str
    status: Literal["pending", "failed"] | str


class GetQueryInfoRequest(TypedDict):
    """Which part of the answer to a query is wanted."""

    maxFiles: NotRequired[int]
    pageToken: NotRequired[str]


class SharedTable(TypedDict):
    """A table in a schema of a share."""

    name: str
    schema: str
    share: str
    id: NotRequired[str]
    shareId: NotRequired[str]
    location: NotRequired[str]
    auxiliaryLocations: NotRequired[list[str]]
    accessModes: NotRequired[AccessModes]


class ListTablesResponse(TypedDict):
    """A page of tables."""

    items: NotRequired[list[SharedTable]]
    nextPageToken: NotRequired[str]


class JsonPredicate(TypedDict):
    """A predicate as a tree of operations."""

    op: (
        Literal[
            "column", "literal", "isNull", "equal", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual", "and", "or", "not"
        ]
        | str
    )
    children: NotRequired[list[JsonPredicate]]
    name: NotRequired[str]
    value: NotRequired[str]
    valueType: NotRequired[ValueType]


class TemporaryCredentials(TypedDict):
    """Credentials that read one directory for a while; exactly one of the three kinds is there."""

    location: str
    awsTempCredentials: NotRequired[AwsTempCredentials | None]
    azureUserDelegationSas: NotRequired[AzureUserDelegationSas | None]
    gcpOauthToken: NotRequired[GcpOauthToken | None]
    expirationTime: Milliseconds


class EndStreamLine(TypedDict):
    """The last line of an answer, for clients that want to know its end."""

    endStreamAction: EndStreamAction


class ParquetProtocolLine(TypedDict):
    """The first line of an answer in parquet format."""

    protocol: ParquetProtocol


class ParquetMetadata(TypedDict):
    """What the table is."""

    id: str
    name: NotRequired[str]
    description: NotRequired[str]
    location: NotRequired[str]
    auxiliaryLocations: NotRequired[list[str]]
    accessModes: NotRequired[AccessModes]
    format: Format
    schemaString: str
    partitionColumns: list[str]
    configuration: NotRequired[Properties]
    version: NotRequired[Version]
    size: NotRequired[int]
    numFiles: NotRequired[int]


class ParquetFileLine(TypedDict):
    """A file of the table, in an answer to a snapshot query in parquet format."""

    file: ParquetFile


class ParquetAddLine(TypedDict):
    """A file that a version added, in an answer with changes in parquet format."""

    add: ParquetAdd


class ParquetCdfLine(TypedDict):
    """A file with the rows that a version changed, in an answer with changes in parquet format."""

    cdf: ParquetCdf


class ParquetRemoveLine(TypedDict):
    """A file that a version removed, in an answer with changes in parquet format."""

    remove: ParquetRemove


class DeltaProtocol(TypedDict):
    """The protocol action of the table's log."""

    deltaProtocol: DeltaProtocolAction
    version: NotRequired[Version]


class DeltaMetadataAction(TypedDict):
    """What the table is, as its log says it."""

    id: str
    name: NotRequired[str | None]
    description: NotRequired[str | None]
    format: DeltaFormat
    schemaString: str
    partitionColumns: list[str]
    createdTime: NotRequired[int | None]
    configuration: NotRequired[Properties]


class DeltaAddAction(TypedDict):
    """A file that belongs to the table."""

    path: str
    partitionValues: PartitionValues
    size: int
    modificationTime: NotRequired[Milliseconds | None]
    dataChange: NotRequired[bool | None]
    stats: NotRequired[str | None]
    deletionVector: NotRequired[DeletionVector | None]
    baseRowId: NotRequired[int | None]
    defaultRowCommitVersion: NotRequired[int | None]


class DeltaRemoveAction(TypedDict):
    """A file that belongs to the table no more."""

    path: str
    deletionTimestamp: NotRequired[Milliseconds | None]
    dataChange: NotRequired[bool | None]
    extendedFileMetadata: NotRequired[bool | None]
    partitionValues: NotRequired[PartitionValues | None]
    size: NotRequired[int | None]
    stats: NotRequired[str | None]
    deletionVector: NotRequired[DeletionVector | None]
    baseRowId: NotRequired[int | None]
    defaultRowCommitVersion: NotRequired[int | None]


class QueryStatusLine(TypedDict):
    queryStatus: QueryStatus


class TemporaryTableCredentialsResponse(TypedDict):
    """Credentials for a directory."""

    credentials: TemporaryCredentials


class ParquetMetadataLine(TypedDict):
    """The second line of an answer in parquet format, or a later one with earlier metadata."""

    metaData: ParquetMetadata


class DeltaProtocolLine(TypedDict):
    """The first line of an answer in delta format."""

    protocol: DeltaProtocol


class DeltaMetadata(TypedDict):
    """The metadata action of the table's log, and what is said of the table beside it."""

    deltaMetadata: DeltaMetadataAction
    version: NotRequired[Version]
    size: NotRequired[int]
    numFiles: NotRequired[int]
    location: NotRequired[str]
    auxiliaryLocations: NotRequired[list[str]]
    accessModes: NotRequired[AccessModes]


class DeltaSingleAction(TypedDict):
    """One action; exactly one of the three is there."""

    add: NotRequired[DeltaAddAction]
    remove: NotRequired[DeltaRemoveAction]
    cdc: NotRequired[DeltaCdcAction]


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


class DeltaMetadataLine(TypedDict):
    """The second line of an answer in delta format, or a later one with earlier metadata."""

    metaData: DeltaMetadata


class DeltaFile(TypedDict):
    """An action of the table's log about a file, with signed URLs in place of paths."""

    id: str
    deletionVectorFileId: NotRequired[str]
    version: NotRequired[Version]
    timestamp: NotRequired[Milliseconds]
    expirationTimestamp: NotRequired[Milliseconds]
    deltaSingleAction: DeltaSingleAction


class DeltaFileLine(TypedDict):
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


DeltaLine: TypeAlias = DeltaFileLine | DeltaProtocolLine | DeltaMetadataLine | EndStreamLine | QueryStatusLine


class TableSchema(TypedDict):
    """The columns of a table or of a struct."""

    type: Literal["struct"]
    fields: list[TableField]


class TableField(TypedDict):
    """One column."""

    name: str
    type: TableType
    nullable: bool
    metadata: dict[str, Any]


TableType: TypeAlias = Union[PrimitiveType, TableSchema, "ArrayType", "MapType"]


class ArrayType(TypedDict):
    """Any number of values of one type."""

    type: Literal["array"]
    elementType: TableType
    containsNull: bool


class MapType(TypedDict):
    """Values of one type by keys of one type."""

    type: Literal["map"]
    keyType: TableType
    valueType: TableType
    valueContainsNull: bool
