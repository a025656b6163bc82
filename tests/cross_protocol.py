"""Tables written by pyiceberg through Iceberg REST and read through Delta Sharing by their URLs."""

from __future__ import annotations

import io
import json
import re
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import Catalog
from pyiceberg.table import Table

from lakepact.reference_server import Server

NAMES = [f"t{number}" for number in range(120)]
ARROW = {
    "boolean": pa.bool_(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


def arrow_type(type_: Any) -> pa.DataType:
    """Return the type of a column of a Delta schema."""
    if isinstance(type_, str):
        if type_.startswith("decimal"):
            return pa.decimal128(*map(int, type_[8:-1].split(",")))
        return ARROW[type_]
    if type_["type"] == "struct":
        return pa.struct([(f["name"], arrow_type(f["type"])) for f in type_["fields"]])
    if type_["type"] == "array":
        return pa.list_(arrow_type(type_["elementType"]))
    return pa.map_(arrow_type(type_["keyType"]), arrow_type(type_["valueType"]))


def spelled(type_: pa.DataType) -> str:
    """Return a type in one form for all offset sizes and names of list items."""
    return (
        re.sub(r" \('[^']*'\)", "", str(type_)).replace("large_", "").replace("<element:", "<item:")
    )


def partition_value(text: str | None, type_: pa.DataType) -> Any:
    if text is None:
        return None
    return (
        {"true": True, "false": False}[text]
        if type_ == pa.bool_()
        else pa.scalar(text).cast(type_).as_py()
    )


@dataclass
class Answered:
    """An answer of the Delta Sharing endpoint."""

    status: int
    headers: dict[str, str]
    lines: list[dict[str, Any]]

    @property
    def message(self) -> str:
        return self.lines[0]["message"]

    @property
    def metadata(self) -> dict[str, Any]:
        return self.lines[1]["metaData"]

    @property
    def files(self) -> list[dict[str, Any]]:
        return [line["file"] for line in self.lines if "file" in line]

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the files, from column names and partition values only."""
        fields = {
            f["name"]: arrow_type(f["type"])
            for f in json.loads(self.metadata["schemaString"])["fields"]
        }
        found = list[dict[str, Any]]()
        for file in self.files:
            with urllib.request.urlopen(file["url"]) as response:
                body = response.read()
            assert len(body) == file["size"]
            held = pq.read_table(io.BytesIO(body))
            columns = {}
            for name, type_ in fields.items():
                if name in file["partitionValues"]:
                    columns[name] = pa.array(
                        [partition_value(file["partitionValues"][name], type_)] * held.num_rows,
                        type_,
                    )
                elif name in held.column_names:
                    assert spelled(held.column(name).type) == spelled(type_), name
                    columns[name] = held.column(name)
                else:
                    columns[name] = pa.nulls(held.num_rows, type_)
            found += pa.table(columns).to_pylist()
        return found


@dataclass
class Doors:
    """A server of both protocols, and a table name of one test."""

    server: Server
    catalog: Catalog
    warehouse: Path
    names: Iterator[str] = field(default_factory=lambda: iter(NAMES))
    name: str = ""

    def create(self, data: pa.Table | pa.Schema, **more: Any) -> Table:
        """Create an Iceberg table of a shared name, with these rows."""
        self.name = next(self.names)
        table = self.catalog.create_table(
            f"ns.{self.name}", schema=data if isinstance(data, pa.Schema) else data.schema, **more
        )
        if isinstance(data, pa.Table):
            table.append(data)
        return table

    def ask(self, what: str, body: Any = None, **headers: str) -> Answered:
        """Send a Delta Sharing request about the table."""
        url = f"{self.server.address('delta_sharing')}/shares/s/schemas/d/tables/{self.name}/{what}"
        sent = None if body is None else json.dumps(body).encode()
        said = {
            "Authorization": "Bearer token",
            "Content-Type": "application/json",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        try:
            with urllib.request.urlopen(urllib.request.Request(url, sent, said)) as response:
                status, found, text = response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            status, found, text = error.code, error.headers, error.read()
            error.close()
        return Answered(
            status,
            {k.lower(): v for k, v in found.items()},
            [json.loads(line) for line in text.splitlines()],
        )

    def fetch(self, url: str) -> bytes:
        """Return the content at a URL."""
        try:
            with urllib.request.urlopen(url) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            error.close()
            raise

    def query(self, **body: Any) -> Answered:
        return self.ask("query", body)

    def version(self) -> int:
        return int(self.ask("version").headers["delta-table-version"])


def same_rows(table: Table, answered: Answered, **scan: Any) -> None:
    """Assert that both protocols return the same rows."""
    assert answered.status == 200, answered.lines
    expected = table.scan(**scan).to_arrow().to_pylist()
    assert sorted(map(repr, expected)) == sorted(map(repr, answered.rows()))


def avro(
    path: str,
    change: Callable[[list[Any]], None],
    *,
    reshape: Callable[[Any], Any] = lambda schema: schema,
) -> str:
    """Write a copy of an Avro file with the schema as of `reshape` and the records changed by
    `change`, and return its location.
    """
    source = Path(path.removeprefix("file://"))
    with source.open("rb") as stream:
        reader = fastavro.reader(stream)
        schema, metadata, records = (
            json.loads(reader.metadata["avro.schema"]),
            dict(reader.metadata),
            list(reader),
        )
    change(records)
    out = io.BytesIO()
    kept = {key: value for key, value in metadata.items() if not key.startswith("avro.")}
    fastavro.writer(out, reshape(schema), records, metadata=kept)
    copy = source.with_name(f"{uuid.uuid4()}.avro")
    copy.write_bytes(out.getvalue())
    return f"file://{copy}"


def commit(doors: Doors, table: Table, manifest_list: str) -> None:
    """Commit a snapshot with that manifest list."""
    last = table.metadata.last_sequence_number
    snapshot = {
        "snapshot-id": uuid.uuid4().int >> 66,
        "parent-snapshot-id": table.metadata.current_snapshot_id,
        "sequence-number": last + 1,
        "timestamp-ms": table.metadata.last_updated_ms + 1,
        "manifest-list": manifest_list,
        "summary": {"operation": "overwrite"},
        "schema-id": 0,
    }
    ref = {
        "action": "set-snapshot-ref",
        "ref-name": "main",
        "type": "branch",
        "snapshot-id": snapshot["snapshot-id"],
    }
    body = {"requirements": [], "updates": [{"action": "add-snapshot", "snapshot": snapshot}, ref]}
    response = doors.catalog._session.post(
        f"{doors.server.url}/v1/namespaces/ns/tables/{doors.name}", json=body
    )
    assert response.status_code == 200, response.text
