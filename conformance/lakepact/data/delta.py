"""Delta tables of a folder: one commit for each version, with a change data feed."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lakepact.conformance.evidence.arrow import pa
from lakepact.data import writers
from lakepact.data.shapes import DELTA, Shape
from lakepact.data.truth import Version, WrittenTable
from lakepact.data.writers import CannotWrite, Writer

SHARE, SHARES_FILE = "lakepact", "shares.yaml"
SHARES = """\
version: 1
shares:
- name: lakepact
  schemas:
  - name: {schema}
    tables:
{tables}
"""
RECIPIENT = """\
recipients:
- name: reader
  bearerToken: {token}
  shares: [lakepact]
"""


def shares(tables: Iterable[str], schema: str) -> str:
    """Return the text of a shares file for Delta tables beside it."""
    entries = (f"    - {{name: {name}, location: {name}, historyShared: true}}" for name in tables)
    return SHARES.format(schema=schema, tables="\n".join(entries))


def write(
    folder: Path, shape: Shape, *, versions: Sequence[Version], files: int, writer: Writer
) -> WrittenTable:
    """Write one table: its first version, then one with more rows, then one with fewer.

    Raises:
        CannotWrite: deltalake cannot write or convert the table.
    """
    deltalake = import_module("deltalake")
    there, configuration = str(folder / shape.name), {"delta.enableChangeDataFeed": "true"}
    table = WrittenTable(
        shape.name, shape.name, DELTA, files, tuple(versions), tuple(range(len(versions)))
    )
    partition = [column for column, transform in shape.partition if transform == "identity"]
    try:
        if partition or shape.former:
            deltalake.write_deltalake(
                there,
                _rows(table, 0, versions[0]),
                partition_by=partition,
                configuration=configuration,
            )
        else:
            writer(writers.pieces(shape.name, versions[0], folder / shape.name, files=files))
            deltalake.convert_to_deltalake(there, configuration=configuration)
        for number, version in enumerate(versions[1:], start=1):
            if (inserts := table.inserts(number)).count:
                rows = _rows(table, number, inserts)
                deltalake.write_deltalake(there, rows, mode="append", schema_mode="merge")
            if table.removals(number).count:
                deltalake.DeltaTable(there).delete(f"id < {version.first}")
    except (OSError, ValueError, deltalake.exceptions.DeltaError) as error:
        raise CannotWrite(f"{there} was not made a Delta table: {first_line(error)}") from error
    return table


def first_line(error: Exception) -> str:
    """Return the first line of an error's message."""
    return next(iter(str(error).splitlines()), "")[:300]


def _rows(table: WrittenTable, number: int, rows: Version) -> Any:
    shape = table.shape_of(number)
    return pa.RecordBatchReader.from_batches(shape.schema, rows.rows(shape))


def share(folder: Path, tables: Iterable[WrittenTable], schema: str) -> None:
    """Write the shares file of a folder's tables, with a recipient, readable only by its owner."""
    path = folder / SHARES_FILE
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    recipient = RECIPIENT.format(token=secrets.token_urlsafe(32))
    text = shares((table.name for table in tables), schema) + recipient
    path.write_text(text, encoding="utf-8")


def token_of(folder: Path) -> str:
    """Return the token of the recipient of the tables of a folder."""
    read: Any = import_module("yaml").safe_load((folder / SHARES_FILE).read_text("utf-8"))
    token: str = read["recipients"][0]["bearerToken"]
    return token
