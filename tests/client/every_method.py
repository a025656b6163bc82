"""Every public method of every public class of the client, called once; `nox -s types` checks the
types of the results.

Nothing here runs. The calls for threads are derived from those here as the classes are, and their
types are checked too. `test_every_method.py` compares both with the public surface, so that no new
method can be forgotten.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, assert_type

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyiceberg.catalog
import pyiceberg.table

from lakepact.client import (
    AsyncIcebergCatalog,
    AsyncSharingClient,
    AsyncWatsonxCatalog,
    Auth,
    BadReply,
    BearerToken,
    LakepactError,
    Limits,
    Profile,
    ReadTask,
    Retries,
    ScanPlan,
    ScanTask,
    SigV4,
    TableChange,
    Timeouts,
    column,
    pyiceberg_catalog,
    pyiceberg_table,
    storage_credential,
    storage_properties,
)
from lakepact.client import IcebergCatalog as CatalogForThreads
from lakepact.client.delta_sharing.access import DirectoryCredentials
from lakepact.client.delta_sharing.asynchronous.answer import AsyncAnswer
from lakepact.client.delta_sharing.asynchronous.listing import AsyncListing
from lakepact.client.delta_sharing.asynchronous.table import AsyncTable
from lakepact.client.delta_sharing.description import Description
from lakepact.client.delta_sharing.lines import (
    DeletionVector,
    EndOfStream,
    Facts,
    Kind,
    Metadata,
    Protocol,
    SharedFile,
)
from lakepact.client.delta_sharing.schemas import Field
from lakepact.client.delta_sharing.schemas import Schema as DeltaSchema
from lakepact.client.iceberg_rest.asynchronous.edits import AsyncTableCommit, AsyncTransaction
from lakepact.client.iceberg_rest.asynchronous.rows import AsyncTableScan
from lakepact.client.iceberg_rest.table_edits import TableEdits
from lakepact.client.rows.predicates import Column, Predicate
from lakepact.formats.limits import Limit
from lakepact.generated.delta_sharing.models import Share, SharedSchema, SharedTable
from lakepact.generated.iceberg_rest.models import (
    CatalogConfig,
    CommitTableResponse,
    CreateNamespaceResponse,
    GetNamespaceResponse,
    LoadFunctionResult,
    LoadTableResult,
    LoadViewResult,
    PartitionSpec,
    RemoteSignResult,
    Schema,
    SortOrder,
    StorageCredential,
    TableIdentifier,
    TableMetadata,
    UnregisterTableResult,
    UpdateNamespacePropertiesResponse,
)
from lakepact.reach.tokens import FetchedToken, Token
from lakepact.reach.wire import Headers, Pause, Reply, Request

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}
VERSION = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    "summary": {},
    "representations": [],
    "default-namespace": ["a"],
}
UPDATE = {"action": "set-properties", "updates": {"k": "v"}}
SIGNED = {
    "region": "eu-central-1",
    "uri": "https://b.s3.amazonaws.com/t/1",
    "method": "GET",
    "headers": {},
}
ROWS = pa.table({"id": [1]})
NOW = datetime(2026, 1, 1, tzinfo=UTC)


# -- opening ---------------------------------------------------------------------------------------


def limits(limits: Limits) -> None:
    assert_type(limits.decoding, Limit)


async def opening() -> None:
    async with AsyncIcebergCatalog(
        "http://c", warehouse="w", auth=BearerToken("t"), limits=Limits(pages=1)
    ) as catalog:
        assert_type(catalog, AsyncIcebergCatalog)
    async with AsyncWatsonxCatalog(
        "c", "catalog", retries=Retries(tries=1), timeouts=Timeouts(read=1.0)
    ) as watsonx:
        await iceberg_catalog(watsonx)
    async with AsyncSharingClient("profile.share", downloads=4) as client:
        assert_type(client, AsyncSharingClient)
    signature(SigV4("glue", region="us-east-1"))
    profile(
        Profile.read({"shareCredentialsVersion": 1, "endpoint": "https://s", "bearerToken": "t"})
    )


def profile(profile: Profile) -> None:
    assert_type(profile.read("profile.share"), Profile)
    assert_type(profile.endpoint, str)


def error(error: LakepactError) -> None:
    assert_type(error.operation, str)
    assert_type(error.status, int | None)
    assert_type(error.message, str)
    if isinstance(error, BadReply):
        assert_type(error.tries, int)


def auth(auth: Auth) -> None:
    assert_type(next(auth.flow(Request("GET", "https://c"))), Request | Pause)


def signature(auth: SigV4) -> None:
    assert_type(auth.signature(Request("GET", "https://c")), Headers)


def token_login(auth: FetchedToken) -> None:
    assert_type(next(auth.current()), Request | Pause)


def request(request: Request) -> None:
    assert_type(
        (request.has_key, request.is_idempotent, request.may_change), tuple[bool, bool, bool]
    )
    assert_type(request.with_header("x", "y"), Request)


def reply(reply: Reply) -> None:
    assert_type(reply.request_id, str | None)
    assert_type((reply.header("x"), reply.is_success), tuple[str | None, bool])


def timeouts(timeouts: Timeouts) -> None:
    assert_type(timeouts.of(5), Timeouts)


def token(token: Token) -> None:
    assert_type((token.is_fresh(0.0), token.is_good(0.0)), tuple[bool, bool])


def retries(retries: Retries) -> None:
    assert_type(retries.pause(tries=1, elapsed=0.0, retry_after=None), float | None)


# -- Iceberg ---------------------------------------------------------------------------------------


def metadata(metadata: TableMetadata) -> None:
    assert_type(metadata.location, str)
    assert_type(
        metadata.last_updated_ms
        + metadata.last_column_id
        + metadata.last_partition_id
        + metadata.last_sequence_number,
        int,
    )
    if metadata.current_snapshot and (summary := metadata.current_snapshot.summary):
        assert_type(summary["total-records"], str)
    schemas: Sequence[Schema] = metadata.schemas
    specs: Sequence[PartitionSpec] = metadata.partition_specs
    orders: Sequence[SortOrder] = metadata.sort_orders
    current = next(schema for schema in schemas if schema.schema_id == metadata.current_schema_id)
    assert_type(current, Schema)
    assert_type([field.name for field in current.fields], list[str])
    assert_type((specs[0].fields[0].name, orders[0].order_id), tuple[str, int])
    assert_type(metadata.default_spec_id + metadata.default_sort_order_id, int)


def pyiceberg_tables(catalog: CatalogForThreads) -> pyiceberg.table.Table:
    assert_type(pyiceberg_catalog(catalog), pyiceberg.catalog.Catalog)
    return pyiceberg_table(catalog, "a", "t")


async def iceberg_catalog(catalog: AsyncIcebergCatalog) -> None:
    assert_type(await catalog.config(), CatalogConfig)
    assert_type(await catalog.properties(), Mapping[str, str])
    assert_type(await catalog.offers("createView"), bool)
    assert_type(catalog.address, str)
    assert_type(await catalog.authorization(), str | None)
    assert_type(catalog.from_profile("prod", headers={"X-A": "a"}), AsyncIcebergCatalog)
    assert_type(catalog.from_uri("https://c?warehouse=w"), AsyncIcebergCatalog)
    assert_type(catalog.with_options(retries=Retries(tries=1), timeouts=5), AsyncIcebergCatalog)
    assert_type(
        (catalog.with_response(), catalog.response), tuple[AsyncIcebergCatalog, Reply | None]
    )
    await catalog.close()
    assert_type(catalog.list_namespaces("a", page_size=10), AsyncIterator[tuple[str, ...]])
    assert_type(await catalog.create_namespace(("a", "b"), {"k": "v"}), CreateNamespaceResponse)
    assert_type(await catalog.load_namespace("a"), GetNamespaceResponse)
    assert_type(await catalog.namespace_exists("a"), bool)
    assert_type(
        await catalog.update_namespace_properties("a", updates={"k": "v"}, removals=["j"]),
        UpdateNamespacePropertiesResponse,
    )
    await catalog.drop_namespace("a")
    assert_type(catalog.list_tables("a"), AsyncIterator[TableIdentifier])
    assert_type(await catalog.create_table("a.t", SCHEMA, properties={"k": "v"}), LoadTableResult)
    assert_type(await catalog.create_table("a.t", ROWS.schema), LoadTableResult)
    async for identifier in catalog.list_tables("a.b"):
        assert_type(await catalog.load_table(identifier), LoadTableResult)
    assert_type(
        await catalog.table_exists(("a", "b", "t"))
        or await catalog.table_exists((("a", "b"), "t")),
        bool,
    )
    assert_type(await catalog.stage_table("a.t", SCHEMA), LoadTableResult)
    assert_type(
        await catalog.register_table("a.t", "s3://b/t.json", overwrite=True), LoadTableResult
    )
    result = await catalog.load_table("a.t", snapshots="refs", referenced_by=["a.v"])
    assert_type(result, LoadTableResult)
    metadata(result.metadata)
    assert_type(storage_properties(result, "s3://b/t/1"), dict[str, str])
    credentials = await catalog.load_credentials("a.t", plan_id="p")
    assert_type(storage_credential(credentials, "s3://b/t/1"), StorageCredential | None)
    assert_type(await catalog.sign_request("a.t", SIGNED), RemoteSignResult)
    assert_type(await catalog.table_exists("a.t"), bool)
    reply = await catalog.commit_table("a.t", [UPDATE], requirements=[{"type": "assert-create"}])
    assert_type(reply, CommitTableResponse)
    await catalog.drop_table("a.t", purge=True)
    await catalog.rename_table("a.t", (("a", "b"), "t"))
    await catalog.report_metrics("a.t", {"report-type": "scan-report"})
    await catalog.commit_transaction([TableChange("a", "t", [UPDATE])])
    await table_commit(catalog.change("a.t"))
    await transaction(catalog.transaction())
    assert_type(catalog.list_functions("a"), AsyncIterator[tuple[str, ...]])
    assert_type(await catalog.load_function("a.f"), LoadFunctionResult)
    assert_type(await catalog.unregister_table("a.t"), UnregisterTableResult)
    assert_type(catalog.list_views("a"), AsyncIterator[TableIdentifier])
    assert_type(await catalog.create_view("a.v", SCHEMA, version=VERSION), LoadViewResult)
    assert_type(await catalog.register_view("a.v", "s3://b/v.json"), LoadViewResult)
    assert_type(await catalog.load_view("a.v"), LoadViewResult)
    assert_type(await catalog.view_exists("a.v"), bool)
    assert_type(await catalog.replace_view("a.v", [UPDATE]), LoadViewResult)
    await catalog.drop_view("a.v")
    await catalog.rename_view("a.v", "a.w")
    plan = await catalog.plan_scan("a.t", select=["id"], min_rows_requested=10)
    assert_type(plan, ScanPlan)
    async for task in catalog.scan_tasks("a.t", plan):
        assert_type(task, ScanTask)
        assert_type(task.data_file.file_path, str)
    await catalog.cancel_plan("a.t", plan)
    await table_scan(catalog.scan("a.t", ["id"], "id > 3", snapshot="main", limit=10))
    await catalog.append("a.t", ROWS, branch="b", snapshot_properties={"k": "v"})
    await catalog.overwrite("a.t", ROWS, "id = 3")
    await catalog.overwrite_partitions("a.t", ROWS)
    await catalog.delete("a.t", "id = 3")
    assert_type(await catalog.upsert("a.t", ROWS, ["id"]), pyiceberg.table.UpsertResult)
    await catalog.add_files("a.t", ["s3://b/t/1.parquet"], branch="b")
    assert_type(await catalog.snapshots("a.t"), pa.Table)
    assert_type(await catalog.history("a.t"), pa.Table)
    assert_type(await catalog.refs("a.t"), pa.Table)
    assert_type(await catalog.files("a.t", snapshot="main"), pa.Table)
    assert_type(await catalog.partitions("a.t", timestamp=NOW), pa.Table)


async def texts(catalog: AsyncIcebergCatalog, shared: AsyncTable) -> None:
    catalog.scan("a.t", "id")  # type: ignore[arg-type]
    await catalog.upsert("a.t", ROWS, "id")  # type: ignore[arg-type]
    await catalog.plan_scan("a.t", select="id")  # type: ignore[arg-type]
    await catalog.update_namespace_properties("a", removals="k")  # type: ignore[arg-type]
    await catalog.load_table("a.t", referenced_by="a.v")  # type: ignore[arg-type]
    await shared.to_arrow(columns="id")  # type: ignore[arg-type]
    column("id").is_in("a")  # type: ignore[arg-type]
    AsyncIcebergCatalog("https://c", trusted_origins="https://d")  # type: ignore[arg-type]


async def table_scan(scan: AsyncTableScan) -> None:
    assert_type(scan.batches(), AsyncGenerator[pa.RecordBatch, None])
    assert_type(await scan.count(), int)
    assert_type(await scan.reader(), pa.RecordBatchReader)
    assert_type(await scan.to_arrow(), pa.Table)
    assert_type(await scan.to_pandas(), pd.DataFrame)
    assert_type(await scan.to_polars(), pl.DataFrame)
    assert_type(await scan.to_duckdb(connection=duckdb.connect()), duckdb.DuckDBPyRelation)


async def table_commit(edits: AsyncTableCommit) -> None:
    assert_type(await edits.set_properties({"k": "v"}).commit(), CommitTableResponse)
    assert_type(await edits.commit(), CommitTableResponse)
    assert_type(await edits.preview(), TableChange)
    assert_type(edits.append({"id": [1]}, branch="main"), AsyncTableCommit)
    async with edits as change:
        assert_type(change, AsyncTableCommit)


async def transaction(edits: AsyncTransaction) -> None:
    table_edits(edits.change("a.t"))
    assert_type(await edits.preview(), list[TableChange])
    await edits.commit()


def table_edits(edits: TableEdits) -> None:
    edits.add_column("note", "string", doc="free text").rename_column(("address", "city"), "town")
    assert_type(edits.add_column("note", "string", required=True, default="none"), TableEdits)
    assert_type(edits.require_column("a", allow_incompatible=True), TableEdits)
    assert_type(edits.set_default("a", None), TableEdits)
    assert_type(edits.union_by_name(pa.schema([("a", pa.int64())])), TableEdits)
    assert_type(edits.set_statistics({"snapshot-id": 1}), TableEdits)
    assert_type(edits.remove_statistics(1), TableEdits)
    assert_type(edits.set_partition_statistics({"snapshot-id": 1}), TableEdits)
    assert_type(edits.remove_partition_statistics(1), TableEdits)
    assert_type(edits.rename_column("a", "b"), TableEdits)
    assert_type(edits.update_column("a", "long", make_optional=True), TableEdits)
    assert_type(edits.drop_column("a"), TableEdits)
    assert_type(edits.add_partition_field("at", "day", name="day"), TableEdits)
    assert_type(edits.remove_partition_field("day"), TableEdits)
    assert_type(edits.move_column("a", after="b"), TableEdits)
    assert_type(edits.set_identifier_fields("a", ("b", "c")), TableEdits)
    assert_type(edits.sort_by("at", "day", direction="desc", null_order="nulls-last"), TableEdits)
    assert_type(edits.remove_sort_order(), TableEdits)
    assert_type(edits.expire_snapshots(NOW), TableEdits)
    assert_type(edits.set_properties({"k": "v"}), TableEdits)
    assert_type(edits.remove_properties("k"), TableEdits)
    assert_type(edits.set_location("s3://b"), TableEdits)
    assert_type(edits.upgrade_format_version(3), TableEdits)
    assert_type(edits.set_branch("audit", 1, min_snapshots_to_keep=2), TableEdits)
    assert_type(edits.set_tag("v1"), TableEdits)
    assert_type(edits.rollback("v1"), TableEdits)
    assert_type(edits.rollback(timestamp=NOW), TableEdits)
    assert_type(edits.remove_ref("v1"), TableEdits)


def resolution(edits: TableEdits, state: TableMetadata) -> None:
    assert_type(edits.resolve(state), TableChange)
    assert_type(edits.missing_in(state), list[str])
    assert_type(edits.is_applied(state), bool)


# -- Delta Sharing ---------------------------------------------------------------------------------


def predicate(age: Column) -> Predicate:
    assert_type(age.is_null(), Predicate)
    assert_type(age.is_not_null(), Predicate)
    assert_type(age.is_in(["a", "b"]), Predicate)
    assert_type(age.is_nan(), Predicate)
    assert_type(age.starts_with("a"), Predicate)
    return (age > 3) & (column("at") <= NOW)


def read_task(task: ReadTask) -> None:
    assert_type((task.size, task.columns), tuple[int, tuple[str, ...] | None])


def shared_file(file: SharedFile) -> None:
    assert_type((file.url, file.id), tuple[str, str])
    assert_type(file.partition_values, Mapping[str, str | None])
    assert_type(
        (file.size, file.version, file.timestamp, file.expiration),
        tuple[int | None, int | None, int | None, int | None],
    )
    assert_type((file.stats, file.deletion_vector_id), tuple[str | None, str | None])
    assert_type(file.is_delta, bool)
    assert_type((file.kind, file.facts), tuple[Kind, Facts])
    assert_type(file.of(file.facts), SharedFile)
    assert_type(
        (file.statistics, file.deletion_vector), tuple[Mapping[str, Any], DeletionVector | None]
    )


def description(answer: Description) -> None:
    delta_metadata(answer.metadata)
    assert_type(answer.protocol.min_reader_version, int)


def delta_metadata(metadata: Metadata) -> None:
    assert_type(metadata.partition_columns, tuple[str, ...])
    assert_type(metadata.column_mapping, str)
    delta_schema(metadata.schema)


def delta_schema(schema: DeltaSchema) -> None:
    assert_type(schema.names, tuple[str, ...])
    delta_field(schema.column("id"))


def delta_field(field: Field) -> None:
    assert_type((field.name, field.physical_name("name")), tuple[str, str])
    assert_type(field.field_id, int | None)


def credentials(credentials: DirectoryCredentials) -> None:
    assert_type(credentials.are_good(0.0), bool)
    assert_type(credentials.storage_options, dict[str, str])


async def answer(answer: AsyncAnswer) -> None:
    assert_type(await (await answer.begin()).again(answer.question), AsyncAnswer)
    assert_type(await answer.again(answer.question), AsyncAnswer)
    assert_type(answer.blocks(), AsyncGenerator[list[SharedFile | Metadata | Protocol], None])
    assert_type(answer.files(), AsyncIterator[SharedFile])
    assert_type((answer.version, answer.end), tuple[int | None, EndOfStream | None])
    await answer.close()


async def sharing_client(client: AsyncSharingClient) -> None:
    assert_type(client.shares(page_size=10), AsyncIterator[Share])
    assert_type((await client.share("s")).name, str)
    assert_type(client.schemas("s"), AsyncIterator[SharedSchema])
    assert_type(client.tables("s", "d"), AsyncIterator[SharedTable])
    assert_type(client.all_tables("s"), AsyncIterator[SharedTable])
    await table(client.table("s", "d", "t"))
    async for shared in client.tables("s.d"):
        assert_type(client.table(shared), AsyncTable)
    for task in await (await client.table("s", "d", "t").query()).tasks(columns=["id"]):
        assert_type(client.read(task), AsyncIterator[pa.Table])
    assert_type(client.with_options(timeouts=Timeouts(read=1.0)), AsyncSharingClient)
    assert_type((client.with_response(), client.response), tuple[AsyncSharingClient, Reply | None])
    await client.close()


async def table(table: AsyncTable) -> None:
    assert_type(await table.version(starting_timestamp=NOW), int)
    description(await table.metadata(version=3))
    await listing(await table.query(row_filter=predicate(column("id")), limit=10, background=True))
    await listing(await table.changes(starting_version=1, historical_protocol=True))
    async for file in table.files():
        shared_file(file)
    assert_type(table.follow(1), AsyncIterator[SharedFile])
    assert_type(await table.to_arrow(columns=["id"]), pa.Table)
    assert_type(await table.to_pandas(), pd.DataFrame)
    assert_type(await table.to_polars(), pl.DataFrame)
    assert_type(await table.to_duckdb(connection=duckdb.connect()), duckdb.DuckDBPyRelation)
    assert_type(await table.credentials(), DirectoryCredentials)


async def listing(listing: AsyncListing) -> None:
    assert_type((listing.version, listing.operation), tuple[int | None, str])
    async for line in listing:
        assert_type(line, SharedFile | Metadata | Protocol)
    assert_type(listing.files(), AsyncIterator[SharedFile])
    assert_type(await listing.tasks(), list[ReadTask])
    assert_type(listing.batches(columns=["id"]), AsyncIterator[pa.Table])
    assert_type(await listing.to_arrow(), pa.Table)
    assert_type(await listing.to_pandas(), pd.DataFrame)
    assert_type(await listing.to_polars(), pl.DataFrame)
    assert_type(await listing.to_duckdb(), duckdb.DuckDBPyRelation)
    await listing.close()
