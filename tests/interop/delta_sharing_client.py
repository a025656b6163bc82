"""A client driver of the connector `delta-sharing` of PyPI."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import delta_sharing

CANNOT = 77


def perform(task: str, arguments: dict[str, Any]) -> Any:
    if task == "list-tables":
        tables = delta_sharing.SharingClient(arguments["profile"]).list_all_tables()
        return [f"{table.share}.{table.schema}.{table.name}" for table in tables]
    if task == "read-table" and "where" not in arguments:
        frame = delta_sharing.load_as_pandas(
            f"{arguments['profile']}#{arguments['table']}", limit=arguments.get("limit")
        )
        return json.loads(frame.to_json(orient="records"))
    sys.exit(CANNOT)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(perform(sys.argv[1], json.loads(sys.argv[2]))))
    sys.stdout.flush()
    os._exit(0)  # running threads of pyarrow sometimes end the process with SIGABRT
