"""The file beside the tables that records what was written: shapes, versions, and the row numbers
of each version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from lakepact.data.shapes import SHAPES, Shape

FILE = "data.json"
FORMAT = 2


class NotWritten(LookupError):
    """A folder holds no tables that were written by `lakepact data write`, or another version's;
    the message says what.
    """


@dataclass(frozen=True)
class Version:
    """The rows of a table at one time: those with numbers from `first` to before `last`.

    Every version either adds rows at the end or takes some away at the start, so that the changes
    between two versions follow from both.
    """

    first: int
    last: int

    def rows(self, shape: Shape) -> Iterator[Any]:
        """Return the rows, some at a time."""
        return shape.batches(self.first, self.last)

    @property
    def count(self) -> int:
        """The number of its rows."""
        return self.last - self.first


@dataclass(frozen=True)
class WrittenTable:
    """One table as it was written."""

    name: str
    shape: str
    protocol: str  #: `iceberg` or `delta`
    files: int  #: of the first version
    versions: tuple[Version, ...]
    snapshots: tuple[int, ...]  #: of an Iceberg table, or versions of a Delta table, by version
    ids: tuple[dict[str, int], ...] = ()  #: field ids of an Iceberg table by path, by version

    def shape_of(self, version: int) -> Shape:
        """Return the shape of a version."""
        return SHAPES[self.shape].at(version, self.protocol, growth_start=self.versions[0].last)

    def deletes(self, version: int) -> int:
        """Return how many rows of its data files a version deletes by delete files or vectors."""
        rows = self.versions[version].first - self.versions[0].first
        return rows if SHAPES[self.shape].deletes else 0

    def inserts(self, version: int) -> Version:
        """Return the rows that a version adds."""
        before, now = self.versions[version - 1], self.versions[version]
        return Version(before.last, max(before.last, now.last))

    def removals(self, version: int) -> Version:
        """Return the rows that a version removes."""
        before, now = self.versions[version - 1], self.versions[version]
        return Version(before.first, max(before.first, now.first))


@dataclass(frozen=True)
class Written:
    """All tables of a folder."""

    namespace: str
    tables: tuple[WrittenTable, ...]

    def of(self, protocol: str) -> tuple[WrittenTable, ...]:
        """Return the tables of one protocol."""
        return tuple(table for table in self.tables if table.protocol == protocol)


def write(folder: Path, record: Written) -> None:
    """Record the content of the tables of a folder in it."""
    document = {"format": FORMAT, **asdict(record)}
    (folder / FILE).write_text(json.dumps(document, indent=1), encoding="utf-8")


def read(folder: Path) -> Written:
    """Return the recorded content of the tables of a folder.

    Raises:
        NotWritten: the folder has no valid record.
    """
    try:
        document: dict[str, Any] = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError) as wrong:
        raise NotWritten(
            f"{folder} holds no tables of `lakepact data write`: {FILE}: {wrong}"
        ) from None
    if document.get("format") != FORMAT:
        raise NotWritten(
            f"{folder / FILE} is of format {document.get('format')}, this lakepact reads {FORMAT};"
            " write the tables again"
        )
    return TypeAdapter(Written).validate_python(document)
