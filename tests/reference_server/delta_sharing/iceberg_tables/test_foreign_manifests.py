"""Manifests of other writers are read by sharing and scan planning, in any form that the table
format allows or is in use.
"""

from __future__ import annotations

import json
import urllib.request

import pyarrow as pa
import pytest
from pyiceberg.transforms import IdentityTransform

from cross_protocol import avro, commit, same_rows

ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "word": ["a", "b", None],
        "day": pa.array([1, -1, None], pa.date32()),
    }
)
OPTIONAL = {
    "content",
    "sequence_number",
    "file_sequence_number",
    "snapshot_id",
    "split_offsets",
    "sort_order_id",
    "equality_ids",
    "key_metadata",
    "column_sizes",
    "value_counts",
    "null_value_counts",
    "nan_value_counts",
    "lower_bounds",
    "upper_bounds",
}
OF_VERSION_2 = {
    "content",
    "sequence_number",
    "min_sequence_number",
    "partitions",
    "key_metadata",
    "first_row_id",
}
EARLIER_NAMES = {
    f"{state}_files_count": f"{state}_data_files_count"
    for state in ("added", "existing", "deleted")
}


def changed(type_, change):
    """Return an Avro type with the fields of each record in it as `change` returns them."""
    if isinstance(type_, list):
        return [changed(one, change) for one in type_]
    if not isinstance(type_, dict):
        return type_
    inner = {
        name: changed(value, change)
        for name, value in type_.items()
        if name in {"items", "values", "type"}
    }
    if type_.get("type") == "record":
        fields = [{**field, "type": changed(field["type"], change)} for field in type_["fields"]]
        inner["fields"] = change(fields)
    return {**type_, **inner}


def nullable(*names):
    """Return a change that makes fields nullable: those with these names, or all of them."""

    def null(field):
        known = field["type"] if isinstance(field["type"], list) else [field["type"]]
        return (
            {**field, "type": ["null", *(one for one in known if one != "null")]}
            if field["name"] in names or not names
            else field
        )

    return lambda fields: [null(field) for field in fields]


def without_ids(fields):
    return [
        {name: value for name, value in field.items() if name != "field-id"} for field in fields
    ]


def without_optional(fields):
    return [field for field in fields if field["name"] not in OPTIONAL]


def with_more(fields):
    return [
        {"name": "x_more", "type": ["null", "string"], "default": None, "field-id": 9999},
        *fields,
    ]


def of_version_1(fields):
    return [
        {**field, "name": EARLIER_NAMES.get(field["name"], field["name"])}
        for field in fields
        if field["name"] not in OF_VERSION_2
    ]


def as_they_are(fields):
    return fields


def renamed(records):
    for record in records:
        record.update({EARLIER_NAMES[name]: record[name] for name in EARLIER_NAMES})


def null_content(records):
    for record in records:
        record.get("data_file", record)["content"] = None


def nothing(records):
    pass


FORMS = {
    "data_file is nullable, as of BigQuery": (nullable("data_file"), as_they_are, nothing),
    "partition is nullable": (nullable("data_file", "partition"), as_they_are, nothing),
    "every field is nullable": (nullable(), nullable(), nothing),
    "content is null": (nullable(), nullable(), null_content),
    "no field has an id": (without_ids, without_ids, nothing),
    "no optional field": (without_optional, as_they_are, nothing),
    "further fields": (with_more, with_more, nothing),
    "format version 1": (without_optional, of_version_1, renamed),
}


def rewritten(doors, table, of_entries, of_list, records_as):
    """Commit the newest snapshot again, with manifests and a list of another form."""

    def of_records(records):
        for record in records:
            record["manifest_path"] = avro(
                record["manifest_path"],
                records_as if records_as is null_content else nothing,
                reshape=lambda schema: changed(schema, of_entries),
            )
        records_as(records)

    commit(
        doors,
        table,
        avro(
            table.current_snapshot().manifest_list,
            of_records,
            reshape=lambda schema: changed(schema, of_list),
        ),
    )


def planned(doors):
    body = json.dumps({"filter": {"type": "eq", "term": "word", "value": "b"}}).encode()
    url = f"{doors.server.url}/v1/namespaces/ns/tables/{doors.name}/plan"
    sent = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(sent) as response:
        return [
            (task["data-file"]["record-count"], task["data-file"]["partition"])
            for task in json.load(response)["file-scan-tasks"]
        ]


@pytest.fixture
def table(doors):
    made = doors.create(ROWS.schema)
    with made.update_spec() as update:
        update.add_field("word", IdentityTransform(), "other")
        update.add_field("day", IdentityTransform(), "day")
    made.append(ROWS)
    return made


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_shared_and_planned(doors, table, form):
    rewritten(doors, table, *FORMS[form])

    same_rows(table, doors.query())
    assert planned(doors) == [(1, ["b", "1969-12-31"])]


@pytest.mark.parametrize(
    "form", ["data_file is nullable, as of BigQuery", "every field is nullable"]
)
def test_entry_without_a_file_is_damage(doors, table, form):
    def no_file(records):
        for record in records:
            record["data_file"] = None

    def of_list(records):
        records[0]["manifest_path"] = avro(
            records[0]["manifest_path"],
            no_file,
            reshape=lambda schema: changed(schema, FORMS[form][0]),
        )

    commit(doors, table, avro(table.current_snapshot().manifest_list, of_list))
    answer = doors.query()
    assert (answer.status, "damaged" in answer.message) == (500, True)
