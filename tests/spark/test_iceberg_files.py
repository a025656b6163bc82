"""Files of Iceberg tables are planned by either side and read in any process, without deleted rows
and with valid credentials.
"""

from __future__ import annotations

import itertools
import pickle
import time
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.types import DecimalType, DoubleType

from lakepact.client import (
    BadReply,
    IcebergCatalog,
    UntrustedOrigin,
    column,
    pyiceberg_catalog,
    pyiceberg_table,
)
from lakepact.client.iceberg_rest.rows.data_files import END, FileReader
from lakepact.client.origins import TrustedOrigins
from lakepact.reference_server import running
from lakepact.spark.iceberg_files import plan_on_driver, plan_on_server

from .deleted_rows import KEPT, table_with_deletes

TRUSTED = {
    "origins": TrustedOrigins.of(
        "http://127.0.0.1", own=["spark_file_io.RefusingFileIO", "spark_file_io.ExpiringFileIO"]
    )
}
SECRET = "planted-Secret.0123456789"


@pytest.fixture(scope="module")
def catalog():
    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        for kind in ("position", "equality", "vector"):
            table_with_deletes(catalog, "n", kind)
        yield catalog


def planned(catalog, kind, planner, predicate=None):
    scan = pyiceberg_table(catalog, "n", kind).scan()
    if planner == "driver":
        return scan, plan_on_driver(scan, predicate)
    return scan, plan_on_server(catalog, (("n",), kind), scan, predicate)


def read(scan, files, *, properties=None, renewed=dict, predicate=None):
    reader, files = pickle.loads(
        pickle.dumps((FileReader.of(scan, properties or {}, predicate, **TRUSTED), files))
    )
    return [row["id"] for batch in reader.read(files, renewed) for row in batch.to_pylist()]


@pytest.mark.parametrize("planner", ["driver", "server"])
@pytest.mark.parametrize("kind", ["position", "vector", "equality"])
def test_deleted_rows_are_not_read(catalog, kind, planner):
    assert read(*planned(catalog, kind, planner)) == KEPT


@pytest.mark.parametrize("kind", ["position", "vector"])
def test_parts_of_a_file_hold_each_kept_row_once(catalog, kind):
    scan, (file,) = planned(catalog, kind, "driver")
    groups = pq.read_metadata(file.task.file.file_path.removeprefix("file://"))
    offsets = [
        groups.row_group(number).column(0).dictionary_page_offset
        for number in range(groups.num_row_groups)
    ]
    parts = [
        replace(file, start=start, end=end)
        for start, end in itertools.pairwise([0, *offsets[1:], END])
    ]

    assert [read(scan, [part]) for part in parts] == [[0, 1], [4, 5, 6], [8, 9]]


@pytest.mark.parametrize("planner", ["driver", "server"])
def test_predicate_selects_files_and_rows(catalog, planner):
    found = column("id") > 7

    assert read(*planned(catalog, "position", planner, found), predicate=found) == [8, 9]


@pytest.fixture(scope="module")
def widened(catalog):
    """Return the name of a table whose file is of before its columns were widened."""
    rows = pa.table(
        {
            "id": [1],
            "f": pa.array([0.7], pa.float32()),
            "m": pa.array([Decimal("1.10")], pa.decimal128(4, 2)),
        }
    )
    table = pyiceberg_catalog(catalog).create_table("n.widened", rows.schema)
    table.append(rows)
    with table.update_schema() as update:
        update.update_column("f", DoubleType()).update_column("m", DecimalType(9, 2))
    return "widened"


@pytest.mark.parametrize("planner", ["driver", "server"])
@pytest.mark.parametrize(
    "predicate",
    [
        column("f") < 0.7,
        (column("f") < 0.7) & (column("id") == 1),
        column("f") == 0.699999988079071,
        column("m") < Decimal("1000000.00"),
    ],
    ids=repr,
)
def test_row_of_before_its_column_was_widened_is_kept(catalog, widened, planner, predicate):
    assert read(*planned(catalog, widened, planner, predicate), predicate=predicate) == [1]


@pytest.mark.parametrize("planner", ["driver", "server"])
def test_file_of_before_its_column_was_widened_is_skipped(catalog, widened, planner):
    assert planned(catalog, widened, planner, column("f") < 0.6)[1] == []


@pytest.fixture(scope="module")
def days(catalog):
    """Return the name of a table of two partitions, one of them null, whose files lack the column
    of the partition.
    """
    rows = pa.table({"id": [1, 2], "day": pa.array([date(2026, 11, 27), None])})
    table = pyiceberg_catalog(catalog).create_table("n.days", rows.schema)
    with table.update_spec() as update:
        update.add_identity("day")
    table.append(rows)
    for task in table.scan().plan_files():
        path = task.file.file_path.removeprefix("file://")
        pq.write_table(pq.read_table(path, columns=["id"]), path)
    return "days"


@pytest.mark.parametrize("planner", ["driver", "server"])
def test_rows_of_files_without_the_partition_column_have_the_partition_value(
    catalog, days, planner
):
    scan, files = planned(catalog, days, planner)
    batches = FileReader.of(scan, {}, None, **TRUSTED).read(files, dict)

    assert {row["id"]: row["day"] for batch in batches for row in batch.to_pylist()} == {
        1: date(2026, 11, 27),
        2: None,
    }


def test_repr_of_reader_and_files_shows_no_secret(catalog):
    scan, files = planned(catalog, "position", "driver")

    assert SECRET not in repr(
        (FileReader.of(scan, {"s3.secret-access-key": SECRET}, None, **TRUSTED), files)
    )


def test_expired_credentials_are_renewed_before_a_file_is_opened(catalog):
    asked = []

    def renewed():
        asked.append("again")
        return {}

    expired = {"s3.session-token-expires-at-ms": str(int(time.time() * 1000))}

    assert (
        read(*planned(catalog, "position", "driver"), properties=expired, renewed=renewed) == KEPT
    )
    assert asked == ["again"]


def test_refused_credentials_are_renewed(catalog):
    refused = {"py-io-impl": "spark_file_io.RefusingFileIO"}

    assert read(*planned(catalog, "position", "driver"), properties=refused) == KEPT


def test_refusal_of_new_credentials_is_an_error(catalog):
    refused = {"py-io-impl": "spark_file_io.RefusingFileIO"}

    with pytest.raises(PermissionError, match="expired"):
        read(*planned(catalog, "position", "driver"), properties=refused, renewed=lambda: refused)


def test_credentials_of_the_plan_open_its_files(catalog):
    scan, files = planned(catalog, "position", "driver")
    opening = [
        type(file)(file.task, {"py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"})
        for file in files
    ]

    assert read(scan, opening, properties={"py-io-impl": "spark_file_io.RefusingFileIO"}) == KEPT


def test_files_of_this_machine_are_not_read_for_a_remote_catalog(catalog):
    scan, files = planned(catalog, "position", "server")
    reader = FileReader.of(scan, {}, None, origins=TrustedOrigins.of("https://catalog.test"))

    with pytest.raises(UntrustedOrigin, match="of this machine"):
        next(reader.read(files, dict))


@pytest.mark.parametrize(
    "config", [{"py-io-impl": "subprocess.Popen"}, {"s3.endpoint": "http://169.254.169.254"}]
)
def test_settings_of_a_plan_are_checked(catalog, config):
    scan, files = planned(catalog, "position", "driver")

    with pytest.raises(BadReply, match=r"subprocess|cloud metadata"):
        read(scan, [type(file)(file.task, config) for file in files])


def test_reader_carries_no_history(catalog):
    table = pyiceberg_table(catalog, "n", "position")
    table.append(pa.table({"id": [10]}))

    assert FileReader.of(table.scan(), {}, None, **TRUSTED).metadata.snapshots == []


@pytest.fixture(scope="module")
def halves(catalog):
    """Return a table whose file has two row groups, with properties that refuse the second."""
    rows = pa.table({"id": range(400_000)})
    pyiceberg_catalog(catalog).create_table(
        "n.halves", rows.schema, properties={"write.parquet.row-group-limit": "200000"}
    ).append(rows)
    return "halves", {"py-io-impl": "spark_file_io.ExpiringFileIO"}


def test_credentials_that_expire_within_a_file_give_no_row_twice(catalog, halves):
    name, expiring = halves

    assert read(*planned(catalog, name, "driver"), properties=expiring) == list(range(400_000))


def test_first_batch_is_read_before_the_rest_of_the_file(catalog, halves):
    name, expiring = halves
    scan, files = planned(catalog, name, "driver")
    batches = FileReader.of(scan, expiring, None, **TRUSTED).read(files, lambda: expiring)

    assert next(batches).num_rows > 0
    with pytest.raises(PermissionError):
        list(batches)


def test_row_groups_without_matching_rows_are_not_read(catalog, halves):
    name, expiring = halves
    few = column("id") < 3

    assert read(
        *planned(catalog, name, "driver", few),
        properties=expiring,
        renewed=lambda: expiring,
        predicate=few,
    ) == [0, 1, 2]
