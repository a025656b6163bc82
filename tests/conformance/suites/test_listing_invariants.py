"""The invariant over listings finds duplicate names and nothing else."""

from __future__ import annotations

import httpx
import orjson
import pytest

from lakepact.conformance.checks.iceberg_rest.protocol.paging import listings_have_no_duplicates
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Unmet

LONG = ["n" * 400]


def listing(*names: str) -> Exchange:
    document = {"identifiers": [{"namespace": LONG, "name": name} for name in names]}
    return Exchange(
        1,
        "listTables",
        "test",
        "GET",
        "http://test",
        (),
        b"",
        200,
        httpx.Headers(),
        orjson.dumps(document),
        0.0,
    )


def test_only_a_duplicate_table_in_a_long_namespace_is_unmet() -> None:
    assert listings_have_no_duplicates(listing("report-2023", "report-2024"))
    with pytest.raises(Unmet):
        listings_have_no_duplicates(listing("report-2023", "report-2024", "report-2023"))
