"""Tables are created and edited on servers that insist on ids, and an edit that a reply lacks is an
error.
"""

from __future__ import annotations

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driving import KINDS, Driven
from lakepact.client import IcebergCatalog, IncompleteCommit
from lakepact.generated.iceberg_rest import models
from sample_tables.table_documents import field, partition_field, sort_field, struct
from server_doubles.strict_table import StrictTable, field_ids

CITY = struct(field(9, "city", "string"))
SCHEMA = struct(
    field(1, "id", "int", required=True),
    field(2, "price", "decimal(9, 2)"),
    field(3, "at", "timestamptz"),
    field(4, "to", CITY),
)
SPEC = {"fields": [partition_field(3, "day", "at_day")]}
ORDER = {"fields": [sort_field(1)]}
PAIRS = {"type": "map", "key": "string", "value": {"type": "list", "element": CITY}}


@pytest.fixture(params=KINDS)
def strict(request):
    """Yield a strict table, created with a partition spec and a sort order, and a catalog of it."""
    table = StrictTable()
    with Driven(KINDS[request.param], "http://catalog", carrier=table.desk.carrier) as client:
        client.create_table(
            "n.t", SCHEMA, partition_spec=SPEC, write_order=ORDER, properties={"old": "1"}
        )
        yield client, table


def commit(client, *edits):
    """Commit these edits together."""
    change = client.change("n.t")
    for edit in edits:
        edit(change)
    return client.result_of(change.commit()).metadata


def body_of(table, number=-1):
    return json.loads(
        [request for request in table.desk.requests if request.method == "POST"][number].content
    )


def test_created_table_has_the_ids_that_servers_need(strict):
    _, table = strict

    body = body_of(table)

    assert body["schema"] == {**SCHEMA, "schema-id": 0}
    assert body["partition-spec"] == {
        "spec-id": 0,
        "fields": [{**SPEC["fields"][0], "field-id": 1000}],
    }
    assert body["write-order"] == {"order-id": 1, **ORDER}


@pytest.mark.parametrize("as_models", [True, False], ids=["models", "documents"])
def test_ids_that_the_caller_gives_are_kept(as_models):
    table = StrictTable()
    fields = [
        {"source-id": 3, "name": "day", "transform": "day", "field-id": 1007},
        {"source-id": 1, "name": "id", "transform": "identity"},
    ]
    documents = (
        {**SCHEMA, "schema-id": 4},
        {"spec-id": 2, "fields": fields},
        {"order-id": 3, "fields": []},
    )
    kinds = (models.Schema, models.PartitionSpec, models.SortOrder)
    schema, spec, order = (
        kind.model_validate(one) if as_models else one
        for kind, one in zip(kinds, documents, strict=True)
    )

    with IcebergCatalog(
        "http://catalog", http=httpx.Client(transport=table.desk.carrier)
    ) as catalog:
        catalog.create_table("n.t", schema, partition_spec=spec, write_order=order)

    body = body_of(table)
    assert (
        body["schema"]["schema-id"],
        body["partition-spec"]["spec-id"],
        body["write-order"]["order-id"],
    ) == (4, 2, 3)
    assert [one["field-id"] for one in body["partition-spec"]["fields"]] == [1007, 1008]


def test_unsorted_order_has_the_id_zero():
    table = StrictTable()

    with IcebergCatalog(
        "http://catalog", http=httpx.Client(transport=table.desk.carrier)
    ) as catalog:
        catalog.create_table("n.t", SCHEMA, write_order={"fields": []})

    assert body_of(table)["write-order"]["order-id"] == 0


FORWARDS_AND_BACK = {
    "column": (
        lambda edits: edits.add_column("note", "string"),
        lambda edits: edits.drop_column("note"),
    ),
    "nested type": (
        lambda edits: edits.add_column("pairs", PAIRS),
        lambda edits: edits.drop_column("pairs"),
    ),
    "nested column": (
        lambda edits: edits.add_column(("to", "zip"), "string"),
        lambda edits: edits.drop_column(("to", "zip")),
    ),
    "name": (
        lambda edits: edits.rename_column("at", "since"),
        lambda edits: edits.rename_column("since", "at"),
    ),
    "partition field": (
        lambda edits: edits.add_partition_field("id", "bucket[4]"),
        lambda edits: edits.remove_partition_field("id_bucket"),
    ),
    "first partition field": (
        lambda edits: edits.remove_partition_field("at_day"),
        lambda edits: edits.add_partition_field("at", "day"),
    ),
    "partitioned column": (
        lambda edits: edits.add_column("region", "string").add_partition_field("region"),
        lambda edits: edits.remove_partition_field("region").drop_column("region"),
    ),
    "tag": (lambda edits: edits.set_tag("v1"), lambda edits: edits.remove_ref("v1")),
    "branch": (
        lambda edits: edits.set_branch("dev", min_snapshots_to_keep=3),
        lambda edits: edits.remove_ref("dev"),
    ),
    "property": (
        lambda edits: edits.set_properties({"x": "1"}),
        lambda edits: edits.remove_properties("x"),
    ),
    "location": (
        lambda edits: edits.set_location("memory:u"),
        lambda edits: edits.set_location("memory:t"),
    ),
}


def state(metadata):
    """Return what a reader sees of a table."""
    columns, spec = metadata.current_schema.fields, metadata.default_partition_spec.fields
    return (
        list(columns),
        list(spec),
        dict(metadata.refs),
        dict(metadata.properties),
        metadata.location,
    )


@pytest.mark.parametrize("edits", FORWARDS_AND_BACK.values(), ids=FORWARDS_AND_BACK)
def test_edit_and_its_opposite_are_accepted_again_and_again(strict, edits):
    client, _ = strict
    before = state(client.load_table("n.t").metadata)
    forwards, back = edits

    for _ in range(2):
        assert state(commit(client, forwards)) != before
        assert state(commit(client, back)) == before


@pytest.mark.parametrize("edits", FORWARDS_AND_BACK.values(), ids=FORWARDS_AND_BACK)
def test_transaction_sends_what_a_change_sends(strict, edits):
    client, _ = strict
    before = state(client.load_table("n.t").metadata)

    for edit in edits:
        transaction = client.transaction()
        edit(transaction.change("n.t"))
        client.result_of(transaction.commit())

    assert state(client.load_table("n.t").metadata) == before


@pytest.mark.parametrize(
    "edits", list(FORWARDS_AND_BACK.values())[:7], ids=list(FORWARDS_AND_BACK)[:7]
)
def test_schema_or_spec_edit_and_its_opposite_in_one_commit_change_nothing(strict, edits):
    client, _ = strict
    before = state(client.load_table("n.t").metadata)

    assert state(commit(client, *edits)) == before


def test_earlier_schema_is_made_current_by_its_id(strict):
    client, table = strict
    commit(client, lambda edits: edits.rename_column("at", "since"))

    commit(client, lambda edits: edits.rename_column("since", "at"))

    assert body_of(table)["updates"] == [{"action": "set-current-schema", "schema-id": 0}]


def test_earlier_spec_is_made_the_default_by_its_id(strict):
    client, table = strict
    commit(client, lambda edits: edits.remove_partition_field("at_day"))

    commit(client, lambda edits: edits.add_partition_field("at", "day"))

    assert body_of(table)["updates"] == [{"action": "set-default-spec", "spec-id": 0}]


def test_table_without_ids_of_schema_and_spec_can_be_edited(strict):
    client, table = strict
    del table.metadata["schemas"][0]["schema-id"], table.metadata["partition-specs"][0]["spec-id"]

    with pytest.raises(Exception, match="schema-id"):  # the strict table does not know such tables
        commit(
            client,
            lambda edits: edits.add_column("note", "string").remove_partition_field("at_day"),
        )

    schema, current, spec, default = body_of(table)["updates"]
    assert (
        schema["schema"]["schema-id"],
        current["schema-id"],
        spec["spec"]["spec-id"],
        default["spec-id"],
    ) == (1, -1, 1, -1)


def test_new_partition_field_gets_an_id_above_those_of_all_specs(strict):
    client, table = strict
    table.metadata["partition-specs"].append(
        {
            "spec-id": 3,
            "fields": [{"source-id": 1, "field-id": 1009, "name": "i", "transform": "void"}],
        }
    )

    commit(client, lambda edits: edits.add_partition_field("id"))

    spec = body_of(table)["updates"][0]["spec"]
    assert (spec["spec-id"], [one["field-id"] for one in spec["fields"]]) == (4, [1000, 1010])


COLUMNS = st.sampled_from(["a", "b", "c"])
TYPES = st.sampled_from(["int", "string", PAIRS, CITY])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "rename", "drop", "partition", "unpartition"]),
        COLUMNS,
        COLUMNS,
        TYPES,
    ),
    max_size=8,
)


@given(STEPS)
def test_no_sequence_of_edits_is_refused_or_uses_an_id_twice(steps):
    table, names = StrictTable(), ["id", "price", "at", "to"]
    with IcebergCatalog(
        "http://catalog", http=httpx.Client(transport=table.desk.carrier)
    ) as catalog:
        catalog.create_table("n.t", SCHEMA)
        for kind, column, other, type_ in steps:
            change = catalog.change("n.t")
            match kind:
                case "add":
                    change.add_column(column, type_)
                case "rename":
                    change.rename_column(column, other)
                case "drop":
                    change.drop_column(column)
                case "partition":
                    change.add_partition_field(column)
                case "unpartition":
                    change.remove_partition_field(column)
            try:
                change.commit()
            except ValueError:  # it does not fit the table
                continue
            names = (
                [other if name == column else name for name in names] if kind == "rename" else names
            )
            names = [name for name in names if (kind, name) != ("drop", column)] + [column] * (
                kind == "add"
            )

        assert [
            one.name for one in catalog.load_table("n.t").metadata.current_schema.fields
        ] == names
    fields: dict[int, set[str]] = {}
    for schema in table.metadata["schemas"]:
        ids = field_ids(schema["fields"])
        assert len(ids) == len(set(ids))
        for each in schema["fields"]:
            fields.setdefault(each["id"], set()).add(json.dumps(each["type"]))
    assert all(len(types) == 1 for types in fields.values())


LOST = {
    "column": (
        lambda edits: edits.add_column("note", "string", doc="free text"),
        ["schemas", "current-schema-id"],
        r'column: expected {.*"note"',
    ),
    "documentation": (
        lambda edits: edits.update_column("id", doc="key"),
        ["schemas", "current-schema-id"],
        '"doc": "key"',
    ),
    "dropped column": (
        lambda edits: edits.drop_column("price"),
        ["schemas", "current-schema-id"],
        "column: expected",
    ),
    "type": (
        lambda edits: edits.update_column("price", "decimal(10,2)"),
        ["current-schema-id"],
        'returned {.*"decimal\\(9, 2\\)"',
    ),
    "partition field": (
        lambda edits: edits.add_partition_field("id"),
        ["default-spec-id"],
        "default partition spec: expected .*returned",
    ),
    "set property": (
        lambda edits: edits.set_properties({"x": "1"}),
        ["properties"],
        'properties.x: expected "1", returned null',
    ),
    "removed property": (
        lambda edits: edits.remove_properties("old"),
        ["properties"],
        'properties.old: expected null, returned "1"',
    ),
    "location": (
        lambda edits: edits.set_location("memory:u"),
        ["location"],
        'location: expected "memory:u", returned "memory:t"',
    ),
    "version": (
        lambda edits: edits.upgrade_format_version(3),
        ["format-version"],
        "format-version: expected 3, returned 2",
    ),
    "tag": (
        lambda edits: edits.set_tag("v1"),
        ["refs"],
        'refs.v1: expected {"snapshot-id": 7, "type": "tag"}, returned null',
    ),
}


@pytest.mark.parametrize(("edit", "members", "message"), LOST.values(), ids=LOST)
def test_edit_that_the_reply_lacks_raises_incomplete_commit(strict, edit, members, message):
    client, table = strict
    before = {member: table.metadata[member] for member in members}
    table.change_reply = lambda metadata: metadata.update(before)

    with pytest.raises(IncompleteCommit, match=message) as exc_info:
        commit(client, edit)

    assert (exc_info.value.operation, exc_info.value.is_retry_safe) == ("updateTable", False)


def _space_in_a_type(metadata):
    metadata["schemas"][-1]["fields"][1]["type"] = "decimal(10, 2)"


def _another_field_id(metadata):
    metadata["schemas"][-1]["fields"][-1]["id"] = 70


def _with_nulls(metadata):
    metadata["schemas"][-1]["fields"][-1] |= {"doc": None, "write-default": None}


NORMALIZED = {
    "space in a decimal": (
        lambda edits: edits.update_column("price", "decimal(10,2)"),
        _space_in_a_type,
    ),
    "other id": (lambda edits: edits.add_column("note", "string"), _another_field_id),
    "nulls": (lambda edits: edits.add_column("note", "string"), _with_nulls),
    "slash": (
        lambda edits: edits.set_location("memory:u/"),
        lambda metadata: metadata.update(location="memory:u"),
    ),
    "more properties": (
        lambda edits: edits.set_properties({"x": "1"}),
        lambda metadata: metadata["properties"].update(y="2"),
    ),
    "reserved property": (
        lambda edits: edits.set_properties({"format-version": "2", "x": "1"}),
        lambda metadata: metadata["properties"].pop("format-version"),
    ),
    "void field": (
        lambda edits: edits.remove_partition_field("at_day"),
        lambda metadata: metadata["partition-specs"][-1].update(
            fields=[{**SPEC["fields"][0], "transform": "void", "field-id": 1000}]
        ),
    ),
    "main without refs": (
        lambda edits: edits.set_branch("main", 7),
        lambda metadata: metadata.pop("refs"),
    ),
    "commit in between": (
        lambda edits: edits.set_properties({"x": "1"}),
        lambda metadata: metadata.update(
            {
                "properties": {},
                "metadata-log": [{"metadata-file": "memory:other", "timestamp-ms": 99}],
            }
        ),
    ),
}


@pytest.mark.parametrize(("edit", "normalize"), NORMALIZED.values(), ids=NORMALIZED)
def test_reply_that_says_the_same_otherwise_is_accepted(strict, edit, normalize):
    client, table = strict
    before = table.locations
    table.change_reply = normalize

    commit(client, edit)

    assert table.locations == before + 1
