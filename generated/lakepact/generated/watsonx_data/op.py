# Made by codegen.generate from the contract of watsonx_data 2026, sha256 10d661679c63a5d5. Do not edit: nox -s generate
"""The operations that any version of IBM watsonx.data Iceberg REST Catalog API has, as constants: `op.get_config`."""

from __future__ import annotations

from lakepact.generated.contract import OperationId

get_config = OperationId("getConfig")
list_namespaces = OperationId("listNamespaces")
create_namespace = OperationId("createNamespace")
load_namespace_metadata = OperationId("loadNamespaceMetadata")
namespace_exists = OperationId("namespaceExists")
drop_namespace = OperationId("dropNamespace")
update_properties = OperationId("updateProperties")
list_tables = OperationId("listTables")
create_table = OperationId("createTable")
register_table = OperationId("registerTable")
load_table = OperationId("loadTable")
update_table = OperationId("updateTable")
drop_table = OperationId("dropTable")
table_exists = OperationId("tableExists")
rename_table = OperationId("renameTable")
commit_transaction = OperationId("commitTransaction")
list_views = OperationId("listViews")
create_view = OperationId("createView")
load_view = OperationId("loadView")
replace_view = OperationId("replaceView")
drop_view = OperationId("dropView")
view_exists = OperationId("viewExists")
rename_view = OperationId("renameView")

#: all of them
ALL = frozenset(
    {
        get_config,
        list_namespaces,
        create_namespace,
        load_namespace_metadata,
        namespace_exists,
        drop_namespace,
        update_properties,
        list_tables,
        create_table,
        register_table,
        load_table,
        update_table,
        drop_table,
        table_exists,
        rename_table,
        commit_transaction,
        list_views,
        create_view,
        load_view,
        replace_view,
        drop_view,
        view_exists,
        rename_view,
    }
)
