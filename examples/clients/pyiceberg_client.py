"""Tasks of `lakepact check-client` for pyiceberg.

    lakepact check-client -- python examples/clients/pyiceberg_client.py

Needs pyiceberg with pyarrow; the task that signs requests also fsspec and botocore.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.expressions import AlwaysTrue, And, EqualTo
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortOrder
from pyiceberg.transforms import parse_transform
from pyiceberg.types import LongType, NestedField, StringType
from pyiceberg.view.metadata import SQLViewRepresentation, ViewVersion

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.table import Table

REGION = "eu-central-1"
SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True), NestedField(2, "data", StringType())
)
ARROW = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("data", pa.string())])


class Tasks:
    """The tasks, one method each."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        properties = given["properties"]
        if "header.Authorization" in properties:
            properties["auth"] = {"type": "noop"}  # it would send `Bearer None` instead
        self.catalog = RestCatalog("checked", uri=given["uri"], **properties)
        self.namespace = tuple(given.get("namespace", ()))
        self.name = (*self.namespace, given.get("table", ""))
        self.view = (*self.namespace, given.get("view", ""))

    def list_namespaces(self) -> Any:
        return self.catalog.list_namespaces()

    def list_child_namespaces(self) -> Any:
        return self.catalog.list_namespaces(tuple(self.given["parent"]))

    def namespace_exists(self) -> Any:
        return self.catalog.namespace_exists(self.namespace)

    def create_namespace(self) -> None:
        self.catalog.create_namespace(self.namespace)

    def load_namespace(self) -> Any:
        return dict(self.catalog.load_namespace_properties(self.namespace))

    def set_namespace_properties(self) -> None:
        self.catalog.update_namespace_properties(
            self.namespace, set(self.given["removals"]), self.given["updates"]
        )

    def drop_namespace(self) -> None:
        self.catalog.drop_namespace(self.namespace)

    def list_tables(self) -> Any:
        return [found[-1] for found in self.catalog.list_tables(self.namespace)]

    def list_tables_repeatedly(self) -> Any:
        def listed() -> Any:
            try:
                return self.list_tables()
            except Exception:  # noqa: BLE001 - null stands for a listing that failed
                return None

        return self.repeatedly(listed)

    def repeatedly(self, once: Callable[[], Any]) -> list[Any]:
        found = [once()]
        for _ in range(self.given["times"] - 1):
            time.sleep(self.given["pause"])
            found.append(once())
        return found

    def table_exists(self) -> Any:
        return self.catalog.table_exists(self.name)

    def create_table(self) -> None:
        self.catalog.create_table(self.name, SCHEMA)

    def create_table_with_layout(self) -> None:
        schema, spec = (
            Schema.model_validate(self.given["schema"]),
            PartitionSpec.model_validate(self.given["partition-spec"]),
        )
        properties = self.given["properties"] | {
            "format-version": str(self.given["format-version"])
        }
        order = SortOrder.model_validate(self.given["write-order"])
        self.catalog.create_table(
            self.name, schema, partition_spec=spec, sort_order=order, properties=properties
        )

    def load_table(self) -> Any:
        return described(self.catalog.load_table(self.name))

    def load_table_repeatedly(self) -> Any:
        return self.repeatedly(self.load_table)

    def load_tables(self) -> Any:
        return [
            described(self.catalog.load_table((*self.namespace, name)))
            for name in self.given["tables"]
        ]

    def set_properties(self) -> None:
        with self.catalog.load_table(self.name).transaction() as transaction:
            transaction.set_properties(self.given["updates"])

    def set_properties_twice(self) -> None:
        table = self.catalog.load_table(self.name)
        for member in ("first", "second"):
            with table.transaction() as transaction:
                transaction.set_properties(self.given[member])

    def add_column(self) -> None:
        with self.catalog.load_table(self.name).update_schema() as update:
            update.add_column(self.given["column"], StringType())

    def edit_columns(self) -> None:
        with self.catalog.load_table(self.name).update_schema(
            allow_incompatible_changes=True
        ) as update:
            for edit in self.given["edits"]:
                path = tuple(edit["column"])
                match edit["edit"]:
                    case "add":
                        update.add_column(path, StringType())
                    case "drop":
                        update.delete_column(path)
                    case "rename":
                        update.rename_column(path, edit["to"])
                    case "widen":
                        update.update_column(
                            path, field_type=NestedField(1, "type", edit["type"]).field_type
                        )
                    case "relax":
                        update.update_column(path, required=False)
                    case "document":
                        update.update_column(path, doc=edit["doc"])

    def add_partition_field(self) -> None:
        with self.catalog.load_table(self.name).update_spec() as update:
            update.add_field(
                self.given["column"], parse_transform(self.given["transform"]), self.given["name"]
            )

    def append_rows(self) -> None:
        self.catalog.load_table(self.name).append(
            pa.Table.from_pylist(self.given["rows"], schema=ARROW)
        )

    def delete_rows_where(self) -> None:
        self.catalog.load_table(self.name).delete(self.condition())

    def upsert_rows(self) -> None:
        rows = pa.Table.from_pylist(self.given["rows"], schema=ARROW)
        self.catalog.load_table(self.name).upsert(rows, join_cols=self.given["key"])

    def overwrite_rows(self) -> None:
        rows = pa.Table.from_pylist(self.given["rows"], schema=ARROW)
        self.catalog.load_table(self.name).overwrite(rows)

    def append_and_read(self) -> Any:
        table = self.catalog.load_table(self.name)
        table.append(pa.Table.from_pylist(self.given["rows"], schema=ARROW))
        return table.scan().to_arrow().to_pylist()

    def expire_snapshots(self) -> None:
        before = dt.datetime.fromtimestamp(self.given["older-than"] / 1000, dt.UTC)
        table = self.catalog.load_table(self.name)
        table.maintenance.expire_snapshots().older_than(before).commit()

    def condition(self) -> BooleanExpression:
        return And(
            *(EqualTo(name, value) for name, value in self.given["where"].items()), AlwaysTrue()
        )

    def read_rows(self) -> Any:
        return self.catalog.load_table(self.name).scan().to_arrow().to_pylist()

    def read_rows_where(self) -> Any:
        table = self.catalog.load_table(self.name)
        return table.scan(row_filter=self.condition()).to_arrow().to_pylist()

    def read_rows_at_snapshot(self) -> Any:
        return (
            self.catalog.load_table(self.name)
            .scan(snapshot_id=self.given["snapshot-id"])
            .to_arrow()
            .to_pylist()
        )

    def read_rows_at_timestamp(self) -> Any:
        table = self.catalog.load_table(self.name)
        snapshot = table.snapshot_as_of_timestamp(self.given["timestamp"])
        if snapshot is None:
            raise ValueError("the table has no snapshot of that time")
        return table.scan(snapshot_id=snapshot.snapshot_id).to_arrow().to_pylist()

    def read_rows_at_ref(self) -> Any:
        return (
            self.catalog.load_table(self.name)
            .scan()
            .use_ref(self.given["ref"])
            .to_arrow()
            .to_pylist()
        )

    def list_snapshots(self) -> Any:
        return self.catalog.load_table(self.name).inspect.snapshots()["snapshot_id"].to_pylist()

    def append_rows_to_branch(self) -> None:
        rows = pa.Table.from_pylist(self.given["rows"], schema=ARROW)
        self.catalog.load_table(self.name).append(rows, branch=self.given["branch"])

    def create_branch(self) -> None:
        self.catalog.load_table(self.name).manage_snapshots().create_branch(
            self.given["snapshot-id"], self.given["branch"]
        ).commit()

    def create_tag(self) -> None:
        self.catalog.load_table(self.name).manage_snapshots().create_tag(
            self.given["snapshot-id"], self.given["tag"]
        ).commit()

    def drop_branch(self) -> None:
        self.catalog.load_table(self.name).manage_snapshots().remove_branch(
            self.given["branch"]
        ).commit()

    def drop_tag(self) -> None:
        self.catalog.load_table(self.name).manage_snapshots().remove_tag(self.given["tag"]).commit()

    def rename_table(self) -> None:
        self.catalog.rename_table(self.name, (*self.namespace, self.given["to"]))

    def drop_table(self) -> None:
        self.catalog.drop_table(self.name)

    def purge_table(self) -> None:
        self.catalog.purge_table(self.name)

    def register_table(self) -> None:
        self.catalog.register_table(self.name, self.given["metadata-location"])

    def file_properties(self) -> Any:
        return properties_of(self.catalog.load_table(self.name))

    def sign_repeatedly(self) -> Any:
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415  this task alone needs it
        from pyiceberg.io.fsspec import S3V4RestSigner  # noqa: PLC0415  needs botocore too

        table = self.catalog.load_table(self.name)
        signer = S3V4RestSigner(table.io.properties)
        bucket, _, key = table.metadata_location.removeprefix("s3://").partition("/")

        def signed() -> Any:
            request = AWSRequest("GET", f"https://{bucket}.s3.{REGION}.amazonaws.com/{key}")
            request.context["client_region"] = REGION
            signer(request)
            return request.headers["Authorization"]

        return self.repeatedly(signed)

    def list_views(self) -> Any:
        return [found[-1] for found in self.catalog.list_views(self.namespace)]

    def create_view(self) -> None:
        version = ViewVersion(
            version_id=1,
            schema_id=0,
            timestamp_ms=int(time.time() * 1000),
            summary={},
            representations=[
                SQLViewRepresentation(type="sql", sql=self.given["sql"], dialect="spark")
            ],
            default_namespace=list(self.namespace),
        )
        self.catalog.create_view(
            self.view, Schema(NestedField(1, "id", LongType(), required=True)), version
        )

    def load_view(self) -> Any:
        view = self.catalog.load_view(self.view)
        return {
            "uuid": str(view.metadata.view_uuid),
            "sql": view.current_version().representations[0].root.sql,
        }

    def drop_view(self) -> None:
        self.catalog.drop_view(self.view)


def described(table: Table) -> dict[str, Any]:
    """Return what `load-table` returns."""
    metadata = table.metadata
    return {
        "uuid": str(metadata.table_uuid),
        "location": metadata.location,
        "properties": dict(metadata.properties),
        "snapshot-ids": [snapshot.snapshot_id for snapshot in metadata.snapshots],
        "current-snapshot-id": metadata.current_snapshot_id,
    }


def properties_of(table: Table) -> dict[str, str]:
    """Return the properties with which the files of a table are opened."""
    return {key: str(value) for key, value in table.io.properties.items()}


def answered(line: str) -> dict[str, Any]:
    """Return the answer to the task in a line."""
    asked = json.loads(line)
    act = getattr(Tasks, asked["task"].replace("-", "_"), None)
    if act is None:
        return {"not_offered": True}
    try:
        return {"result": act(Tasks(asked["arguments"]))}
    except Exception as error:  # noqa: BLE001 - reported
        return {"error": {"type": type(error).__name__, "message": str(error)}}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answered(line)), flush=True)  # noqa: T201 - the answer
