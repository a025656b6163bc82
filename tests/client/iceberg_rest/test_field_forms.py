"""Metadata in the forms that other writers and servers use is read, and written back unchanged."""

from __future__ import annotations

import copy
import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driving import KINDS, Desk, Driven
from lakepact.client import BadReply, IcebergCatalog, errors, pyiceberg_table
from lakepact.generated.iceberg_rest import models
from sample_tables.table_documents import (
    field,
    partition_field,
    snapshot,
    sort_field,
    struct,
    table,
)

Document = dict[str, Any]
ADDRESS = "http://catalog"
TABLE = "GET /v1/namespaces/n/tables/t"
VIEW = "GET /v1/namespaces/n/views/v"
SQL = {"type": "sql", "sql": "SELECT 1", "dialect": "spark"}
PLAN = {"type": "substrait", "plan": {"relations": []}}


def without(document: Document, *names: str) -> Document:
    return {name: value for name, value in document.items() if name not in names}


def of_version_1(*left_out: str, **members: Any) -> Document:
    """Return metadata of format version 1 as early writers wrote it."""
    whole = table(version=1)
    (schema,) = whole["schemas"]
    spec = [partition_field(1, "identity", "id", **{"field-id": 1000})]
    return {**without(whole, *left_out), "schema": schema, "partition-spec": spec, **members}


def with_snapshot(*left_out: str, **members: Any) -> Document:
    """Return metadata with one snapshot."""
    return {
        **table(version=1),
        "snapshots": [{**without(snapshot(1, None), *left_out), **members}],
        "current-snapshot-id": 1,
    }


def with_sort_order(*fields: Document) -> Document:
    return {
        **table(),
        "sort-orders": [{"order-id": 1, "fields": list(fields)}],
        "default-sort-order-id": 1,
    }


def view(*representations: Document) -> Document:
    """Return the metadata of a view."""
    version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "representations": list(representations),
        "default-namespace": ["n"],
    }
    return {
        "view-uuid": "u",
        "format-version": 1,
        "location": "s3://bucket/v",
        "current-version-id": 1,
        "versions": [{**version, "summary": {}}],
        "version-log": [{"version-id": 1, "timestamp-ms": 1}],
        "schemas": [{"type": "struct", "schema-id": 0, "fields": []}],
    }


NULLS = (
    "partition-specs",
    "default-spec-id",
    "last-partition-id",
    "sort-orders",
    "default-sort-order-id",
    "last-sequence-number",
)
#: One file of metadata for each form.
FILES: dict[str, Document] = {
    "snapshot-without-summary": with_snapshot("summary"),
    "summary-without-operation": with_snapshot(summary={"added-records": "1"}),
    "unknown-operation": with_snapshot(summary={"operation": "rewrite"}),
    "inline-manifests": with_snapshot(
        "manifest-list", manifests=["s3://bucket/m0.avro", "s3://bucket/m1.avro"]
    ),
    "sort-field-without-null-order": with_sort_order(without(sort_field(1), "null-order")),
    "unknown-sort-direction": with_sort_order(
        sort_field(1, direction="natural", null_order="nulls-anywhere")
    ),
    "unknown-ref-type": {**with_snapshot(), "refs": {"a": {"type": "lake", "snapshot-id": 1}}},
    "partition-spec-alone": of_version_1(*NULLS),
    "partition-specs-without-default": of_version_1(
        "default-spec-id",
        "last-partition-id",
        **{
            "partition-specs": [
                {
                    "spec-id": 0,
                    "fields": [partition_field(1, "identity", "p", **{"field-id": 1004})],
                }
            ]
        },
    ),
    "numbers-as-properties": {**table(), "properties": {"a": 1, "b": 2.5, "c": True, "d": "e"}},
    "optional-members-that-are-null": {
        **table(),
        **dict.fromkeys(
            (
                "snapshots",
                "refs",
                "snapshot-log",
                "metadata-log",
                "statistics",
                "partition-statistics",
                "current-snapshot-id",
            )
        ),
        "properties": None,
    },
    "version-1-members-that-are-null": of_version_1(**dict.fromkeys(NULLS)),
    "default-of-a-struct": {
        **table(),
        "schemas": [
            {
                "schema-id": 0,
                **struct(field(1, "s", struct(), **{"initial-default": {}, "write-default": {}})),
            }
        ],
    },
    "view-of-another-kind": view(PLAN, SQL),
}
#: What is written otherwise, of the same meaning: null as an absent or empty member, and numbers as
#: text.
REWRITTEN: dict[str, Document] = {
    "numbers-as-properties": {"properties": {"a": "1", "b": "2.5", "c": "true", "d": "e"}},
    "optional-members-that-are-null": {
        **{
            name: []
            for name in (
                "snapshots",
                "snapshot-log",
                "metadata-log",
                "statistics",
                "partition-statistics",
            )
        },
        "refs": {},
        "properties": {},
    },
}


def desk_of(document: Document) -> Desk:
    """Return a catalog that serves a table and a view with this metadata."""
    result = {"metadata-location": "s3://bucket/metadata.json", "metadata": document, "config": {}}
    endpoints = [
        f"GET /v1/{{prefix}}/namespaces/{{namespace}}/{kind}"
        for kind in ("tables/{table}", "views/{view}")
    ]
    return Desk(
        {
            "GET /v1/config": {"defaults": {}, "overrides": {}, "endpoints": endpoints},
            TABLE: result,
            VIEW: result,
        }
    )


def load_metadata(
    document: Document, kind: str = "sync"
) -> models.TableMetadata | models.ViewMetadata:
    with Driven(KINDS[kind], ADDRESS, carrier=desk_of(document).carrier) as catalog:
        load = catalog.load_view if "view-uuid" in document else catalog.load_table
        metadata: models.TableMetadata | models.ViewMetadata = load(
            "n.v" if "view-uuid" in document else "n.t"
        ).metadata
        return metadata


def rewritten_document(name: str) -> Document:
    """Return the document that is to be written for a file."""
    left_out = NULLS if name == "version-1-members-that-are-null" else ()
    return {**without(FILES[name], *left_out), **REWRITTEN.get(name, {})}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FILES)
def test_metadata_in_a_form_of_the_field_is_loaded_and_written_back(name: str, kind: str) -> None:
    metadata = load_metadata(FILES[name], kind)

    assert metadata.to_wire() == json.loads(metadata.to_json()) == rewritten_document(name)
    assert copy.deepcopy(metadata) == metadata


@pytest.mark.parametrize("name", FILES)
def test_metadata_in_a_form_of_the_field_is_valid_as_a_file(name: str) -> None:
    model = models.ViewMetadata if "view-uuid" in FILES[name] else models.TableMetadata

    assert model.model_validate_json(json.dumps(FILES[name])).to_wire() == rewritten_document(name)


def table_metadata(name: str) -> models.TableMetadata:
    metadata = load_metadata(FILES[name])
    assert isinstance(metadata, models.TableMetadata)
    return metadata


def test_snapshot_without_a_summary_has_none() -> None:
    assert table_metadata("snapshot-without-summary").snapshots[0].summary is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [("summary-without-operation", "overwrite"), ("unknown-operation", "rewrite")],
)
def test_operation_of_a_snapshot_is_text(name: str, expected: str) -> None:
    summary = table_metadata(name).snapshots[0].summary

    assert summary is not None
    assert summary.operation == expected


def test_snapshot_with_inline_manifests_has_no_manifest_list() -> None:
    (read,) = table_metadata("inline-manifests").snapshots

    assert (read.manifest_list, read.manifests) == (
        None,
        ["s3://bucket/m0.avro", "s3://bucket/m1.avro"],
    )


@pytest.mark.parametrize(
    ("direction", "expected"), [("asc", "nulls-first"), ("desc", "nulls-last")]
)
@pytest.mark.parametrize("order", [{}, {"null-order": None}], ids=["absent", "null"])
def test_null_order_of_a_sort_field_follows_its_direction(
    direction: str, expected: str, order: Document
) -> None:
    metadata = load_metadata(
        with_sort_order({**without(sort_field(1, direction=direction), "null-order"), **order})
    )

    assert isinstance(metadata, models.TableMetadata)
    assert metadata.sort_orders[0].fields[0].null_order == expected


def test_unknown_values_of_enumerations_are_kept() -> None:
    (first,) = table_metadata("unknown-sort-direction").sort_orders[0].fields

    assert (first.direction, first.null_order) == ("natural", "nulls-anywhere")
    assert table_metadata("unknown-ref-type").refs["a"].type == "lake"


@pytest.mark.parametrize(
    ("name", "last"), [("partition-spec-alone", 1000), ("partition-specs-without-default", 1004)]
)
def test_version_1_without_a_default_spec_has_the_first(name: str, last: int) -> None:
    metadata = table_metadata(name)

    assert (
        [spec.spec_id for spec in metadata.partition_specs],
        metadata.default_spec_id,
        metadata.last_partition_id,
    ) == ([0], 0, last)


def test_property_that_is_null_is_a_bad_reply() -> None:
    with pytest.raises(BadReply, match="metadata/properties/a: Input should be a valid string"):
        load_metadata({**table(), "properties": {"a": None}})


def test_representation_of_another_kind_is_not_sql() -> None:
    metadata = load_metadata(FILES["view-of-another-kind"])

    assert isinstance(metadata, models.ViewMetadata)
    other, sql = metadata.versions[0].representations
    assert isinstance(other, models.UnknownViewRepresentation)
    assert isinstance(sql, models.SQLViewRepresentation)
    assert (other.type, sql.sql) == ("substrait", "SELECT 1")


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"defaults": {"a": "b"}},
        {"overrides": {"a": "b"}},
        {"defaults": None, "overrides": None},
        {"defaults": {"a": 1}},
    ],
    ids=["empty", "no-overrides", "no-defaults", "null", "numbers"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_configuration_without_defaults_or_overrides_is_read(config: Document, kind: str) -> None:
    desk = Desk({"GET /v1/config": config, TABLE: {"metadata": table()}})
    with Driven(KINDS[kind], ADDRESS, carrier=desk.carrier) as catalog:
        assert catalog.load_table("n.t").metadata.format_version == 2
        assert dict(catalog.properties()) == {
            name: str(value) for order in config.values() for name, value in (order or {}).items()
        }


@given(operation=st.text(min_size=1), kind=st.text(min_size=1), direction=st.text(min_size=1))
@settings(max_examples=50)
def test_any_value_of_an_enumeration_is_written_back(
    operation: str, kind: str, direction: str
) -> None:
    document = {
        **with_snapshot(summary={"operation": operation}),
        "refs": {"a": {"type": kind, "snapshot-id": 1}},
        "sort-orders": [{"order-id": 1, "fields": [sort_field(1, direction=direction)]}],
    }

    assert models.TableMetadata.model_validate(document).to_wire() == document


def test_value_of_a_later_version_is_sent_in_an_update() -> None:
    bodies: list[Any] = []

    def commit(request: httpx.Request) -> Document:
        bodies.append(json.loads(request.content))
        return {
            "metadata-location": "s3://bucket/metadata.json",
            "metadata": {**table(), "snapshots": [model.to_wire()]},
        }

    model = table_metadata("unknown-operation").snapshots[0]
    desk = Desk({"GET /v1/config": {}, "POST /v1/namespaces/n/tables/t": commit})
    with Driven(KINDS["sync"], ADDRESS, carrier=desk.carrier) as catalog:
        catalog.commit_table("n.t", [{"action": "add-snapshot", "snapshot": model}])

    assert bodies[0]["updates"] == [{"action": "add-snapshot", "snapshot": model.to_wire()}]


BROKEN_SNAPSHOT = {**table(), "snapshots": [{**snapshot(1), "timestamp-ms": "soon"}]}
BROKEN_FIELD = {**struct(field(1, "a", struct({}), required=True)), "schema-id": 0}
WRITES = {
    "to_wire": models.LoadTableResult.to_wire,
    "to_json": models.LoadTableResult.to_json,
    "model_dump": models.LoadTableResult.model_dump,
    "model_dump_json": models.LoadTableResult.model_dump_json,
    "metadata": lambda load_metadata: load_metadata.metadata.model_dump(mode="json"),
}


@pytest.mark.parametrize(
    "document", [BROKEN_SNAPSHOT, {**table(), "schemas": [BROKEN_FIELD]}], ids=["item", "nested"]
)
@pytest.mark.parametrize("write", WRITES)
def test_writing_an_invalid_item_of_a_reply_raises_bad_reply(
    document: Document, write: str
) -> None:
    with (
        Driven(KINDS["sync"], ADDRESS, carrier=desk_of(document).carrier) as catalog,
        pytest.raises(BadReply),
    ):
        WRITES[write](catalog.load_table("n.t"))


@pytest.mark.parametrize(
    "document",
    [
        BROKEN_SNAPSHOT,
        FILES["unknown-operation"],
        FILES["inline-manifests"],
        {**table(), "current-schema-id": 7},
    ],
    ids=["invalid", "unknown", "unsupported", "contradictory"],
)
def test_table_that_pyiceberg_cannot_read_is_a_bad_reply(document: Document) -> None:
    with (
        IcebergCatalog(ADDRESS, http=httpx.Client(transport=desk_of(document).carrier)) as catalog,
        pytest.raises(errors.BadReply),
    ):
        pyiceberg_table(catalog, "n.t")
