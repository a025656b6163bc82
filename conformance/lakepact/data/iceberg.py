"""Tables of an Iceberg catalog: created over REST, with one snapshot for each version."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lakepact import client
from lakepact.client import NoSuchTable
from lakepact.conformance.evidence.arrow import pa
from lakepact.data import writers
from lakepact.data.merge_on_read import MergeOnRead
from lakepact.data.shapes import ICEBERG, Shape
from lakepact.data.truth import Version, WrittenTable
from lakepact.data.truth_side import field_ids
from lakepact.data.writers import CannotWrite, Writer

if TYPE_CHECKING:
    from lakepact.client import IcebergCatalog

MARK = "lakepact.written"  #: the table property that says that a table may be replaced


def refuse_foreign(catalog: IcebergCatalog, namespace: str, shapes: Sequence[Shape]) -> None:
    """Refuse to replace tables that lakepact has not written: those without the property
    `lakepact.written`.

    Raises:
        CannotWrite: there is such a table.
    """
    for shape in shapes:
        with contextlib.suppress(NoSuchTable):
            if MARK not in catalog.load_table((namespace, shape.name)).metadata.properties:
                raise CannotWrite(
                    f"the table {namespace}.{shape.name} was expected to be absent or written by"
                    f" lakepact, but has no property {MARK}: rename or drop it, or choose other"
                    " shapes with --shape"
                )


def write(
    catalog: IcebergCatalog,
    namespace: str,
    shape: Shape,
    *,
    versions: Sequence[Version],
    files: int,
    writer: Writer,
) -> WrittenTable:
    """Write one table: its first version, then one with more rows, then one with fewer.

    Args:
        catalog: the catalog.
        namespace: of the table, which replaces one of its name.
        shape: of its rows.
        versions: its rows, in order of time.
        files: number of files of the first version.
        writer: writes files of plain tables in local folders; pyiceberg or this process writes all
            others.

    Raises:
        CannotWrite: a file cannot be written.
        UntrustedOrigin: the server chooses a folder of this machine, and the caller does not trust
            it with files.
    """
    result = WrittenTable(shape.name, shape.name, ICEBERG, files, tuple(versions), ())
    table = _create_table(client.pyiceberg_catalog(catalog), namespace, result)
    location = catalog.trusted_origins.location(table.location(), operation="createTable")
    parts = urlsplit(location)
    is_here = parts.scheme in {"file", ""} and not shape.partition and not shape.former
    folder = Path(unquote(parts.path)) / "data" if is_here else None
    merge_on_read = MergeOnRead(table, shape)
    snapshots: list[int] = []
    ids: list[dict[str, int]] = []
    for number, version in enumerate(versions):
        new_rows, count = (result.inserts(number), 1) if number else (version, files)
        if number == 1 and shape.former:
            _evolve(table, shape)
        if new_rows.count and shape.deletes:
            merge_on_read.add(new_rows, files=count)
        elif new_rows.count:
            _add(
                table, result.shape_of(number), new_rows, files=count, writer=writer, folder=folder
            )
        if number and result.removals(number).count:
            if shape.deletes:
                merge_on_read.delete(version.first)
            else:
                table.delete(f"id < {version.first}")
        snapshots.append(table.current_snapshot().snapshot_id)
        ids.append(field_ids(table.schema().as_arrow()))
    return replace(result, snapshots=tuple(snapshots), ids=tuple(ids))


def _create_table(catalog: Any, namespace: str, result: WrittenTable) -> Any:
    name, shape = (namespace, result.name), result.shape_of(0)
    catalog.create_namespace_if_not_exists(namespace)
    with contextlib.suppress(import_module("pyiceberg.exceptions").NoSuchTableError):
        catalog.drop_table(name)
    table = catalog.create_table(
        name,
        schema=shape.schema,
        properties={MARK: "true", "format-version": str(shape.format_version)},
    )
    if shape.partition:
        transforms = import_module("pyiceberg.transforms")
        with table.update_spec() as spec:
            for column, transform in shape.partition:
                spec.add_field(
                    column,
                    transforms.parse_transform(transform),
                    f"{column}_{transform.partition('[')[0]}",
                )
    return table


def _evolve(table: Any, shape: Shape) -> None:
    """Rename columns, widen them, and add the later ones."""
    with table.update_schema() as update:
        for before, now in zip(shape.former, shape.columns, strict=False):
            if now.name != before.name:
                update.rename_column(before.name, now.name)
    with table.update_schema() as update:
        update.union_by_name(shape.schema)


def _add(
    table: Any, shape: Shape, rows: Version, *, files: int, writer: Writer, folder: Path | None
) -> None:
    """Add rows in one snapshot or several; without a folder for the writer, pyiceberg writes the
    files.
    """
    if folder:
        cut = writers.pieces(shape.name, rows, folder, files=files)
        writer(cut)
        table.add_files([f"file://{piece.path}" for piece in cut], check_duplicate_files=False)
        return
    with table.transaction() as transaction:
        for batch in rows.rows(shape):
            transaction.append(pa.Table.from_batches([batch]))
