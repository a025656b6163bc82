# Made by codegen.generate from the contract of iceberg_rest 1.10.0, sha256 2920ba93a9be9631. Do not edit: nox -s generate
"""The operations that any version of Apache Iceberg REST Catalog API has, as constants: `op.get_config`."""

from __future__ import annotations

from lakepact.generated.contract import OperationId

get_config = OperationId("getConfig")
get_token = OperationId("getToken")
list_namespaces = OperationId("listNamespaces")
create_namespace = OperationId("createNamespace")
load_namespace_metadata = OperationId("loadNamespaceMetadata")
namespace_exists = OperationId("namespaceExists")
drop_namespace = OperationId("dropNamespace")
update_properties = OperationId("updateProperties")
list_tables = OperationId("listTables")
create_table = OperationId("createTable")
plan_table_scan = OperationId("planTableScan")
fetch_planning_result = OperationId("fetchPlanningResult")
cancel_planning = OperationId("cancelPlanning")
fetch_scan_tasks = OperationId("fetchScanTasks")
register_table = OperationId("registerTable")
load_table = OperationId("loadTable")
update_table = OperationId("updateTable")
drop_table = OperationId("dropTable")
table_exists = OperationId("tableExists")
load_credentials = OperationId("loadCredentials")
rename_table = OperationId("renameTable")
report_metrics = OperationId("reportMetrics")
commit_transaction = OperationId("commitTransaction")
list_views = OperationId("listViews")
create_view = OperationId("createView")
load_view = OperationId("loadView")
replace_view = OperationId("replaceView")
drop_view = OperationId("dropView")
view_exists = OperationId("viewExists")
rename_view = OperationId("renameView")
register_view = OperationId("registerView")
sign_request = OperationId("signRequest")
list_functions = OperationId("listFunctions")
load_function = OperationId("loadFunction")
unregister_table = OperationId("unregisterTable")

#: all of them
ALL = frozenset(
    {
        get_config,
        get_token,
        list_namespaces,
        create_namespace,
        load_namespace_metadata,
        namespace_exists,
        drop_namespace,
        update_properties,
        list_tables,
        create_table,
        plan_table_scan,
        fetch_planning_result,
        cancel_planning,
        fetch_scan_tasks,
        register_table,
        load_table,
        update_table,
        drop_table,
        table_exists,
        load_credentials,
        rename_table,
        report_metrics,
        commit_transaction,
        list_views,
        create_view,
        load_view,
        replace_view,
        drop_view,
        view_exists,
        rename_view,
        register_view,
        sign_request,
        list_functions,
        load_function,
        unregister_table,
    }
)
