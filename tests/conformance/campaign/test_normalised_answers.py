"""Normalised answers keep what the contract fixes, and leave out what a server chooses for
itself.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import httpx
import pytest

from lakepact.conformance.campaign.judging.answers import normalise
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.generated.iceberg_rest import op

TABLE: dict[str, Any] = {
    "metadata-location": "file:/left/1.json",
    "config": {"a": "1"},
    "metadata": {
        "format-version": 2,
        "table-uuid": "00000000-0000-4000-8000-000000000001",
        "location": "file:/left/t",
        "last-updated-ms": 1,
        "properties": {"a": "1"},
        "refs": {"main": {"snapshot-id": 1, "type": "branch", "max-ref-age-ms": 5}},
        "snapshots": [
            {
                "snapshot-id": 1,
                "timestamp-ms": 1,
                "manifest-list": "file:/left/t/a.avro",
                "summary": {"operation": "append"},
            }
        ],
    },
}


def body_of(document: Any, operation: str = op.load_table, pages: tuple[Any, ...] = ()) -> str:
    url, content = (
        "http://server.invalid/v1/namespaces/lp_abcdef0_1_1/tables/t0",
        json.dumps(document).encode(),
    )
    exchange = Exchange(
        0, operation, "campaign", "GET", url, (), b"", 200, httpx.Headers(), content, 0.0
    )  # type: ignore[arg-type]
    return normalise("iceberg_rest", exchange, [json.dumps(page) for page in pages])["body"]


def with_value(place: str, value: Any) -> Any:
    document = copy.deepcopy(TABLE)
    *above, last = place.split("/")
    inner: Any = document
    for step in above:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    inner[last] = value
    return document


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("metadata-location", "s3://right/2.json"),
        ("config", {"b": "2"}),
        ("metadata/table-uuid", "00000000-0000-4000-8000-000000000002"),
        ("metadata/last-updated-ms", 2),
        ("metadata/snapshots/0/timestamp-ms", 2),
        ("metadata/snapshots/0/timestamp-ms-", 2),  # no member of the contract
        ("metadata/snapshots/0/manifest-list", "s3://right/t/a.avro"),
        ("metadata/snapshots/0/manifest-list", "memory:/a.avro"),
        ("metadata/statistics", []),  # an optional member that is absent elsewhere
    ],
)
def test_value_that_a_server_chooses_is_not_compared(place: str, value: Any) -> None:
    assert body_of(with_value(place, value)) == body_of(TABLE)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("metadata/last-updated-ms", "1"),
        ("metadata/properties/created-at", 1),
        ("metadata/properties/last-ms", "1"),
        ("metadata/refs/main/max-ref-age-ms", 6),
        ("metadata/snapshots/0/manifest-list", "file:/left/t/b.avro"),
        ("metadata/snapshots", []),
    ],
)
def test_value_that_the_contract_fixes_is_compared(place: str, value: Any) -> None:
    assert body_of(with_value(place, value)) != body_of(TABLE)


def test_listing_in_pages_equals_the_same_items_on_one_page_in_any_order() -> None:
    one, two, three = (
        {"namespace": ["lp_abcdef0_1_1"], "name": name} for name in ("t0", "t1", "t2")
    )
    whole = body_of({"identifiers": [three, one, dict(reversed(two.items()))]}, op.list_tables)

    assert (
        body_of(
            {"identifiers": [one], "next-page-token": "x"},
            op.list_tables,
            ({"identifiers": [two, three]},),
        )
        == whole
    )
    assert (
        body_of(
            {"identifiers": [one], "next-page-token": "x"},
            op.list_tables,
            ({"identifiers": [two]},),
        )
        != whole
    )
