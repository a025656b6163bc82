"""Edits of tables: updates, requirements, and repetition after conflicts, through both catalogs."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import httpx
import pytest

from driving import KINDS, Desk, Driven
from lakepact.client import errors
from lakepact.client.iceberg_rest.table_edits import TableEdits
from lakepact.client.retries import Retries
from lakepact.generated.iceberg_rest.models import StructType, TableMetadata
from lakepact.reference_server import running
from sample_tables.table_documents import UUID, field, struct, table

FIELDS = [
    field(1, "id", "int", required=True),
    field(2, "at", "timestamptz"),
    field(3, "to", struct(field(4, "city", "string"))),
]
SCHEMA = {"type": "struct", "schema-id": 0, "identifier-field-ids": [1], "fields": FIELDS}
DAY = {"source-id": 2, "field-id": 1000, "name": "at_day", "transform": "day"}
METADATA = {
    **table(SCHEMA, partition_spec={"spec-id": 0, "fields": [DAY]}),
    "current-snapshot-id": 7,
    "refs": {"main": {"type": "branch", "snapshot-id": 7}},
}
SAME_TABLE = {"type": "assert-table-uuid", "uuid": UUID}
SAME_SCHEMA = {"type": "assert-current-schema-id", "current-schema-id": 0}


def resolve(edits: TableEdits, **members: object) -> tuple[list[dict], list[dict]]:
    change = edits.resolve(TableMetadata.model_validate({**METADATA, **members}))
    return list(change.updates), list(change.requirements)


def edits() -> TableEdits:
    return TableEdits("n.t")


def columns(edit: TableEdits, **members: object) -> list[dict]:
    return resolve(edit, **members)[0][0]["schema"]["fields"]


def test_property_edits_require_the_same_table_alone():
    updates, requirements = resolve(
        edits().set_properties({"a.b": "1"}).remove_properties("c", "d").set_location("memory:u")
    )

    assert updates == [
        {"action": "set-properties", "updates": {"a.b": "1"}},
        {"action": "remove-properties", "removals": ["c", "d"]},
        {"action": "set-location", "location": "memory:u"},
    ]
    assert requirements == [SAME_TABLE]


def test_new_column_gets_the_next_id_and_requires_the_same_schema():
    updates, requirements = resolve(edits().add_column("note", "string", doc="free text"))

    addition = {"id": 5, "name": "note", "required": False, "type": "string", "doc": "free text"}
    assert updates == [
        {
            "action": "add-schema",
            "schema": {**SCHEMA, "schema-id": 1, "fields": [*FIELDS, addition]},
            "last-column-id": 5,
        },
        {"action": "set-current-schema", "schema-id": -1},
    ]
    assert requirements == [
        SAME_TABLE,
        SAME_SCHEMA,
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 4},
    ]


def test_nested_fields_of_a_new_column_get_ids_of_their_own():
    tags = {
        "type": "list",
        "element": {
            "type": "struct",
            "fields": [{"name": "k", "type": "string"}, {"name": "v", "type": "int"}],
        },
    }

    addition = columns(edits().add_column("tags", tags))[-1]

    inner = [
        {"required": False, "name": "k", "type": "string", "id": 7},
        {"required": False, "name": "v", "type": "int", "id": 8},
    ]
    element = {"type": "struct", "fields": inner}
    assert (addition["id"], addition["type"]) == (
        5,
        {"type": "list", "element-id": 6, "element": element, "element-required": False},
    )


def test_nested_column_is_added_by_its_path():
    assert [
        one["name"]
        for one in columns(edits().add_column(("to", "zip"), "string"))[2]["type"]["fields"]
    ] == ["city", "zip"]


def test_renamed_and_widened_column_keeps_its_id():
    assert columns(edits().rename_column("id", "key").update_column("key", "long"))[0] == {
        **FIELDS[0],
        "name": "key",
        "type": "long",
    }


def test_dropped_column_leaves_the_schema():
    assert columns(edits().drop_column("to")) == FIELDS[:2]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (edits().add_column("at", "string"), "has a column 'at' already"),
        (edits().add_column(("at", "x"), "string"), "no struct"),
        (edits().add_column("", "string"), "is empty"),
        (edits().rename_column("absent", "x"), "no column 'absent'"),
        (edits().rename_column("at", "id"), "has a column 'id' already"),
        (edits().update_column("at", "long"), "cannot be widened from timestamptz to long"),
        (edits().update_column("id", make_optional=True), "identifies rows"),
        (edits().drop_column("id"), "identifies rows"),
        (edits().sort_by("to").drop_column("to"), "sort order"),
        (edits().move_column("at", after="at"), "no column"),
        (edits().set_identifier_fields("at"), "cannot identify rows"),
        (edits().drop_column("at"), "used by the partition spec"),
        (edits().drop_column(("to", "city")), "is the last one"),
        (edits().add_partition_field("at", "day", name="x"), "partitioned by day of 'at' already"),
        (edits().remove_partition_field("absent"), "no field 'absent'"),
        (edits().remove_ref("absent"), 'no branch or tag "absent"'),
        (edits().upgrade_format_version(1), "cannot go back to 1"),
        (edits(), "no edits"),
    ],
)
def test_edit_that_does_not_fit_raises_value_error(edit, message):
    with pytest.raises(ValueError, match=message):
        resolve(edit)


def test_new_partition_field_gets_the_next_id_and_requires_the_same_spec():
    updates, requirements = resolve(edits().add_partition_field("id", "bucket[16]"))

    addition = {"source-id": 1, "transform": "bucket[16]", "name": "id_bucket", "field-id": 1001}
    assert updates == [
        {"action": "add-spec", "spec": {"spec-id": 1, "fields": [DAY, addition]}},
        {"action": "set-default-spec", "spec-id": -1},
    ]
    assert requirements == [
        SAME_TABLE,
        {"type": "assert-default-spec-id", "default-spec-id": 0},
        {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 1000},
        SAME_SCHEMA,
    ]


def test_partition_field_of_an_earlier_spec_keeps_its_id():
    specs = [{"spec-id": 0, "fields": [DAY]}, {"spec-id": 1, "fields": []}]

    updates, _ = resolve(
        edits().add_partition_field("at", "day", name="on"),
        **{"partition-specs": specs, "default-spec-id": 1},
    )

    assert updates[0]["spec"] == {"spec-id": 2, "fields": [{**DAY, "name": "on"}]}


@pytest.mark.parametrize(("version", "expected"), [(2, []), (1, [{**DAY, "transform": "void"}])])
def test_removed_partition_field_stays_void_in_format_version_1(version, expected):
    updates, _ = resolve(edits().remove_partition_field("at_day"), **{"format-version": version})

    assert updates[0]["spec"]["fields"] == expected


def test_moved_column_keeps_its_id():
    assert [one["id"] for one in columns(edits().move_column("id", after="at"))] == [2, 1, 3]
    assert [one["id"] for one in columns(edits().move_column("to"))] == [3, 1, 2]


def test_identifier_fields_replace_the_earlier_ones():
    updates, requirements = resolve(edits().set_identifier_fields())

    assert updates[0]["schema"]["identifier-field-ids"] == []
    assert SAME_SCHEMA in requirements


def test_sort_order_is_replaced_and_requires_the_same_order_and_schema():
    updates, requirements = resolve(edits().sort_by("at", "day", direction="desc").sort_by("id"))

    first = {"source-id": 2, "transform": "day", "direction": "desc", "null-order": "nulls-last"}
    second = {
        "source-id": 1,
        "transform": "identity",
        "direction": "asc",
        "null-order": "nulls-first",
    }
    assert updates == [
        {"action": "add-sort-order", "sort-order": {"order-id": 1, "fields": [first, second]}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ]
    assert requirements == [
        SAME_TABLE,
        {"type": "assert-default-sort-order-id", "default-sort-order-id": 0},
        SAME_SCHEMA,
    ]


def test_removed_sort_order_is_the_unsorted_one():
    assert resolve(edits().remove_sort_order())[0] == [
        {"action": "set-default-sort-order", "sort-order-id": 0}
    ]


def test_old_snapshots_without_a_branch_or_tag_are_expired():
    snapshots = [
        {"snapshot-id": id_, "timestamp-ms": id_, "manifest-list": "m", "summary": {}}
        for id_ in (5, 6, 7, 9)
    ]

    updates, _ = resolve(
        edits().expire_snapshots(datetime.fromtimestamp(0.008, UTC)), snapshots=snapshots
    )

    assert updates == [{"action": "remove-snapshots", "snapshot-ids": [5, 6]}]


def test_model_of_a_nested_type_gets_ids_of_its_own():
    nested = StructType.model_validate(struct(field(1, "city", "string")))

    assert columns(edits().add_column("more", nested))[-1]["type"]["fields"][0]["id"] == 6


def test_branches_and_tags_require_what_they_replace():
    updates, requirements = resolve(
        edits().set_tag("v1").set_branch("main", 6, min_snapshots_to_keep=2)
    )

    assert updates == [
        {"action": "set-snapshot-ref", "type": "tag", "ref-name": "v1", "snapshot-id": 7},
        {
            "action": "set-snapshot-ref",
            "type": "branch",
            "ref-name": "main",
            "snapshot-id": 6,
            "min-snapshots-to-keep": 2,
        },
    ]
    assert requirements == [
        SAME_TABLE,
        {"type": "assert-ref-snapshot-id", "ref": "v1", "snapshot-id": None},
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7},
    ]


def test_snapshot_of_a_branch_may_be_named_by_another():
    updates, _ = resolve(edits().set_branch("audit", "main"))

    assert updates[0] | {"ref-name": "audit", "snapshot-id": 7} == updates[0]
    with pytest.raises(ValueError, match="the table has no branch or tag"):
        resolve(edits().set_tag("v1", "absent"))


def test_expiration_by_a_time_without_zone_raises_value_error():
    with pytest.raises(ValueError, match="a time needs a zone"):
        edits().expire_snapshots(datetime(2026, 5, 1))  # noqa: DTZ001 - that is what is refused


def test_tag_of_a_table_without_snapshots_raises_value_error():
    with pytest.raises(ValueError, match="no snapshot for 'v1'"):
        resolve(edits().set_tag("v1"), **{"current-snapshot-id": None, "refs": {}})


def test_format_version_is_upgraded_before_a_type_that_needs_it():
    schema = {
        **SCHEMA,
        "fields": [*FIELDS, {"id": 5, "name": "on", "type": "date", "required": False}],
    }

    edit = edits().upgrade_format_version(3).update_column("on", "timestamp")
    updates, _ = resolve(edit, schemas=[schema], **{"last-column-id": 5})

    assert [update["action"] for update in updates] == [
        "upgrade-format-version",
        "add-schema",
        "set-current-schema",
    ]


@pytest.fixture(scope="module")
def server():
    with running(warehouse="memory:") as server:
        yield server


@pytest.fixture(params=KINDS)
def catalog(request, server):
    """Yield a catalog with the tables `t` and `u` in the namespace `n`."""
    with Driven(KINDS[request.param], server.url) as client:
        client.create_namespace("n")
        for name in ("t", "u"):
            client.create_table(("n", name), SCHEMA)
        yield client
        for name in ("t", "u"):
            client.drop_table(("n", name))
        client.drop_namespace("n")


def commit(catalog, edit):
    return catalog.result_of(edit.commit())


def test_server_applies_all_edits_of_a_table(catalog):
    edit = (
        catalog.change("n.t")
        .add_column("note", "string")
        .rename_column("at", "since")
        .add_partition_field("since", "month")
    )

    after = commit(catalog, edit.set_properties({"x": "1"})).metadata

    current = next(
        schema for schema in after.schemas if schema.schema_id == after.current_schema_id
    )
    spec = next(spec for spec in after.partition_specs if spec.spec_id == after.default_spec_id)
    assert [(one.id, one.name) for one in current.fields] == [
        (1, "id"),
        (2, "since"),
        (3, "to"),
        (5, "note"),
    ]
    assert [(one.name, one.source_id, one.field_id) for one in spec.fields] == [
        ("since_month", 2, 1000)
    ]
    assert after.properties == {"x": "1"}


def test_server_applies_a_transaction_to_all_tables_or_none(catalog):
    transaction = catalog.transaction()
    transaction.change("n.t").set_properties({"x": "1"})
    transaction.change(("n", "u")).set_properties({"y": "2"})
    transaction.change("n.u").add_column("note", "string")

    commit(catalog, transaction)

    assert [catalog.load_table(("n", name)).metadata.properties for name in ("t", "u")] == [
        {"x": "1"},
        {"y": "2"},
    ]
    assert len(catalog.load_table("n.u").metadata.schemas) == 2


def test_empty_transaction_raises_value_error(catalog):
    with pytest.raises(ValueError, match="no edits"):
        commit(catalog, catalog.transaction())


@pytest.mark.parametrize("name", ["orders", "", ".t", "n.", "a..b", ("", "t"), ("n", "..")])
def test_text_that_names_no_table_raises_value_error(catalog, name):
    with pytest.raises(ValueError, match=r"namespace|level|path"):
        catalog.change(name)


TABLE = "/v1/namespaces/n/tables/t"
CONFLICT = httpx.Response(
    409, json={"error": {"message": "changed", "type": "CommitFailedException", "code": 409}}
)


@pytest.fixture
def at_a_desk(drive):
    """Return a function that opens a catalog whose table has these states and whose commits get
    these answers, in order.
    """

    def catalog(states, answers, **options):
        states, answers = [{"metadata": {**METADATA, **state}} for state in states], list(answers)
        loading = {f"GET {TABLE}": lambda _: states.pop(0) if len(states) > 1 else states[0]}
        desk = Desk(
            {
                "GET /v1/config": {"defaults": {}, "overrides": {}},
                **loading,
                f"POST {TABLE}": lambda _: answers.pop(0),
            }
        )
        return drive(
            "https://catalog",
            carrier=desk.carrier,
            retries=Retries(tries=3, first_pause=0.001, **options),
        ), desk

    return catalog


def commits(desk):
    return [json.loads(request.content) for request in desk.requests if request.method == "POST"]


DONE = {"metadata-location": "memory:m", "metadata": METADATA}
OTHER_COLUMN = {
    "schemas": [
        {
            **SCHEMA,
            "schema-id": 1,
            "fields": [*FIELDS, {"id": 5, "name": "other", "type": "string", "required": False}],
        }
    ],
    "current-schema-id": 1,
    "last-column-id": 5,
}


def test_commit_after_a_conflict_is_made_for_the_table_as_it_is_then(at_a_desk):
    both = {
        **OTHER_COLUMN["schemas"][0],
        "fields": [
            *OTHER_COLUMN["schemas"][0]["fields"],
            {"id": 6, "name": "note", "type": "string", "required": False},
        ],
    }
    reply = {
        "metadata-location": "memory:m",
        "metadata": {**METADATA, "schemas": [both], "current-schema-id": 1},
    }
    client, desk = at_a_desk([{}, OTHER_COLUMN], [CONFLICT, reply])

    commit(client, client.change("n.t").add_column("note", "string"))

    last = commits(desk)[-1]
    assert [(one["id"], one["name"]) for one in last["updates"][0]["schema"]["fields"]][-2:] == [
        (5, "other"),
        (6, "note"),
    ]
    assert last["requirements"][1:] == [
        {"type": "assert-current-schema-id", "current-schema-id": 1},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 5},
    ]


def test_commit_that_is_made_again_is_reported(at_a_desk):
    client, _ = at_a_desk([{}], [CONFLICT, DONE], on_retry=(announcements := []).append)

    commit(client, client.change("n.t").set_location("file:///warehouse/sales/orders"))

    assert [(one.operation, one.tries, one.status, one.pause > 0) for one in announcements] == [
        ("updateTable", 1, 409, True)
    ]


def test_commit_is_rejected_after_the_last_try(at_a_desk):
    client, desk = at_a_desk([{}], [CONFLICT] * 5)

    with pytest.raises(errors.CommitRejected):
        commit(client, client.change("n.t").set_properties({"x": "1"}))

    assert len(commits(desk)) == 3


@pytest.mark.parametrize(
    ("state", "edit"),
    [
        (
            {"table-uuid": "00000000-0000-4000-8000-000000000000"},
            lambda edits: edits.set_properties({"x": "1"}),
        ),
        (OTHER_COLUMN, lambda edits: edits.add_column("other", "string")),
        (
            {"refs": {"main": {"type": "branch", "snapshot-id": 8}}},
            lambda edits: edits.set_branch("main", 6),
        ),
        (
            {
                "schemas": [{**SCHEMA, "fields": [FIELDS[0], {**FIELDS[1], "id": 9}, FIELDS[2]]}],
                "last-column-id": 9,
            },
            lambda edits: edits.rename_column("at", "since"),
        ),
    ],
    ids=["replaced-table", "same-column-added", "branch-moved", "column-replaced"],
)
def test_edits_that_would_mean_something_else_are_not_repeated(at_a_desk, state, edit):
    client, desk = at_a_desk([{}, state], [CONFLICT, DONE])

    with pytest.raises(errors.CommitRejected):
        commit(client, edit(client.change("n.t")))

    assert len(commits(desk)) == 1


def test_commit_with_unknown_outcome_is_not_repeated(at_a_desk):
    client, desk = at_a_desk([{}], [httpx.Response(504), DONE])

    with pytest.raises(errors.OutcomeUnknown):
        commit(client, client.change("n.t").set_properties({"x": "1"}))

    assert len(commits(desk)) == 1
