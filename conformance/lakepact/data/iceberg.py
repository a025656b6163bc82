"""Tables of an Iceberg catalog: created over REST, with one snapshot for each version."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lakepact.conformance.evidence.arrow import pa
from lakepact.data import writers
from lakepact.data.merge_on_read import MergeOnRead
from lakepact.data.schemas import field_ids
from lakepact.data.shapes import ICEBERG, Shape
from lakepact.data.truth import Version, WrittenTable
from lakepact.data.writers import CannotWrite, Writer
from lakepact.extras import install

MARK = "lakepact.written"  #: the table property that says that a table may be replaced
INSTALL = install("data")


@contextlib.contextmanager
def catalog(url: str, properties: dict[str, str]) -> Generator[Any]:
    """Yield the catalog at an address, as pyiceberg speaks to it; what goes wrong is told in one line.

    Raises:
        CannotWrite: pyiceberg is not installed, or the catalog does not answer, or refuses.
    """
    try:
        catalogs, refused = import_module("pyiceberg.catalog"), refusals()
    except ModuleNotFoundError as missing:
        raise CannotWrite(f"{missing.name} is not installed: {INSTALL}") from missing
    try:
        yield catalogs.load_catalog("lakepact", type="rest", uri=url, **properties)
    except refused as wrong:
        said = (str(wrong).splitlines() or [""])[0]
        raise CannotWrite(f"the catalog at {url}: {type(wrong).__name__}: {said[:300]}") from wrong


def refusals() -> tuple[type[Exception], ...]:
    """Return the exceptions that pyiceberg raises for what a catalog or a table is not."""
    theirs = vars(import_module("pyiceberg.exceptions")).values()
    return (
        OSError,
        ValueError,
        LookupError,
        *(error for error in theirs if isinstance(error, type) and issubclass(error, Exception)),
    )


def refuse_foreign(known: Any, namespace: str, shapes: Sequence[Shape]) -> None:
    """Refuse to replace tables that lakepact has not written: those without the property `lakepact.written`.

    Raises:
        CannotWrite: there is such a table.
    """
    for shape in shapes:
        with contextlib.suppress(import_module("pyiceberg.exceptions").NoSuchTableError):
            if MARK not in known.load_table((namespace, shape.name)).properties:
                raise CannotWrite(
                    f"the table {namespace}.{shape.name} was expected to be absent or written by lakepact, but has no property {MARK}: "
                    "rename or drop it, or choose other shapes with --shape"
                )


def write(
    known: Any,
    namespace: str,
    shape: Shape,
    *,
    versions: Sequence[Version],
    files: int,
    writer: Writer,
) -> WrittenTable:
    """Write one table: its first version, the rows that came after, and without the rows that went.

    Args:
        known: the catalog.
        namespace: where the table is made, in the place of one of its name.
        shape: of its rows.
        versions: what it holds, in time.
        files: how many the first version has.
        writer: writes files of plain tables in local folders; pyiceberg or this process writes all others.

    Raises:
        CannotWrite: a file cannot be written.
    """
    before = Version(versions[0].first, versions[0].first)
    written = WrittenTable(shape.name, shape.name, ICEBERG, files, tuple(versions), ())
    table = _created(known, namespace, written)
    merged = MergeOnRead(table, shape)
    snapshots: list[int] = []
    ids: list[dict[str, int]] = []
    for number, version in enumerate(versions):
        current, added, count = (
            written.shape_of(number),
            Version(before.last, version.last),
            1 if number else files,
        )
        if number == 1 and shape.former:
            _evolve(table, shape)
        if added.count and shape.deletes:
            merged.add(added, files=count)
        elif added.count:
            _add(table, current, added, files=count, writer=writer)
        if version.first > before.first and shape.deletes:
            merged.delete(version.first)
        elif version.first > before.first:
            table.delete(f"id < {version.first}")
        snapshots.append(table.current_snapshot().snapshot_id)
        ids.append(field_ids(table.schema().as_arrow()))
        before = version
    return replace(written, snapshots=tuple(snapshots), ids=tuple(ids))


def _created(known: Any, namespace: str, written: WrittenTable) -> Any:
    name, shape = (namespace, written.name), written.shape_of(0)
    known.create_namespace_if_not_exists(namespace)
    with contextlib.suppress(import_module("pyiceberg.exceptions").NoSuchTableError):
        known.drop_table(name)
    table = known.create_table(
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
    """Rename columns, widen them, and add those that came later."""
    with table.update_schema() as update:
        for before, now in zip(shape.former, shape.columns, strict=False):
            if now.name != before.name:
                update.rename_column(before.name, now.name)
    with table.update_schema() as update:
        update.union_by_name(shape.schema)


def _add(table: Any, shape: Shape, rows: Version, *, files: int, writer: Writer) -> None:
    """Add rows in one snapshot or several: files of the writer where it can write them, otherwise those of pyiceberg."""
    parts = urlsplit(table.location())
    if parts.scheme in {"file", ""} and not shape.partition and not shape.former:
        cut = writers.pieces(shape.name, rows, Path(unquote(parts.path)) / "data", files=files)
        writer.write(cut)
        table.add_files([f"file://{piece.path}" for piece in cut], check_duplicate_files=False)
        return
    with table.transaction() as transaction:
        for batch in rows.rows(shape):
            transaction.append(pa.Table.from_batches([batch]))
