"""Invariants over table metadata pass on valid metadata and find each contradiction."""

import httpx
import orjson
import pytest

from lakepact.conformance.checks.iceberg_rest.tables import metadata
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Unmet

#: The members that a server must send.
BARE = {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"}

SNAPSHOT = {
    "snapshot-id": 2**62 + 1,
    "sequence-number": 1,
    "timestamp-ms": 1,
    "manifest-list": "file:///m.avro",
    "summary": {"operation": "append"},
}
#: A snapshot of format version 1, as it remains when its table is upgraded to version 2.
OF_VERSION_1 = {
    "snapshot-id": 7,
    "timestamp-ms": 1,
    "manifest-list": "file:///m.avro",
    "summary": {"operation": "append"},
}
MAIN = {
    "refs": {"main": {"type": "branch", "snapshot-id": 2**62 + 1}},
    "snapshots": [SNAPSHOT],
    "last-sequence-number": 1,
}


def exchange_of(document, *, operation="loadTable", method="GET", status=200):
    return Exchange(
        1,
        operation,
        "test",
        method,
        "http://test",
        (),
        b"",
        status,
        httpx.Headers(),
        orjson.dumps({"metadata": document}),
        0.0,
    )


def violations(exchange):
    requirements = []
    for requirement, holds in metadata.INVARIANTS.items():
        try:
            holds(exchange)
        except Unmet:
            requirements.append(requirement)
    return requirements


@pytest.mark.parametrize(
    "document",
    [
        BARE,
        {**BARE, "unknown-member": {"schemas": 1}},
        {**BARE, "refs": {}},
        {**BARE, "refs": {}, "current-snapshot-id": None},
        {**BARE, "refs": {}, "current-snapshot-id": -1},
        {**BARE, "current-snapshot-id": 5},
        {**BARE, **MAIN, "current-snapshot-id": 2**62 + 1},
        {
            **BARE,
            "snapshot-log": [{"snapshot-id": 5, "timestamp-ms": 1}],
            "current-snapshot-id": -1,
        },
        {
            **BARE,
            "metadata-log": [
                {"metadata-file": "a", "timestamp-ms": 1000},
                {"metadata-file": "b", "timestamp-ms": 1},
            ],
        },
        {
            **BARE,
            "partition-specs": [
                {"spec-id": 0, "fields": [{"source-id": 1, "transform": "identity", "name": "a"}]}
            ],
            "last-partition-id": 999,
        },
        {**BARE, "format-version": 3, "next-row-id": 0, "snapshots": [SNAPSHOT]},
        {**BARE, "snapshots": [OF_VERSION_1], "last-sequence-number": 0},
        {**BARE, "snapshots": [OF_VERSION_1, SNAPSHOT], "last-sequence-number": 1},
    ],
)
def test_valid_metadata_breaks_no_invariant(document):
    assert violations(exchange_of(document)) == []


@pytest.mark.parametrize(
    ("requirement", "members"),
    [
        ("IRC-META-001", {"format-version": True}),
        ("IRC-META-001", {"format-version": 4, "next-row-id": 0}),
        ("IRC-META-001", {"table-uuid": None}),
        ("IRC-META-002", {"schemas": [], "current-schema-id": 0}),
        (
            "IRC-META-005",
            {
                "schemas": [
                    {
                        "fields": [
                            {"id": 1, "type": {"type": "list", "element-id": 7, "element": "int"}}
                        ]
                    }
                ],
                "last-column-id": 6,
            },
        ),
        (
            "IRC-META-005",
            {
                "schemas": [
                    {
                        "fields": [
                            {
                                "id": 1,
                                "type": {"key-id": 2, "key": "int", "value-id": 9, "value": "int"},
                            }
                        ]
                    }
                ],
                "last-column-id": 8,
            },
        ),
        (
            "IRC-META-007",
            {
                **MAIN,
                "snapshots": [{**SNAPSHOT, "snapshot-id": 2**62}],
                "current-snapshot-id": 2**62 + 1,
            },
        ),
        ("IRC-META-008", {**MAIN, "current-snapshot-id": 2**62}),
        ("IRC-META-008", {"refs": {}, "current-snapshot-id": 5}),
        ("IRC-META-009", {"snapshots": [SNAPSHOT, SNAPSHOT], "last-sequence-number": 1}),
        ("IRC-META-010", {"snapshots": [OF_VERSION_1], "last-sequence-number": 1}),
        ("IRC-META-010", {"snapshots": [SNAPSHOT, OF_VERSION_1], "last-sequence-number": 1}),
        (
            "IRC-META-011",
            {"snapshot-log": [{"snapshot-id": 4, "timestamp-ms": 1}], "current-snapshot-id": 5},
        ),
        ("IRC-META-014", {"properties": {"a": 1}}),
        ("IRC-META-015", {"partition-statistics": [{"snapshot-id": 1}, {"snapshot-id": 1}]}),
    ],
)
def test_contradiction_breaks_its_invariant(requirement, members):
    assert violations(exchange_of({**BARE, **members})) == [requirement]


@pytest.mark.parametrize(
    "other", [{"status": 404}, {"method": "HEAD"}, {"operation": "listTables"}, {"operation": None}]
)
def test_answer_without_table_metadata_breaks_no_invariant(other):
    assert violations(exchange_of({"format-version": 9}, **other)) == []
