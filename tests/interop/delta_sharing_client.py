"""A client driver of the connector `delta-sharing` of PyPI."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import delta_sharing

CANNOT = 77


def done(task: str, told: dict[str, Any]) -> Any:
    if task == "list-tables":
        listed = delta_sharing.SharingClient(told["profile"]).list_all_tables()
        return [f"{table.share}.{table.schema}.{table.name}" for table in listed]
    if task == "read-table" and "where" not in told:
        frame = delta_sharing.load_as_pandas(
            f"{told['profile']}#{told['table']}", limit=told.get("limit")
        )
        return json.loads(frame.to_json(orient="records"))
    sys.exit(CANNOT)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(done(sys.argv[1], json.loads(sys.argv[2]))))
    sys.stdout.flush()
    os._exit(0)  # running threads of pyarrow sometimes end the process with SIGABRT
