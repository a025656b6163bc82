"""The tables of an Iceberg catalog, read by the client."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lakepact import client
from lakepact.client import (
    BadRequest,
    IcebergCatalog,
    NotFound,
    OperationNotSupported,
    ResponseError,
)
from lakepact.conformance.evidence.arrow import pa
from lakepact.data.catalogs import CatalogAddress, batches
from lakepact.data.compare.model import (
    ICEBERG,
    NAMESPACE,
    CannotCompare,
    Column,
    Layout,
    PartitionField,
    PinnedTable,
)
from lakepact.data.sql_catalog import SCHEME
from lakepact.generated.iceberg_rest.models import SQLViewRepresentation

WILD = re.compile(r"[*?[]")
#: Behind the name of a namespace, so that patterns of tables match it.
IN_NAMESPACE = ".*"
DEEPEST = 50  #: levels of a namespace, of which a server could invent more for ever
SPARK_TAKES = (
    "warehouse",
    "token",
    "trustedOrigins",
    "s3.",
    "gcs.",
    "adls.",
    "hdfs.",
)  #: of the properties


class IcebergSide:
    """A catalog.

    Args:
        catalog: the catalog.
        address: its address.
        as_of: the time whose snapshots are compared, or None for the current ones.
        spark: its name in the settings of Spark, if Spark reads it by Iceberg's jar.
    """

    def __init__(
        self,
        catalog: IcebergCatalog,
        address: CatalogAddress,
        *,
        as_of: dt.datetime | None = None,
        spark: str | None = None,
    ) -> None:
        self._address, self._as_of, self._spark = address, as_of, spark
        self.catalog = catalog
        self._identifiers: dict[str, tuple[str, ...]] = {}
        self.close = catalog.close

    def names(self, patterns: Sequence[str]) -> Iterator[str]:
        """Yield the names of the tables of namespaces that a pattern may mean."""
        for namespace in self._namespaces((), _starts(patterns)):
            yield from self._names(self.catalog.list_tables(namespace))

    def objects(self, kind: str, patterns: Sequence[str]) -> Iterator[str]:
        """Yield the names of namespaces, which end with `IN_NAMESPACE`, or of views."""
        for namespace in self._namespaces((), _starts(patterns)):
            if kind == NAMESPACE:
                name = full_name(namespace) + IN_NAMESPACE
                self._identifiers[name] = namespace
                yield name
            else:
                # A catalog without views, whether or not it says so in its configuration.
                with contextlib.suppress(OperationNotSupported, NotFound, BadRequest):
                    yield from self._names(self.catalog.list_views(namespace))

    def facts(self, kind: str, name: str) -> Mapping[str, str]:
        """Return what readers see of a namespace or view."""
        identifier = self._identifiers[name]
        if kind == NAMESPACE:
            properties = self.catalog.load_namespace(identifier).properties or {}
            return {key: value for key, value in properties.items() if key != "location"}
        metadata = self.catalog.load_view(identifier).metadata
        current = metadata.current_version_id
        version = next(one for one in metadata.versions if one.version_id == current)
        schema = next(one for one in metadata.schemas if one.schema_id == version.schema_id)
        representations = (
            one for one in version.representations if isinstance(one, SQLViewRepresentation)
        )
        sql = {f"SQL in {one.dialect}": one.sql for one in representations}
        columns = (f"{one.name} {one.type}" for one in schema.fields)
        return {**sql, "columns": ", ".join(columns)}

    def _names(self, objects: Iterable[Any]) -> Iterator[str]:
        for one in objects:
            identifier = (*one.namespace, one.name)
            name = full_name(identifier)
            self._identifiers[name] = identifier
            yield name

    def _namespaces(
        self, parent: tuple[str, ...], starts: Sequence[str]
    ) -> Iterator[tuple[str, ...]]:
        if len(parent) > DEEPEST:
            raise CannotCompare(f"{'.'.join(parent)} is a namespace of more than {DEEPEST} levels")
        try:
            namespaces = list(self.catalog.list_namespaces(parent or None))
        except ResponseError:
            if not parent:
                raise
            return  # a catalog without nested namespaces
        for namespace in namespaces:
            name = full_name(namespace) + "."
            if len(namespace) > len(parent) and any(
                name.startswith(start) or start.startswith(name) for start in starts
            ):
                yield namespace
                yield from self._namespaces(namespace, starts)

    def exists(self, name: str) -> bool:
        """Return whether the catalog has a table."""
        return self.catalog.table_exists(self._identifiers.get(name, tuple(name.split("."))))

    def table(self, name: str, *, at: int | None = None) -> PinnedTable:
        """Return a table at its current snapshot, or at that of the time.

        Args:
            name: Of the table, with its namespace.
            at: The id of another snapshot.

        Raises:
            CannotCompare: there was no snapshot at that time, or with that id.
        """
        # Imported here, because pyiceberg is an extra.
        from lakepact.client.iceberg_rest.rows.projection import arrow_schema  # noqa: PLC0415

        identifier = self._identifiers.get(name, tuple(name.split(".")))
        table = client.pyiceberg_table(self.catalog, identifier)
        snapshot = table.current_snapshot() if at is None else table.snapshot_by_id(at)
        if at is not None and snapshot is None:
            raise CannotCompare(f"it has no snapshot {at}")
        if self._as_of:
            snapshot = table.snapshot_as_of_timestamp(int(self._as_of.timestamp() * 1000))
            if snapshot is None:
                raise CannotCompare(f"it had no snapshot at {self._as_of.isoformat()}")
        is_current = self._as_of is None and at is None
        pin = None if is_current or snapshot is None else snapshot.snapshot_id
        scan = table.scan(snapshot_id=pin)
        # Null in a required column is a difference, no error.
        columns = arrow_schema(scan.projection())
        schema = pa.schema([field.with_nullable(True) for field in columns])
        return PinnedTable(
            name=name,
            pin=(
                f"{f'snapshot {snapshot.snapshot_id}' if snapshot else 'no snapshot'},"
                f" {table.metadata_location.rpartition('/')[2]}"
            ),
            layout=_layout(table.metadata, scan.projection(), snapshot),
            schema=schema,
            batches=lambda: (batch.cast(schema) for batch in batches(self.catalog, table, scan)),
            frame=lambda session: self._frame(session, name, snapshot),
        )

    def _frame(self, session: Any, name: str, snapshot: Any) -> Any:
        pin = {"snapshot-id": str(snapshot.snapshot_id)} if snapshot else {}
        if self._spark:
            return session.read.options(**pin).table(f"{self._spark}.{name}")
        if self.catalog.address.startswith(SCHEME):
            raise CannotCompare(
                "Spark reads a catalog of SQLite by Iceberg's jar alone: name it by"
                " --spark-catalog-a or --spark-catalog-b, or take --engine local"
            )
        own = {
            key: value
            for key, value in self._address.properties.items()
            if key.startswith(SPARK_TAKES)
        }
        address = self._address.address
        options = {"catalog": address, "scan-planning-mode": "client", **own, **pin}
        return session.read.format("lakepact").options(**options).load(name)


def _starts(patterns: Sequence[str]) -> list[str]:
    """Return the beginnings of names that patterns have without wild cards."""
    return [WILD.split(pattern, maxsplit=1)[0] for pattern in patterns]


def full_name(levels: Sequence[str]) -> str:
    """Return the name of a table or namespace; a level that has a dot itself stands between
    backticks.
    """
    return ".".join(f"`{level}`" if "." in level else level for level in levels)


def _layout(metadata: Any, schema: Any, snapshot: Any) -> Layout:
    names = {field: schema.find_column_name(field) for field in schema.field_ids}
    spec, order = metadata.spec(), metadata.sort_order_by_id(metadata.default_sort_order_id)
    fields = [(name, schema.find_field(name)) for name in schema.column_names]
    return Layout(
        format=ICEBERG,
        columns=tuple(
            Column(
                name,
                str(field.field_type).partition("<")[0],
                bool(field.required),
                int(field.field_id),
                field.doc or "",
                _default(field),
            )
            for name, field in fields
        ),
        partition=tuple(
            PartitionField(str(field.transform), names.get(field.source_id) or "?", field.name)
            for field in spec.fields
        ),
        sort=tuple(
            f"{PartitionField(str(field.transform), names.get(field.source_id) or '?')}"
            f" {field.direction} {field.null_order}"
            for field in (order.fields if order else ())
        ),
        identifiers=tuple(sorted(names[field] for field in schema.identifier_field_ids)),
        properties=dict(metadata.properties),
        snapshots=len(metadata.snapshots),
        format_version=str(metadata.format_version),
        location=metadata.location,
        refs={name: ref.snapshot_ref_type.value for name, ref in metadata.refs.items()},
        records=_records(snapshot),
    )


def _default(field: Any) -> str:
    defaults = {"initial": field.initial_default, "write": field.write_default}
    return ", ".join(f"{name} {value}" for name, value in defaults.items() if value is not None)


def _records(snapshot: Any) -> int | None:
    """Return how many rows a snapshot has by its summary; None if delete files take some away."""
    summary = (snapshot.summary if snapshot else None) or {}
    records = summary.get("total-records")
    return None if records is None or summary.get("total-delete-files") != "0" else int(records)
