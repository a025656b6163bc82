"""The connector of PyPI reads tables that pyiceberg writes through Iceberg REST."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pytest
import yaml
from pyiceberg.catalog import load_catalog
from pyiceberg.transforms import IdentityTransform

import delta_sharing
from lakepact.reference_server import running

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("default")]
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, None], pa.int64()),
        "day": pa.array([dt.date(2021, 1, 1), dt.date(2021, 1, 2), None, dt.date(2021, 1, 1)]),
        "word": ["a", "é\u2028", "x" * 50, None],
        "at": pa.array(
            [dt.datetime(2021, 1, 1, 1, 2, 3, 456789, dt.UTC)] * 4, pa.timestamp("us", "UTC")
        ),
        "price": pa.array([Decimal("1.10"), None, Decimal(0), Decimal(-1)], pa.decimal128(20, 2)),
    }
)


def texts_of(rows):
    return sorted(
        str([None if value != value or value is None else value for value in row]) for row in rows
    )


@pytest.mark.parametrize("delta_format", [False, True])
@pytest.mark.parametrize("partitioned", [False, True])
def test_connector_reads_the_rows_of_an_iceberg_table(tmp_path, delta_format, partitioned):
    tables = [{"name": "t", "iceberg": "ns.t", "historyShared": True}]
    shares = {
        "shares": [{"name": "s", "schemas": [{"name": "d", "tables": tables}]}],
        "recipients": [{"name": "me", "bearerToken": "tok"}],
    }
    (tmp_path / "shares.yaml").write_text(yaml.safe_dump(shares))
    with running(
        warehouse=f"file://{tmp_path}/warehouse", shares=tmp_path / "shares.yaml"
    ) as server:
        catalog = load_catalog("c", type="rest", uri=server.url)
        catalog.create_namespace("ns")
        table = catalog.create_table("ns.t", schema=ROWS.schema)
        if partitioned:
            with table.update_spec() as update:
                update.add_field("day", IdentityTransform())
        table.append(ROWS)
        version = int(table.metadata_location.rpartition("/")[2].partition("-")[0])
        table.append(ROWS.slice(0, 2))
        profile = tmp_path / "profile.share"
        address = server.address("delta_sharing")
        profile.write_text(
            json.dumps({"shareCredentialsVersion": 1, "endpoint": address, "bearerToken": "tok"})
        )
        url = f"{profile}#s.d.t"
        now = delta_sharing.load_as_pandas(url, use_delta_format=delta_format)
        before = delta_sharing.load_as_pandas(url, version=version, use_delta_format=delta_format)
        expected = table.scan().to_pandas()
    assert list(now.columns) == ROWS.column_names
    assert texts_of(now.astype(object).to_numpy().tolist()) == texts_of(
        expected.astype(object).to_numpy().tolist()
    )
    assert len(before) == ROWS.num_rows
