"""Delta tables read back as a recipient: version by version in both formats, their statistics, and what changed between them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import Any

import httpx
import orjson

from lakepact.conformance.evidence.arrow import Array, Schema, pa
from lakepact.conformance.judging import expect
from lakepact.conformance.rows import changes, data_files, deletion_vectors, lines
from lakepact.conformance.rows.data_files import Row
from lakepact.conformance.rows.lines import Answer, SharedFile
from lakepact.data.delta import SHARE
from lakepact.data.figures import Figures
from lakepact.data.findings import Finding, bounded, counted, held, not_offered, shaped
from lakepact.data.row_differences import kind
from lakepact.data.truth import WrittenTable

FORMATS = {
    "parquet": "responseformat=parquet",
    "delta": "responseformat=delta;readerfeatures=deletionvectors,columnmapping,timestampntz",
}
NO_TABLE = 404
MILLISECOND = dt.timedelta(milliseconds=1)
INSERTED, DELETED = "insert", "delete"


class Shared:
    """The tables of one share, as a recipient sees them.

    Args:
        url: base address of the server.
        token: of the recipient.
        schema: where the tables are.
    """

    def __init__(self, url: str, token: str, schema: str) -> None:
        self._client = httpx.Client(timeout=120, trust_env=False)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._base = f"{url.rstrip('/')}/shares/{SHARE}/schemas/{schema}/tables"

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def current(self, table: WrittenTable) -> str:
        """Return the current version of a table, or `no table`."""
        reply = self._client.get(f"{self._base}/{table.name}/version", headers=self._headers)
        return (
            "no table"
            if reply.status_code == NO_TABLE
            else reply.raise_for_status().headers.get("Delta-Table-Version", "no version")
        )

    def ask(self, table: WrittenTable, version: int | None, form: str) -> Answer:
        """Return the answer to a query of one version, or of none."""
        said = {"delta-sharing-capabilities": FORMATS[form], **self._headers}
        body = {} if version is None else {"version": version}
        return _understood(
            self._client.post(f"{self._base}/{table.name}/query", json=body, headers=said)
        )

    def ask_for_changes(self, table: WrittenTable, version: int) -> Answer:
        """Return the answer to a request for the changes of one version."""
        bounds = {"startingVersion": str(version), "endingVersion": str(version)}
        form = "delta" if table.shape_of(version).has_reader_features else "parquet"
        said = {"delta-sharing-capabilities": FORMATS[form], **self._headers}
        return _understood(
            self._client.get(f"{self._base}/{table.name}/changes", params=bounds, headers=said)
        )

    def fetch(self, _: SharedFile, url: str) -> bytes:
        """Return a data file."""
        return self._client.get(url).raise_for_status().content


def _understood(reply: httpx.Response) -> Answer:
    return lines.parsed(
        [
            orjson.loads(line)
            for line in reply.raise_for_status().content.split(b"\n")
            if line.strip()
        ]
    )


def verify(shared: Shared, table: WrittenTable) -> Iterator[Finding]:
    """Everything that there is to see of one table, one finding at a time."""
    current, last = shared.current(table), table.snapshots[-1]
    yield Finding(table.name, table.protocol, "current version", str(last), current)
    if current == "no table":
        return
    for form in FORMATS:
        if form == "parquet" and table.shape_of(last).has_reader_features:
            yield not_offered(
                table,
                "rows in parquet format",
                "the table has reader features, which this format cannot express",
            )
            continue
        yield from _answered(shared, table, form, version=last, pinned=False)
        for version in table.snapshots:
            yield from _answered(shared, table, form, version=version, pinned=True)
    yield from bounded(
        table, last, _figures_of(table, shared.ask(table, last, "delta")), what="the lines"
    )
    for version in table.snapshots[1:]:
        yield from _changes(shared, table, version)


def _answered(
    shared: Shared, table: WrittenTable, form: str, *, version: int, pinned: bool
) -> Iterator[Finding]:
    """Yield whether the answer to a query has the schema, the partition columns and the rows of a version."""
    answer = shared.ask(table, version if pinned else None, form)
    which = f"version {version}:" if pinned else "current"
    yield from shaped(table, f"{which} schema in {form} format", _schema(answer), version=version)
    partition = ", ".join(
        column for column, transform in table.shape_of(version).partition if transform == "identity"
    )
    yield Finding(
        table.name,
        table.protocol,
        f"{which} partition columns in {form} format",
        partition,
        ", ".join(answer.partition_columns),
    )
    yield from held(
        table, f"{which} rows in {form} format", _batches(answer, shared.fetch), version=version
    )
    statistics = [file.statistics for file in answer.files]
    if form == "parquet" and all(statistics):
        records = sum(int(one["numRecords"]) for one in statistics if one)
        yield counted(
            table, f"{which} numRecords of all files", table.versions[version].count, records
        )


def _schema(answer: Answer) -> Schema:
    try:
        return pa.schema(
            import_module("deltalake")
            .Schema.from_json(orjson.dumps(answer.schema).decode())
            .to_arrow()
        )
    except ValueError as wrong:
        raise expect.unmet(
            "a schemaString with the schema of a Delta table", str(wrong), at=None
        ) from wrong


def _batches(answer: Answer, fetch: Callable[[SharedFile, str], bytes]) -> Iterator[Any]:
    """Yield the rows of each file, in the columns of the answer's schema."""
    schema, fields = _schema(answer), {field["name"]: field for field in answer.fields}
    for file in answer.files:
        stored = data_files.stored_table(fetch(file, file.url))
        if file.vector:
            gone = deletion_vectors.gone(file.vector, partial(fetch, file))
            stored = stored.filter(pa.array(n not in gone for n in range(stored.num_rows)))
        columns = []
        for field in schema:
            if field.name in stored.column_names:
                columns.append(_declared(stored.column(field.name), field))
                continue
            value = (
                data_files.partition_value(answer, file, fields[field.name])
                if field.name in answer.partition_columns
                else None
            )
            columns.append(pa.array([value] * stored.num_rows, field.type))
        yield pa.table(columns, names=schema.names)


def _declared(stored: Array, field: Any) -> Array:
    """Return values of a file in the type of the schema; times without a zone may stand for times in UTC."""
    if kind(stored.type) != kind(field.type) and not (
        pa.types.is_timestamp(stored.type) and pa.types.is_timestamp(field.type)
    ):
        raise expect.unmet(
            f"values of type {field.type} in column {field.name}, as the schema declares",
            str(stored.type),
            at=None,
        )
    return stored.cast(field.type)


def _changes(shared: Shared, table: WrittenTable, version: int) -> Iterator[Finding]:
    """Yield whether the changes of a version are the rows that came and those that went."""
    found, schema = (
        changes.rows(shared.ask_for_changes(table, version), shared.fetch),
        table.shape_of(version).schema,
    )
    for change, meant in ((INSERTED, table.inserted(version)), (DELETED, table.deleted(version))):
        rows = _of_kind(found, change, schema)
        yield from held(
            table, f"version {version}: changes of kind {change}", rows, version=version, rows=meant
        )


def _of_kind(found: list[Row], change: str, schema: Schema) -> Iterator[Any]:
    rows = [
        {name: row.get(name) for name in schema.names}
        for row in found
        if row["_change_type"] == change
    ]
    yield pa.Table.from_pylist(rows, schema=schema)


def _figures_of(table: WrittenTable, answer: Answer) -> dict[str, Figures]:
    """Return the figures of all files together; a column that one of them says nothing of has none."""
    told: dict[str, Figures] = {}
    silent: set[str] = set()
    for file in answer.files:
        said = file.statistics or {}
        for field in table.shape_of(len(table.versions) - 1).schema:
            nulls = said.get("nullCount", {}).get(field.name)
            if not isinstance(nulls, int):
                silent.add(field.name)
                continue
            least, greatest = (
                _value(said.get(end, {}).get(field.name), field.type)
                for end in ("minValues", "maxValues")
            )
            if pa.types.is_timestamp(field.type) and greatest is not None:
                greatest += MILLISECOND  # writers may cut times to milliseconds
            told[field.name] = told.get(field.name, Figures()) + Figures(nulls, least, greatest)
    return {name: figures for name, figures in told.items() if name not in silent}


def _value(said: Any, kind: Any) -> Any:
    """Return a value of statistics as the column has it."""
    if said is None:
        return None
    if pa.types.is_decimal(kind):
        return Decimal(str(said))
    if pa.types.is_date(kind):
        return dt.date.fromisoformat(said)
    if pa.types.is_timestamp(kind):
        return dt.datetime.fromisoformat(said)
    return said
