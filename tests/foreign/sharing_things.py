"""The uses of the sharing client on the official server; each returns its failures."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
import json
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from lakepact.client import AsyncSharingClient, SharingClient
from lakepact.client.delta_sharing.lines import Format
from lakepact.conformance.fixtures.manifest import Manifest, PackTable
from lakepact.conformance.rows import comparison
from servers_matrix.sharing_servers import OfficialServer

from . import page_blocks

#: Tables of the pack that server and connector read at every version that they have.
READ = ("partitioned", "changes", "streamed", "schema_changes", "column_mapping_name")
#: Of the filters of rows, by table.
COLUMNS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "changes": {"id": (0, 1, 2, 5, 9), "word": ("", "word 1", "word 3", "x")},
    "streamed": {"id": (0, 1, 3, 7, 26), "word": ("word 0", "word 12", "z")},
    "partitioned": {"id": (0, 1, 2, 8, 24), "city": ("Zürich", "a"), "note": ("note 0", "o")},
}
FILTERS, SPARK_FILTERS = 200, 20


@dataclass(frozen=True)
class Shared:
    """The running server, what it shares, and the names that the blocks of the page have
    defined.
    """

    server: OfficialServer
    pack: Manifest
    profile: str  #: the path of the file
    names: dict[str, Any]
    spark: Callable[[], Any]  #: the session, which the first call starts

    @property
    def client(self) -> SharingClient:
        """Return a client of it."""
        return SharingClient(self.profile)

    def url(self, name: str) -> str:
        """Return a table as the connector names it."""
        return f"{self.profile}#lakepact.tables.{name}"


def versions(shared: Shared) -> Iterator[tuple[PackTable, int]]:
    """Yield tables with their versions."""
    for name in READ:
        table = shared.pack.tables[name]
        yield from ((table, version.version) for version in table.readable)


def connector(function: str, url: str, **arguments: Any) -> Any:
    """Return the result of a function of the official connector, which warns of its use of
    pandas.
    """
    import delta_sharing  # noqa: PLC0415 - installed for the matrix alone

    with warnings.catch_warnings(action="ignore"):
        return getattr(delta_sharing, function)(url, **arguments)


@cache
def connector_rows(url: str, version: int | None) -> Any:
    """Return the rows of a version of a table, as the official connector reads them."""
    return connector("load_as_pandas", url, version=version)


def same(expected: Any, actual: Any, about: str, *, dates: str = "epoch") -> None:
    """Compare rows of a pandas frame or an Arrow table with other rows.

    Args:
        expected: the rows.
        actual: other rows.
        about: the table.
        dates: how pandas writes dates and times of both.
    """

    def rows(table: Any) -> Any:
        frame = table if hasattr(table, "to_json") else table.to_pandas()
        return json.loads(frame.to_json(orient="records", date_format=dates))

    comparison.same(rows(expected), rows(actual), about)


def rows_of_versions(shared: Shared) -> None:
    """Read every version of tables by its number."""
    with shared.client as client:
        for table, version in versions(shared):
            actual = client.table(f"lakepact.tables.{table.name}").to_arrow(version=version)
            same(connector_rows(shared.url(table.name), version), actual, f"{table.name} {version}")


def rows_of_times(shared: Shared) -> None:
    """Read the versions of a table by the times that its changes tell."""
    with shared.client as client:
        table = client.table("lakepact.tables.streamed")
        with table.query(starting_version=0) as listing:
            times = {file.version: file.timestamp for file in listing.files()}
        for version, time in times.items():
            moment = dt.datetime.fromtimestamp((time or 0) / 1000, dt.UTC)
            rows = connector_rows(shared.url("streamed"), version)
            same(rows, table.to_arrow(timestamp=moment), f"streamed at {moment}")


def conditions(shared: Shared, count: int) -> Iterator[tuple[PackTable, int, str, Any]]:
    """Yield random filters of tables at versions, with the rows that DuckDB leaves of the
    connector's.
    """
    import duckdb  # noqa: PLC0415 - of an extra

    choose = random.Random(47)
    tables = [(t, v) for t, v in versions(shared) if t.name in COLUMNS]

    def condition(columns: Mapping[str, tuple[Any, ...]]) -> str:
        name = choose.choice(list(columns))
        value = choose.choice(columns[name])
        literal = f"'{value}'" if isinstance(value, str) else str(value)
        return choose.choice(
            [
                f"{name} {choose.choice(['=', '!=', '<', '<=', '>', '>='])} {literal}",
                f"{name} is null",
                f"{name} is not null",
            ]
        )

    for n in range(count):
        table, version = tables[n % len(tables)]
        parts = [condition(COLUMNS[table.name]) for _ in range(choose.randint(1, 3))]
        text = choose.choice([" and ", " or "]).join(parts)
        frame = connector_rows(shared.url(table.name), version)
        yield table, version, text, duckdb.from_df(frame).filter(text).df()


def filters(shared: Shared) -> None:
    """Read rows by random filters."""
    with shared.client as client:
        for table, version, text, expected in conditions(shared, FILTERS):
            actual = client.table(f"lakepact.tables.{table.name}").to_arrow(
                row_filter=text, version=version
            )
            about = f"{table.name} {version} where {text}"
            same(expected, actual, about, dates="iso")  # those of DuckDB have another unit


def limits(shared: Shared) -> None:
    """Read some rows of a table."""
    with shared.client as client:
        table = client.table("lakepact.tables.partitioned")
        rows = shared.pack.tables["partitioned"].last.rows.num_rows
        assert [table.to_arrow(limit=n).num_rows for n in (1, 3, 99)] == [1, 3, rows]


def formats(shared: Shared) -> None:
    """Read the rows of either response format."""
    with shared.client as client:
        for table, version in versions(shared):
            name = f"lakepact.tables.{table.name}"
            response_formats: list[Format] = ["delta"] if table.features else ["delta", "parquet"]
            for form in response_formats:
                listing = client.table(name).query(version=version, formats=[form])
                rows = connector_rows(shared.url(table.name), version)
                same(rows, listing.to_arrow(), f"{name} {version} in {form} format")


def all_changes(shared: Shared) -> Any:
    """Return the changes of a table, as the official connector reads them."""
    return connector("load_table_changes_as_pandas", shared.url("changes"), starting_version=0)


def changes(shared: Shared) -> None:
    """Read the changes of a table by versions."""
    with shared.client as client:
        for first, last in ((0, None), (2, 5), (3, 3)):
            expected = connector(
                "load_table_changes_as_pandas",
                shared.url("changes"),
                starting_version=first,
                ending_version=last,
            )
            actual = client.table("lakepact.tables.changes").changes(
                starting_version=first, ending_version=last
            )
            same(expected, actual.to_arrow(), f"changes from {first} to {last}")


def pages(shared: Shared) -> None:
    """List the files of a table, of versions and of changes, page by page."""
    with shared.client as client:
        table = client.table("lakepact.tables.changes")
        for ask in (
            table.query,
            partial(table.query, version=1),
            partial(table.query, row_filter="id > 1"),
            partial(table.query, starting_version=0),
            partial(table.changes, starting_version=0),
        ):
            whole, by_page = (
                sorted(f.id for f in each.files()) for each in (ask(), ask(page_size=1))
            )
            assert by_page == whole, f"{ask}: {by_page} instead of {whole}"


def background(shared: Shared) -> None:
    """Read a table by a query in the background."""
    with shared.client as client:
        listing = client.table("lakepact.tables.unpartitioned").query(background=True)
        same(shared.pack.tables["unpartitioned"].last.rows, listing.to_arrow(), "unpartitioned")


def asynchronous(shared: Shared) -> None:
    """Read tables by the asynchronous client, at the same time."""

    async def read() -> list[Any]:
        async with AsyncSharingClient(shared.profile) as client:
            tables = [client.table(f"lakepact.tables.{name}") for name in READ]
            return list(await asyncio.gather(*(table.to_arrow() for table in tables)))

    for name, actual in zip(READ, asyncio.run(read()), strict=True):
        last = shared.pack.tables[name].last.version
        same(connector_rows(shared.url(name), last), actual, name)


def incremental(shared: Shared) -> None:
    """Follow the versions of a table from the first one on."""
    table = shared.pack.tables["streamed"]
    with shared.client as client:
        stream = client.table("lakepact.tables.streamed").follow(0)
        files = list(itertools.islice(stream, sum(v.actions["add"] for v in table.versions)))
    assert sorted({file.version for file in files}) == [v.version for v in table.versions]


def in_spark(shared: Shared, name: str, **options: object) -> Any:
    """Return a table as a DataFrame of Spark."""
    reader = shared.spark().read.format("lakepact").option("profile", shared.profile)
    return reader.options(**options).load(f"lakepact.tables.{name}")


def spark_versions(shared: Shared) -> None:
    """Read every version of tables in Spark."""
    for table, version in versions(shared):
        actual = in_spark(shared, table.name, versionAsOf=version).toArrow()
        same(connector_rows(shared.url(table.name), version), actual, f"{table.name} {version}")


def spark_filters(shared: Shared) -> None:
    """Read rows in Spark by random filters, which it pushes to the source."""
    for table, version, text, expected in conditions(shared, SPARK_FILTERS):
        rows = in_spark(shared, table.name, versionAsOf=version, pushFilters="true").where(text)
        same(expected, rows.toArrow(), f"{table.name} {version} where {text}", dates="iso")


def spark_changes(shared: Shared) -> None:
    """Read the changes of a table in Spark."""
    actual = in_spark(shared, "changes", readChangeFeed="true", startingVersion=0).toArrow()
    same(all_changes(shared), actual, "changes")


def spark_streams(shared: Shared) -> None:
    """Stream the rows of one table and the changes of another; a stream that starts again adds
    none.
    """
    last = shared.pack.tables["streamed"].last.version
    for name, options, expected in (
        ("streamed", {}, connector_rows(shared.url("streamed"), last)),
        ("changes", {"readChangeFeed": "true", "startingVersion": 0}, all_changes(shared)),
    ):
        for start in ("first", "second"):
            reader = shared.spark().readStream.format("lakepact").options(**options)
            rows = reader.option("profile", shared.profile).load(f"lakepact.tables.{name}")
            writer = rows.writeStream.trigger(availableNow=True).format("parquet")
            writer = writer.option("checkpointLocation", f"{name}-checkpoint")
            writer.option("path", f"{name}-rows").start().awaitTermination()
            actual = shared.spark().read.parquet(f"{name}-rows").toArrow()
            same(expected, actual, f"{name} after the {start} start")


def current(shared: Shared, table: PackTable) -> None:
    """Read a table of the pack at its current version."""
    with shared.client as client:
        actual = client.table(f"lakepact.tables.{table.name}").to_arrow()
    comparison.same(table.last.rows.to_pylist(), actual.to_pylist(), table.name)


def all_tables(shared: Shared) -> list[str]:
    """Read every table, and return the failures."""
    return [
        f"{table.name}: {failure}"
        for table in shared.pack.tables.values()
        for failure in page_blocks.failures_of(partial(current, table=table), shared)
    ]


def run_block(shared: Shared, block: Any) -> list[str]:
    """Run a block of the page; the table that the first one writes is copied to the store."""
    failures = page_blocks.run_text(block.text, shared.names)
    if "write_deltalake(" in block.text:
        shared.server.upload(Path("orders"), "orders")
    return failures


def _things() -> Iterator[tuple[str, Callable[[Shared], list[str]]]]:
    for title, block in page_blocks.page_blocks(sharing=True):
        yield f"page: {title}", partial(run_block, block=block)
    yield "rows: every table", all_tables
    for title, thing in (
        ("versions", rows_of_versions),
        ("timestamps", rows_of_times),
        (f"{FILTERS} filters of versions", filters),
        ("limit", limits),
        ("both response formats", formats),
        ("changes", changes),
        ("pages", pages),
        ("background", background),
        ("asynchronous client", asynchronous),
        ("follow", incremental),
    ):
        yield f"rows: {title}", partial(page_blocks.failures_of, thing)
    for title, thing in (
        ("versions", spark_versions),
        (f"{SPARK_FILTERS} filters of versions", spark_filters),
        ("changes", spark_changes),
        ("streams of rows and of changes", spark_streams),
    ):
        yield f"Spark: {title}", partial(page_blocks.failures_of, thing)


#: By name, in the order in which they run.
SHARING_THINGS: Mapping[str, Callable[[Shared], list[str]]] = dict(_things())
