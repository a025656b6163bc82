"""Client and reference server decode each other for every method and every name."""

from __future__ import annotations

import pytest

from driving import KINDS, Driven
from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES
from lakepact.reference_server import running
from sample_tables.table_documents import field, partition_field, sort_field, struct

NAMES = [
    "plain", "a.b", "a/b", "/", "100%", "%2F", "two words", " edges ", "a+b", "a?b#c&d=e", 'quote\'d "name"', "{prefix}",
    "semi;colon,comma:@!$()*", "back\\slash", "naïve", "e\u0301 combining", "日本語", "🦆", "...",
]  # fmt: skip
SCHEMA = {
    **struct(field(1, "id", required=True), field(2, "at", "timestamptz", doc="naïve 🦆")),
    "schema-id": 0,
}
SPEC = {"spec-id": 0, "fields": [partition_field(2, "day", "day", **{"field-id": 1000})]}
ORDER = {"order-id": 1, "fields": [sort_field(1)]}


@pytest.fixture(scope="module", params=[None, "ws/one"], ids=["without prefix", "with prefix"])
def server(request, tmp_path_factory):
    with running(
        warehouse=tmp_path_factory.mktemp("warehouse").as_uri(), prefix=request.param
    ) as server:
        yield server


@pytest.fixture(params=KINDS)
def catalog(request, server):
    with Driven(KINDS[request.param], server.url, retries=NO_RETRIES) as client:
        yield client


@pytest.fixture
def namespace(catalog, request):
    name = (f"of {request.node.name}",)  # may hold dots
    catalog.create_namespace(name)
    yield name
    for table in catalog.list_tables(name):
        catalog.drop_table((name, table.name))
    catalog.drop_namespace(name)


@pytest.mark.parametrize("name", NAMES)
def test_namespace_of_any_name_is_created_found_and_dropped(catalog, name):
    levels = ("top of names", name)
    if not catalog.namespace_exists(levels[0]):
        catalog.create_namespace(levels[0])

    created = catalog.create_namespace(levels, {name: name})
    namespace = catalog.load_namespace(levels)
    children = catalog.list_namespaces(levels[0])
    exists = catalog.namespace_exists(levels)
    catalog.drop_namespace(levels)

    assert tuple(created.namespace) == tuple(namespace.namespace) == levels
    assert namespace.properties[name] == name
    assert levels in children
    assert exists
    assert not catalog.namespace_exists(levels)


@pytest.mark.parametrize("name", NAMES)
def test_table_of_any_name_is_created_found_and_renamed(catalog, namespace, name):
    created = catalog.create_table((namespace, name), SCHEMA)
    result = catalog.load_table((namespace, name))
    names = [table.name for table in catalog.list_tables(namespace)]
    catalog.rename_table((namespace, name), (namespace, f"new {name}"))

    assert created.metadata == result.metadata
    assert names == [name]
    assert not catalog.table_exists((namespace, name))
    assert catalog.table_exists((namespace, f"new {name}"))


@pytest.mark.parametrize("name", NAMES)
def test_top_level_namespace_of_any_name_holds_its_tables(catalog, name):
    catalog.create_namespace((name,))
    catalog.create_table((name, "t"), SCHEMA)

    tables = list(catalog.list_tables([name]))
    catalog.drop_table(tables[0], purge=True)
    catalog.drop_namespace((name,))

    assert [(table.namespace, table.name) for table in tables] == [([name], "t")]


def test_pages_hold_everything_once(catalog, namespace):
    names = sorted(f"t{number}" for number in range(7))
    for name in names:
        catalog.create_table((namespace, name), SCHEMA)

    assert sorted(table.name for table in catalog.list_tables(namespace, page_size=2)) == names


def test_property_update_reports_updated_removed_and_missing(catalog, namespace):
    answer = catalog.update_namespace_properties(
        namespace, updates={"a": "1", "ä": "ö"}, removals=["gone"]
    )

    assert (sorted(answer.updated), answer.removed, answer.missing) == (["a", "ä"], [], ["gone"])
    assert catalog.load_namespace(namespace).properties["ä"] == "ö"


def test_property_both_set_and_removed_returns_422(catalog, namespace):
    with pytest.raises(errors.BadRequest) as exc_info:
        catalog.update_namespace_properties(namespace, updates={"a": "1"}, removals=["a"])

    assert exc_info.value.status == 422


def test_table_is_created_with_its_schema_spec_and_order(catalog, namespace):
    table = catalog.create_table(
        (namespace, "t"), SCHEMA, partition_spec=SPEC, write_order=ORDER, properties={"k": "v"}
    )

    metadata = table.metadata
    assert [(field.name, field.type, field.required) for field in metadata.schemas[0].fields] == [
        ("id", "long", True),
        ("at", "timestamptz", False),
    ]
    assert metadata.partition_specs[0].fields[0].transform == "day"
    assert metadata.sort_orders[0].fields[0].null_order == "nulls-first"
    assert metadata.properties["k"] == "v"


def test_staged_table_exists_after_its_first_commit(catalog, namespace):
    metadata = catalog.stage_table((namespace, "t"), SCHEMA).metadata
    assert not catalog.table_exists((namespace, "t"))

    catalog.commit_table(
        (namespace, "t"),
        [
            {"action": "assign-uuid", "uuid": metadata.table_uuid},
            {"action": "upgrade-format-version", "format-version": metadata.format_version},
            {"action": "add-schema", "schema": metadata.schemas[0]},
            {"action": "set-current-schema", "schema-id": -1},
            {"action": "add-spec", "spec": metadata.partition_specs[0]},
            {"action": "set-default-spec", "spec-id": -1},
            {"action": "add-sort-order", "sort-order": metadata.sort_orders[0]},
            {"action": "set-default-sort-order", "sort-order-id": -1},
            {"action": "set-location", "location": metadata.location},
        ],
        requirements=[{"type": "assert-create"}],
    )

    assert catalog.load_table((namespace, "t")).metadata.table_uuid == metadata.table_uuid


def test_numbers_beyond_53_bits_survive(catalog, namespace):
    catalog.create_table((namespace, "t"), SCHEMA)
    snapshot = {
        "snapshot-id": 2**63 - 2,
        "sequence-number": 1,
        "timestamp-ms": 9_007_199_254_740_993,
        "manifest-list": "file:///nowhere/snap.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    updates = [
        {"action": "add-snapshot", "snapshot": snapshot},
        {
            "action": "set-snapshot-ref",
            "ref-name": "main",
            "type": "branch",
            "snapshot-id": 2**63 - 2,
        },
    ]

    catalog.commit_table(
        (namespace, "t"),
        updates,
        requirements=[{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}],
    )

    metadata = catalog.load_table((namespace, "t"), snapshots="refs").metadata
    assert (metadata.current_snapshot_id, metadata.snapshots[0].timestamp_ms) == (
        2**63 - 2,
        9_007_199_254_740_993,
    )


def test_failed_requirement_raises_commit_rejected(catalog, namespace):
    before = catalog.create_table((namespace, "t"), SCHEMA).metadata

    with pytest.raises(errors.CommitRejected):
        catalog.commit_table(
            (namespace, "t"),
            [{"action": "set-properties", "updates": {"a": "1"}}],
            requirements=[
                {"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
            ],
        )

    assert catalog.load_table((namespace, "t")).metadata == before


def test_dropped_table_is_registered_from_its_metadata(catalog, namespace):
    created = catalog.create_table((namespace, "t"), SCHEMA)
    catalog.drop_table((namespace, "t"))

    table = catalog.register_table((namespace, "u"), created.metadata_location)

    assert table.metadata == created.metadata


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("create_namespace", ("{namespace}",), errors.AlreadyExists),
        ("load_namespace", ("absent",), errors.NoSuchNamespace),
        ("drop_namespace", ("absent",), errors.NoSuchNamespace),
        ("drop_namespace", ("{namespace}",), errors.NotEmpty),
        ("list_namespaces", ("absent",), errors.NoSuchNamespace),
        ("list_tables", ("absent",), errors.NoSuchNamespace),
        ("create_table", (("{namespace}", "t"), SCHEMA), errors.AlreadyExists),
        ("create_table", (("absent", "t"), SCHEMA), errors.NoSuchNamespace),
        ("load_table", (("{namespace}", "absent"),), errors.NoSuchTable),
        ("drop_table", (("{namespace}", "absent"),), errors.NoSuchTable),
        ("commit_table", (("{namespace}", "absent"), []), errors.NoSuchTable),
        ("rename_table", (("{namespace}", "absent"), ("{namespace}", "u")), errors.NoSuchTable),
        ("rename_table", (("{namespace}", "t"), ("absent", "u")), errors.NoSuchNamespace),
        ("rename_table", (("{namespace}", "t"), ("{namespace}", "t2")), errors.AlreadyExists),
    ],
)
def test_missing_or_existing_object_raises_its_error(
    catalog, namespace, method, arguments, expected
):
    catalog.create_table((namespace, "t"), SCHEMA)
    catalog.create_table((namespace, "t2"), SCHEMA)

    with pytest.raises(errors.ResponseError) as exc_info:
        getattr(catalog, method)(*fill(arguments, namespace))

    assert type(exc_info.value) is expected


def fill(argument, name):
    """Return the arguments with the name of the namespace inserted."""
    if isinstance(argument, tuple):
        return tuple(fill(part, name) for part in argument)
    return name if argument == "{namespace}" else argument


def test_metrics_reports_arrive_unchanged(catalog, namespace, server):
    catalog.create_table((namespace, "a/b"), SCHEMA)
    metrics = {"attempts": {"unit": "count", "value": 2**53 + 1}}
    of_both = {"table-name": "a/b", "snapshot-id": 2**62, "metrics": metrics}
    commit = {
        **of_both,
        "report-type": "commit-report",
        "sequence-number": 1,
        "operation": "append",
    }
    fields = {"schema-id": 0, "projected-field-ids": [1], "projected-field-names": ["id"]}
    scans = [
        {**of_both, **fields, "report-type": "scan-report", "filter": reports}
        for reports in (True, {"type": "is-null", "term": "at"})
    ]

    for report in (commit, *scans):
        catalog.report_metrics((namespace, "a/b"), report)

    reports = server.service.reports.stored()[-3:]
    assert [(report.namespace, report.table) for report in reports] == [(namespace, "a/b")] * 3
    assert [report.document for report in reports] == [commit, *scans]
    with pytest.raises(errors.NoSuchTable):
        catalog.report_metrics((namespace, "absent"), commit)
