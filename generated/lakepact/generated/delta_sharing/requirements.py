# Made by codegen.registry from the registry of delta_sharing 2026-02, sha256 77d0716a6fd61285. Do not edit: nox -s generate
"""What Delta Sharing Protocol 2026-02 demands, what a target may leave out, and how we corrected the contract."""

from __future__ import annotations

from lakepact.generated.contract import Edit, Feature, Prose, Requirement

PROSE: Prose | None = Prose(
    name="PROTOCOL.md",
    address="https://github.com/delta-io/delta-sharing/blob/4352a328/PROTOCOL.md",
    headings={
        "overview": "Overview",
        "delta-sharing-specification": "Delta Sharing Specification",
        "concepts": "Concepts",
        "access-modes": "Access Modes",
        "compatibility": "Compatibility",
        "rest-apis": "REST APIs",
        "list-shares": "List Shares",
        "get-share": "Get Share",
        "list-schemas-in-a-share": "List Schemas in a Share",
        "list-tables-in-a-schema": "List Tables in a Schema",
        "list-all-tables-in-a-share": "List all Tables in a Share",
        "query-table-version": "Query Table Version",
        "query-table-metadata": "Query Table Metadata",
        "read-data-from-a-table": "Read Data from a Table",
        "request-body": "Request Body",
        "read-change-data-feed-from-a-table": "Read Change Data Feed from a Table",
        "timestamp-format": "Timestamp Format",
        "generate-temporary-table-credential": "Generate Temporary Table Credential",
        "temporarycredentials": "TemporaryCredentials",
        "awscredentials": "AwsCredentials",
        "azureuserdelegationsas": "AzureUserDelegationSAS",
        "gcpoauthtoken": "GcpOauthToken",
        "delta-sharing-capabilities-header": "Delta Sharing Capabilities Header",
        "responseformat": "responseFormat",
        "compatibility-1": "Compatibility",
        "readerfeatures": "readerFeatures",
        "includeendstreamaction": "includeEndStreamAction",
        "compatibility-2": "Compatibility",
        "api-response-actions": "API Response Actions",
        "endstreamaction": "EndStreamAction",
        "api-response-actions-in-parquet-format": "API Response Actions in Parquet Format",
        "json-wrapper-object-in-each-line": "JSON Wrapper Object In Each Line",
        "protocol": "Protocol",
        "metadata": "Metadata",
        "file": "File",
        "data-change-files": "Data Change Files",
        "add-file": "Add File",
        "cdf-file": "CDF File",
        "remove-file": "Remove File",
        "format": "Format",
        "schema-object": "Schema Object",
        "struct-type": "Struct Type",
        "struct-field": "Struct Field",
        "primitive-types": "Primitive Types",
        "array-type": "Array Type",
        "map-type": "Map Type",
        "partition-value-serialization": "Partition Value Serialization",
        "per-file-statistics": "Per-file Statistics",
        "api-response-actions-in-delta-format": "API Response Actions in Delta Format",
        "json-wrapper-object-in-each-line-in-delta": "JSON Wrapper Object In Each Line in Delta",
        "protocol-in-delta-format": "Protocol in Delta Format",
        "metadata-in-delta-format": "Metadata in Delta Format",
        "file-in-delta-format": "File in Delta Format",
        "sql-expressions-for-filtering": "SQL Expressions for Filtering",
        "json-predicates-for-filtering": "JSON predicates for Filtering",
        "delta-sharing-streaming-specs": "Delta Sharing Streaming Specs",
        "profile-file-format": "Profile File Format",
        "names": "Names",
    },
)

FEATURES: dict[str, Feature] = {
    "fixtures": Feature(
        name="fixtures",
        says="the server shares the tables of lakepact's fixture pack, whose content is known to the harness",
        default=False,
    ),
}

EDITS: dict[str, Edit] = {
    "E01": Edit(
        id="E01",
        says="a partition value may be null",
        why="The prose writes the null of every type as an empty string. Every Delta log and the official server write JSON null, and Spark fails on the empty string of a date (DF-02).",
        effect="widens",
        targets=("/components/schemas/PartitionValues/additionalProperties",),
    ),
    "E02": Edit(
        id="E02",
        says="queries and changes may be asked for in pages, and queries again with fresh URLs",
        why="The prose names refreshToken and nextPageToken in EndStreamAction and never says how they are sent back. Clients and the official server agree on these members.",
        effect="widens",
        targets=(
            "/components/schemas/QueryTableRequest/properties/includeRefreshToken",
            "/components/schemas/QueryTableRequest/properties/refreshToken",
            "/components/schemas/QueryTableRequest/properties/maxFiles",
            "/components/schemas/QueryTableRequest/properties/pageToken",
            "/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1changes/get/parameters",
        ),
    ),
    "E03": Edit(
        id="E03",
        says="metadata may be asked for as of a version or a time",
        why="Spark asks for the metadata of the version that it reads (DF-13); later prose has it.",
        effect="widens",
        targets=("/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1metadata/get/parameters",),
    ),
    "E04": Edit(
        id="E04",
        says="clients may say how the ids of files are to be made",
        why="Clients on the JVM send the header and fail unless the server repeats it (DF-20); later prose has it.",
        effect="widens",
        targets=(
            "/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1query/post/parameters",
            "/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1changes/get/parameters",
        ),
    ),
}

REQUIREMENTS: dict[str, Requirement] = {}
