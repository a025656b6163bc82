"""Filters and times mean the same for tables of catalogs and for shared tables."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from deltalake import write_deltalake
from pyiceberg import expressions as e

from lakepact.client import IcebergCatalog, SharingClient, column
from lakepact.client.rows.predicates import hint
from lakepact.client.rows.row_filters import predicate_of
from lakepact.reference_server import running

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
NEXT = datetime(2024, 5, 2, 0, 0, 0, 1, tzinfo=UTC)
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4], pa.int64()),
        "city": ["Rome", "Oslo", None, "Rome_2"],
        "price": pa.array(
            [Decimal("0.10"), Decimal("2.50"), None, Decimal("-1.00")], pa.decimal128(9, 2)
        ),
        "x": [0.5, float("nan"), None, -2.0],
        "day": [date(2024, 5, 1), date(2024, 5, 2), None, date(2024, 5, 1)],
        "at": pa.array([NOON, NEXT, None, NOON], pa.timestamp("us", tz="UTC")),
        "local": pa.array(
            [each and each.replace(tzinfo=None) for each in (NOON, NEXT, None, NOON)],
            pa.timestamp("us"),
        ),
        "open": [True, False, None, True],
    }
)
TOKEN = "token-of-a-reader"


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Yield a function that returns the ids of the rows of a filter, of either table."""
    folder = tmp_path_factory.mktemp("shared")
    write_deltalake(str(folder / "t"), ROWS)
    tables = [{"name": "t", "location": str(folder / "t"), "historyShared": True}]
    document = {
        "version": 1,
        "shares": [{"name": "s", "schemas": [{"name": "d", "tables": tables}]}],
        "recipients": [{"name": "reader", "bearerToken": TOKEN}],
    }
    (folder / "shares.yaml").write_text(yaml.safe_dump(document))
    with (
        running(contract="iceberg_rest") as catalog_server,
        IcebergCatalog(catalog_server.url) as catalog,
        running(shares=folder / "shares.yaml") as sharing_server,
    ):
        catalog.create_namespace("n")
        catalog.create_table("n.t", ROWS.schema)
        catalog.append("n.t", ROWS)
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": sharing_server.address("delta_sharing"),
            "bearerToken": TOKEN,
        }
        with SharingClient(profile) as client:
            shared = client.table("s.d.t")
            yield {
                "catalog": lambda **how: catalog.scan("n.t", ["id"], **how).to_arrow(),
                "share": lambda **how: shared.to_arrow(columns=["id"], **how),
            }


@pytest.fixture(params=["catalog", "share"])
def ids(both, request):
    return lambda **how: sorted(both[request.param](**how)["id"].to_pylist())


LOCAL = NEXT.replace(tzinfo=None)
FILTERS: list[tuple[Any, list[int]]] = [
    ("id > 3 and city = 'Rome_2'", [4]),
    ("city != 'Rome'", [2, 4]),
    ("city is null or id = 1", [1, 3]),
    ("city like 'Rome%'", [1, 4]),
    ("not (id in (1, 2))", [3, 4]),
    ("id > 1.5 and id < 5000000000", [2, 3, 4]),
    ("price = 0.1", [1]),
    ("price > 0", [1, 2]),
    ("x != 0.5", [2, 4]),
    ("x is nan", [2]),
    ("x >= -2", [1, 4]),
    ("day = '2024-05-02'", [2]),
    ("at >= '2024-05-02T00:00:00Z'", [2]),
    ("local < '2024-05-02 00:00:00'", [1, 4]),
    ("open = true", [1, 4]),
    ("true", [1, 2, 3, 4]),
    ("false", []),
    (column("city").starts_with("Os"), [2]),
    (column("day") > date(2024, 5, 1), [2]),
    (column("day") == "2024-05-02", [2]),
    (column("at") == NEXT, [2]),
    (column("at") <= pd.Timestamp(NOON), [1, 4]),
    (column("local") == LOCAL, [2]),
    (column("id") == np.int64(2), [2]),
    (column("price") == 2.5, [2]),
    (~(column("x") < 0), [1, 2]),
    (None, [1, 2, 3, 4]),
    (e.EqualTo("day", date(2024, 5, 2)), [2]),
    (e.EqualTo("at", NEXT), [2]),
    (e.EqualTo("local", LOCAL), [2]),
    (e.Or(e.NotNull("city"), e.IsNaN("x")), [1, 2, 4]),
    (e.NotIn("id", [1, 2]), [3, 4]),
]


@pytest.mark.parametrize(("row_filter", "expected"), FILTERS, ids=lambda each: str(each)[:40])
def test_filter_selects_the_same_rows_of_both_contracts(ids, row_filter, expected):
    assert ids(row_filter=row_filter) == expected


REFUSED: list[tuple[Any, type[Exception], str]] = [
    ("id = 'one'", TypeError, 'column id is (long|bigint), and cannot be compared with "one": give'),
    ("open = 'true'", TypeError, 'column open is boolean, .* "true": give a bool'),
    ("day = '1st of May'", TypeError, "column day is date, .*: give a date"),
    ("at > '2024-05-02T00:00:00.1234567Z'", TypeError, "give a datetime with a time zone"),
    (column("at") > LOCAL, TypeError, "give a datetime with a time zone"),
    (column("local") > NEXT, TypeError, "give a datetime without a time zone"),
    (column("at") > pd.Timestamp("2024-05-02T00:00:00.000000001Z"), TypeError, "give a datetime"),
    ("city is nan", TypeError, "which has no NaN"),
    ("city like 'R_me'", ValueError, "LIKE has one wildcard"),
    ("id >", ValueError, "expected a filter such as id > 3"),
    (lambda row: row, TypeError, "expected a filter: text such as"),
    (True, TypeError, "expected a filter: text such as"),
]  # fmt: skip


@pytest.mark.parametrize(("row_filter", "kind", "message"), REFUSED, ids=range(len(REFUSED)))
def test_filter_without_a_meaning_is_refused_by_both_contracts(ids, row_filter, kind, message):
    with pytest.raises(kind, match=message):
        ids(row_filter=row_filter)


def test_table_is_read_at_a_time(ids):
    now = datetime.now(UTC)

    for moment in (now, now.isoformat(), "2999-01-01T00:00:00Z"):
        assert ids(timestamp=moment) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("moment", "message"),
    [("yesterday", "in ISO 8601"), ("2026-05-01", "a time needs a zone")],
)
def test_time_without_a_meaning_is_refused(ids, moment, message):
    with pytest.raises(ValueError, match=message):
        ids(timestamp=moment)


def test_text_that_may_be_a_time_is_no_hint():
    assert hint(predicate_of("day >= '2024-05-02'")) is None
    assert hint(predicate_of("at >= '2024-05-02T00:00:00Z'")) is None
    assert json.loads(hint(predicate_of("city = 'Rome'")) or "")["op"] == "equal"


def test_date_of_an_expression_is_a_hint():
    text = hint(predicate_of(e.EqualTo("day", date(2024, 5, 2))))

    assert text is not None
    assert '"value":"2024-05-02","valueType":"date"' in text
