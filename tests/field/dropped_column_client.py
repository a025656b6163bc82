"""A client that gives a new column the id of a dropped one, rebuilt from the report
apache/iceberg-go#935; `fixed` as argument mends it.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import Any
from urllib.parse import quote


def ask(method: str, url: str, document: Any = None) -> Any:
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(
        url, data=body, method=method, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def add_column(uri: str, namespace: list[str], table: str, column: str, **_: Any) -> None:
    url = f"{uri}/v1/namespaces/{quote(chr(31).join(namespace), safe='')}/tables/{quote(table, safe='')}"
    metadata = ask("GET", url)["metadata"]
    schema = next(
        one for one in metadata["schemas"] if one["schema-id"] == metadata["current-schema-id"]
    )
    highest = (
        metadata["last-column-id"]
        if "fixed" in sys.argv
        else max(field["id"] for field in schema["fields"])
    )
    added = {"id": highest + 1, "name": column, "type": "string", "required": False}
    updates = [
        {
            "action": "add-schema",
            "schema": {
                **schema,
                "schema-id": len(metadata["schemas"]),
                "fields": [*schema["fields"], added],
            },
        },
        {"action": "set-current-schema", "schema-id": -1},
    ]
    requirement = {
        "type": "assert-current-schema-id",
        "current-schema-id": metadata["current-schema-id"],
    }
    ask("POST", url, {"requirements": [requirement], "updates": updates})


for line in sys.stdin:
    asked = json.loads(line)
    answer: dict[str, Any] = {"not_offered": True}
    if asked["task"] == "add-column":
        try:
            answer = {"result": add_column(**asked["arguments"])}
        except OSError as error:
            answer = {"error": {"type": type(error).__name__, "message": str(error)}}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
