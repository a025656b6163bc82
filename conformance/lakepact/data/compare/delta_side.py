"""A folder of Delta tables, local or in an object store, read by deltalake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.data.compare.arrow_columns import columns
from lakepact.data.compare.model import (
    DELTA,
    CannotCompare,
    Layout,
    PartitionField,
    PinnedTable,
)

LOG = "_delta_log"
DEEPEST = 4  #: levels of folders that may have tables


class DeltaSide:
    """A folder whose folders are namespaces and tables, or a single table.

    Args:
        address: its path or URL.
        options: of its storage, as deltalake takes them; others come from the environment.
        as_of: the time whose versions are compared, or None for the latest.
    """

    def __init__(self, address: str, options: dict[str, str], *, as_of: dt.datetime | None) -> None:
        self._address = (
            address.rstrip("/") if "://" in address else Path(address).resolve().as_uri()
        )
        self._options, self._as_of = options, as_of
        self._folders: dict[
            str, str
        ] = {}  #: by name, because folders may have dots: Hive's `sales.db`

    def close(self) -> None:
        """Do nothing: deltalake keeps no connection."""

    def names(self, _: Sequence[str]) -> Iterator[str]:
        """Yield the names of tables: their folders, with dots."""
        fs = import_module("pyarrow.fs")
        # The reader of the tables lists folders too, with its credentials and options.
        handler = import_module("deltalake.fs").DeltaStorageHandler(self._address, self._options)
        files, level = fs.PyFileSystem(handler), [""]
        for _depth in range(DEEPEST):
            inner: list[str] = []
            for folder in level:
                infos = files.get_file_info(fs.FileSelector(folder))
                names = [each.base_name for each in infos if each.type == fs.FileType.Directory]
                if LOG in names:
                    name = folder.replace("/", ".") or unquote(self._address.rpartition("/")[2])
                    if self._folders.setdefault(name, folder) != folder:
                        raise CannotCompare(f"{self._folders[name]} and {folder} are both {name}")
                    yield name
                else:
                    inner += [f"{folder}/{each}".lstrip("/") for each in names]
            level = inner

    def table(self, name: str) -> PinnedTable:
        """Return a table at its latest version, or at that of the time.

        Raises:
            CannotCompare: there was no version at that time.
        """
        deltalake: Any = import_module("deltalake")
        inner = f"{self._address}/{self._folders.get(name, name.replace('.', '/'))}"
        is_single = deltalake.DeltaTable.is_deltatable(self._address, self._options)
        table = deltalake.DeltaTable(
            self._address if is_single else inner, storage_options=self._options
        )
        if self._as_of:
            table.load_as_version(self._as_of)  # the first version, if it is later
            if table.history(1)[0]["timestamp"] > self._as_of.timestamp() * 1000:
                raise CannotCompare(f"it had no version at {self._as_of.isoformat()}")
        version = table.version()
        return pin_table(
            name,
            table.metadata(),
            table.schema().to_json(),
            version=version,
            batches=lambda schema: (batch.cast(schema) for batch in batches_of(table)),
            frame=lambda session: (
                session.read.format("delta").option("versionAsOf", version).load(table.table_uri)
            ),
        )


def batches_of(table: Any, columns: str = "*") -> Iterator[Any]:
    """Yield the record batches of a table; the query engine applies deletion vectors and column
    mapping.

    Args:
        table: As deltalake opens it.
        columns: Names of columns, separated by commas.
    """
    builder = import_module("deltalake").QueryBuilder().register("t", table)
    yield from pa.RecordBatchReader.from_stream(builder.execute(f"SELECT {columns} FROM t"))  # noqa: S608 - names of our own


def pin_table(
    name: str,
    metadata: Any,
    schema: str,
    *,
    version: int | None,
    batches: Callable[[Schema], Iterator[Any]],
    frame: Callable[[Any], Any],
) -> PinnedTable:
    """Return a version of a Delta table.

    Args:
        name: Of the table.
        metadata: As its log has them.
        schema: The schema of the version, as its log has it.
        version: Its number, if a server states it.
        batches: Yields the rows in record batches of a schema.
        frame: Returns its DataFrame in a Spark session.
    """
    declared = pa.schema(import_module("deltalake").Schema.from_json(schema))
    nullable = pa.schema([pa.field(field.name, field.type) for field in declared])
    return PinnedTable(
        name=name,
        pin=f"version {'unknown' if version is None else version} of {metadata.id}",
        layout=Layout(
            DELTA,
            tuple(columns(declared, {})),
            tuple(PartitionField("identity", name) for name in metadata.partition_columns),
            properties=dict(metadata.configuration),
            snapshots=None if version is None else version + 1,
        ),
        schema=nullable,
        batches=lambda: batches(nullable),
        frame=frame,
    )
