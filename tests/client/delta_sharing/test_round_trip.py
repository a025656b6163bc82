"""The client reads exactly the rows of the tables from the reference server."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from packaging.version import Version

from lakepact.client import BadRequest, NoSuchTable, NotAuthenticated, ResponseError, column
from lakepact.conformance.fixtures import pack
from lakepact.conformance.fixtures.fixture import FIXTURES
from lakepact.reference_server import running

from .serving import KINDS, Driven

MANY = 500
FORMATS = (("parquet",), ("delta", "parquet"))


@pytest.fixture(scope="module")
def pack_folder(tmp_path_factory):
    """Return the folder of the fixture pack."""
    folder = tmp_path_factory.mktemp("round_trip") / "pack"
    pack.write(folder)
    return folder


@pytest.fixture(scope="module")
def manifest(pack_folder):
    return json.loads((pack_folder / "manifest.json").read_bytes())


@pytest.fixture(scope="module", params=KINDS)
def client(request, pack_folder):
    """Yield a client of each kind to the server of the pack."""
    with running(shares=str(pack_folder / "shares.yaml")) as server, asyncio.Runner() as runner:
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address("delta_sharing"),
            "bearerToken": pack.TOKENS["all"],
        }
        client = Driven(KINDS[request.param](profile), runner)
        yield client
        client.close()


def bag(table, names=None):
    """Return the rows of a table as a multiset."""
    return Counter(
        json.dumps(row, default=repr, sort_keys=True)
        for row in table.select(sorted(names or table.schema.names)).to_pylist()
    )


@pytest.mark.parametrize("name", sorted(FIXTURES))
def test_every_version_of_every_table_has_its_rows(client, manifest, pack_folder, name):
    entry = manifest["tables"][name]
    table = client.table(entry["share"], entry["schema"], entry["table"])
    if entry["access_modes"] == ["dir"]:
        with pytest.raises(ResponseError, match="directory"):
            table.to_arrow()
        return

    for version in entry["versions"]:
        is_last = version is entry["versions"][-1]
        if is_last or (entry["history"] and version["readable"]):
            # Some of thousands of files are enough.
            limit = 50 if len(version["files"]) > MANY else None
            read = table.to_arrow(version=None if is_last else version["version"], limit=limit)
            truth = bag(pq.read_table(pack_folder / version["truth"]))

            assert bag(read) <= truth, version["version"]
            assert read.num_rows == min(version["rows"], limit or version["rows"])


@pytest.mark.parametrize("formats", FORMATS, ids="+".join)
@pytest.mark.parametrize(
    "name",
    sorted(name for name, fixture_table in FIXTURES.items() if fixture_table.changes is not None),
)
def test_changes_of_every_table_are_read(client, manifest, pack_folder, name, formats):
    entry = manifest["tables"][name]
    table = client.table(entry["share"], entry["schema"], entry["table"])
    truth = pack_folder / "truth" / name / "changes.parquet"
    if not truth.exists():
        pytest.skip("there are none")
    if entry["features"] and formats == ("parquet",):
        with pytest.raises(BadRequest):
            table.changes(starting_version=entry["first_change"], formats=formats)
        return

    read = table.changes(starting_version=entry["first_change"], formats=formats).to_arrow()

    place = read.schema.get_field_index("_commit_timestamp")
    in_milliseconds = read.set_column(
        place, "_commit_timestamp", read.column(place).cast(pa.int64())
    )
    assert bag(in_milliseconds) == bag(pq.read_table(truth))


def test_listing_holds_every_share_and_table(client, manifest):
    shares = [share.name for share in client.shares(page_size=1)]
    tables = {
        (table.share, table.schema_, table.name)
        for share in shares
        for table in client.all_tables(share, page_size=2)
    }

    assert sorted(shares) == sorted(share["name"] for share in manifest["shares"])
    assert tables == {
        (s["name"], d["name"], t["name"])
        for s in manifest["shares"]
        for d in s["schemas"]
        for t in d["tables"]
    }


def test_version_is_found_by_its_timestamp(client, manifest):
    entry = manifest["tables"]["times"]
    table = client.table(entry["share"], entry["schema"], entry["table"])

    for version in entry["versions"]:
        moment = datetime.fromtimestamp(version["timestamp"] / 1000, UTC)
        assert table.version(starting_timestamp=moment) == version["version"]
        assert table.query(timestamp=moment).version == version["version"]


def test_pages_hold_all_files_once(client, manifest):
    entry = manifest["tables"]["many_files"]
    table = client.table(entry["share"], entry["schema"], entry["table"])

    whole = [file.id for file in table.files()]

    assert sorted(file.id for file in table.query(page_size=300).files()) == sorted(whole)
    assert len(set(whole)) == len(entry["versions"][-1]["files"])


@pytest.mark.parametrize("limit", [0, 1, 7, 10_000])
def test_limit_bounds_the_rows(client, manifest, limit):
    entry = manifest["tables"]["partitioned"]

    read = client.table(entry["share"], entry["schema"], entry["table"]).to_arrow(limit=limit)

    assert read.num_rows == min(limit, entry["versions"][-1]["rows"])


def test_missing_table_and_wrong_token_raise_their_errors(client, pack_folder):
    with pytest.raises(NoSuchTable):
        client.table("lakepact", "tables", "absent").to_arrow()
    with running(shares=str(pack_folder / "shares.yaml")) as server:
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address("delta_sharing"),
            "bearerToken": "no",
        }
        with pytest.raises(NotAuthenticated), KINDS["sync"](profile) as stranger:
            list(stranger.shares())


# Tables that deltalake writes, and reads as well.

ROWS = {
    "id": pa.array([1, 2, 3, 4, None], pa.int32()),
    "word": ["", None, "U+2028 \u2028", "x", "y"],
    "kind": ["a b/c%=é", "ß", None, "x", " y"],
    "day": pa.array([date(2024, 1, 1), date(2024, 1, 2), None, date(2024, 1, 1), date(2024, 1, 2)]),
    "at": pa.array(
        [datetime(2024, 1, 1, 1, 2, 3, 456789, tzinfo=UTC)] * 4 + [None],
        pa.timestamp("us", tz="UTC"),
    ),
    "price": pa.array([Decimal("1.50")] * 5, pa.decimal128(10, 2)),
    "tags": [["a", None], [], None, ["b"], None],
}
TABLES = {
    "plain": {},
    "by day": {"partition_by": ["day"]},
    "by everything": {"partition_by": ["day", "at", "price", "kind", "id"]},
    "mapped": {
        "configuration": {
            "delta.columnMapping.mode": "name",
            "delta.minReaderVersion": "2",
            "delta.minWriterVersion": "5",
        }
    },
}


def shared(folder, name="t"):
    """Return a shares file with one table."""
    file = folder / "shares.yaml"
    table = f"{{name: {name}, location: {(folder / name).as_uri()}, historyShared: true}}"
    file.write_text(
        f"version: 1\nshares: [{{name: s, schemas: [{{name: d, tables: [{table}]}}]}}]\nauthorization: {{bearerToken: tok}}\n"
    )
    return str(file)


@pytest.fixture(params=KINDS)
def open_table(request):
    """Return a function that opens the shared table of a server."""
    with asyncio.Runner() as runner:
        clients = []

        def open_table(server):
            profile = {
                "shareCredentialsVersion": 1,
                "endpoint": server.address("delta_sharing"),
                "bearerToken": "tok",
            }
            clients.append(Driven(KINDS[request.param](profile), runner))
            return clients[-1].table("s", "d", "t")

        yield open_table
        for client in clients:
            client.close()


def by_datafusion(folder):
    """Return the rows of a table as DataFusion reads them."""
    return pa.table(
        QueryBuilder().register("t", DeltaTable(str(folder))).execute("select * from t").read_all()
    )


#: Earlier versions write mapped columns without the ids that they require when they read.
READS_ITS_MAPPED_COLUMNS = pytest.mark.skipif(
    Version(deltalake.__version__) < Version("1.6.6"),
    reason="deltalake before 1.6.6 cannot read the mapped columns that it writes",
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=READS_ITS_MAPPED_COLUMNS if name == "mapped" else ())
        for name in TABLES
    ],
)
def test_rows_equal_those_of_deltalake(open_table, tmp_path, name):
    folder = tmp_path / "t"
    write_deltalake(str(folder), pa.table(ROWS), **TABLES[name])
    write_deltalake(str(folder), pa.table(ROWS).slice(0, 2), mode="append")
    DeltaTable(str(folder)).delete("id = 3")
    theirs = by_datafusion(folder)

    with running(shares=shared(tmp_path)) as server:
        table = open_table(server)
        whole, selection = (
            table.to_arrow(),
            table.to_arrow(row_filter=(column("day") == date(2024, 1, 1)) & (column("id") > 1)),
        )

    assert bag(whole) == bag(theirs.cast(whole.schema))
    assert selection.column("id").to_pylist() == [4]


def test_changes_equal_those_of_deltalake(open_table, tmp_path):
    folder = tmp_path / "t"
    write_deltalake(
        str(folder),
        pa.table(ROWS),
        partition_by=["day"],
        configuration={"delta.enableChangeDataFeed": "true"},
    )
    write_deltalake(str(folder), pa.table(ROWS).slice(0, 2), mode="append")
    DeltaTable(str(folder)).update(updates={"word": "'new'"}, predicate="id = 1")
    DeltaTable(str(folder)).delete("id = 3")
    theirs = pa.table(DeltaTable(str(folder)).load_cdf(starting_version=1).read_all())

    with running(shares=shared(tmp_path)) as server:
        ours = [
            open_table(server).changes(starting_version=1, formats=formats).to_arrow()
            for formats in FORMATS
        ]

    # deltalake reads the time of a commit from another place.
    names = [name for name in ours[0].schema.names if name != "_commit_timestamp"]
    expected = bag(theirs.select(names).cast(ours[0].select(names).schema))
    assert [bag(each, names) for each in ours] == [expected, expected]


def test_commit_during_a_read_does_not_mix_versions(open_table, tmp_path):
    folder = tmp_path / "t"
    write_deltalake(str(folder), pa.table({"id": [1]}))

    with running(shares=shared(tmp_path)) as server:
        listing = open_table(server).query()
        write_deltalake(str(folder), pa.table({"id": [2]}), mode="overwrite")

        assert listing.to_arrow().to_pydict() == {"id": [1]}
