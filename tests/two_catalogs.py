"""Two reference servers with tables that tests change."""

from __future__ import annotations

import datetime as dt
import json
import sys
import uuid
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from click.testing import CliRunner
from pyiceberg import types
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform, IdentityTransform

from lakepact.cli import main
from lakepact.conformance.running.embedded_server import answering

Row = dict[str, Any]
FIELDS = (
    types.NestedField(1, "id", types.LongType(), required=True),
    types.NestedField(2, "region", types.StringType()),
    types.NestedField(3, "at", types.TimestamptzType()),
    types.NestedField(4, "price", types.DecimalType(10, 2)),
    types.NestedField(5, "weight", types.DoubleType()),
    types.NestedField(6, "ratio", types.FloatType()),
    types.NestedField(7, "tags", types.ListType(20, types.IntegerType(), element_required=False)),
    types.NestedField(
        8,
        "stock",
        types.MapType(21, types.StringType(), 22, types.LongType(), value_required=False),
    ),
    types.NestedField(
        9,
        "place",
        types.StructType(
            types.NestedField(23, "floor", types.IntegerType()),
            types.NestedField(24, "name", types.StringType()),
        ),
    ),
    types.NestedField(10, "blob", types.BinaryType()),
    types.NestedField(11, "day", types.DateType()),
    types.NestedField(12, "flag", types.BooleanType()),
    types.NestedField(13, "uid", types.UUIDType()),
    types.NestedField(14, "time", types.TimeType()),
    types.NestedField(15, "code", types.FixedType(4)),
    types.NestedField(16, "local", types.TimestampType()),
    types.NestedField(17, "ID", types.LongType()),
    types.NestedField(
        18, "moments", types.ListType(25, types.TimestampType(), element_required=False)
    ),
)
SPEC = PartitionSpec(
    PartitionField(3, 1000, DayTransform(), "at_day"),
    PartitionField(2, 1001, IdentityTransform(), "region"),
)


def row(n: int) -> Row:
    """Return a row with nulls, NaN, zeros of both signs, quotes and nested values."""
    return {
        "id": n,
        "region": None if n % 5 == 0 else f"r/{n % 3}",
        "at": dt.datetime(2026, 1, 1 + n % 3, n % 24, tzinfo=dt.UTC),
        "price": Decimal(n) / 100,
        "weight": float("nan") if n % 7 == 0 else n * -0.0 if n % 11 == 0 else n / 3,
        "ratio": n / 7,
        "tags": [n, None, n + 1] if n % 4 else None,
        "stock": [("a", n), ("b", None)] if n % 3 else [],
        "place": {"floor": n, "name": "it's"} if n % 6 else None,
        "blob": bytes([n % 256]),
        "day": dt.date(2026, 1, 1) + dt.timedelta(n),
        "flag": bool(n % 2),
        "uid": uuid.UUID(int=n).bytes,
        "time": dt.time(n % 24),
        "code": b"%04d" % n,
        "local": dt.datetime(2020, 1, 1, microsecond=n),  # noqa: DTZ001 - of a type without zone
        "ID": -n,
        "moments": [dt.datetime(2020, 1, 1, microsecond=n), None],  # noqa: DTZ001 - of a type without zone
    }


ROWS = tuple(map(row, range(60)))


def served(folder: Path, *arguments: str) -> AbstractContextManager[str]:
    """Run a reference server that keeps its tables in a folder."""
    command = [sys.executable, "-m", "lakepact.reference_server", "--port", "0", *arguments]
    return answering([*command, "--warehouse", str(folder), "--store", "file"])


def schema(*, without: Iterable[str] = (), **changed: types.NestedField) -> Schema:
    """Return the columns, without some and with others in the place of some."""
    return Schema(
        *(changed.get(field.name, field) for field in FIELDS if field.name not in without),
        identifier_field_ids=[1],
    )


def typed(name: str, kind: Any, **others: Any) -> Schema:
    """Return the columns, one of them with another type."""
    changed: dict[str, Any] = {
        name: schema().find_field(name).model_copy(update={"field_type": kind, **others})
    }
    return schema(**changed)


def create(
    catalog: Any,
    name: str | tuple[str, ...],
    rows: Iterable[Row],
    *,
    columns: Schema | None = None,
    spec: PartitionSpec = SPEC,
    properties: Mapping[str, str] | None = None,
) -> Any:
    """Create a table with rows."""
    table = catalog.create_table(
        name,
        columns or schema(),
        partition_spec=spec or UNPARTITIONED_PARTITION_SPEC,
        properties=dict(properties or {}),
    )
    names = table.schema().as_arrow().names
    rows = [{key: value for key, value in each.items() if key in names} for each in rows]
    if rows:
        table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
    return table


def compare(a: object, b: object, *arguments: object) -> tuple[int, str]:
    """Return the exit code and the output of a comparison."""
    done = CliRunner().invoke(main, ["data", "compare", str(a), str(b), *map(str, arguments)])
    return done.exit_code, done.output


def results(a: object, b: object, *arguments: object) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit code of a comparison and its tables by name."""
    code, output = compare(a, b, "--json", *arguments)
    return code, {table["table"]: table for table in map(json.loads, output.splitlines())}
