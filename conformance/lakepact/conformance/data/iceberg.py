"""Tables of an Iceberg catalog: made over REST, their files written beside them and added, one snapshot for each version."""

from __future__ import annotations

import contextlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lakepact.conformance.data import writers
from lakepact.conformance.data.truth import ICEBERG, Version, WrittenTable
from lakepact.conformance.data.writers import CannotWrite

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from lakepact.conformance.data.shapes import Shape
    from lakepact.conformance.data.writers import Writer

INSTALL = "pip install 'lakepact[data]'"


@contextlib.contextmanager
def catalog(url: str, properties: dict[str, str]) -> Generator[Any]:
    """Yield the catalog at an address, as pyiceberg speaks to it; what goes wrong is told in one line.

    Raises:
        CannotWrite: pyiceberg is not installed, or the catalog does not answer, or refuses.
    """
    try:
        catalogs, errors = import_module("pyiceberg.catalog"), import_module("pyiceberg.exceptions")
    except ModuleNotFoundError as missing:
        raise CannotWrite(f"{missing.name} is not installed: {INSTALL}") from missing
    theirs = (error for error in vars(errors).values() if isinstance(error, type) and issubclass(error, Exception))
    refusals: tuple[type[Exception], ...] = (OSError, ValueError, LookupError, *theirs)
    try:
        yield catalogs.load_catalog("lakepact", type="rest", uri=url, **properties)
    except refusals as wrong:
        said = (str(wrong).splitlines() or [""])[0]
        raise CannotWrite(f"the catalog at {url}: {type(wrong).__name__}: {said[:300]}") from wrong


def write(known: Any, namespace: str, shape: Shape, *, versions: Sequence[Version], files: int, writer: Writer) -> WrittenTable:
    """Write one table: its first version, the rows that came after, and without the rows that went.

    Args:
        known: the catalog.
        namespace: where the table is made, in the place of one of its name.
        shape: of its rows.
        versions: what it holds, in time.
        files: how many the first version has.
        writer: who writes them.

    Raises:
        CannotWrite: the catalog keeps its tables where no file can be written from here.
    """
    name = f"{shape.name}"
    known.create_namespace_if_not_exists(namespace)
    with contextlib.suppress(import_module("pyiceberg.exceptions").NoSuchTableError):
        known.drop_table(f"{namespace}.{name}")
    table = known.create_table(f"{namespace}.{name}", schema=shape.schema)
    folder = _folder(table.location())
    snapshots: list[int] = []
    before = Version(versions[0].first, versions[0].first)
    for version in versions:
        if version.last > before.last:
            cut = writers.pieces(shape.name, Version(before.last, version.last), folder, files=files if not snapshots else 1)
            writer.write(cut)
            table.add_files([f"file://{piece.path}" for piece in cut], check_duplicate_files=False)
        if version.first > before.first:
            table.delete(f"id < {version.first}")
        snapshots.append(table.current_snapshot().snapshot_id)
        before = version
    return WrittenTable(name, shape.name, ICEBERG, files, tuple(versions), tuple(snapshots))


def _folder(location: str) -> Path:
    parts = urlsplit(location)
    if parts.scheme not in {"file", ""}:
        raise CannotWrite(f"the catalog keeps its tables at {location}; files are written into folders of this machine only")
    return Path(unquote(parts.path)) / "data"
