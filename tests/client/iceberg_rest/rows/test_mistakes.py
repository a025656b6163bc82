"""Mistakes of callers raise errors of Python or of the client, in one line, whichever library finds them; nothing is printed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakepact.client import IcebergCatalog, LakepactError, TableChange
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
}


@pytest.fixture(scope="module")
def catalog():
    with running() as server, IcebergCatalog(server.url) as opened:
        opened.create_namespace("n")
        opened.create_table("n.t", SCHEMA)
        yield opened


@pytest.mark.parametrize(("mistake", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_raises_one_line_of_python_or_the_client(catalog, capfd, mistake, message):
    with pytest.raises((ValueError, TypeError, LakepactError), match=message) as caught:
        mistake(catalog)

    error = caught.value
    assert type(error) in {ValueError, TypeError} or isinstance(error, LakepactError)
    assert ("\n" in str(error), capfd.readouterr().out) == (False, "")


def test_number_as_a_property_is_compared_as_the_text_that_is_sent(catalog):
    changed = catalog.change("n.t").set_properties({"a": 1, "b": True}).commit()

    assert (changed.metadata.properties["a"], changed.metadata.properties["b"]) == ("1", "true")


def test_schema_of_a_frame_with_nanoseconds_and_a_zone_is_taken(catalog):
    columns = [("at", pa.timestamp("ns")), ("seen", pa.timestamp("ns", "Europe/Berlin"))]

    created = catalog.create_table("n.frames", pa.schema(columns)).metadata.current_schema

    assert [column.type for column in created.fields] == ["timestamp", "timestamptz"]
