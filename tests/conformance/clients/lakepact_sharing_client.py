"""Client program for `lakepact.client.SharingClient`."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pyarrow.compute as pc

from lakepact.client import SharingClient

CANNOT = 77


def done(client: SharingClient, task: str, given: dict[str, Any]) -> Any:
    match task:
        case "list-tables":
            return [f"{t.share}.{t.schema_}.{t.name}" for share in client.shares() for t in client.all_tables(share.name)]
        case "read-table":
            predicate = None
            for column, value in given.get("where", {}).items():
                predicate = pc.field(column) == value
            return client.table(*given["table"].split(".")).to_arrow(predicate=predicate, limit=given.get("limit")).to_pylist()
        case _:
            sys.exit(CANNOT)


if __name__ == "__main__":
    arguments = json.loads(sys.argv[2])
    with SharingClient(arguments["profile"]) as client:
        sys.stdout.write(json.dumps(done(client, sys.argv[1], arguments)))
    sys.stdout.flush()
    os._exit(0)  # running pyarrow threads sometimes abort the interpreter at its end
