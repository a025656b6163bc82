"""The unmodified connector `delta-sharing` of PyPI reads the expected rows of the fixture pack from
the reference server.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import delta_sharing
from lakepact.conformance.clients.command import check_client
from lakepact.conformance.fixtures import pack
from lakepact.conformance.fixtures.manifest import Manifest, PackTable
from lakepact.reference_server import running

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore"),  # warnings of the connector and of its libraries
]

#: Tables that only the delta format can express, and tables without URLs.
ADVANCED = {"deletionVectors", "columnMapping", "timestampNtz"}


class Shared(NamedTuple):
    """The fixture pack and its profile."""

    profile: Path
    manifest: Manifest

    def url(self, table: PackTable) -> str:
        where = table.address
        return f"{self.profile}#{where['share']}.{where['schema']}.{where['table']}"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("pack")
    manifest = pack.write(folder)
    with running(shares=folder / "shares.yaml") as server:
        profile = tmp_path_factory.mktemp("profile") / "all.share"
        endpoint, token = server.address("delta_sharing"), manifest.tokens["all"]
        profile.write_text(
            json.dumps({"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": token})
        )
        yield Shared(profile, manifest)


CHANGE = (
    "_change_type",
    "_commit_version",
)  #: in delta format the connector drops the milliseconds of a change

#: Every table with URLs, in every format that can express it.
READ = [
    (name, form)
    for name, table_of_pack in pack.FIXTURES.items()
    for form in ("parquet", "delta")
    if table_of_pack.access_modes != ("dir",)
    and (form == "delta" or not ADVANCED & set(table_of_pack.features))
]


def plain(value: Any) -> Any:
    """Return a value in one form for all libraries; a missing value is None."""
    if isinstance(value, dict):
        return tuple((key, plain(member)) for key, member in value.items())
    if hasattr(value, "tolist") and not isinstance(value, pd.Timestamp):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    if value is None or value is pd.NaT or value != value:
        return None
    if hasattr(value, "tzinfo"):
        return value.replace(
            tzinfo=None
        ).isoformat()  # all are UTC; in parquet format the connector drops the time zone
    return value


def rows(table: pa.Table | pd.DataFrame) -> Counter[Any]:
    """Return the rows of a table as a multiset."""
    records = (
        table.to_dict("records")
        if isinstance(table, pd.DataFrame)
        else as_in_pandas(table).to_pylist()
    )
    return Counter(
        tuple(sorted((name, plain(value)) for name, value in record.items())) for record in records
    )


def as_in_pandas(table: pa.Table) -> pa.Table:
    """Return the table as pandas holds it: an integer beside a null becomes a double."""
    doubles = [
        pa.types.is_integer(column.type) and column.null_count > 0 for column in table.columns
    ]
    types = [
        pa.float64() if double else column.type
        for double, column in zip(doubles, table.columns, strict=True)
    ]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))), safe=False)


def columns(table: PackTable, version: int) -> list[str]:
    """Return the columns of a table at a version."""
    schema = next(v.schema for v in table.versions if v.version == version)
    return [field["name"] for field in schema["fields"]]


def ranges(table: PackTable) -> list[tuple[int, int]]:
    """Return first and last version of each range of changes with one schema; in delta format the
    connector reads no others.
    """
    ends: dict[tuple[str, ...], list[int]] = {}
    for version in table.versions:
        if version.version >= (table.first_change or 0):
            ends.setdefault(tuple(columns(table, version.version)), []).append(version.version)
    return [(min(these), max(these)) for these in ends.values()]


def versions(table: PackTable) -> tuple[int, ...]:
    """Return the first and the last readable version of a table."""
    numbers = [v.version for v in table.readable]
    return tuple(dict.fromkeys([numbers[0], numbers[-1]]))


def test_connector_lists_every_table(shared: Shared) -> None:
    actual = {
        (table.share, table.schema, table.name)
        for table in delta_sharing.SharingClient(str(shared.profile)).list_all_tables()
    }

    expected = {
        (share["name"], schema["name"], t["name"])
        for share in shared.manifest.shares
        for schema in share["schemas"]
        for t in schema["tables"]
    }
    assert expected == actual


@pytest.mark.parametrize(("name", "form"), READ)
def test_connector_reads_the_expected_rows(shared: Shared, name: str, form: str) -> None:
    table = shared.manifest.tables[name]

    read = delta_sharing.load_as_pandas(shared.url(table), use_delta_format=form == "delta")

    assert rows(table.last.rows) == rows(read)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, table_of_pack in pack.FIXTURES.items()
        if table_of_pack.access_modes != ("dir",)
    ],
)
def test_connector_detects_the_format_of_each_table(shared: Shared, name: str) -> None:
    table = shared.manifest.tables[name]

    assert rows(table.last.rows) == rows(delta_sharing.load_as_pandas(shared.url(table)))


@pytest.mark.parametrize(
    ("name", "form"), [(name, form) for name, form in READ if pack.FIXTURES[name].history]
)
def test_connector_reads_the_first_and_the_last_version(
    shared: Shared, name: str, form: str
) -> None:
    table = shared.manifest.tables[name]
    true = {v.version: rows(v.rows) for v in table.readable}

    for version in versions(table):
        read = delta_sharing.load_as_pandas(
            shared.url(table), version=version, use_delta_format=form == "delta"
        )
        assert true[version] == rows(read)


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_connector_reads_each_version_by_timestamp(shared: Shared, form: str) -> None:
    table = shared.manifest.tables["times"]

    for version in table.readable:
        at = pd.Timestamp(version.timestamp, unit="ms").isoformat(timespec="milliseconds") + "Z"
        read = delta_sharing.load_as_pandas(
            shared.url(table), timestamp=at, use_delta_format=form == "delta"
        )
        assert rows(version.rows) == rows(read)


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_limit_returns_that_many_expected_rows(shared: Shared, form: str) -> None:
    table = shared.manifest.tables["partitioned"]

    read = rows(
        delta_sharing.load_as_pandas(shared.url(table), limit=7, use_delta_format=form == "delta")
    )

    assert (7, Counter()) == (read.total(), read - rows(table.last.rows))


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_hints_keep_every_matching_row(shared: Shared, form: str) -> None:
    table = shared.manifest.tables["partitioned"]
    column = {"op": "column", "name": "city", "valueType": "string"}
    hints = json.dumps(
        {
            "op": "equal",
            "children": [column, {"op": "literal", "value": "Oslo", "valueType": "string"}],
        }
    )

    read = delta_sharing.load_as_pandas(
        shared.url(table), jsonPredicateHints=hints, use_delta_format=form == "delta"
    )

    true = table.last.rows.to_pandas()
    assert rows(true[true["city"] == "Oslo"]) == rows(read[read["city"] == "Oslo"])
    assert len(read) < len(true)


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for name, form in READ if pack.FIXTURES[name].changes is not None],
)
def test_connector_reads_the_expected_changes(shared: Shared, name: str, form: str) -> None:
    table = shared.manifest.tables[name]
    for first, last in (
        ranges(table) if form == "delta" else [(table.first_change, table.last.version)]
    ):
        read = delta_sharing.load_table_changes_as_pandas(
            shared.url(table),
            starting_version=first,
            ending_version=last,
            use_delta_format=form == "delta",
        )
        true = table.changes(first, last).select([*columns(table, last), *CHANGE])
        assert rows(true) == rows(read[true.column_names])


def test_connector_passes_the_client_checks() -> None:
    program = Path(__file__).parent / "delta_sharing_client.py"

    result = CliRunner().invoke(
        check_client,
        ["--contract", "delta_sharing", "--timeout", "120", "--", sys.executable, str(program)],
    )

    assert result.exit_code == 0, result.output
