"""Request bodies: what a caller gives, without what it leaves out."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing.needs import need
from lakepact.client.iceberg_rest.names import (
    Levels,
    TableName,
    addressable,
    levels,
    table_identifier,
)
from lakepact.client.several import Names, several
from lakepact.generated.calls import Later
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.client.delta_sharing.foreign import AnySchema
    from lakepact.client.iceberg_rest.changes import TableChange
    from lakepact.generated.iceberg_rest import models
else:
    models = Later("lakepact.generated.iceberg_rest.models")

#: The ids of partition fields start after this one.
LAST_BEFORE_PARTITION_IDS = 999


def create_namespace(
    namespace: Levels, properties: Mapping[str, str] | None
) -> models.CreateNamespaceRequest:
    """Return a namespace to create."""
    return models.CreateNamespaceRequest.model_validate(
        _given(namespace=addressable(namespace), properties=properties)
    )


def existing_namespace(found: models.GetNamespaceResponse) -> models.CreateNamespaceResponse:
    """Return a namespace as if it was created now."""
    return models.CreateNamespaceResponse.model_validate(found.to_wire())


def update_namespace_properties(
    updates: Mapping[str, str] | None, removals: Names
) -> models.UpdateNamespacePropertiesRequest:
    """Properties to set and to remove."""
    return models.UpdateNamespacePropertiesRequest.model_validate(
        {"removals": several("removals", removals), "updates": dict(updates or {})}
    )


def create_table(
    name: str,
    schema: models.Schema | Mapping[str, Any] | AnySchema,
    *,
    location: str | None,
    partition_spec: models.PartitionSpec | Mapping[str, Any] | None,
    write_order: models.SortOrder | Mapping[str, Any] | None,
    properties: Mapping[str, str] | None,
    stage: bool,
) -> models.CreateTableRequest:
    """Return a table to create, or to stage, with the ids that the contract leaves optional and some servers require."""
    given = _given(
        name=path_segment(name),
        schema=_with_ids(schema, "schema-id"),
        location=location,
        properties=properties,
    )
    if partition_spec is not None:
        spec = models.PartitionSpec.model_validate(_with_ids(partition_spec, "spec-id"))
        following = itertools.count(
            max([LAST_BEFORE_PARTITION_IDS, *(field.field_id or 0 for field in spec.fields)]) + 1
        )
        fields = [
            {**field.to_wire(), "field-id": field.field_id or next(following)}
            for field in spec.fields
        ]
        given["partition-spec"] = {**spec.to_wire(), "fields": fields}
    if write_order is not None:
        given["write-order"] = _with_ids(
            write_order, "order-id", 1 if _document(write_order).get("fields") else 0
        )
    given["stage-create"] = stage
    return models.CreateTableRequest.model_validate(given)


def register_table(
    name: str, metadata_location: str, *, overwrite: bool
) -> models.RegisterTableRequest:
    """Return a metadata file to make a table of."""
    given = {"name": path_segment(name), "metadata-location": metadata_location}
    return models.RegisterTableRequest.model_validate(
        given | ({"overwrite": True} if overwrite else {})
    )


def commit_table(
    table: TableName,
    updates: Sequence[models.TableUpdate | Mapping[str, Any]],
    requirements: Sequence[models.TableRequirement | Mapping[str, Any]],
) -> models.CommitTableRequest:
    """Return a change of one table."""
    given = {
        "identifier": _identifier(table),
        "requirements": list(requirements),
        "updates": list(updates),
    }
    return models.CommitTableRequest.model_validate(given)


def commit_transaction(changes: Sequence[TableChange]) -> models.CommitTransactionRequest:
    """Return the changes of several tables as a body."""
    given = [
        commit_table((levels(change.namespace), change.name), change.updates, change.requirements)
        for change in changes
    ]
    return models.CommitTransactionRequest.model_validate({"table-changes": given})


def sign_request(request: models.RemoteSignRequest | Mapping[str, Any]) -> models.RemoteSignRequest:
    """Return a request to the storage that is to be signed."""
    return models.RemoteSignRequest.model_validate(request)


def register_view(name: str, metadata_location: str) -> models.RegisterViewRequest:
    """Return a metadata file to make a view of."""
    return models.RegisterViewRequest.model_validate(
        {"name": path_segment(name), "metadata-location": metadata_location}
    )


def report_metrics(
    report: models.ScanReportRequest | models.CommitReportRequest | Mapping[str, Any],
) -> models.ScanReportRequest | models.CommitReportRequest:
    """Return the metrics of a scan or commit."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - it takes as long to import as models

    given: models.ScanReportRequest | models.CommitReportRequest = TypeAdapter(
        models.ReportMetricsRequest
    ).validate_python(report)
    return given


def plan_scan(
    *,
    row_filter: models.Expression | Mapping[str, Any] | None,
    select: Names | None,
    snapshot_id: int | None,
    min_rows_requested: int | None,
    start_snapshot_id: int | None,
    end_snapshot_id: int | None,
    stats_fields: Names | None,
    case_sensitive: bool | None,
    use_snapshot_schema: bool | None,
) -> models.PlanTableScanRequest:
    """Return a scan to plan."""
    given = _given(
        **{
            "filter": row_filter,
            "select": None if select is None else several("select", select),
            "snapshot-id": snapshot_id,
            "min-rows-requested": min_rows_requested,
            "start-snapshot-id": start_snapshot_id,
            "end-snapshot-id": end_snapshot_id,
            "stats-fields": None if stats_fields is None else several("stats_fields", stats_fields),
            "case-sensitive": case_sensitive,
            "use-snapshot-schema": use_snapshot_schema,
        }
    )
    return models.PlanTableScanRequest.model_validate(given)


def fetch_scan_tasks(plan_task: str) -> models.FetchScanTasksRequest:
    """Return a plan task to exchange for file scan tasks."""
    return models.FetchScanTasksRequest.model_validate({"plan-task": plan_task})


def create_view(
    name: str,
    schema: models.Schema | Mapping[str, Any] | AnySchema,
    *,
    version: models.ViewVersion | Mapping[str, Any],
    location: str | None,
    properties: Mapping[str, str] | None,
) -> models.CreateViewRequest:
    """Return a view to create; the contract demands its properties even where there are none."""
    given = _given(
        name=path_segment(name),
        schema=_with_ids(schema, "schema-id"),
        location=location,
        properties=dict(properties or {}),
    )
    return models.CreateViewRequest.model_validate({**given, "view-version": version})


def replace_view(
    view: TableName,
    updates: Sequence[models.ViewUpdate | Mapping[str, Any]],
    requirements: Sequence[models.ViewRequirement | Mapping[str, Any]],
) -> models.CommitViewRequest:
    """Return a change of one view."""
    given = {
        "identifier": _identifier(view),
        "requirements": list(requirements),
        "updates": list(updates),
    }
    return models.CommitViewRequest.model_validate(given)


def rename_table(source: TableName, destination: TableName) -> models.RenameTableRequest:
    """Return a table or view, and what it is to be called."""
    return models.RenameTableRequest.model_validate(
        {"source": _identifier(source), "destination": _identifier(destination)}
    )


def _identifier(table: TableName) -> dict[str, Any]:
    namespace, name = table_identifier(table)
    return {"namespace": namespace, "name": name}


def _with_ids(given: Any, name: str, id_: int = 0) -> dict[str, Any]:
    """Return a schema, partition spec or sort order with an id, its own if it has one."""
    return {name: id_, **_document(given)}


def schema_document(
    schema: models.Schema | Mapping[str, Any] | AnySchema, format_version: int
) -> dict[str, Any]:
    """Return a schema as the JSON of a table of this format version."""
    return models.Schema.model_validate(_document(schema, format_version)).to_wire()


def statistics_file(member: str, file: Any) -> dict[str, Any]:
    """Return a file of `statistics` or `partition-statistics` as JSON."""
    kind = models.StatisticsFile if member == "statistics" else models.PartitionStatisticsFile
    return kind.model_validate(file).to_wire()


def _document(given: Any, format_version: int = 2) -> dict[str, Any]:
    """Return the members that are not None, under their names in JSON; of a schema of Arrow or pyiceberg too."""
    if type(given).__module__.partition(".")[0] in {"pyarrow", "pyiceberg"}:
        need("pyiceberg")
        conversion = importlib.import_module(
            "lakepact.client.iceberg_rest.pyiceberg_schemas"
        ).SchemaConversion
        given = conversion.schema_document(given, format_version)
    members: Mapping[str, Any] = given if isinstance(given, Mapping) else given.to_wire()
    return {name.replace("_", "-"): value for name, value in members.items() if value is not None}


def _given(**members: Any) -> dict[str, Any]:
    """Return the members that are not None: for the contract, absent and null are not always the same."""
    return {name: value for name, value in members.items() if value is not None}
