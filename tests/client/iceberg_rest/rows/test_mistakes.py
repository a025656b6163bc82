"""Mistakes of callers raise errors of Python or of the client, in one line, whichever library finds
them; nothing is printed.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from lakepact.client import IcebergCatalog, LakepactError, TableChange, column
from lakepact.reference_server import running
from sample_tables.table_documents import field, struct

SCHEMA = struct(field(1, "id", "long", required=True), field(2, "city", "string"))
SPAN = pa.schema([("span", pa.month_day_nano_interval())])
MISTAKES = {
    "filter": (
        lambda catalog: catalog.scan("n.t", None, "id >>> 1").to_arrow(),
        "filter .*id >>> 1",
    ),
    "filter of batches": (
        lambda catalog: list(catalog.scan("n.t", None, "id >>> 1").batches()),
        "filter",
    ),
    "filter of delete": (lambda catalog: catalog.delete("n.t", "id ="), 'read from "id ="'),
    "schema without fields": (
        lambda catalog: catalog.create_table("n.x", {"type": "struct"}),
        "schema/fields: Field required",
    ),
    "text as schema": (lambda catalog: catalog.create_table("n.x", "id long"), "given str"),
    "list as spec": (
        lambda catalog: catalog.create_table("n.x", SCHEMA, partition_spec=["id"]),
        "given list",
    ),
    "spec": (
        lambda catalog: catalog.create_table("n.x", SCHEMA, partition_spec={"fields": [{}]}),
        "fields/0/source-id",
    ),
    "type of Arrow": (lambda catalog: catalog.create_table("n.x", SPAN), "'span'.*unsupported"),
    "update": (
        lambda catalog: catalog.commit_table("n.t", [{"action": "set-propertes"}]),
        "updates/0: .*'set-propertes'",
    ),
    "requirement": (
        lambda catalog: catalog.commit_table("n.t", [], requirements=[{"type": "x"}]),
        "requirements/0",
    ),
    "transaction": (
        lambda catalog: catalog.commit_transaction([TableChange("n", "t", [{"action": "x"}])]),
        "updates/0",
    ),
    "plan": (lambda catalog: catalog.plan_scan("n.t", row_filter={"type": "x"}), "filter"),
    "report": (lambda catalog: catalog.report_metrics("n.t", {}), "table-name: Field required"),
    "statistics": (
        lambda catalog: catalog.change("n.t").set_statistics({}).commit(),
        "statistics-path: Field required",
    ),
    "column type": (
        lambda catalog: catalog.change("n.t").add_column("x", {"type": "list"}).commit(),
        "list/element: Field required",
    ),
    "direction": (
        lambda catalog: catalog.change("n.t").sort_by("id", direction="up").commit(),
        "direction",
    ),
    "union": (
        lambda catalog: catalog.change("n.t").union_by_name(SPAN).commit(),
        "'span'.*unsupported",
    ),
    "text as properties": (
        lambda catalog: catalog.change("n.t").set_properties("owner"),
        'properties is a mapping, such as {"owner": "finance"}: given str',
    ),
    "text as properties of a namespace": (
        lambda catalog: catalog.update_namespace_properties("n", updates="owner"),
        "updates is a mapping",
    ),
    "list as a property": (
        lambda catalog: catalog.create_namespace("m", {"owners": ["a"]}),
        "properties/owners: Input should be a valid string",
    ),
    "text as removals": (
        lambda catalog: catalog.update_namespace_properties("n", removals="owner"),
        r'removals is a list, such as \["owner"\]',
    ),
    "text as changes": (lambda catalog: catalog.commit_transaction("n.t"), "changes is a list"),
    "documents as changes": (
        lambda catalog: catalog.commit_transaction([{"updates": []}]),
        "list of TableChange: one of them is dict",
    ),
    "number as namespace": (lambda catalog: catalog.create_namespace(3), "list: given int"),
    "numbers as levels": (lambda catalog: catalog.create_namespace([3]), "at least one level"),
    "number as column": (
        lambda catalog: catalog.scan("n.t", [1]),
        "columns is a list of texts: one of them is int",
    ),
    "column of a filter": (
        lambda catalog: catalog.scan("n.t", None, "nope = 1").to_arrow(),
        'no column "nope"; it has id, city',
    ),
    "column of a delete": (lambda catalog: catalog.delete("n.t", "nope = 1"), 'column "nope"'),
    "negative limit": (lambda catalog: catalog.scan("n.t", limit=-1), "0 or more: given -1"),
    "text as limit": (lambda catalog: catalog.scan("n.t", limit="5"), "0 or more: given 5"),
    "series as rows": (
        lambda catalog: catalog.append("n.t", pd.Series([1])),
        "expected a table of Arrow, a frame.*given Series",
    ),
    "text as properties of a snapshot": (
        lambda catalog: catalog.append("n.t", {"id": [1]}, snapshot_properties="job"),
        "snapshot_properties is a mapping",
    ),
    "path as location": (
        lambda catalog: catalog.add_files("n.t", [Path("x.parquet")]),
        "locations is a list of texts: one of them is PosixPath",
    ),
    "file of another format": (
        lambda catalog: catalog.add_files("n.t", [__file__]),
        "test_mistakes.*cannot be read",
    ),
    "type of Arrow for a column": (
        lambda catalog: catalog.change("n.t").add_column("x", pa.int64()).commit(),
        "text such as .*given DataType",
    ),
    "text as format version": (
        lambda catalog: catalog.change("n.t").upgrade_format_version("3").commit(),
        "format version is an int: given str",
    ),
    "rollback to nothing": (
        lambda catalog: catalog.change("n.t").rollback().commit(),
        "snapshot= or timestamp=",
    ),
    "table as schema": (
        lambda catalog: catalog.create_table("n.x", pa.table({"a": [1]})),
        "schema of pyarrow or pyiceberg; given Table",
    ),
    "zoneless time": (
        lambda catalog: catalog.scan("n.t", timestamp=datetime(2026, 1, 1)).to_arrow(),  # noqa: DTZ001
        "needs a zone",
    ),
    "list in a filter": (
        lambda catalog: catalog.scan("n.t", None, column("city").is_in("Rome")),
        "values is a list",
    ),
    "twice the same key": (
        lambda catalog: catalog.upsert("n.t", {"id": [1, 1]}, ["id"]),
        "same key in id",
    ),
    "keys of no column": (
        lambda catalog: catalog.upsert("n.t", {"id": [1]}, ["nope"]),
        'no key column "nope"',
    ),
}


@pytest.fixture(scope="module")
def catalog():
    with running() as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        catalog.create_table("n.t", SCHEMA)
        yield catalog


@pytest.mark.parametrize(("mistake", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_raises_one_line_of_python_or_the_client(catalog, capfd, mistake, message):
    with pytest.raises((ValueError, TypeError, LakepactError), match=message) as exc_info:
        mistake(catalog)

    error = exc_info.value
    assert type(error) in {ValueError, TypeError} or isinstance(error, LakepactError)
    assert ("\n" in str(error), capfd.readouterr().out) == (False, "")


def test_number_as_a_property_is_compared_as_the_text_that_is_sent(catalog):
    result = catalog.change("n.t").set_properties({"a": 1, "b": True}).commit()

    assert (result.metadata.properties["a"], result.metadata.properties["b"]) == ("1", "true")


def test_schema_of_a_frame_with_nanoseconds_and_a_zone_is_taken(catalog):
    columns = [("at", pa.timestamp("ns")), ("seen", pa.timestamp("ns", "Europe/Berlin"))]

    created = catalog.create_table("n.frames", pa.schema(columns)).metadata.current_schema

    assert [column.type for column in created.fields] == ["timestamp", "timestamptz"]
