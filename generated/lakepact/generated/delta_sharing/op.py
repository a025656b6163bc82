# Made by codegen.generate from the contract of delta_sharing 2026-02, sha256 94ad4c0756e6ffc1. Do not edit: nox -s generate
"""The operations that any version of Delta Sharing Protocol has, as constants: `op.list_shares`."""

from __future__ import annotations

from lakepact.generated.contract import OperationId

list_shares = OperationId("listShares")
get_share = OperationId("getShare")
list_schemas = OperationId("listSchemas")
list_tables = OperationId("listTables")
list_all_tables = OperationId("listAllTables")
head_table_version = OperationId("headTableVersion")
get_table_version = OperationId("getTableVersion")
get_table_metadata = OperationId("getTableMetadata")
query_table = OperationId("queryTable")
query_table_changes = OperationId("queryTableChanges")
generate_temporary_table_credentials = OperationId("generateTemporaryTableCredentials")
get_query_info = OperationId("getQueryInfo")

#: all of them
ALL = frozenset(
    {
        list_shares,
        get_share,
        list_schemas,
        list_tables,
        list_all_tables,
        head_table_version,
        get_table_version,
        get_table_metadata,
        query_table,
        query_table_changes,
        generate_temporary_table_credentials,
        get_query_info,
    }
)
