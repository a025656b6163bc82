"""Tasks of `lakepact check-client` for the Python connector of Delta Sharing.

    lakepact check-client --contract delta_sharing -- python examples/clients/delta_sharing_client.py

Needs delta-sharing.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from typing import TYPE_CHECKING, Any

from delta_sharing.protocol import DeltaSharingProfile, Table
from delta_sharing.reader import DeltaSharingReader
from delta_sharing.rest_client import DataSharingRestClient

import delta_sharing

if TYPE_CHECKING:
    import pandas as pd


class Tasks:
    """The tasks, one method each."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.url = f"{given['profile']}#{given.get('table', '')}"

    def list_tables(self) -> Any:
        listed = delta_sharing.SharingClient(self.given["profile"]).list_all_tables()
        return [f"{table.share}.{table.schema}.{table.name}" for table in listed]

    def read_table(self) -> Any:
        hints = json.dumps(predicate(self.given["where"])) if "where" in self.given else None
        return rows(
            delta_sharing.load_as_pandas(
                self.url, limit=self.given.get("limit"), jsonPredicateHints=hints
            ),
            self.given.get("where"),
        )

    def read_table_by_names(self) -> Any:
        share, schema, name = self.given["names"]
        client = DataSharingRestClient(DeltaSharingProfile.read_from_file(self.given["profile"]))
        return rows(
            DeltaSharingReader(Table(name=name, share=share, schema=schema), client).to_pandas()
        )

    def read_tables(self) -> Any:
        urls = [
            (f"{self.given['profile']}#{one['table']}", one.get("version"))
            for one in self.given["tables"]
        ]
        return [rows(delta_sharing.load_as_pandas(url, version=version)) for url, version in urls]

    def read_table_at_version(self) -> Any:
        return rows(delta_sharing.load_as_pandas(self.url, version=self.given["version"]))

    def read_table_at_timestamp(self) -> Any:
        moment = dt.datetime.fromtimestamp(self.given["timestamp"] / 1000, dt.UTC)
        return rows(
            delta_sharing.load_as_pandas(
                self.url, timestamp=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            )
        )

    def read_metadata(self) -> Any:
        schema = json.loads(delta_sharing.get_table_metadata(self.url).schema_string)
        return [field["name"] for field in schema["fields"]]

    def read_changes(self) -> Any:
        first, last = self.given["starting-version"], self.given["ending-version"]
        return rows(
            delta_sharing.load_table_changes_as_pandas(
                self.url, starting_version=first, ending_version=last
            )
        )

    def table_version(self) -> Any:
        return delta_sharing.get_table_version(self.url)


def predicate(where: dict[str, Any]) -> dict[str, Any]:
    """Return the hint for the rows with these values."""
    kinds = {int: "long", str: "string"}
    equal = [
        {
            "op": "equal",
            "children": [
                {"op": "column", "name": name, "valueType": kinds[type(value)]},
                {"op": "literal", "value": str(value), "valueType": kinds[type(value)]},
            ],
        }
        for name, value in where.items()
    ]
    return equal[0] if len(equal) == 1 else {"op": "and", "children": equal}


def rows(frame: pd.DataFrame, where: dict[str, Any] | None = None) -> Any:
    """Return the rows of a frame with these values; hints leave the filter to the reader."""
    for name, value in (where or {}).items():
        frame = frame[frame[name] == value]
    in_hex = frame.map(lambda value: value.hex() if isinstance(value, bytes) else value)
    return json.loads(in_hex.to_json(orient="records", date_format="iso"))


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
