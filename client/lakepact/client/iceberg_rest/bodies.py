"""Request bodies, without the members that the caller leaves out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from lakepact.client.iceberg_rest.names import (
    Levels,
    TableName,
    addressable,
    levels,
    table_identifier,
)
from lakepact.client.rows.needs import need
from lakepact.client.several import Names, names, several, texts
from lakepact.generated.calls import Later
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.client.iceberg_rest.changes import TableChange
    from lakepact.client.rows.foreign import AnySchema
    from lakepact.client.rows.row_filters import RowFilter
    from lakepact.generated.iceberg_rest import models
    from lakepact.generated.wire import WireModel

    M = TypeVar("M", bound=WireModel)
else:
    models = Later("lakepact.generated.iceberg_rest.models")

#: The ids of partition fields start after this one.
LAST_BEFORE_PARTITION_IDS = 999


def create_namespace(
    namespace: Levels, properties: Mapping[str, str] | None
) -> models.CreateNamespaceRequest:
    """Return a namespace to create."""
    return _valid(
        models.CreateNamespaceRequest,
        _members(
            namespace=addressable(namespace), properties=texts("properties", properties) or None
        ),
    )


def existing_namespace(response: models.GetNamespaceResponse) -> models.CreateNamespaceResponse:
    """Return a namespace as if it was created now."""
    return _valid(models.CreateNamespaceResponse, response.to_wire())


def update_namespace_properties(
    updates: Mapping[str, str] | None, removals: Names
) -> models.UpdateNamespacePropertiesRequest:
    """Properties to set and to remove."""
    return _valid(
        models.UpdateNamespacePropertiesRequest,
        {"removals": names("removals", removals), "updates": texts("updates", updates)},
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
    """Return a table to create, or to stage, with the ids that the contract leaves optional and
    some servers require.
    """
    body = _members(
        name=path_segment(name),
        schema=_with_ids(schema, "schema-id"),
        location=location,
        properties=texts("properties", properties) or None,
    )
    if partition_spec is not None:
        spec = _valid(models.PartitionSpec, _with_ids(partition_spec, "spec-id"))
        following = itertools.count(
            max([LAST_BEFORE_PARTITION_IDS, *(field.field_id or 0 for field in spec.fields)]) + 1
        )
        fields = [
            {**field.to_wire(), "field-id": field.field_id or next(following)}
            for field in spec.fields
        ]
        body["partition-spec"] = {**spec.to_wire(), "fields": fields}
    if write_order is not None:
        body["write-order"] = _with_ids(
            write_order, "order-id", 1 if _document(write_order).get("fields") else 0
        )
    body["stage-create"] = stage
    return _valid(models.CreateTableRequest, body)


def register_table(
    name: str, metadata_location: str, *, overwrite: bool
) -> models.RegisterTableRequest:
    """Return a metadata file to make a table of."""
    body = {"name": path_segment(name), "metadata-location": metadata_location}
    return _valid(models.RegisterTableRequest, body | ({"overwrite": True} if overwrite else {}))


def commit_table(
    table: TableName,
    updates: Sequence[models.TableUpdate | Mapping[str, Any]],
    requirements: Sequence[models.TableRequirement | Mapping[str, Any]],
) -> models.CommitTableRequest:
    """Return a change of one table."""
    body = {
        "identifier": _identifier(table),
        "requirements": list(requirements),
        "updates": list(updates),
    }
    return _valid(models.CommitTableRequest, body)


def commit_transaction(changes: Sequence[TableChange]) -> models.CommitTransactionRequest:
    """Return the changes of several tables as a body."""
    if unfit := {type(one).__name__ for one in several("changes", changes)} - {"TableChange"}:
        raise TypeError(f"changes is a list of TableChange: one of them is {min(unfit)}")
    documents = [
        commit_table((levels(change.namespace), change.name), change.updates, change.requirements)
        for change in changes
    ]
    return _valid(models.CommitTransactionRequest, {"table-changes": documents})


def sign_request(request: models.RemoteSignRequest | Mapping[str, Any]) -> models.RemoteSignRequest:
    """Return a request to the storage that is to be signed."""
    return _valid(models.RemoteSignRequest, request)


def register_view(name: str, metadata_location: str) -> models.RegisterViewRequest:
    """Return a metadata file to make a view of."""
    return _valid(
        models.RegisterViewRequest,
        {"name": path_segment(name), "metadata-location": metadata_location},
    )


def report_metrics(
    report: models.ScanReportRequest | models.CommitReportRequest | Mapping[str, Any],
) -> models.ScanReportRequest | models.CommitReportRequest:
    """Return the metrics of a scan or commit."""
    if _document(report).get("report-type") == "scan-report":
        return _valid(models.ScanReportRequest, report)
    return _valid(models.CommitReportRequest, report)


def plan_scan(
    *,
    row_filter: RowFilter | models.Expression | Mapping[str, Any] | None,
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
    body = _members(
        **{
            "filter": _expression(row_filter),
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
    return _valid(models.PlanTableScanRequest, body)


def _expression(row_filter: Any) -> Any:
    """Return a filter in the contract's form; one that is in this form as it is."""
    if row_filter is None or isinstance(row_filter, Mapping) or hasattr(row_filter, "to_wire"):
        return row_filter
    from lakepact.client.iceberg_rest.rest_expressions import rest_expression  # noqa: PLC0415 - few calls need it
    from lakepact.client.rows.row_filters import predicate_of  # noqa: PLC0415 - few calls need it

    return rest_expression(predicate_of(row_filter))


def fetch_scan_tasks(plan_task: str) -> models.FetchScanTasksRequest:
    """Return a plan task to exchange for file scan tasks."""
    return _valid(models.FetchScanTasksRequest, {"plan-task": plan_task})


def create_view(
    name: str,
    schema: models.Schema | Mapping[str, Any] | AnySchema,
    *,
    version: models.ViewVersion | Mapping[str, Any],
    location: str | None,
    properties: Mapping[str, str] | None,
) -> models.CreateViewRequest:
    """Return a view to create; the contract demands its properties even where there are none."""
    body = _members(
        name=path_segment(name),
        schema=_with_ids(schema, "schema-id"),
        location=location,
        properties=texts("properties", properties),
    )
    return _valid(models.CreateViewRequest, {**body, "view-version": version})


def replace_view(
    view: TableName,
    updates: Sequence[models.ViewUpdate | Mapping[str, Any]],
    requirements: Sequence[models.ViewRequirement | Mapping[str, Any]],
) -> models.CommitViewRequest:
    """Return a change of one view."""
    body = {
        "identifier": _identifier(view),
        "requirements": list(requirements),
        "updates": list(updates),
    }
    return _valid(models.CommitViewRequest, body)


def rename_table(source: TableName, destination: TableName) -> models.RenameTableRequest:
    """Return a table or view, and what it is to be called."""
    return _valid(
        models.RenameTableRequest,
        {"source": _identifier(source), "destination": _identifier(destination)},
    )


def _valid(kind: type[M], members: Any) -> M:
    """Return a model of what a caller gives.

    Raises:
        ValueError: It violates the contract; the message names the places.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - it takes as long to import as models

    from lakepact.client.decoding import explain  # noqa: PLC0415 - it imports pydantic

    try:
        return kind.model_validate(members)
    except ValidationError as error:
        raise ValueError(f"{kind.__name__}: {explain(error)}") from None


def _identifier(table: TableName) -> dict[str, Any]:
    namespace, name = table_identifier(table)
    return {"namespace": namespace, "name": name}


def _with_ids(item: Any, name: str, id_: int = 0) -> dict[str, Any]:
    """Return a schema, partition spec or sort order with an id, its own if it has one."""
    return {name: id_, **_document(item)}


def schema_document(
    schema: models.Schema | Mapping[str, Any] | AnySchema, format_version: int
) -> dict[str, Any]:
    """Return a schema as the JSON of a table of this format version."""
    return _valid(models.Schema, _document(schema, format_version)).to_wire()


def statistics_file(member: str, file: Any) -> dict[str, Any]:
    """Return a file of `statistics` or `partition-statistics` as JSON."""
    kind = models.StatisticsFile if member == "statistics" else models.PartitionStatisticsFile
    return _valid(kind, file).to_wire()


def _document(item: Any, format_version: int = 2) -> dict[str, Any]:
    """Return the members that are not None, under their names in JSON; of a schema of Arrow or
    pyiceberg too.
    """
    kind = type(item)
    if kind.__name__ == "Schema" and kind.__module__.startswith(("pyarrow.", "pyiceberg.")):
        need("pyiceberg")
        from lakepact.client.iceberg_rest.pyiceberg_schemas import SchemaConversion  # noqa: PLC0415 - where pyiceberg is there

        try:
            item = SchemaConversion.schema_document(item, format_version)
        except (TypeError, ValueError) as unfit:
            raise ValueError(
                f"format version {format_version} has no such schema: {unfit}"
            ) from None
    if not isinstance(item, Mapping) and not hasattr(item, "to_wire"):
        raise TypeError(
            "expected a model of the contract, a document (a dict), or a schema of pyarrow or"
            f" pyiceberg; given {kind.__name__}"
        )
    members: Mapping[str, Any] = item if isinstance(item, Mapping) else item.to_wire()
    return {name.replace("_", "-"): value for name, value in members.items() if value is not None}


def _members(**members: Any) -> dict[str, Any]:
    """Return the members that are not None: for the contract, absent and null are not always the
    same.
    """
    return {name: value for name, value in members.items() if value is not None}
