"""Components are found at any depth, only the innermost wrong component fails, and documents of
other writers pass.
"""

import copy

import httpx
import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.conformance.checks.iceberg_rest.protocol import schemas
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging.components import Components, Instance
from lakepact.generated.contract import Contract
from sample_tables.table_documents import field, struct

CONTRACT = Contract("iceberg_rest")
COMPONENTS = Components(CONTRACT)

UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1"

#: Metadata of format version 1: one schema, one spec, and members that later versions dropped.
VERSION_1 = {
    "format-version": 1,
    "table-uuid": UUID,
    "location": "s3://bucket/table",
    "last-updated-ms": 1602638573874,
    "last-column-id": 3,
    "schema": struct(field(1, "x", required=True)),
    "partition-spec": [{"name": "x", "transform": "identity", "source-id": 1, "field-id": 1000}],
    "properties": {},
    "current-snapshot-id": -1,
    "snapshots": [],
}

KEY = struct(field(7, "k", "uuid", required=True))
VALUE = {
    "type": "list",
    "element-id": 8,
    "element": "timestamptz",
    "element-required": True,
    "x": [],
}

#: Metadata with a snapshot log, statistics, nested types, unknown members in unlikely places, and
#: large or negative ids.
VERSION_2 = {
    "format-version": 2,
    "table-uuid": UUID.upper(),
    "location": "hdfs://cluster/table",
    "last-sequence-number": 34,
    "last-updated-ms": 1602638573590,
    "last-column-id": 12,
    "current-schema-id": 1,
    "schemas": [
        struct(),
        {
            **struct(
                field(1, "", "decimal(38,10)", doc=""),
                field(2, "d", "decimal(9, 2)", since=None),
                field(3, "f", "fixed[16]", required=True),
                field(
                    4,
                    "m",
                    {
                        "type": "map",
                        "key-id": 5,
                        "key": KEY,
                        "value-id": 6,
                        "value": VALUE,
                        "value-required": False,
                    },
                ),
            ),
            "schema-id": 1,
            "identifier-field-ids": [],
            "written-by": "nobody",
        },
    ],
    "default-spec-id": 1,
    "partition-specs": [
        {"spec-id": 0, "fields": []},
        {
            "spec-id": 1,
            "fields": [
                {
                    "name": "z",
                    "transform": "zorder[3]",
                    "source-id": 3,
                    "source-ids": [1, 3],
                    "field-id": 1000,
                }
            ],
        },
    ],
    "last-partition-id": 1000,
    "default-sort-order-id": 0,
    "sort-orders": [
        {"order-id": 0, "fields": []},
        {
            "order-id": 3,
            "fields": [
                {
                    "transform": "void",
                    "source-id": 2,
                    "direction": "desc",
                    "null-order": "nulls-last",
                }
            ],
        },
    ],
    "properties": {"read.split.target.size": "134217728", "": ""},
    "current-snapshot-id": 9223372036854775807,
    "snapshots": [
        {
            "snapshot-id": 9223372036854775807,
            "parent-snapshot-id": -9223372036854775808,
            "timestamp-ms": 0,
            "sequence-number": 0,
            "summary": {"operation": "append", "": "", "app-id": "local-1"},
            "manifest-list": "",
            "manifests": ["a.avro"],
        }
    ],
    "refs": {
        "main": {"snapshot-id": 9223372036854775807, "type": "branch", "max-ref-age-ms": 1},
        "a/b~c": {"snapshot-id": 9223372036854775807, "type": "tag"},
    },
    "snapshot-log": [{"snapshot-id": 1, "timestamp-ms": 1515100955770, "by": "x"}],
    "metadata-log": [{"metadata-file": "s3://bucket/.../v1.json", "timestamp-ms": 1515100}],
    "statistics": [
        {
            "snapshot-id": 1,
            "statistics-path": "a.puffin",
            "file-size-in-bytes": 413,
            "file-footer-size-in-bytes": 42,
            "key-metadata": None,
            "blob-metadata": [
                {"type": "ndv", "snapshot-id": 1, "sequence-number": 0, "fields": []}
            ],
        }
    ],
    "partition-statistics": [
        {"snapshot-id": 1, "statistics-path": "p.parquet", "file-size-in-bytes": 43}
    ],
    "row-lineage": True,
}

#: Metadata with the types, defaults, keys and row ids of format version 3, and no snapshot.
VERSION_3 = {
    "format-version": 3,
    "table-uuid": UUID,
    "location": "gs://bucket/table",
    "next-row-id": 0,
    "current-snapshot-id": None,
    "current-schema-id": 0,
    "schemas": [
        {
            "schema-id": 0,
            **struct(
                field(1, "g", "geometry(srid:3857)"),
                field(2, "h", "geography(OGC:CRS84, karney)"),
                field(3, "v", "variant"),
                field(4, "u", "unknown", **{"initial-default": None, "write-default": None}),
                field(
                    5,
                    "n",
                    "timestamptz_ns",
                    required=True,
                    **{"initial-default": "2026-01-01T00:00:00.000000001+00:00"},
                ),
                field(6, "i", "int", required=True, **{"initial-default": 0, "write-default": -1}),
                field(7, "b", "boolean", required=True, **{"write-default": False}),
                field(8, "x", "double", required=True, **{"write-default": 1e300}),
            ),
        }
    ],
    "refs": {},
    "encryption-keys": [
        {
            "key-id": "k",
            "encrypted-key-metadata": "not base64?",
            "encrypted-by-id": "r",
            "properties": {"a": "b"},
        }
    ],
}

LOADED = {
    "metadata-location": "s3://bucket/table/metadata/1.json",
    "metadata": VERSION_2,
    "config": {},
    "storage-credentials": [],
}


def exchange_of(
    body, *, operation="loadTable", method="GET", status=200, media_type="application/json"
):
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return Exchange(
        1,
        operation,
        "test",
        method,
        "http://test",
        (),
        b"",
        status,
        httpx.Headers({"content-type": media_type}),
        content,
        0.0,
    )


def violations(exchange):
    """Return the components whose invariants an answer breaks."""
    components = []
    for requirement, holds in schemas.INVARIANTS.items():
        try:
            holds(exchange)
        except Unmet:
            components.append(requirement.removeprefix("IRC-SCH-"))
    return components


def components_of(exchange):
    """Return the components that invariants see in an answer that breaks none."""
    return {
        requirement.removeprefix("IRC-SCH-")
        for requirement, holds in schemas.INVARIANTS.items()
        if holds(exchange)
    }


def with_value(document, pointer, value):
    """Return a copy of a document with another value at a JSON pointer; `...` removes the
    member.
    """
    copy_of_document = copy.deepcopy(document)
    *path, last = [
        int(step) if step.isdecimal() else step for step in pointer.strip("/").split("/")
    ]
    inner = copy_of_document
    for step in path:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return copy_of_document


# -- correct answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {"metadata": {"format-version": 2, "table-uuid": UUID}},
        {"metadata": VERSION_1},
        {"metadata": VERSION_2, "metadata-location": None, "etag": 5},
        {"metadata": VERSION_3},
        {"metadata": {**VERSION_1, "snapshots": VERSION_2["snapshots"], "refs": VERSION_2["refs"]}},
        {
            **LOADED,
            "storage-credentials": [
                {"prefix": "s3://bucket", "config": {"s3.access-key-id": "a"}, "expires": 1}
            ],
        },
    ],
)
def test_metadata_of_other_writers_breaks_no_invariant(body):
    assert violations(exchange_of(body)) == []


@pytest.mark.parametrize(
    ("operation", "method", "body"),
    [
        (
            "getConfig",
            "GET",
            {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/anything"], "idle": True},
        ),
        ("listNamespaces", "GET", {"namespaces": [["a"], ["a", "b.c"]], "next-page-token": None}),
        ("listNamespaces", "GET", {}),
        (
            "listTables",
            "GET",
            {
                "identifiers": [{"namespace": ["a"], "name": "t", "type": "table"}],
                "next-page-token": "",
            },
        ),
        ("createNamespace", "POST", {"namespace": ["a"], "owner": None}),
        ("loadNamespaceMetadata", "GET", {"namespace": ["a"], "properties": None}),
        ("updateProperties", "POST", {"updated": [], "removed": ["a"], "missing": None}),
        (
            "updateTable",
            "POST",
            {"metadata-location": "", "metadata": VERSION_3, "config": {"a": 1}},
        ),
    ],
)
def test_answer_within_the_contract_breaks_no_invariant(operation, method, body):
    assert violations(exchange_of(body, operation=operation, method=method)) == []


@pytest.mark.parametrize(
    "other",
    [
        {"status": 202},
        {"status": 418},
        {"status": 304},
        {"status": 400, "media_type": "text/plain"},
        {"status": 404, "media_type": "application/problem+json"},
        {"method": "HEAD"},
        {"method": "PUT"},
        {"operation": "dropTable"},
        {"operation": None},
    ],
)
def test_undocumented_answer_breaks_no_invariant(other):
    assert violations(exchange_of({"metadata": {"format-version": "2"}}, **other)) == []


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"metadata"', b"\xff"])
def test_body_without_json_breaks_no_component_invariant(body):
    assert violations(exchange_of(body)) == []


# -- wrong answers ---------------------------------------------------------------------------------


def test_invariants_cover_every_schema_that_is_not_excused():
    exceptions = [
        r.id
        for r in CONTRACT.requirements.values()
        if r.area == "schemas" and (r.uncovered or r.side == "client")
    ]
    area = [r.id for r in CONTRACT.requirements.values() if r.area == "schemas"]

    by_a_check = [f"IRC-SCH-{form}" for form in schemas.FORMS]
    assert sorted([*schemas.INVARIANTS, *by_a_check, *exceptions]) == sorted(area)


def test_components_are_found_at_any_depth():
    assert components_of(exchange_of(LOADED)) == {
        *(
            "LoadTableResult",
            "TableMetadata",
            "Schema",
            "StructType",
            "StructField",
            "Type",
            "PrimitiveType",
            "ListType",
            "MapType",
        ),
        *(
            "PartitionSpec",
            "PartitionField",
            "Transform",
            "SortOrder",
            "SortField",
            "SortDirection",
            "NullOrder",
        ),
        *("Snapshot", "SnapshotReferences", "SnapshotReference", "SnapshotLog", "MetadataLog"),
        *("StatisticsFile", "BlobMetadata", "PartitionStatisticsFile"),
    }


@pytest.mark.parametrize(
    ("component", "pointer", "value"),
    [
        ("LoadTableResult", "/metadata-location", 5),
        ("LoadTableResult", "/metadata", ...),
        ("TableMetadata", "/metadata", None),
        ("TableMetadata", "/metadata/table-uuid", ...),
        ("TableMetadata", "/metadata/format-version", 4),
        ("TableMetadata", "/metadata/schemas", {}),
        ("TableMetadata", "/metadata/properties/a", 1),
        ("Schema", "/metadata/schemas/1/schema-id", "1"),
        ("StructType", "/metadata/schemas/1/type", "schema"),
        ("StructType", "/metadata/schemas/1/fields/3/type/key/fields", ...),
        ("StructField", "/metadata/schemas/1/fields/0/required", "true"),
        ("StructField", "/metadata/schemas/1/fields/3/type/key/fields/0/id", ...),
        (
            "Type",
            "/metadata/schemas/1/fields/1/type",
            {"type": "decimal", "precision": 9, "scale": 2},
        ),
        ("Type", "/metadata/schemas/1/fields/3/type/type", ...),
        ("Type", "/metadata/schemas/1/fields/1/type", ["null", "string"]),
        ("PrimitiveType", "/metadata/schemas/1/fields/1/type", None),
        ("PrimitiveType", "/metadata/schemas/1/fields/3/type/value/element", 7),
        ("MapType", "/metadata/schemas/1/fields/3/type/value-required", ...),
        ("ListType", "/metadata/schemas/1/fields/3/type/value/element-id", "8"),
        ("PartitionSpec", "/metadata/partition-specs/0", [{"name": "x"}]),
        ("PartitionField", "/metadata/partition-specs/1/fields/0/source-id", ...),
        ("Transform", "/metadata/partition-specs/1/fields/0/transform", {"bucket": 4}),
        ("Transform", "/metadata/sort-orders/1/fields/0/transform", None),
        ("SortOrder", "/metadata/sort-orders/0/order-id", ...),
        ("SortField", "/metadata/sort-orders/1/fields/0/direction", ...),
        ("SortDirection", "/metadata/sort-orders/1/fields/0/direction", "descending"),
        ("NullOrder", "/metadata/sort-orders/1/fields/0/null-order", "last"),
        ("Snapshot", "/metadata/snapshots/0/summary/operation", "rewrite"),
        ("Snapshot", "/metadata/snapshots/0/summary", ...),
        ("Snapshot", "/metadata/snapshots/0/snapshot-id", 9223372036854775808),
        ("SnapshotReferences", "/metadata/refs", []),
        ("SnapshotReference", "/metadata/refs/main/type", "BRANCH"),
        ("SnapshotLog", "/metadata/snapshot-log/0/timestamp-ms", "2026-01-01"),
        ("MetadataLog", "/metadata/metadata-log", {}),
        ("StatisticsFile", "/metadata/statistics/0/blob-metadata", ...),
        ("BlobMetadata", "/metadata/statistics/0/blob-metadata/0/fields/0", "x"),
        ("PartitionStatisticsFile", "/metadata/partition-statistics/0/file-size-in-bytes", ...),
    ],
)
def test_only_the_innermost_wrong_component_fails(component, pointer, value):
    body = with_value(
        with_value(LOADED, "/metadata/statistics/0/blob-metadata/0/fields", [1]), pointer, value
    )

    assert violations(exchange_of(body)) == [component]


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        (
            {"error": {"message": "no", "type": "x", "code": 404}, "status": 404},
            404,
            ["IcebergErrorResponse"],
        ),
        ({"error": {"message": "no", "type": "x", "code": 399}}, 404, ["ErrorModel"]),
        (
            {"message": "no", "type": "NoSuchTableException", "code": 404},
            404,
            [],
        ),  # without an error object
        ({"error": "no"}, 404, []),
        *((body, 200, ["LoadTableResult"]) for body in (None, [], "text", 5)),
    ],
)
def test_wrong_error_or_answer_fails_its_component(body, status, expected):
    assert violations(exchange_of(body, status=status)) == expected


@pytest.mark.parametrize(
    ("pointer", "value", "flaw"),
    [
        (
            "/metadata/refs/a~b",
            {"type": "tag"},
            '/metadata/refs/a~0b: "snapshot-id" is a required property',
        ),
        (
            "/metadata/sort-orders/1/fields/0/direction",
            "up",
            '/metadata/sort-orders/1/fields/0/direction: "up" is not one of "asc" or "desc"',
        ),
        (
            "/metadata/schemas/1/fields/0/type",
            {"type": "text"},
            '/metadata/schemas/1/fields/0/type: {"type":"text"} is none of PrimitiveType, StructType, ListType, MapType',
        ),
    ],
)
def test_flaw_names_its_place_and_the_mismatch(pointer, value, flaw):
    instances = COMPONENTS.instances("LoadTableResult", with_value(LOADED, pointer, value))

    assert [text for text in map(COMPONENTS.flaw, instances) if text] == [flaw]


def test_long_flaw_is_cut_to_301_characters():
    flaw = COMPONENTS.flaw(Instance("PrimitiveType", ["x" * 1000], ("a", ())))

    assert len(flaw) == 301


# -- components compared with the whole schema -----------------------------------------------------


def pointers(value, pointer=""):
    """Yield pointers to everything inside a JSON value."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for step, inner in inside:
        if "/" in str(step) or step == "":
            continue
        yield f"{pointer}/{step}"
        yield from pointers(inner, f"{pointer}/{step}")


WHOLE = jsonschema_rs.Draft202012Validator(
    {**CONTRACT.bundle, "$ref": "#/components/schemas/LoadTableResult"}
)
BODIES = [{"metadata": VERSION_1}, LOADED, {"metadata": VERSION_3}]
PLACES = [(body, pointer) for body in BODIES for pointer in pointers(body)]
VALUES = st.sampled_from(
    [
        ...,
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "struct",
        "long",
        [],
        ["a"],
        {},
        {"type": "list"},
        {"type": "struct", "fields": []},
    ]
)


@given(place=st.sampled_from(PLACES), value=VALUES)
def test_body_has_a_flaw_exactly_when_the_whole_schema_rejects_it(place, value):
    body = with_value(*place, value)
    flaws = [
        COMPONENTS.flaw(instance) for instance in COMPONENTS.instances("LoadTableResult", body)
    ]

    assert any(flaws) is not WHOLE.is_valid(body)
