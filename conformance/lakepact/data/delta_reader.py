"""Delta tables read back as a recipient: version by version in both formats, their statistics, and what changed between them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lakepact.client import NotFound
from lakepact.conformance.evidence.arrow import Schema, pa, pc
from lakepact.data.delta import SHARE
from lakepact.data.figures import Figures
from lakepact.data.findings import Finding, bounded, counted, held, not_offered, shaped
from lakepact.data.truth import WrittenTable

if TYPE_CHECKING:
    from lakepact.client import SharingClient
    from lakepact.client.delta_sharing.lines import Format, Metadata, SharedFile
    from lakepact.client.delta_sharing.synchronous.table import Table

FORMATS: tuple[Format, ...] = ("parquet", "delta")
MILLISECOND = dt.timedelta(milliseconds=1)
INSERTED, DELETED = "insert", "delete"


def verify(client: SharingClient, schema: str, table: WrittenTable) -> Iterator[Finding]:
    """Everything that there is to see of one table, one finding at a time."""
    shared, last = client.table(SHARE, schema, table.name), table.snapshots[-1]
    try:
        current = str(shared.version())
    except NotFound:
        current = "no table"
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
    for version in table.snapshots:
        files = list(shared.files(version=version))
        if all("numRecords" in file.statistics for file in files):
            records = sum(int(file.statistics["numRecords"]) for file in files)
            expected = table.versions[version].count + table.gone(version)
            yield counted(table, f"version {version}: numRecords of all files", expected, records)
        if version == last:
            yield from bounded(table, last, _figures_of(table, files), what="the lines")
    for version in table.snapshots[1:]:
        yield from _changes(shared, table, version)


def _answered(
    shared: Table, table: WrittenTable, form: Format, *, version: int, pinned: bool
) -> Iterator[Finding]:
    """Yield whether the answer to a query has the schema, the partition columns and the rows of a version."""
    which = f"version {version}:" if pinned else "current"
    with shared.query(version=version if pinned else None, formats=(form,)) as listing:
        schema = _schema(listing.metadata)
        yield from shaped(table, f"{which} schema in {form} format", schema, version=version)
        partition = ", ".join(
            column
            for column, transform in table.shape_of(version).partition
            if transform == "identity"
        )
        yield Finding(
            table.name,
            table.protocol,
            f"{which} partition columns in {form} format",
            partition,
            ", ".join(listing.metadata.partition_columns),
        )
        rows = listing.batches()
        yield from held(table, f"{which} rows in {form} format", rows, version=version)


def _schema(metadata: Metadata) -> Schema:
    """Return the schema of a table as Arrow has it, with what is required within nested columns."""
    found = import_module("deltalake").Schema.from_json(metadata.schema_string)
    return pa.schema(found.to_arrow())


def _changes(shared: Table, table: WrittenTable, version: int) -> Iterator[Finding]:
    """Yield whether the changes of a version are the rows that came and those that went."""
    for change, meant in ((INSERTED, table.inserted(version)), (DELETED, table.deleted(version))):
        listing = shared.changes(starting_version=version, ending_version=version)
        rows = (
            rows.filter(pc.equal(rows.column("_change_type"), change)) for rows in listing.batches()
        )
        yield from held(
            table, f"version {version}: changes of kind {change}", rows, version=version, rows=meant
        )


def _figures_of(table: WrittenTable, files: Iterable[SharedFile]) -> dict[str, Figures]:
    """Return the figures of all files together; a column that one of them says nothing of has none."""
    told: dict[str, Figures] = {}
    silent: set[str] = set()
    for file in files:
        said = file.statistics
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
