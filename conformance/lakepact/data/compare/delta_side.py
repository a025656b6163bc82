"""A folder of Delta tables, local or in an object store, read by deltalake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson

from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.data.compare.model import (
    DELTA,
    CannotCompare,
    Column,
    Layout,
    PartitionField,
    PinnedTable,
)

LOG = "_delta_log"
#: Types that Iceberg calls otherwise, or has only wider.
NAMES = {
    "integer": "int",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}
DEEPEST = 4  #: levels of folders in which tables are looked for


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
        files, root = self._files()
        level = [root]
        for _depth in range(DEEPEST):
            folders = {path: _folders(fs, files, path) for path in level}
            for path, inner in folders.items():
                if LOG in inner:
                    below = path[len(root) :].strip("/")
                    name = below.replace("/", ".") or path.rpartition("/")[2]
                    if self._folders.setdefault(name, below) != below:
                        raise CannotCompare(f"{self._folders[name]} and {below} are both {name}")
                    yield name
            level = [
                f"{path}/{name}"
                for path, inner in folders.items()
                if LOG not in inner
                for name in inner
            ]

    def _files(self) -> tuple[Any, str]:
        """Return the file system and the path of the folder, with the options of the storage."""
        fs = import_module("pyarrow.fs")
        if not self._options:
            files, root = fs.FileSystem.from_uri(self._address)
            return files, str(root)
        handler = import_module("deltalake.fs").DeltaStorageHandler(self._address, self._options)
        return fs.PyFileSystem(handler), ""

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
        text, metadata, version = table.schema().to_json(), table.metadata(), table.version()
        schema = arrow_schema(text)
        return PinnedTable(
            name=name,
            pin=f"version {version} of {metadata.id}",
            layout=layout(
                orjson.loads(text),
                metadata.partition_columns,
                metadata.configuration,
                version=version,
            ),
            schema=schema,
            batches=lambda: _batches(table, schema),
            frame=lambda session: (
                session.read.format("delta").option("versionAsOf", version).load(table.table_uri)
            ),
        )


def _folders(fs: Any, files: Any, path: str) -> list[str]:
    try:
        return [
            info.base_name
            for info in files.get_file_info(fs.FileSelector(path))
            if info.type == fs.FileType.Directory
        ]
    except FileNotFoundError as missing:
        raise CannotCompare(f"there is no folder {path}") from missing


def _batches(table: Any, schema: Schema) -> Iterator[Any]:
    """Yield the record batches of a table; the query engine applies deletion vectors and column
    mapping.
    """
    query = (
        import_module("deltalake").QueryBuilder().register("t", table).execute("SELECT * FROM t")
    )
    for batch in pa.RecordBatchReader.from_stream(query):
        yield batch.cast(schema) if batch.schema != schema else batch


def layout(
    schema: Mapping[str, Any],
    partition: Sequence[str],
    properties: Mapping[str, str],
    *,
    version: int | None,
) -> Layout:
    """Return the layout of a version of a table from its schema, as the log has it, and the names
    of its partition columns.
    """
    columns = tuple(column for field in schema["fields"] for column in _columns(field))
    spec = tuple(PartitionField("identity", name) for name in partition)
    return Layout(
        DELTA,
        columns,
        spec,
        properties=dict(properties),
        snapshots=None if version is None else version + 1,
    )


def arrow_schema(text: str) -> Schema:
    """Return a schema of a log as Arrow has it."""
    found = pa.schema(import_module("deltalake").Schema.from_json(text))
    return pa.schema([pa.field(field.name, field.type) for field in found])


def _columns(field: Mapping[str, Any], prefix: str = "") -> Iterator[Column]:
    name, kind = f"{prefix}{field['name']}", field["type"]
    doc = (field.get("metadata") or {}).get("comment", "")
    yield Column(name, _type(kind), not field.get("nullable", True), doc=doc)
    if isinstance(kind, dict):
        for part in _parts(kind):
            yield from _columns(part, f"{name}.")


def _parts(kind: Mapping[str, Any]) -> list[dict[str, Any]]:
    if kind["type"] == "struct":
        return list(kind["fields"])
    if kind["type"] == "array":
        return [{"name": "element", "type": kind["elementType"], "nullable": kind["containsNull"]}]
    value = {"name": "value", "type": kind["valueType"], "nullable": kind["valueContainsNull"]}
    return [{"name": "key", "type": kind["keyType"], "nullable": False}, value]


def _type(kind: Any) -> str:
    if isinstance(kind, dict):
        return {"array": "list"}.get(kind["type"], str(kind["type"]))
    if kind.startswith("decimal("):
        return (
            f"decimal({', '.join(part.strip() for part in kind[len('decimal(') : -1].split(','))})"
        )
    return NAMES.get(kind, str(kind))
