"""Delta tables of a folder: one commit for each version, with a change data feed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lakepact.conformance.evidence.arrow import pa
from lakepact.data import writers
from lakepact.data.shapes import DELTA, Shape
from lakepact.data.truth import Version, WrittenTable
from lakepact.data.writers import CannotWrite, Writer

SHARE, RECIPIENT = "lakepact", "reader"
SHARES = """\
# Written by `lakepact data write`.
version: 1
shares:
- name: {share}
  schemas:
  - name: {schema}
    tables:
{tables}
recipients:
- name: {recipient}
  bearerToken: {token}
  shares: [{share}]
"""


def write(
    folder: Path, shape: Shape, *, versions: Sequence[Version], files: int, writer: Writer
) -> WrittenTable:
    """Write one table: its first version, the rows that came after, and without the rows that went.

    Raises:
        CannotWrite: the files are not taken for a table.
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
        before = versions[0]
        for number, version in enumerate(versions[1:], start=1):
            if version.last > before.last:
                added = _rows(table, number, Version(before.last, version.last))
                deltalake.write_deltalake(there, added, mode="append", schema_mode="merge")
            if version.first > before.first:
                deltalake.DeltaTable(there).delete(f"id < {version.first}")
            before = version
    except (OSError, ValueError, deltalake.exceptions.DeltaError) as wrong:
        said = (str(wrong).splitlines() or [""])[0]
        raise CannotWrite(f"{there} was not made a Delta table: {said[:300]}") from wrong
    return table


def _rows(table: WrittenTable, number: int, rows: Version) -> Any:
    shape = table.shape_of(number)
    return pa.RecordBatchReader.from_batches(shape.schema, rows.rows(shape))


def share(folder: Path, tables: Sequence[WrittenTable], schema: str) -> str:
    """Write the shares file of a folder's tables, readable only by its owner; return the
    recipient's token.
    """
    token = secrets.token_urlsafe(32)
    listed = "\n".join(
        f"    - {{name: {table.name}, location: {table.name}, historyShared: true}}"
        for table in tables
    )
    path = folder / "shares.yaml"
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(
        SHARES.format(share=SHARE, schema=schema, tables=listed, recipient=RECIPIENT, token=token),
        encoding="utf-8",
    )
    return token


def token_of(folder: Path) -> str:
    """Return the token of the recipient of the tables of a folder."""
    read: Any = import_module("yaml").safe_load((folder / "shares.yaml").read_text("utf-8"))
    token: str = read["recipients"][0]["bearerToken"]
    return token
