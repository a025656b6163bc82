"""A commit that returned 200 raises an error if its edits are missing; a commit that returned an
error does not if its edits were applied.
"""

from __future__ import annotations

import inspect
import json
from datetime import UTC, datetime

import httpx
import pyarrow as pa
import pytest

from driving import CONFLICT, Driven, Unreliable, apply_and_disconnect
from lakepact.client import IcebergCatalog, errors
from lakepact.client.iceberg_rest.table_edits import TableEdits
from lakepact.client.retries import NO_RETRIES, Retries
from sample_tables.table_documents import (
    branch,
    field,
    partition_field,
    partition_statistics,
    snapshot,
    sort_field,
    statistics,
    struct,
    tag,
    update,
)

SCHEMA = {
    **struct(
        field(1, "id", "int", required=True),
        field(2, "code", "int", required=True),
        field(3, "at", "timestamptz"),
        field(4, "note", "string", **{"write-default": "none"}),
    ),
    "identifier-field-ids": [1],
}
ROWS = struct(field(1, "id", "long", required=True), field(2, "city", "string"))
HISTORY = [
    update("add-snapshot", snapshot=snapshot(6, 1, first_row_id=0, added_rows=3)),
    branch("main", 6),
    update("add-snapshot", snapshot=snapshot(7, 2, parent=6, first_row_id=3, added_rows=3)),
    branch("main", 7, **{"max-snapshot-age-ms": 9}),
    tag("old", 7),
    update("set-statistics", snapshot_id=7, statistics=statistics(7)),
    update("set-partition-statistics", partition_statistics=partition_statistics(7)),
]
#: Each edit as it changes the table, by its method.
EDITS = {
    "add_column": lambda edits: edits.add_column("city", "string"),
    "rename_column": lambda edits: edits.rename_column("note", "text"),
    "update_column": lambda edits: edits.update_column("code", "long"),
    "require_column": lambda edits: edits.require_column("at", allow_incompatible=True),
    "set_default": lambda edits: edits.set_default("note", None),
    "union_by_name": lambda edits: edits.union_by_name(struct(field(1, "city", "string"))),
    "drop_column": lambda edits: edits.drop_column("note"),
    "move_column": lambda edits: edits.move_column("note"),
    "set_identifier_fields": lambda edits: edits.set_identifier_fields("id", "code"),
    "sort_by": lambda edits: edits.sort_by("code"),
    "remove_sort_order": lambda edits: edits.remove_sort_order(),
    "expire_snapshots": lambda edits: edits.expire_snapshots(datetime.now(UTC)),
    "add_partition_field": lambda edits: edits.add_partition_field("id"),
    "remove_partition_field": lambda edits: edits.remove_partition_field("at_day"),
    "set_statistics": lambda edits: edits.set_statistics(statistics(7, size=9)),
    "remove_statistics": lambda edits: edits.remove_statistics(7),
    "set_partition_statistics": lambda edits: edits.set_partition_statistics(
        partition_statistics(7, size=9)
    ),
    "remove_partition_statistics": lambda edits: edits.remove_partition_statistics(7),
    "set_properties": lambda edits: edits.set_properties({"x": "1"}),
    "remove_properties": lambda edits: edits.remove_properties("old"),
    "set_location": lambda edits: edits.set_location("memory:elsewhere"),
    "upgrade_format_version": lambda edits: edits.upgrade_format_version(3),
    "set_branch": lambda edits: edits.set_branch("main"),
    "set_tag": lambda edits: edits.set_tag("new", 6),
    "rollback": lambda edits: edits.rollback(6),
    "remove_ref": lambda edits: edits.remove_ref("old"),
}


@pytest.fixture
def table(request, server, names):
    """Return the name of a table on which each edit changes something."""
    name, version = next(names), "2" if "upgrade_format_version" in request.node.name else "3"
    columns = [*SCHEMA["fields"][:-1], field(4, "note", "string")]  # version 2 has no defaults
    with IcebergCatalog(server.url) as catalog:
        catalog.create_table(
            name,
            SCHEMA if version == "3" else {**SCHEMA, "fields": columns},
            partition_spec={"fields": [partition_field(3, "day", "at_day")]},
            write_order={"fields": [sort_field(1)]},
            properties={"old": "1", "format-version": version},
        )
        catalog.commit_table(name, HISTORY)
    return name


@pytest.fixture
def rows_table(server, names):
    """Return the name of a table of two rows."""
    name = next(names)
    with IcebergCatalog(server.url) as catalog:
        catalog.create_table(name, ROWS)
        catalog.append(name, pa.table({"id": [1, 2], "city": ["Rome", None]}))
    return name


def ignore(inner, request):
    """Return the table as it is."""
    reply = inner.handle_request(httpx.Request("GET", request.url))
    table = json.loads(reply.read())
    members = ("metadata", "metadata-location")
    return httpx.Response(200, json={name: table[name] for name in members})


def replace(inner, request):
    """Make another edit, so that the table has new metadata."""
    body = json.loads(request.read())
    body["updates"] = [update("set-properties", updates={"other": "1"})]
    return inner.handle_request(httpx.Request("POST", request.url, json=body))


def without_refs(inner, request):
    """Add snapshots without moving the branch."""
    body = json.loads(request.read())
    body["updates"] = [one for one in body["updates"] if one["action"] != "set-snapshot-ref"]
    return inner.handle_request(httpx.Request("POST", request.url, json=body))


def apply_and_conflict(inner, request):
    """Apply a commit and answer it with 409."""
    assert inner.handle_request(request).status_code in {200, 204}
    return httpx.Response(409, json=CONFLICT)


def test_every_edit_is_tried():
    edits = {name for name, _ in inspect.getmembers(TableEdits, inspect.isfunction)}

    assert {name for name in edits if not name.startswith("_")} - EDITS.keys() == {
        "resolve", "missing_in", "is_applied",
    }  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("answer_commit", [ignore, replace])
def test_edit_that_the_server_drops_raises_incomplete_commit(server, table, edit, answer_commit):
    with (
        Driven(IcebergCatalog, server.url, carrier=Unreliable(answer_commit)) as catalog,
        pytest.raises(errors.IncompleteCommit, match="expected"),
    ):
        EDITS[edit](catalog.change(table)).commit()


@pytest.mark.parametrize("edit", sorted(EDITS.keys() - {"set_location"}))
def test_edit_that_the_server_makes_is_no_error(server, table, edit):
    with IcebergCatalog(server.url) as catalog:
        assert EDITS[edit](catalog.change(table)).commit().metadata


WRITES = {
    "append": lambda catalog, table: catalog.append(table, {"id": [3], "city": ["Oslo"]}),
    "overwrite": lambda catalog, table: catalog.overwrite(table, {"id": [3], "city": ["Oslo"]}),
    "delete": lambda catalog, table: catalog.delete(table, "id = 1"),
    "upsert": lambda catalog, table: catalog.upsert(table, {"id": [1], "city": ["Bern"]}, ["id"]),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("answer_commit", [ignore, replace, without_refs])
def test_rows_that_the_server_drops_raise_incomplete_commit(
    drive, server, rows_table, write, answer_commit
):
    catalog = drive(server.url, carrier=Unreliable(answer_commit))

    with pytest.raises(errors.IncompleteCommit, match="snapshot"):
        WRITES[write](catalog, rows_table)


@pytest.mark.parametrize("retries", [NO_RETRIES, Retries(first_pause=0.001)], ids=["once", "again"])
@pytest.mark.parametrize("answer", [apply_and_conflict, apply_and_disconnect])
def test_applied_edit_that_is_answered_with_an_error_is_recognised(
    drive, server, table, answer, retries
):
    carrier = Unreliable(answer)
    catalog = drive(server.url, carrier=carrier, retries=retries)

    result = catalog.result_of(catalog.change(table).add_column("city", "string").commit())

    assert [column.name for column in result.metadata.current_schema.fields][-1] == "city"
    assert (carrier.commits, result.metadata_location.startswith("file:")) == (1, True)


def test_applied_transaction_that_is_answered_with_409_is_recognised(drive, server, table):
    carrier = Unreliable(apply_and_conflict)
    catalog = drive(server.url, carrier=carrier)
    transaction = catalog.transaction()
    transaction.change(table).add_column("city", "string")

    catalog.result_of(transaction.commit())

    assert carrier.commits == 1


def test_conflict_with_an_edit_of_another_client_is_rejected(drive, server, table):
    def overtaken(inner, request):
        with IcebergCatalog(server.url) as other:
            other.change(table).add_column("city", "int").commit()
        return inner.handle_request(request)

    catalog = drive(server.url, carrier=Unreliable(overtaken))

    with pytest.raises(errors.CommitRejected):
        catalog.result_of(catalog.change(table).add_column("city", "string").commit())


@pytest.mark.parametrize("retries", [NO_RETRIES, Retries(first_pause=0.001)], ids=["once", "again"])
def test_applied_append_that_is_answered_with_409_keeps_its_files(
    drive, server, rows_table, retries
):
    carrier = Unreliable(apply_and_conflict)

    drive(server.url, carrier=carrier, retries=retries).append(
        rows_table, {"id": [3], "city": ["Oslo"]}
    )

    assert carrier.commits == 1
    with Driven(IcebergCatalog, server.url) as catalog:
        assert catalog.scan(rows_table).to_arrow().num_rows == 3
