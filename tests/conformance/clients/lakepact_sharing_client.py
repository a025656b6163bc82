"""Client program for `lakepact.client.SharingClient`."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from client_loop import answer_tasks

from lakepact.client import Retries, SharingClient, column


def perform_on(client: SharingClient, task: str, arguments: dict[str, Any]) -> Any:
    if task == "list-tables":
        return [
            f"{t.share}.{t.schema_}.{t.name}"
            for share in client.shares()
            for t in client.all_tables(share.name)
        ]
    if task == "read-tables":
        return [
            client.table(*one["table"].split(".")).to_arrow(version=one.get("version")).to_pylist()
            for one in arguments["tables"]
        ]
    table = client.table(
        *(arguments["names"] if "names" in arguments else arguments["table"].split("."))
    )
    match task:
        case "read-table" | "read-table-by-names":
            row_filter = None
            for name, value in arguments.get("where", {}).items():
                row_filter = column(name) == value
            return table.to_arrow(row_filter=row_filter, limit=arguments.get("limit")).to_pylist()
        case "read-table-at-version":
            return table.to_arrow(version=arguments["version"]).to_pylist()
        case "read-table-at-timestamp":
            return table.to_arrow(
                timestamp=dt.datetime.fromtimestamp(arguments["timestamp"] / 1000, dt.UTC)
            ).to_pylist()
        case "read-metadata":
            return [
                field["name"]
                for field in json.loads(table.metadata().metadata.schema_string)["fields"]
            ]
        case "table-version":
            return table.version()
        case "read-changes":
            changes = table.changes(
                starting_version=arguments["starting-version"],
                ending_version=arguments["ending-version"],
            )
            return changes.to_arrow().to_pylist()
        case _:
            raise NotImplementedError(task)


def perform(task: str, arguments: dict[str, Any]) -> Any:
    with SharingClient(arguments["profile"], retries=Retries(first_pause=0.01)) as client:
        return perform_on(client, task, arguments)


if __name__ == "__main__":
    answer_tasks(perform)
