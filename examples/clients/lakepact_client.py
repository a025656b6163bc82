"""Tasks about rows of `lakepact check-client` for lakepact's own client of catalogs.

    lakepact check-client -- python examples/clients/lakepact_client.py

Needs lakepact with the extra iceberg.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from functools import reduce
from operator import and_
from typing import Any

import pyarrow as pa

from lakepact.client import IcebergCatalog, column

ARROW = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("data", pa.string())])


class Tasks:
    """The tasks, one method each."""

    def __init__(self, catalog: IcebergCatalog, given: dict[str, Any]) -> None:
        self.catalog = catalog
        self.given = given
        self.table = (given.get("namespace", ()), given.get("table", ""))

    def list_namespaces(self) -> Any:
        return [list(levels) for levels in self.catalog.list_namespaces()]

    def rows(self) -> pa.Table:
        """Return the rows of the task."""
        return pa.Table.from_pylist(self.given["rows"], schema=ARROW)

    def condition(self) -> Any:
        """Return the filter of the task."""
        return reduce(and_, (column(name) == value for name, value in self.given["where"].items()))

    def append_rows(self) -> None:
        self.catalog.append(self.table, self.rows())

    def append_rows_to_branch(self) -> None:
        self.catalog.append(self.table, self.rows(), branch=self.given["branch"])

    def delete_rows_where(self) -> None:
        self.catalog.delete(self.table, self.condition())

    def upsert_rows(self) -> None:
        self.catalog.upsert(self.table, self.rows(), self.given["key"])

    def overwrite_rows(self) -> None:
        self.catalog.overwrite(self.table, self.rows())

    def append_and_read(self) -> Any:
        self.append_rows()
        return self.read_rows()

    def read_rows(self, **at: Any) -> Any:
        return self.catalog.scan(self.table, **at).to_arrow().to_pylist()

    def read_rows_where(self) -> Any:
        return self.read_rows(row_filter=self.condition())

    def read_rows_at_snapshot(self) -> Any:
        return self.read_rows(snapshot=self.given["snapshot-id"])

    def read_rows_at_ref(self) -> Any:
        return self.read_rows(snapshot=self.given["ref"])

    def read_rows_at_timestamp(self) -> Any:
        return self.read_rows(timestamp=self.time("timestamp"))

    def list_snapshots(self) -> Any:
        return self.catalog.snapshots(self.table)["snapshot_id"].to_pylist()

    def expire_snapshots(self) -> None:
        self.catalog.change(self.table).expire_snapshots(self.time("older-than")).commit()

    def time(self, argument: str) -> dt.datetime:
        """Return a time of the task."""
        return dt.datetime.fromtimestamp(self.given[argument] / 1000, dt.UTC)


def answered(line: str) -> dict[str, Any]:
    """Return the answer to the task in a line."""
    asked = json.loads(line)
    act = getattr(Tasks, asked["task"].replace("-", "_"), None)
    given = asked["arguments"]
    if act is None or given["properties"]:
        return {"not_offered": True}
    try:
        with IcebergCatalog(given["uri"]) as catalog:
            return {"result": act(Tasks(catalog, given))}
    except Exception as error:  # noqa: BLE001 - reported
        return {"error": {"type": type(error).__name__, "message": str(error)}}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answered(line)), flush=True)  # noqa: T201 - the answer
